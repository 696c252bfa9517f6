/* SPDX-License-Identifier: Apache-2.0 */
/*
 * slice.c - the operations a failure depends on.
 *
 * Runs in the host. A dynamic backward slice (Korel and Laski, "Dynamic Program Slicing", 1988)
 * over the trace. It starts from the failing operation, the last reads of the failing thread, the
 * operations of the recognized pattern, the locks held by waiting threads, and the block. A read
 * adds the write it reads from; a write adds the reads of its thread on the same line; every access
 * adds the locks held around it; every thread adds its creation, and its exit if a thread of the
 * slice joined it.
 *
 * Departures: the trace has no data flow through registers, so "the same line" stands for it, and
 * no control flow but the reads of causes.c. Of a long chain of updates within one thread only the
 * start is shown; writes before a thread was created are not shown to explain its reads. The
 * operations beside preemptions always stay, so that the schedule can be followed. What is missing
 * is in --trace.
 */
#include "report/explain/pattern_int.h"

/* A larger slice explains nothing: then the weights decide alone. */
#define MAX_DEPTH 4u
/* How many updates of one thread a value is traced back through, and how many of them are shown. */
#define MAX_CHAIN 64u
#define SHORT_CHAIN 3u

struct slicer {
    const struct burl__report_causes *c;
    const struct burl_finding *f;
    bool *in;
    size_t *prev; /* the same thread's operation before, SIZE_MAX none */
    uint8_t *depth;
    BURL_VEC(size_t) work;
    bool *threads;   /* that have an operation in the slice */
    size_t *created; /* by thread: the event, SIZE_MAX none */
};

static void
slice_add(struct slicer *s, size_t i, unsigned depth)
{
    if (i >= s->c->w->run->n_events || causes_event(s->c, i)->tid >= s->c->w->n_threads || s->in[i])
        return;
    s->in[i] = true;
    s->depth[i] = (uint8_t)depth;
    s->threads[causes_event(s->c, i)->tid] = true;
    if (depth < MAX_DEPTH)
        BURL_VEC_PUSH(&s->work, i);
}

static bool
on_same_line(const struct slicer *s, size_t a, size_t b)
{
    const struct burl_site_info *x = burl_sites_get(s->c->w->sites, s->c->w->user_site[a]);
    const struct burl_site_info *y = burl_sites_get(s->c->w->sites, s->c->w->user_site[b]);

    return x->line != 0 && x->line == y->line && strcmp(x->file, y->file) == 0;
}

/* Does another thread ever access it? Private data are not shown anyway. */
static bool
is_shared(const struct slicer *s, size_t i)
{
    const struct burl__report_place *p = burl__report_place_of(s->c, i);

    for (size_t k = 0; p != NULL && k < p->n; k++) {
        if (causes_event(s->c, p->v[k])->tid != causes_event(s->c, i)->tid)
            return true;
    }
    return false;
}

/* The read of the same memory by the statement of a write: "count" of `count++`; SIZE_MAX none. */
static size_t
read_of_update(const struct slicer *s, size_t write)
{
    const struct burl_wire_event *ev = causes_event(s->c, write);
    size_t k = write;

    if (burl__report_is_read(ev->kind))
        return write; /* an atomic update */
    for (unsigned left = 16; left > 0; left--) {
        k = s->prev[k];
        if (k == SIZE_MAX || !on_same_line(s, k, write))
            return SIZE_MAX;
        if (burl__report_is_read(causes_event(s->c, k)->kind) &&
            causes_event(s->c, k)->addr == ev->addr)
            return k;
    }
    return SIZE_MAX;
}

/* Did the write happen before the reading thread was created? */
static bool
is_initial(const struct slicer *s, size_t write, uint16_t reader)
{
    const size_t created = s->created[reader];

    return created != SIZE_MAX && created > write &&
           causes_event(s->c, created)->tid == causes_event(s->c, write)->tid;
}

static void
find_creations(struct slicer *s)
{
    const struct burl_run *run = s->c->w->run;

    s->created = burl_xcalloc(s->c->w->n_threads + 1, sizeof *s->created);
    for (size_t i = 0; i < s->c->w->n_threads; i++)
        s->created[i] = SIZE_MAX;
    for (size_t i = 0; i < run->n_events; i++) {
        if (run->events[i].kind == BURL_OP_CREATE && run->events[i].aux < s->c->w->n_threads)
            s->created[run->events[i].aux] = i;
    }
}

/*
 * The write of another thread that a read goes back to. The updates of a counter from 1 to 99
 * within one thread explain nothing; the write of 1 by another thread does.
 */
static void
follow_read(struct slicer *s, size_t i)
{
    const uint16_t reader = causes_event(s->c, i)->tid;
    size_t from = burl__report_reads_from(s->c, i);
    size_t chain[SHORT_CHAIN];
    unsigned n = 0;

    while (n < MAX_CHAIN && from != SIZE_MAX && causes_event(s->c, from)->tid == reader) {
        if (n < SHORT_CHAIN)
            chain[n] = from;
        n++;
        from = read_of_update(s, from);
        from = from != SIZE_MAX ? burl__report_reads_from(s->c, from) : SIZE_MAX;
    }
    if (from == SIZE_MAX || causes_event(s->c, from)->tid == reader || is_initial(s, from, reader))
        return;
    slice_add(s, from, s->depth[i] + 1u);
    for (unsigned k = 0; k < n && n <= SHORT_CHAIN; k++)
        slice_add(s, chain[k], MAX_DEPTH);
}

/* No thread had written the value before: the first later write came too late. */
static void
follow_unwritten(struct slicer *s, size_t i)
{
    const struct burl__report_place *p = burl__report_place_of(s->c, i);

    if (s->c->w->run->events_dropped > 0 || burl__report_reads_from(s->c, i) != SIZE_MAX)
        return;
    for (size_t k = p != NULL ? burl__report_accesses_before(p, i) : 0; p != NULL && k < p->n;
         k++) {
        if (p->v[k] > i && burl__report_is_write(causes_event(s->c, p->v[k])->kind)) {
            if (causes_event(s->c, p->v[k])->tid != causes_event(s->c, i)->tid)
                slice_add(s, p->v[k], MAX_DEPTH);
            return;
        }
    }
}

/* The reads of the statement of a write: those on its line right before it. */
static void
follow_write(struct slicer *s, size_t i)
{
    unsigned left = 16; /* a statement reads no more than that */
    size_t k = i;

    while (left-- > 0) {
        k = s->prev[k];
        if (k == SIZE_MAX || burl__report_is_write(causes_event(s->c, k)->kind) ||
            !on_same_line(s, k, i))
            return;
        if (burl__report_is_read(causes_event(s->c, k)->kind) && is_shared(s, k))
            slice_add(s, k, s->depth[i] + 1u);
    }
}

static void
close_over(struct slicer *s)
{
    for (size_t n = 0; n < s->work.n; n++) {
        const size_t i = s->work.v[n];

        if (burl__report_is_read(causes_event(s->c, i)->kind)) {
            follow_read(s, i);
            follow_unwritten(s, i);
        }
        if (burl__report_is_write(causes_event(s->c, i)->kind))
            follow_write(s, i);
    }
}

/* ---- locks and threads ------------------------------------------------------------- */

static bool
takes_lock(const struct burl_wire_event *ev)
{
    return (ev->kind == BURL_OP_LOCK || ev->kind == BURL_OP_TRYLOCK ||
            ev->kind == BURL_OP_TIMEDLOCK || ev->kind == BURL_OP_RDLOCK ||
            ev->kind == BURL_OP_WRLOCK || ev->kind == BURL_OP_COND_WAKE) &&
           !(ev->flags & BURL_EV_F_FAILED);
}

static bool
releases_lock(const struct burl_wire_event *ev)
{
    return ev->kind == BURL_OP_UNLOCK || ev->kind == BURL_OP_RWUNLOCK ||
           ev->kind == BURL_OP_COND_WAIT;
}

static uint64_t
lock_of(const struct burl_wire_event *ev)
{
    return ev->kind == BURL_OP_COND_WAIT ? ev->aux : ev->addr;
}

/* The innermost critical section around an access: where it begins and where it ends. */
static void
add_section(struct slicer *s, size_t i)
{
    unsigned left = 1000; /* longer sections are not followed */
    size_t k = i;
    uint64_t lock;

    /* Backwards to a lock that was not released before the access. */
    for (;;) {
        k = s->prev[k];
        if (k == SIZE_MAX || releases_lock(causes_event(s->c, k)) || left-- == 0)
            return;
        if (takes_lock(causes_event(s->c, k)))
            break;
    }
    lock = causes_event(s->c, k)->addr;
    slice_add(s, k, MAX_DEPTH);
    for (k = s->c->next[i]; k != SIZE_MAX; k = s->c->next[k]) {
        if (releases_lock(causes_event(s->c, k)) &&
            (lock_of(causes_event(s->c, k)) == lock ||
             causes_event(s->c, k)->kind == BURL_OP_COND_WAIT)) {
            slice_add(s, k, MAX_DEPTH);
            return;
        }
    }
}

static bool
needs_section(uint8_t kind)
{
    return burl__report_is_access(kind) || kind == BURL_OP_COND_WAIT ||
           kind == BURL_OP_COND_SIGNAL || kind == BURL_OP_COND_BROADCAST;
}

/* A semaphore that the thread has taken and not posted, as one does with locks. */
static void
add_permit(struct slicer *s, size_t i)
{
    unsigned left = 1000;

    for (size_t k = s->prev[i]; k != SIZE_MAX && left > 0; k = s->prev[k], left--) {
        if (causes_event(s->c, k)->kind == BURL_OP_SEM_POST)
            return;
        if (causes_event(s->c, k)->kind == BURL_OP_SEM_WAIT) {
            slice_add(s, k, MAX_DEPTH);
            return;
        }
    }
}

static void
add_sections(struct slicer *s)
{
    const size_t n = s->c->w->run->n_events;

    for (size_t i = 0; i < n; i++) {
        if (s->in[i] && needs_section(causes_event(s->c, i)->kind)) {
            add_section(s, i);
            add_permit(s, i);
        }
    }
}

static void
add_lives(struct slicer *s)
{
    const struct burl_run *run = s->c->w->run;

    for (size_t i = run->n_events; i > 0; i--) {
        const struct burl_wire_event *ev = &run->events[i - 1];

        if ((ev->kind == BURL_OP_CREATE || ev->kind == BURL_OP_JOIN) &&
            ev->aux < s->c->w->n_threads && s->threads[ev->aux] &&
            (ev->kind == BURL_OP_CREATE || s->threads[ev->tid]))
            slice_add(s, i - 1, MAX_DEPTH);
        if (ev->kind == BURL_OP_EXIT_THREAD && ev->tid < s->c->w->n_threads && s->threads[ev->tid])
            slice_add(s, i - 1, MAX_DEPTH);
    }
}

/* The condition of a wait and a signal: the reads before the wait, the writes before the signal, in
 * their critical sections. */
static void
add_reasons(struct slicer *s)
{
    const size_t n = s->c->w->run->n_events;

    for (size_t i = 0; i < n; i++) {
        const uint8_t kind = causes_event(s->c, i)->kind;
        const bool waits = kind == BURL_OP_COND_WAIT;
        unsigned left = 32;

        if (!s->in[i] || (!waits && kind != BURL_OP_COND_SIGNAL && kind != BURL_OP_COND_BROADCAST))
            continue;
        for (size_t k = s->prev[i]; k != SIZE_MAX && left > 0; k = s->prev[k], left--) {
            if (takes_lock(causes_event(s->c, k)) || releases_lock(causes_event(s->c, k)))
                break;
            if (is_shared(s, k) && (waits ? burl__report_is_read(causes_event(s->c, k)->kind)
                                          : burl__report_is_write(causes_event(s->c, k)->kind)))
                slice_add(s, k, MAX_DEPTH);
        }
    }
}

/* ---- the start --------------------------------------------------------------------- */

/* The last reads of a thread before it waited, and the first later writes to that memory: a
 * condition that became true too early or too late. */
static void
add_condition(struct slicer *s, uint16_t tid)
{
    size_t i = burl__report_last_of(s->c, tid, s->c->w->run->n_events);

    for (unsigned left = 8; left > 0 && i != SIZE_MAX; left--, i = s->prev[i]) {
        const struct burl__report_place *p;

        if (!burl__report_is_read(causes_event(s->c, i)->kind) || !is_shared(s, i))
            continue;
        slice_add(s, i, MAX_DEPTH);
        p = burl__report_place_of(s->c, i);
        for (size_t k = 0; k < p->n; k++) {
            if (p->v[k] > i && causes_event(s->c, p->v[k])->tid != tid &&
                burl__report_is_write(causes_event(s->c, p->v[k])->kind)) {
                slice_add(s, p->v[k], MAX_DEPTH);
                break;
            }
        }
        return;
    }
}

/* Where each blocked thread acquired its locks, and the operations on the objects that are waited
 * for. */
static void
add_waits(struct slicer *s)
{
    const struct burl_run *run = s->c->w->run;

    for (size_t t = 0; t < s->f->n_threads; t++) {
        const struct burl_finding_thread *th = &s->f->threads[t];

        if (!th->wait.waits)
            continue;
        add_condition(s, th->tid);
        for (size_t i = 0; i < run->n_events; i++) {
            const struct burl_wire_event *ev = &run->events[i];

            for (size_t k = 0; k < th->n_locks; k++) {
                if (ev->tid == th->tid && ev->step == th->locks[k].step && takes_lock(ev))
                    slice_add(s, i, MAX_DEPTH);
            }
        }
    }
}

/* Weights that the slice does not clear: the object of the verdict, and operations beside a
 * preemption. */
#define WEIGHT_OWN_REASON 160u
#define WEIGHT_ROOT 150u

/* An operation that is shown regardless of its weight. */
static void
add_root(struct slicer *s, size_t i, uint8_t *weight)
{
    slice_add(s, i, 0);
    if (i < s->c->w->run->n_events && weight[i] < WEIGHT_ROOT)
        weight[i] = WEIGHT_ROOT;
}

/*
 * Values read by the failing thread that no thread had written: of a preempted thread, the missing
 * writes. Few, since constants look the same.
 */
static void
add_unwritten(struct slicer *s, uint8_t *weight)
{
    const struct burl_run *run = s->c->w->run;
    unsigned left = 2;
    size_t i = burl__report_last_of(s->c, run->verdict.tid, run->n_events);

    for (unsigned back = 0; back < 16 && i != SIZE_MAX && left > 0; back++, i = s->prev[i]) {
        if (!burl__report_is_read(causes_event(s->c, i)->kind) ||
            burl__report_reads_from(s->c, i) != SIZE_MAX)
            continue;
        add_root(s, i, weight);
        left--;
    }
}

/* ---- while a thread was stopped ----------------------------------------------------- */

/* Operations of the preempted thread, before and after, that may conflict with operations during
 * the preemption; and how many of these are shown for one preemption. */
#define WINDOW_OPS 16u
#define WINDOW_MAX 6u

static bool
accesses_conflict(const struct burl_wire_event *a, const struct burl_wire_event *b)
{
    return burl__report_is_access(a->kind) && burl__report_is_access(b->kind) &&
           a->addr == b->addr && (burl__report_is_write(a->kind) || burl__report_is_write(b->kind));
}

/* The access that event `i` conflicts with, among the last ones of the thread before its preemption
 * and the first ones after it; SIZE_MAX none. */
static size_t
conflict_with(const struct slicer *s, size_t i, size_t stop)
{
    size_t before = stop;
    size_t after = s->c->next[stop];

    for (unsigned left = WINDOW_OPS; left > 0; left--) {
        if (before != SIZE_MAX &&
            accesses_conflict(causes_event(s->c, before), causes_event(s->c, i)))
            return before;
        if (after != SIZE_MAX &&
            accesses_conflict(causes_event(s->c, after), causes_event(s->c, i)))
            return after;
        before = before != SIZE_MAX ? s->prev[before] : SIZE_MAX;
        after = after != SIZE_MAX ? s->c->next[after] : SIZE_MAX;
    }
    return SIZE_MAX;
}

/*
 * Conflicting operations of others during a preemption are the reason for it: they are always
 * shown, with or without a pattern.
 */
static void
add_windows(struct slicer *s, uint8_t *weight)
{
    const struct burl_run *run = s->c->w->run;

    for (size_t n = 0; n < s->c->preemptions.n; n++) {
        const size_t stop = s->c->preemptions.v[n];
        const size_t end = s->c->next[stop] != SIZE_MAX ? s->c->next[stop] : run->n_events;
        unsigned left = WINDOW_MAX;

        for (size_t i = stop + 1; i < end && left > 0; i++) {
            size_t other;

            if (!burl__report_is_access(run->events[i].kind) || run->events[i].addr == 0 ||
                run->events[i].tid == run->events[stop].tid || s->in[i])
                continue;
            other = conflict_with(s, i, stop);
            if (other == SIZE_MAX)
                continue;
            add_root(s, i, weight);
            add_root(s, other, weight);
            left--;
        }
    }
}

static void
add_roots(struct slicer *s, const size_t *roots, size_t n_roots, uint8_t *weight)
{
    const struct burl__report_walk *w = s->c->w;

    slice_add(s, burl__report_failing_event(w), 0);
    for (unsigned k = 0; k < 2; k++)
        slice_add(s, w->side_event[k], 0);
    slice_add(s, w->block_alloc, 0);
    slice_add(s, w->block_free, 0);
    for (size_t i = 0; i < n_roots; i++)
        add_root(s, roots[i], weight);
    for (size_t i = 0; i < s->c->n_reads; i++)
        add_root(s, s->c->reads[i], weight);
    if (strcmp(s->f->pattern.kind, "half-done") == 0)
        add_unwritten(s, weight);
    add_waits(s);
    add_windows(s, weight);
    for (size_t i = 0; i < w->run->n_events; i++) {
        if (weight[i] >= WEIGHT_OWN_REASON)
            slice_add(s, i, 1);
    }
}

void
burl__report_slice(const struct burl_finding *f, struct burl__report_causes *c, const size_t *roots,
                   size_t n_roots, uint8_t *weight)
{
    const size_t n = c->w->run->n_events;
    struct slicer s = { .c = c, .f = f };

    /* Without a starting point everything relevant is shown, up to the limit. */
    if (n_roots == 0 && c->n_reads == 0)
        return;
    s.in = burl_xcalloc(n + 1, sizeof *s.in);
    s.depth = burl_xcalloc(n + 1, sizeof *s.depth);
    s.threads = burl_xcalloc(c->w->n_threads + 1, sizeof *s.threads);
    s.prev = burl__report_find_neighbors(c->w, false);
    find_creations(&s);
    add_roots(&s, roots, n_roots, weight);
    close_over(&s);
    add_reasons(&s);
    add_sections(&s);
    add_lives(&s);
    for (size_t i = 0; i < n; i++) {
        if (!s.in[i])
            weight[i] = 0;
    }
    BURL_VEC_FREE(&s.work);
    free(s.in);
    free(s.depth);
    free(s.prev);
    free(s.threads);
    free(s.created);
}
