/* SPDX-License-Identifier: Apache-2.0 */
/*
 * net.c - sockets of 127.0.0.1.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "ftp.h"

static struct sockaddr_in
address_of(unsigned short port)
{
    struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(port) };

    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return a;
}

int
net_listen(unsigned short *port)
{
    struct sockaddr_in a = address_of(0);
    socklen_t length = sizeof a;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(fd >= 0, "socket");
    must(bind(fd, (struct sockaddr *)&a, sizeof a) == 0, "bind to 127.0.0.1");
    must(listen(fd, CONNECTIONS_MAX) == 0, "listen");
    must(getsockname(fd, (struct sockaddr *)&a, &length) == 0, "getsockname");
    *port = ntohs(a.sin_port);
    return fd;
}

/* Replies are short: they must not wait for each other. */
static int
without_delay(int fd)
{
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int
net_connect(unsigned short port)
{
    struct sockaddr_in a = address_of(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(fd >= 0, "socket");
    while (connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        if (errno != EINTR) {
            close(fd);
            return -1;
        }
    return without_delay(fd);
}

int
net_accept(int fd)
{
    int got;

    do
        got = accept(fd, NULL, NULL);
    while (got < 0 && (errno == EINTR || errno == ECONNABORTED));
    return got < 0 ? -1 : without_delay(got);
}

void
net_shut_down(int fd)
{
    shutdown(fd, SHUT_RDWR);
}

void
net_close(int fd)
{
    close(fd);
}

void
net_close_at_end(int fd)
{
    struct linger at_once = { .l_onoff = 1, .l_linger = 0 };

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(fd);
}

bool
net_send(int fd, const char *bytes, size_t length)
{
    while (length > 0) {
        ssize_t n = send(fd, bytes, length, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        bytes += n;
        length -= (size_t)n;
    }
    return true;
}

void
reader_init(struct reader *r, int fd)
{
    r->fd = fd;
    r->first = 0;
    r->n = 0;
}

/* False: the end. */
static bool
fill(struct reader *r)
{
    ssize_t n;

    do
        n = recv(r->fd, r->bytes, sizeof r->bytes, 0);
    while (n < 0 && errno == EINTR);
    r->first = 0;
    r->n = n > 0 ? (size_t)n : 0;
    return n > 0;
}

bool
reader_line(struct reader *r, char *line, size_t size)
{
    size_t length = 0;

    for (;;) {
        char b;

        if (r->n == 0 && !fill(r))
            return false;
        b = r->bytes[r->first++];
        r->n--;
        if (b == '\n') {
            line[length] = '\0';
            return true;
        }
        if (b == '\r')
            continue;
        if (length + 1 == size)
            return false;
        line[length++] = b;
    }
}

size_t
reader_all(struct reader *r, char *bytes, size_t size)
{
    size_t length = 0;

    while (r->n > 0 || fill(r)) {
        for (size_t i = 0; i < r->n && length + i < size; i++)
            bytes[length + i] = r->bytes[r->first + i];
        length += r->n;
        r->n = 0;
    }
    return length;
}
