/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/sp.c - the steps of the target one after the other; small predicates on LLVM
 * values and walks over blocks that they share.
 *
 * Runs in burl-analyze. What the steps find lives until the process ends and is not freed.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>

#include "analysis/target/steps.h"
#include "analysis/target/target.h"

LLVMValueRef
burl__callee(const struct burl__sp *sp, LLVMValueRef call)
{
    LLVMValueRef f = LLVMGetCalledValue(call);

    if (!f || (!LLVMIsAFunction(f) && !LLVMIsAGlobalAlias(f)))
        return NULL;
    return burl_program_definition(sp->p, f);
}

const char *
burl__callee_name(const struct burl__sp *sp, LLVMValueRef call)
{
    LLVMValueRef f = burl__callee(sp, call);

    return f ? burl_ir_name(f) : "";
}

struct burl_libfn
burl__callee_facts(const struct burl__sp *sp, LLVMValueRef call)
{
    return burl_program_libfn(sp->p, burl__callee(sp, call));
}

bool
burl__is_marker(const char *name)
{
    return burl_ir_begins(name, "llvm.lifetime") || burl_ir_begins(name, "llvm.dbg");
}

bool
burl__is_one_of(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

LLVMValueRef
burl__strip(LLVMTargetDataRef td, LLVMValueRef ptr, int64_t *off)
{
    *off = 0;
    for (;;) {
        struct burl_ir_steps steps;
        int64_t more;
        if (burl_ir_is_gep(ptr) && !burl_ir_gep(td, ptr, &more, &steps)) {
            *off += more;
            ptr = LLVMGetOperand(ptr, 0);
        } else if (LLVMIsABitCastInst(ptr) || LLVMIsAAddrSpaceCastInst(ptr) ||
                   LLVMIsAFreezeInst(ptr)) {
            ptr = LLVMGetOperand(ptr, 0);
        } else {
            return ptr;
        }
    }
}

/* ---- blocks ---- */

void
burl__walk_visit(struct burl__walk *w, LLVMBasicBlockRef b)
{
    if (burl_valmap_add(&w->seen, b))
        BURL_VEC_PUSH(&w->todo, b);
}

void
burl__walk_successors(struct burl__walk *w, LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    unsigned n = end ? LLVMGetNumSuccessors(end) : 0;

    for (unsigned i = 0; i < n; i++)
        burl__walk_visit(w, LLVMGetSuccessor(end, i));
}

LLVMBasicBlockRef
burl__walk_next(struct burl__walk *w)
{
    return w->todo.n ? w->todo.v[--w->todo.n] : NULL;
}

void
burl__walk_deinit(struct burl__walk *w)
{
    burl_valmap_deinit(&w->seen);
    BURL_VEC_FREE(&w->todo);
}

bool
burl__reaches(LLVMBasicBlockRef from, LLVMBasicBlockRef to, LLVMBasicBlockRef avoid)
{
    struct burl__walk w = { 0 };

    if (avoid)
        burl_valmap_add(&w.seen, avoid);
    for (LLVMBasicBlockRef b = from; b; b = burl__walk_next(&w))
        burl__walk_successors(&w, b);
    bool found = to != avoid && burl_valmap_has(&w.seen, to);
    burl__walk_deinit(&w);
    return found;
}

bool
burl__in_cycle(LLVMBasicBlockRef block)
{
    return burl__reaches(block, block, NULL);
}

bool
burl__leaves_function(LLVMBasicBlockRef b)
{
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

    return end && (LLVMIsAReturnInst(end) || LLVMIsAResumeInst(end));
}

/* ---- all steps ---- */

static void
analyze(struct burl__sp *sp)
{
    burl__sp_threads(sp);
    burl__sp_escape(sp);
    burl__sp_accesses(sp);
    burl__sp_locks(sp);
    burl__sp_classes(sp);
    /* An access that must come in between in the canonical form may be missing at run time. */
    if (!burl_program_is_late(sp->p))
        burl__sp_facts(sp);
}

static void
put_edges(const struct burl__sp *sp, struct burl_buf *out)
{
    for (size_t i = 0; i < sp->t->roots.n; i++)
        burl_buf_printf(out, "thread %zu: %s%s\n", i, sp->t->roots.v[i].function,
                        sp->t->roots.v[i].many ? ", many" : "");
    for (size_t i = 0; i < sp->fns.n; i++) {
        const struct burl__fn *f = &sp->fns.v[i];
        burl_buf_printf(out, "%s, threads", burl_ir_name(f->fn));
        for (size_t k = 0; k < f->roots.n; k++)
            burl_buf_printf(out, " %u", f->roots.v[k]);
        burl_buf_char(out, '\n');
        for (size_t k = 0; k < f->out.n; k++) {
            const struct burl__edge *e = &sp->edges.v[f->out.v[k]];
            burl_buf_printf(out, "    %s%s\n", burl_ir_name(sp->fns.v[e->callee].fn),
                            e->later ? " (later)" : "");
        }
    }
}

static void
put_stats(const struct burl__sp *sp, struct burl_buf *out)
{
    const struct burl_sp *t = sp->t;
    struct burl_pts_stats ps;
    size_t n_untyped = 0;

    burl_pts_stats(sp->pts, &ps);
    for (size_t i = 0; i < t->classes.n; i++)
        n_untyped += t->classes.v[i].untyped;
    burl_buf_printf(out,
                    "modules %zu\nfunctions %zu\nobjects %u\nleaves %u\nvariables %u\n"
                    "constraints %u\nmerged %u\nsolve_ms %" PRIu64 "\n",
                    sp->p->modules.n, sp->fns.n, ps.n_objects, ps.n_leaves, ps.n_variables,
                    ps.n_constraints, ps.n_merged, ps.solve_ms);
    burl_buf_printf(out,
                    "threads %zu\naccesses %zu\nsites %zu\nclasses %zu\nuntyped_classes %zu\n"
                    "pairs %" PRIu64 "\npairs_any_tier %" PRIu64 "\nlocks %zu\nfacts %zu\n"
                    "unknown %zu\nms %" PRIu64 "\nkb %" PRIu64 "\n",
                    t->roots.n, sp->accesses.n, t->sites.n, t->classes.n - n_untyped, n_untyped,
                    burl_sp_count(t, false), burl_sp_count(t, true), t->locks.n, t->facts.n,
                    t->unknown.n, t->analysis_ms, t->analysis_kb);
}

static uint64_t
peak_kb(void)
{
    struct rusage u;

    return getrusage(RUSAGE_SELF, &u) == 0 ? (uint64_t)u.ru_maxrss : 0;
}

struct burl__sp *
burl_target_make(const struct burl_program *p, const struct burl_pts *pts, bool for_changes,
                 uint64_t start_ms)
{
    struct burl_sp *t = burl_xcalloc(1, sizeof *t);
    struct burl__sp *sp = burl_xcalloc(1, sizeof *sp);
    BURL_VEC(uint64_t) hashes = { 0 };
    uint32_t n;
    const char *const *unknown = burl_pts_unknown(pts, &n);

    burl_sp_init(t);
    *sp = (struct burl__sp){ .p = p, .pts = pts, .t = t, .for_changes = for_changes };
    for (size_t i = 0; i < p->modules.n; i++)
        BURL_VEC_PUSH(&hashes, p->modules.v[i].hash);
    t->program = burl_sp_program(hashes.v, hashes.n);
    for (uint32_t i = 0; i < n; i++)
        BURL_VEC_PUSH(&t->unknown, burl_xstrdup(unknown[i]));
    analyze(sp);
    t->analysis_ms = burl_pts_now_ms() - start_ms;
    t->analysis_kb = peak_kb();
    return sp;
}

void
burl_target_write(const struct burl__sp *sp, enum burl_target_form form, struct burl_buf *out)
{
    if (form == BURL_TARGET_CALLS)
        put_edges(sp, out);
    else if (form == BURL_TARGET_STATS)
        put_stats(sp, out);
    else
        burl_sp_write(sp->t, out);
}
