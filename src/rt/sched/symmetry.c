/* SPDX-License-Identifier: Apache-2.0 */
/*
 * symmetry.c - threads that are interchangeable, in a search.
 *
 * Two threads that the same thread created with the same start routine and the same argument do
 * the same until they have seen what others do: their first operation that others can tell (the
 * second; the first is to start) is the same, too. Whatever happens when the higher-numbered one
 * comes first with it happens, with the two names exchanged, when the lower one does. So in a
 * search the higher waits there for the lower: a system with one more condition, of which all
 * schedules are explored as of any other. N such threads make for up to N! times fewer executions.
 *
 * That holds as long as nobody tells them apart. The search looks for it, and where it sees it
 * begins again without this:
 *   - a thread of such a group asks who it is (pthread_self, gettid, thrd_current);
 *   - one of them is detached by name;
 *   - somebody joins some of a group, then does something else before the rest is joined; joins in
 *     a row are one wait for all of them;
 *   - threads of a group end with different results.
 * Not seen, and so assumed not to matter: the order of addresses of their stacks and thread-local
 * variables. In a hunt for location pairs this is not used.
 */
#include "../rt_core.h"
#include "dpor.h"

static struct {
    uint32_t *apart;                 /* in shared memory: they are told apart */
    uint64_t joined[BURL_DPOR_TIDS]; /* by this thread, in the row of joins it is in */
} sym;

void
burl__symmetry_begin(uint32_t *apart)
{
    sym.apart = apart;
    for (uint32_t i = 0; i < BURL_DPOR_TIDS; i++)
        sym.joined[i] = 0;
}

static bool
are_alike(uint32_t u, uint32_t v)
{
    const struct burl_thread *a = burl_rt.threads[u];
    const struct burl_thread *b = burl_rt.threads[v];

    return u != 0 && v != 0 && a->parent == b->parent && a->start == b->start &&
           a->start_c11 == b->start_c11 && a->arg == b->arg && a->detached == b->detached;
}

static uint32_t
n_known(void)
{
    return burl_rt.exec.n_threads < BURL_DPOR_TIDS ? burl_rt.exec.n_threads : BURL_DPOR_TIDS;
}

/* The one that goes before t: the next lower of its kind; 0: there is none. */
static uint32_t
one_before(uint32_t t)
{
    for (uint32_t u = t; u > 1; u--) {
        if (are_alike(u - 1, t))
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
        if (v != t->tid && are_alike(t->tid, v))
            *sym.apart = 1;
    }
}

/* The row of joins is over: have all of each group been joined, with one result? */
static void
check_row(uint64_t row)
{
    for (; row != 0; row &= row - 1) {
        const uint32_t u = (uint32_t)__builtin_ctzll(row);

        for (uint32_t v = 1; v < n_known(); v++) {
            const struct burl_thread *b = burl_rt.threads[v];

            if (v != u && are_alike(u, v) &&
                (!b->joined || b->result != burl_rt.threads[u]->result))
                *sym.apart = 1;
        }
    }
}

void
burl__symmetry_commit(const struct burl_thread *t, const struct burl_op *op)
{
    const struct burl_thread *target;

    if (t->tid >= BURL_DPOR_TIDS || *sym.apart != 0)
        return;
    if (burl__dpor_count(t->tid) == 1 && one_before(t->tid) != 0)
        burl__dpor_in_turn(t->tid, (uint16_t)one_before(t->tid));
    if (op->kind == BURL_OP_JOIN) {
        sym.joined[t->tid] |= burl__dpor_bit((uint32_t)op->aux);
        return;
    }
    target = op->kind == BURL_OP_DETACH ? burl_thread_by_tid((uint16_t)op->aux) : NULL;
    if (target != NULL && target != t)
        burl__symmetry_named(target);
    if (sym.joined[t->tid] != 0) {
        check_row(sym.joined[t->tid]);
        sym.joined[t->tid] = 0;
    }
}
