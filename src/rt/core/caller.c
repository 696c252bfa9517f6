/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/caller.c - where the program is when a library function that it called fails.
 *
 * Runs in the target. Hooks see the calls of library functions that matter to other threads only,
 * so the last one need not be the call that failed. The stack says which it was. The unwind tables
 * lead through the frames of libraries, and through that of a signal handler.
 */
#include <string.h>
#include <unwind.h>

#include "core.h"
#include "module.h"
#include "verdict.h"

#define MAX_FRAMES 256u

struct walk {
    uint64_t pc[BURL_WIRE_MAX_CALLERS]; /* of the program */
    uint32_t n_pc;
    uint32_t n;
};

bool burl__caller_walks;

static bool
is_program(uintptr_t pc)
{
    const struct burl_wire_module *m;
    struct burl__object code;
    struct burl__object other;

    if (burl__module_is_runtime(pc) || !burl__module_object(pc, &code))
        return false;
    for (uint32_t i = 0; (m = burl__module_at(i)) != NULL; i++) {
        if (!burl__module_is_gone(m) && burl__module_object((uintptr_t)m, &other) &&
            other.bias == code.bias)
            return true;
    }
    return false;
}

static _Unwind_Reason_Code
visit_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *walk = arg;
    int before = 0;
    const uintptr_t ip = _Unwind_GetIPInfo(context, &before);
    /* A return address belongs to the call before it. */
    const uintptr_t pc = ip - (before == 0);

    if (is_program(pc))
        walk->pc[walk->n_pc++] = pc;
    return walk->n_pc < BURL_WIRE_MAX_CALLERS && ++walk->n < MAX_FRAMES ? _URC_NO_REASON
                                                                        : _URC_END_OF_STACK;
}

/* The unwinder takes locks and calls pthread_once(), which are not the program's (R3). */
void
burl__caller_fill(struct burl_wire_origin *o, uintptr_t pc)
{
    struct walk walk = { .n = 0 };
    struct burl_thread *t = burl_self;
    const uint8_t inside = t != NULL ? t->inside : 0;

    if (pc != 0 && is_program(pc))
        return;
    if (t != NULL)
        t->inside = 1;
    burl__caller_walks = true;
    _Unwind_Backtrace(visit_frame, &walk);
    burl__caller_walks = false;
    if (t != NULL)
        t->inside = inside;
    o->addr = walk.pc[0];
    memcpy(o->stack, walk.pc, sizeof walk.pc);
}
