/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts.c - the points-to analysis: driver and queries; contract in pts.h. Host side.
 *
 * Allocation wrappers that call their allocator through a pointer rest on a guess (pts_field.c). If
 * the solution contradicts it, the program is solved again without guesses.
 *
 * A solution lives until burl-analyze ends and is not freed, nor is a first one that was wrong:
 * only small programs have such.
 */
#include "analysis/pts/pts_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* Being wrong costs a second solution; in larger programs the guesses were wrong as a rule. */
enum { MAX_GUESSING = 1000 };

uint64_t
burl_pts_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static LLVMValueRef
find_main(const struct burl_program *p)
{
    for (size_t i = 0; i < p->functions.n; i++)
        if (strcmp(burl_ir_name(p->functions.v[i]), "main") == 0 &&
            LLVMGetLinkage(p->functions.v[i]) == LLVMExternalLinkage)
            return p->functions.v[i];
    return NULL;
}

static void
reach_function(void *arg, LLVMValueRef fn)
{
    burl__pts_reach(arg, burl__pts_function(arg, fn));
}

/* The strings and the array that main is given. */
static void
give_arguments(struct burl_pts *s, LLVMValueRef f)
{
    uint32_t x = burl__pts_new_object(s, BURL_PTS_EXTERNAL, f, NULL);
    unsigned n = LLVMCountParams(f);

    for (unsigned i = 0; i < n; i++) {
        uint32_t param = burl__pts_value(s, LLVMGetParam(f, i));
        if (param != BURL__NONE)
            burl__pts_add(s, param, burl__pts_leaf_at(s, x, 0));
    }
}

static void
reach_roots(struct burl_pts *s)
{
    LLVMValueRef entry = find_main(s->p);

    for (size_t i = 0; i < s->p->modules.n; i++) {
        burl_program_structors(s->p, i, "llvm.global_ctors", reach_function, s);
        burl_program_structors(s->p, i, "llvm.global_dtors", reach_function, s);
    }
    if (entry) {
        reach_function(s, entry);
        give_arguments(s, entry);
        return;
    }
    /* A main that is not ours, or none: everything may be called. */
    for (size_t i = 0; i < s->p->functions.n; i++)
        reach_function(s, s->p->functions.v[i]);
}

static struct burl_pts *
solve(const struct burl_program *p, bool no_guesses)
{
    struct burl_pts *s = burl_xcalloc(1, sizeof *s);

    s->p = p;
    s->no_guesses = no_guesses;
    s->exceptions = burl__pts_new_node(s);
    s->thread_results = burl__pts_new_node(s);
    s->tls_values = burl__pts_new_node(s);
    reach_roots(s);
    burl__pts_run(s);
    return s;
}

enum burl_status
burl_pts_solve(struct burl_pts **out, const struct burl_program *p, struct burl_err *err)
{
    uint64_t start = burl_pts_now_ms();

    *out = NULL;
    if (p->functions.n == 0)
        return burl_err_set(err, BURL_E_TARGET, 0, "the program's bitcode defines no function");
    struct burl_pts *s = solve(p, p->functions.n > MAX_GUESSING);
    if (!burl__pts_check_guesses(s))
        s = solve(p, true);
    burl__pts_finish(s);
    s->solve_ms = burl_pts_now_ms() - start;
    *out = s;
    return BURL_OK;
}
