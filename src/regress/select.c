/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/select.c - selection and prioritization (PAPERS 4.5, 4.6); contract in select.h.
 *
 * Runs in the host. A test is selected if, in one program of it, two threads executed the accesses
 * of a pair; tests that cannot be judged are selected too. Judged ones come first, by additional
 * greedy; then those that could not be judged, as the suite lists them: they may be many, and
 * nothing speaks for them but the lack of evidence. Then the tail.
 */
#include "regress/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "regress/select_int.h"

struct tests {
    BURL_VEC_OF(uint32_t);
};

const struct burl_history *
burl_regress_history_of(const struct burl_regress_selection *s, uint32_t test, uint32_t subject)
{
    const struct burl_regress_test *t = &s->base->tests.v[test];

    for (size_t i = 0; i < t->histories.n; i++)
        if (strcmp(t->histories.v[i].program, s->subjects.v[subject].key) == 0)
            return &t->histories.v[i];
    return NULL;
}

bool
burl__select_is_plain(const struct burl_regress_test *t)
{
    return t->state == BURL_TEST_UNINSTRUMENTED ||
           (t->state == BURL_TEST_RECORDED && t->histories.n == 0);
}

enum burl__meeting
burl__select_meeting(const struct burl_regress_work *w, bool any_time)
{
    if (w->rules.same_thread)
        return BURL__MEET_SAME;
    return w->rules.any_lifetime || any_time ? BURL__MEET_ANY_TIME : BURL__MEET_APART;
}

/* ---- tests that cannot be judged --------------------------------------------------------- */

static bool
has_pairs(const struct burl_regress_selection *s, uint32_t subject)
{
    for (size_t i = 0; i < s->pairs.n; i++)
        if (s->pairs.v[i].subject == subject)
            return true;
    return false;
}

/* Can the test execute a pair, if its history is taken for incomplete? One that ran no program
 * so far can run any. */
static bool
may_reach_pairs(const struct burl_regress_selection *s, uint32_t test)
{
    if (s->base->tests.v[test].histories.n == 0)
        return s->pairs.n > 0;
    for (uint32_t i = 0; i < s->subjects.n; i++)
        if (burl_regress_history_of(s, test, i) && has_pairs(s, i))
            return true;
    return false;
}

/* Why the history of a test may lack something that it executes; NULL: it is complete. */
static char *
incomplete(const struct burl_regress_test *t)
{
    const char *why = t->why ? t->why : "";
    const char *how = t->state == BURL_TEST_FAILED    ? "failed"
                      : t->state == BURL_TEST_HUNG    ? "exceeded its time limit"
                      : t->state == BURL_TEST_SKIPPED ? "was skipped"
                                                      : NULL;

    for (size_t i = 0; !how && i < t->histories.n; i++)
        if (t->histories.v[i].partial)
            return burl_xasprintf("its history of %s is incomplete%s%s%s",
                                  t->histories.v[i].program, *why ? " (" : "", why,
                                  *why ? ")" : "");
    if (!how)
        return NULL;
    return burl_xasprintf("it %s while it was recorded%s%s%s; its history may be incomplete", how,
                          *why ? " (" : "", why, *why ? ")" : "");
}

/* Does the test execute an impacted access of a subject, in any thread? */
static bool
executes_impacted(const struct burl_regress_work *w, uint32_t test, uint32_t subject)
{
    const struct burl__tracks *t = &w->tracks.v[subject];

    for (size_t i = 0; i < t->runs.n; i++) {
        if (t->runs.v[i].test != test)
            continue;
        for (size_t k = 0; k < w->shared.n; k++)
            if (w->shared.v[k].subject == subject && w->shared.v[k].impacted &&
                burl__tracks_executed(t, &t->runs.v[i], w->shared.v[k].track))
                return true;
    }
    return false;
}

char *
burl__select_unknown(const struct burl_regress_selection *s, uint32_t test)
{
    const struct burl_regress_test *t = &s->base->tests.v[test];

    if (t->state == BURL_TEST_PENDING)
        return burl_xstrdup(t->why ? t->why : "it was not recorded");
    if (t->state == BURL_TEST_UNSTARTED)
        return burl_xasprintf("it could not be started when the suite was recorded%s%s",
                              t->why ? ": " : "", t->why ? t->why : "");
    for (uint32_t i = 0; i < s->subjects.n; i++) {
        const struct burl_regress_subject *x = &s->subjects.v[i];

        if (!burl_regress_history_of(s, test, i))
            continue;
        if (x->problem)
            return burl_xasprintf("the change of %s is not known: %s", x->key, x->problem);
        if (s->work && s->work->overflow.v[i] && executes_impacted(s->work, test, i))
            return burl_xasprintf("%s has too many pairs; it executes an impacted access", x->key);
    }
    return NULL;
}

/* ---- coverage ---------------------------------------------------------------------------- */

static int
compare_cells(const void *a, const void *b, void *arg)
{
    const struct burl__cell *cells = arg;
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct burl__cell *x = &cells[i], *y = &cells[k];

    if (x->subject != y->subject)
        return x->subject < y->subject ? -1 : 1;
    if (x->n_pairs != y->n_pairs)
        return x->n_pairs < y->n_pairs ? -1 : 1;
    return (i > k) - (i < k);
}

/* Cells of one weight side by side: they are counted together (order.c). */
static void
sort_cells(struct burl_regress_work *w)
{
    const size_t n = w->cells.n;
    uint32_t *order = burl_xcalloc(n + 1, sizeof *order), *now = burl_xcalloc(n + 1, sizeof *now);
    struct burl__cell *sorted = burl_xcalloc(n + 1, sizeof *sorted);

    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    if (n > 1)
        qsort_r(order, n, sizeof *order, compare_cells, w->cells.v);
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = w->cells.v[order[i]];
        now[order[i]] = i;
    }
    for (size_t i = 0; i < w->cell_of.n; i++)
        if (w->cell_of.v[i] != UINT32_MAX)
            w->cell_of.v[i] = now[w->cell_of.v[i]];
    free(w->cells.v);
    w->cells.v = sorted;
    w->cells.cap = n + 1;
    free(order);
    free(now);
}

bool
burl__select_executes_change(const struct burl_regress_selection *s, uint32_t subject,
                             const struct burl_history *h)
{
    const struct burl_changes *c = &s->subjects.v[subject].changes;

    return burl__history_executes(h, c->dangerous.v, c->dangerous.n);
}

static void
cover_cells(struct burl_regress_selection *s, struct burl_regress_work *w)
{
    size_t end = 0;

    w->words = (w->cells.n + 63) / 64;
    w->covers = burl_xcalloc(s->base->tests.n * w->words + 1, sizeof *w->covers);
    w->strict = burl_xcalloc(s->base->tests.n * w->words + 1, sizeof *w->strict);
    for (size_t first = 0; first < w->cells.n; first = end) {
        const uint32_t subject = w->cells.v[first].subject;
        const struct burl__tracks *t = &w->tracks.v[subject];

        for (end = first; end < w->cells.n && w->cells.v[end].subject == subject;)
            end++;
        for (size_t r = 0; r < t->runs.n; r++)
            if (burl__select_executes_change(s, subject, t->runs.v[r].history))
                burl__tracks_cover(t, &t->runs.v[r], w->cells.v, first, end, &w->rules,
                                   w->covers + t->runs.v[r].test * w->words,
                                   w->strict + t->runs.v[r].test * w->words);
    }
}

size_t
burl_regress_n_tests_of(const struct burl_regress_selection *s, uint32_t pair)
{
    const struct burl_regress_work *w = s->work;
    const uint32_t cell = w->cell_of.v[pair];
    size_t n = 0;

    for (size_t i = 0; cell != UINT32_MAX && i < s->base->tests.n; i++)
        n += w->covers[i * w->words + cell / 64] >> cell % 64 & 1;
    return n;
}

/* ---- order ------------------------------------------------------------------------------- */

struct ordering {
    struct burl_regress_selection *s;
    struct burl_regress_work *w;
    bool *is_chosen; /* per test */
};

static struct burl_regress_chosen *
choose(struct ordering *o, uint32_t test)
{
    struct burl_regress_chosen *c = BURL_VEC_ADD(&o->s->chosen);

    c->test = test;
    c->pair = UINT32_MAX;
    c->role_a = c->role_b = UINT32_MAX;
    o->is_chosen[test] = true;
    return c;
}

/* The roles in which the test executed the pair. */
static void
find_roles(struct ordering *o, struct burl_regress_chosen *c, bool any_time)
{
    const struct burl_regress_pair *p = &o->s->pairs.v[c->pair];
    struct burl__tracks *t = &o->w->tracks.v[p->subject];
    const struct burl_changes *x = &o->s->subjects.v[p->subject].changes;
    const struct burl_changes_site *a = &x->sites.v[p->a], *b = &x->sites.v[p->b];
    const uint32_t ta = burl__tracks_add(t, a), tb = burl__tracks_add(t, b);

    for (size_t i = 0; i < t->runs.n; i++)
        if (t->runs.v[i].test == c->test &&
            burl__tracks_meet(t, &t->runs.v[i], ta, tb, burl__select_meeting(o->w, any_time),
                              &c->role_a, &c->role_b))
            return;
}

/* Pairs of the cells in a row that are not covered yet. */
static uint64_t
count_pairs(const struct burl_regress_work *w, const uint64_t *row, const uint64_t *covered)
{
    uint64_t n = 0;

    for (size_t i = 0; i < w->words; i++)
        for (uint64_t x = row[i] & ~(covered ? covered[i] : 0); x; x &= x - 1)
            n += w->cells.v[i * 64 + (size_t)__builtin_ctzll(x)].n_pairs;
    return n;
}

static bool
has_bit(const uint64_t *row, size_t i)
{
    return (row[i / 64] >> i % 64 & 1) != 0;
}

/* How good a covered cell is as the reason that is shown: what the recording shows, then what is
 * new, then what tells most. */
static int
reason_score(const struct ordering *o, uint32_t test, size_t cell, const uint64_t *covered)
{
    const struct burl_regress_pair *p = &o->s->pairs.v[o->w->cells.v[cell].pair];

    return (has_bit(o->w->strict + test * o->w->words, cell) ? 64 : 0) +
           (has_bit(covered, cell) ? 0 : 32) + burl__pairs_telling(o->s, p);
}

/* A selected test, which covers a cell at least. */
static void
append_selected(void *arg, uint32_t test, uint64_t n_all, uint64_t n_new, const uint64_t *covered)
{
    struct ordering *o = arg;
    struct burl_regress_chosen *c = choose(o, test);
    const uint64_t *row = o->w->covers + test * o->w->words;
    size_t best = SIZE_MAX;
    int best_score = 0;

    (void)n_all; /* with variables */
    (void)n_new;
    c->n_pairs = count_pairs(o->w, row, NULL);
    c->n_new = count_pairs(o->w, row, covered);
    for (size_t i = 0; i < o->w->words; i++) {
        for (uint64_t x = row[i]; x; x &= x - 1) {
            const size_t cell = i * 64 + (size_t)__builtin_ctzll(x);
            const int score = reason_score(o, test, cell, covered);

            if (best != SIZE_MAX && score <= best_score)
                continue;
            best = cell;
            best_score = score;
        }
    }
    c->pair = o->w->cells.v[best].pair;
    find_roles(o, c, o->w->cells.v[best].any_time);
}

static void
append_tail(void *arg, uint32_t test, uint64_t n_all, uint64_t n_new, const uint64_t *covered)
{
    struct burl_regress_chosen *c = choose(arg, test);

    (void)covered;
    c->n_pairs = n_all;
    c->n_new = n_new;
}

/* A variable that a changed function can make race, or a lock order: a bug, as far as can be said
 * before a run. Bits are cells with such pairs. */
struct variable {
    uint64_t *cells;
};

struct variables {
    BURL_VEC_OF(struct variable);
};

static void
find_variables(const struct burl_regress_selection *s, const struct burl_regress_work *w,
               struct variables *out)
{
    struct burl_map by_key = { 0 };

    for (size_t i = 0; i < s->pairs.n; i++) {
        const struct burl_regress_pair *p = &s->pairs.v[i];
        const uint32_t cell = w->cell_of.v[i];
        const bool cycle = (p->kinds & BURL_REGRESS_DEADLOCKS) != 0;
        uint64_t key = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)p->subject << 1 | cycle), ix;

        if (cell == UINT32_MAX || (p->kinds & (BURL_REGRESS_RACES | BURL_REGRESS_DEADLOCKS)) == 0)
            continue;
        key = burl_hash_u64(key, (uint64_t)p->class << 32 |
                                     s->subjects.v[p->subject].changes.sites.v[p->a].function);
        key = burl_hash_end(key);
        if (!burl_map_get(&by_key, key, &ix)) {
            ix = out->n;
            burl_map_set(&by_key, key, ix);
            BURL_VEC_PUSH(out, (struct variable){ burl_xcalloc(w->words + 1, sizeof(uint64_t)) });
        }
        out->v[ix].cells[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    burl_map_deinit(&by_key);
}

/* Variables are counted first, those that two threads were seen at before the others; pairs break
 * ties, again those that were seen before the others. */
#define STRICT_WEIGHT ((uint64_t)1 << 48)
#define LOOSE_WEIGHT ((uint64_t)1 << 36)
#define STRICT_PAIRS 64u
/* With more, pairs alone are counted: the table would be too large. */
#define MAX_VARIABLES 4096u

static bool
intersect(const uint64_t *a, const uint64_t *b, size_t words)
{
    for (size_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

/* The elements of the order, one after the other: cells; cells that are covered strictly;
 * variables; variables that are covered strictly. */
struct elements {
    const struct burl_regress_work *w;
    const struct variables *vars;
    size_t n_vars;
    size_t words;
};

static void
set_bit(uint64_t *row, size_t i)
{
    row[i / 64] |= (uint64_t)1 << i % 64;
}

static void
fill_row(const struct elements *e, uint32_t test, uint64_t *row)
{
    const size_t words = e->w->words, first = 2 * words * 64;
    const uint64_t *covers = e->w->covers + test * words, *strict = e->w->strict + test * words;

    memcpy(row, covers, words * sizeof *row);
    memcpy(row + words, strict, words * sizeof *row);
    for (size_t i = 0; i < e->n_vars; i++) {
        if (intersect(covers, e->vars->v[i].cells, words))
            set_bit(row, first + i);
        if (intersect(strict, e->vars->v[i].cells, words))
            set_bit(row, first + e->n_vars + i);
    }
}

static uint64_t *
weigh(const struct elements *e)
{
    const size_t first = 2 * e->w->words * 64;
    uint64_t *weights = burl_xcalloc(e->words * 64 + 1, sizeof *weights);

    for (size_t i = 0; i < e->w->cells.n; i++) {
        weights[i] = e->w->cells.v[i].n_pairs;
        weights[e->w->words * 64 + i] = e->w->cells.v[i].n_pairs * STRICT_PAIRS;
    }
    for (size_t i = 0; i < e->n_vars; i++) {
        weights[first + i] = LOOSE_WEIGHT;
        weights[first + e->n_vars + i] = STRICT_WEIGHT;
    }
    return weights;
}

static void
order_selected(struct ordering *o, const struct tests *judged)
{
    const size_t n_tests = o->s->base->tests.n;
    struct variables vars = { 0 };
    struct elements e = { .w = o->w, .vars = &vars };

    find_variables(o->s, o->w, &vars);
    e.n_vars = vars.n <= MAX_VARIABLES ? vars.n : 0;
    e.words = 2 * o->w->words + (2 * e.n_vars + 63) / 64;
    uint64_t *weights = weigh(&e);
    uint64_t *rows = burl_xcalloc(n_tests * e.words + 1, sizeof *rows);
    const struct burl__table t = { .n_tests = n_tests,
                                   .n_elements = 2 * o->w->words * 64 + 2 * e.n_vars,
                                   .words = e.words,
                                   .rows = rows,
                                   .weights = weights };

    for (uint32_t k = 0; k < n_tests; k++)
        fill_row(&e, k, rows + k * e.words);
    (void)burl__order(&t, judged->v, judged->n, o->w->rules.seed, append_selected, o);
    for (size_t i = 0; i < vars.n; i++)
        free(vars.v[i].cells);
    BURL_VEC_FREE(&vars);
    free(rows);
    free(weights);
}

/* Orders what is left by the shared accesses that a test executes: impacted ones, or the others. */
static void
order_shared(struct ordering *o, const struct tests *judged, bool impacted)
{
    const struct burl_regress_work *w = o->w;
    const size_t words = (w->shared.n + 63) / 64;
    uint64_t *rows = burl_xcalloc(o->s->base->tests.n * words + 1, sizeof *rows);
    uint64_t *weights = burl_xcalloc(w->shared.n + 1, sizeof *weights);
    const struct burl__table table = { .n_tests = o->s->base->tests.n,
                                       .n_elements = w->shared.n,
                                       .words = words,
                                       .rows = rows,
                                       .weights = weights };
    struct tests left = { 0 };

    for (size_t i = 0; i < w->shared.n; i++) {
        const struct burl__shared *x = &w->shared.v[i];
        const struct burl__tracks *t = &w->tracks.v[x->subject];

        weights[i] = x->n;
        for (size_t r = 0; x->impacted == impacted && r < t->runs.n; r++)
            if (burl__tracks_executed(t, &t->runs.v[r], x->track))
                rows[t->runs.v[r].test * words + i / 64] |= (uint64_t)1 << i % 64;
    }
    for (size_t i = 0; i < judged->n; i++)
        if (!o->is_chosen[judged->v[i]])
            BURL_VEC_PUSH(&left, judged->v[i]);
    (void)burl__order(&table, left.v, left.n, w->rules.seed, append_tail, o);
    BURL_VEC_FREE(&left);
    free(rows);
    free(weights);
}

static void
append_unknown(struct ordering *o, uint32_t test, char *why_owned)
{
    struct burl_regress_chosen *c = choose(o, test);

    c->unknown = true;
    c->why = why_owned;
}

/* Tests that the history does not judge, in the order of the suite. */
static void
order_unknown(struct ordering *o)
{
    const struct burl_regress_version *v = o->s->base;

    for (uint32_t i = 0; i < v->tests.n; i++) {
        char *why;

        if (o->is_chosen[i] || burl__select_is_plain(&v->tests.v[i]))
            continue;
        why = burl__select_unknown(o->s, i);
        if (!why && may_reach_pairs(o->s, i))
            why = incomplete(&v->tests.v[i]);
        if (why)
            append_unknown(o, i, why);
    }
}

static void
order_tail(struct ordering *o, const struct tests *judged)
{
    order_shared(o, judged, true);
    order_shared(o, judged, false);
    for (size_t i = 0; i < judged->n; i++)
        if (!o->is_chosen[judged->v[i]])
            (void)choose(o, judged->v[i]);
}

static void
order_tests(struct burl_regress_selection *s, struct burl_regress_work *w)
{
    struct ordering o = { .s = s, .w = w };
    struct tests judged = { 0 };

    o.is_chosen = burl_xcalloc(s->base->tests.n + 1, sizeof *o.is_chosen);
    for (uint32_t i = 0; i < s->base->tests.n; i++) {
        if (burl__select_is_plain(&s->base->tests.v[i])) {
            BURL_VEC_PUSH(&s->uninstrumented, i);
        } else {
            char *why = burl__select_unknown(s, i);

            if (!why)
                BURL_VEC_PUSH(&judged, i);
            free(why);
        }
    }
    order_selected(&o, &judged);
    order_unknown(&o);
    s->n_selected = s->chosen.n;
    if (w->rules.with_tail)
        order_tail(&o, &judged);
    BURL_VEC_FREE(&judged);
    free(o.is_chosen);
}

/* ---- all of it --------------------------------------------------------------------------- */

void
burl_regress_select(struct burl_regress_selection *s, const struct burl_regress_rules *rules)
{
    struct burl_regress_work *w = burl_xcalloc(1, sizeof *w);

    w->rules = *rules;
    for (uint32_t i = 0; i < s->subjects.n; i++) {
        burl__tracks_open(BURL_VEC_ADD(&w->tracks), s->base, s->subjects.v[i].key);
        burl__pairs_match(s, w, i);
    }
    sort_cells(w);
    cover_cells(s, w);
    s->work = w;
    order_tests(s, w);
}

static void
free_work(struct burl_regress_work *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->tracks.n; i++)
        burl__tracks_close(&w->tracks.v[i]);
    BURL_VEC_FREE(&w->tracks);
    BURL_VEC_FREE(&w->cell_of);
    BURL_VEC_FREE(&w->cells);
    BURL_VEC_FREE(&w->shared);
    BURL_VEC_FREE(&w->overflow);
    free(w->covers);
    free(w->strict);
    free(w);
}

void
burl_regress_selection_deinit(struct burl_regress_selection *s)
{
    for (size_t i = 0; i < s->subjects.n; i++) {
        struct burl_regress_subject *x = &s->subjects.v[i];

        free(x->key);
        free(x->path);
        free(x->problem);
        burl_sp_deinit(&x->target);
        burl_changes_deinit(&x->changes);
        burl_sitetab_free(x->sites);
    }
    for (size_t i = 0; i < s->chosen.n; i++)
        free(s->chosen.v[i].why);
    BURL_VEC_FREE(&s->subjects);
    BURL_VEC_FREE(&s->pairs);
    BURL_VEC_FREE(&s->chosen);
    BURL_VEC_FREE(&s->uninstrumented);
    free_work(s->work);
    memset(s, 0, sizeof *s);
}
