/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/outcome.c - outcomes as data: copying, comparing, freeing; contract in exec.h.
 */
#include <string.h>

#include "gen/exec/exec.h"

void
burl_gen_outcome_deinit(struct burl_gen_outcome *o)
{
    BURL_VEC_FREE(&o->values);
    BURL_VEC_FREE(&o->events);
    memset(o, 0, sizeof *o);
}

struct burl_gen_outcome
burl_gen_outcome_copy(const struct burl_gen_outcome *o)
{
    struct burl_gen_outcome copy = *o;

    memset(&copy.values, 0, sizeof copy.values);
    memset(&copy.events, 0, sizeof copy.events);
    for (size_t i = 0; i < o->values.n; i++)
        BURL_VEC_PUSH(&copy.values, o->values.v[i]);
    for (size_t i = 0; i < o->events.n; i++)
        BURL_VEC_PUSH(&copy.events, o->events.v[i]);
    return copy;
}

bool
burl_gen_value_has_bits(const struct burl_gen_value *v)
{
    return v->kind != BURL_GEN_VALUE_POINTER && v->kind != BURL_GEN_VALUE_NULL;
}

bool
burl_gen_value_equal(const struct burl_gen_value *a, const struct burl_gen_value *b)
{
    if (a->kind != b->kind || a->call != b->call || a->param != b->param)
        return false;
    if (a->kind == BURL_GEN_VALUE_BYTES && a->length != b->length)
        return false;
    return !burl_gen_value_has_bits(a) || a->bits == b->bits;
}

static bool
outcome_equal(const struct burl_gen_outcome *a, const struct burl_gen_outcome *b)
{
    if (a->end != b->end || a->verdict.kind != b->verdict.kind ||
        a->verdict.code != b->verdict.code || a->failed_call != b->failed_call ||
        memcmp(a->state, b->state, sizeof a->state) != 0)
        return false;
    if (a->end != BURL_GEN_END_DONE)
        return true;
    if (a->contended != b->contended || a->values.n != b->values.n)
        return false;
    for (size_t i = 0; i < a->values.n; i++) {
        if (!burl_gen_value_equal(&a->values.v[i], &b->values.v[i]))
            return false;
    }
    return true;
}

void
burl_gen_outcomes_add(struct burl_gen_outcomes *all, const struct burl_gen_outcome *o, size_t max)
{
    for (size_t i = 0; i < all->n; i++) {
        if (outcome_equal(&all->v[i], o))
            return;
    }
    if (all->n < max)
        BURL_VEC_PUSH(all, burl_gen_outcome_copy(o));
}

void
burl_gen_outcomes_clear(struct burl_gen_outcomes *all)
{
    for (size_t i = 0; i < all->n; i++)
        burl_gen_outcome_deinit(&all->v[i]);
    all->n = 0;
}
