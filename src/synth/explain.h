/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/explain.h - pairs in words: the access paths, the locks, and why a pair was kept or
 * dropped.
 */
#ifndef BURL_SYNTH_EXPLAIN_H
#define BURL_SYNTH_EXPLAIN_H

#include "base/buf.h"
#include "base/sites.h"
#include "synth/synth.h"

/* "dropped: the common lock is in the object itself". */
const char *burl_synth_fate_text(enum burl_synth_fate fate);
/* All that is known of pair `at`, in a few lines. */
void burl_synth_explain(const struct burl_synth *s, const struct burl_sites *sites, size_t at,
                        struct burl_buf *out);
/* "other->v": the path of a row, with the names that the code uses, and the field. */
void burl_synth_path_print(const struct burl_synth *s, const struct burl_sites *sites,
                           const struct burl_synth_dep *d, bool with_field, struct burl_buf *out);

#endif
