/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/explain.h - pairs in words: the access paths, the locks, and why a pair was kept or
 * dropped.
 *
 * Pairs of rows and lock pairs are numbered through, from 1: first those of burl_synth.pairs, then
 * those of burl_synth.lock_pairs.
 */
#ifndef BURL_SYNTH_EXPLAIN_H
#define BURL_SYNTH_EXPLAIN_H

#include "base/buf.h"
#include "base/sites.h"
#include "synth/synth.h"

/* "dropped: the common lock is in the accessed object itself". */
const char *burl_synth_fate_text(enum burl_synth_fate fate, enum burl_synth_for what);
/* One word of it, for tables and JSON: "own_lock". */
const char *burl_synth_fate_name(enum burl_synth_fate fate);
/* Why a pair that was kept has no test; NULL: it has one. */
const char *burl_synth_built_text(enum burl_synth_built built);
/* One word of it, for JSON: "unshared". */
const char *burl_synth_built_name(enum burl_synth_built built);
const char *burl_synth_for_name(enum burl_synth_for what);
/* "not met". */
const char *burl_synth_result_name(enum burl_synth_result result);

/* The function that a thread of a test calls first. */
const char *burl_synth_test_fn(const struct burl_synth *s, size_t test, unsigned thread);
/* "pair 3" or "pairs 3, 7, ...": what a test was made for. */
void burl_synth_test_pairs(const struct burl_synth *s, size_t test, struct burl_buf *out);
/* Pair `i` of a test, as numbers go; i is less than burl_synth_test_n_pairs(). */
size_t burl_synth_test_pair(const struct burl_synth *s, size_t test, size_t i);
size_t burl_synth_test_n_pairs(const struct burl_synth *s, size_t test);

/* All that is known of a pair, in a few lines. `number` is 1 to burl_synth_n_pairs(). */
void burl_synth_explain(const struct burl_synth *s, const struct burl_sites *sites, size_t number,
                        struct burl_buf *out);
/* Every pair in one line. */
void burl_synth_explain_all(const struct burl_synth *s, const struct burl_sites *sites,
                            struct burl_buf *out);

/* The accesses of rows a and b of D with their paths, places and locks: thread A executes p and
 * c, thread B executes r. */
void burl_synth_rows_print(const struct burl_synth *s, const struct burl_sites *sites,
                           enum burl_synth_for what, size_t a, size_t b, struct burl_buf *out);
/* The two lock acquisitions of each thread. */
void burl_synth_nests_print(const struct burl_synth *s, const struct burl_sites *sites,
                            const struct burl_synth_lock_pair *p, struct burl_buf *out);
/* The dominant lock and the setters; nothing if there is no common lock. */
void burl_synth_setters_print(const struct burl_synth *s, const struct burl_sites *sites,
                              const struct burl_synth_pair *p, struct burl_buf *out);
/* "other->v->n": the path of a row, with the names that the code uses, and the field. */
void burl_synth_path_print(const struct burl_synth *s, const struct burl_sites *sites,
                           const struct burl_synth_dep *d, bool with_field, struct burl_buf *out);

#endif
