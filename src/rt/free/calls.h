/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/calls.h - what interposers call for threads that are not controlled: the libc original, and
 * in free mode the edges, locks and memory that the call stands for. Outside free mode each of
 * these is the original and nothing else. Results and errno are the original's.
 */
#ifndef BURL_RT_FREE_CALLS_H
#define BURL_RT_FREE_CALLS_H

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/types.h>
#include <threads.h>
#include <time.h>

#include "free.h"

/* blocked.c: what the calling thread is about to block in. object, mutex (of a condition wait) and
 * target (of a join) may be NULL. */
struct burl_free_request {
    enum burl_wire_op op;
    enum burl_wire_lock_mode mode;
    uint32_t flags; /* BURL_BLOCKED_F_* */
    const volatile void *object;
    const volatile void *mutex;
    const struct burl_free_thread *target;
};

void burl_free_block(const struct burl_free_request *q);
void burl_free_block_mutex(const pthread_mutex_t *m);
void burl_free_block_rwlock(const pthread_rwlock_t *rw, enum burl_wire_lock_mode mode);
void burl_free_unblock(void);
/* An attempt of the calling thread to take the lock that it spins on has failed. */
void burl_free_attempt_failed(void);
bool burl_free_is_blocked(void);
/* The calling thread runs the initializer of a once or guard variable. */
void burl_free_once_begin(const volatile void *flag);
void burl_free_once_end(const volatile void *flag);

static inline void
burl_free_end_block(const int *unused)
{
    (void)unused;
    burl_free_unblock();
}

/* `call` may block, and may be left by cancellation. The rest: fields of struct burl_free_request.
 * */
#define BURL_FREE_BLOCKED_IN(call, ...)                               \
    ({                                                                \
        int b_ __attribute__((cleanup(burl_free_end_block))) = 0;     \
                                                                      \
        burl_free_block(&(struct burl_free_request){ __VA_ARGS__ });  \
        call;                                                         \
    })
#define BURL_FREE_BLOCKING(op_, object_, call) \
    BURL_FREE_BLOCKED_IN(call, .op = (op_), .object = (object_))

/* thread.c */
int burl_free_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *arg);
int burl_free_create_c11(thrd_t *out, thrd_start_t start, void *arg);
/* Before and after a join of any kind; ok: it succeeded. */
struct burl_free_thread *burl_free_join_begin(uint64_t handle);
void burl_free_join_end(struct burl_free_thread *target, bool ok);
/* After a successful detach. */
void burl_free_detached(struct burl_free_thread *target);

/* With a time-out, or none at all. The target is looked up first: afterwards its handle may name
 * another. */
#define BURL_FREE_TRYJOIN(handle, call)                                            \
    ({                                                                             \
        struct burl_free_thread *t_ = burl_free_join_begin((uint64_t)(handle));    \
        int r_ = call;                                                             \
                                                                                   \
        burl_free_join_end(t_, r_ == 0);                                           \
        r_;                                                                        \
    })
#define BURL_FREE_JOIN(handle, call) \
    BURL_FREE_TRYJOIN(handle,        \
                      BURL_FREE_BLOCKED_IN(call, .op = BURL_OP_JOIN, .object = t_, .target = t_))
#define BURL_FREE_DETACH(handle, call)                                             \
    ({                                                                             \
        struct burl_free_thread *t_ = burl_free_join_begin((uint64_t)(handle));    \
        int r_ = call;                                                             \
                                                                                   \
        if (r_ == 0)                                                               \
            burl_free_detached(t_);                                                \
        r_;                                                                        \
    })

/* sync.c: locks. took: when the lock is held, by_try for try and timed forms. */
void burl_free_acquired(const volatile void *lock, enum burl_wire_lock_mode mode, bool by_try);
void burl_free_requesting(const volatile void *lock, enum burl_wire_lock_mode mode);
/* Before the lock is given back. */
void burl_free_releasing(const volatile void *lock);
void burl_free_mutex_releasing(const pthread_mutex_t *m);
/* An object is initialized or destroyed. */
void burl_free_object_new(const volatile void *object, size_t n);

static inline int
burl_free_locked(int r, const volatile void *lock, enum burl_wire_lock_mode mode, bool by_try)
{
    if (r == 0 || r == EOWNERDEAD)
        burl_free_acquired(lock, mode, by_try);
    return r;
}

/* `call` takes the lock if it gives 0, and may block. `attempt` is its try form, which gives `busy`
 * if it would; then `block` fills the thread's record. */
#define BURL_FREE_LOCK(lock, mode, attempt, busy, block, call)    \
    ({                                                            \
        int r_;                                                   \
                                                                  \
        if (burl_free_me == NULL) {                               \
            r_ = call;                                            \
        } else {                                                  \
            burl_free_requesting(lock, mode);                          \
            r_ = attempt;                                         \
            if (r_ == (busy)) {                                   \
                block;                                            \
                r_ = call;                                        \
                burl_free_unblock();                              \
            }                                                     \
            r_ = burl_free_locked(r_, lock, mode, false);         \
        }                                                         \
        r_;                                                       \
    })
#define BURL_FREE_TRYLOCK(lock, mode, call) burl_free_locked(call, lock, mode, true)
#define BURL_FREE_UNLOCK(lock, call) (burl_free_releasing(lock), call)
/* `call` initializes or destroys *object. */
#define BURL_FREE_OBJECT(object, call) \
    (burl_free_object_new(object, sizeof *(object)), call)

/* Functions, so that the frames of the interposers stay as they are in controlled mode. */
int burl_free_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int burl_free_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *ts);
int burl_free_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                             const struct timespec *ts);
int burl_free_cnd_wait(cnd_t *c, mtx_t *m);
int burl_free_cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *ts);
void burl_free_cond_signal(const volatile void *c, bool all);
int burl_free_barrier_wait(pthread_barrier_t *b);
int burl_free_once(pthread_once_t *once, void (*routine)(void));
void burl_free_call_once(once_flag *flag, void (*routine)(void));
/* Everything that is a plain edge through an object: semaphores, guards. */
void burl_free_send(const volatile void *object);
void burl_free_receive(const volatile void *object);

static inline int
burl_free_received(int r, const volatile void *object)
{
    if (r == 0)
        burl_free_receive(object);
    return r;
}

/* Calls that bring something out of the process, or into it; r: what the call gave. */
static inline ssize_t
burl_free_in(ssize_t r, int fd)
{
    if (r >= 0)
        burl_free_fd_in(fd);
    return r;
}

#define BURL_FREE_IN(fd, call) burl_free_in(call, fd)
#define BURL_FREE_OUT(fd, call) (burl_free_fd_out(fd), call)

long burl_free_syscall(long nr, const long *a);
/* Is it a command of membarrier() that is a barrier? */
bool burl_free_is_barrier(long command);

/* mapping.c */
void *burl_free_mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off);
int burl_free_munmap(void *addr, size_t n);
int burl_free_mprotect(void *addr, size_t n, int prot);
int burl_free_pkey_mprotect(void *addr, size_t n, int prot, int key);
void *burl_free_mremap(void *addr, size_t old_n, size_t n, int flags, void *wanted);
void burl_free_brk_moved(uintptr_t from, uintptr_t to);

/* memory.c */
void *burl_free_realloc(void *old, size_t n);

/* sync.c, start.c */
struct pollfd;
int burl_free_polled(int r, const struct pollfd *fds, unsigned long n);
pid_t burl_free_forked(pid_t pid);
int burl_free_daemon(int nochdir, int noclose);

/* late.c */
int burl_free_setcanceltype(int type, int *old);

/* signals.c */
static inline int
burl_free_sigwaited(int sig)
{
    burl_free_signal_taken(sig);
    return sig;
}

int burl_free_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
sighandler_t burl_free_signal(int sig, sighandler_t handler, int flags);

#endif
