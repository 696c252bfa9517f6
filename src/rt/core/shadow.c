/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/shadow.c - see shadow.h. Runs in the target.
 */
#include "shadow.h"

#include <string.h>

#include "core.h"
#include "module.h"

uint32_t
burl__shadow_place(uint32_t func, uint32_t call)
{
    const struct burl_wire_site *s = call != 0 ? burl__module_site(func + call) : NULL;

    return s != NULL && (s->kind == BURL_SITE_CALL || s->kind == BURL_SITE_PLACE) &&
                   burl__module_function(s->id) == func
               ? s->id
               : func;
}

#define MAIN_STACK_B (64u << 20) /* the kernel keeps more than that free of other memory */

/* In the thread's own stack, where a frame was once. */
static bool
is_on_stack(const struct burl_thread *t, const uint32_t *word)
{
    const uintptr_t at = (uintptr_t)word;

    if (t->stack_hi != 0)
        return at - t->stack_lo < t->stack_hi - t->stack_lo;
    return t->tid == 0 && burl_rt.main_stack_base - at < MAIN_STACK_B;
}

static uint32_t
place_of(const struct burl_thread *t, const struct burl_shadow *s)
{
    uint32_t call = 0;

    if (is_on_stack(t, s->word))
        call = *s->word;
    else if (s->word != NULL && !burl__mem_read(&call, (uintptr_t)s->word, sizeof call))
        call = 0;
    return burl__shadow_place(s->func, call);
}

void
burl__shadow_fill(const struct burl_thread *t, uint32_t *out, uint32_t n)
{
    const uint32_t depth = t->depth < BURL_SHADOW_DEPTH ? t->depth : BURL_SHADOW_DEPTH;

    memset(out, 0, n * sizeof *out);
    for (uint32_t i = 0; i < n && i < depth; i++) {
        const struct burl_shadow *s = &t->stack[depth - 1 - i];

        out[i] = i == 0 ? s->func : place_of(t, s);
    }
}

uint32_t
burl__shadow_user(const struct burl_thread *t)
{
    uint32_t depth = t->depth;

    if (depth > BURL_SHADOW_DEPTH)
        return 0;
    while (depth > 0 && t->stack[depth - 1].word == NULL)
        depth--;
    return depth == t->depth ? 0 : burl__shadow_caller(t, depth);
}

uint32_t
burl__shadow_top(const struct burl_thread *t)
{
    return burl__shadow_caller(t, t->depth);
}

uint32_t
burl__shadow_caller(const struct burl_thread *t, uint32_t depth)
{
    uint32_t place;

    if (depth == 0 || depth > BURL_SHADOW_DEPTH)
        return 0;
    place = place_of(t, &t->stack[depth - 1]);
    return place != t->stack[depth - 1].func ? place : 0;
}
