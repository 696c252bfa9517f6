/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/path.c - access paths.
 */
#include "synth/path.h"

#include <string.h>

int
burl_synth_path_common(const struct burl_synth_path *a, const struct burl_synth_path *b)
{
    int n = 0;

    if (a->root != b->root || a->id != b->id)
        return -1;
    while (n < a->n && n < b->n && a->off[n] == b->off[n])
        n++;
    return n;
}

bool
burl_synth_path_equal(const struct burl_synth_path *a, const struct burl_synth_path *b)
{
    return a->n == b->n && burl_synth_path_common(a, b) == a->n;
}

bool
burl_synth_path_same_end(const struct burl_synth_path *a, unsigned n_a,
                         const struct burl_synth_path *b, unsigned n_b)
{
    return n_a == n_b &&
           memcmp(&a->off[a->n - n_a], &b->off[b->n - n_b], n_a * sizeof *a->off) == 0;
}

bool
burl_synth_path_step(struct burl_synth_path *out, const struct burl_synth_path *a, uint32_t off,
                     int type)
{
    struct burl_synth_path p = *a;

    if (p.n == BURL_SYNTH_MAX_STEPS) {
        *out = p;
        return p.off[p.n - 1] == off && p.type[p.n] == type;
    }
    p.off[p.n++] = off;
    p.type[p.n] = type;
    *out = p;
    return true;
}
