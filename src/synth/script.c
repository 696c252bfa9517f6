/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/script.c - scripts and slices of them.
 */
#include "synth/script.h"

void
burl_synth_script_deinit(struct burl_synth_script *s)
{
    for (size_t i = 0; i < s->calls.n; i++)
        burl_gen_call_deinit(&s->calls.v[i].c);
    BURL_VEC_FREE(&s->calls);
    BURL_VEC_FREE(&s->objects);
    BURL_VEC_FREE(&s->whole);
}

unsigned
burl_synth_script_nth(const struct burl_synth_script *s, size_t call)
{
    unsigned n = 0;

    while (call > n && s->calls.v[call - n - 1].seed == s->calls.v[call].seed)
        n++;
    return n;
}

bool
burl_synth_script_uses_static(const struct burl_synth_script *s, size_t call)
{
    for (size_t i = call + 1; i > 0 && s->calls.v[i - 1].seed == s->calls.v[call].seed; i--) {
        if (s->calls.v[i - 1].uses_static)
            return true;
    }
    return false;
}

void
burl_synth_script_take_over(struct burl_synth_script *s, int fn, int param)
{
    for (size_t i = 0; i < s->calls.n; i++) {
        const struct burl_gen_call *c = &s->calls.v[i].c;
        struct burl_synth_object *o;

        if (c->fn != fn || (size_t)param >= c->args.n || c->args.v[param].kind != BURL_GEN_ARG_SLOT)
            continue;
        o = &s->objects.v[c->args.v[param].i];
        if (o->ended > i)
            o->ended = i;
    }
}

int
burl_synth_script_object(const struct burl_synth_script *s, int seed, size_t call, uint64_t addr)
{
    for (size_t i = s->objects.n; i > 0; i--) {
        const struct burl_synth_object *o = &s->objects.v[i - 1];

        if (o->addr == addr && (o->made < call || (o->by_client && o->made == call)) &&
            o->ended >= call && o->seed == seed)
            return (int)i - 1;
    }
    return -1;
}

/* One of the objects of the call is needed, or it has none. */
static bool
call_touches(const struct burl_gen_call *c, const bool *needed)
{
    bool has_object = c->slot >= 0;

    if (has_object && needed[c->slot])
        return true;
    for (size_t i = 0; i < c->args.n; i++) {
        if (c->args.v[i].kind != BURL_GEN_ARG_SLOT)
            continue;
        has_object = true;
        if (needed[c->args.v[i].i])
            return true;
    }
    return !has_object;
}

/* Its objects are needed. */
static void
call_mark(const struct burl_gen_call *c, bool *needed, const bool *given)
{
    for (size_t i = 0; i < c->args.n; i++) {
        if (c->args.v[i].kind == BURL_GEN_ARG_SLOT && !given[c->args.v[i].i])
            needed[c->args.v[i].i] = true;
    }
}

struct burl_synth_slice
burl_synth_slice_of(const struct burl_synth_script *s, size_t call, const bool *given)
{
    struct burl_synth_slice out = { .unwritten = -1 };
    bool *needed = burl_xcalloc(s->objects.n + 1, sizeof *needed);
    size_t n;

    call_mark(&s->calls.v[call].c, needed, given);
    for (size_t i = call; i > 0 && s->calls.v[i - 1].seed == s->calls.v[call].seed; i--) {
        const struct burl_synth_script_call *c = &s->calls.v[i - 1];

        if (!call_touches(&c->c, needed))
            continue;
        call_mark(&c->c, needed, given);
        if (c->unwritten >= 0)
            out.unwritten = (int)(i - 1);
        BURL_VEC_PUSH(&out, i - 1);
    }
    free(needed);
    n = out.n;
    for (size_t i = 0; i < n / 2; i++) {
        size_t x = out.v[i];

        out.v[i] = out.v[n - 1 - i];
        out.v[n - 1 - i] = x;
    }
    return out;
}
