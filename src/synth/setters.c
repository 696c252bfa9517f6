/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/setters.c - the rules set, deep-set, concat, factory, and "source is a field of a
 * parameter" over the assignments that the seeds showed.
 *
 * One rule covers them: an assignment sets the first n of the wanted steps from its root. What is
 * installed is a parameter (then the steps that remain are wanted of an object of its type), or a
 * field of a parameter (then that field is wanted first, and the steps that remain after it).
 */
#include "synth/setters.h"

#include <string.h>

/* Steps that are wanted of an object of type `type`. */
struct wanted {
    int type;
    unsigned n;
    uint32_t off[2 * BURL_SYNTH_MAX_STEPS];
};

static bool
target_fits(const struct burl_synth_assign *s, const struct wanted *w, bool overwritten)
{
    return s->is_overwritten == overwritten && s->target.n > 0 && s->target.n <= w->n &&
           s->target.type[0] == w->type && s->target.root != BURL_SYNTH_STATIC &&
           s->source.root == BURL_SYNTH_PARAM &&
           memcmp(s->target.off, w->off, s->target.n * sizeof *w->off) == 0;
}

/* What must be prepared before the assignment; n is 0: nothing. */
static struct wanted
wanted_before(const struct burl_synth_assign *s, const struct wanted *w)
{
    struct wanted before = { .type = s->source.type[0] };
    unsigned rest = w->n - s->target.n;

    memcpy(before.off, s->source.off, s->source.n * sizeof *before.off);
    memcpy(&before.off[s->source.n], &w->off[s->target.n], rest * sizeof *before.off);
    before.n = s->source.n + rest;
    return before;
}

/* The shortest sequence of at most `room` calls, into calls[]; 0: none. `overwritten`: its last
 * call is one that must be suspended. */
static unsigned
sequence_find(const struct burl_synth_table *t, const struct wanted *w, unsigned room,
              bool overwritten, size_t *calls)
{
    unsigned best = 0;

    for (size_t i = 0; room > 0 && i < t->assigns.n && best != 1; i++) {
        size_t before_calls[BURL_SYNTH_MAX_SETTER];
        struct wanted before;
        unsigned n = 0;

        if (!target_fits(&t->assigns.v[i], w, overwritten))
            continue;
        before = wanted_before(&t->assigns.v[i], w);
        if (before.n > 0) {
            if (before.n > BURL_SYNTH_MAX_STEPS)
                continue;
            n = sequence_find(t, &before, (best == 0 ? room : best - 1) - 1, false, before_calls);
            if (n == 0)
                continue;
        }
        memcpy(calls, before_calls, n * sizeof *calls);
        calls[n] = i;
        best = n + 1;
    }
    return best;
}

bool
burl_synth_find_setter(struct burl_synth_setter *out, const struct burl_synth_table *t,
                       const struct burl_synth_path *path, unsigned steps)
{
    struct wanted w = { .type = path->type[0], .n = steps };

    *out = (struct burl_synth_setter){ .steps = steps };
    if (path->root != BURL_SYNTH_PARAM || steps == 0)
        return false;
    memcpy(w.off, path->off, steps * sizeof *w.off);
    out->n = sequence_find(t, &w, BURL_SYNTH_MAX_SETTER, false, out->assign);
    if (out->n == 0) {
        out->n = sequence_find(t, &w, BURL_SYNTH_MAX_SETTER, true, out->assign);
        out->is_suspended = out->n > 0;
    }
    return out->n > 0;
}
