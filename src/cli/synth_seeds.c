/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/synth_seeds.c - what `burl synth` says about its seeds.
 */
#include <stdio.h>

#include "cli/gen_int.h"
#include "synth/synth.h"

void
burl__synth_say_seeds(const struct burl_synth *s)
{
    for (size_t i = 0; i < s->seeds.n && s->seeds.n > 1; i++) {
        const struct burl_synth_seed *seed = &s->seeds.v[i];

        if (seed->why != NULL)
            fprintf(stderr, "burl synth: %s%s %s\n", seed->n_calls == 0 ? "not used: " : "",
                    seed->source, seed->why);
    }
    if (s->seeds.n == 1 && s->seeds.v[0].n_calls > 0 && s->seeds.v[0].why != NULL)
        fprintf(stderr, "burl synth: %s %s\n", s->seeds.v[0].source, s->seeds.v[0].why);
    for (size_t i = 0; i < s->notes.n; i++)
        fprintf(stderr, "burl synth: %s\n", s->notes.v[i]);
}

void
burl__synth_put_seeds(const struct burl_synth *s, struct burl_buf *b)
{
    const size_t used = burl_synth_n_used_seeds(s);
    char n[32];

    burl_buf_printf(b, "  seeds      %zu", used);
    if (used < s->seeds.n)
        burl_buf_printf(b, " of %zu", s->seeds.n);
    burl_buf_printf(b, "; %s calls of %llu functions\n", burl_number(s->stats.calls, n),
                    (unsigned long long)s->stats.n_called);
    for (size_t i = 0; i < s->seeds.n; i++) {
        if (s->seeds.v[i].n_calls == 0)
            burl_buf_printf(b, "  not used   %s\n", s->seeds.v[i].source);
    }
}
