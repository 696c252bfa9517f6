/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/callsite.c - where a function was called from, for --context.
 *
 * Runs in the target. Calls within a module have no sites of their own, so a call is named by the
 * address it returns to, counted from where its file was loaded: the same in every process of one
 * build. A function that the compiler put into its caller has no return address; it is recognized
 * by its frame, which is the caller's, and named by where its own hook was called.
 *
 * Costs about a microsecond for each function that is entered, and nothing unless asked for.
 */
#include <unwind.h>

#include "cover.h"
#include "rt/core/core.h"
#include "rt/core/module.h"

/* The innermost two places of the program. */
struct walk {
    uintptr_t ip[2];
    uint32_t n;
};

static _Unwind_Reason_Code
callsite_visit_frame(struct _Unwind_Context *context, void *arg)
{
    struct walk *walk = arg;
    uintptr_t ip = _Unwind_GetIP(context);

    if (walk->n == 0 && burl__module_is_runtime(ip))
        return _URC_NO_REASON;
    walk->ip[walk->n++] = ip;
    return walk->n < 2 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

uint32_t
burl__cover_call_from(const struct burl_watch *w, uint32_t depth, uintptr_t sp)
{
    struct walk walk = { .n = 0 };
    bool inlined = depth != 0 && depth <= BURL_FRAMES && w->frames != NULL &&
                   w->frames->floor[depth - 1] == sp;

    _Unwind_Backtrace(callsite_visit_frame, &walk);
    if (walk.n == 0)
        return 0;
    return burl__cover_code(walk.ip[inlined || walk.n == 1 ? 0 : 1]);
}
