/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/symmetry.c - symmetric threads in a search.
 *
 * Two threads that the same thread created with the same start routine and the same argument do
 * the same until they have seen what others do: their first operation that others can observe (the
 * second; the first is to start) is the same, too. Whatever happens when the higher-numbered one
 * comes first with it happens, with the two exchanged, when the lower one does. So in a
 * search the higher waits there for the lower: a program with one more condition, whose
 * schedules are all explored. N such threads make for up to N! times fewer executions.
 *
 * That holds as long as nothing tells them apart. Threads count as symmetric if all of these
 * conditions hold; where one turns out not to, the search begins again without symmetry
 * (burl__symmetry_named() and the checks below):
 *   - they were created by one thread, in a row of creates without another visible operation in
 *     it, with equal attributes, signal mask and floating-point modes;
 *   - their first operation that others can observe has the same kind, site and object;
 *   - none reads its identity (pthread_self, gettid, thrd_current), and no call is given the handle
 *     of one but for a plain pthread_join or thrd_join: detaching, canceling, signaling, timed
 *     joins, joins that only try, names and priorities all set them apart;
 *   - one thread joins all of the group in a row, which is one wait for all of them. A joiner for
 *     each, or another visible operation before the rest is joined, sets them apart;
 *   - they exit with the same result;
 *   - none stores an address of its stack or of its thread-local variables in memory that others
 *     use.
 * Not seen, and so assumed not to matter: numbers computed from such addresses. Symmetry is not
 * used where location pairs are the goal.
 */
#include <string.h>

#include "dpor.h"
#include "rt/core/core.h"
#include "rt/core/op.h"

/* What must be equal of two threads besides what struct burl_thread has. */
struct birth {
    uint64_t sig_blocked; /* inherited */
    uint32_t row;         /* visible operations of the creator that were not creates */
    uint32_t fp_modes;
};

static_assert(sizeof(struct birth) == 16, "compared as bytes: no padding");

static struct {
    uint32_t *apart;                 /* in shared memory: they are distinguished */
    uint64_t joined[BURL_DPOR_TIDS]; /* by this thread, in the row of joins it is in */
    uint32_t rows[BURL_DPOR_TIDS];   /* by creator: visible operations that were not creates */
    struct birth births[BURL_DPOR_TIDS];
    struct burl_op first[BURL_DPOR_TIDS]; /* the first operation after START */
    struct burl_op stored;                /* the last operation, when it may store an address */
    const struct burl_thread *stored_by;
} sym;

void
burl__symmetry_begin(uint32_t *apart)
{
    sym.apart = apart;
    sym.stored_by = NULL;
    memset(sym.joined, 0, sizeof sym.joined);
    memset(sym.rows, 0, sizeof sym.rows);
}

static bool
are_symmetric(uint32_t u, uint32_t v)
{
    const struct burl_thread *a = burl_rt.threads[u];
    const struct burl_thread *b = burl_rt.threads[v];

    return u != 0 && v != 0 && a->parent == b->parent && a->start == b->start &&
           a->start_c11 == b->start_c11 && a->arg == b->arg && a->attr_sum == b->attr_sum &&
           memcmp(&sym.births[u], &sym.births[v], sizeof sym.births[u]) == 0;
}

static uint32_t
n_known(void)
{
    return burl_rt.exec.n_threads < BURL_DPOR_TIDS ? burl_rt.exec.n_threads : BURL_DPOR_TIDS;
}

/* The next lower thread that is symmetric to t; 0: there is none. */
static uint32_t
one_before(uint32_t t)
{
    for (uint32_t u = t; u > 1; u--) {
        if (are_symmetric(u - 1, t))
            return u - 1;
    }
    return 0;
}

uint64_t
burl__symmetry_waiting(uint64_t enabled)
{
    uint64_t waiting = 0;

    if (*sym.apart != 0)
        return 0;
    for (uint64_t rest = enabled; rest != 0; rest &= rest - 1) {
        const uint32_t t = (uint32_t)__builtin_ctzll(rest);
        const uint32_t before = burl__dpor_count((uint16_t)t) == 1 ? one_before(t) : 0;

        if (before != 0 && burl__dpor_count((uint16_t)before) < 2)
            waiting |= burl__dpor_bit(t);
    }
    return waiting;
}

void
burl__symmetry_named(const struct burl_thread *t)
{
    for (uint32_t v = 1; v < n_known() && t->tid < BURL_DPOR_TIDS && *sym.apart == 0; v++) {
        if (v != t->tid && are_symmetric(t->tid, v))
            *sym.apart = 1;
    }
}

/* The row of joins of one thread is over: does it hold all of each group, with one result? */
static void
check_row(uint64_t row)
{
    for (uint64_t rest = row; rest != 0; rest &= rest - 1) {
        const uint32_t u = (uint32_t)__builtin_ctzll(rest);

        for (uint32_t v = 1; v < n_known(); v++) {
            if (v != u && are_symmetric(u, v) &&
                ((row & burl__dpor_bit(v)) == 0 ||
                 burl_rt.threads[v]->result != burl_rt.threads[u]->result))
                *sym.apart = 1;
        }
    }
}

/* A failure is no operation, so a row of joins may end with the execution. The row of a thread that
 * is about to join another has not ended. */
void
burl__symmetry_end(void)
{
    for (uint32_t i = 0; i < n_known() && *sym.apart == 0; i++) {
        const struct burl_thread *t = burl_rt.threads[i];
        const bool joins =
            t->op.kind == BURL_OP_JOIN && (t->state == BURL_THREAD_BLOCKED || t != burl_rt.current);

        if (sym.joined[i] != 0 && !joins)
            check_row(sym.joined[i]);
    }
}

static uint32_t
fp_modes(void)
{
    uint32_t mxcsr;

    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    return mxcsr & ~0x3fu; /* without the flags of what happened */
}

/* t is about to create a thread: the next number is its own. */
static void
note_birth(const struct burl_thread *t)
{
    const uint32_t child = burl_rt.exec.n_threads;

    if (child < BURL_DPOR_TIDS)
        sym.births[child] = (struct birth){ .sig_blocked = t->sig_blocked,
                                            .row = sym.rows[t->tid],
                                            .fp_modes = fp_modes() };
}

/* Symmetric threads begin with the same operation. */
static void
check_first(const struct burl_thread *t, const struct burl_op *op)
{
    const uint32_t before = one_before(t->tid);
    const struct burl_op *f = &sym.first[before];

    sym.first[t->tid] = *op;
    if (before == 0)
        return;
    if (f->kind != op->kind || f->site != op->site || f->addr != op->addr ||
        (op->kind != BURL_OP_CREATE && f->aux != op->aux)) {
        *sym.apart = 1;
        return;
    }
    burl__dpor_in_turn(t->tid, (uint16_t)before);
}

/* Is `value` an address of t's stack or thread-local variables? */
static bool
is_own_address(const struct burl_thread *t, uint64_t value)
{
    const uintptr_t hi = t->tls_hi > t->stack_hi ? t->tls_hi : t->stack_hi;

    return value >= t->stack_lo && value < hi && t->stack_lo != 0;
}

/* Called at the next operation, when the store of the last one has happened. */
static void
check_stored(void)
{
    const struct burl_op *op = &sym.stored;
    const struct burl_thread *t = sym.stored_by;
    const uint64_t end = op->addr + (op->aux < 256 ? op->aux : 256);
    uint64_t value;

    sym.stored_by = NULL;
    for (uint64_t at = op->addr; at + sizeof value <= end; at += sizeof value) {
        memcpy(&value, (const void *)(uintptr_t)at, sizeof value);
        if (is_own_address(t, value))
            burl__symmetry_named(t);
    }
}

static bool
may_store_address(const struct burl_thread *t, const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_WRITE) && op->aux >= sizeof(uint64_t) &&
           !is_own_address(t, op->addr);
}

void
burl__symmetry_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (t->tid >= BURL_DPOR_TIDS || *sym.apart != 0)
        return;
    if (sym.stored_by != NULL)
        check_stored();
    if (may_store_address(t, op)) {
        sym.stored = *op;
        sym.stored_by = t;
    }
    if (burl__dpor_count(t->tid) == 1)
        check_first(t, op);
    if (op->kind == BURL_OP_CREATE)
        note_birth(t);
    else
        sym.rows[t->tid]++;
    if (op->kind == BURL_OP_JOIN) {
        sym.joined[t->tid] |= burl__dpor_bit((uint32_t)op->aux);
        return;
    }
    if (sym.joined[t->tid] != 0) {
        check_row(sym.joined[t->tid]);
        sym.joined[t->tid] = 0;
    }
}
