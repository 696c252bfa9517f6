/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/draft.h - a test under construction: appends calls (draft.c) and draws their arguments
 * (literal.c).
 *
 * A draft runs nothing. Whether a call works after those before it is for the builder
 * (gen/build/build.h) to find out; it takes the call back with burl_gen_draft_cut() when not.
 */
#ifndef BURL_GEN_DRAFT_H
#define BURL_GEN_DRAFT_H

#include "base/rng.h"
#include "gen/test/test.h"

struct burl_gen_draft {
    const struct burl_gen_model *m;
    struct burl_rng *rng;
    struct burl_gen_test *t;
    int list; /* the list that is extended: -1 the prefix, else the thread */
    unsigned recursion;
    bool reuses; /* an object that exists is taken, if there is one; false: mostly a new one */
};

/* The calls that are extended. */
struct burl_gen_calls *burl_gen_draft_calls(struct burl_gen_draft *d);

/*
 * Appends a call of `fn`, preceded by the calls its arguments need. `on_self`: one of its objects
 * of the shared type is the shared object. False: an argument cannot be made; the draft is then
 * unchanged.
 */
bool burl_gen_draft_append(struct burl_gen_draft *d, int fn, bool on_self);
/* A function that makes an object of this type, drawn uniformly; -1 none. */
int burl_gen_draft_maker(struct burl_gen_draft *d, int type);

/* A length of the draft, to return to. */
struct burl_gen_draft_mark {
    size_t n_calls;
    size_t n_prefix;
    int n_slots;
};
struct burl_gen_draft_mark burl_gen_draft_mark(struct burl_gen_draft *d);
/* Removes the calls appended since the mark. */
void burl_gen_draft_cut(struct burl_gen_draft *d, struct burl_gen_draft_mark mark);

/* literal.c */
/* An argument for a parameter that takes no object; false: its role is unknown. */
bool burl_gen_draft_literal(struct burl_gen_draft *d, const struct burl_gen_fn *f, size_t param,
                            struct burl_gen_arg *out);
bool burl_gen_coin(struct burl_rng *rng);

#endif
