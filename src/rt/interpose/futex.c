/* SPDX-License-Identifier: Apache-2.0 */
/*
 * futex.c - raw system calls of the program: syscall(), above all SYS_futex, and gettid().
 *
 * C++ std::atomic::wait, latches and semaphores, and hand-made locks reach the kernel this way. A
 * futex wait is two visible operations: the comparison (FUTEX_WAIT), and, if the value was the
 * expected one, the wakeup (FUTEX_WOKEN), which waits for a FUTEX_WAKE, the deadline or a signal.
 * Nothing can come between the comparison and the queueing, as in the kernel. Waiters are woken in
 * order of arrival, as the kernel does for equal priorities. A wait may also return 0 without a
 * wakeup, as futex(2) warns.
 *
 * While a thread waits, its pending operation's `aux` holds its bit set and `addr` the futex.
 *
 * Other system calls that could block, or that read what is virtual here, go to the same code as
 * the libc functions; the rest goes to the kernel unseen. Priority-inheriting futexes are not
 * modeled (R9).
 */
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

static bool
futex_ready(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)o;
    return t->woken || burl__signal_wakes(t, (uint32_t)(uintptr_t)t->wait_arg);
}

/* The deadline of a wait, from the kernel's rules. False: the time is not valid. */
static bool
futex_deadline(int op, const struct timespec *ts, uint64_t *out)
{
    *out = BURL_TIME_NEVER;
    if (ts == NULL)
        return true;
    if (!burl__timespec_ok(ts))
        return false;
    if ((op & FUTEX_CMD_MASK) == FUTEX_WAIT) {
        if ((uint64_t)ts->tv_sec < UINT64_MAX / 2000000000u)
            *out = burl_time_after(burl__timespec_ns(ts));
        return true;
    }
    *out = burl_time_deadline((op & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                              ts->tv_sec, ts->tv_nsec);
    return true;
}

static long
futex_wait(struct burl_thread *t, uint32_t *addr, int op, uint32_t expected,
           const struct timespec *ts, uint32_t bits)
{
    struct burl_op o_wait = burl__op(t, BURL_OP_FUTEX_WAIT, addr, expected);
    struct burl_op o_woken = burl__op(t, BURL_OP_FUTEX_WOKEN, addr, bits);
    uint32_t mark = t->sig_count;
    uint64_t deadline;
    struct burl_obj *o;

    if (bits == 0 || !futex_deadline(op, ts, &deadline))
        return -EINVAL;
    burl_sched_point(t, &o_wait);
    if (__atomic_load_n(addr, __ATOMIC_RELAXED) != expected) { /* one thread runs at a time */
        burl_trace_note(t, BURL_EV_F_FAILED, EAGAIN);
        return -EAGAIN;
    }
    if (burl_sched_spurious(t, (uintptr_t)addr)) {
        burl_trace_note(t, BURL_EV_F_SPURIOUS, expected);
        burl_sched_point(t, &o_woken);
        burl_trace_note(t, BURL_EV_F_SPURIOUS, 0);
        return 0;
    }
    o = burl_obj_get(addr, BURL_OBJ_FUTEX, NULL);
    t->woken = false;
    t->wait_arg = (void *)(uintptr_t)mark;
    switch (burl_sched_wait(t, &o_woken, o, futex_ready, deadline, false)) {
    case BURL_WAIT_TIMEOUT:
        burl_trace_note(t, BURL_EV_F_TIMEOUT, ETIMEDOUT);
        return -ETIMEDOUT;
    case BURL_WAIT_READY:
    case BURL_WAIT_CANCELED:
        break;
    }
    if (!t->woken) {
        burl__signals_run(t);
        return -EINTR;
    }
    burl_sched_woken(t, (uintptr_t)addr);
    return 0;
}

/* Wakes up to `n` waiters of the futex whose bit sets overlap `bits`. */
static uint32_t
futex_wake(struct burl_thread *t, uint32_t *addr, uint32_t n, uint32_t bits)
{
    struct burl_obj *o = burl_obj_find(addr, BURL_OBJ_FUTEX);
    uint32_t done = 0;

    if (o == NULL)
        return 0;
    for (struct burl_thread *w = o->waiters; w != NULL && done < n; w = w->wait_next) {
        if (w->woken || (w->op.aux & bits) == 0)
            continue;
        w->woken = true;
        burl__notify_wake(t, w, (const void *)o->addr);
        done++;
    }
    if (done > 0)
        burl_obj_changed(o);
    return done;
}

/* A moved waiter keeps its deadline, unlike a signaled one of a condition variable. */
static void
move_waiter(struct burl_thread *w, struct burl_obj *o, uint32_t *to)
{
    uint64_t deadline = w->deadline_ns;

    burl_sched_requeue(w, o, futex_ready, BURL_OP_FUTEX_WOKEN, (uintptr_t)to);
    w->deadline_ns = deadline;
    burl_sched_reevaluate(w);
}

/* Moves up to `n` waiters that are still asleep from one futex to another. */
static uint32_t
futex_requeue(uint32_t *from, uint32_t *to, uint32_t n)
{
    struct burl_obj *o = burl_obj_find(from, BURL_OBJ_FUTEX);
    struct burl_obj *o2;
    struct burl_thread *next;
    uint32_t done = 0;

    if (o == NULL || n == 0)
        return 0;
    o2 = burl_obj_get(to, BURL_OBJ_FUTEX, NULL);
    for (struct burl_thread *w = o->waiters; w != NULL && done < n; w = next) {
        next = w->wait_next;
        if (w->woken)
            continue;
        if (o2 != o)
            move_waiter(w, o2, to);
        done++;
    }
    return done;
}

/* FUTEX_WAKE_OP: the encoded change of *addr; true when the encoded comparison with the old value
 * holds. False in *ok: no such operation. */
static bool
wake_op_apply(uint32_t *addr, uint32_t code, bool *ok)
{
    int oparg = (int)(code << 8) >> 20;
    int cmparg = (int)(code << 20) >> 20;
    int old = (int)__atomic_load_n(addr, __ATOMIC_RELAXED);
    int value = old;

    *ok = true;
    if (((code >> 28) & FUTEX_OP_OPARG_SHIFT) != 0)
        oparg = (int)(1u << (oparg & 31));
    switch ((code >> 28) & 7u) {
    case FUTEX_OP_SET:
        value = oparg;
        break;
    case FUTEX_OP_ADD:
        value = (int)((uint32_t)old + (uint32_t)oparg);
        break;
    case FUTEX_OP_OR:
        value = old | oparg;
        break;
    case FUTEX_OP_ANDN:
        value = old & ~oparg;
        break;
    case FUTEX_OP_XOR:
        value = old ^ oparg;
        break;
    default:
        *ok = false;
        return false;
    }
    __atomic_store_n(addr, (uint32_t)value, __ATOMIC_RELAXED);
    switch ((code >> 24) & 15u) {
    case FUTEX_OP_CMP_EQ:
        return old == cmparg;
    case FUTEX_OP_CMP_NE:
        return old != cmparg;
    case FUTEX_OP_CMP_LT:
        return old < cmparg;
    case FUTEX_OP_CMP_GE:
        return old >= cmparg;
    case FUTEX_OP_CMP_LE:
        return old <= cmparg;
    case FUTEX_OP_CMP_GT:
        return old > cmparg;
    default:
        *ok = false;
        return false;
    }
}

static long
futex_wake_op(struct burl_thread *t, uint32_t *addr, uint32_t n, uint32_t n2, uint32_t *addr2,
              uint32_t code)
{
    bool ok;
    bool second = wake_op_apply(addr2, code, &ok);
    uint32_t done;

    if (!ok)
        return -ENOSYS;
    done = futex_wake(t, addr, n, FUTEX_BITSET_MATCH_ANY);
    if (second)
        done += futex_wake(t, addr2, n2, FUTEX_BITSET_MATCH_ANY);
    return done;
}

static long
futex_call(struct burl_thread *t, const long *a)
{
    uint32_t *addr = (uint32_t *)a[0];
    int op = (int)a[1];
    uint32_t val = (uint32_t)a[2];
    uint32_t val2 = (uint32_t)a[3]; /* the time-out's place */
    uint32_t *addr2 = (uint32_t *)a[4];
    uint32_t val3 = (uint32_t)a[5];
    int cmd = op & FUTEX_CMD_MASK;
    long r;

    if (((uintptr_t)addr & 3u) != 0)
        return -EINVAL;
    if (cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET)
        return futex_wait(t, addr, op, val, (const struct timespec *)a[3],
                          cmd == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : val3);
    if (cmd > FUTEX_WAKE_BITSET || cmd == FUTEX_LOCK_PI || cmd == FUTEX_UNLOCK_PI ||
        cmd == FUTEX_TRYLOCK_PI)
        burl_rt_unsupported("priority-inheriting futex");
    /* FUTEX_WAKE_OP updates the second word; of the first it only wakes the waiters. */
    burl__point(t, BURL_OP_FUTEX_WAKE, cmd == FUTEX_WAKE_OP ? addr2 : addr, val);
    switch (cmd) {
    case FUTEX_WAKE:
        r = futex_wake(t, addr, val, FUTEX_BITSET_MATCH_ANY);
        break;
    case FUTEX_WAKE_BITSET:
        r = val3 == 0 ? -EINVAL : (long)futex_wake(t, addr, val, val3);
        break;
    case FUTEX_CMP_REQUEUE:
        if (__atomic_load_n(addr, __ATOMIC_RELAXED) != val3)
            return -EAGAIN;
        r = futex_wake(t, addr, val, FUTEX_BITSET_MATCH_ANY);
        r += futex_requeue(addr, addr2, val2);
        break;
    case FUTEX_REQUEUE:
        r = futex_wake(t, addr, val, FUTEX_BITSET_MATCH_ANY);
        (void)futex_requeue(addr, addr2, val2);
        break;
    case FUTEX_WAKE_OP:
        r = futex_wake_op(t, addr, val, val2, addr2, val3);
        break;
    default:
        return -ENOSYS;
    }
    burl_trace_note(t, 0, (uint64_t)r);
    return r;
}

/* Virtual, because all fibers share one kernel thread; the main thread's is the process's. */
static long
virtual_tid(const struct burl_thread *t)
{
    return BURL_SYS0(SYS_getpid) + t->tid;
}

static BURL_NORETURN void
exit_call(struct burl_thread *t, long nr, int code)
{
    if (nr == SYS_exit && t->tid != 0) {
        /* Ends the thread without cleanup handlers; destructors of keys run all the same. */
        t->exiting = true;
        __builtin_longjmp(((struct burl_exit_frame *)t->exit_jmp)->jmp, 1);
    }
    burl__point(t, BURL_OP_EXIT_PROCESS, NULL, (uint64_t)(uint32_t)code);
    burl_rt_exit_process(code & 0xff);
}

/* System calls whose libc functions are interposed: by the same way. True: *r is the result as
 * the libc function gives it, errno set. Called with `inside` clear. */
static bool
as_library_call(long nr, const long *a, long *r)
{
#define CALL(name, call)   \
    case SYS_##name:       \
        *r = (long)(call); \
        return true;
    switch (nr) {
        CALL(sched_yield, sched_yield())
        CALL(nanosleep, nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]))
        CALL(clock_nanosleep,
             burl__result(-clock_nanosleep((clockid_t)a[0], (int)a[1],
                                           (const struct timespec *)a[2], (struct timespec *)a[3])))
        CALL(clock_gettime, clock_gettime((clockid_t)a[0], (struct timespec *)a[1]))
        CALL(read, read((int)a[0], (void *)a[1], (size_t)a[2]))
        CALL(write, write((int)a[0], (const void *)a[1], (size_t)a[2]))
        CALL(poll, poll((struct pollfd *)a[0], (nfds_t)a[1], (int)a[2]))
        CALL(close, close((int)a[0]))
        CALL(mmap, mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], (off_t)a[5]))
        CALL(munmap, munmap((void *)a[0], (size_t)a[1]))
        CALL(mremap, mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3], (void *)a[4]))
        CALL(mprotect, mprotect((void *)a[0], (size_t)a[1], (int)a[2]))
        CALL(pkey_mprotect, pkey_mprotect((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3]))
        CALL(fork, fork())
        CALL(kill, kill((pid_t)a[0], (int)a[1]))
        CALL(tgkill, tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]))
    default:
        return false;
    }
#undef CALL
}

/* System calls that change nothing and read nothing that changes. */
static bool
is_harmless(long nr)
{
    switch (nr) {
    case SYS_getpid:
    case SYS_getppid:
    case SYS_getuid:
    case SYS_geteuid:
    case SYS_getgid:
    case SYS_getegid:
        return true;
    default:
        return false;
    }
}

/* A full barrier in every thread: what the others did before comes before what follows the call.
 * What the caller did comes before what they do later, too, which is left out: in free mode there
 * is no moment at which they could learn of it. So a search proves nothing, although it tries the
 * call before and after every operation of the others. */
static long
barrier_call(struct burl_thread *t, const long *a)
{
    static const char everywhere;
    const struct burl_thread *other;
    long r;

    burl__state_doubt_all(t);
    r = burl_sys6(SYS_membarrier, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r != 0 || !burl_free_is_barrier(a[0]) || burl_ob_mask == 0 || t->watch == NULL)
        return r;
    for (uint16_t tid = 0; (other = burl_thread_by_tid(tid)) != NULL; tid++) {
        if (other != t && other->watch != NULL)
            burl_ob_send(other->watch, &everywhere);
    }
    burl_ob_receive(t->watch, &everywhere);
    return r;
}

BURL_EXPORT long
syscall(long nr, ...)
{
    struct burl_thread *t;
    long a[6];
    long r;
    va_list ap;

    /* Six arguments are there for the taking whatever the caller passed, as for libc's own. */
    va_start(ap, nr);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(ap, long);
    va_end(ap);
    t = burl_rt_enter();
    if (t == NULL && nr == SYS_mmap)
        burl__note_mapping((int)a[3]);
    if (t == NULL && burl_noise_raw_sleep(nr, a, &r))
        return burl__result(r);
    if (t == NULL)
        return nr == SYS_futex ? BURL_NOISE_AROUND(burl_free_syscall(nr, a))
                               : burl_free_syscall(nr, a);
    switch (nr) {
    case SYS_futex:
        r = futex_call(t, a);
        break;
    case SYS_futex_waitv:
        burl_rt_unsupported("futex_waitv");
    case SYS_gettid:
        BURL_TELL(thread_id_read, t);
        r = virtual_tid(t);
        break;
    case SYS_membarrier:
        r = barrier_call(t, a);
        break;
    case SYS_arch_prctl:
        r = burl__segment_call(t, (int)a[0], a[1]);
        break;
    case SYS_exit:
    case SYS_exit_group:
        exit_call(t, nr, (int)a[0]);
    default:
        burl_rt_leave(t);
        if (as_library_call(nr, a, &r))
            return r;
        if (!is_harmless(nr)) {
            burl__state_doubt_call(BURL__STATE_KERNEL);
            burl__notify_send_order(t, &burl_ob_channel_signal); /* it may be what makes one come */
        }
        return burl__result(burl_sys6(nr, a[0], a[1], a[2], a[3], a[4], a[5]));
    }
    burl_rt_leave(t);
    return burl__result(r);
}

BURL_EXPORT pid_t
gettid(void)
{
    struct burl_thread *t = burl_self;

    if (t == NULL)
        return (pid_t)BURL_SYS0(SYS_gettid);
    BURL_TELL(thread_id_read, t);
    return (pid_t)virtual_tid(t);
}
