/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/random.c - the baseline: every setting is drawn anew.
 *
 * Runs in the host. Counts generations like the genetic algorithm, so that the same number of
 * evaluations can be compared.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tune/search.h"

struct burl_search {
    struct burl_search_config cfg;
    struct burl_rng rng;
    uint64_t n;
};

static struct burl_search *
create(const struct burl_search_config *cfg)
{
    struct burl_search *s = burl_xcalloc(1, sizeof *s);

    s->cfg = *cfg;
    burl_rng_init(&s->rng, cfg->seed);
    return s;
}

static bool
is_over(const struct burl_search *s)
{
    return s->cfg.generations > 0 && s->n >= (uint64_t)s->cfg.generations * s->cfg.population;
}

static bool
next(struct burl_search *s, struct burl_trial *out)
{
    if (is_over(s))
        return false;
    *out = (struct burl_trial){ .n = s->n,
                                .generation = (uint32_t)(s->n / s->cfg.population),
                                .slot = (uint32_t)(s->n % s->cfg.population) };
    burl_genes_random(s->cfg.genome, &out->genes, &s->rng);
    s->n++;
    return true;
}

static void
learn(struct burl_search *s, const struct burl_trial *t, double fitness)
{
    (void)s;
    (void)t;
    (void)fitness;
}

static void
destroy(struct burl_search *s)
{
    free(s);
}

const struct burl_search_ops burl_search_random = {
    "random", create, next, learn, is_over, destroy
};

const struct burl_search_ops *
burl_search_find(const char *name)
{
    static const struct burl_search_ops *const all[] = { &burl_search_ga, &burl_search_random,
                                                         &burl_search_bandit };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (strcmp(all[i]->name, name) == 0)
            return all[i];
    }
    return NULL;
}
