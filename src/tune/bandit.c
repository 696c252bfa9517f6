/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/bandit.c - a bandit over placements instead of a genetic algorithm.
 *
 * Runs in the host. An arm is a way to place noise: at random, at shared variables (four ways),
 * before places where a thread switch was seen (two), at places of suspects, of uncovered pairs.
 * UCB1 chooses the arm, with fitness as a share of the largest seen as its reward. Within an arm
 * the other genes are drawn at random, or the best setting of the arm is changed in some genes.
 * Once in a while that setting is tried again unchanged: its value may have been luck.
 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tune/operators.h"
#include "tune/search.h"

#define ARMS_MAX 16u
/* Of UCB1; rewards are small shares, so less than the usual sqrt(2). */
#define EXPLORE 0.5
#define REFINE_CHANCE 0.6
#define AGAIN_CHANCE 0.15
#define CHANGE_CHANCE 0.3

struct arm {
    int32_t shared, cover, known;
    uint64_t n; /* trials given */
    uint64_t n_learned;
    double sum;
    double best;
    struct burl_genes best_genes;
};

struct burl_search {
    struct burl_search_config cfg;
    struct burl_rng rng;
    struct arm arms[ARMS_MAX];
    size_t n_arms;
    size_t known_at; /* gene; 0 none */
    double most;     /* largest fitness */
    uint64_t n;
};

static void
add_arm(struct burl_search *s, int32_t shared, int32_t cover, int32_t known)
{
    BURL_ASSERT(s->n_arms < ARMS_MAX);
    s->arms[s->n_arms++] = (struct arm){ .shared = shared, .cover = cover, .known = known };
}

static struct burl_search *
create(const struct burl_search_config *cfg)
{
    struct burl_search *s = burl_xcalloc(1, sizeof *s);
    const struct burl_gene *known = burl_genome_find(cfg->genome, BURL_GENE_KNOWN);

    s->cfg = *cfg;
    burl_rng_init(&s->rng, cfg->seed);
    s->known_at = known ? (size_t)(known - cfg->genome->v) : 0;
    for (int32_t i = 1; known && i <= known->max; i++)
        add_arm(s, 0, 0, i);
    add_arm(s, 0, 0, 0);
    for (int32_t i = 1; i <= cfg->genome->v[BURL_GENE_SHARED].max; i++)
        add_arm(s, i, 0, 0);
    for (int32_t i = 1; i <= cfg->genome->v[BURL_GENE_COVER].max; i++)
        add_arm(s, 0, i, 0);
    return s;
}

static void
place(const struct burl_search *s, const struct arm *a, struct burl_genes *x)
{
    x->v[BURL_GENE_SHARED] = a->shared;
    x->v[BURL_GENE_COVER] = a->cover;
    if (s->known_at > 0)
        x->v[s->known_at] = a->known;
}

/* An arm without trials first; then the largest upper bound. Trials that are out count as if they
 * had come to nothing, so that several at once are not all of one arm. */
static struct arm *
choose(struct burl_search *s)
{
    struct arm *best = NULL;
    double best_bound = 0;

    for (size_t i = 0; i < s->n_arms; i++) {
        struct arm *a = &s->arms[i];
        double bound;

        if (a->n == 0)
            return a;
        bound = (s->most > 0 ? a->sum / (double)a->n / s->most : 0) +
                EXPLORE * sqrt(log((double)s->n + 1) / (double)a->n);
        if (!best || bound > best_bound) {
            best = a;
            best_bound = bound;
        }
    }
    return best;
}

/* The best setting of the arm with at least one other gene; placement stays. */
static void
refine(struct burl_search *s, const struct arm *a, struct burl_genes *x)
{
    const struct burl_genome *g = s->cfg.genome;

    *x = a->best_genes;
    burl_mutate(g, x, CHANGE_CHANCE, &s->rng);
    x->v[BURL_GENE_FREQ] =
        burl_mutate_gene(&g->v[BURL_GENE_FREQ], a->best_genes.v[BURL_GENE_FREQ], &s->rng);
}

static struct arm *
arm_of(struct burl_search *s, const struct burl_genes *x)
{
    for (size_t i = 0; i < s->n_arms; i++) {
        struct arm *a = &s->arms[i];

        if (a->shared == x->v[BURL_GENE_SHARED] && a->cover == x->v[BURL_GENE_COVER] &&
            (s->known_at == 0 || a->known == x->v[s->known_at]))
            return a;
    }
    return NULL;
}

static bool
is_over(const struct burl_search *s)
{
    return s->cfg.generations > 0 && s->n >= (uint64_t)s->cfg.generations * s->cfg.population;
}

static bool
next(struct burl_search *s, struct burl_trial *out)
{
    struct arm *a;

    if (is_over(s))
        return false;
    *out = (struct burl_trial){ .n = s->n,
                                .generation = (uint32_t)(s->n / s->cfg.population),
                                .slot = (uint32_t)(s->n % s->cfg.population) };
    a = choose(s);
    if (s->n < s->cfg.n_start) {
        out->genes = s->cfg.start[s->n];
        a = arm_of(s, &out->genes);
    } else if (a->n_learned > 0 && burl_chance(&s->rng, AGAIN_CHANCE)) {
        out->genes = a->best_genes;
        out->elite = true;
    } else if (a->n_learned > 0 && burl_chance(&s->rng, REFINE_CHANCE)) {
        refine(s, a, &out->genes);
        place(s, a, &out->genes);
    } else {
        burl_genes_random(s->cfg.genome, &out->genes, &s->rng);
        place(s, a, &out->genes);
    }
    if (a)
        a->n++;
    s->n++;
    return true;
}

static void
learn(struct burl_search *s, const struct burl_trial *t, double fitness)
{
    struct arm *a = arm_of(s, &t->genes);

    if (fitness > s->most)
        s->most = fitness;
    if (!a)
        return;
    a->sum += fitness;
    a->n_learned++;
    /* Tried again: the mean of both, so that luck does not last. */
    if (t->elite && burl_genes_equal(s->cfg.genome, &t->genes, &a->best_genes)) {
        a->best = (a->best + fitness) / 2;
    } else if (a->n_learned == 1 || fitness > a->best) {
        a->best = fitness;
        a->best_genes = t->genes;
    }
}

static void
destroy(struct burl_search *s)
{
    free(s);
}

const struct burl_search_ops burl_search_bandit = {
    "bandit", create, next, learn, is_over, destroy
};
