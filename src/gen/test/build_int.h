/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/build_int.h - a test under construction, shared by build.c (calls) and args.c
 * (arguments).
 */
#ifndef BURL_GEN_BUILD_INT_H
#define BURL_GEN_BUILD_INT_H

#include "gen/search/search.h"

/* Calls that only build arguments may nest this deep (PAPERS 1.6). */
#define BURL_GEN_MAX_RECURSION 50u

struct burl_gen_draft {
    const struct burl_gen_model *m;
    struct burl_rng *rng;
    struct burl_gen_test *t;
    int list;          /* that is being extended: -1 the prefix, else the thread */
    bool after_others; /* pre-runs make the calls of the threads before it first */
    unsigned recursion;
};

/*
 * Appends a call of `fn`, and before it the calls its arguments need. `on_self`: one of its objects
 * of the shared type is the shared object. False: something that it needs cannot be made; the
 * draft is then as before.
 */
bool burl__gen_append(struct burl_gen_draft *d, int fn, bool on_self);

/* args.c */
/* A literal for a parameter that needs no object. */
bool burl__gen_literal(struct burl_gen_draft *d, const struct burl_gen_fn *f, size_t param,
                       struct burl_gen_arg *out);
bool burl__gen_coin(struct burl_rng *rng);

#endif
