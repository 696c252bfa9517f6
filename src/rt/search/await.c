/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/await.c - spin loops in a search: an iteration that changes nothing is not explored.
 *
 * A thread that comes to the same read with the same registers and stack as the last time (the hash
 * of spin.c), and has changed nothing in between, spins. Each execution with such an iteration has
 * an equivalent one without it. So the thread is parked: it does not run on in this execution. The
 * execution in which it read later is found by reversing the race between its read and the write it
 * waits for. Model checkers do this by turning a spin loop into an assumption; here the code need
 * not be known.
 *
 * It is exact, and leaves the search sure, because everything in an iteration is accounted for:
 *   - memory: no store, no update that changed something (t->spin_epoch);
 *   - locks: the same are held; taking and releasing in pairs is no change;
 *   - semaphores, condition variables, sleeping, ...: a change;
 *   - calls out of instrumented code: a change, except yields and calls that were nothing but the
 *     lock operation;
 *   - counters, bounded retries: the registers or the stack differ, and so the iteration is
 *     explored, up to COUNTED_REPEATS.
 * A loop that is not parked is passed over sooner or later as in any other execution (spin.c), and
 * then the search is no longer sure.
 *
 * When only parked threads are left they are released, in case all of them wait forever: either
 * spin.c proves that and it is a finding, or one makes progress, and the execution is given up,
 * because a shorter one is equivalent.
 *
 * Hashing a stack at every read would be slow, so it is done only at sites that were seen to repeat
 * a read. A site seen so for the first time makes the search begin again.
 */
#include "dpor.h"
#include "rt/core/core.h"
#include "rt/sched/hot.h"

/* Repeats of one read, each with another state, before a thread is passed over after all. Most
 * bounded loops end sooner; exploring longer ones would take all of the search. */
#define COUNTED_REPEATS 64u

/* Operations that change what t->spin_epoch does not show. A trylock that succeeds shows in
 * n_locks; what changes memory or threads shows in spin_epoch. */
#define KINDS_ACQUIRE (BURL_KIND(LOCK) | BURL_KIND(RDLOCK) | BURL_KIND(WRLOCK))
#define KINDS_RELEASE (BURL_KIND(UNLOCK) | BURL_KIND(RWUNLOCK))
#define KINDS_EFFECT                                                                            \
    (BURL_KIND(SEM_WAIT) | BURL_KIND(COND_WAIT) | BURL_KIND(COND_WAKE) | BURL_KIND(TIMEDLOCK) | \
     BURL_KIND(SLEEP) | BURL_KIND(IO))

/* The thread at one loop, when it was there last. */
struct visit {
    uint64_t state;
    uint64_t held;
    uint32_t epoch;
    uint32_t effects;
    uint32_t calls;
    uint32_t n_locks;
    uint32_t execution;
};

struct account {
    uint64_t held;       /* sum over the locks taken and not given back */
    uint32_t effects;    /* operations that change something, other than memory */
    uint32_t explained;  /* calls that were just a lock operation */
    uint32_t last_calls; /* t->lib_calls at the last of these */
    uint32_t execution;
};

static struct {
    struct burl_search_loops *loops; /* in shared memory */
    struct visit visits[BURL_DPOR_TIDS][BURL_DPOR_LOOPS];
    struct account accounts[BURL_DPOR_TIDS];
    uint32_t execution;
    uint32_t n_parked;
    bool released;
} awaits;

void
burl__await_begin(struct burl_search_loops *loops)
{
    awaits.loops = loops;
    awaits.execution++;
    awaits.n_parked = 0;
    awaits.released = false;
}

uint32_t
burl__await_parked(void)
{
    return awaits.n_parked;
}

static struct account *
account_of(const struct burl_thread *t)
{
    struct account *c = &awaits.accounts[t->tid];

    if (c->execution != awaits.execution)
        *c = (struct account){ .execution = awaits.execution, .last_calls = t->lib_calls };
    return c;
}

void
burl__await_commit(const struct burl_thread *t, const struct burl_op *op)
{
    struct account *c;

    if (t->tid >= BURL_DPOR_TIDS)
        return;
    c = account_of(t);
    if (burl_kind_in(op->kind, KINDS_EFFECT))
        c->effects++;
    if (!burl_kind_in(op->kind, KINDS_ACQUIRE | KINDS_RELEASE | BURL_KIND(TRYLOCK)))
        return;
    if (burl_kind_in(op->kind, KINDS_ACQUIRE))
        c->held += burl_mix64(op->addr);
    if (burl_kind_in(op->kind, KINDS_RELEASE))
        c->held -= burl_mix64(op->addr);
    if (t->lib_calls - c->last_calls == 1)
        c->explained++;
    else
        c->effects++; /* something else was called, or it was called by something else */
    c->last_calls = t->lib_calls;
}

static uint32_t
loop_at(uint32_t site)
{
    for (uint32_t i = 0; i < awaits.loops->n; i++) {
        if (awaits.loops->sites[i] == site)
            return i;
    }
    return BURL_DPOR_LOOPS;
}

static void
learn_loop(uint32_t site)
{
    struct burl_search_loops *l = awaits.loops;

    if (loop_at(site) < BURL_DPOR_LOOPS || l->n >= BURL_DPOR_LOOPS)
        return;
    l->sites[l->n++] = site;
    l->begin_again = 1;
}

bool
burl__await_is_polling(uint32_t site, uint32_t repeats)
{
    if (awaits.released)
        return repeats >= BURL_POLL_REPEATS;
    learn_loop(site);
    return repeats >= COUNTED_REPEATS;
}

bool
burl__await_allows_yield(uint32_t yields)
{
    return !awaits.released && yields < COUNTED_REPEATS;
}

static bool
is_same(const struct visit *x, const struct visit *y)
{
    return x->execution == y->execution && x->state == y->state && x->held == y->held &&
           x->epoch == y->epoch && x->effects == y->effects && x->calls == y->calls &&
           x->n_locks == y->n_locks;
}

bool
burl__await_parks(struct burl_thread *t, uint32_t site)
{
    const uint32_t loop =
        awaits.released || t->tid >= BURL_DPOR_TIDS ? BURL_DPOR_LOOPS : loop_at(site);
    const struct account *c;
    struct visit now;
    struct visit *last;
    bool same;

    if (BURL_LIKELY(loop >= BURL_DPOR_LOOPS))
        return false;
    c = account_of(t);
    now = (struct visit){ .state = burl__spin_state(t),
                          .held = c->held,
                          .epoch = t->spin_epoch,
                          .effects = c->effects,
                          .calls = t->lib_calls - c->explained,
                          .n_locks = t->n_locks,
                          .execution = awaits.execution };
    last = &awaits.visits[t->tid][loop];
    same = now.state != 0 && is_same(&now, last);
    *last = now;
    if (same) {
        t->parked = true;
        awaits.n_parked++;
    }
    return same;
}

bool
burl__await_release(void)
{
    if (awaits.n_parked == 0)
        return false;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        burl_rt.threads[i]->parked = false;
        burl_rt.threads[i]->yielding = false;
    }
    awaits.n_parked = 0;
    awaits.released = true;
    return true;
}
