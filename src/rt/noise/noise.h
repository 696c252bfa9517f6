/* SPDX-License-Identifier: Apache-2.0 */
/*
 * noise/noise.h - noise in free-running threads (wire/noise.h), as hooks and interposers see it.
 *
 * A noise point is reached by a thread of the program: before each instrumented access, atomic
 * operation and range, and before and after each synchronization call. There is none in signal
 * handlers of the program, in children of fork, in a thread that ends the process, and while the
 * program has one thread only (so none in constructors either). A point is never reached with a
 * lock of the runtime held.
 *
 * When it is off, a point costs the test of burl_noise_on, and the short ways of hooks
 * (hooks/hot.c) have no point at all: with noise the objects' copies of the thread's pointers stay
 * empty, so every access takes the long way.
 */
#ifndef BURL_RT_NOISE_H
#define BURL_RT_NOISE_H

#include <poll.h>
#include <sys/select.h>
#include <time.h>

#include "rt/core/upcalls.h"
#include "rt/free/free.h"

void burl__noise_at_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                           const struct burl_wire_site *site);
void burl__noise_at_call(struct burl_free_thread *f);

/* n 0: no memory (a fence). f may be NULL. */
static inline void
burl_noise_access(struct burl_free_thread *f, uintptr_t addr, uint64_t n,
                  const struct burl_wire_site *site)
{
    if (BURL_UNLIKELY(burl_noise_on) && f != NULL)
        burl__noise_at_access(f, addr, n, site);
}

static inline void
burl_noise_call(void)
{
    if (BURL_UNLIKELY(burl_noise_on) && burl_free_me != NULL)
        burl__noise_at_call(burl_free_me);
}

/* `call` is a synchronization call of the program, with noise before and after it. */
#define BURL_NOISE_AROUND(call)         \
    ({                                  \
        burl_noise_call();              \
        __auto_type noisy_ = (call);    \
        burl_noise_call();              \
        noisy_;                         \
    })
#define BURL_NOISE_AROUND_VOID(call) \
    do {                             \
        burl_noise_call();           \
        call;                        \
        burl_noise_call();           \
    } while (0)

/* ---- tamper.c: the program's own sleeps, shortened if the setting has it so ------------------ */

/* Are the calling thread's sleeps shortened? Then: a duration, shortened. */
bool burl_noise_tampers(void);
uint64_t burl_noise_shorten(uint64_t ns);
/* As the functions of these names; with errno and what remains as the program expects it. */
int burl_noise_nanosleep(const struct timespec *req, struct timespec *rem);
int burl_noise_clock_nanosleep(clockid_t clock, int flags, const struct timespec *req,
                               struct timespec *rem);
int burl_noise_usleep(unsigned int us);
unsigned int burl_noise_sleep(unsigned int seconds);
int burl_noise_thrd_sleep(const struct timespec *req, struct timespec *rem);

/* rawsleep.c */
/* Has the call no descriptor to wait for? Negative descriptors and empty sets are none. */
bool burl_noise_polls_nothing(const struct pollfd *fds, unsigned long n);
bool burl_noise_selects_nothing(int n, const fd_set *rd, const fd_set *wr, const fd_set *ex);
/* Has the epoll descriptor nothing to wait for? Then a wait on it is a sleep. */
bool burl_noise_epoll_is_empty(int ep);
/* A raw system call that is a sleep, if the thread's sleeps are shortened: *r is what the kernel
 * returned. False: it is none, and nothing was called. */
bool burl_noise_raw_sleep(long nr, const long *a, long *r);

#endif
