/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose.c - selects the operations of an execution to show.
 *
 * Runs in the host. A failing execution has thousands of operations and a bug needs a handful.
 * Every operation gets a weight by its relation to the failure and to the preemptions of the
 * schedule (which is minimized, so each preemption matters); the heaviest are shown.
 *
 * Shared data are bytes on which two threads conflict: both access them, one writes, and no create
 * or join orders the two (vector clocks over those alone, after Lamport and FastTrack; Flanagan and
 * Freund, 2009). Departure: locks do not order anything here, because a bug may be a wrong use of
 * the lock. Per byte only the last write and the last read are kept. A wrong guess only shows one
 * line too many or too few, and --trace shows all.
 */
#include "report/explain/pattern_int.h"

enum weight {
    WEIGHT_NONE = 0,
    WEIGHT_MINOR = 20,  /* init, destroy, yield, sleep */
    WEIGHT_SHARED = 60, /* access to data two threads use */
    WEIGHT_SYNC = 80,
    WEIGHT_SWITCH = 100,  /* beside a switch that is not a preemption */
    WEIGHT_RELATED = 120, /* on the same data as an operation beside a preemption */
    WEIGHT_VERDICT = 160, /* on the object the verdict is about */
    WEIGHT_PREEMPT = 180, /* beside a preemption */
    WEIGHT_FAILURE = 200
};

/* One access to a byte: its thread, and when in the thread's own count of creates and exits. */
struct epoch {
    uint32_t clock; /* 0: none yet */
    uint16_t tid;
};

/* State of eight bytes of the program's memory. */
struct granule {
    struct epoch write[8];
    struct epoch read[8];
    uint8_t shared; /* bit per byte */
    bool related;
};

struct chooser {
    const struct burl__report_walk *w;
    struct burl_map map; /* address / 8 to index + 1 */
    BURL_VEC(struct granule) granules;
    uint8_t *weight;
    uint32_t *clocks; /* n x n: what each thread knows of each; NULL when there are too many */
};

/* More threads than this would need more memory for the clocks than they are worth; then every
 * byte that two threads touch and one writes counts as shared. */
#define MAX_CLOCKS 512u

static uint32_t *
clock_of(struct chooser *c, uint16_t tid)
{
    return c->clocks != NULL ? &c->clocks[(size_t)tid * c->w->n_threads] : NULL;
}

static void
join_clock(struct chooser *c, uint16_t into, uint16_t from)
{
    uint32_t *a = clock_of(c, into);
    const uint32_t *b = clock_of(c, from);

    for (size_t i = 0; a != NULL && i < c->w->n_threads; i++)
        a[i] = a[i] > b[i] ? a[i] : b[i];
}

/* Did the access happen before everything `tid` does now? */
static bool
is_ordered(struct chooser *c, const struct epoch *e, uint16_t tid)
{
    if (e->clock == 0 || e->tid == tid)
        return true;
    return c->clocks != NULL && e->clock <= clock_of(c, tid)[e->tid];
}

static struct granule *
granule_at(struct chooser *c, uint64_t key)
{
    uint64_t *slot = burl_map_at(&c->map, key);

    if (*slot == 0) {
        (void)BURL_VEC_ADD(&c->granules);
        *slot = c->granules.n;
    }
    return &c->granules.v[*slot - 1];
}

static void
touch_bytes(struct chooser *c, const struct burl_wire_event *ev)
{
    uint64_t n = burl__report_extent(ev);
    bool write = burl__report_is_write(ev->kind);
    struct epoch now = { .tid = ev->tid };

    now.clock = c->clocks != NULL ? clock_of(c, ev->tid)[ev->tid] : 1;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t a = ev->addr + i;
        struct granule *g = granule_at(c, a >> 3);
        unsigned k = a & 7;

        if (!is_ordered(c, &g->write[k], ev->tid) ||
            (write && !is_ordered(c, &g->read[k], ev->tid)))
            g->shared |= (uint8_t)(1u << k);
        if (write)
            g->write[k] = now;
        else
            g->read[k] = now;
    }
}

static void
find_shared(struct chooser *c)
{
    const struct burl_run *run = c->w->run;
    size_t n = c->w->n_threads;

    if (n <= MAX_CLOCKS) {
        c->clocks = burl_xcalloc(n * n, sizeof *c->clocks);
        for (size_t i = 0; i < n; i++)
            c->clocks[i * n + i] = 1;
    }
    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (ev->tid >= n)
            continue;
        if (ev->kind == BURL_OP_CREATE && ev->aux < n && c->clocks != NULL) {
            join_clock(c, (uint16_t)ev->aux, ev->tid);
            clock_of(c, ev->tid)[ev->tid]++;
        } else if (ev->kind == BURL_OP_JOIN && ev->aux < n) {
            join_clock(c, ev->tid, (uint16_t)ev->aux);
        } else if (burl__report_is_access(ev->kind) || ev->kind == BURL_OP_FREE) {
            touch_bytes(c, ev);
        }
    }
}

static bool
is_shared(struct chooser *c, const struct burl_wire_event *ev)
{
    uint64_t n = burl__report_extent(ev);

    for (uint64_t i = 0; i < n; i++) {
        uint64_t a = ev->addr + i;

        if (granule_at(c, a >> 3)->shared & (1u << (a & 7)))
            return true;
    }
    return false;
}

/* Marks the data of an operation, or tests whether they are marked. */
static void
mark_related(struct chooser *c, const struct burl_wire_event *ev)
{
    uint64_t n = burl__report_extent(ev);

    if (!burl__report_is_access(ev->kind) || !is_shared(c, ev))
        return;
    for (uint64_t i = 0; i < n; i += 8)
        granule_at(c, (ev->addr + i) >> 3)->related = true;
}

static bool
is_related(struct chooser *c, const struct burl_wire_event *ev)
{
    uint64_t n = burl__report_extent(ev);

    for (uint64_t i = 0; i < n; i += 8) {
        if (granule_at(c, (ev->addr + i) >> 3)->related)
            return true;
    }
    return false;
}

/* What a deadlock is about is a lock, and its bytes are written by its construction. Words of a
 * futex are data of the program. */
static bool
is_inside_lock(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    const uint8_t verdict = w->run->verdict.kind;

    return (verdict == BURL_VERDICT_DEADLOCK_CYCLE || verdict == BURL_VERDICT_DEADLOCK_STUCK) &&
           (ev->kind == BURL_OP_READ || ev->kind == BURL_OP_WRITE) &&
           burl__report_is_library_object(&w->objects, w->run->verdict.addr);
}

static bool
touches_verdict(const struct burl__report_walk *w, const struct burl_wire_event *ev)
{
    const struct burl_wire_verdict *v = &w->run->verdict;

    if (v->addr != 0 && burl__report_is_sync(ev->kind) && ev->addr == v->addr)
        return true;
    if (v->addr != 0 && burl__report_is_access(ev->kind) && ev->addr <= v->addr &&
        v->addr - ev->addr < burl__report_extent(ev) && !is_inside_lock(w, ev))
        return true;
    for (size_t i = 0; i < burl_verdict_n_waits(v); i++) {
        /* A joined thread: the reader wants to see how it exited. */
        if (burl__report_is_sync(ev->kind) && ev->addr == v->waits[i].addr && ev->addr != 0)
            return true;
    }
    return false;
}

/* Has the same thread just accessed the same data, with no other thread in between? Then this read
 * adds nothing. The window is short, because a reader forgets what is further back. */
static bool
is_repetition(const struct burl__report_walk *w, size_t i)
{
    const struct burl_wire_event *ev = &w->run->events[i];
    unsigned left = 48;

    if (ev->kind != BURL_OP_READ && ev->kind != BURL_OP_ATOMIC_LOAD)
        return false;
    while (i-- > 0 && left > 0) {
        const struct burl_wire_event *e = &w->run->events[i];

        if (!burl__report_is_op(e->kind))
            continue;
        if (e->tid != ev->tid)
            return false;
        if (burl__report_is_access(e->kind) && e->addr == ev->addr && e->size_b == ev->size_b)
            return true;
        left--;
    }
    return false;
}

/* exit() is announced twice, before and after its handlers: one row is enough. */
static bool
exits_again(const struct burl_run *run, size_t i)
{
    for (size_t j = i + 1; j < run->n_events; j++) {
        if (run->events[j].kind == BURL_OP_EXIT_PROCESS && run->events[j].tid == run->events[i].tid)
            return true;
    }
    return false;
}

/* Does a library do this without the user's code: between a thread's start and its function? */
static bool
is_of_library(const struct chooser *c, size_t i)
{
    return burl_site_is_system(burl_sites_get(c->w->sites, c->w->user_site[i]));
}

static uint8_t
plain_weight(struct chooser *c, size_t i)
{
    const struct burl_wire_event *ev = &c->w->run->events[i];

    /* Injected outcomes are part of every explanation. */
    if (ev->flags & (BURL_EV_F_SPURIOUS | BURL_EV_F_INJECTED))
        return WEIGHT_PREEMPT;
    switch (ev->kind) {
    case BURL_OP_ALLOC:
    case BURL_OP_FREE:
        return i == c->w->block_alloc || i == c->w->block_free ? WEIGHT_VERDICT : WEIGHT_NONE;
    case BURL_OP_INIT:
    case BURL_OP_DESTROY:
    case BURL_OP_YIELD:
    case BURL_OP_SLEEP:
    case BURL_OP_DETACH:
        return touches_verdict(c->w, ev) ? WEIGHT_VERDICT : WEIGHT_MINOR;
    case BURL_OP_START: /* the switch to the thread already shows it */
        return WEIGHT_NONE;
    case BURL_OP_EXIT_PROCESS:
        if (exits_again(c->w->run, i))
            return WEIGHT_NONE;
        break;
    default:
        break;
    }
    if (!burl__report_is_op(ev->kind) || ev->tid >= c->w->n_threads)
        return WEIGHT_NONE;
    if (touches_verdict(c->w, ev))
        return WEIGHT_VERDICT;
    if (burl__report_is_sync(ev->kind))
        return is_of_library(c, i) ? WEIGHT_NONE : WEIGHT_SYNC;
    if (burl__report_is_access(ev->kind))
        return is_shared(c, ev) && !is_repetition(c->w, i) && !is_of_library(c, i) ? WEIGHT_SHARED
                                                                                   : WEIGHT_NONE;
    return WEIGHT_NONE;
}

/* Raises the nearest operation worth showing, of thread `tid`, from `i` in direction `step`. The
 * search stops at another thread's operation: beyond it lies another switch. */
static void
raise_nearest(struct chooser *c, size_t i, int step, uint8_t weight)
{
    const struct burl_run *run = c->w->run;
    uint16_t tid = run->events[i].tid;

    for (;; i = step > 0 ? i + 1 : i - 1) {
        const struct burl_wire_event *ev = &run->events[i];

        if (burl__report_is_op(ev->kind) && ev->tid != tid)
            return;
        if (c->weight[i] != WEIGHT_NONE) {
            if (c->weight[i] < weight)
                c->weight[i] = weight;
            if (weight == WEIGHT_PREEMPT)
                mark_related(c, ev);
            return;
        }
        if (step > 0 ? i + 1 >= run->n_events : i == 0)
            return;
    }
}

static void
weigh_switches(struct chooser *c, const struct burl__report_left *left)
{
    const struct burl_run *run = c->w->run;
    size_t prev = SIZE_MAX;

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];

        if (!burl__report_is_op(ev->kind) || ev->tid >= c->w->n_threads)
            continue;
        if (prev != SIZE_MAX && run->events[prev].tid != ev->tid) {
            uint8_t weight = left[prev].why == BURL_SWITCH_PREEMPT ? WEIGHT_PREEMPT : WEIGHT_SWITCH;

            raise_nearest(c, prev, -1, weight);
            raise_nearest(c, i, 1, weight);
        }
        prev = i;
    }
}

size_t
burl__report_failing_event(const struct burl__report_walk *w)
{
    const struct burl_run *run = w->run;
    const struct burl_wire_verdict *v = &run->verdict;

    /* An abort is no operation of the trace; deadlocks are about operations that never happened. */
    if (v->tid == BURL_TID_NONE || v->kind == BURL_VERDICT_CRASH_ABORT ||
        v->kind == BURL_VERDICT_NON_LINEARIZABLE)
        return SIZE_MAX;
    if (v->kind == BURL_VERDICT_RACE_DATA && burl__report_n_sides(v) > 0)
        return w->side_event[1];
    for (size_t i = run->n_events; i > 0; i--) {
        const struct burl_wire_event *ev = &run->events[i - 1];

        if (ev->tid == v->tid && burl__report_is_op(ev->kind))
            return ev->kind == v->op && (ev->site == v->site || ev->site == 0) ? i - 1 : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* The last operations of the failing thread, and the acquisitions of locks that stuck threads
 * hold. */
static void
weigh_failure(struct chooser *c)
{
    const struct burl_run *run = c->w->run;
    size_t failing = burl__report_failing_event(c->w);
    unsigned left = 4; /* shared data that led to the failure are rarely further back */

    if (failing != SIZE_MAX)
        c->weight[failing] = WEIGHT_FAILURE;
    for (unsigned k = 0; k < 2; k++) {
        if (c->w->side_event[k] != SIZE_MAX)
            c->weight[c->w->side_event[k]] = WEIGHT_FAILURE;
    }
    for (size_t i = run->n_events; i > 0 && left > 0; i--) {
        if (run->events[i - 1].tid != run->verdict.tid || c->weight[i - 1] < WEIGHT_SHARED)
            continue;
        mark_related(c, &run->events[i - 1]);
        left--;
    }
}

uint8_t *
burl__report_weigh(const struct burl__report_walk *w, const struct burl__report_left *left)
{
    struct chooser c = { .w = w };
    const struct burl_run *run = w->run;

    c.weight = burl_xcalloc(run->n_events + 1, 1);
    find_shared(&c);
    for (size_t i = 0; i < run->n_events; i++)
        c.weight[i] = plain_weight(&c, i);
    weigh_switches(&c, left);
    weigh_failure(&c);
    for (size_t i = 0; i < run->n_events; i++) {
        if (c.weight[i] >= WEIGHT_SHARED && c.weight[i] < WEIGHT_RELATED &&
            burl__report_is_access(run->events[i].kind) && is_related(&c, &run->events[i]))
            c.weight[i] = WEIGHT_RELATED;
    }
    free(c.clocks);
    BURL_VEC_FREE(&c.granules);
    burl_map_deinit(&c.map);
    return c.weight;
}
