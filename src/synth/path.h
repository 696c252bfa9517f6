/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/path.h - access paths: how an object is reached from the parameters of one client call.
 *
 * A path is a root (a parameter, the result, or a static object) and the offsets of the pointers
 * that are followed from there: "parameter 0, +8, +16" is p0->f->g. Objects are heap blocks, static
 * objects and what a parameter points to; an embedded object is part of its block. Paths are the
 * symbols of the paper: every one of a call is an object that the client may choose, however the
 * objects of the seed are aliased.
 */
#ifndef BURL_SYNTH_PATH_H
#define BURL_SYNTH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#define BURL_SYNTH_MAX_STEPS 5 /* longer paths repeat their last step, or are not followed */

enum burl_synth_root { BURL_SYNTH_PARAM = 0, BURL_SYNTH_RESULT, BURL_SYNTH_STATIC };

struct burl_synth_path {
    uint8_t root; /* enum burl_synth_root */
    uint8_t n;    /* steps */
    uint16_t pad;
    int32_t id;   /* PARAM: number of the parameter; STATIC: index in log.statics */
    int32_t type[BURL_SYNTH_MAX_STEPS + 1]; /* of the object at the root and after each step */
    uint32_t off[BURL_SYNTH_MAX_STEPS];
};

/* Same root and same steps; types are not compared. */
bool burl_synth_path_equal(const struct burl_synth_path *a, const struct burl_synth_path *b);
/* Steps that both have, from the root; -1: another root. */
int burl_synth_path_common(const struct burl_synth_path *a, const struct burl_synth_path *b);
/* The last n_a steps of a are the last n_b of b. */
bool burl_synth_path_same_end(const struct burl_synth_path *a, unsigned n_a,
                              const struct burl_synth_path *b, unsigned n_b);
/* a's path and one step more, to an object of this type. A step that repeats the last one of a
 * path that is full gives the path itself. False: too long. */
bool burl_synth_path_step(struct burl_synth_path *out, const struct burl_synth_path *a,
                          uint32_t off, int type);

#endif
