/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore.c - every reachable end state of a program, by visiting every reachable state.
 *
 * A plain search over states with a table of those visited: no partial-order reduction, no
 * symmetry, no code shared with burl. What a step does is in step.c.
 *
 * Where POSIX or the compiler leave a choice, struct rules says whether it is included. The program
 * is explored twice: `may` with all of them, `must` with those that burl promises to explore. A
 * claim of burl is wrong when it misses an end of `must`; a finding is wrong outside of `may`.
 */
#include <stdlib.h>
#include <string.h>

#include "explore_int.h"

enum { MAX_STATES = 1 << 16, TABLE = 1 << 18, MAX_EDGES = 1 << 20 };

struct edge {
    uint32_t from, to;
    uint8_t by; /* thread */
    bool spurious;
};

static struct {
    struct state *states;
    uint32_t *table; /* state + 1 */
    struct edge *edges;
    uint32_t n_states, n_edges;
    bool overflow;
    bool cycle; /* of locks, seen */
} e;

/* ---- the search ------------------------------------------------------------------------------ */

static uint64_t
hash(const struct state *s)
{
    const uint8_t *p = (const uint8_t *)s;
    uint64_t h = 1469598103934665603ull;

    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ p[i]) * 1099511628211ull;
    return h ^ h >> 29;
}

/* The number of the state, which is new or known. */
static uint32_t
number_of(const struct state *s)
{
    uint32_t at = (uint32_t)(hash(s) % TABLE);

    for (; e.table[at] != 0; at = (at + 1) % TABLE) {
        if (memcmp(&e.states[e.table[at] - 1], s, sizeof *s) == 0)
            return e.table[at] - 1;
    }
    if (e.n_states >= MAX_STATES) {
        e.overflow = true;
        return 0;
    }
    e.states[e.n_states] = *s;
    e.table[at] = ++e.n_states;
    return e.n_states - 1;
}

static void
expand(uint32_t from)
{
    if (step_has_cycle(&e.states[from])) {
        e.cycle = true;
        if (proofs_stepper.rules.cycles_stop)
            return;
    }
    for (uint8_t no = 0; no < proofs_stepper.p->n_threads; no++) {
        proofs_stepper.n_out = 0;
        step_thread_of(&e.states[from], no);
        for (uint32_t i = 0; i < proofs_stepper.n_out && !e.overflow; i++) {
            const uint32_t to = number_of(&proofs_stepper.out[i]);

            if (e.n_edges < MAX_EDGES)
                e.edges[e.n_edges++] = (struct edge){ from, to, no, proofs_stepper.spurious[i] };
            else
                e.overflow = true;
        }
    }
}

/* The fewest switches between threads to each state, by the thread of the last step. Edges are in
 * the order in which states were found, so that few passes do. */
static void
count_switches(struct ends *x)
{
    const uint32_t width = MAX_THREADS;
    uint8_t *least = malloc((size_t)e.n_states * width);
    bool changed = true;

    memset(least, 255, (size_t)e.n_states * width);
    least[0] = 0; /* main begins */
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < e.n_edges; i++) {
            const struct edge *d = &e.edges[i];

            for (uint32_t t = 0; t < width; t++) {
                const uint8_t at = least[d->from * width + t];
                const uint8_t cost = (uint8_t)(at + (t != d->by));
                uint8_t *to = &least[d->to * width + d->by];

                if (at < 250 && cost < *to) {
                    *to = cost;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < e.n_states; i++) {
        for (uint32_t k = 0; k < x->n && e.states[i].end == FINISHED; k++) {
            for (uint32_t t = 0; t < width && x->value[k] == e.states[i].fold; t++) {
                if (least[i * width + t] < x->switches[k])
                    x->switches[k] = least[i * width + t];
            }
        }
    }
    free(least);
}

/* The process ends, well, with the exit of its last thread, even if none has asked for an end. */
static bool
all_exited(const struct state *s)
{
    for (uint8_t no = 0; no < proofs_stepper.p->n_threads; no++) {
        if (s->t[no].at != T_DONE && s->t[no].at != T_UNBORN)
            return false;
    }
    return true;
}

/* Is there a state from which main cannot finish? Deadlocks and livelocks; also where only a
 * spurious wakeup would help, since none need come. */
static bool
can_get_stuck(void)
{
    uint8_t *finishes = calloc(e.n_states, 1);
    bool changed = true;
    bool stuck = proofs_stepper.rules.cycles_stop && e.cycle;

    for (uint32_t i = 0; i < e.n_states; i++) {
        finishes[i] = e.states[i].end == FINISHED || all_exited(&e.states[i]);
        stuck |= e.states[i].end == STUCK;
    }
    while (changed && !stuck) {
        changed = false;
        for (uint32_t i = e.n_edges; i > 0; i--) {
            const struct edge *d = &e.edges[i - 1];

            if (finishes[d->to] && !finishes[d->from] && !d->spurious) {
                finishes[d->from] = 1;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < e.n_states; i++)
        stuck |= !finishes[i];
    free(finishes);
    return stuck;
}

static void
explore(const struct prog *p, struct rules rules)
{
    struct state s;

    if (!e.states) {
        e.states = malloc(MAX_STATES * sizeof *e.states);
        e.table = malloc(TABLE * sizeof *e.table);
        e.edges = malloc(MAX_EDGES * sizeof *e.edges);
    }
    memset(e.table, 0, TABLE * sizeof *e.table);
    proofs_stepper.p = p;
    proofs_stepper.rules = rules;
    proofs_stepper.overflow = false;
    e.n_states = 0;
    e.n_edges = 0;
    e.overflow = false;
    e.cycle = false;
    s = step_start(p);
    number_of(&s);
    for (uint32_t i = 0; i < e.n_states && !e.overflow; i++) {
        if (e.states[i].end == 0)
            expand(i);
        e.overflow |= proofs_stepper.overflow;
    }
}

static void
note_end(struct ends *x, uint32_t value, bool must)
{
    uint32_t i = 0;

    while (i < x->n && x->value[i] != value)
        i++;
    if (i == MAX_ENDS) {
        x->too_many = true;
        return;
    }
    if (i == x->n) {
        x->value[x->n++] = value;
        x->must[i] = false;
    }
    x->must[i] |= must;
}

static void
note_ends(struct ends *x, bool must)
{
    x->too_many |= e.overflow;
    for (uint32_t i = 0; i < e.n_states && !x->too_many; i++) {
        if (e.states[i].end == FINISHED)
            note_end(x, e.states[i].fold, must);
    }
}

void
prog_explore(const struct prog *p, bool spurious, struct ends *ends)
{
    memset(ends, 0, sizeof *ends);
    explore(p, (struct rules){ .spurious = spurious, .fine = true });
    ends->n_states = e.n_states;
    note_ends(ends, false);
    if (ends->too_many)
        return;
    ends->stuck_may = can_get_stuck() || e.cycle;
    for (uint32_t i = 0; i < e.n_states; i++)
        ends->misuse |= e.states[i].end == STUCK;
    explore(p, (struct rules){ .spurious = spurious, .spurious_once = true, .cycles_stop = true });
    note_ends(ends, true);
    if (ends->too_many)
        return;
    ends->stuck_must = can_get_stuck();
    for (uint32_t i = 0; i < MAX_ENDS; i++)
        ends->switches[i] = UINT32_MAX;
    if (e.n_states < 2000)
        count_switches(ends);
}
