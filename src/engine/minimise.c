/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/minimise.c - delta debugging over switches; contract in minimise.h.
 *
 * Runs in the host; knows nothing of processes: the caller runs the candidates.
 *
 * Order of the work, by what it saves: first everything that was forced (the
 * default policy usually forces the same), then preemptions in halves down to
 * single ones, then the remaining forced switches, then single preemptions again
 * until nothing more goes; last, pairs of preemptions are replaced by single ones, and
 * if that does not help, all of them by one.
 * A switch that became meaningless because its thread took another path costs
 * nothing to keep and is dropped like any other.
 */
#include "engine/minimise.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/target.h"

struct search {
    burl_minimise_try_fn *try_one;
    burl_minimise_points_fn *points;
    void *arg;
    const struct burl_minimise_budget *budget;
    int64_t started_ms;
    uint64_t n_execs;
    bool stop;
    struct burl_wire_switch *list; /* candidate that failed last */
    size_t n;
    struct burl_wire_switch *best; /* what its execution recorded */
    size_t n_best;
    struct burl_wire_switch *scratch;
};

uint32_t
burl_minimise_count_preemptions(const struct burl_wire_switch *s, size_t n)
{
    uint32_t k = 0;

    for (size_t i = 0; i < n; i++)
        k += s[i].why == BURL_SWITCH_PREEMPT;
    return k;
}

/* Is `a` a better schedule to show a person than `b`, or as good? */
static bool
not_worse(const struct burl_wire_switch *a, size_t n_a, const struct burl_wire_switch *b,
          size_t n_b)
{
    const uint32_t p_a = burl_minimise_count_preemptions(a, n_a);
    const uint32_t p_b = burl_minimise_count_preemptions(b, n_b);

    return p_a != p_b ? p_a < p_b : n_a <= n_b;
}

/* Runs the first `n` switches of `scratch`; on success they become the list. */
static bool
attempt(struct search *s, size_t n)
{
    const struct burl_wire_switch *recorded = NULL;
    struct burl_wire_switch *t;
    size_t n_recorded = 0;
    bool give_up = false;

    if (s->n_execs >= s->budget->max_execs ||
        burl_target_now_ms() - s->started_ms >= s->budget->max_ms)
        s->stop = true;
    if (s->stop)
        return false;
    s->n_execs++;
    if (!s->try_one(s->arg, s->scratch, n, &recorded, &n_recorded, &give_up)) {
        s->stop = s->stop || give_up;
        return false;
    }
    if (!not_worse(recorded, n_recorded, s->best, s->n_best))
        return false;
    free(s->best);
    s->best = burl_xmemdup(recorded, n_recorded * sizeof *recorded);
    s->n_best = n_recorded;
    t = s->list;
    s->list = s->scratch;
    s->scratch = t;
    s->n = n;
    return true;
}

/* Fills `scratch` with the list minus the removable switches number from .. from + count - 1. */
static size_t
without(struct search *s, bool preempt, size_t from, size_t count)
{
    size_t seen = 0;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const bool removable = (s->list[i].why == BURL_SWITCH_PREEMPT) == preempt;
        const bool drop = removable && seen >= from && seen < from + count;

        seen += removable;
        if (!drop)
            s->scratch[n++] = s->list[i];
    }
    return n;
}

static size_t
count_removable(const struct search *s, bool preempt)
{
    const uint32_t k = burl_minimise_count_preemptions(s->list, s->n);

    return preempt ? k : s->n - k;
}

/* Removes preemptions, or the other switches, in ever smaller groups. */
static bool
reduce(struct search *s, bool preempt)
{
    bool changed = false;
    size_t chunk = count_removable(s, preempt);

    while (chunk >= 1 && !s->stop) {
        bool pass = false;

        for (size_t at = 0; at < count_removable(s, preempt) && !s->stop;) {
            if (attempt(s, without(s, preempt, at, chunk)))
                pass = true;
            else
                at += chunk;
        }
        changed = changed || pass;
        if (chunk == 1 && !pass)
            break;
        chunk = chunk > 1 ? (chunk + 1) / 2 : 1;
    }
    return changed;
}

/* ---- two for one ------------------------------------------------------------------- */

/* With more preemptions than this the pairs are too many for the budget, and a person will not
 * miss one. */
#define REPLACE_MAX 6u
/* Threads tried as the next one, per place: in programs with many, most are alike. */
#define NEXT_MAX 4u

struct places {
    struct burl_minimise_point *v;
    size_t n;
    uint16_t max_tid;
};

/* When in time a switch of the list comes: the index of its operation. */
static size_t
time_of(const struct places *p, const struct burl_wire_switch *sw)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i].tid == sw->tid && p->v[i].op == sw->op)
            return i;
    }
    return p->n;
}

/* Fills `scratch` with the list minus preemptions number a and b plus one at place `at`. */
static size_t
exchange(struct search *s, const struct places *p, uint32_t a, uint32_t b, size_t at, uint16_t next)
{
    const struct burl_wire_switch fresh = { .op = p->v[at].op,
                                            .site = p->v[at].site,
                                            .tid = p->v[at].tid,
                                            .next = next,
                                            .why = BURL_SWITCH_PREEMPT,
                                            .kind = p->v[at].kind };
    uint32_t seen = 0;
    bool placed = false;
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++) {
        const bool preempt = s->list[i].why == BURL_SWITCH_PREEMPT;
        const bool drop = preempt && (seen == a || seen == b);

        seen += preempt;
        if (drop)
            continue;
        if (!placed && time_of(p, &s->list[i]) > at) {
            s->scratch[n++] = fresh;
            placed = true;
        }
        s->scratch[n++] = s->list[i];
    }
    if (!placed)
        s->scratch[n++] = fresh;
    return n;
}

/* Tries one new place instead of the pair (a, b). */
static bool
exchange_pair(struct search *s, const struct places *p, uint32_t a, uint32_t b)
{
    const uint32_t before = burl_minimise_count_preemptions(s->best, s->n_best);

    for (size_t at = 0; at < p->n && !s->stop; at++) {
        uint16_t tried = 0;

        if (!p->v[at].promising)
            continue;
        for (uint16_t next = 0; next <= p->max_tid && tried < NEXT_MAX && !s->stop; next++) {
            if (next == p->v[at].tid)
                continue;
            tried++;
            if (attempt(s, exchange(s, p, a, b, at, next)) &&
                burl_minimise_count_preemptions(s->best, s->n_best) < before)
                return true;
        }
    }
    return false;
}

/* Tries one preemption and nothing else. A schedule that was forced together has preemptions that
 * need each other in threes, and no exchange of two gets it out of that. */
static bool
exchange_all(struct search *s, const struct places *p)
{
    for (size_t at = 0; at < p->n && !s->stop; at++) {
        uint16_t tried = 0;

        for (uint16_t next = 0;
             p->v[at].promising && next <= p->max_tid && tried < NEXT_MAX && !s->stop; next++) {
            if (next == p->v[at].tid)
                continue;
            tried++;
            s->scratch[0] = (struct burl_wire_switch){ .op = p->v[at].op,
                                                       .site = p->v[at].site,
                                                       .tid = p->v[at].tid,
                                                       .next = next,
                                                       .why = BURL_SWITCH_PREEMPT,
                                                       .kind = p->v[at].kind };
            if (attempt(s, 1))
                return true;
        }
    }
    return false;
}

static void
find_places(struct search *s, struct places *p)
{
    p->n = s->points(s->arg, s->best, s->n_best, &p->v);
    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i].tid > p->max_tid)
            p->max_tid = p->v[i].tid;
    }
}

static bool
replace_all(struct search *s)
{
    struct places p = { 0 };
    bool done;

    if (!s->points || burl_minimise_count_preemptions(s->best, s->n_best) < 2 || s->stop)
        return false;
    find_places(s, &p);
    done = exchange_all(s, &p);
    free(p.v);
    return done;
}

static bool
replace_two(struct search *s)
{
    const uint32_t k = burl_minimise_count_preemptions(s->list, s->n);
    struct places p = { 0 };
    bool done = false;

    if (!s->points || k < 2 || k > REPLACE_MAX || s->stop)
        return false;
    find_places(s, &p);
    for (uint32_t a = 0; a < k && !done; a++) {
        for (uint32_t b = a + 1; b < k && !done; b++)
            done = exchange_pair(s, &p, a, b);
    }
    free(p.v);
    return done;
}

static void
reduce_all(struct search *s)
{
    attempt(s, without(s, false, 0, s->n));
    reduce(s, true);
    reduce(s, false);
    while (!s->stop && reduce(s, true))
        ;
}

void
burl_minimise(struct burl_minimise_result *out, const struct burl_wire_switch *start, size_t n,
              burl_minimise_try_fn *try_one, burl_minimise_points_fn *points, void *arg,
              const struct burl_minimise_budget *budget)
{
    struct search s = { .try_one = try_one, .points = points, .arg = arg, .budget = budget };

    memset(out, 0, sizeof *out);
    s.started_ms = burl_target_now_ms();
    s.list = burl_xcalloc(n + 1, sizeof *s.list);
    if (n > 0)
        memcpy(s.list, start, n * sizeof *start);
    s.n = n;
    s.best = burl_xmemdup(start, n * sizeof *start);
    s.n_best = n;
    s.scratch = burl_xcalloc(n + 1, sizeof *s.scratch);

    reduce_all(&s);
    while (!s.stop && replace_two(&s))
        reduce_all(&s);
    if (replace_all(&s))
        reduce_all(&s);
    out->switches = s.best;
    out->n = s.n_best;
    out->n_execs = s.n_execs;
    out->n_preemptions_before = burl_minimise_count_preemptions(start, n);
    out->n_preemptions = burl_minimise_count_preemptions(s.best, s.n_best);
    out->finished = !s.stop;
    free(s.list);
    free(s.scratch);
}
