/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/late.c - the late profile: number first, instrument what the optimizer leaves.
 *
 * Runs in the compiler, in two processes with clang's optimizer between them.
 * First half: every numbered instruction gets a debug location whose line is
 * the site number with the top bit set; passes carry locations along with the
 * instructions they move, copy and inline, and no source has such lines. Every
 * function gets sanitize_thread, which keeps passes from speculating loads: a
 * load the source does not make would look like a race.
 * Second half: numbers are read back from the lines, hooks are inserted, and
 * the real lines are put back from the site record.
 *
 * Two accesses merged into one have no line any more. Such an access takes the
 * number of a site of its function that has disappeared and does the same
 * thing, else a number of its own after those of the canonical form.
 *
 * Accesses that can show no race which another access of the same stretch does
 * not show get no hook: see drop_reads_before_writes() and drop_repeated().
 */
#include <string.h>

#include "instr/instr_int.h"

#define LINE_MARK 0x80000000u

/* Debug locations have scopes: a function without one gets one that emits nothing. */
static LLVMMetadataRef
make_subprogram(struct burl__instr *in, LLVMValueRef fn, LLVMMetadataRef *unit)
{
    const char *name = burl_ir_name(fn);
    LLVMMetadataRef file =
        LLVMDIBuilderCreateFile(in->di, in->name, strlen(in->name), in->dir, strlen(in->dir));

    if (!*unit)
        *unit = LLVMDIBuilderCreateCompileUnit(in->di, LLVMDWARFSourceLanguageC11, file, "burl", 4,
                                               0, "", 0, 0, "", 0, LLVMDWARFEmissionNone, 0, 0, 0,
                                               "", 0, "", 0);
    LLVMMetadataRef ty = LLVMDIBuilderCreateSubroutineType(in->di, file, NULL, 0, LLVMDIFlagZero);
    LLVMMetadataRef sp =
        LLVMDIBuilderCreateFunction(in->di, file, name, strlen(name), name, strlen(name), file, 0,
                                    ty, 1, 1, 0, LLVMDIFlagArtificial, 0);
    LLVMSetSubprogram(fn, sp);
    return sp;
}

static void
encode_function(struct burl__instr *in, LLVMValueRef fn, LLVMMetadataRef *unit)
{
    LLVMMetadataRef sp = LLVMGetSubprogram(fn);
    bool made = !sp;

    if (made)
        sp = make_subprogram(in, fn, unit);
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint32_t ix = burl_ir_site(i, in->md_site);
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
        LLVMMetadataRef scope = loc ? LLVMDILocationGetScope(loc) : sp;
        LLVMMetadataRef at = loc ? LLVMDILocationGetInlinedAt(loc) : NULL;
        unsigned line = ix == UINT32_MAX ? 0 : LINE_MARK | ix;
        unsigned column = loc ? LLVMDILocationGetColumn(loc) : 0;
        LLVMSetMetadata(i, in->md_site, NULL);
        LLVMSetMetadata(i, in->md_block, NULL);
        /* A call without a location may not be inlined into a function that has a scope. */
        if (line || (made && burl_ir_is_call(i)))
            LLVMInstructionSetDebugLoc(
                i, LLVMDIBuilderCreateDebugLocation(in->ctx, line, column, scope, at));
    }
}

void
burl__instr_late_encode(struct burl__instr *in)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("sanitize_thread", 15);
    LLVMMetadataRef unit = NULL;

    for (LLVMValueRef f = LLVMGetFirstFunction(in->mod); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f))
            continue;
        /* All of them, for the inliner joins only functions that agree on it. */
        LLVMAddAttributeAtIndex(f, BURL_IR_FN_ATTRS, LLVMCreateEnumAttribute(in->ctx, kind, 0));
        if (burl__instr_is_chosen(in, f))
            encode_function(in, f, &unit);
    }
    if (unit)
        LLVMDIBuilderFinalize(in->di);
}

/* One instruction to hook. */
struct job {
    LLVMValueRef inst;
    struct burl__op ops[BURL__MAX_OPS];
    uint32_t ix[BURL__MAX_OPS];
    int n;
};

struct finish {
    struct burl__instr *in;
    BURL_VEC(struct job) jobs;
    struct burl_map real; /* location as found -> location as it should be */
    bool *seen;           /* site -> an instruction still has it */
    size_t n_canonical;
    bool copies; /* of free.c: the sites belong to the functions they are copies of */
};

static bool
is_write_kind(uint8_t kind)
{
    return kind == BURL_SITE_WRITE || kind == BURL_SITE_RANGE_WRITE ||
           kind == BURL_SITE_ATOMIC_STORE;
}

static bool
same_group(const struct burl_wire_sitedesc *a, const struct burl_wire_sitedesc *b)
{
    return a->block_ix == b->block_ix && a->line == b->line && a->column == b->column &&
           b->kind != BURL_SITE_BLOCK && b->kind != BURL_SITE_FUNC;
}

/*
 * The optimizer may turn one operation into another (a small memcpy into a load and a store): take
 * the member of the canonical instruction's group that does the same, or goes the same way.
 */
static uint32_t
pick_in_group(struct finish *f, uint32_t base, const struct job *job, int k)
{
    const struct burl__site *s = f->in->sites.v;
    uint32_t near = base;
    bool found = false;

    for (uint32_t i = base; i < f->n_canonical && i < base + BURL__MAX_OPS; i++) {
        bool taken = false;
        if (!same_group(&s[base].desc, &s[i].desc))
            break;
        for (int j = 0; j < k; j++)
            taken = taken || job->ix[j] == i;
        if (taken)
            continue;
        if (s[i].desc.kind == job->ops[k].kind)
            return i;
        if (!found && is_write_kind(s[i].desc.kind) == is_write_kind(job->ops[k].kind)) {
            near = i;
            found = true;
        }
    }
    return near;
}

static uint32_t
add_extra(struct finish *f, const struct burl__op *op, uint32_t func_ix)
{
    uint32_t ix = (uint32_t)f->in->sites.n;
    struct burl__site *s = BURL_VEC_ADD(&f->in->sites);

    s->desc = f->in->sites.v[func_ix].desc;
    burl__instr_describe_op(&s->desc, op);
    s->desc.flags |= BURL_SITE_F_ADDED;
    return ix;
}

/* A number for an operation whose line was lost in a merge. */
static uint32_t
pick_vanished(struct finish *f, const struct burl__op *op, uint32_t func_ix)
{
    const struct burl__site *s = f->in->sites.v;
    struct burl_wire_sitedesc want = { 0 };
    uint32_t near = UINT32_MAX;

    burl__instr_describe_op(&want, op);
    for (uint32_t i = func_ix + 1; i < f->n_canonical && s[i].desc.func_ix == func_ix; i++) {
        if (f->seen[i] || s[i].desc.kind != op->kind)
            continue;
        if (op->kind == BURL_SITE_CALL && LLVMIsAFunction(op->ptr) &&
            strcmp(burl__strtab_get(&f->in->strings, s[i].desc.variable), burl_ir_name(op->ptr)) !=
                0)
            continue;
        if (s[i].desc.size_b == want.size_b) {
            f->seen[i] = true;
            return i;
        }
        if (near == UINT32_MAX)
            near = i;
    }
    if (near == UINT32_MAX)
        return f->copies ? func_ix : add_extra(f, op, func_ix);
    f->seen[near] = true;
    return near;
}

static uint32_t
encoded_site(const struct finish *f, LLVMValueRef inst)
{
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);
    unsigned line = loc ? LLVMDILocationGetLine(loc) : 0;

    if (!(line & LINE_MARK) || (line & ~LINE_MARK) >= f->n_canonical)
        return UINT32_MAX;
    return line & ~LINE_MARK;
}

static void
note_seen(struct finish *f, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        uint32_t ix = encoded_site(f, i);
        if (ix != UINT32_MAX)
            f->seen[ix] = true;
    }
}

/* A call that had no number needs none: it is of a function of this module, or one without a
 * site. */
static int
drop_calls(struct burl__op *ops, int n)
{
    int kept = 0;

    for (int i = 0; i < n; i++)
        if (ops[i].kind != BURL_SITE_CALL || !LLVMIsAFunction(ops[i].ptr) ||
            LLVMGetIntrinsicID(ops[i].ptr))
            ops[kept++] = ops[i];
    return kept;
}

/*
 * A real line means that the instruction had no number, because it touched private memory only.
 * That may have changed: where a shared structure was copied to the stack and passed on from
 * there, the optimizer lets the call or the second copy take it from where it was.
 */
static void
plan_inst(struct finish *f, LLVMValueRef inst, uint32_t func_ix)
{
    struct job job = { .inst = inst };
    uint32_t base = encoded_site(f, inst);
    LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(inst);

    job.n = burl__instr_classify(f->in, inst, job.ops);
    if (base == UINT32_MAX && loc && LLVMDILocationGetLine(loc))
        job.n = drop_calls(job.ops, job.n);
    if (!job.n)
        return;
    for (int k = 0; k < job.n; k++)
        job.ix[k] = base != UINT32_MAX ? pick_in_group(f, base, &job, k)
                                       : pick_vanished(f, &job.ops[k], func_ix);
    BURL_VEC_PUSH(&f->jobs, job);
}

/* One access of up to 16 bytes that is all an instruction does. */
static bool
is_plain(const struct job *j, uint8_t kind)
{
    return j->n == 1 && j->ops[0].how == BURL__HOW_ACCESS && j->ops[0].kind == kind &&
           !(j->ops[0].flags & BURL_SITE_F_VOLATILE);
}

/* A call or a synchronization: what follows is another stretch of the run. `j`: what the
 * instruction does, NULL nothing. */
static bool
ends_stretch(LLVMValueRef inst, const struct job *j)
{
    return (burl_ir_calls_function(inst) && !burl__instr_is_early_hook(inst)) ||
           LLVMIsAFenceInst(inst) ||
           (j && (j->ops[0].how == BURL__HOW_ATOMIC || j->ops[0].how == BURL__HOW_VOLATILE));
}

/* The hook of this site represents another access too: if something races with it, an exhaustive
 * search has not covered all interleavings. */
static void
mark_merged(struct finish *f, uint32_t site)
{
    if (!f->copies)
        f->in->sites.v[site].desc.flags |= BURL_SITE_F_MERGED;
}

static bool
is_written_below(struct finish *f, const struct job *read, const size_t *writes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct job *w = &f->jobs.v[writes[i]];
        if (w->ops[0].ptr == read->ops[0].ptr && w->ops[0].bytes >= read->ops[0].bytes) {
            mark_merged(f, w->ix[0]);
            return true;
        }
    }
    return false;
}

enum { MAX_WRITES = 32 };

/*
 * A read that is followed, in the same block and with no call between, by a write of the same
 * place needs no hook: whatever races with the read races with the write. ThreadSanitizer does the
 * same. The hook of the write still lies between the two, so that another thread may come in there.
 * `first`: index of the block's first job.
 */
static void
drop_reads_before_writes(struct finish *f, LLVMBasicBlockRef block, size_t first)
{
    size_t writes[MAX_WRITES];
    size_t n = 0;
    size_t k = f->jobs.n;

    for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = LLVMGetPreviousInstruction(i)) {
        struct job *j = k > first && f->jobs.v[k - 1].inst == i ? &f->jobs.v[--k] : NULL;

        if (ends_stretch(i, j))
            n = 0;
        if (!j)
            continue;
        if (is_plain(j, BURL_SITE_WRITE) && n < MAX_WRITES)
            writes[n++] = k;
        else if (is_plain(j, BURL_SITE_READ) && is_written_below(f, j, writes, n))
            j->n = 0;
    }
}

/* What a thread must have accessed when it arrives here, since its last call. */
enum { MAX_KNOWN = 48 };

struct known {
    struct known_access {
        LLVMValueRef ptr;
        uint64_t bytes;
        uint32_t site;
        bool write;
    } v[MAX_KNOWN];
    size_t n;
};

/* One block of the function at work. */
struct place {
    LLVMBasicBlockRef block;
    size_t first; /* its jobs */
    size_t end;
};

struct places {
    BURL_VEC_OF(struct place);
};

/* True: this access is known already, and so needs no hook. */
static bool
is_repeated(struct finish *f, struct known *k, const struct job *j)
{
    bool write = j->ops[0].kind == BURL_SITE_WRITE;

    for (size_t i = 0; i < k->n; i++) {
        if (k->v[i].ptr != j->ops[0].ptr || k->v[i].bytes < j->ops[0].bytes)
            continue;
        if (k->v[i].write || !write) {
            mark_merged(f, k->v[i].site);
            return true;
        }
        k->v[i].site = j->ix[0];
        k->v[i].write = true;
        return false;
    }
    if (k->n < MAX_KNOWN)
        k->v[k->n++] = (struct known_access){ j->ops[0].ptr, j->ops[0].bytes, j->ix[0], write };
    return false;
}

static void
drop_in_block(struct finish *f, const struct place *p, struct known *k)
{
    size_t at = p->first;

    for (LLVMValueRef i = LLVMGetFirstInstruction(p->block); i; i = LLVMGetNextInstruction(i)) {
        struct job *j = at < p->end && f->jobs.v[at].inst == i ? &f->jobs.v[at++] : NULL;

        if (ends_stretch(i, j))
            k->n = 0;
        if (j && (is_plain(j, BURL_SITE_READ) || is_plain(j, BURL_SITE_WRITE)) &&
            is_repeated(f, k, j))
            j->n = 0;
    }
}

/* A block to go on with, and what is known there. */
struct visit {
    size_t ix;
    struct known known;
};

/* Goes on, with what is known at the end of a block, into the blocks that have no other way in. */
static void
drop_from(struct finish *f, const struct burl_map *map, const struct places *all, size_t root)
{
    BURL_VEC(struct visit) todo = { 0 };

    BURL_VEC_PUSH(&todo, (struct visit){ .ix = root });
    while (todo.n) {
        struct visit v = todo.v[--todo.n];
        LLVMValueRef end = LLVMGetBasicBlockTerminator(all->v[v.ix].block);
        unsigned n = end ? LLVMGetNumSuccessors(end) : 0;
        drop_in_block(f, &all->v[v.ix], &v.known);
        for (unsigned i = 0; i < n; i++) {
            LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
            uint64_t ix;
            if (burl_ir_n_predecessors(next) != 1 || !burl_map_get_ptr(map, next, &ix))
                continue;
            v.ix = ix;
            BURL_VEC_PUSH(&todo, v);
        }
    }
    BURL_VEC_FREE(&todo);
}

/*
 * An access needs no hook when the same thread has accessed the same place, in a way at least as
 * strong, on every way that leads here and with no call or atomic operation since: the two lie in
 * one stretch of the run, and whatever races with the second races with the first. "Every way" is a
 * chain of blocks with one predecessor each, in which a value is computed only once.
 * For location pairs the first represents both; the default profile distinguishes them.
 */
static void
drop_repeated(struct finish *f, struct places *all)
{
    struct burl_map map = { 0 };

    for (size_t i = 0; i < all->n; i++)
        burl_map_set_ptr(&map, all->v[i].block, i);
    for (size_t i = 0; i < all->n; i++) {
        if (i == 0 || burl_ir_n_predecessors(all->v[i].block) != 1)
            drop_from(f, &map, all, i);
    }
    burl_map_deinit(&map);
}

static void
plan_function(struct finish *f, LLVMValueRef fn, uint32_t func_ix)
{
    struct places all = { 0 };

    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
        struct place *p = BURL_VEC_ADD(&all);
        p->block = b;
        p->first = f->jobs.n;
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            plan_inst(f, i, func_ix);
        p->end = f->jobs.n;
        drop_reads_before_writes(f, b, p->first);
    }
    drop_repeated(f, &all);
    BURL_VEC_FREE(&all);
}

/* The location with real lines in it and in everything it was inlined at. */
static LLVMMetadataRef
real_location(struct finish *f, LLVMMetadataRef loc, int depth)
{
    uint64_t known;
    LLVMMetadataRef at, scope;

    if (!loc || depth > 200)
        return loc;
    if (burl_map_get_ptr(&f->real, loc, &known))
        return (LLVMMetadataRef)(uintptr_t)known;
    unsigned line = LLVMDILocationGetLine(loc);
    unsigned column = LLVMDILocationGetColumn(loc);
    at = real_location(f, LLVMDILocationGetInlinedAt(loc), depth + 1);
    scope = LLVMDILocationGetScope(loc);
    LLVMMetadataRef real = loc;
    bool encoded = (line & LINE_MARK) != 0;
    if (encoded) {
        uint32_t ix = line & ~LINE_MARK;
        bool has_line = ix < f->n_canonical && f->in->sites.v[ix].desc.column;
        line = has_line ? f->in->sites.v[ix].desc.line : 0;
        column = has_line ? f->in->sites.v[ix].desc.column : 0;
    }
    /* inlinedAt locations are distinct nodes; a uniqued copy is enough once nothing inlines. */
    if (encoded || at != LLVMDILocationGetInlinedAt(loc))
        real = LLVMDIBuilderCreateDebugLocation(f->in->ctx, line, column, scope, at);
    burl_map_set_ptr(&f->real, loc, (uint64_t)(uintptr_t)real);
    return real;
}

static void
restore_locations(struct finish *f, LLVMValueRef fn)
{
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i)) {
        LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
        LLVMMetadataRef real = real_location(f, loc, 0);
        if (real != loc)
            LLVMInstructionSetDebugLoc(i, real);
    }
}

static void
plan_module(struct finish *f)
{
    f->seen = burl_xcalloc(f->in->sites.n + 1, sizeof *f->seen);
    for (LLVMValueRef fn = LLVMGetFirstFunction(f->in->mod); fn; fn = LLVMGetNextFunction(fn))
        note_seen(f, fn);
    for (LLVMValueRef fn = LLVMGetFirstFunction(f->in->mod); fn; fn = LLVMGetNextFunction(fn)) {
        uint32_t func_ix = burl_ir_func_site(fn);
        if (func_ix >= f->n_canonical || !burl__instr_is_chosen(f->in, fn))
            continue;
        plan_function(f, fn, func_ix);
    }
}

static void
hook_module(struct finish *f)
{
    struct burl__instr *in = f->in;
    unsigned kind = LLVMGetEnumAttributeKindForName("sanitize_thread", 15);

    for (LLVMValueRef fn = LLVMGetFirstFunction(in->mod); fn; fn = LLVMGetNextFunction(fn))
        restore_locations(f, fn);
    for (size_t i = 0; i < f->jobs.n; i++)
        burl__instr_hook_ops(in, f->jobs.v[i].inst, f->jobs.v[i].ops, f->jobs.v[i].ix,
                             f->jobs.v[i].n);
    for (LLVMValueRef fn = LLVMGetFirstFunction(in->mod); fn; fn = LLVMGetNextFunction(fn)) {
        uint32_t func_ix = burl_ir_func_site(fn);
        LLVMRemoveEnumAttributeAtIndex(fn, BURL_IR_FN_ATTRS, kind);
        LLVMRemoveStringAttributeAtIndex(fn, BURL_IR_FN_ATTRS, BURL_IR_ATTR_FUNC,
                                         strlen(BURL_IR_ATTR_FUNC));
        if (!f->copies && func_ix < f->n_canonical && burl__instr_is_chosen(in, fn))
            burl__instr_hook_function(in, fn, func_ix);
    }
    burl_map_deinit(&f->real);
    BURL_VEC_FREE(&f->jobs);
    free(f->seen);
}

void
burl__instr_late_finish(struct burl__instr *in)
{
    struct finish f = { .in = in, .n_canonical = in->sites.n };

    plan_module(&f);
    burl__instr_emit_array(in);
    hook_module(&f);
}

void
burl__instr_late_finish_copies(struct burl__instr *in)
{
    struct finish f = { .in = in, .n_canonical = in->sites.n, .copies = true };

    plan_module(&f);
    hook_module(&f);
}
