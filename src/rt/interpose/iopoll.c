/* SPDX-License-Identifier: Apache-2.0 */
/*
 * iopoll.c - waiting for several descriptors at once, and for child processes.
 *
 * Runs in the target. Time-outs are virtual. A call with time-out zero only looks: it is a
 * scheduling point, and a loop of them yields. Signal masks of the p* forms are virtual too and
 * hold while the call waits.
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
#include "process_int.h"
#include "rt/core/sys.h"
#include "rt/free/calls.h"

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask,
                size_t size);

/* A time-out: when it ends, and whether the call only looks. */
struct limit {
    uint64_t deadline_ns;
    bool look;
};

static struct limit
limit_ms(int ms)
{
    struct limit l = { .deadline_ns = BURL_TIME_NEVER, .look = ms == 0 };

    if (ms > 0)
        l.deadline_ns = burl_time_after((uint64_t)ms * NS_PER_MS);
    return l;
}

static struct limit
limit_ns(bool given, int64_t sec, int64_t nsec)
{
    struct limit l = { .deadline_ns = BURL_TIME_NEVER, .look = given && sec == 0 && nsec == 0 };

    if (given && !l.look)
        l.deadline_ns = sec > (int64_t)(UINT64_MAX / NS_PER_S / 2)
                            ? BURL_TIME_NEVER
                            : burl_time_after((uint64_t)sec * NS_PER_S + (uint64_t)nsec);
    return l;
}

static bool
valid(const struct timespec *ts)
{
    return ts == NULL || (ts->tv_sec >= 0 && ts->tv_nsec >= 0 && ts->tv_nsec < (long)NS_PER_S);
}

static uint64_t
swap_mask(struct burl_thread *t, const sigset_t *mask)
{
    uint64_t saved = t->sig_blocked;

    if (mask != NULL)
        memcpy(&t->sig_blocked, mask, sizeof t->sig_blocked);
    return saved;
}

/* Waits or looks; 0: go and ask the kernel; else a negative errno value. */
static int
wait_or_look(struct burl_thread *t, struct burl__io_wait *w, const struct burl_op *op,
             struct limit limit)
{
    w->no_restart = true;
    if (limit.look) {
        burl__poll_point(t, op);
        burl__cancel_point(t);
        return 0;
    }
    return burl__io_wait(t, w, op, limit.deadline_ns);
}

/* ---- poll -------------------------------------------------------------------------------- */

static bool
check_poll(struct burl__io_wait *w)
{
    return BURL_SYS3(SYS_poll, w->fds, w->n_fds, 0) != 0; /* an error is an answer too */
}

static bool
any_external(const struct pollfd *fds, nfds_t n)
{
    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].fd >= 0 && !burl__fd_internal(fds[i].fd))
            return true;
    }
    return false;
}

static long
poll_fds(struct burl_thread *t, struct pollfd *fds, nfds_t n, struct limit limit)
{
    struct burl__io_wait w = {
        .check = check_poll,
        .fds = fds,
        .n_fds = (unsigned)n,
        .external = any_external(fds, n),
    };
    struct burl_op op =
        burl__op(t, BURL_OP_IO, n > 0 ? (void *)(uintptr_t)(unsigned)fds[0].fd : NULL,
                 n > 0 ? (uint64_t)fds[0].events : 0);
    int r = wait_or_look(t, &w, &op, limit);

    if (r == -EINTR)
        return r;
    return BURL_SYS3(SYS_poll, fds, n, 0); /* also clears revents after a time-out */
}

BURL_EXPORT int
poll(struct pollfd *fds, nfds_t n, int timeout_ms)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return burl_free_polled(BURL_REAL(poll)(fds, n, timeout_ms), fds, n);
    r = poll_fds(t, fds, n, limit_ms(timeout_ms));
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
__poll_chk(struct pollfd *fds, nfds_t n, int timeout_ms, size_t size)
{
    if (n * sizeof *fds > size || burl_self == NULL)
        return burl_free_polled(BURL_REAL(__poll_chk)(fds, n, timeout_ms, size), fds, n);
    return poll(fds, n, timeout_ms);
}

BURL_EXPORT int
ppoll(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t saved;
    long r = -EINVAL;

    if (t == NULL)
        return burl_free_polled(BURL_REAL(ppoll)(fds, n, ts, mask), fds, n);
    saved = swap_mask(t, mask);
    if (valid(ts))
        r = poll_fds(
            t, fds, n,
            limit_ns(ts != NULL, ts != NULL ? ts->tv_sec : 0, ts != NULL ? ts->tv_nsec : 0));
    t->sig_blocked = saved;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
__ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *ts, const sigset_t *mask,
            size_t size)
{
    if (n * sizeof *fds > size || burl_self == NULL)
        return burl_free_polled(BURL_REAL(__ppoll_chk)(fds, n, ts, mask, size), fds, n);
    return ppoll(fds, n, ts, mask);
}

/* ---- select ------------------------------------------------------------------------------ */

/* The sets as asked, and as answered last. */
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
    r = wait_or_look(t, &w, &op, limit);
    if (r == -EINTR)
        return r;
    r = ask_select(&s);
    for (int i = 0; i < 3 && r >= 0; i++) {
        if (s.user[i] != NULL)
            memcpy(s.user[i], &s.out[i], set_b);
    }
    return r;
}

BURL_EXPORT int
select(int n, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
       struct timeval *restrict tv)
{
    struct burl_thread *t = burl_rt_enter();
    struct limit limit;
    uint64_t now;
    long r;

    if (t == NULL)
        return (int)BURL_FREE_IN(-1, BURL_REAL(select)(n, rd, wr, ex, tv));
    if (tv != NULL && (tv->tv_sec < 0 || tv->tv_usec < 0)) {
        r = -EINVAL;
    } else {
        limit =
            limit_ns(tv != NULL, tv != NULL ? tv->tv_sec : 0, tv != NULL ? tv->tv_usec * 1000 : 0);
        r = select_fds(t, n, rd, wr, ex, limit);
        now = burl_time_peek_ns();
        if (tv != NULL && !limit.look) { /* Linux leaves what remains */
            now = limit.deadline_ns > now ? limit.deadline_ns - now : 0;
            tv->tv_sec = (time_t)(now / NS_PER_S);
            tv->tv_usec = (suseconds_t)(now % NS_PER_S / 1000u);
        }
    }
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
pselect(int n, fd_set *restrict rd, fd_set *restrict wr, fd_set *restrict ex,
        const struct timespec *restrict ts, const sigset_t *restrict mask)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t saved;
    long r = -EINVAL;

    if (t == NULL)
        return (int)BURL_FREE_IN(-1, BURL_REAL(pselect)(n, rd, wr, ex, ts, mask));
    saved = swap_mask(t, mask);
    if (valid(ts))
        r = select_fds(
            t, n, rd, wr, ex,
            limit_ns(ts != NULL, ts != NULL ? ts->tv_sec : 0, ts != NULL ? ts->tv_nsec : 0));
    t->sig_blocked = saved;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* ---- epoll ------------------------------------------------------------------------------- */

static long
wait_epoll(struct burl_thread *t, int ep, struct epoll_event *events, int n, struct limit limit)
{
    struct pollfd p = { .fd = ep, .events = POLLIN };
    struct burl__io_wait w = {
        .check = check_poll,
        .fds = &p,
        .n_fds = 1,
        .external = !burl__fd_internal(ep),
    };
    struct burl_op op = burl__op(t, BURL_OP_IO, (void *)(uintptr_t)(unsigned)ep, POLLIN);
    long r;

    for (;;) {
        int e = wait_or_look(t, &w, &op, limit);

        if (e == -EINTR)
            return e;
        r = BURL_SYS4(SYS_epoll_wait, ep, events, n, 0);
        /* Readable but nothing to give: an event that is gone by now. */
        if (r != 0 || limit.look || e == -ETIMEDOUT)
            return r;
    }
}

BURL_EXPORT int
epoll_pwait(int ep, struct epoll_event *events, int n, int timeout_ms, const sigset_t *mask)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t saved;
    long r;

    if (t == NULL)
        return (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait)(ep, events, n, timeout_ms, mask));
    saved = swap_mask(t, mask);
    r = wait_epoll(t, ep, events, n, limit_ms(timeout_ms));
    t->sig_blocked = saved;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

BURL_EXPORT int
epoll_wait(int ep, struct epoll_event *events, int n, int timeout_ms)
{
    if (burl_self == NULL)
        return (int)BURL_FREE_IN(ep, BURL_REAL(epoll_wait)(ep, events, n, timeout_ms));
    return epoll_pwait(ep, events, n, timeout_ms, NULL);
}

BURL_EXPORT int
epoll_pwait2(int ep, struct epoll_event *events, int n, const struct timespec *ts,
             const sigset_t *mask)
{
    struct burl_thread *t = burl_rt_enter();
    uint64_t saved;
    long r = -EINVAL;

    if (t == NULL)
        return (int)BURL_FREE_IN(ep, BURL_REAL(epoll_pwait2)(ep, events, n, ts, mask));
    saved = swap_mask(t, mask);
    if (valid(ts))
        r = wait_epoll(
            t, ep, events, n,
            limit_ns(ts != NULL, ts != NULL ? ts->tv_sec : 0, ts != NULL ? ts->tv_nsec : 0));
    t->sig_blocked = saved;
    burl_rt_leave(t);
    return (int)burl__result(r);
}

/* An epoll descriptor is as internal as everything in it. */
BURL_EXPORT int
epoll_ctl(int ep, int what, int fd, struct epoll_event *event)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_FREE_OUT(ep, BURL_REAL(epoll_ctl)(ep, what, fd, event));
    r = BURL_SYS4(SYS_epoll_ctl, ep, what, fd, event);
    if (r == 0 && what == EPOLL_CTL_ADD && !burl__fd_internal(fd))
        burl__fd_set_internal(ep, false);
    burl__io_changed();
    burl_rt_leave(t);
    return (int)burl__result(r);
}

static int
create_epoll(int flags)
{
    struct burl_thread *t = burl_rt_enter();
    long r = BURL_SYS1(SYS_epoll_create1, flags);

    if (t != NULL) {
        if (r >= 0)
            burl__fd_set_internal((int)r, true);
        burl_rt_leave(t);
    }
    return (int)burl__result(r);
}

BURL_EXPORT int
epoll_create1(int flags)
{
    return create_epoll(flags);
}

BURL_EXPORT int
epoll_create(int size)
{
    if (size <= 0)
        return (int)burl__result(-EINVAL);
    return create_epoll(0);
}

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

    return wait_or_look(t, &w, &op, (struct limit){ BURL_TIME_NEVER, (options & WNOHANG) != 0 });
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

BURL_EXPORT pid_t
wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(wait4)(pid, status, options, usage);
    r = wait_pid(t, pid, status, options, usage);
    burl_rt_leave(t);
    return (pid_t)burl__result(r);
}

BURL_EXPORT pid_t
wait3(int *status, int options, struct rusage *usage)
{
    if (burl_self == NULL)
        return BURL_REAL(wait3)(status, options, usage);
    return wait4(-1, status, options, usage);
}

BURL_EXPORT pid_t
waitpid(pid_t pid, int *status, int options)
{
    if (burl_self == NULL)
        return BURL_REAL(waitpid)(pid, status, options);
    return wait4(pid, status, options, NULL);
}

BURL_EXPORT pid_t
wait(int *status)
{
    if (burl_self == NULL)
        return BURL_REAL(wait)(status);
    return wait4(-1, status, 0, NULL);
}

BURL_EXPORT int
waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
    struct burl_thread *t = burl_rt_enter();
    long r;

    if (t == NULL)
        return BURL_REAL(waitid)(type, id, info, options);
    r = wait_child(t, (long)type, (long)id, options);
    if (r == 0)
        r = BURL_SYS5(SYS_waitid, type, id, info, options | WNOHANG, NULL);
    if (r == 0 && info != NULL && info->si_pid != 0 && (options & WNOWAIT) == 0 &&
        info->si_code != CLD_STOPPED && info->si_code != CLD_CONTINUED)
        burl__io_note_reaped(info->si_pid);
    burl_rt_leave(t);
    return (int)burl__result(r);
}
