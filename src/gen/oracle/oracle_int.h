/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/oracle/oracle_int.h - the state of the oracle for one test: linearizations that were run,
 * masks, cached verdicts.
 */
#ifndef BURL_GEN_ORACLE_INT_H
#define BURL_GEN_ORACLE_INT_H

#include "gen/oracle/oracle.h"

/* Other addresses, another time: two values, because one may happen to give the same again. */
#define BURL__GEN_SHIFT_1 0x9e3779b97f4a7c15ull
#define BURL__GEN_SHIFT_2 0x3c6ef372fe94f82bull

struct burl__gen_lin {
    struct burl_gen_order order;
    struct burl_gen_outcome outcome;
    uint64_t hash; /* DONE: of the values that are compared; else of the way it ended */
};

/* A value that differs between like runs: every result or out-parameter of that function. */
struct burl__gen_mask {
    int fn;
    unsigned param; /* as in burl_gen_value */
};

/* Verdict on blocked runs with the same calls done and pending. */
struct burl__gen_stuck {
    uint64_t key;
    struct burl_gen_verdict verdict;
};

struct burl_gen_oracle {
    struct burl_gen_exec *x;
    const struct burl_gen_model *model;
    const struct burl_gen_test *test;
    uint32_t max_linear;
    unsigned lengths[BURL_GEN_MAX_THREADS];
    unsigned first_call[BURL_GEN_MAX_THREADS]; /* number of the thread's first call */
    unsigned n_calls;
    int fn[BURL_GEN_MAX_CALLS]; /* by number of the call */
    uint64_t merges;
    BURL_VEC(struct burl__gen_lin *) lins;
    uint32_t n_orders; /* different orders in lins */
    struct burl_gen_order next;
    bool begun; /* `next` is valid */
    bool all_run;
    bool probed;         /* the mask was computed */
    bool checked;        /* every order was run a second time, under other addresses */
    bool not_repeatable; /* and one differed */
    BURL_VEC(struct burl__gen_mask) masks;
    BURL_VEC(struct burl__gen_stuck) stuck;
    BURL_VEC(struct burl_gen_linear) all;
};

const char *burl__gen_fn_name(const struct burl_gen_oracle *o, int fn);
/* Hash of how a run that is not DONE ended: the failure, or which calls are blocked. */
uint64_t burl__gen_end_hash(const struct burl_gen_oracle *o, const struct burl_gen_outcome *r);
/* stuck.c: a run that is BLOCKED. */
void burl__gen_oracle_stuck(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                            struct burl_gen_verdict *out);
/* A run without pending calls is compared with whole linearizations. */
void burl__gen_oracle_end(struct burl_gen_oracle *o, const struct burl_gen_outcome *run,
                          struct burl_gen_verdict *out);
/* Sets judgement and sentence. */
void burl__gen_decide(struct burl_gen_verdict *out, enum burl_gen_judgement judgement,
                      const char *fmt, ...) BURL_PRINTF(3, 4);

#endif
