/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/share.h - Algorithm 5: the concurrent test of a pair.
 *
 * Each side gets objects of its own: the slice of its call is copied into the prefix of the test.
 * If an argument in it cannot be written as C, the seed itself is part of the test and stops at the
 * call.
 * Then as much as possible of the two access paths is made one, and nothing more: without a common
 * lock the outermost owners that both clients have, with one the object that the setters install
 * into owners that stay apart.
 */
#ifndef BURL_SYNTH_SHARE_H
#define BURL_SYNTH_SHARE_H

#include "synth/pairs.h"
#include "synth/script.h"

/* Why a pair has no test. */
enum burl_synth_built {
    BURL_SYNTH_BUILT = 0,
    BURL_SYNTH_UNWRITTEN, /* an argument cannot be written as C, and the seed cannot be stopped */
    BURL_SYNTH_STATIC_SEED, /* two stopped executions of a seed would share its static variables */
    BURL_SYNTH_UNSHARED,  /* no object on the paths is one that the client has */
    BURL_SYNTH_TOO_LONG   /* for the limits of a test */
};

/* The test of a pair of rows; *out owned by the caller on BUILT. */
enum burl_synth_built burl_synth_share_pair(struct burl_gen_test *out,
                                            const struct burl_synth_pair *p,
                                            const struct burl_synth_table *t,
                                            const struct burl_synth_script *s,
                                            const struct burl_gen_model *m);

/* The test of two nested lock pairs in opposite orders: a's outer lock is b's inner one, and
 * the other way round. */
enum burl_synth_built burl_synth_share_nests(struct burl_gen_test *out,
                                             const struct burl_synth_nest *a,
                                             const struct burl_synth_nest *b,
                                             const struct burl_synth_script *s,
                                             const struct burl_gen_model *m);

#endif
