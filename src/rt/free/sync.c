/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/sync.c - the edges of the program's synchronization in free mode.
 *
 * The primitives are libc's own and block for real. An edge out of a thread is made before the
 * call that lets others continue, an edge into it after the call that waited. While a lock is held
 * no other thread touches its object, so locks need no lock of ours; readers of a read-write lock,
 * which are several, take the bucket's.
 *
 * Where a primitive leaves open which thread was waited for, all that may have been count: the
 * error is a missed race.
 */
#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"

/* ---- locks ---------------------------------------------------------------------------------- */

void
burl_free_requesting(const volatile void *lock, enum burl_wire_lock_mode mode)
{
    struct burl_free_thread *f = burl_free_self;

    if (BURL_UNLIKELY(f != NULL && burl_free.listens))
        burl__free_notify_request(f, (void *)burl_alias((uintptr_t)lock), (uint8_t)mode);
}

void
burl_free_acquired(const volatile void *lock, enum burl_wire_lock_mode mode, bool by_try)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_held *h;
    struct burl_sync *s = NULL;

    if (BURL_LIKELY(f == NULL))
        return;
    lock = (const void *)burl_alias((uintptr_t)lock);
    h = burl_held_find(&f->held, (uintptr_t)lock);
    if (h != NULL) {
        h->levels++; /* recursive, or a second read lock */
        return;
    }
    if (f->observed) {
        s = burl__sync_of_lock(f, lock);
        burl__acquire(f, &s->a);
        if (mode == BURL_LOCK_EXCLUSIVE && s->b.vc.n != 0)
            burl__acquire(f, &s->b);
    }
    burl_held_add(&f->held, &(struct burl_held){ .addr = (uintptr_t)lock,
                                                 .sync = s,
                                                 .site = burl__user_code(f),
                                                 .levels = 1,
                                                 .mode = (uint8_t)mode });
    if (f->observed)
        burl__locks_changed(f);
    if (BURL_UNLIKELY(burl_free.listens))
        burl__free_notify_acquire(f, lock, (uint8_t)mode, by_try);
}

static void
release_shared(struct burl_free_thread *f, const volatile void *lock)
{
    uint64_t key = burl__sync_key(lock, BURL_SYNC_MEMORY);
    struct burl_bucket *b = burl__bucket_lock(f, key);

    burl__release_join(f, &burl__sync_get(b, key)->b);
    burl__bucket_unlock(b);
}

static void
release_exclusive(struct burl_free_thread *f, struct burl_sync *s)
{
    burl__release_copy(f, &s->a);
    if (s->b.vc.n != 0)
        burl__stamp_clear(&s->b); /* the holder knew the readers */
}

/* The thread that took the lock still lists it. Its list is its own, so all that can be done is to
 * say that lists may be wrong. */
static void
note_foreign_unlock(const struct burl_free_thread *f)
{
    if (f->held.n <= BURL_MAX_HELD)
        __atomic_store_n(&burl_rt.ctl->blocked.foreign_unlock, 1, __ATOMIC_RELAXED);
}

static void
lock_release(const volatile void *lock, bool unlock_fails)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_held *h;

    if (BURL_LIKELY(f == NULL))
        return;
    lock = (const void *)burl_alias((uintptr_t)lock);
    h = burl_held_find(&f->held, (uintptr_t)lock);
    if (h != NULL && h->levels > 1) {
        h->levels--;
        return;
    }
    if (h == NULL && unlock_fails)
        return;
    if (BURL_UNLIKELY(h == NULL))
        note_foreign_unlock(f);
    if (BURL_UNLIKELY(burl_free.listens))
        burl__free_notify_release(f, lock);
    if (f->observed) {
        if (h != NULL && h->mode == BURL_LOCK_SHARED)
            release_shared(f, lock);
        else if (h != NULL && h->sync != NULL)
            release_exclusive(f, h->sync);
        else /* taken by another thread, or before we looked: readers may be about */
            burl__edge_out(f, burl__sync_key(lock, BURL_SYNC_MEMORY));
    }
    if (h != NULL)
        burl_held_remove(&f->held, h);
    if (!f->observed)
        return;
    if (f->dirty || f->changed)
        burl__tick(f);
    else
        burl__ring_mark(f);
}

void
burl_free_releasing(const volatile void *lock)
{
    lock_release(lock, false);
}

/* Types that know their owner refuse an unlock by another. */
void
burl_free_mutex_releasing(const pthread_mutex_t *m)
{
    int type = m->__data.__kind & 3;

    lock_release(m, type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK);
}

void
burl__locks_abandoned(struct burl_free_thread *f)
{
    for (uint32_t i = 0; i < burl_held_known(&f->held); i++) {
        const struct burl_held *h = &f->held.v[i];

        if (h->sync != NULL && h->mode == BURL_LOCK_EXCLUSIVE)
            release_exclusive(f, h->sync);
    }
}

void
burl_free_object_new(const volatile void *object, size_t n)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL || !(burl_free.ever || burl_free.metrics))
        return;
    burl__sync_forget(f, (uintptr_t)object, n);
}

/* ---- plain edges ---------------------------------------------------------------------------- */

/* An edge out of the calling thread, and one into it. Observers know the object by its address.
 * ORDERED: every schedule has this order. */
enum edge { PLAIN, ORDERED };

static void
edge_out(const volatile void *object, uint64_t key, enum edge kind)
{
    struct burl_free_thread *f = burl_free_self;

    if (f == NULL)
        return;
    if (kind == ORDERED)
        burl__free_notify_send_order(f, object);
    else
        burl__free_notify_send(f, object);
    burl__edge_out(f, key);
}

static void
edge_in(const volatile void *object, uint64_t key, enum edge kind)
{
    struct burl_free_thread *f = burl_free_self;

    if (f == NULL)
        return;
    burl__edge_in(f, key);
    if (kind == ORDERED)
        burl__free_notify_receive_order(f, object);
    else
        burl__free_notify_receive(f, object);
}

void
burl_free_send(const volatile void *object)
{
    edge_out(object, burl__sync_key(object, BURL_SYNC_MEMORY), PLAIN);
}

void
burl_free_receive(const volatile void *object)
{
    edge_in(object, burl__sync_key(object, BURL_SYNC_MEMORY), PLAIN);
}

void
burl_free_hb_before(const void *obj, bool lasting)
{
    edge_out(burl_ob_user_object(obj), burl__sync_key(obj, BURL_SYNC_USER),
             lasting ? ORDERED : PLAIN);
}

void
burl_free_hb_after(const void *obj, bool lasting)
{
    edge_in(burl_ob_user_object(obj), burl__sync_key(obj, BURL_SYNC_USER),
            lasting ? ORDERED : PLAIN);
}

/* Signal 0 stands for those of timers and of other processes, which may be any. */
static uint64_t
signal_key(int sig)
{
    return burl__sync_key((void *)(uintptr_t)sig, BURL_SYNC_SIGNAL);
}

/* What is read from a signalfd was sent as any signal, and perhaps before there was one: a blocked
 * signal waits. */
#define ANY_SIGNAL 255

static bool has_signalfd; /* descriptors of signals are anonymous ones: see fd_key() */

/* Call that sent the last signal of this thread. */
static __thread uint32_t sent_at __attribute__((tls_model("initial-exec")));

bool
burl__signal_is_sent(void)
{
    return burl_free_me != NULL && sent_at != 0 && sent_at == burl_free_me->call_site;
}

static void
signal_out(int sig)
{
    if (burl_free_me != NULL)
        sent_at = burl_free_me->call_site;
    edge_out(&burl_ob_channel_signal, signal_key(sig), PLAIN);
    edge_out(&burl_ob_channel_signal, signal_key(ANY_SIGNAL), PLAIN);
}

void
burl_free_signal_send(int sig)
{
    if (sig > 0)
        signal_out(sig);
}

void
burl_free_signal_cause(void)
{
    signal_out(0);
}

void
burl_free_signalfd(void)
{
    __atomic_store_n(&has_signalfd, true, __ATOMIC_RELAXED); /* before it is read */
}

void
burl_free_signal_taken(int sig)
{
    if (sig <= 0)
        return;
    edge_in(&burl_ob_channel_signal, signal_key(sig), PLAIN);
    edge_in(&burl_ob_channel_signal, signal_key(0), PLAIN);
}

/* Pipes and files are distinguished by their inode; the two ends of a socket have different ones,
 * and anonymous descriptors share one, so they are all one object. */
static uint64_t
fd_key(int fd)
{
    struct stat st;
    uintptr_t id = 0;

    if (BURL_SYS2(SYS_fstat, fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode)))
        id = (uintptr_t)(st.st_ino * 0x9e3779b97f4a7c15ull + st.st_dev) >> 16;
    return burl__sync_key((void *)id, BURL_SYNC_FD);
}

void
burl_free_fd_out(int fd)
{
    if (burl_free_self != NULL)
        edge_out(&burl_ob_channel_io, fd_key(fd), PLAIN);
}

void
burl_free_fd_in(int fd)
{
    uint64_t key;

    if (burl_free_self == NULL)
        return;
    key = fd_key(fd);
    edge_in(&burl_ob_channel_io, key, PLAIN);
    if (__atomic_load_n(&has_signalfd, __ATOMIC_RELAXED) &&
        key == burl__sync_key(NULL, BURL_SYNC_FD))
        edge_in(&burl_ob_channel_signal, signal_key(ANY_SIGNAL), PLAIN);
}

#define MAX_POLLED 32u

int
burl_free_polled(int r, const struct pollfd *fds, unsigned long n)
{
    for (unsigned long i = 0; burl_free_self != NULL && r > 0 && i < n && i < MAX_POLLED; i++) {
        if (fds[i].revents != 0)
            burl_free_fd_in(fds[i].fd);
    }
    return r;
}

/* ---- condition variables -------------------------------------------------------------------- */

/* A wait under way: the mutex is ours again when it ends, by an unwinding too. */
struct waiting {
    const volatile void *cond;
    const volatile void *mutex;
};

static void
cond_wait_end(struct waiting *w)
{
    if (w->mutex == NULL)
        return;
    burl_free_unblock();
    burl_free_acquired(w->mutex, BURL_LOCK_EXCLUSIVE, false);
}

static void
cond_wait_begin(struct waiting *w, uint32_t flags)
{
    struct burl_free_thread *f = burl_free_self;

    if (f != NULL)
        burl__free_notify_cond(f, w->cond, true, 0);
    burl_free_releasing(w->mutex);
    burl_free_block(&(struct burl_free_request){
        .op = BURL_OP_COND_WAIT, .object = w->cond, .mutex = w->mutex, .flags = flags });
}

#define WAIT(cond_, mutex_, flags_, call)                                            \
    do {                                                                             \
        struct waiting w_ __attribute__((cleanup(cond_wait_end))) = { cond_, NULL }; \
        int r_;                                                                      \
                                                                                     \
        if (burl_free_me == NULL)                                                    \
            return call;                                                             \
        w_.mutex = mutex_;                                                           \
        cond_wait_begin(&w_, flags_);                                                \
        r_ = call;                                                                   \
        burl_free_unblock();                                                         \
        edge_in(cond_, burl__sync_key(cond_, BURL_SYNC_MEMORY), ORDERED);            \
        return r_;                                                                   \
    } while (0)

int
burl_free_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
    WAIT(c, m, 0, BURL_REAL(pthread_cond_wait)(c, m));
}

int
burl_free_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *ts)
{
    WAIT(c, m, BURL_BLOCKED_F_TIMED, BURL_REAL(pthread_cond_timedwait)(c, m, ts));
}

int
burl_free_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                         const struct timespec *ts)
{
    WAIT(c, m, BURL_BLOCKED_F_TIMED, BURL_REAL(pthread_cond_clockwait)(c, m, clock, ts));
}

int
burl_free_cnd_wait(cnd_t *c, mtx_t *m)
{
    WAIT(c, m, 0, BURL_REAL(cnd_wait)(c, m));
}

int
burl_free_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *ts)
{
    WAIT(c, m, BURL_BLOCKED_F_TIMED, BURL_REAL(cnd_timedwait)(c, m, ts));
}

void
burl_free_cond_signal(const volatile void *c, bool all)
{
    struct burl_free_thread *f = burl_free_self;

    if (f == NULL)
        return;
    edge_out(c, burl__sync_key(c, BURL_SYNC_MEMORY), ORDERED);
    burl__free_notify_cond(f, c, false, all ? BURL_WOKEN_ALL : BURL_WOKEN_ONE);
}

/* ---- barriers ------------------------------------------------------------------------------- */

/* Index of the parties in glibc's struct pthread_barrier, in words of 32 bits. */
#define BARRIER_PARTIES 2

/* Rounds alternate between two stamps: no thread can arrive for the round after next before all
 * have left this one. */
static struct burl_stamp *
barrier_stamp(struct burl_sync *s, uint32_t arrival)
{
    return arrival / (s->limit != 0 ? s->limit : 1) % 2 == 0 ? &s->a : &s->b;
}

int
burl_free_barrier_wait(pthread_barrier_t *b)
{
    struct burl_free_thread *f = burl_free_self;
    uint64_t key = burl__sync_key(b, BURL_SYNC_MEMORY);
    struct burl_bucket *bucket;
    struct burl_sync *s;
    const char *round; /* the observers' object of this round, as in interpose/barrier.c */
    uint32_t arrival;
    int r;

    if (f == NULL)
        return BURL_FREE_BLOCKING(BURL_OP_BARRIER_LEAVE, b, BURL_REAL(pthread_barrier_wait)(b));
    bucket = burl__bucket_lock(f, key);
    s = burl__sync_get(bucket, key);
    memcpy(&s->limit, (const char *)b + BARRIER_PARTIES * sizeof s->limit, sizeof s->limit);
    arrival = s->count++;
    if (s->limit != 0 && arrival % s->limit == 0)
        burl__stamp_clear(barrier_stamp(s, arrival));
    burl__release_join(f, barrier_stamp(s, arrival));
    round = (const char *)burl_alias((uintptr_t)b) + (barrier_stamp(s, arrival) == &s->b);
    burl__bucket_unlock(bucket);
    burl__tick(f);
    burl__free_notify_send_order(f, round);
    r = BURL_FREE_BLOCKING(BURL_OP_BARRIER_LEAVE, b, BURL_REAL(pthread_barrier_wait)(b));
    bucket = burl__bucket_lock(f, key);
    s = burl__sync_find(bucket, key);
    if (s != NULL) /* NULL: one of us has destroyed it by now */
        burl__acquire(f, barrier_stamp(s, arrival));
    burl__bucket_unlock(bucket);
    burl__free_notify_receive_order(f, round);
    return r;
}

/* ---- once ----------------------------------------------------------------------------------- */

static void
once_cleanup(const volatile void *const *flag)
{
    burl_free_once_end(*flag);
}

/* In the middle of the real call, which was recorded as one that may block. */
static void
once_run(void)
{
    struct burl_free_thread *f = burl_free_me;
    void (*routine)(void) = f->once;
    const volatile void *flag __attribute__((cleanup(once_cleanup))) = f->once_flag;

    burl_free_unblock();
    burl_free_once_begin(flag);
    routine();
    edge_out(flag, burl__sync_key(flag, BURL_SYNC_MEMORY), ORDERED);
}

static void
once_set(struct burl_free_thread *f, const volatile void *flag, void (*routine)(void))
{
    f->once = routine;
    f->once_flag = flag;
}

/* glibc's word of a once variable whose routine has returned. */
static bool
once_is_done(const void *flag)
{
    return __atomic_load_n((const int *)flag, __ATOMIC_RELAXED) == 2;
}

int
burl_free_once(pthread_once_t *once, void (*routine)(void))
{
    struct burl_free_thread *f = burl_free_me;
    int r;

    if (f == NULL)
        return BURL_REAL(pthread_once)(once, routine);
    once_set(f, once, routine);
    r = once_is_done(once)
            ? BURL_REAL(pthread_once)(once, once_run)
            : BURL_FREE_BLOCKING(BURL_OP_ONCE, once, BURL_REAL(pthread_once)(once, once_run));
    edge_in(once, burl__sync_key(once, BURL_SYNC_MEMORY), ORDERED);
    return r;
}

void
burl_free_call_once(once_flag *flag, void (*routine)(void))
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL) {
        BURL_REAL(call_once)(flag, routine);
        return;
    }
    once_set(f, flag, routine);
    if (once_is_done(flag))
        BURL_REAL(call_once)(flag, once_run);
    else
        BURL_FREE_BLOCKING(BURL_OP_ONCE, flag, BURL_REAL(call_once)(flag, once_run));
    edge_in(flag, burl__sync_key(flag, BURL_SYNC_MEMORY), ORDERED);
}

/* ---- raw system calls ----------------------------------------------------------------------- */

static uint64_t
futex_key(long addr)
{
    return burl__sync_key((const void *)addr, BURL_SYNC_FUTEX);
}

static bool
is_futex_wait(long op)
{
    int cmd = (int)op & FUTEX_CMD_MASK;

    return cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET || cmd == FUTEX_LOCK_PI ||
           cmd == FUTEX_WAIT_REQUEUE_PI;
}

/* A futex wait without a time-out. Those for priority inheritance may be woken by the kernel in
 * other ways and are left out. */
static bool
may_block_for_ever(long nr, const long *a)
{
    int cmd = (int)a[1] & FUTEX_CMD_MASK;

    return nr == SYS_futex && (cmd == FUTEX_WAIT || cmd == FUTEX_WAIT_BITSET) && a[3] == 0 &&
           !burl_free_is_blocked(); /* the C++ library waits so for guards */
}

static bool
makes_process(long nr)
{
    return nr == SYS_fork || nr == SYS_vfork || nr == SYS_clone;
}

/* Sends one, or makes the kernel or a child do so. */
static bool
makes_signal(long nr)
{
    switch (nr) {
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_rt_sigqueueinfo:
    case SYS_rt_tgsigqueueinfo:
    case SYS_pidfd_send_signal:
    case SYS_alarm:
    case SYS_setitimer:
    case SYS_timer_settime:
        return true;
    default:
        return makes_process(nr);
    }
}

static bool
is_mapping(long nr)
{
    return nr == SYS_mmap || nr == SYS_munmap || nr == SYS_mremap || nr == SYS_mprotect ||
           nr == SYS_pkey_mprotect;
}

static long
mapping_call(long nr, const long *a)
{
    if (nr == SYS_mmap)
        return (long)burl_free_mmap((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4],
                                    a[5]);
    if (nr == SYS_munmap)
        return burl_free_munmap((void *)a[0], (size_t)a[1]);
    if (nr == SYS_mprotect)
        return burl_free_mprotect((void *)a[0], (size_t)a[1], (int)a[2]);
    if (nr == SYS_pkey_mprotect)
        return burl_free_pkey_mprotect((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3]);
    return (long)burl_free_mremap((void *)a[0], (size_t)a[1], (size_t)a[2], (int)a[3],
                                  (void *)a[4]);
}

bool
burl_free_is_barrier(long command)
{
    return command == MEMBARRIER_CMD_GLOBAL || command == MEMBARRIER_CMD_GLOBAL_EXPEDITED ||
           command == MEMBARRIER_CMD_PRIVATE_EXPEDITED ||
           command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE ||
           command == MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ;
}

/* Every thread executes a full barrier during the call: what they did before it comes before what
 * follows. Their clocks do not move, so that what they do next may count as well: a miss. */
static long
barrier_call(struct burl_free_thread *f, const long *a)
{
    uint32_t known[BURL_FREE_CLOCKS] = { 0 };
    uint32_t n = 0;
    uint64_t mask;
    long r;

    burl__free_lock(&mask);
    for (; n < burl_free.n_slots; n++) {
        const struct burl_slot *s = &burl_free.slots[n];

        /* relaxed: its owner may be about to move it */
        known[n] = s->ended || s->owner == NULL
                       ? s->clock
                       : __atomic_load_n(&s->owner->clock, __ATOMIC_RELAXED);
    }
    burl__free_unlock(mask);
    r = burl_sys6(SYS_membarrier, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r == 0) {
        known[f->slot] = 0;
        if (burl_clock_max(f->hb, known, n))
            f->changed = true;
    }
    return r;
}

long
burl_free_syscall(long nr, const long *a)
{
    struct burl_free_thread *f = burl_free_self;
    long r;

    if (is_mapping(nr))
        return mapping_call(nr, a);
    if (f != NULL && nr == SYS_membarrier && burl_free_is_barrier(a[0]))
        return burl__result(barrier_call(f, a));
    if (f != NULL && nr == SYS_futex && !is_futex_wait(a[1])) {
        edge_out((const void *)a[0], futex_key(a[0]), PLAIN);
    } else if (f != NULL && (nr == SYS_write || nr == SYS_sendto || nr == SYS_sendmsg)) {
        burl_free_fd_out((int)a[0]);
    } else if (f != NULL && makes_signal(nr)) {
        burl_free_signal_cause();
    } else if (nr == SYS_exit_group) {
        burl_free_exit((int)a[0]);
    }
    r = may_block_for_ever(nr, a)
            ? BURL_FREE_BLOCKING(BURL_OP_FUTEX_WOKEN, (const void *)a[0],
                                 burl_sys6(nr, a[0], a[1], a[2], a[3], a[4], a[5]))
            : burl_sys6(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (f != NULL && nr == SYS_futex && is_futex_wait(a[1]) && r == 0) {
        edge_in((const void *)a[0], futex_key(a[0]), PLAIN);
    } else if (f != NULL && r >= 0 && (nr == SYS_read || nr == SYS_recvfrom || nr == SYS_recvmsg)) {
        burl_free_fd_in((int)a[0]);
    } else if (r == 0 && makes_process(nr)) {
        burl_free_child();
    }
    return burl__result(r);
}
