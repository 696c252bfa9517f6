/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd
 *   eventfd_read eventfd_write
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

static int event;
static int turn;

static void *
feed(void *arg)
{
    eventfd_t v;

    for (int i = 0; i < 3; i++) {
        assert(eventfd_read(turn, &v) == 0 && v == 1);
        assert(eventfd_write(event, 7) == 0);
    }
    return arg;
}

static void
next(void)
{
    eventfd_t v;

    assert(eventfd_read(event, &v) == 0 && v == 7);
}

int
main(void)
{
    struct epoll_event ev = { .events = EPOLLIN, .data.u32 = 99 };
    struct epoll_event got = { 0 };
    struct timespec ts = { 0, 1000000 };
    sigset_t mask;
    pthread_t t;
    int ep = epoll_create1(EPOLL_CLOEXEC);
    int other = epoll_create(1);

    assert(ep >= 0 && other >= 0 && epoll_create(0) == -1);
    event = eventfd(0, 0);
    turn = eventfd(0, EFD_SEMAPHORE);
    assert(event >= 0 && turn >= 0);
    assert(epoll_ctl(ep, EPOLL_CTL_ADD, event, &ev) == 0);
    assert(epoll_ctl(ep, EPOLL_CTL_ADD, event, &ev) == -1 && errno == EEXIST);
    assert(epoll_wait(ep, &got, 1, 0) == 0);
    assert(epoll_wait(-1, &got, 1, -1) == -1 && errno == EBADF);
    assert(epoll_pwait(-1, &got, 1, -1, NULL) == -1 && errno == EBADF);
    assert(epoll_wait(ep, &got, 1, 2) == 0);
    assert(epoll_pwait2(ep, &got, 1, &ts, NULL) == 0);
    sigemptyset(&mask);
    assert(pthread_create(&t, NULL, feed, NULL) == 0);
    assert(eventfd_write(turn, 1) == 0);
    assert(epoll_wait(ep, &got, 1, -1) == 1 && got.data.u32 == 99);
    next();
    assert(eventfd_write(turn, 1) == 0);
    assert(epoll_pwait(ep, &got, 1, -1, &mask) == 1);
    next();
    assert(eventfd_write(turn, 1) == 0);
    assert(epoll_pwait2(ep, &got, 1, NULL, &mask) == 1);
    next();
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
