/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/seedgen.c - seeds from the model alone.
 *
 * The paper's seeds call each method once with random objects of suitable type. So do these; a
 * function gets several tries, since it may need an object in a certain state.
 */
#include "synth/seedgen.h"

#include <stdlib.h>

#include "gen/test/draft.h"

#define PASSES 3u /* a loop over an object needs more than one element in it */
#define TRIES 6u
#define MAX_CALLS 200u
#define MAX_SLOTS 48

struct writer {
    struct burl_gen_exec *x;
    struct burl_gen_draft d;
    struct burl_gen_test t;
};

static bool
succeeds(struct writer *w)
{
    struct burl_gen_outcome o;
    bool ok;

    burl_gen_exec_sequential(w->x, &w->t, NULL, false, 0, &o);
    ok = o.end == BURL_GEN_END_DONE && !burl_gen_exec_failed(w->x);
    burl_gen_outcome_deinit(&o);
    return ok;
}

static bool
call_try(struct writer *w, int fn, bool on_self)
{
    struct burl_gen_draft_mark mark = burl_gen_draft_mark(&w->d);

    if (!burl_gen_draft_append(&w->d, fn, on_self))
        return false;
    if (w->t.prefix.n <= MAX_CALLS && w->t.n_slots <= MAX_SLOTS && succeeds(w))
        return true;
    burl_gen_draft_cut(&w->d, mark);
    return false;
}

static bool
call_add(struct writer *w, int fn)
{
    bool is_method = w->d.m->fns.v[fn].kind == BURL_GEN_METHOD && w->t.self >= 0;

    for (unsigned i = 0; i < TRIES; i++) {
        if (call_try(w, fn, is_method && (i == 0 || burl_gen_coin(w->d.rng))))
            return true;
    }
    return false;
}

/* Two objects of every type that can be made: functions that take two get different ones. */
static void
objects_make(struct writer *w)
{
    w->t.self = -1;
    for (int i = 0; i < 2 * (int)w->d.m->types.n; i++) {
        const int type = i / 2;
        const int maker = burl_gen_draft_maker(&w->d, type);

        if (maker >= 0 && call_try(w, maker, false) && type == w->d.m->shared && w->t.self < 0)
            w->t.self = w->t.prefix.v[w->t.prefix.n - 1].slot;
    }
}

struct burl_gen_test
burl_synth_seed_write(struct burl_gen_exec *x, uint64_t seed, size_t *n_called)
{
    const struct burl_gen_model *m = burl_gen_exec_model(x);
    struct burl_rng rng;
    struct writer w = { .x = x };
    int *order = burl_xcalloc(m->fns.n + 1, sizeof *order);

    *n_called = 0;
    burl_rng_init(&rng, seed);
    w.d = (struct burl_gen_draft){ .m = m, .rng = &rng, .t = &w.t, .list = -1 };
    for (size_t i = 0; i < m->fns.n; i++) {
        size_t k = burl_rng_below(&rng, i + 1);

        order[i] = order[k];
        order[k] = (int)i;
    }
    objects_make(&w);
    for (size_t i = 0; i < PASSES * m->fns.n; i++) {
        const int fn = order[i % m->fns.n];
        const struct burl_gen_fn *f = &m->fns.v[fn];

        if (!f->is_ours && f->kind != BURL_GEN_DESTROY && burl_gen_fn_is_callable(m, f) &&
            call_add(&w, fn) && i < m->fns.n)
            ++*n_called;
    }
    free(order);
    return w.t;
}
