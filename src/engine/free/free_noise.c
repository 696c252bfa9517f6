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
burl__free_noise_put(struct burl_wire_ctl *ctl, const struct burl_free_opts *opts)
{
    const size_t n = at_most(opts->n_marks, BURL__BLOCK_SITES);

    if (!opts->noise)
        return;
    BURL_ASSERT(opts->noise->freq <= BURL_NOISE_MAX_FREQ);
    ctl->noise = *opts->noise;
    if (opts->marks)
        memcpy(burl__block_area(ctl, BURL__AREA_POINTS), opts->marks, n);
    if (opts->variables)
        memcpy(burl__block_area(ctl, BURL__AREA_GATES_NEW), opts->variables,
               n * sizeof *opts->variables);
}

void
burl__free_noise_take(struct burl_free_result *out, struct burl_wire_ctl *ctl,
                      const struct burl_free_opts *opts)
{
    const uint32_t n_sites = ctl->n_sites;

    if (!opts->noise)
        return;
    for (size_t i = 0; i < BURL_NOISE_SLOTS; i++) {
        out->noise.places += ctl->noise_counts[i].places;
        out->noise.injected += ctl->noise_counts[i].injected;
        out->noise.halted += ctl->noise_counts[i].halted;
        out->noise.tampered += ctl->noise_counts[i].tampered;
    }
    out->n_marks = at_most(n_sites, BURL__BLOCK_SITES);
    if (opts->marks && opts->n_marks > out->n_marks)
        out->n_marks = at_most(opts->n_marks, BURL__BLOCK_SITES);
    out->marks =
        burl_xmemdup(burl__block_area(ctl, BURL__AREA_POINTS), out->n_marks > 0 ? out->n_marks : 1);
    for (size_t i = 0; i < out->n_marks; i++)
        out->marks[i] &= ALL_MARKS;
}
