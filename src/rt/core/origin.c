/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/origin.c - which memory an address belongs to, for verdicts and suspects.
 */
#include <string.h>

#include "heap.h"
#include "module.h"
#include "stacks.h"
#include "verdict.h"

static void
fill_owner(struct burl_wire_origin *o, uintptr_t addr)
{
    const struct burl_thread *t = burl__stack_owner(addr);

    if (t == NULL)
        return;
    o->kind = burl__stack_has(t, addr) ? BURL_ORIGIN_STACK : BURL_ORIGIN_TLS;
    o->tid = t->tid;
}

void
burl__origin_fill(struct burl_wire_origin *o, uintptr_t addr)
{
    memset(o, 0, sizeof *o);
    o->tid = BURL_TID_NONE;
    if (burl__heap_owns(addr)) {
        o->kind = BURL_ORIGIN_HEAP;
        if (burl__heap_block(addr, &o->addr, &o->size_b))
            o->site = burl__heap_site(o->addr);
    } else if (burl__module_is_data(addr)) {
        o->kind = BURL_ORIGIN_GLOBAL;
    } else if (burl__module_is_late(addr, &o->addr, &o->site)) {
        o->kind = BURL_ORIGIN_GLOBAL;
    } else {
        fill_owner(o, addr);
    }
}

void
burl__origin_fill_thread(struct burl_wire_origin *o, const struct burl_thread *t)
{
    memset(o, 0, sizeof *o);
    o->kind = BURL_ORIGIN_THREAD;
    o->tid = t->tid;
    o->site = t->created_site;
    memcpy(o->stack, t->created_in, sizeof t->created_in);
}
