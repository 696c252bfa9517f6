/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts.c - the points-to analysis: driver and queries; contract in pts.h. Host side.
 *
 * Allocation wrappers that call their allocator through a pointer rest on a guess (pts_field.c). If
 * the solution contradicts it, the program is solved again without guesses.
 */
#include "analysis/pts/pts_int.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"

/* Being wrong costs a second solution; in larger programs the guesses were wrong as a rule. */
enum { MAX_GUESSING = 1000 };

static uint64_t
now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static LLVMValueRef
find_main(const struct burl_program *p)
{
    size_t n;

    for (size_t i = 0; i < p->functions.n; i++)
        if (strcmp(LLVMGetValueName2(p->functions.v[i], &n), "main") == 0 &&
            LLVMGetLinkage(p->functions.v[i]) == LLVMExternalLinkage)
            return p->functions.v[i];
    return NULL;
}

static void
reach_list(struct burl_pts *s, LLVMModuleRef mod, const char *name)
{
    LLVMValueRef g = LLVMGetNamedGlobal(mod, name);
    LLVMValueRef list = g ? LLVMGetInitializer(g) : NULL;
    int n = list && LLVMIsAConstantArray(list) ? LLVMGetNumOperands(list) : 0;

    for (int i = 0; i < n; i++) {
        LLVMValueRef f = LLVMGetOperand(LLVMGetOperand(list, (unsigned)i), 1);
        if (LLVMIsAFunction(f))
            burl__pts_reach(s, burl__pts_function(s, burl__pts_def(s, f)));
    }
}

/* The strings and the array that main is given. */
static void
give_arguments(struct burl_pts *s, LLVMValueRef f)
{
    uint32_t x = burl__pts_new_object(s, BURL_PTS_EXTERNAL, f, NULL, burl__pts_td(s, f));
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
        reach_list(s, s->p->modules.v[i].mod, "llvm.global_ctors");
        reach_list(s, s->p->modules.v[i].mod, "llvm.global_dtors");
    }
    if (entry) {
        burl__pts_reach(s, burl__pts_function(s, entry));
        give_arguments(s, entry);
        return;
    }
    /* A main that is not ours, or none: everything may be called. */
    for (size_t i = 0; i < s->p->functions.n; i++)
        burl__pts_reach(s, burl__pts_function(s, s->p->functions.v[i]));
}

static struct burl_pts *
new_solution(const struct burl_program *p)
{
    struct burl_pts *s = burl_xcalloc(1, sizeof *s);

    s->p = p;
    s->exceptions = burl__pts_new_node(s);
    s->thread_results = burl__pts_new_node(s);
    s->tls_values = burl__pts_new_node(s);
    return s;
}

static void
solve(struct burl_pts *s)
{
    reach_roots(s);
    burl__pts_run(s);
}

enum burl_status
burl_pts_solve(struct burl_pts **out, const struct burl_program *p, struct burl_err *err)
{
    uint64_t start = now_ms();

    *out = NULL;
    if (p->functions.n == 0)
        return burl_err_set(err, BURL_E_TARGET, 0, "the program's bitcode defines no function");
    struct burl_pts *s = new_solution(p);
    s->no_guesses = p->functions.n > MAX_GUESSING;
    solve(s);
    if (!burl__pts_check_guesses(s)) {
        burl_pts_free(s);
        s = new_solution(p);
        s->no_guesses = true;
        solve(s);
    }
    burl__pts_finish(s);
    s->solve_ms = now_ms() - start;
    *out = s;
    return BURL_OK;
}

static void
free_work(struct burl_pts *s)
{
    for (size_t i = 0; i < s->nodes.n; i++) {
        burl__set_clear(&s->nodes.v[i].pts);
        burl__set_clear(&s->nodes.v[i].fresh);
        burl__set_clear(&s->nodes.v[i].edges);
        BURL_VEC_FREE(&s->nodes.v[i].cons);
    }
    for (size_t i = 0; i < s->objects.n; i++) {
        BURL_VEC_FREE(&s->objects.v[i].regions);
        BURL_VEC_FREE(&s->objects.v[i].places);
        BURL_VEC_FREE(&s->objects.v[i].watches);
    }
    for (size_t i = 0; i < s->funcs.n; i++) {
        BURL_VEC_FREE(&s->funcs.v[i].allocs);
        BURL_VEC_FREE(&s->funcs.v[i].alloc_fns);
        burl__set_clear(&s->funcs.v[i].clones);
    }
    for (size_t i = 0; i < s->sites.n; i++)
        BURL_VEC_FREE(&s->sites.v[i].callees);
}

void
burl_pts_free(struct burl_pts *s)
{
    struct burl_valmap *maps[] = { &s->values,  &s->globals,    &s->func_of, &s->defs,
                                   &s->allocas, &s->first_site, &s->sources, &s->skipped,
                                   &s->by_type, &s->statics,    &s->layouts };

    if (!s)
        return;
    burl__pts_free_result(s);
    free_work(s);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        burl_valmap_deinit(maps[i]);
    for (size_t i = 0; i < s->unknown.n; i++)
        free(s->unknown.v[i]);
    for (size_t i = 0; i < s->tables.n; i++)
        free(s->tables.v[i]);
    BURL_VEC_FREE(&s->tables);
    BURL_VEC_FREE(&s->nodes);
    BURL_VEC_FREE(&s->leaves);
    BURL_VEC_FREE(&s->objects);
    BURL_VEC_FREE(&s->funcs);
    BURL_VEC_FREE(&s->sites);
    BURL_VEC_FREE(&s->site_args);
    BURL_VEC_FREE(&s->steps);
    BURL_VEC_FREE(&s->copies);
    BURL_VEC_FREE(&s->def_v);
    BURL_VEC_FREE(&s->todo_funcs);
    BURL_VEC_FREE(&s->todo_globals);
    BURL_VEC_FREE(&s->new_leaves);
    BURL_VEC_FREE(&s->new_regions);
    BURL_VEC_FREE(&s->later);
    BURL_VEC_FREE(&s->guesses);
    BURL_VEC_FREE(&s->runs);
    BURL_VEC_FREE(&s->run_leaves);
    burl__pts_free_fields(s);
    BURL_VEC_FREE(&s->unknown);
    free(s);
}
