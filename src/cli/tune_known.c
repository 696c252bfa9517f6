/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_known.c - places that burl knows: of suspects, and of location pairs never covered.
 *
 * Runs in the host. Suspects come from the first run of the search and from goals that `burl test`
 * left in the store; pairs from `burl cover`, for the same program. What is not there costs
 * nothing: a program that was never covered has no pairs.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/tune_int.h"
#include "cover/cover.h"
#include "store/memory.h"

void
burl__tune_known_run(struct burl_tune_session *t, const struct burl_free_result *r)
{
    for (size_t i = 0; i < r->n_suspects; i++) {
        const struct burl_wire_suspect *x = &r->suspects[i];

        for (uint32_t k = 0; k < x->n_sites; k++)
            burl_marks_add_site(&t->marks, r->modules, r->n_modules, x->sites[k],
                                BURL_NOISE_MARK_SUSPECT);
    }
    for (size_t i = 0; i < r->n_failures; i++) {
        const struct burl_wire_verdict *v = &r->failures[i].verdict;

        for (uint32_t k = 0; k < v->n_sides && k < 2; k++)
            burl_marks_add_site(&t->marks, r->modules, r->n_modules, v->sides[k].site,
                                BURL_NOISE_MARK_SUSPECT);
    }
}

static enum burl_status
mark_goals(struct burl_tune_session *t, struct burl_err *err)
{
    char *args = burl__test_args_json(t->argv + 1, t->argc - 1);
    struct burl_store_program p = { 0 };
    struct burl_store_goals goals = { 0 };
    bool found = false;
    enum burl_status st = burl_store_program_get(t->free.store, t->path, args, &found, &p, err);

    if (st == BURL_OK && found)
        st = burl_store_goals_list(t->free.store, p.id, &goals, err);
    for (size_t i = 0; st == BURL_OK && i < goals.n; i++) {
        const struct burl_store_goal *g = &goals.v[i];

        if (strcmp(g->state, "impossible") == 0)
            continue;
        for (size_t k = 0; k < g->n_sites; k++)
            burl_marks_add(&t->marks, g->sites[k].module, g->sites[k].index,
                           BURL_NOISE_MARK_SUSPECT);
    }
    burl_store_goals_deinit(&goals);
    burl_store_program_deinit(&p);
    free(args);
    return st;
}

static void
mark_gaps(struct burl_tune_session *t, const struct burl_cover_model *m,
          const struct burl_cover_names *names)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];
        const uint32_t sites[2] = { p->a, p->b };

        for (size_t k = 0; p->state == BURL_COVER_UNCOVERED && k < 2; k++) {
            if (sites[k] < names->n)
                burl_marks_add(&t->marks, names->sites[sites[k]].module,
                               names->sites[sites[k]].value, BURL_NOISE_MARK_PAIR);
        }
    }
}

static enum burl_status
mark_pairs(struct burl_tune_session *t, struct burl_err *err)
{
    const struct burl_cover_fill_opts o = { .metrics = BURL_METRIC_BIT(LOCPAIRS), .command = "" };
    struct burl_cover_names names = { 0 };
    struct burl_cover_model m;
    struct burl_cover *c = NULL;
    enum burl_status st = burl_cover_open(&c, t->free.store, t->path, err);

    if (st == BURL_OK && burl_cover_program(c)->id != 0) {
        burl_cover_model_init(&m);
        st = burl_cover_fill(c, &o, &m, &names, err);
        if (st == BURL_OK)
            mark_gaps(t, &m, &names);
        burl_cover_model_deinit(&m);
        free(names.sites);
    }
    burl_cover_free(c);
    return st;
}

enum burl_status
burl__tune_known(struct burl_tune_session *t, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    if (t->paper || t->opts->no_known)
        return BURL_OK;
    st = mark_goals(t, err);
    if (st == BURL_OK)
        st = mark_pairs(t, err);
    return st;
}
