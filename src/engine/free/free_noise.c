/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free_noise.c - noise of a free run; contract in free_noise.h.
 *
 * Runs in the host. The program may have written anywhere in the block: counts are sums for people,
 * and of a mark only the bits that have a meaning are kept.
 */
#include "engine/free/free_noise.h"

#include <string.h>

#include "base/mem.h"
#include "engine/target/process.h"

#define ALL_MARKS                                                                  \
    (BURL_NOISE_MARK_SHARED | BURL_NOISE_MARK_SWITCHED | BURL_NOISE_MARK_SUSPECT | \
     BURL_NOISE_MARK_PAIR)

static size_t
at_most(size_t n, size_t max)
{
    return n < max ? n : max;
}

void
burl__free_noise_put(struct burl_block *b, const struct burl_free_opts *opts)
{
    const size_t n = at_most(opts->n_marks, BURL__BLOCK_SITES);

    if (!opts->noise)
        return;
    BURL_ASSERT(opts->noise->freq <= BURL_NOISE_MAX_FREQ);
    b->shared->noise = *opts->noise;
    if (opts->marks)
        burl__block_put(b, BURL__AREA_POINTS, opts->marks, n);
    if (opts->variables)
        burl__block_put(b, BURL__AREA_GATES_NEW, opts->variables, n * sizeof *opts->variables);
}

void
burl__free_noise_take(struct burl_free_result *out, const struct burl_block *b,
                      const struct burl_free_opts *opts)
{
    if (!opts->noise)
        return;
    out->noise = burl_door_noise_counts(b);
    out->n_marks = b->copy->n_sites;
    if (opts->marks && opts->n_marks > out->n_marks)
        out->n_marks = at_most(opts->n_marks, BURL__BLOCK_SITES);
    out->marks = burl_door_marks(b, out->n_marks);
    for (size_t i = 0; i < out->n_marks; i++)
        out->marks[i] &= ALL_MARKS;
}
