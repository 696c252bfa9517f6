/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/seedgen.h - sequential seeds written by burl, where there are no tests at hand.
 */
#ifndef BURL_SYNTH_SEEDGEN_H
#define BURL_SYNTH_SEEDGEN_H

#include "gen/exec/exec.h"

/* Seeds, each the prefix of a test without threads. Zero is empty. */
struct burl_synth_written {
    BURL_VEC_OF(struct burl_gen_test); /* owned */
    BURL_VEC(int) refused; /* functions that could be called, but no call of them succeeded */
};

/*
 * Writes seeds that call every public function that they can and succeed. Everything in them was
 * run: a call that fails or blocks is taken back. The same model, program and seed give the same.
 */
void burl_synth_seeds_write(struct burl_synth_written *out, struct burl_gen_exec *x, uint64_t seed);
void burl_synth_written_deinit(struct burl_synth_written *w);

#endif
