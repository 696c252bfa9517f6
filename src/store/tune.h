/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store/tune.h - searches for noise: `burl tune`.
 *
 * A search belongs to one build of a program with its arguments, and to the options that decide
 * what it does. Its state is the list of its evaluations: a search given the same results does the
 * same again. Each evaluation is written with everything that it brought in one transaction, so a
 * kill -9 loses the one that was running and no other.
 *
 * Strings and failures as in store/store.h. The caller holds the campaign lock.
 */
#ifndef BURL_STORE_TUNE_H
#define BURL_STORE_TUNE_H

#include "store/store.h"

struct burl_store_search {
    int64_t     id;
    const char *path;     /* absolute, and ... */
    const char *args;     /* ... JSON array, and ... */
    const char *build_id; /* ... and ... */
    const char *options;  /* ... JSON object: together the key */
    const char *genome;   /* JSON: which genes the vectors have, and what the first ones were */
    int64_t     plain_n;  /* plain runs, and how many of them failed */
    int64_t     plain_failed;
    int64_t     plain_ms; /* of the slowest */
    int64_t     floor_ms; /* cost of one: their median */
    int64_t     run_ms;   /* time limit of an execution */
    int64_t     started_ms;
    int64_t     updated_ms;
};

/* *found false: there is none with this key. */
BURL_MUST_CHECK enum burl_status burl_store_search_get(struct burl_store *s,
                                                       const struct burl_store_search *key,
                                                       bool *found, struct burl_store_search *out,
                                                       struct burl_err *err);
/* The search of any program that was changed last. */
BURL_MUST_CHECK enum burl_status burl_store_search_last(struct burl_store *s, bool *found,
                                                        struct burl_store_search *out,
                                                        struct burl_err *err);
void burl_store_search_deinit(struct burl_store_search *x);
/* A new one; one with the same key is forgotten. */
BURL_MUST_CHECK enum burl_status burl_store_search_begin(struct burl_store *s,
                                                         const struct burl_store_search *x,
                                                         int64_t *id, struct burl_err *err);

struct burl_store_evaluation {
    int64_t     n; /* from 0 */
    uint32_t    generation, slot;
    bool        elite;
    const char *genes;   /* "200,2,0,1,0,0" */
    const char *fitness; /* decimal, as the search learned it */
    uint32_t    executions, cut;
    uint32_t    crashes, exits, deadlocks, hangs, checks;
    uint32_t    warnings, avio, hbpair, synchro, goldi, goldi_weight, fresh;
    int64_t     wall_ms, cost_ms;
    uint64_t    places, injected, halted, tampered;
};

/* A covered task or a warning that was new. */
struct burl_store_tune_name {
    uint64_t name;
    uint8_t  weight;
    bool     warning;
};

/* What runs have learned about a site. */
struct burl_store_tune_mark {
    uint64_t module;
    uint32_t ix;
    uint8_t  marks;
};

/* A finding, and the executions of the search that showed it. */
struct burl_store_tune_finding {
    int64_t  finding;
    uint64_t shown;
    uint64_t hits; /* written: added to the count of the finding. Not read. */
};

/* `marks` and `findings` replace what was there for the same site or finding, and the counts of the
 * findings grow in the same transaction: what `burl findings` and the search say is the same at any
 * time. */
struct burl_store_tune_step {
    const struct burl_store_evaluation *evaluation; /* NULL: none yet, the plain runs are over */
    const struct burl_store_tune_name *names;
    size_t n_names;
    const struct burl_store_tune_mark *marks;
    size_t n_marks;
    const struct burl_store_tune_finding *findings;
    size_t n_findings;
};
BURL_MUST_CHECK enum burl_status burl_store_search_step(struct burl_store *s, int64_t id,
                                                        const struct burl_store_tune_step *x,
                                                        struct burl_err *err);

/* In order; strings are valid during the call. */
BURL_MUST_CHECK enum burl_status
burl_store_evaluations(struct burl_store *s, int64_t id,
                       void (*each)(void *arg, const struct burl_store_evaluation *x), void *arg,
                       struct burl_err *err);
BURL_MUST_CHECK enum burl_status
burl_store_tune_names(struct burl_store *s, int64_t id,
                      void (*each)(void *arg, const struct burl_store_tune_name *x), void *arg,
                      struct burl_err *err);
BURL_MUST_CHECK enum burl_status
burl_store_tune_marks(struct burl_store *s, int64_t id,
                      void (*each)(void *arg, const struct burl_store_tune_mark *x), void *arg,
                      struct burl_err *err);
BURL_MUST_CHECK enum burl_status
burl_store_tune_findings(struct burl_store *s, int64_t id,
                         void (*each)(void *arg, const struct burl_store_tune_finding *x),
                         void *arg, struct burl_err *err);

#endif
