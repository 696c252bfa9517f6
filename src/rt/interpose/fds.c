/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fds.c - waiting for descriptors and child processes, and what is known about them.
 *
 * A fiber that blocked in the kernel would stop every other fiber, so nothing that may block is
 * called: a thread waits, as far as the scheduler is concerned, until poll() with no time-out (or a
 * like question) says that the call would not block, and calls then. Exactly one thread runs at a
 * time, so the answer is still true when the call is made, unless another process shares the
 * descriptor.
 *
 * All such waiters queue on one object; every operation that may change readiness re-evaluates
 * them (burl__io_changed()). When no thread can run at all, burl_io_wait_external() decides
 * between "the world outside will answer" and "nothing will": pipes, socket pairs and event
 * descriptors that this execution made, and that no fork has shared, have no other user.
 */
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "interpose_int.h"

#define N_FDS 4096u     /* descriptors above are taken as external: slower, not wrong */
#define N_CHILDREN 256u /* children beyond are not cleaned up after the execution */
#define N_GATHER 512u
#define EXTERNAL_STEP_MS 1000
#define CHILD_STEP_MS 20 /* there is nothing to poll for a child: it is checked again after this */
#define EXTERNAL_TOTAL_MS 10000
/* A virtual deadline passes at once, an answer from outside takes real time. This much of it is
 * granted before a time-out on external descriptors is believed. */
#define EXTERNAL_GRACE_MS 20

static uint8_t internal[N_FDS];
static int fd_limit; /* highest descriptor marked + 1 */
static bool forked;
static int children[N_CHILDREN];
static uint32_t n_children;
static char io_anchor; /* its address is the object's */

struct burl_obj *
burl_io_obj(void)
{
    return burl_obj_get(&io_anchor, BURL_OBJ_IO, NULL);
}

void
burl__io_changed(void)
{
    struct burl_obj *o = burl_io_obj();

    if (o->n_waiters != 0)
        burl_obj_changed(o);
}

/* ---- the table --------------------------------------------------------------------------- */

bool
burl__fd_internal(int fd)
{
    return !forked && (unsigned)fd < N_FDS && internal[fd] != 0;
}

void
burl__fd_set_internal(int fd, bool is)
{
    if ((unsigned)fd >= N_FDS)
        return;
    internal[fd] = is;
    if (is && fd >= fd_limit)
        fd_limit = fd + 1;
}

void
burl__io_note_fork(int pid)
{
    forked = true;
    if (pid > 0 && n_children < N_CHILDREN)
        children[n_children++] = pid;
}

void
burl__io_note_reaped(int pid)
{
    for (uint32_t i = 0; i < n_children; i++) {
        if (children[i] == pid) {
            children[i] = children[--n_children];
            return;
        }
    }
}

void
burl__io_reset(void)
{
    memset(internal, 0, (size_t)fd_limit);
    fd_limit = 0;
    forked = false;
    /* Children that the program left behind would be found by the next execution's wait(). */
    while (n_children > 0) {
        int pid = children[--n_children];

        (void)BURL_SYS2(SYS_kill, pid, SIGKILL);
        (void)BURL_SYS4(SYS_wait4, pid, NULL, 0, NULL);
    }
}

/* ---- waiting ----------------------------------------------------------------------------- */

static bool
io_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    struct burl__io_wait *w = t->wait_arg;

    (void)o;
    return w->check(w) || burl__signal_wakes(t, w->mark);
}

/* Gives the outside a moment of real time: did it make the wait's end possible? */
static bool
wait_grace(struct burl__io_wait *w)
{
    if (!w->external)
        return false;
    if (w->fds != NULL)
        (void)BURL_SYS3(SYS_poll, w->fds, w->n_fds, EXTERNAL_GRACE_MS);
    return w->check(w);
}

int
burl__io_wait(struct burl_thread *t, struct burl__io_wait *w, const struct burl_op *op,
              uint64_t deadline_ns)
{
    for (;;) {
        uint32_t eintr = t->sig_eintr;
        enum burl_wait_result r;

        w->mark = t->sig_count;
        t->wait_arg = w;
        r = burl_sched_wait(t, op, burl_io_obj(), io_ready, deadline_ns, true);
        if (r == BURL_WAIT_CANCELED)
            burl_thread_unwind(t, PTHREAD_CANCELED);
        if (w->check(w) || (r == BURL_WAIT_TIMEOUT && wait_grace(w)))
            return 0;
        if (r == BURL_WAIT_TIMEOUT) {
            burl_trace_note(t, BURL_EV_F_TIMEOUT, ETIMEDOUT);
            return -ETIMEDOUT;
        }
        burl__signals_run(t);
        if (t->sig_eintr != eintr || (w->no_restart && t->sig_count != w->mark))
            return -EINTR;
    }
}

static bool
check_poll(struct burl__io_wait *w)
{
    return BURL_SYS3(SYS_poll, w->fds, w->n_fds, 0) != 0; /* an error is an answer too */
}

struct burl__io_wait
burl__io_poll_wait(struct pollfd *fds, unsigned n)
{
    struct burl__io_wait w = { .check = check_poll, .fds = fds, .n_fds = n };

    for (unsigned i = 0; i < n; i++)
        w.external |= fds[i].fd >= 0 && !burl__fd_internal(fds[i].fd);
    return w;
}

int
burl__io_wait_fd(struct burl_thread *t, int fd, short events, uint64_t deadline_ns)
{
    struct pollfd p = { .fd = fd, .events = events };
    struct burl__io_wait w = burl__io_poll_wait(&p, 1);
    struct burl_op op = burl__io_op(t, fd, events);

    return burl__io_wait(t, &w, &op, deadline_ns);
}

/* ---- the world outside ------------------------------------------------------------------- */

/* What all waiters together wait for. */
struct outside {
    struct pollfd fds[N_GATHER];
    unsigned n_fds;
    bool any;      /* a thread waits for something outside */
    bool unpolled; /* for something that poll() does not cover */
};

static void
gather_waits(struct outside *out)
{
    out->n_fds = 0;
    out->any = false;
    out->unpolled = false;
    for (const struct burl_thread *t = burl_io_obj()->waiters; t != NULL; t = t->wait_next) {
        const struct burl__io_wait *w = t->wait_arg;

        if (t->ready != io_ready) { /* waits for a signal: only a child would send one */
            out->any |= n_children > 0;
            out->unpolled |= n_children > 0;
            continue;
        }
        if (!w->external)
            continue;
        out->any = true;
        if (w->fds == NULL || out->n_fds + w->n_fds > N_GATHER) {
            out->unpolled = true;
            continue;
        }
        memcpy(out->fds + out->n_fds, w->fds, w->n_fds * sizeof out->fds[0]);
        out->n_fds += w->n_fds;
    }
}

static bool
a_waiter_can_run(void)
{
    for (const struct burl_thread *t = burl_io_obj()->waiters; t != NULL; t = t->wait_next) {
        if (t->state == BURL_THREAD_RUNNABLE)
            return true;
    }
    return false;
}

static int64_t
real_ms(void)
{
    struct timespec ts = { 0 };

    (void)BURL_SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

bool
burl_io_wait_external(void)
{
    static struct outside out; /* too large for a fiber's stack; one caller at a time */
    int64_t end = real_ms() + EXTERNAL_TOTAL_MS;

    gather_waits(&out);
    if (!out.any)
        return false;
    do {
        (void)BURL_SYS3(SYS_poll, out.fds, out.n_fds,
                        out.unpolled ? CHILD_STEP_MS : EXTERNAL_STEP_MS);
        if (burl__signals_external())
            return true;
        burl__io_changed();
        if (a_waiter_can_run())
            return true;
    } while (real_ms() < end);
    return false;
}
