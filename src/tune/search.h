/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/search.h - which setting is evaluated next.
 *
 * A search gives trials and learns how good they were. It knows nothing of processes, stores and
 * time: the same seed and the same values give the same trials, which is how a search is resumed.
 * Several trials may be out at once; they are learned in the order in which they were given.
 */
#ifndef BURL_TUNE_SEARCH_H
#define BURL_TUNE_SEARCH_H

#include "tune/genes.h"

struct burl_trial {
    uint64_t n;          /* from 0 */
    uint32_t generation; /* of a genetic algorithm; else 0 */
    uint32_t slot;       /* in its population */
    bool elite;          /* evaluated again, unchanged */
    bool final;          /* tune/finals.h, tune/seeds.h: no search gave it */
    uint64_t seed;       /* of tune/seeds.h: the seed of its execution; 0: chosen by the host */
    struct burl_genes genes;
};

struct burl_search_config {
    const struct burl_genome *genome; /* lives as long as the search */
    uint64_t seed;
    uint32_t population;
    uint32_t generations; /* 0: no limit */
    uint32_t tournament;  /* size */
    uint32_t elites;
    uint32_t newcomers; /* random ones per generation */
    bool distinct; /* genetic algorithm: a child is a setting that was not tried before */
    double crossover;
    double mutation;
    const struct burl_genes *start; /* the first trials; may be NULL */
    size_t n_start;
};

/* The settings of the paper. */
#define BURL_SEARCH_PAPER                                                                        \
    .population = 20, .generations = 100, .tournament = 4, .elites = 2, .crossover = 0.25,       \
    .mutation = 0.01

struct burl_search;

struct burl_search_ops {
    const char *name;
    struct burl_search *(*create)(const struct burl_search_config *cfg);
    /* False: nothing before something is learned, or the search is over. */
    bool (*next)(struct burl_search *s, struct burl_trial *out);
    void (*learn)(struct burl_search *s, const struct burl_trial *t, double fitness);
    /* It will give no more trials, whatever it learns. */
    bool (*is_over)(const struct burl_search *s);
    void (*destroy)(struct burl_search *s);
};

extern const struct burl_search_ops burl_search_ga;
extern const struct burl_search_ops burl_search_random;
extern const struct burl_search_ops burl_search_bandit;

/* "ga", "random", "bandit"; NULL when it is none. */
const struct burl_search_ops *burl_search_find(const char *name);

#endif
