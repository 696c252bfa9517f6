/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/seedgen.h - sequential seeds written by burl, where there are no tests at hand.
 */
#ifndef BURL_SYNTH_SEEDGEN_H
#define BURL_SYNTH_SEEDGEN_H

#include "gen/exec/exec.h"

/*
 * A sequence of calls, as the prefix of a test without threads, that calls every public function
 * that it can at least once and succeeds: each call is run after those before it, and taken back if
 * it fails or blocks. *n_called: functions in it. Owned by the caller.
 */
struct burl_gen_test burl_synth_seed_write(struct burl_gen_exec *x, uint64_t seed,
                                           size_t *n_called);

#endif
