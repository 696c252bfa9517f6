/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/synth.c - the phases, in order.
 */
#include "synth/synth.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "engine/target/target.h"

#define MAX_GOALS 32u /* of one test */

void
burl_synth_deinit(struct burl_synth *s)
{
    for (size_t i = 0; i < s->tests.n; i++) {
        burl_gen_test_deinit(&s->tests.v[i].test);
        BURL_VEC_FREE(&s->tests.v[i].pairs);
        BURL_VEC_FREE(&s->tests.v[i].lock_pairs);
        BURL_VEC_FREE(&s->tests.v[i].goals);
        BURL_VEC_FREE(&s->tests.v[i].findings);
    }
    BURL_VEC_FREE(&s->tests);
    BURL_VEC_FREE(&s->planned);
    BURL_VEC_FREE(&s->lock_pairs);
    burl_map_deinit(&s->test_at);
    burl_synth_pairs_deinit(&s->pairs);
    burl_synth_table_deinit(&s->table);
    burl_synth_script_deinit(&s->script);
    burl_synth_log_deinit(&s->log);
    burl_synth_seeds_deinit(s);
}

/* ---- tests --------------------------------------------------------------------------------- */

static struct burl_wire_goal
goal_of(const struct burl_synth *s, enum burl_synth_for what, size_t a, size_t b)
{
    const struct burl_synth_dep *x = &s->table.deps.v[a];
    const struct burl_synth_dep *y = &s->table.deps.v[b];

    if (what == BURL_SYNTH_RACE)
        return (struct burl_wire_goal){ .kind = BURL_GOAL_RACE,
                                        .race = { .first = x->current_site,
                                                  .second = y->current_site,
                                                  .goes_first = BURL_RACE_BY_SEED } };
    return (struct burl_wire_goal){ .kind = BURL_GOAL_TRIPLE,
                                    .triple = { .local_first = x->previous_site,
                                                .remote = y->current_site,
                                                .local_second = x->current_site } };
}

uint64_t
burl_synth_region(const struct burl_synth_dep *d)
{
    uint64_t type = (uint32_t)d->path.type[0];

    return burl_hash_end(burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)d->fn << 32 | type)) | 1;
}

static void
goal_add(struct burl_synth_test *t, struct burl_wire_goal g, uint64_t region)
{
    for (size_t i = 0; i < t->goals.n; i++) {
        if (memcmp(&t->goals.v[i].goal, &g, sizeof g) == 0)
            return;
    }
    if (t->goals.n < MAX_GOALS)
        BURL_VEC_PUSH(&t->goals, (struct burl_synth_goal){ .goal = g, .region = region });
}

/* The test with these calls; takes ownership. Pairs often lead to a test that another one had. */
static size_t
test_add(struct burl_synth *s, struct burl_gen_test *test, enum burl_synth_for what)
{
    uint64_t hash = burl_gen_test_hash(test);
    uint64_t at;

    if (burl_map_get(&s->test_at, hash, &at)) {
        burl_gen_test_deinit(test);
        return at;
    }
    burl_map_set(&s->test_at, hash, s->tests.n);
    BURL_VEC_PUSH(&s->tests, (struct burl_synth_test){ .test = *test, .hash = hash, .what = what });
    return s->tests.n - 1;
}

static void
plan_pair(struct burl_synth *s, size_t at)
{
    const struct burl_synth_pair *p = &s->pairs.v[at];
    struct burl_synth_planned *planned = BURL_VEC_ADD(&s->planned);
    struct burl_gen_test test;
    struct burl_synth_test *t;

    planned->test = BURL_SYNTH_NO_TEST;
    if (p->fate > BURL_SYNTH_KEPT_SETTER)
        return;
    s->stats.feasible++;
    planned->built = burl_synth_share_pair(&test, p, &s->table, &s->script, s->m);
    s->stats.by_built[planned->built]++;
    if (planned->built != BURL_SYNTH_BUILT)
        return;
    planned->test = test_add(s, &test, p->what);
    t = &s->tests.v[planned->test];
    BURL_VEC_PUSH(&t->pairs, at);
    for (size_t i = 0; i < p->n_same; i++) {
        const struct burl_synth_raw_pair *raw = &s->pairs.raw.v[p->first_raw + i];
        struct burl_wire_goal g = goal_of(s, p->what, raw->a, raw->b);

        burl_synth_share_goal(&g, p, &s->table, &t->test);
        goal_add(t, g,
                 p->what == BURL_SYNTH_ATOMICITY ? burl_synth_region(&s->table.deps.v[raw->a]) : 0);
    }
}

/* Two nests whose locks, shared crosswise, close a cycle. */
static bool
can_cycle(const struct burl_synth_nest *a, const struct burl_synth_nest *b)
{
    return a->outer.type[a->outer.n] == b->inner.type[b->inner.n] &&
           a->inner.type[a->inner.n] == b->outer.type[b->outer.n] && a->outer_off == b->inner_off &&
           a->inner_off == b->outer_off;
}

/* Same for the same places, whichever thread has them. */
static uint64_t
cycle_hash(const struct burl_wire_goal *g)
{
    uint64_t h = 0;

    for (unsigned i = 0; i < g->cycle.n; i++)
        h += burl_hash_end(
            burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)g->cycle.threads[i].held_from << 32 |
                                               g->cycle.threads[i].requested_at));
    return h | 1;
}

static bool
same_nest(const struct burl_synth_nest *a, const struct burl_synth_nest *b)
{
    return a->fn == b->fn && a->outer_site == b->outer_site && a->inner_site == b->inner_site &&
           burl_synth_path_equal(&a->outer, &b->outer) &&
           burl_synth_path_equal(&a->inner, &b->inner);
}

/* The lock pair of two rows; those of other calls of the same functions are one. */
static size_t
lock_pair_of(struct burl_synth *s, size_t a, size_t b)
{
    const struct burl_synth_nest *rows = s->table.nests.v;

    for (size_t i = 0; i < s->lock_pairs.n; i++) {
        struct burl_synth_lock_pair *p = &s->lock_pairs.v[i];

        if ((same_nest(&rows[p->a], &rows[a]) && same_nest(&rows[p->b], &rows[b])) ||
            (same_nest(&rows[p->a], &rows[b]) && same_nest(&rows[p->b], &rows[a]))) {
            p->n_same++;
            return i;
        }
    }
    BURL_VEC_PUSH(&s->lock_pairs, (struct burl_synth_lock_pair){ .a = a, .b = b, .n_same = 1 });
    BURL_VEC_PUSH(&s->planned, (struct burl_synth_planned){ .test = BURL_SYNTH_NO_TEST });
    return s->lock_pairs.n - 1;
}

static void
plan_lock_pair(struct burl_synth *s, size_t a, size_t b)
{
    const struct burl_synth_nest *x = &s->table.nests.v[a];
    const struct burl_synth_nest *y = &s->table.nests.v[b];
    struct burl_wire_goal g = { .kind = BURL_GOAL_CYCLE, .cycle = { .n = 2 } };
    size_t at = lock_pair_of(s, a, b);
    struct burl_synth_planned *planned = &s->planned.v[s->pairs.n + at];
    struct burl_gen_test test;
    enum burl_synth_built built = burl_synth_share_nests(&test, x, y, &s->script, s->m);
    struct burl_synth_test *t;
    size_t number;

    if (built != BURL_SYNTH_BUILT) {
        if (planned->test == BURL_SYNTH_NO_TEST)
            planned->built = built;
        return;
    }
    g.cycle.threads[0].held_from = x->outer_site;
    g.cycle.threads[0].requested_at = x->inner_site;
    g.cycle.threads[1].held_from = y->outer_site;
    g.cycle.threads[1].requested_at = y->inner_site;
    number = test_add(s, &test, BURL_SYNTH_DEADLOCK);
    if (planned->test == BURL_SYNTH_NO_TEST)
        *planned = (struct burl_synth_planned){ .built = built, .test = number };
    t = &s->tests.v[number];
    if (t->lock_pairs.n == 0 || t->lock_pairs.v[t->lock_pairs.n - 1] != at)
        BURL_VEC_PUSH(&t->lock_pairs, at);
    t->cycle = cycle_hash(&g);
    goal_add(t, g, 0);
}

static void
plan_nests(struct burl_synth *s)
{
    for (size_t a = 0; a < s->table.nests.n; a++) {
        for (size_t b = a; b < s->table.nests.n; b++) {
            if (can_cycle(&s->table.nests.v[a], &s->table.nests.v[b]))
                plan_lock_pair(s, a, b);
        }
    }
}

static uint64_t
functions_of(const struct burl_gen_test *t)
{
    uint64_t a = (uint64_t)t->threads[0].v[0].fn;
    uint64_t b = (uint64_t)t->threads[1].v[0].fn;

    return a < b ? a << 32 | b : b << 32 | a;
}

static int
by_rank(const void *x, const void *y)
{
    const struct burl_synth_test *a = x;
    const struct burl_synth_test *b = y;

    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

/* Every two functions get a test before any two get a second one: time may be short. */
static void
tests_order(struct burl_synth *s)
{
    struct burl_map n_tests = { 0 };
    size_t *place;

    for (size_t i = 0; i < s->tests.n; i++) {
        struct burl_synth_test *t = &s->tests.v[i];
        uint64_t n = 0;

        (void)burl_map_get(&n_tests, functions_of(&t->test), &n);
        burl_map_set(&n_tests, functions_of(&t->test), n + 1);
        t->rank = (unsigned)n;
        t->number = i;
    }
    burl_map_deinit(&n_tests);
    if (s->tests.n > 0)
        qsort(s->tests.v, s->tests.n, sizeof *s->tests.v, by_rank);
    place = burl_xcalloc(s->tests.n + 1, sizeof *place);
    for (size_t i = 0; i < s->tests.n; i++)
        place[s->tests.v[i].number] = i;
    for (size_t i = 0; i < s->planned.n; i++) {
        if (s->planned.v[i].test != BURL_SYNTH_NO_TEST)
            s->planned.v[i].test = place[s->planned.v[i].test];
    }
    free(place);
}

/* What seeds show to belong to the library is consumed, as if the model file said so. */
static void
take_over(struct burl_synth *s)
{
    for (size_t i = 0; i < s->table.takeovers.n; i++) {
        const struct burl_synth_takeover *x = &s->table.takeovers.v[i];

        s->m->fns.v[x->fn].params.v[x->param].consumes = true;
        burl_synth_script_take_over(&s->script, x->fn, x->param);
    }
}

void
burl_synth_plan(struct burl_synth *s)
{
    s->table = burl_synth_analyze(&s->log);
    take_over(s);
    for (int what = BURL_SYNTH_ATOMICITY; what <= BURL_SYNTH_RACE; what++) {
        if ((s->cfg.what & BURL_SYNTH_FOR(what)) != 0)
            burl_synth_pairs_find(&s->pairs, &s->table, (enum burl_synth_for)what);
    }
    burl_synth_pairs_scan(&s->pairs, &s->table);
    s->stats.raw = s->pairs.raw.n;
    s->stats.unique = s->pairs.n;
    for (size_t i = 0; i < s->pairs.n; i++)
        plan_pair(s, i);
    if ((s->cfg.what & BURL_SYNTH_FOR(BURL_SYNTH_DEADLOCK)) != 0)
        plan_nests(s);
    tests_order(s);
}

/* ---- runs ---------------------------------------------------------------------------------- */

static bool
was_cut_short(const struct burl_synth *s, const struct burl_gen_violations *v)
{
    return burl_gen_violations_failed(v) || (s->cfg.interrupt != NULL && *s->cfg.interrupt != 0);
}

void
burl_synth_test_add_finding(struct burl_synth_test *t, int64_t id)
{
    for (size_t i = 0; i < t->findings.n; i++) {
        if (t->findings.v[i] == id)
            return;
    }
    BURL_VEC_PUSH(&t->findings, id);
}

/* Why the oracle left the test undecided, from what the counts of `v` say of it. */
static void
note_reason(struct burl_synth_test *t, const struct burl_gen_violations *before,
            const struct burl_gen_violations *after)
{
    const char *why = "a violation of a kind that was given up before";

    if (after->unclean > before->unclean)
        why = "it can also fail or block when its calls are made one after the other";
    else if (after->unconfirmed > before->unconfirmed)
        why = "a violation was seen and not reproduced in new processes";
    else if (after->not_decided > before->not_decided)
        why = after->why_not_decided;
    snprintf(t->why, sizeof t->why, "%s", why);
}

void
burl_synth_run(struct burl_synth *s, struct burl_gen_violations *v)
{
    const int64_t start_ms = burl_target_now_ms();

    burl_gen_exec_set_deadline(s->x, burl_deadline_in(start_ms, s->cfg.time_ms));
    for (size_t i = 0; i < s->tests.n && !s->stats.is_cut; i++) {
        struct burl_synth_test *t = &s->tests.v[i];
        const struct burl_gen_violations before = *v;

        if (was_cut_short(s, v) || burl_gen_exec_left_ms(s->x) == 0) {
            s->stats.is_cut = true;
            break;
        }
        if (s->on_test != NULL && !s->on_test(s->arg, i, s->tests.n))
            continue;
        /* A test that was cut short has shown nothing but a violation. */
        if (!burl_synth_detect(s, t, v) || was_cut_short(s, v) || v->cut > before.cut) {
            s->stats.is_cut = true;
            if (t->result != BURL_SYNTH_HARMFUL)
                t->result = BURL_SYNTH_NOT_RUN;
        }
        s->stats.n_run += t->result != BURL_SYNTH_NOT_RUN;
        s->stats.n_met += t->met > 0;
        s->stats.n_harmful += t->result == BURL_SYNTH_HARMFUL;
        if (t->result == BURL_SYNTH_NOT_DECIDED)
            note_reason(t, &before, v);
    }
    burl_gen_exec_set_deadline(s->x, (struct burl_deadline){ 0 });
    s->stats.wall_ms = burl_target_now_ms() - start_ms;
}
