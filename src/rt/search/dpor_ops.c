/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dpor_ops.c - which operations depend on one another.
 *
 * Two operations are independent when neither order of them can be told from the other by anybody:
 * same state, same results, neither lets the other happen or keeps it from happening. Everything
 * here may call operations dependent that are not (the search then explores more than it must), and
 * must never call them independent when they are not.
 *
 * An operation touches up to three ranges of bytes, reading or writing. Memory and sync objects
 * share one space of addresses: freeing a block depends on locking the mutex in it, and a futex on
 * writes of its word. Taking and giving back a lock write it; read locks read it, so that two of
 * them commute.
 *
 *   condition variables   a wait writes the condition variable and the mutex; waking up is taking
 *                         the mutex (the order after the signal is told to dpor.c); without a
 *                         signal it writes the condition variable too
 *   barriers              arriving writes, leaving reads
 *   threads               ending and joining write the thread; ending its stack and thread-local
 *                         variables, too; creating ones write a common byte, since the numbers of
 *                         threads follow from it
 *   futexes               write their word and a common byte, since waiters may be moved
 *   library, kernel       a call that keeps something writes or reads a byte that stands for it
 *   free                  writes the block; start, fences and yields touch nothing
 *   all else              depends on everything
 *
 * A call or a copy of a structure has one hook for each range of bytes, and acts after the last of
 * them: memcpy() reads its source at the turn of its write. So each hook of a call touches
 * what the hooks before it do as well.
 *
 * Addresses that malloc hands out are not compared between executions: a program that acts on which
 * of two blocks has the lower address is outside of what a search can prove.
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
add(struct burl_dpor_touch *x, uint64_t addr, uint64_t n, bool write)
{
    x->feet[x->n_feet++] = (struct burl_dpor_foot){ .lo = addr, .hi = addr + n, .write = write };
}

static void
add_object(struct burl_dpor_touch *x, uint64_t addr, bool write)
{
    x->object = true;
    add(x, addr, burl__object_b(addr), write);
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
add_call(struct burl_dpor_touch *x, const struct burl_thread *t, const struct burl_op *op)
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
add_stack(struct burl_dpor_touch *x, const struct burl_thread *t)
{
    uintptr_t lo;
    uintptr_t hi;

    burl__stack_bounds(t, &lo, &hi);
    add(x, lo, hi - lo, true);
}

bool
burl__dpor_is_object(uint8_t kind)
{
    return (kind >= BURL_OP_LOCK && kind <= BURL_OP_SEM_POST) || kind == BURL_OP_INIT ||
           kind == BURL_OP_DESTROY;
}

struct burl_dpor_touch
burl__dpor_touch(const struct burl_thread *t, const struct burl_op *op, bool reads_depend)
{
    struct burl_dpor_touch x = {
        .kind = op->kind, .tries = op->tries, .tears = op->tears, .object = op->object
    };

    switch (op->kind) {
    case BURL_OP_NONE:
    case BURL_OP_START:
    case BURL_OP_FENCE:
    case BURL_OP_YIELD:
    case BURL_OP_SLEEP:
        break;
    case BURL_OP_READ:
    case BURL_OP_ATOMIC_LOAD:
        add(&x, op->addr, burl_op_length(op), reads_depend);
        add_call(&x, t, op);
        break;
    case BURL_OP_WRITE:
    case BURL_OP_ATOMIC_STORE:
    case BURL_OP_ATOMIC_RMW:
    case BURL_OP_ATOMIC_CAS:
    case BURL_OP_FREE:
        add(&x, op->addr, burl_op_length(op), true);
        add_call(&x, t, op);
        break;
    case BURL_OP_RDLOCK:
    case BURL_OP_BARRIER_LEAVE:
        add_object(&x, op->addr, false);
        break;
    case BURL_OP_LOCK:
    case BURL_OP_TRYLOCK:
    case BURL_OP_TIMEDLOCK:
    case BURL_OP_UNLOCK:
    case BURL_OP_WRLOCK:
    case BURL_OP_RWUNLOCK:
    case BURL_OP_COND_SIGNAL:
    case BURL_OP_COND_BROADCAST:
    case BURL_OP_SEM_WAIT:
    case BURL_OP_SEM_POST:
    case BURL_OP_BARRIER_WAIT:
    case BURL_OP_ONCE:
    case BURL_OP_ONCE_DONE:
    case BURL_OP_INIT:
    case BURL_OP_DESTROY:
        add_object(&x, op->addr, true);
        break;
    case BURL_OP_COND_WAKE:
        add_object(&x, op->addr, true);
        if (burl__dpor_is_spurious(op))
            add_object(&x, op->aux, true);
        break;
    case BURL_OP_STATE:
        add(&x, op->addr, 1, op->aux != 0);
        break;
    case BURL_OP_COND_WAIT:
        add_object(&x, op->addr, true);
        add_object(&x, op->aux, true);
        break;
    case BURL_OP_FUTEX_WAIT:
    case BURL_OP_FUTEX_WOKEN:
    case BURL_OP_FUTEX_WAKE:
        add(&x, op->addr, 4, true);
        add(&x, FUTEXES, 1, true);
        break;
    case BURL_OP_CREATE:
        add(&x, CREATION, 1, true);
        break;
    case BURL_OP_JOIN:
    case BURL_OP_DETACH:
        add(&x, thread_addr(op->aux), 1, true);
        break;
    case BURL_OP_EXIT_THREAD:
        add(&x, thread_addr(t->tid), 1, true);
        add_stack(&x, t);
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

static bool
takes_alone(uint8_t kind)
{
    return kind == BURL_OP_LOCK || kind == BURL_OP_WRLOCK || kind == BURL_OP_COND_WAKE;
}

/* The mutex of a wait is its second foot; of its first nobody takes anything. */
bool
burl__dpor_enables(const struct burl_dpor_touch *earlier, const struct burl_dpor_touch *later)
{
    if (earlier->kind == BURL_OP_EXIT_THREAD)
        return later->kind == BURL_OP_JOIN;
    return takes_alone(later->kind) && !later->tries &&
           (earlier->kind == BURL_OP_UNLOCK || earlier->kind == BURL_OP_RWUNLOCK ||
            earlier->kind == BURL_OP_COND_WAIT);
}
