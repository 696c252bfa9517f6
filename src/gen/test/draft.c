/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/draft.c - appends calls to a test under construction, with the calls that make their
 * arguments; contract in draft.h.
 *
 * Runs nothing. Choices are drawn uniformly, with a reservoir of one, so that a test depends only
 * on the model and on the generator's state.
 */
#include "gen/test/draft.h"

#include <string.h>

/* Calls that only make arguments may nest this deep (PAPERS 1.6). */
#define MAX_RECURSION 50u

struct burl_gen_calls *
burl_gen_draft_calls(struct burl_gen_draft *d)
{
    return d->list < 0 ? &d->t->prefix : &d->t->threads[d->list];
}

int
burl_gen_draft_maker(struct burl_gen_draft *d, int type)
{
    int pick = -1;
    uint64_t seen = 0;

    for (size_t i = 0; i < d->m->fns.n; i++) {
        const struct burl_gen_fn *f = &d->m->fns.v[i];

        if (f->kind == BURL_GEN_MAKE && f->makes == type && burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

/* Did a call of the list consume the object? */
static bool
is_consumed(const struct burl_gen_model *m, const struct burl_gen_calls *calls, int slot)
{
    for (size_t i = 0; calls != NULL && i < calls->n; i++) {
        const struct burl_gen_call *c = &calls->v[i];

        for (size_t k = 0; k < c->args.n; k++) {
            if (c->args.v[k].kind == BURL_GEN_ARG_SLOT && c->args.v[k].i == slot &&
                m->fns.v[c->fn].params.v[k].consumes)
                return true;
        }
    }
    return false;
}

/* The slot of an object of the type that the list can use, drawn uniformly; -1 none. `own`: only
 * objects that the list made itself. */
static int
visible_slot(struct burl_gen_draft *d, int type, bool own)
{
    const struct burl_gen_calls *lists[2] = { &d->t->prefix,
                                              d->list >= 0 ? &d->t->threads[d->list] : NULL };
    int pick = -1;
    uint64_t seen = 0;

    for (int l = 0; l < 2; l++) {
        for (size_t i = 0; lists[l] != NULL && i < lists[l]->n; i++) {
            const struct burl_gen_call *c = &lists[l]->v[i];

            if (c->slot >= 0 && !(own && l == 0 && d->list >= 0) &&
                burl_gen_test_slot_type(d->t, d->m, c->slot) == type &&
                !is_consumed(d->m, lists[0], c->slot) && !is_consumed(d->m, lists[1], c->slot) &&
                burl_rng_below(d->rng, ++seen) == 0)
                pick = c->slot;
        }
    }
    return pick;
}

static bool
has_maker(const struct burl_gen_model *m, int type)
{
    for (size_t i = 0; i < m->fns.n; i++) {
        if (m->fns.v[i].kind == BURL_GEN_MAKE && m->fns.v[i].makes == type)
            return true;
    }
    return false;
}

/* A method that hands out objects of a type that has no maker: "pool_get(p)". -1 none. */
static int
draw_lender(struct burl_gen_draft *d, int type)
{
    int pick = -1;
    uint64_t seen = 0;

    for (size_t i = 0; type != d->m->shared && i < d->m->fns.n; i++) {
        const struct burl_gen_fn *f = &d->m->fns.v[i];
        bool lends = f->result == BURL_GEN_RESULT_OBJECT && f->result_type == type;

        for (size_t k = 0; k < f->params.n; k++)
            lends |= f->params.v[k].role == BURL_GEN_ROLE_OUT_OBJECT && f->params.v[k].type == type;
        if (f->kind == BURL_GEN_METHOD && lends && burl_gen_fn_is_callable(d->m, f) &&
            burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

/* Zeroed structs are made in the prefix: threads then call nothing but the API, and have fewer
 * linearizations. */
static bool
make_object(struct burl_gen_draft *d, int type, int *slot)
{
    int maker = burl_gen_draft_maker(d, type);
    const bool on_self = maker < 0;
    const int list = d->list;
    struct burl_gen_calls *calls;
    bool ok;

    if (on_self)
        maker = draw_lender(d, type);
    if (maker < 0 || d->recursion >= MAX_RECURSION)
        return false;
    if (d->m->fns.v[maker].is_ours)
        d->list = -1;
    calls = burl_gen_draft_calls(d);
    ok = burl_gen_draft_append(d, maker, on_self);
    d->list = list;
    if (!ok)
        return false;
    *slot = calls->v[calls->n - 1].slot;
    return *slot >= 0;
}

static bool
draw_object(struct burl_gen_draft *d, const struct burl_gen_param *p, struct burl_gen_arg *out)
{
    /* A consumed object is new, or was handed out to this thread. */
    const bool own = p->consumes;
    int slot = -1;

    if (!(own && has_maker(d->m, p->type)) && (d->reuses || burl_gen_coin(d->rng)))
        slot = visible_slot(d, p->type, own);

    memset(out, 0, sizeof *out);
    out->kind = BURL_GEN_ARG_SLOT;
    if (slot < 0 && p->nullable && burl_gen_coin(d->rng)) {
        out->kind = BURL_GEN_ARG_NULL;
        return true;
    }
    if (slot < 0 && !make_object(d, p->type, &slot) && !own)
        slot = visible_slot(d, p->type, false);
    out->i = slot;
    if (slot >= 0)
        return true;
    out->kind = BURL_GEN_ARG_NULL;
    return p->nullable;
}

/* The parameter that gets the shared object: any of its type, drawn uniformly. */
static int
self_param(struct burl_gen_draft *d, const struct burl_gen_fn *f)
{
    int pick = f->self >= 0 && f->params.v[f->self].type == d->m->shared ? f->self : -1;
    uint64_t seen = 0;

    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_OBJECT && f->params.v[i].type == d->m->shared &&
            burl_rng_below(d->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

static bool
draw_argument(struct burl_gen_draft *d, const struct burl_gen_fn *f, size_t param,
              struct burl_gen_arg *out)
{
    const struct burl_gen_param *p = &f->params.v[param];

    if (p->role == BURL_GEN_ROLE_OBJECT)
        return draw_object(d, p, out);
    if (!burl_gen_param_receives(p))
        return burl_gen_draft_literal(d, f, param, out);
    /* The slot gets its number after those of the other arguments. */
    memset(out, 0, sizeof *out);
    out->kind = BURL_GEN_ARG_SLOT;
    out->i = -1;
    return true;
}

struct burl_gen_draft_mark
burl_gen_draft_mark(struct burl_gen_draft *d)
{
    return (struct burl_gen_draft_mark){ burl_gen_draft_calls(d)->n, d->t->prefix.n,
                                         d->t->n_slots };
}

void
burl_gen_draft_cut(struct burl_gen_draft *d, struct burl_gen_draft_mark mark)
{
    burl_gen_calls_cut(burl_gen_draft_calls(d), mark.n_calls);
    burl_gen_calls_cut(&d->t->prefix, mark.n_prefix);
    d->t->n_slots = mark.n_slots;
}

bool
burl_gen_draft_append(struct burl_gen_draft *d, int fn, bool on_self)
{
    const struct burl_gen_fn *f = &d->m->fns.v[fn];
    const struct burl_gen_draft_mark before = burl_gen_draft_mark(d);
    struct burl_gen_call c = { .fn = fn, .slot = -1 };
    const int self = on_self && d->t->self >= 0 ? self_param(d, f) : -1;
    bool ok = true;

    d->recursion++;
    for (size_t i = 0; i < f->params.n && ok; i++) {
        struct burl_gen_arg a = { .kind = BURL_GEN_ARG_SLOT, .i = d->t->self };

        if ((int)i != self)
            ok = draw_argument(d, f, i, &a);
        BURL_VEC_PUSH(&c.args, a);
    }
    d->recursion--;
    ok = ok && d->t->n_slots < BURL_GEN_MAX_SLOTS;
    if (!ok) {
        burl_gen_call_deinit(&c);
        burl_gen_draft_cut(d, before);
        return false;
    }
    if (f->result == BURL_GEN_RESULT_OBJECT || burl_gen_fn_made_param(f) >= 0)
        c.slot = d->t->n_slots++;
    for (size_t i = 0; i < f->params.n; i++) {
        if (burl_gen_param_receives(&f->params.v[i]))
            c.args.v[i].i = c.slot;
    }
    BURL_VEC_PUSH(burl_gen_draft_calls(d), c);
    return true;
}
