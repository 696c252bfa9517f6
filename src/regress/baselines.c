/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/baselines.c - techniques that the SimRT paper compares itself with; contract in
 * techniques.h.
 *
 * Runs in the host. All of them see the same tests: those without instrumented programs are left
 * out, those that cannot be judged are selected by each.
 *
 * Departure: the history has sites and no boundaries of blocks, so additional block coverage counts
 * sites; a block with many accesses weighs more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "regress/select_int.h"
#include "regress/techniques.h"

static const char *const names[BURL_TECHNIQUE__N] = {
    [BURL_TECHNIQUE_RTA] = "rta",           [BURL_TECHNIQUE_DEJAVU] = "dejavu",
    [BURL_TECHNIQUE_SIMRT] = "simrt",       [BURL_TECHNIQUE_SIMRT_N] = "simrt-n",
    [BURL_TECHNIQUE_RANDOM_S] = "random-s", [BURL_TECHNIQUE_SIMRT_A] = "simrt-a",
    [BURL_TECHNIQUE_ABC] = "abc",           [BURL_TECHNIQUE_RANDOM] = "random",
};

const char *
burl_regress_technique_name(enum burl_regress_technique t)
{
    return names[t];
}

bool
burl_regress_technique_find(const char *name, enum burl_regress_technique *t)
{
    for (int i = 0; i < BURL_TECHNIQUE__N; i++) {
        if (strcmp(names[i], name) == 0) {
            *t = (enum burl_regress_technique)i;
            return true;
        }
    }
    return false;
}

/* All tests that can be run under observation, as the suite lists them. */
static void
add_all(const struct burl_regress_selection *s, struct burl_regress_order *out)
{
    for (uint32_t i = 0; i < s->base->tests.n; i++)
        if (!burl__select_is_plain(&s->base->tests.v[i]))
            BURL_VEC_PUSH(out, i);
}

/* ---- ours -------------------------------------------------------------------------------- */

static void
add_simrt(const struct burl_regress_selection *s, const struct burl_regress_rules *rules,
          bool same_thread, bool with_tail, struct burl_regress_order *out)
{
    struct burl_regress_selection own = { .base = s->base };
    struct burl_regress_rules r = *rules;

    /* The subjects are borrowed. */
    own.subjects.v = s->subjects.v;
    own.subjects.n = s->subjects.n;
    r.same_thread = same_thread;
    r.with_tail = with_tail;
    burl_regress_select(&own, &r);
    for (size_t i = 0; i < own.chosen.n; i++)
        BURL_VEC_PUSH(out, own.chosen.v[i].test);
    own.subjects.v = NULL;
    own.subjects.n = 0;
    burl_regress_selection_deinit(&own);
}

/* ---- Dejavu ------------------------------------------------------------------------------ */

static bool
executes_dangerous(const struct burl_regress_selection *s, uint32_t test)
{
    for (uint32_t i = 0; i < s->subjects.n; i++) {
        const struct burl_history *h = burl_regress_history_of(s, test, i);

        if (h && burl__select_executes_change(s, i, h))
            return true;
    }
    return false;
}

static void
add_dejavu(const struct burl_regress_selection *s, struct burl_regress_order *out)
{
    for (uint32_t i = 0; i < s->base->tests.n; i++) {
        char *why;

        if (burl__select_is_plain(&s->base->tests.v[i]))
            continue;
        why = burl__select_unknown(s, i);
        if (why || executes_dangerous(s, i))
            BURL_VEC_PUSH(out, i);
        free(why);
    }
}

/* ---- additional block coverage ----------------------------------------------------------- */

/* Where the sites of a module begin in a row. A module that several programs contain is one, unless
 * it was built with other hooks. */
struct columns {
    struct burl_map at;
    size_t words;
};

static size_t
column_of(struct columns *c, const struct burl_history_module *m)
{
    const uint64_t key = burl_hash_end(burl_hash_u64(m->hash, m->n_sites));
    uint64_t at;

    if (burl_map_get(&c->at, key, &at))
        return (size_t)at;
    at = c->words;
    burl_map_set(&c->at, key, at);
    c->words += ((size_t)m->n_sites + 63) / 64;
    return (size_t)at;
}

static void
fill_row(struct columns *c, const struct burl_history *h, uint64_t *row)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        const struct burl_history_set *x = &h->sets.v[i];
        const struct burl_history_module *m = &h->modules.v[x->module];
        uint64_t *part = row + column_of(c, m);

        for (uint32_t k = 0; k < (m->n_sites + 7) / 8; k++)
            part[k / 8] |= (uint64_t)x->bits[k] << (k % 8) * 8;
    }
}

static void
append(void *arg, uint32_t test, uint64_t n_all, uint64_t n_new, const uint64_t *covered)
{
    struct burl_regress_order *out = arg;

    (void)n_all;
    (void)n_new;
    (void)covered;
    BURL_VEC_PUSH(out, test);
}

static void
add_abc(const struct burl_regress_selection *s, uint64_t seed, struct burl_regress_order *out)
{
    const struct burl_regress_version *v = s->base;
    struct burl_regress_order all = { 0 };
    struct columns c = { 0 };
    struct burl__table t = { .n_tests = v->tests.n };
    bool *done = burl_xcalloc(v->tests.n + 1, sizeof *done);
    uint64_t *rows;

    add_all(s, &all);
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < v->tests.v[all.v[i]].histories.n; k++)
            for (size_t m = 0; m < v->tests.v[all.v[i]].histories.v[k].modules.n; m++)
                (void)column_of(&c, &v->tests.v[all.v[i]].histories.v[k].modules.v[m]);
    rows = burl_xcalloc(v->tests.n * c.words + 1, sizeof *rows);
    for (size_t i = 0; i < all.n; i++)
        for (size_t k = 0; k < v->tests.v[all.v[i]].histories.n; k++)
            fill_row(&c, &v->tests.v[all.v[i]].histories.v[k], rows + all.v[i] * c.words);
    t.words = c.words;
    t.n_elements = c.words * 64;
    t.rows = rows;
    (void)burl__order(&t, all.v, all.n, seed, append, out);
    for (size_t i = 0; i < out->n; i++)
        done[out->v[i]] = true;
    for (size_t i = 0; i < all.n; i++)
        if (!done[all.v[i]])
            BURL_VEC_PUSH(out, all.v[i]);
    free(rows);
    free(done);
    burl_map_deinit(&c.at);
    BURL_VEC_FREE(&all);
}

void
burl_regress_technique_order(const struct burl_regress_selection *s,
                             const struct burl_regress_rules *rules, enum burl_regress_technique t,
                             struct burl_regress_order *out)
{
    memset(out, 0, sizeof *out);
    switch (t) {
    case BURL_TECHNIQUE_RTA:
        add_all(s, out);
        break;
    case BURL_TECHNIQUE_DEJAVU:
        add_dejavu(s, out);
        break;
    case BURL_TECHNIQUE_SIMRT:
    case BURL_TECHNIQUE_RANDOM_S:
        add_simrt(s, rules, false, false, out);
        break;
    case BURL_TECHNIQUE_SIMRT_N:
        add_simrt(s, rules, true, false, out);
        break;
    case BURL_TECHNIQUE_SIMRT_A:
        add_simrt(s, rules, false, true, out);
        break;
    case BURL_TECHNIQUE_ABC:
        add_abc(s, rules->seed, out);
        break;
    case BURL_TECHNIQUE_RANDOM:
    case BURL_TECHNIQUE__N:
        add_all(s, out);
        break;
    }
    if (t == BURL_TECHNIQUE_RANDOM || t == BURL_TECHNIQUE_RANDOM_S)
        burl__shuffle(out->v, out->n, rules->seed);
}
