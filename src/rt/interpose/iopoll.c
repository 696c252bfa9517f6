/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iopoll.c - waiting for several descriptors at once, and for child processes.
 *
 * Time-outs are virtual. A call with time-out zero does not wait: it is a scheduling point, and a
 * loop of them yields. Signal masks of the p* forms are virtual too and hold while the call waits.
 */
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"

#define NS_PER_MS 1000000ull
#define MAX_SLEEP_S INT32_MAX

/* A time-out: when it ends, and whether the call does not wait at all. */
struct limit {
    uint64_t deadline_ns;
    bool no_wait;
};

static struct limit
limit_ms(int ms)
{
    struct limit l = { .deadline_ns = BURL_TIME_NEVER, .no_wait = ms == 0 };

    if (ms > 0)
        l.deadline_ns = burl_time_after((uint64_t)ms * NS_PER_MS);
    return l;
}

/* ts: NULL for no limit, else valid. */
static struct limit
limit_ts(const struct timespec *ts)
{
    struct limit l = { .deadline_ns = BURL_TIME_NEVER };

    l.no_wait = ts != NULL && ts->tv_sec == 0 && ts->tv_nsec == 0;
    if (ts != NULL && !l.no_wait && ts->tv_sec <= (int64_t)(UINT64_MAX / BURL__NS_PER_S / 2))
        l.deadline_ns = burl_time_after(burl__timespec_ns(ts));
    return l;
}

static bool
timeout_ok(const struct timespec *ts)
{
    return ts == NULL || burl__timespec_ok(ts);
}

/* The value of `call` while t has the signal mask, which may be NULL. */
#define WITH_MASK(mask, call)                                       \
    ({                                                              \
        uint64_t saved_ = t->sig_blocked;                           \
        long r_;                                                    \
                                                                    \
        if ((mask) != NULL)                                         \
            memcpy(&t->sig_blocked, (mask), sizeof t->sig_blocked); \
        r_ = call;                                                  \
        t->sig_blocked = saved_;                                    \
        r_;                                                         \
    })

/* Waits or polls; 0: the kernel has an answer; else a negative errno value. */
static int
wait_or_poll(struct burl_thread *t, struct burl__io_wait *w, const struct burl_op *op,
             struct limit limit)
{
    w->no_restart = true;
    if (limit.no_wait) {
        burl__poll_point(t, op);
        burl__cancel_point(t);
        return 0;
    }
    return burl__io_wait(t, w, op, limit.deadline_ns);
}

/* ---- poll -------------------------------------------------------------------------------- */

static long
poll_fds(struct burl_thread *t, struct pollfd *fds, nfds_t n, struct limit limit)
{
    struct burl__io_wait w = burl__io_poll_wait(fds, (unsigned)n);
    struct burl_op op = n > 0 ? burl__io_op(t, fds[0].fd, fds[0].events) : burl__io_op(t, 0, 0);
    int r = wait_or_poll(t, &w, &op, limit);

    if (r == -EINTR)
        return r;
    return BURL_SYS3(SYS_poll, fds, n, 0); /* also clears revents after a time-out */
}

/* Without a descriptor to wait for the call is a sleep, which noise may shorten. With a signal mask
 * it waits for a signal, and its time-out stays; so in the other calls with a mask. */
static int
free_poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    if (timeout_ms > 0 && burl_noise_tampers() && burl_noise_polls_nothing(fds, n))
        timeout_ms = (int)(burl_noise_shorten((uint64_t)timeout_ms * NS_PER_MS) / NS_PER_MS);
    return burl_free_polled(BURL_REAL(poll)(fds, n, timeout_ms), fds, n);
}

static int
free_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
    struct timespec part;

    if (mask == NULL && ts != NULL && burl__timespec_ok(ts) && ts->tv_sec <= MAX_SLEEP_S &&
        burl_noise_tampers() && burl_noise_polls_nothing(fds, n)) {
        part = burl__ns_timespec(burl_noise_shorten(burl__timespec_ns(ts)));
        ts = &part;
    }
    return burl_free_polled(BURL_REAL(ppoll)(fds, n, ts, mask), fds, n);
}

BURL_INTERPOSE_SYS(int poll(struct pollfd *fds, nfds_t n, int timeout_ms),
                   free_poll(fds, n, timeout_ms), poll_fds(t, fds, n, limit_ms(timeout_ms)))
BURL_INTERPOSE_SYS(int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts,
                             const sigset_t *mask),
                   free_ppoll(fds, n, ts, mask),
                   timeout_ok(ts) ? WITH_MASK(mask, poll_fds(t, fds, n, limit_ts(ts))) : -EINVAL)

BURL_INTERPOSE_CHECKED(int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size),
                       n * sizeof *fds <= size,
                       n * sizeof *fds <= size
                           ? free_poll(fds, n, timeout_ms)
                           : burl_free_polled(BURL_REAL(__poll_chk)(fds, n, timeout_ms, size), fds,
                                              n),
                       poll(fds, n, timeout_ms))
BURL_INTERPOSE_CHECKED(int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts,
                                       const sigset_t *mask, size_t size),
                       n * sizeof *fds <= size,
                       n * sizeof *fds <= size
                           ? free_ppoll(fds, n, ts, mask)
                           : burl_free_polled(BURL_REAL(__ppoll_chk)(fds, n, ts, mask, size), fds,
                                              n),
                       ppoll(fds, n, ts, mask))

/* ---- select ------------------------------------------------------------------------------ */

/* The sets of the call, and of the last answer. */
struct select_sets {
    fd_set in[3];
    fd_set out[3];
    fd_set *user[3]; /* NULL: not given */
    int n;
};

static long
ask_select(struct select_sets *s)
{
    struct timeval zero = { 0 };

    memcpy(s->out, s->in, sizeof s->in);
    return BURL_SYS5(SYS_select, s->n, s->user[0] != NULL ? &s->out[0] : NULL,
                     s->user[1] != NULL ? &s->out[1] : NULL, s->user[2] != NULL ? &s->out[2] : NULL,
                     &zero);
}

static bool
check_select(struct burl__io_wait *w)
{
    return ask_select((struct select_sets *)w->arg[0]) != 0;
}

static long
select_fds(struct burl_thread *t, int n, fd_set *rd, fd_set *wr, fd_set *ex, struct limit limit)
{
    struct select_sets s = { .user = { rd, wr, ex }, .n = n };
    struct burl__io_wait w = { .check = check_select, .arg = { (long)&s } };
    struct burl_op op = burl__op(t, BURL_OP_IO, NULL, 0);
    size_t set_b = ((size_t)n + 63) / 64 * 8;
    long r;

    if (n < 0)
        return -EINVAL;
    if (n > FD_SETSIZE)
        burl_rt_unsupported("select with more than FD_SETSIZE descriptors");
    for (int i = 0; i < 3; i++) {
        if (s.user[i] != NULL)
            memcpy(&s.in[i], s.user[i], set_b);
        for (int fd = 0; fd < n && s.user[i] != NULL && !w.external; fd++)
            w.external = FD_ISSET(fd, s.user[i]) && !burl__fd_internal(fd);
    }
    r = wait_or_poll(t, &w, &op, limit);
    if (r == -EINTR)
        return r;
    r = ask_select(&s);
    for (int i = 0; i < 3 && r >= 0; i++) {
        if (s.user[i] != NULL)
            memcpy(s.user[i], &s.out[i], set_b);
    }
    return r;
}

static long
select_for(struct burl_thread *t, int n, fd_set *rd, fd_set *wr, fd_set *ex, struct timeval *tv)
{
    struct timespec ts;
    struct limit limit;
    long r;

    if (tv == NULL)
        return select_fds(t, n, rd, wr, ex, limit_ts(NULL));
    if (tv->tv_sec < 0 || tv->tv_usec < 0)
        return -EINVAL;
    ts = (struct timespec){ .tv_sec = tv->tv_sec, .tv_nsec = tv->tv_usec * 1000 };
    limit = limit_ts(&ts);
    r = select_fds(t, n, rd, wr, ex, limit);
    if (!limit.no_wait) /* Linux leaves what remains */
        *tv = burl__ns_timeval(burl__time_left(limit.deadline_ns));
    return r;
}

/* As for poll; what the kernel leaves in *tv is corrected by what was cut off. */
static int
free_select(int n, fd_set *rd, fd_set *wr, fd_set *ex, struct timeval *tv)
{
    uint64_t asked;
    uint64_t part;
    int r;

    if (tv == NULL || tv->tv_sec < 0 || tv->tv_sec > MAX_SLEEP_S || tv->tv_usec < 0 ||
        tv->tv_usec >= 1000000 || !burl_noise_tampers() ||
        !burl_noise_selects_nothing(n, rd, wr, ex))
        return (int)BURL_FREE_IN(-1, BURL_REAL(select)(n, rd, wr, ex, tv));
    asked = (uint64_t)tv->tv_sec * BURL__NS_PER_S + (uint64_t)tv->tv_usec * 1000;
    part = burl_noise_shorten(asked) / 1000 * 1000;
    *tv = burl__ns_timeval(part);
    r = (int)BURL_FREE_IN(-1, BURL_REAL(select)(n, rd, wr, ex, tv));
    if (r < 0) { /* a signal */
        uint64_t left = (uint64_t)tv->tv_sec * BURL__NS_PER_S + (uint64_t)tv->tv_usec * 1000;

        *tv = burl__ns_timeval(left < part ? left + asked - part : asked);
    }
    return r;
}

static int
free_pselect(int n, fd_set *rd, fd_set *wr, fd_set *ex, const struct timespec *ts,
             const sigset_t *mask)
{
    struct timespec part;

    if (mask == NULL && ts != NULL && burl__timespec_ok(ts) && ts->tv_sec <= MAX_SLEEP_S &&
        burl_noise_tampers() && burl_noise_selects_nothing(n, rd, wr, ex)) {
        part = burl__ns_timespec(burl_noise_shorten(burl__timespec_ns(ts)));
        ts = &part;
    }
    return (int)BURL_FREE_IN(-1, BURL_REAL(pselect)(n, rd, wr, ex, ts, mask));
}

BURL_INTERPOSE_SYS(int select(int n, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
                              struct timeval *restrict tv),
                   free_select(n, rd, wr, ex, tv), select_for(t, n, rd, wr, ex, tv))
BURL_INTERPOSE_SYS(int pselect(int n, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
                               const struct timespec *restrict ts, const sigset_t *restrict mask),
                   free_pselect(n, rd, wr, ex, ts, mask),
                   timeout_ok(ts) ? WITH_MASK(mask, select_fds(t, n, rd, wr, ex, limit_ts(ts)))
                                  : -EINVAL)

/* ---- epoll ------------------------------------------------------------------------------- */

static long
wait_epoll(struct burl_thread *t, int ep, struct epoll_event *events, int n, struct limit limit)
{
    struct pollfd p = { .fd = ep, .events = POLLIN };
    struct burl__io_wait w = burl__io_poll_wait(&p, 1);
    struct burl_op op = burl__io_op(t, ep, POLLIN);
    long r;

    if (ep < 0)
        return -EBADF; /* poll() passes over a negative descriptor and would wait */
    for (;;) {
        int e = wait_or_poll(t, &w, &op, limit);

        if (e == -EINTR)
            return e;
        r = BURL_SYS4(SYS_epoll_wait, ep, events, n, 0);
        /* Readable but nothing to give: an event that is gone by now. */
        if (r != 0 || limit.no_wait || e == -ETIMEDOUT)
            return r;
    }
}

/* An epoll descriptor is as internal as everything in it. */
static long
control_epoll(int ep, int what, int fd, struct epoll_event *event)
{
    long r = BURL_SYS4(SYS_epoll_ctl, ep, what, fd, event);

    if (r == 0 && what == EPOLL_CTL_ADD && !burl__fd_internal(fd))
        burl__fd_set_internal(ep, false);
    return burl__io_result(r);
}

static long
create_epoll(int flags)
{
    long r = BURL_SYS1(SYS_epoll_create1, flags);

    if (r >= 0)
        burl__fd_set_internal((int)r, true);
    return r;
}

/* As for poll: a wait on an epoll descriptor that watches nothing is a sleep. What another thread
 * adds meanwhile is waited for as long as the program asked for. */
static int
free_epoll_pwait(int ep, struct epoll_event *events, int n, int timeout_ms, const sigset_t *mask)
{
    if (mask == NULL && timeout_ms > 0 && burl_noise_tampers() && burl_noise_epoll_is_empty(ep)) {
        int part = (int)(burl_noise_shorten((uint64_t)timeout_ms * NS_PER_MS) / NS_PER_MS);
        int r = (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait)(ep, events, n, part, mask));

        if (r != 0 || burl_noise_epoll_is_empty(ep))
            return r;
        timeout_ms -= part;
    }
    return (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait)(ep, events, n, timeout_ms, mask));
}

static int
free_epoll_pwait2(int ep, struct epoll_event *events, int n, const struct timespec *ts,
                  const sigset_t *mask)
{
    struct timespec rest;

    if (mask == NULL && ts != NULL && burl__timespec_ok(ts) && ts->tv_sec <= MAX_SLEEP_S &&
        burl_noise_tampers() && burl_noise_epoll_is_empty(ep)) {
        uint64_t asked = burl__timespec_ns(ts);
        uint64_t part_ns = burl_noise_shorten(asked);
        struct timespec part = burl__ns_timespec(part_ns);
        int r = (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait2)(ep, events, n, &part, mask));

        if (r != 0 || burl_noise_epoll_is_empty(ep))
            return r;
        rest = burl__ns_timespec(asked - part_ns);
        ts = &rest;
    }
    return (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait2)(ep, events, n, ts, mask));
}

BURL_INTERPOSE_SYS(int epoll_wait(int ep, struct epoll_event *events, int n, int timeout_ms),
                   free_epoll_pwait(ep, events, n, timeout_ms, NULL),
                   wait_epoll(t, ep, events, n, limit_ms(timeout_ms)))
BURL_INTERPOSE_SYS(int epoll_pwait(int ep, struct epoll_event *events, int n, int timeout_ms,
                                   const sigset_t *mask),
                   free_epoll_pwait(ep, events, n, timeout_ms, mask),
                   WITH_MASK(mask, wait_epoll(t, ep, events, n, limit_ms(timeout_ms))))
BURL_INTERPOSE_SYS(int epoll_pwait2(int ep, struct epoll_event *events, int n,
                                    const struct timespec *ts, const sigset_t *mask),
                   free_epoll_pwait2(ep, events, n, ts, mask),
                   timeout_ok(ts) ? WITH_MASK(mask, wait_epoll(t, ep, events, n, limit_ts(ts)))
                                  : -EINVAL)
BURL_INTERPOSE_SYS(int epoll_ctl(int ep, int what, int fd, struct epoll_event *event),
                   BURL_FREE_OUT(ep, BURL_REAL(epoll_ctl)(ep, what, fd, event)),
                   control_epoll(ep, what, fd, event))
BURL_INTERPOSE_SYS(int epoll_create1(int flags), burl__result(BURL_SYS1(SYS_epoll_create1, flags)),
                   create_epoll(flags))
BURL_INTERPOSE_SYS(int epoll_create(int size),
                   burl__result(size > 0 ? BURL_SYS1(SYS_epoll_create1, 0) : -EINVAL),
                   size > 0 ? create_epoll(0) : -EINVAL)

/* ---- children ---------------------------------------------------------------------------- */

static bool
check_child(struct burl__io_wait *w)
{
    siginfo_t info = { 0 };
    long r =
        BURL_SYS5(SYS_waitid, w->arg[0], w->arg[1], &info, w->arg[2] | WNOHANG | WNOWAIT, NULL);

    return r < 0 || info.si_pid != 0;
}

/* Waits until waitid(type, id, options) would not block. */
static int
wait_child(struct burl_thread *t, long type, long id, long options)
{
    struct burl__io_wait w = { .check = check_child,
                               .external = true,
                               .arg = { type, id, options } };
    struct burl_op op = burl__op(t, BURL_OP_IO, NULL, 0);

    return wait_or_poll(t, &w, &op, (struct limit){ BURL_TIME_NEVER, (options & WNOHANG) != 0 });
}

static long
wait_pid(struct burl_thread *t, pid_t pid, int *status, int options, struct rusage *usage)
{
    long type = pid > 0 ? P_PID : (pid == -1 ? P_ALL : P_PGID);
    long id = pid > 0 ? pid : (pid < -1 ? -(long)pid : (pid == 0 ? BURL_SYS0(SYS_getpgrp) : 0));
    long r = wait_child(t, type, id, WEXITED | (options & (WNOHANG | WUNTRACED | WCONTINUED)));

    if (r < 0)
        return r;
    r = BURL_SYS4(SYS_wait4, pid, status, options | WNOHANG, usage);
    if (r > 0)
        burl__io_note_reaped((int)r);
    return r;
}

static long
wait_id(struct burl_thread *t, idtype_t type, id_t id, siginfo_t *info, int options)
{
    long r = wait_child(t, (long)type, (long)id, options);

    if (r == 0)
        r = BURL_SYS5(SYS_waitid, type, id, info, options | WNOHANG, NULL);
    if (r == 0 && info != NULL && info->si_pid != 0 && (options & WNOWAIT) == 0 &&
        info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED)
        burl__io_note_reaped(info->si_pid);
    return r;
}

BURL_INTERPOSE_SYS(pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage),
                   BURL_REAL(wait4)(pid, status, options, usage),
                   wait_pid(t, pid, status, options, usage))
BURL_INTERPOSE_SYS(pid_t wait3(int *status, int options, struct rusage *usage),
                   BURL_REAL(wait3)(status, options, usage),
                   wait_pid(t, -1, status, options, usage))
BURL_INTERPOSE_SYS(pid_t waitpid(pid_t pid, int *status, int options),
                   BURL_REAL(waitpid)(pid, status, options),
                   wait_pid(t, pid, status, options, NULL))
BURL_INTERPOSE_SYS(pid_t wait(int *status), BURL_REAL(wait)(status),
                   wait_pid(t, -1, status, 0, NULL))
BURL_INTERPOSE_SYS(int waitid(idtype_t type, id_t id, siginfo_t *info, int options),
                   BURL_REAL(waitid)(type, id, info, options), wait_id(t, type, id, info, options))
