/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/dpor_ops.c - which operations depend on one another.
 *
 * Two operations are independent when no thread can tell their two orders apart: same state, same
 * results, neither enables or disables the other. Everything here may call operations dependent
 * that are not (the search then explores more than it must), and must never call them independent
 * when they are not.
 *
 * An operation touches up to three ranges of bytes, reading or writing. Memory and sync objects
 * share one address space: freeing a block depends on locking the mutex in it, and a futex on
 * writes of its word. Acquiring and releasing a lock write it; read locks read it, so that two of
 * them commute.
 *
 *   condition variables   a wait writes the condition variable and the mutex; a wakeup acquires the
 *                         mutex (burl__dpor_woken() orders it after the signal); without a
 *                         signal it writes the condition variable too
 *   barriers              arriving writes, leaving reads
 *   threads               exit and join write the thread; exit also writes its stack and
 *                         thread-local variables; creating writes a common byte, since the numbers
 *                         of threads follow from it
 *   futexes               write their word and a common byte, since waiters may be moved
 *   library, kernel       a call that keeps something writes or reads a byte that stands for it; a
 *                         barrier in all threads depends on everything
 *   free                  writes the block; start, fences and yields touch nothing
 *   all else              depends on everything
 *
 * A call or a copy of a structure has one hook for each range of bytes, and acts after the last of
 * them: memcpy() reads its source when its write has its turn. So each hook of a call also touches
 * what the hooks before it do.
 *
 * Addresses that malloc returns are not compared between executions: for a program that depends on
 * which of two blocks has the lower address a search proves nothing.
 */
#include "dpor.h"
#include "rt/core/core.h"
#include "rt/core/op.h"
#include "rt/core/stacks.h"
#include "rt/sched/sched.h"

/* Bytes no program has: the first page. */
#define CREATION 8u
#define FUTEXES 16u

/* The accesses so far of the call that a thread is in. */
static struct {
    struct burl_dpor_foot feet[BURL_DPOR_FEET - 1];
    uint32_t site; /* of the last one */
    uint32_t execution;
    uint32_t n;
} calls[BURL_DPOR_TIDS];
static uint32_t execution;

static void
touch_bytes(struct burl_dpor_touch *x, uint64_t addr, uint64_t n, bool write)
{
    x->feet[x->n_feet++] = (struct burl_dpor_foot){ .lo = addr, .hi = addr + n, .write = write };
}

static void
touch_object(struct burl_dpor_touch *x, uint64_t addr, bool write)
{
    x->object = true;
    touch_bytes(x, addr, burl__object_b(addr), write);
}

static uint64_t
thread_addr(uint64_t tid)
{
    return (uint64_t)(uintptr_t)burl_thread_by_tid((uint16_t)tid);
}

bool
burl__dpor_is_spurious(const struct burl_op *op)
{
    return op->kind == BURL_OP_COND_WAKE && op->aux != 0 && op->aux != op->addr;
}

/* Sites of one call have numbers in a row. Taking too many accesses for those of one call costs
 * interleavings, never a proof. */
static bool
continues_call(const struct burl_thread *t, const struct burl_op *op)
{
    return op->in_call && t->tid < BURL_DPOR_TIDS && calls[t->tid].execution == execution &&
           calls[t->tid].n > 0 && op->site - calls[t->tid].site - 1 < BURL_DPOR_FEET - 1;
}

static void
touch_call(struct burl_dpor_touch *x, const struct burl_thread *t, const struct burl_op *op)
{
    for (uint32_t i = 0; continues_call(t, op) && i < calls[t->tid].n; i++)
        x->feet[x->n_feet++] = calls[t->tid].feet[i];
}

void
burl__dpor_begin_calls(void)
{
    execution++;
}

void
burl__dpor_note_call(const struct burl_thread *t, const struct burl_op *op, bool is_event)
{
    if (t->tid >= BURL_DPOR_TIDS)
        return;
    if (!continues_call(t, op))
        calls[t->tid].n = 0;
    if (!op->in_call)
        return;
    calls[t->tid].execution = execution;
    calls[t->tid].site = op->site;
    if (is_event && calls[t->tid].n < BURL_DPOR_FEET - 1)
        calls[t->tid].feet[calls[t->tid].n++] = (struct burl_dpor_foot){
            .lo = op->addr, .hi = op->addr + burl_op_length(op), .write = op->kind != BURL_OP_READ
        };
}

/* With its thread-local variables. */
static void
touch_stack(struct burl_dpor_touch *x, const struct burl_thread *t)
{
    uintptr_t lo;
    uintptr_t hi;

    burl__stack_bounds(t, &lo, &hi);
    touch_bytes(x, lo, hi - lo, true);
}

bool
burl__dpor_is_object(uint8_t kind)
{
    return (kind >= BURL_OP_LOCK && kind <= BURL_OP_FUTEX_WAKE) || kind == BURL_OP_INIT ||
           kind == BURL_OP_DESTROY;
}

#define KINDS_NOTHING \
    (BURL_KIND(NONE) | BURL_KIND(START) | BURL_KIND(FENCE) | BURL_KIND(YIELD) | BURL_KIND(SLEEP))
#define KINDS_ONCE (BURL_KIND(ONCE) | BURL_KIND(ONCE_DONE))
#define KINDS_READ_OBJECT (BURL_KIND(RDLOCK) | BURL_KIND(BARRIER_LEAVE))
#define KINDS_WRITE_OBJECT                                                                \
    (BURL_KIND(LOCK) | BURL_KIND(TRYLOCK) | BURL_KIND(TIMEDLOCK) | BURL_KIND(UNLOCK) |    \
     BURL_KIND(WRLOCK) | BURL_KIND(RWUNLOCK) | BURL_KIND(COND_SIGNAL) |                   \
     BURL_KIND(COND_BROADCAST) | BURL_KIND(SEM_WAIT) | BURL_KIND(SEM_POST) |              \
     BURL_KIND(BARRIER_WAIT) | BURL_KIND(ONCE) | BURL_KIND(ONCE_DONE) | BURL_KIND(INIT) | \
     BURL_KIND(DESTROY))

struct burl_dpor_touch
burl__dpor_touch(const struct burl_thread *t, const struct burl_op *op, bool reads_depend)
{
    struct burl_dpor_touch x = {
        .kind = op->kind, .tries = op->tries, .tears = op->tears, .object = op->object
    };

    if (burl_kind_in(op->kind, KINDS_NOTHING))
        return x;
    if (burl_kind_in(op->kind, BURL_KINDS_ACCESS | BURL_KIND(FREE))) {
        const bool writes = !burl_kind_in(op->kind, BURL_KINDS_ONLY_READ);

        touch_bytes(&x, op->addr, burl_op_length(op), writes || reads_depend);
        touch_call(&x, t, op);
        return x;
    }
    if (burl_kind_in(op->kind, KINDS_ONCE) && burl__object_is_guard(op->addr)) {
        touch_bytes(&x, op->addr, 1, true); /* compiled code reads this byte by itself */
        return x;
    }
    if (burl_kind_in(op->kind, KINDS_READ_OBJECT | KINDS_WRITE_OBJECT)) {
        touch_object(&x, op->addr, burl_kind_in(op->kind, KINDS_WRITE_OBJECT));
        return x;
    }
    switch (op->kind) {
    case BURL_OP_COND_WAKE:
        touch_object(&x, op->addr, true);
        if (burl__dpor_is_spurious(op))
            touch_object(&x, op->aux, true);
        break;
    case BURL_OP_STATE:
        x.all = op->aux == BURL_STATE_ALL;
        touch_bytes(&x, op->addr, 1, op->aux != 0);
        break;
    case BURL_OP_COND_WAIT:
        touch_object(&x, op->addr, true);
        touch_object(&x, op->aux, true);
        break;
    case BURL_OP_FUTEX_WAIT:
    case BURL_OP_FUTEX_WOKEN:
    case BURL_OP_FUTEX_WAKE:
        touch_bytes(&x, op->addr, 4, true);
        touch_bytes(&x, FUTEXES, 1, true);
        break;
    case BURL_OP_CREATE:
        touch_bytes(&x, CREATION, 1, true);
        break;
    case BURL_OP_JOIN:
    case BURL_OP_DETACH:
        touch_bytes(&x, thread_addr(op->aux), 1, true);
        break;
    case BURL_OP_EXIT_THREAD:
        touch_bytes(&x, thread_addr(t->tid), 1, true);
        touch_stack(&x, t);
        break;
    default:
        x.all = true;
        break;
    }
    return x;
}

static bool
meet(const struct burl_dpor_foot *a, const struct burl_dpor_foot *b)
{
    return a->lo < b->hi && b->lo < a->hi && (a->write || b->write);
}

bool
burl__dpor_depend(const struct burl_dpor_touch *a, const struct burl_dpor_touch *b)
{
    /* Also on what touches nothing: a thread that has not started would do more. */
    if (a->all || b->all)
        return true;
    for (uint32_t i = 0; i < a->n_feet; i++) {
        for (uint32_t k = 0; k < b->n_feet; k++) {
            if (meet(&a->feet[i], &b->feet[k]))
                return true;
        }
    }
    return false;
}

/* The mutex of a wait is its second foot; nothing is taken of the first, the condition variable. */
bool
burl__dpor_enables(const struct burl_dpor_touch *earlier, const struct burl_dpor_touch *later)
{
    const uint64_t takes_alone = BURL_KIND(LOCK) | BURL_KIND(WRLOCK) | BURL_KIND(COND_WAKE);
    const uint64_t releases = BURL_KIND(UNLOCK) | BURL_KIND(RWUNLOCK) | BURL_KIND(COND_WAIT);

    if (earlier->kind == BURL_OP_EXIT_THREAD)
        return later->kind == BURL_OP_JOIN;
    return burl_kind_in(later->kind, takes_alone) && !later->tries &&
           burl_kind_in(earlier->kind, releases);
}
