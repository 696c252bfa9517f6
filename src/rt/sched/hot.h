/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/hot.h - the inline path of an access.
 *
 * A small test makes a hundred accesses of a hundred nanoseconds each; calls between files, copies
 * of struct burl_op and tests of rare conditions are most of that. The common case is here; the
 * rare ones go to the functions of sched.c, which do the same.
 */
#ifndef BURL_RT_SCHED_HOT_H
#define BURL_RT_SCHED_HOT_H

#include "rt/core/core.h"
#include "rt/core/heap.h"
#include "rt/core/listener.h"
#include "rt/core/op.h"
#include "rt/core/upcalls.h"
#include "sched.h"

/* Repeats of one read before the thread may be taken to be polling, spin.c. Smaller hides bugs that
 * need a reader to read again at once; larger only costs steps. */
#define BURL_POLL_REPEATS 6u
/* Polls and yields, while no thread was created, ended or woken, after which a repeated read alone
 * is no sign of polling any more: see burl__spin_fresh(). Small tests stay below it. */
#define BURL_POLL_TRUST 1000u

/* So many reads of other places are judged together: a loop over more flags than there are slots
 * never repeats a read that is remembered. */
#define BURL_LONG_READS 1024u

/* A loop over an array of flags has one site: as many neighbors as there are slots have one each,
 * be they words, halves or bytes. */
static inline struct burl_spin_slot *
burl__spin_slot(struct burl_thread *t, uint32_t site, uintptr_t addr)
{
    return &t->spin[(site ^ (addr >> 3) ^ ((addr & 7) << 3)) % BURL_SPIN_SLOTS];
}

/* Called before a read, or an attempt that may fail. A thread that has done just this many times,
 * seen the same value, and changed nothing in between is polling or retries. */
static inline enum burl_spin_read
burl__spin_read(struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b)
{
    struct burl_spin_slot *slot = burl__spin_slot(t, site, addr);
    uint64_t value = burl_load_value(addr, size_b);

    if (burl_has_listener() && burl_rt.listener->parks(t, site))
        return BURL_SPIN_POLL;
    if (slot->epoch != t->spin_epoch || slot->site != site || slot->addr != addr) {
        slot->epoch = t->spin_epoch;
        slot->site = site;
        slot->addr = addr;
        slot->value = value;
        if (BURL_UNLIKELY(burl_rt.exec.idle_yields >= BURL_POLL_TRUST))
            burl__spin_fresh(t);
        if (BURL_UNLIKELY(++t->long_reads % BURL_LONG_READS == 0))
            return burl__spin_judge_long(t);
        return BURL_SPIN_NONE;
    }
    if (slot->value != value) {
        slot->value = value;
        t->spin_hits = 0;
        return BURL_SPIN_NONE;
    }
    t->spin_hits++;
    if (burl_has_listener())
        return burl_rt.listener->is_polling(site, t->spin_hits) ? BURL_SPIN_POLL : BURL_SPIN_NONE;
    return BURL_UNLIKELY(t->spin_hits >= BURL_POLL_REPEATS) ? burl__spin_judge_repeat(t, site)
                                                            : BURL_SPIN_NONE;
}

/* t has changed something that a loop may wait for. */
static inline void
burl__spin_progress(struct burl_thread *t)
{
    t->spin_epoch++;
    t->spin_hits = 0;
    t->soft_yields = 0;
    t->same_state = 0;
}

/* Of (thread, kind, site, heap address): which operations happened, in which order. */
static inline void
burl__hash_step(struct burl_exec *e, const struct burl_thread *t, uint8_t kind, uint32_t site,
                uintptr_t addr)
{
    uint64_t where = burl__heap_owns(addr) ? addr : 0;

    e->hash ^= ((uint64_t)site << 32) ^ ((uint64_t)t->tid << 8) ^ kind ^ where;
    e->hash *= 0x9fb21c651e98df25ull;
    e->hash ^= e->hash >> 32;
}

static inline void
burl__count_access(struct burl_exec *e, struct burl_thread *t, const struct burl_op *op, bool write)
{
    burl__hash_step(e, t, op->kind, op->site, op->addr);
    t->n_ops++;
    if (write) {
        e->progress++;
        burl__spin_progress(t);
    }
}

/* The same as burl__sched_commit() for an access of kind op->kind whose last_site and last_op are
 * set. `write`: READ and its atomic kin change nothing, WRITE and ATOMIC_STORE do. */
static inline void
burl__commit_access(struct burl_thread *t, const struct burl_op *op, bool write)
{
    struct burl_exec *e = &burl_rt.exec;

    if (BURL_UNLIKELY(burl_rt.has_commit_listeners || e->quiet_steps + 1 >= BURL_QUIET_STEPS ||
                      e->steps + 1 >= burl_rt.max_steps || ((e->steps + 1) & 0xffff) == 0)) {
        burl__sched_commit(t, op);
        return;
    }
    burl__count_access(e, t, op, write);
    e->quiet_steps++;
    e->steps++;
}

/* The same for a thinned access (learn/thin.c), which mostly comes in a long quiet time. */
static inline void
burl__commit_thinned(struct burl_thread *t, const struct burl_op *op, bool write)
{
    struct burl_exec *e = &burl_rt.exec;

    if (BURL_UNLIKELY(burl_rt.has_thin_listeners || e->steps + 1 >= burl_rt.max_steps ||
                      ((e->steps + 1) & 0xffff) == 0)) {
        burl__sched_commit(t, op);
        return;
    }
    burl__count_access(e, t, op, write);
    if (++e->quiet_steps >= BURL_QUIET_STEPS)
        burl__livelock_watch(t, op);
    e->steps++;
}

#endif
