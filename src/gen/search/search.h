/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/search/search.h - CovCon's main loop: which pair of functions next, which test for it, what
 * came of it.
 */
#ifndef BURL_GEN_SEARCH_H
#define BURL_GEN_SEARCH_H

#include "base/rng.h"
#include "gen/build/build.h"
#include "gen/shrink/violations.h"

enum burl_gen_guide {
    BURL_GEN_GUIDE_COVCON = 0,  /* the score of the paper's Definition 2, ties in a pool */
    BURL_GEN_GUIDE_COVCON_CODE, /* as the authors' program refills the pool */
    BURL_GEN_GUIDE_RANDOM,      /* ConTeGe */
    BURL_GEN_GUIDE_LEAST_TRIED,
    BURL_GEN_GUIDE__N
};

enum burl_gen_executor { BURL_GEN_CONTROLLED = 0, BURL_GEN_FREE };

/* ---- pairs.c: tried and covered counts, scores, the pool ------------------------------------- */

struct burl_gen_pair {
    uint16_t a; /* of the model's functions; a <= b */
    uint16_t b;
    uint64_t tried;
    uint64_t covered;
    uint64_t violations;
};

struct burl_gen_pairs {
    BURL_VEC(struct burl_gen_pair) pair;
    BURL_VEC(size_t) pool;
    uint16_t *methods; /* functions of kind METHOD that can be called */
    size_t n_methods;
    int *number; /* by function: place in methods, -1 none */
    enum burl_gen_guide guide;
};

uint64_t burl_gen_score(uint64_t tried, uint64_t covered);
void burl_gen_pairs_init(struct burl_gen_pairs *p, const struct burl_gen_model *m,
                         enum burl_gen_guide guide);
void burl_gen_pairs_deinit(struct burl_gen_pairs *p);
/* The next pair to try; counts it as tried. */
struct burl_gen_pair *burl_gen_pairs_next(struct burl_gen_pairs *p, struct burl_rng *rng);
struct burl_gen_pair_totals {
    size_t covered; /* at least once */
    size_t tried;
};
struct burl_gen_pair_totals burl_gen_pairs_totals(const struct burl_gen_pairs *p);
/* NULL when one of them is not a method. */
struct burl_gen_pair *burl_gen_pairs_find(struct burl_gen_pairs *p, int a, int b);
/* Algorithm 1: counts the calls that overlapped in one concurrent run. */
void burl_gen_pairs_count(struct burl_gen_pairs *p, const struct burl_gen_event *events, size_t n,
                          unsigned n_threads);

/* ---- the loop -------------------------------------------------------------------------------- */

struct burl_gen_config {
    enum burl_gen_guide guide;
    enum burl_gen_executor executor;
    unsigned threads;   /* 2 and more */
    uint32_t schedules; /* controlled: executions per test */
    uint64_t seed;
    uint64_t tests;   /* 0: no limit */
    uint64_t time_ms; /* 0: no limit */
    bool compare_results;
    bool keep_going; /* continue after a violation */
    uint32_t observers;
    uint32_t max_linear;
    const volatile sig_atomic_t *interrupt;
};

enum burl_gen_stop {
    BURL_GEN_STOP_FOUND = 0,
    BURL_GEN_STOP_TESTS,
    BURL_GEN_STOP_TIME,
    BURL_GEN_STOP_INTERRUPTED,
    BURL_GEN_STOP_STUCK /* no test can be built: `why` */
};

struct burl_gen_stats {
    uint64_t tests;        /* concurrent tests run */
    uint64_t executions;   /* concurrent executions */
    uint64_t failed_makes; /* requests that could not be built */
    uint64_t not_decided;
    uint64_t explained; /* failing runs that a linearization explains */
    uint64_t violations;
    uint64_t cut; /* violations that were seen, and not confirmed for want of time */
    uint64_t unconfirmed;
    uint64_t unclean; /* violations in tests that are not clean: not reported */
    uint64_t kept;    /* tests that raised coverage */
    int64_t wall_ms;
    int64_t first_ms; /* to the first violation; -1 none */
    uint64_t first_tests;
    enum burl_gen_stop stop;
    char why[256];
    char why_not_decided[200]; /* the last one */
    struct burl_gen_build_stats build;
};

/* A point of the coverage curve, taken at powers of two of tests and at the end. */
struct burl_gen_curve_point {
    uint64_t tests;
    int64_t ms;
    size_t covered; /* pairs covered at least once */
};

struct burl_gen_hooks {
    void *arg;
    burl_gen_violation_fn *violation;
    /* A test that covered a pair for the first time. May be NULL. */
    void (*kept)(void *arg, const struct burl_gen_test *t);
    /* A few times per second. May be NULL. */
    void (*progress)(void *arg, const struct burl_gen_stats *s, const struct burl_gen_pairs *p,
                     const struct burl_gen_pair *current);
};

struct burl_gen_curve {
    BURL_VEC_OF(struct burl_gen_curve_point);
};

BURL_MUST_CHECK enum burl_status burl_gen_search(
    struct burl_gen_exec *x, const struct burl_gen_config *cfg, const struct burl_gen_hooks *hooks,
    struct burl_gen_pairs *pairs, struct burl_gen_curve *curve, struct burl_gen_stats *stats,
    struct burl_err *err);

/*
 * Calls per thread of the next test, by how often its pair was tried, this time included; the same
 * for every guide. At random there is no pair (`tried` 0): then as often as each of the n_pairs was
 * tried on average after so many turns.
 */
unsigned burl_gen_test_length(uint64_t tried, uint64_t turns, size_t n_pairs);

#endif
