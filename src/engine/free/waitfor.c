/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/waitfor.c - the wait-for graph of a free run; contract in waitfor.h.
 *
 * Runs in the host. An edge leads from a blocked thread to a blocked thread that has what it waits
 * for. Locks of running threads do not appear: no cycle passes through a thread that runs. A writer
 * waits for all readers, so an edge to any one of them is enough.
 *
 * Direction of the error: an edge is left out when it is not certain. A thread that holds more
 * locks than a record lists, or the result of a foreign unlock, is a missed cycle.
 */
#include "engine/free/waitfor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- snapshot ---------------------------------------------------------------------- */

/* The program may have written anywhere. */
static bool
is_sane(const struct burl_wire_blocked *r)
{
    return r->state <= BURL_BLOCKED_WAITS && r->op < BURL_OP__N && r->n_locks <= BURL_BLOCKED_LOCKS;
}

/* False: the record changed meanwhile. */
static bool
read_record(struct burl_wire_blocked *out, const struct burl_wire_blocked *r)
{
    /* pairs with the release store of the runtime after a change */
    const uint32_t seq = __atomic_load_n(&r->seq, __ATOMIC_ACQUIRE);

    if (seq % 2 != 0)
        return false;
    *out = *r;
    /* pairs with the release fence of the runtime before a change */
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    out->seq = seq;
    return __atomic_load_n(&r->seq, __ATOMIC_RELAXED) == seq;
}

static int
by_tid(const void *a, const void *b)
{
    const struct burl_wire_blocked *x = a;
    const struct burl_wire_blocked *y = b;

    return (x->tid > y->tid) - (x->tid < y->tid);
}

static uint64_t
sum_of(const struct burl_wire_blocked_table *table)
{
    uint64_t sum = 0;

    /* A number only grows, so equal sums are equal numbers. */
    for (size_t i = 0; i < BURL_WIRE_MAX_BLOCKED; i++)
        sum += __atomic_load_n(&table->v[i].seq, __ATOMIC_ACQUIRE);
    return sum;
}

bool
burl_waitfor_read(struct burl_waitfor *g, const struct burl_wire_blocked_table *table)
{
    const uint64_t before = sum_of(table);

    memset(g, 0, sizeof *g);
    for (size_t i = 0; i < BURL_WIRE_MAX_BLOCKED; i++) {
        struct burl_wire_blocked *r = &g->v[g->n];

        if (!read_record(r, &table->v[i]) || !is_sane(r))
            return false;
        g->n += r->state != BURL_BLOCKED_NONE;
    }
    g->lost = __atomic_load_n(&table->n_lost, __ATOMIC_RELAXED) != 0;
    g->foreign_unlock = __atomic_load_n(&table->foreign_unlock, __ATOMIC_RELAXED) != 0;
    g->sum = before;
    qsort(g->v, g->n, sizeof g->v[0], by_tid);
    return burl_waitfor_still(g, table);
}

/* A thread changes its record within nanoseconds, unless it is preempted meanwhile. */
#define COPY_TRIES 1000u

void
burl_waitfor_copy(struct burl_waitfor *g, const struct burl_wire_blocked_table *table)
{
    memset(g, 0, sizeof *g);
    for (size_t i = 0; i < BURL_WIRE_MAX_BLOCKED; i++) {
        struct burl_wire_blocked *r = &g->v[g->n];
        bool whole = false;

        for (unsigned k = 0; k < COPY_TRIES && !whole; k++)
            whole = read_record(r, &table->v[i]);
        if (whole && is_sane(r))
            g->n += r->state != BURL_BLOCKED_NONE;
    }
    memset(&g->v[g->n], 0, (BURL_WIRE_MAX_BLOCKED - g->n) * sizeof g->v[0]);
    qsort(g->v, g->n, sizeof g->v[0], by_tid);
}

bool
burl_waitfor_still(const struct burl_waitfor *g, const struct burl_wire_blocked_table *table)
{
    return sum_of(table) == g->sum;
}

/* ---- edges ------------------------------------------------------------------------- */

/* Blocked without a time-out. */
static bool
is_stuck(const struct burl_waitfor *g, size_t i)
{
    const struct burl_wire_blocked *r = &g->v[i];

    return r->state == BURL_BLOCKED_WAITS &&
           ((r->flags & BURL_BLOCKED_F_TIMED) == 0 || g->retakes[i]);
}

static bool
is_rwlock(const struct burl_wire_blocked *r)
{
    return r->op == BURL_OP_RDLOCK || r->op == BURL_OP_WRLOCK;
}

static bool
is_lock(const struct burl_waitfor *g, size_t i)
{
    return g->v[i].op == BURL_OP_LOCK || is_rwlock(&g->v[i]) || g->retakes[i];
}

static bool
holds(const struct burl_wire_blocked *r, uint64_t addr, bool exclusive_only)
{
    for (uint32_t i = 0; i < r->n_locks; i++) {
        if (r->locks[i].addr == addr && (!exclusive_only || r->locks[i].mode != BURL_LOCK_SHARED))
            return true;
    }
    return false;
}

static bool
lock_edge(const struct burl_waitfor *g, size_t i, size_t k)
{
    const struct burl_wire_blocked *r = &g->v[i];
    const struct burl_wire_blocked *other = &g->v[k];
    const bool reads = r->op == BURL_OP_RDLOCK;

    if (g->foreign_unlock && (r->flags & BURL_BLOCKED_F_MUTEX) == 0 && r->op != BURL_OP_ONCE)
        return false;
    /* glibc refuses a lock that the thread holds for writing. */
    if (i == k &&
        ((r->flags & BURL_BLOCKED_F_CHECKED) != 0 || (is_rwlock(r) && holds(r, r->addr, true))))
        return false;
    if (holds(other, r->addr, reads))
        return true;
    return reads && (r->flags & BURL_BLOCKED_F_WRITERS_FIRST) != 0 && other->op == BURL_OP_WRLOCK &&
           other->addr == r->addr;
}

/* Does thread i wait, without a time-out, for something that thread k has? */
static bool
has_edge(const struct burl_waitfor *g, size_t i, size_t k)
{
    const struct burl_wire_blocked *r = &g->v[i];

    if (!is_stuck(g, i) || !is_stuck(g, k))
        return false;
    switch (r->op) {
    case BURL_OP_JOIN:
        return r->target == g->v[k].tid;
    case BURL_OP_COND_WAIT:
        return g->retakes[i] && holds(&g->v[k], r->mutex, true);
    case BURL_OP_LOCK:
    case BURL_OP_RDLOCK:
    case BURL_OP_WRLOCK:
    case BURL_OP_ONCE:
        return lock_edge(g, i, k);
    default:
        return false;
    }
}

bool
burl_waitfor_all_stuck(const struct burl_waitfor *g)
{
    for (size_t i = 0; i < g->n; i++) {
        if (!is_stuck(g, i))
            return false;
    }
    return g->n > 0 && !g->lost;
}

void
burl_waitfor_attempts(const struct burl_waitfor *g, const struct burl_wire_blocked_table *table,
                      uint64_t *attempts)
{
    memset(attempts, 0, g->n * sizeof attempts[0]);
    for (size_t k = 0; k < BURL_WIRE_MAX_BLOCKED; k++) {
        const struct burl_wire_blocked *r = &table->v[k];

        for (size_t i = 0; i < g->n; i++) {
            if (g->v[i].tid == r->tid && r->state == BURL_BLOCKED_WAITS &&
                (g->v[i].flags & BURL_BLOCKED_F_SPINS) != 0)
                attempts[i] = __atomic_load_n(&r->n_failed, __ATOMIC_ACQUIRE);
        }
    }
}

/* The first attempt that is counted may have been made before. */
bool
burl_waitfor_failed_since(const struct burl_waitfor *g, size_t i, uint64_t attempts)
{
    const struct burl_wire_blocked *r = &g->v[i];

    return (r->flags & BURL_BLOCKED_F_SPINS) == 0 || r->n_failed >= attempts + 2;
}

/* ---- cycles ------------------------------------------------------------------------ */

enum color { WHITE = 0, ON_PATH, DONE };

struct search {
    const struct burl_waitfor *g;
    bool joins;
    uint8_t color[BURL_WIRE_MAX_BLOCKED];
    size_t path[BURL_WIRE_MAX_BLOCKED];
    size_t n;
};

/* The part of the path from thread k on, which is a cycle. False: it is too long to report, or has
 * nothing but joins. */
static bool
take_cycle(const struct search *s, size_t k, struct burl_waitfor_cycle *c)
{
    size_t from = s->n;
    size_t first = 0;
    bool counts = false;

    while (s->path[from - 1] != k)
        from--;
    from--;
    c->n = s->n - from;
    if (c->n > BURL_WIRE_MAX_CYCLE)
        return false;
    for (size_t i = 0; i < c->n; i++) {
        counts = counts || s->g->v[s->path[from + i]].op != BURL_OP_JOIN;
        if (s->path[from + i] < s->path[from + first])
            first = i;
    }
    for (size_t i = 0; i < c->n; i++)
        c->at[i] = s->path[from + (first + i) % c->n];
    return counts;
}

static bool
visit(struct search *s, size_t i, struct burl_waitfor_cycle *c)
{
    const struct burl_waitfor *g = s->g;

    s->color[i] = ON_PATH;
    s->path[s->n++] = i;
    for (size_t k = 0; k < g->n; k++) {
        if ((g->v[i].op == BURL_OP_JOIN && !s->joins) || s->color[k] == DONE || !has_edge(g, i, k))
            continue;
        if (s->color[k] == ON_PATH ? take_cycle(s, k, c) : visit(s, k, c))
            return true;
    }
    s->color[i] = DONE;
    s->n--;
    return false;
}

bool
burl_waitfor_find_cycle(const struct burl_waitfor *g, bool joins, struct burl_waitfor_cycle *c)
{
    struct search s = { .g = g, .joins = joins };

    for (size_t i = 0; i < g->n; i++) {
        if (s.color[i] == WHITE && visit(&s, i, c))
            return true;
    }
    c->n = 0;
    return false;
}

/* ---- verdicts ---------------------------------------------------------------------- */

static void
add_wait(struct burl_wire_verdict *v, const struct burl_waitfor *g, size_t i, uint16_t owner)
{
    const struct burl_wire_blocked *r = &g->v[i];

    if (v->n_waits >= BURL_WIRE_MAX_CYCLE)
        return;
    v->waits[v->n_waits++] = (struct burl_wire_wait){
        .addr = g->retakes[i] ? r->mutex : r->addr,
        .site = r->site,
        .tid = r->tid,
        .owner = owner,
        .kind = g->retakes[i] ? BURL_OP_COND_WAKE : r->op,
    };
}

/* A thread that waits for itself in a plain lock has a kind of its own. */
static void
relock_verdict(const struct burl_wire_blocked *r, struct burl_wire_verdict *v)
{
    const char *text = (r->flags & BURL_BLOCKED_F_SPINS) != 0
                           ? "a thread spins on a lock that it already holds"
                           : "a thread locks a mutex that it already holds";

    v->kind = BURL_VERDICT_MISUSE_RELOCK;
    v->tid = r->tid;
    v->op = r->op;
    v->site = r->site;
    v->addr = r->addr;
    memcpy(v->stack, r->stack, sizeof v->stack);
    snprintf(v->text, sizeof v->text, "%s", text);
}

void
burl_waitfor_cycle_verdict(const struct burl_waitfor *g, const struct burl_waitfor_cycle *c,
                           struct burl_wire_verdict *v)
{
    bool lock = false;

    memset(v, 0, sizeof *v);
    if (c->n == 1 && g->v[c->at[0]].op == BURL_OP_LOCK) {
        relock_verdict(&g->v[c->at[0]], v);
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        add_wait(v, g, c->at[i], g->v[c->at[(i + 1) % c->n]].tid);
        lock = lock || is_lock(g, c->at[i]);
    }
    v->kind = lock ? BURL_VERDICT_DEADLOCK_CYCLE : BURL_VERDICT_DEADLOCK_STUCK;
    v->tid = BURL_TID_NONE;
    v->addr = v->waits[0].addr;
}

void
burl_waitfor_stuck_verdict(const struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    struct burl_waitfor_cycle c;

    if (burl_waitfor_find_cycle(g, true, &c)) {
        burl_waitfor_cycle_verdict(g, &c, v);
        if (v->kind != BURL_VERDICT_DEADLOCK_STUCK)
            return;
    }
    memset(v, 0, sizeof *v);
    v->kind = BURL_VERDICT_DEADLOCK_STUCK;
    v->tid = BURL_TID_NONE;
    for (size_t i = 0; i < g->n; i++) {
        uint16_t owner = BURL_TID_NONE;

        for (size_t k = 0; k < g->n && owner == BURL_TID_NONE; k++) {
            if (has_edge(g, i, k))
                owner = g->v[k].tid;
        }
        add_wait(v, g, i, owner);
    }
    v->addr = v->waits[0].addr;
}

/* Which of three rounds lists the thread. */
static unsigned
hang_round(const struct burl_waitfor *g, size_t i)
{
    return g->loops[i] ? 0 : g->v[i].op != BURL_OP_JOIN ? 1 : 2;
}

/* Many threads in one place are listed once, as long as others are not. */
static bool
is_listed(const struct burl_wire_verdict *v, const struct burl_wire_wait *w)
{
    for (uint32_t i = 0; i < v->n_waits; i++) {
        if (v->waits[i].site == w->site && v->waits[i].kind == w->kind)
            return true;
    }
    return false;
}

void
burl_waitfor_hang_verdict(const struct burl_waitfor *g, struct burl_wire_verdict *v)
{
    bool done[BURL_WIRE_MAX_BLOCKED] = { false };

    memset(v, 0, sizeof *v);
    v->kind = BURL_VERDICT_HANG_TIMEOUT;
    v->tid = BURL_TID_NONE;
    /* The second half: those whose place is listed already. */
    for (unsigned round = 0; round < 6; round++) {
        for (size_t i = 0; i < g->n && v->n_waits < BURL_WIRE_MAX_CYCLE; i++) {
            const struct burl_wire_blocked *r = &g->v[i];
            const struct burl_wire_wait w = { .addr = g->loops[i] ? 0 : r->addr,
                                              .site = g->loops[i] ? g->loop_sites[i] : r->site,
                                              .tid = r->tid,
                                              .owner =
                                                  r->op == BURL_OP_JOIN ? r->target : BURL_TID_NONE,
                                              .kind = r->op };

            if (done[i] || hang_round(g, i) != round % 3 || (round < 3 && is_listed(v, &w)))
                continue;
            v->waits[v->n_waits++] = w;
            done[i] = true;
        }
    }
}
