/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: socketpair send sendto sendmsg recv recvfrom recvmsg shutdown
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#define BIG (400 * 1000)

static int s[2];
static char big[BIG];
static char got[BIG];

static void *
answer(void *arg)
{
    char buf[8];
    struct iovec iov = { buf, sizeof buf };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

    assert(recv(s[1], buf, sizeof buf, 0) == 1 && buf[0] == 'a');
    assert(send(s[1], "A", 1, 0) == 1);
    assert(recvfrom(s[1], buf, sizeof buf, 0, NULL, NULL) == 1 && buf[0] == 'b');
    assert(sendto(s[1], "B", 1, 0, NULL, 0) == 1);
    assert(recvmsg(s[1], &msg, 0) == 1 && buf[0] == 'c');
    iov.iov_len = 1;
    buf[0] = 'C';
    assert(sendmsg(s[1], &msg, 0) == 1);
    assert(recv(s[1], got, BIG, MSG_WAITALL) == BIG);
    assert(recv(s[1], buf, 1, 0) == 0); /* shut down */
    return arg;
}

int
main(void)
{
    struct timeval tv = { 3600, 0 };
    struct timeval none = { 0, 0 };
    struct iovec iov = { "c", 1 };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
    pthread_t t;
    char c;

    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
    assert(recv(s[0], &c, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    tv.tv_sec = 0;
    tv.tv_usec = 10000;
    assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv) == 0);
    assert(recv(s[0], &c, 1, 0) == -1 && errno == EAGAIN);
    assert(setsockopt(s[0], SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none) == 0);
    assert(pthread_create(&t, NULL, answer, NULL) == 0);
    assert(send(s[0], "a", 1, 0) == 1);
    assert(recv(s[0], &c, 1, 0) == 1 && c == 'A');
    assert(sendto(s[0], "b", 1, 0, NULL, 0) == 1);
    assert(recvfrom(s[0], &c, 1, 0, NULL, NULL) == 1 && c == 'B');
    assert(sendmsg(s[0], &msg, 0) == 1);
    iov.iov_base = &c;
    assert(recvmsg(s[0], &msg, 0) == 1 && c == 'C');
    memset(big, 'z', BIG);
    assert(send(s[0], big, BIG, 0) == BIG); /* more than the socket holds */
    assert(shutdown(s[0], SHUT_WR) == 0);
    assert(pthread_join(t, NULL) == 0);
    assert(memcmp(big, got, BIG) == 0);
    assert(send(s[0], "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
    return 0;
}
