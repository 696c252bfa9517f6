/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/build/build.h - feedback-directed construction: tests whose calls work one after the other.
 *
 * The caller says which functions the threads call; the builder chooses objects, arguments and the
 * calls that bring the shared object into a state, and runs every extension sequentially before it
 * keeps it.
 */
#ifndef BURL_GEN_BUILD_H
#define BURL_GEN_BUILD_H

#include "gen/exec/exec.h"

#define BURL_GEN_NEVER_CALLED 8

struct burl_gen_build_stats {
    uint64_t rejected;      /* extensions that failed in their pre-run */
    char why_rejected[256]; /* the last of them */
    int rejected_fn;        /* its function; -1 none */
    struct {
        int fn;
        char why[160];
    } never_called[BURL_GEN_NEVER_CALLED]; /* methods of which no call passed its pre-run */
    unsigned n_never_called;               /* of all; the first are listed */
};

/* What a test is to call. */
struct burl_gen_build_request {
    const int *fns; /* called in turn: thread i begins with fns[i % n_fns] */
    size_t n_fns;   /* 0: methods at random */
    unsigned threads;
    unsigned length;         /* calls per thread, without those that make arguments */
    unsigned state_changers; /* methods called on the shared object before the threads start */
    uint64_t round;          /* tests of one round with as many state changers share their prefix */
};

struct burl_gen_builder;

/* Borrows everything; `stats` is filled in as tests are built. */
struct burl_gen_builder *burl_gen_builder_new(struct burl_gen_exec *x, uint64_t seed,
                                              struct burl_gen_build_stats *stats);
void burl_gen_builder_free(struct burl_gen_builder *b);
/* Fills in `never_called` of the statistics. */
void burl_gen_builder_finish(struct burl_gen_builder *b);
/* False: no such test could be built; *out is then empty. */
bool burl_gen_build(struct burl_gen_builder *b, const struct burl_gen_build_request *request,
                    struct burl_gen_test *out);

#endif
