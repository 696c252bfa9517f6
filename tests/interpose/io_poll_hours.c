/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: poll select epoll_wait sigtimedwait
 * BURL-NATIVE: no
 * BURL-WHY: time-outs of hours pass on virtual time.
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#define HOUR 3600

int
main(void)
{
    struct timeval tv = { HOUR, 0 };
    struct timespec ts = { HOUR, 0 };
    struct epoll_event ev;
    struct pollfd p;
    sigset_t set;
    int fds[2];
    time_t start = time(NULL);

    assert(pipe(fds) == 0);
    p = (struct pollfd){ .fd = fds[0], .events = POLLIN };
    assert(poll(&p, 1, HOUR * 1000) == 0);
    assert(time(NULL) >= start + HOUR);
    assert(select(0, NULL, NULL, NULL, &tv) == 0);
    assert(time(NULL) >= start + 2 * HOUR);
    assert(epoll_wait(epoll_create1(0), &ev, 1, HOUR * 1000) == 0);
    assert(time(NULL) >= start + 3 * HOUR);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    assert(sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN);
    assert(time(NULL) >= start + 4 * HOUR);
    return 0;
}
