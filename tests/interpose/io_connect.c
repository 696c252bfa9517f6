/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: accept accept4 connect
 * BURL-ARGS: --runs=100
 * BURL-WHY: server and client in one process, over a local address and over TCP.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_storage where;
static socklen_t where_b;

static void *
client(void *arg)
{
    int family = *(int *)arg;
    char c = 0;

    for (int i = 0; i < 2; i++) {
        int fd = socket(family, SOCK_STREAM, 0);

        assert(fd >= 0);
        assert(connect(fd, (struct sockaddr *)&where, where_b) == 0);
        assert(write(fd, "q", 1) == 1);
        assert(read(fd, &c, 1) == 1 && c == 'r');
        assert(close(fd) == 0);
    }
    return NULL;
}

static void
serve(int family, int listener)
{
    pthread_t t;
    char c = 0;

    assert(listen(listener, 1) == 0);
    where_b = sizeof where;
    assert(getsockname(listener, (struct sockaddr *)&where, &where_b) == 0);
    assert(pthread_create(&t, NULL, client, &family) == 0);
    for (int i = 0; i < 2; i++) {
        int fd = i == 0 ? accept(listener, NULL, NULL)
                        : accept4(listener, NULL, NULL, SOCK_CLOEXEC);

        assert(fd >= 0);
        assert(read(fd, &c, 1) == 1 && c == 'q');
        assert(write(fd, "r", 1) == 1);
        assert(close(fd) == 0);
    }
    assert(pthread_join(t, NULL) == 0);
    assert(close(listener) == 0);
}

int
main(void)
{
    struct sockaddr_un un = { .sun_family = AF_UNIX }; /* the kernel chooses an abstract name */
    struct sockaddr_in in = { .sin_family = AF_INET };
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    assert(bind(fd, (struct sockaddr *)&un, sizeof un.sun_family) == 0);
    serve(AF_UNIX, fd);
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd >= 0 && bind(fd, (struct sockaddr *)&in, sizeof in) == 0)
        serve(AF_INET, fd);
    return 0;
}
