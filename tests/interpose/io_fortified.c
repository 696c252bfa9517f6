/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: __read_chk __recv_chk __recvfrom_chk __poll_chk __ppoll_chk
 * BURL-WHY: what read, recv, recvfrom, poll and ppoll become under _FORTIFY_SOURCE.
 */
#include <assert.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t __read_chk(int fd, void *buf, size_t n, size_t size);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t size, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t size, int flags, struct sockaddr *addr,
                       socklen_t *len);
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask,
                size_t size);

static int s[2];
static int turns[2];

/* Five bytes, each only after the last one was taken. */
static void *
feed(void *arg)
{
    char c;

    for (int i = 0; i < 5; i++) {
        assert(read(turns[0], &c, 1) == 1);
        assert(write(s[1], "x", 1) == 1);
    }
    return arg;
}

int
main(void)
{
    struct pollfd p;
    pthread_t t;
    char buf[4];

    assert(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0 && pipe(turns) == 0);
    p = (struct pollfd){ .fd = s[0], .events = POLLIN };
    assert(pthread_create(&t, NULL, feed, NULL) == 0);
    assert(write(turns[1], "1", 1) == 1);
    assert(__read_chk(s[0], buf, 4, sizeof buf) == 1);
    assert(write(turns[1], "1", 1) == 1);
    assert(__recv_chk(s[0], buf, 4, sizeof buf, 0) == 1);
    assert(write(turns[1], "1", 1) == 1);
    assert(__recvfrom_chk(s[0], buf, 4, sizeof buf, 0, NULL, NULL) == 1);
    assert(write(turns[1], "1", 1) == 1);
    assert(__poll_chk(&p, 1, -1, sizeof p) == 1);
    assert(read(s[0], buf, 4) == 1);
    assert(write(turns[1], "1", 1) == 1);
    assert(__ppoll_chk(&p, 1, NULL, NULL, sizeof p) == 1);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
