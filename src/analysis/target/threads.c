/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/threads.c - the threads of a program, the functions each may execute, and when it
 * is alone.
 *
 * Runs in burl-analyze. A root is the main thread, or one create call with one start routine (phase
 * i of the paper: everything reachable over calls; a create is not a call). Registered functions
 * (handlers, destructors, atexit) run on any thread that may run them.
 *
 * Departure from the paper: its metric counts two accesses by different threads even if they cannot
 * overlap (main fills a table, then starts the worker that reads it), so main's accesses before the
 * first create and after the last join stay in SP. Such an access can be on one side of a pair
 * only; alive.c finds them and the target marks them.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"

static void
add_edge(struct burl__sp *sp, LLVMValueRef call, uint32_t caller, LLVMValueRef callee, bool later)
{
    uint32_t ix;

    if (!burl_valmap_get(&sp->fn_ix, callee, &ix))
        return;
    for (size_t i = sp->fns.v[caller].out.n; i-- > 0;) {
        const struct burl__edge *e = &sp->edges.v[sp->fns.v[caller].out.v[i]];
        if (e->call != call)
            break;
        if (e->callee == ix)
            return;
    }
    BURL_VEC_PUSH(&sp->fns.v[caller].out, (uint32_t)sp->edges.n);
    BURL_VEC_PUSH(&sp->fns.v[ix].in, (uint32_t)sp->edges.n);
    BURL_VEC_PUSH(&sp->edges, (struct burl__edge){
                                  .call = call, .caller = caller, .callee = ix, .later = later });
}

/* Functions among what `pointer` may point to; when they are called later, in that memory too. */
static void
add_given(struct burl__sp *sp, LLVMValueRef call, uint32_t caller, LLVMValueRef pointer, bool later)
{
    uint32_t n, m;
    const uint32_t *leaves = burl_pts_of(sp->pts, pointer, &n);

    for (uint32_t i = 0; i < n; i++) {
        const struct burl_pts_object *o = burl_pts_object_of(sp->pts, leaves[i]);
        if (o->kind == BURL_PTS_FUNCTION)
            add_edge(sp, call, caller, o->at, later);
        if (o->kind == BURL_PTS_FUNCTION || !later)
            continue;
        /* sigaction has the handler in a structure */
        for (uint32_t k = 0; k < o->n_leaves; k++) {
            const uint32_t *in = burl_pts_in(sp->pts, o->first_leaf + k, &m);
            for (uint32_t j = 0; j < m; j++) {
                const struct burl_pts_object *g = burl_pts_object_of(sp->pts, in[j]);
                if (g->kind == BURL_PTS_FUNCTION)
                    add_edge(sp, call, caller, g->at, later);
            }
        }
    }
}

/* An external function may call the functions it is passed. */
static void
add_callbacks(struct burl__sp *sp, LLVMValueRef call, uint32_t caller, LLVMValueRef f, uint32_t is)
{
    unsigned n = LLVMGetNumArgOperands(call);
    bool later = (is & (BURL_FN_AT_EXIT | BURL_FN_HANDLER)) != 0;

    if ((is & BURL_FN_INERT) || burl_ir_begins(burl_ir_name(f), "llvm."))
        return;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef arg = LLVMGetOperand(call, i);
        if (burl_ir_is_pointer(arg))
            add_given(sp, call, caller, arg, later);
    }
}

static void
add_call(struct burl__sp *sp, LLVMValueRef call, uint32_t caller)
{
    uint32_t n;

    if (burl_pts_is_spawn(sp->pts, call)) {
        BURL_VEC_PUSH(&sp->spawns, (struct burl__spawn){
                                       .call = call,
                                       .fn = caller,
                                       .callee = UINT32_MAX,
                                       .in_loop = burl__in_cycle(LLVMGetInstructionParent(call)) });
        return;
    }
    const LLVMValueRef *callees = burl_pts_callees(sp->pts, call, &n);
    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef f = burl_program_definition(sp->p, callees[i]);
        uint32_t is = burl_program_libfn(sp->p, f).is;
        add_edge(sp, call, caller, f, false);
        if (!LLVMIsDeclaration(f))
            continue;
        add_callbacks(sp, call, caller, f, is);
        sp->fns.v[caller].exits |= (is & BURL_FN_EXITS) != 0;
    }
}

static void
scan_function(struct burl__sp *sp, uint32_t ix)
{
    LLVMValueRef fn = sp->fns.v[ix].fn;

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (burl_ir_is_call(i))
            add_call(sp, i, ix);
}

/*
 * A function pointer kept in a variable of a library (std::call_once hands its function over in
 * one) is called by the library, on the thread that put it there.
 */
static void
scan_library_variables(struct burl__sp *sp, uint32_t ix)
{
    LLVMValueRef fn = sp->fns.v[ix].fn;
    uint32_t n;

    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        if (!LLVMIsAStoreInst(i) || !burl_ir_is_pointer(LLVMGetOperand(i, 0)))
            continue;
        const uint32_t *leaves = burl_pts_of(sp->pts, LLVMGetOperand(i, 1), &n);
        for (uint32_t k = 0; k < n; k++) {
            const struct burl_pts_object *o = burl_pts_object_of(sp->pts, leaves[k]);
            if ((o->kind == BURL_PTS_GLOBAL || o->kind == BURL_PTS_TLS) && o->at &&
                LLVMIsAGlobalVariable(o->at) && LLVMIsDeclaration(o->at))
                add_given(sp, i, ix, LLVMGetOperand(i, 0), false);
        }
    }
}

/* Everything that `root` reaches from its entries. */
static void
reach_from(struct burl__sp *sp, uint32_t root)
{
    struct burl_u32s todo = { 0 };

    for (size_t i = 0; i < sp->entries.v[root].n; i++)
        if (burl_u32s_add(&sp->fns.v[sp->entries.v[root].v[i]].roots, root))
            BURL_VEC_PUSH(&todo, sp->entries.v[root].v[i]);
    while (todo.n > 0) {
        const struct burl__fn *f = &sp->fns.v[todo.v[--todo.n]];
        for (size_t i = 0; i < f->out.n; i++) {
            const struct burl__edge *e = &sp->edges.v[f->out.v[i]];
            if (!e->later && burl_u32s_add(&sp->fns.v[e->callee].roots, root))
                BURL_VEC_PUSH(&todo, e->callee);
        }
    }
    BURL_VEC_FREE(&todo);
}

static uint32_t
new_root(struct burl__sp *sp, const char *function, uint64_t module_hash, uint32_t site)
{
    struct burl_sp_root *r = BURL_VEC_ADD(&sp->t->roots);

    r->function = burl_xstrdup(function);
    r->module_hash = module_hash;
    r->site = site;
    (void)BURL_VEC_ADD(&sp->entries);
    return (uint32_t)sp->t->roots.n - 1;
}

/* The main thread runs it, before or after main. */
static void
add_structor(void *arg, LLVMValueRef fn)
{
    struct burl__sp *sp = arg;
    uint32_t ix;

    if (burl_valmap_get(&sp->fn_ix, fn, &ix))
        BURL_VEC_PUSH(&sp->entries.v[0], ix);
}

static void
add_structors(struct burl__sp *sp, const char *list)
{
    for (size_t m = 0; m < sp->p->modules.n; m++)
        burl_program_structors(sp->p, m, list, add_structor, sp);
}

/* Without a main of ours anything that can be called from outside may be. */
static void
add_main(struct burl__sp *sp)
{
    bool found = false;

    add_structors(sp, "llvm.global_ctors");
    for (size_t i = 0; i < sp->fns.n && !found; i++) {
        if (strcmp(burl_ir_name(sp->fns.v[i].fn), "main") == 0) {
            BURL_VEC_PUSH(&sp->entries.v[0], (uint32_t)i);
            found = true;
        }
    }
    for (size_t i = 0; i < sp->fns.n && !found; i++)
        if (LLVMGetLinkage(sp->fns.v[i].fn) == LLVMExternalLinkage)
            BURL_VEC_PUSH(&sp->entries.v[0], (uint32_t)i);
    sp->t->roots.v[0].many = !found;
    add_structors(sp, "llvm.global_dtors");
}

static void
add_spawned(struct burl__sp *sp, struct burl__spawn *s)
{
    uint32_t n, ix;
    uint64_t hash = sp->p->modules.v[burl_program_module_of(sp->p, s->call)].hash;
    uint32_t site = burl_program_site_of(sp->p, s->call);
    const LLVMValueRef *starts = burl_pts_spawned(sp->pts, s->call, &n);

    for (uint32_t i = 0; i < n; i++) {
        LLVMValueRef fn = burl_program_definition(sp->p, starts[i]);
        if (!burl_valmap_get(&sp->fn_ix, fn, &ix))
            continue;
        uint32_t root =
            new_root(sp, burl__sp_function_name(sp, fn), hash, site == UINT32_MAX ? 0 : site);
        BURL_VEC_PUSH(&sp->entries.v[root], ix);
        BURL_VEC_PUSH(&s->roots, root);
    }
}

static bool
is_started(const struct burl__sp *sp, uint32_t root)
{
    return burl_u32s_has(&sp->fns.v[sp->entries.v[root].v[0]].roots, root);
}

/* May this thread end the process, and so run what was left for its end? */
static bool
may_exit(const struct burl__sp *sp, uint32_t root)
{
    for (size_t i = 0; i < sp->fns.n; i++)
        if (sp->fns.v[i].exits && burl_u32s_has(&sp->fns.v[i].roots, root))
            return true;
    return false;
}

/* Handlers, destructors and what runs at exit, on the threads that may come to run them. */
static bool
reach_later(struct burl__sp *sp)
{
    bool grew = false;

    for (size_t i = 0; i < sp->edges.n; i++) {
        const struct burl__edge *e = &sp->edges.v[i];
        if (!e->later || sp->fns.v[e->caller].roots.n == 0)
            continue;
        bool at_exit = burl__callee_facts(sp, e->call).is & BURL_FN_AT_EXIT;
        for (uint32_t r = 0; r < sp->t->roots.n; r++) {
            if (r != 0 && (!is_started(sp, r) || (at_exit && !may_exit(sp, r))))
                continue;
            size_t n = sp->fns.v[e->callee].roots.n;
            BURL_VEC_PUSH(&sp->entries.v[r], e->callee);
            reach_from(sp, r);
            sp->entries.v[r].n--;
            grew |= sp->fns.v[e->callee].roots.n > n;
        }
    }
    return grew;
}

/* Propagates roots over the call graph to a fixed point: a thread may start others. */
static void
reach_all(struct burl__sp *sp)
{
    bool grew = true;

    reach_from(sp, 0);
    while (grew) {
        grew = false;
        for (size_t i = 0; i < sp->spawns.n; i++) {
            struct burl__spawn *s = &sp->spawns.v[i];
            if (sp->fns.v[s->fn].roots.n == 0)
                continue;
            for (size_t k = 0; k < s->roots.n; k++) {
                uint32_t entry = sp->entries.v[s->roots.v[k]].v[0];
                size_t n = sp->fns.v[entry].roots.n;
                reach_from(sp, s->roots.v[k]);
                grew |= sp->fns.v[entry].roots.n > n;
            }
        }
        grew |= reach_later(sp);
    }
    for (size_t i = 0; i < sp->fns.n; i++)
        burl_u32s_sort(&sp->fns.v[i].roots);
}

/* Several of its threads may be alive at once. */
static bool
is_many(const struct burl__sp *sp, const struct burl__spawn *s)
{
    const struct burl__fn *f = &sp->fns.v[s->fn];

    if (!s->in_loop && !f->repeats)
        return false;
    /* Joined before the next one starts, as long as one thread alone does all that. */
    return !s->joined || f->roots.n != 1 || sp->t->roots.v[f->roots.v[0]].many;
}

static void
find_many(struct burl__sp *sp)
{
    bool grew = true;

    while (grew) {
        grew = false;
        for (size_t i = 0; i < sp->spawns.n; i++) {
            struct burl__fn *f = &sp->fns.v[sp->spawns.v[i].fn];
            if (!f->repeats && f->roots.n > 0 && burl__sp_repeats(sp, sp->spawns.v[i].fn)) {
                f->repeats = true;
                grew = true;
            }
        }
        for (size_t i = 0; i < sp->spawns.n; i++) {
            for (size_t k = 0; k < sp->spawns.v[i].roots.n; k++) {
                struct burl_sp_root *r = &sp->t->roots.v[sp->spawns.v[i].roots.v[k]];
                if (!r->many && is_many(sp, &sp->spawns.v[i])) {
                    r->many = true;
                    grew = true;
                }
            }
        }
    }
}

static void
find_spawning(struct burl__sp *sp)
{
    struct burl_u32s todo = { 0 };

    for (size_t i = 0; i < sp->spawns.n; i++)
        BURL_VEC_PUSH(&todo, sp->spawns.v[i].fn);
    while (todo.n > 0) {
        uint32_t ix = todo.v[--todo.n];
        if (sp->fns.v[ix].spawns)
            continue;
        sp->fns.v[ix].spawns = true;
        for (size_t i = 0; i < sp->fns.v[ix].in.n; i++)
            BURL_VEC_PUSH(&todo, sp->edges.v[sp->fns.v[ix].in.v[i]].caller);
    }
    BURL_VEC_FREE(&todo);
}

void
burl__sp_threads(struct burl__sp *sp)
{
    for (size_t i = 0; i < sp->p->functions.n; i++) {
        BURL_VEC_PUSH(&sp->fns, (struct burl__fn){ .fn = sp->p->functions.v[i] });
        burl_valmap_set(&sp->fn_ix, sp->p->functions.v[i], (uint32_t)i);
    }
    for (uint32_t i = 0; i < sp->fns.n; i++)
        scan_function(sp, i);
    for (uint32_t i = 0; i < sp->fns.n; i++)
        scan_library_variables(sp, i);
    new_root(sp, "main", 0, 0);
    add_main(sp);
    for (size_t i = 0; i < sp->spawns.n; i++) {
        add_spawned(sp, &sp->spawns.v[i]);
        sp->spawns.v[i].joined = burl__sp_is_joined(sp, &sp->spawns.v[i]);
    }
    reach_all(sp);
    find_spawning(sp);
    find_many(sp);
    burl__sp_alive(sp);
}
