/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/story.c - what a synthesized test is for, in words.
 */
#include "synth/story.h"

#include "synth/explain.h"

#define MAX_NUMBERS 8u /* of pairs, listed */

/* What is told: a pair with the two rows that the run met, or a lock pair. */
struct subject {
    const struct burl_synth_pair *pair; /* NULL: lock_pair */
    const struct burl_synth_lock_pair *lock_pair;
    size_t number; /* from 0 */
    size_t a;      /* rows of D */
    size_t b;
    bool is_predicted; /* the goal was one of the test's pairs */
};

/* ---- which pair -------------------------------------------------------------------------- */

/* The rows are those that the goal names. A race is the same from either side. */
static bool
is_goal(const struct burl_synth *s, enum burl_synth_for what, size_t a, size_t b,
        const struct burl_wire_goal *g)
{
    const struct burl_synth_dep *x = &s->table.deps.v[a];
    const struct burl_synth_dep *y = &s->table.deps.v[b];

    if (what == BURL_SYNTH_RACE)
        return g->kind == BURL_GOAL_RACE &&
               ((g->race.first == x->current_site && g->race.second == y->current_site) ||
                (g->race.first == y->current_site && g->race.second == x->current_site));
    return g->kind == BURL_GOAL_TRIPLE && g->triple.local_first == x->previous_site &&
           g->triple.remote == y->current_site && g->triple.local_second == x->current_site;
}

static bool
is_cycle_goal(const struct burl_synth *s, const struct burl_synth_lock_pair *p,
              const struct burl_wire_goal *g)
{
    const struct burl_synth_nest *x = &s->table.nests.v[p->a];
    const struct burl_synth_nest *y = &s->table.nests.v[p->b];
    const unsigned first = g->cycle.threads[0].held_from == x->outer_site ? 0 : 1;

    return g->kind == BURL_GOAL_CYCLE && g->cycle.n == 2 &&
           g->cycle.threads[first].held_from == x->outer_site &&
           g->cycle.threads[first].requested_at == x->inner_site &&
           g->cycle.threads[1 - first].held_from == y->outer_site &&
           g->cycle.threads[1 - first].requested_at == y->inner_site;
}

static bool
find_rows(const struct burl_synth *s, const struct burl_synth_test *t,
          const struct burl_wire_goal *g, struct subject *out)
{
    for (size_t k = 0; k < t->pairs.n; k++) {
        const size_t at = t->pairs.v[k];
        const struct burl_synth_pair *p = &s->pairs.v[at];

        for (size_t i = 0; i < s->pairs.raw.n; i++) {
            const struct burl_synth_raw_pair *raw = &s->pairs.raw.v[i];

            if (raw->pair != at || !is_goal(s, p->what, raw->a, raw->b, g))
                continue;
            *out = (struct subject){
                .pair = p, .number = at, .a = raw->a, .b = raw->b, .is_predicted = true
            };
            return true;
        }
    }
    return false;
}

static bool
find_nests(const struct burl_synth *s, const struct burl_synth_test *t,
           const struct burl_wire_goal *g, struct subject *out)
{
    for (size_t k = 0; k < t->lock_pairs.n; k++) {
        const size_t at = t->lock_pairs.v[k];

        if (!is_cycle_goal(s, &s->lock_pairs.v[at], g))
            continue;
        *out = (struct subject){ .lock_pair = &s->lock_pairs.v[at],
                                 .number = s->pairs.n + at,
                                 .is_predicted = true };
        return true;
    }
    return false;
}

static struct subject
subject_of(const struct burl_synth *s, const struct burl_synth_test *t,
           const struct burl_wire_goal *g)
{
    struct subject x = { 0 };

    if (g != NULL && (find_rows(s, t, g, &x) || find_nests(s, t, g, &x)))
        return x;
    if (t->pairs.n > 0) {
        x.number = t->pairs.v[0];
        x.pair = &s->pairs.v[x.number];
        x.a = x.pair->a;
        x.b = x.pair->b;
    } else if (t->lock_pairs.n > 0) {
        x.number = s->pairs.n + t->lock_pairs.v[0];
        x.lock_pair = &s->lock_pairs.v[t->lock_pairs.v[0]];
    }
    return x;
}

/* ---- sentences --------------------------------------------------------------------------- */

static const char *
fn_of_row(const struct burl_synth *s, size_t row)
{
    return s->m->fns.v[s->table.deps.v[row].fn].name;
}

static void
tell_object(const struct burl_synth *s, const struct burl_sites *sites, const struct subject *x,
            struct burl_buf *out)
{
    const struct burl_synth_dep *a = &s->table.deps.v[x->a];
    const struct burl_synth_dep *b = &s->table.deps.v[x->b];

    if (a->fn == b->fn)
        burl_buf_printf(out, "Two calls of %s() can collide on one object: ", fn_of_row(s, x->a));
    else
        burl_buf_printf(out, "%s() and %s() can collide on one object: ", fn_of_row(s, x->a),
                        fn_of_row(s, x->b));
    burl_synth_path_print(s, sites, a, true, out);
    burl_buf_str_append(out, a->off == b->off ? " of thread A is " : " of thread A and ");
    burl_synth_path_print(s, sites, b, true, out);
    burl_buf_str_append(out, " of thread B.\n");
}

static const char *
no_lock(enum burl_synth_for what)
{
    return what == BURL_SYNTH_RACE ? "The two accesses have no lock in common."
                                   : "No lock that A holds from p to c is held by B at r.";
}

/* Why the objects are shared as they are. */
static void
tell_sharing(const struct burl_synth *s, const struct burl_sites *sites, const struct subject *x,
             struct burl_buf *out)
{
    const struct burl_synth_dep *a = &s->table.deps.v[x->a];

    burl_synth_setters_print(s, sites, x->pair, out);
    if (x->pair->fate == BURL_SYNTH_KEPT_SETTER)
        burl_buf_str_append(out, "The setters install one object in two owners, one for each "
                                 "thread. So the threads hold two different dominant locks, which "
                                 "do not exclude each other, while they access the one object.\n");
    else if (a->path.root == BURL_SYNTH_STATIC)
        burl_buf_printf(out, "The object is static, so all threads share it. %s\n",
                        no_lock(x->pair->what));
    else
        burl_buf_printf(out, "The threads share the outermost owner that both paths have. %s\n",
                        no_lock(x->pair->what));
}

static void
tell_interleaving(enum burl_synth_for what, struct burl_buf *out)
{
    static const char *const text[] = {
        [BURL_SYNTH_ATOMICITY] = "A executes p, then B executes r, then A executes c; calls made "
                                 "one after the other cannot do that",
        [BURL_SYNTH_RACE] = "both threads are about to execute their accesses, in either order",
        [BURL_SYNTH_DEADLOCK] = "each thread has taken its first lock and waits for its second, "
                                "which is the first of the other thread",
    };

    burl_buf_printf(out, "The interleaving to reach: %s.\n", text[what]);
}

/* The other pairs of the test, by number. */
static void
tell_others(const struct burl_synth *s, size_t test, size_t told, struct burl_buf *out)
{
    const size_t n = burl_synth_test_n_pairs(s, test);
    unsigned listed = 0;

    if (n < 2)
        return;
    burl_buf_printf(out, "%zu more pair%s of accesses led to this test:", n - 1, n == 2 ? "" : "s");
    for (size_t i = 0; i < n && listed < MAX_NUMBERS; i++) {
        const size_t number = burl_synth_test_pair(s, test, i);

        if (number == told + 1)
            continue;
        burl_buf_printf(out, "%s %zu", listed > 0 ? "," : "", number);
        listed++;
    }
    burl_buf_str_append(out, listed < n - 1 ? ", ...\n" : "\n");
}

void
burl_synth_story(const struct burl_synth *s, const struct burl_sites *sites, size_t test,
                 const struct burl_wire_goal *goal, struct burl_buf *out)
{
    const struct burl_synth_test *t = &s->tests.v[test];
    const struct subject x = subject_of(s, t, goal);

    if (x.pair == NULL && x.lock_pair == NULL)
        return;
    burl_buf_printf(out, "Why this test was written (test %zu, pair %zu of burl synth):\n",
                    test + 1, x.number + 1);
    if (x.pair != NULL) {
        tell_object(s, sites, &x, out);
        burl_synth_rows_print(s, sites, x.pair->what, x.a, x.b, out);
        tell_sharing(s, sites, &x, out);
        tell_interleaving(x.pair->what, out);
    } else {
        burl_buf_str_append(out, "The calls take the same two locks in opposite orders:\n");
        burl_synth_nests_print(s, sites, x.lock_pair, out);
        tell_interleaving(BURL_SYNTH_DEADLOCK, out);
    }
    if (goal != NULL && goal->kind != BURL_GOAL_NONE && !x.is_predicted)
        burl_buf_str_append(out, "The run below was directed at something else that executions of "
                                 "this test had shown.\n");
    tell_others(s, test, x.number, out);
}
