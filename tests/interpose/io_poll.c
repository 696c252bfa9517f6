/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: poll ppoll select pselect
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static int data[2];
static int turns[2];

static void *
feed(void *arg)
{
    char c;

    for (int i = 0; i < 4; i++) {
        assert(read(turns[0], &c, 1) == 1);
        assert(write(data[1], "x", 1) == 1);
    }
    return arg;
}

static void
next(void)
{
    char c;

    assert(read(data[0], &c, 1) == 1);
}

static fd_set
only(int fd)
{
    fd_set s;

    FD_ZERO(&s);
    FD_SET(fd, &s);
    return s;
}

static void
time_outs(void)
{
    struct pollfd p = { .fd = data[0], .events = POLLIN };
    struct timespec ts = { 0, 1000000 };
    struct timeval tv = { 0, 1000 };
    fd_set rd = only(data[0]);

    assert(poll(&p, 1, 0) == 0);
    assert(poll(&p, 1, 2) == 0 && p.revents == 0);
    assert(poll(NULL, 0, 1) == 0);
    assert(ppoll(&p, 1, &ts, NULL) == 0);
    assert(select(data[0] + 1, &rd, NULL, NULL, &tv) == 0);
    assert(!FD_ISSET(data[0], &rd));
    assert(tv.tv_sec == 0 && tv.tv_usec == 0);
    rd = only(data[0]);
    assert(pselect(data[0] + 1, &rd, NULL, NULL, &ts, NULL) == 0);
    assert(select(-1, NULL, NULL, NULL, &tv) == -1 && errno == EINVAL);
    p.fd = data[1];
    p.events = POLLOUT;
    assert(poll(&p, 1, -1) == 1 && p.revents == POLLOUT);
}

int
main(void)
{
    struct pollfd p;
    fd_set rd;
    sigset_t mask;
    pthread_t t;

    assert(pipe(data) == 0 && pipe(turns) == 0);
    p = (struct pollfd){ .fd = data[0], .events = POLLIN };
    time_outs();
    sigemptyset(&mask);
    assert(pthread_create(&t, NULL, feed, NULL) == 0);
    assert(write(turns[1], "1", 1) == 1);
    assert(poll(&p, 1, -1) == 1 && p.revents == POLLIN);
    next();
    assert(write(turns[1], "1", 1) == 1);
    assert(ppoll(&p, 1, NULL, &mask) == 1);
    next();
    assert(write(turns[1], "1", 1) == 1);
    rd = only(data[0]);
    assert(select(data[0] + 1, &rd, NULL, NULL, NULL) == 1 && FD_ISSET(data[0], &rd));
    next();
    assert(write(turns[1], "1", 1) == 1);
    rd = only(data[0]);
    assert(pselect(data[0] + 1, &rd, NULL, NULL, NULL, &mask) == 1);
    next();
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
