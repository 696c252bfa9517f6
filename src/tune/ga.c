/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/ga.c - the genetic algorithm of the paper as a search.
 *
 * Runs in the host. A generation is bred when the whole one before it is learned: its elites
 * unchanged, which are evaluated again because fitness is noisy, then random newcomers (the paper's
 * final setting has none), then children of one parent by tournament and one by proportion. With
 * the paper's small probabilities most children are copies of a parent, which tells more about the
 * parent but tries nothing new; `distinct` changes an entry of such a copy until it is new.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/vec.h"
#include "tune/operators.h"
#include "tune/search.h"

struct burl_search {
    struct burl_search_config cfg;
    struct burl_rng rng;
    struct burl_genes *now; /* the population */
    double *fitness;
    struct burl_genes *parents; /* the one before */
    uint32_t generation;
    uint32_t n_given; /* of this generation */
    uint32_t n_learned;
    uint64_t n;                        /* trials given */
    BURL_VEC(struct burl_genes) tried; /* with cfg.distinct */
};

/* A genome may be so small that everything was tried. */
#define CHANGES_MAX 64

static struct burl_search *
create(const struct burl_search_config *cfg)
{
    struct burl_search *s = burl_xcalloc(1, sizeof *s);
    const uint32_t n = cfg->population;

    BURL_ASSERT(n >= 2 && cfg->elites < n && cfg->tournament >= 1);
    s->cfg = *cfg;
    burl_rng_init(&s->rng, cfg->seed);
    s->now = burl_xcalloc(n, sizeof *s->now);
    s->parents = burl_xcalloc(n, sizeof *s->parents);
    s->fitness = burl_xcalloc(n, sizeof *s->fitness);
    for (uint32_t i = 0; i < n; i++) {
        if (i < cfg->n_start)
            s->now[i] = cfg->start[i];
        else
            burl_genes_random(cfg->genome, &s->now[i], &s->rng);
    }
    return s;
}

static bool
was_tried(const struct burl_search *s, const struct burl_genes *x, uint32_t n_new)
{
    for (size_t i = 0; i < s->tried.n; i++) {
        if (burl_genes_equal(s->cfg.genome, &s->tried.v[i], x))
            return true;
    }
    for (uint32_t i = 0; i < n_new; i++) {
        if (burl_genes_equal(s->cfg.genome, &s->now[i], x))
            return true;
    }
    return false;
}

static void
make_distinct(struct burl_search *s, struct burl_genes *x, uint32_t n_new)
{
    for (int i = 0; s->cfg.distinct && i < CHANGES_MAX && was_tried(s, x, n_new); i++)
        burl_mutate_one(s->cfg.genome, x, &s->rng);
}

static void
add_children(struct burl_search *s, uint32_t at)
{
    const struct burl_search_config *c = &s->cfg;

    while (at < c->population) {
        const size_t i = burl_select_tournament(s->fitness, c->population, c->tournament, &s->rng);
        const size_t j = burl_select_proportional(s->fitness, c->population, &s->rng);
        struct burl_genes child[2] = { s->parents[i], s->parents[j] };

        burl_crossover(c->genome, &child[0], &child[1], c->crossover, &s->rng);
        for (size_t k = 0; k < 2 && at < c->population; k++) {
            burl_mutate(c->genome, &child[k], c->mutation, &s->rng);
            make_distinct(s, &child[k], at);
            s->now[at++] = child[k];
        }
    }
}

static void
breed(struct burl_search *s)
{
    const struct burl_search_config *c = &s->cfg;
    struct burl_genes *const keep = s->parents;
    size_t *best = burl_xcalloc(c->elites + 1u, sizeof *best);
    uint32_t at = 0;

    for (uint32_t i = 0; c->distinct && i < c->population; i++)
        BURL_VEC_PUSH(&s->tried, s->now[i]);
    s->parents = s->now;
    s->now = keep;
    burl_select_best(s->fitness, c->population, best, c->elites);
    while (at < c->elites) {
        s->now[at] = s->parents[best[at]];
        at++;
    }
    for (uint32_t i = 0; i < c->newcomers && at < c->population; i++)
        burl_genes_random(c->genome, &s->now[at++], &s->rng);
    add_children(s, at);
    free(best);
    s->generation++;
    s->n_given = 0;
    s->n_learned = 0;
}

static bool
is_over(const struct burl_search *s)
{
    return s->cfg.generations > 0 && s->generation + 1 >= s->cfg.generations &&
           s->n_given == s->cfg.population;
}

static bool
next(struct burl_search *s, struct burl_trial *out)
{
    if (is_over(s))
        return false;
    if (s->n_given == s->cfg.population) {
        if (s->n_learned < s->n_given)
            return false;
        breed(s);
    }
    *out = (struct burl_trial){ .n = s->n++,
                                .generation = s->generation,
                                .slot = s->n_given,
                                .elite = s->generation > 0 && s->n_given < s->cfg.elites,
                                .genes = s->now[s->n_given] };
    s->n_given++;
    return true;
}

static void
learn(struct burl_search *s, const struct burl_trial *t, double fitness)
{
    BURL_ASSERT(t->generation == s->generation && t->slot == s->n_learned &&
                s->n_learned < s->n_given);
    s->fitness[s->n_learned++] = fitness;
}

static void
destroy(struct burl_search *s)
{
    free(s->now);
    free(s->parents);
    free(s->fitness);
    BURL_VEC_FREE(&s->tried);
    free(s);
}

const struct burl_search_ops burl_search_ga = { "ga", create, next, learn, is_over, destroy };
