/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/impact/words.c - names and places for people, and the list of functions that differ.
 *
 * Runs in burl-analyze. Names of locals come from the debug intrinsics that bind values to
 * variables, names of members from the debug types. Only people read them.
 */
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/impact/impact_int.h"
#include "base/demangle.h"
#include "ir/ditype.h"

enum { MAX_DEPTH = 6, MAX_LOCK_B = 64, MAX_WHAT_B = 600 };

static bool put_place(struct burl__side *s, LLVMValueRef addr, struct burl_buf *out, int depth);

const char *
burl__variable_of(const struct burl__side *s, LLVMValueRef v)
{
    for (LLVMValueRef i = burl_ir_first(burl_ir_function(v)); i; i = burl_ir_next(i)) {
        LLVMValueRef bound = NULL;
        LLVMValueRef wrapped = LLVMIsADbgVariableIntrinsic(i) ? LLVMGetOperand(i, 0) : NULL;
        if (!wrapped || LLVMGetMDNodeNumOperands(wrapped) != 1)
            continue;
        LLVMGetMDNodeOperands(wrapped, &bound);
        if (bound == v)
            return burl_di_string(s->p->ctx, LLVMValueAsMetadata(LLVMGetOperand(i, 1)),
                                  BURL_DI_VAR_NAME);
    }
    return "";
}

static bool
put_value(struct burl__side *s, LLVMValueRef v, struct burl_buf *out, int depth)
{
    if (depth > MAX_DEPTH || (!LLVMIsAInstruction(v) && !LLVMIsAArgument(v)))
        return false;
    const char *name = burl__variable_of(s, v);
    if (*name && !LLVMIsAAllocaInst(v)) {
        burl_buf_str_append(out, name);
        return true;
    }
    return LLVMIsALoadInst(v) && put_place(s, LLVMGetOperand(v, 0), out, depth + 1);
}

static bool
is_object(LLVMValueRef v)
{
    return LLVMIsAGlobalVariable(v) || LLVMIsAAllocaInst(v) || burl_ir_is_gep(v);
}

static bool
put_member(struct burl__side *s, LLVMValueRef gep, struct burl_buf *out, int depth)
{
    LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
    LLVMValueRef base = LLVMGetOperand(gep, 0);
    struct burl_ir_steps steps;
    int64_t off;
    bool indexed = burl_ir_gep(s->p->td, gep, &off, &steps);
    char *field = !indexed && LLVMGetTypeKind(t) == LLVMStructTypeKind && off >= 0
                      ? burl__sp_field_name(s->names, t, (uint64_t)off, MAX_LOCK_B)
                      : NULL;
    bool known =
        is_object(base) ? put_place(s, base, out, depth + 1) : put_value(s, base, out, depth + 1);

    if (!known && field) {
        char *type = burl__struct_name(t);
        burl_buf_printf(out, "%s of %s", field, type);
        free(type);
        known = true;
    } else if (known && field) {
        burl_buf_printf(out, "%s%s", is_object(base) ? "." : "->", field);
    } else if (known && !field && indexed) {
        burl_buf_str_append(out, "[]");
    }
    free(field);
    return known;
}

/* The memory at an address. */
static bool
put_place(struct burl__side *s, LLVMValueRef addr, struct burl_buf *out, int depth)
{
    if (depth > MAX_DEPTH)
        return false;
    if (burl_ir_is_gep(addr))
        return put_member(s, addr, out, depth);
    if (LLVMIsAGlobalVariable(addr)) {
        LLVMTypeRef t = LLVMGlobalGetValueType(addr);
        char *name = burl__sp_global_name(addr);
        char *field = LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMTypeIsSized(t) &&
                              depth == 0 && LLVMABISizeOfType(s->p->td, t) > MAX_LOCK_B
                          ? burl__sp_field_name(s->names, t, 0, MAX_LOCK_B)
                          : NULL;
        burl_buf_printf(out, "%s%s%s", name, field ? "." : "", field ? field : "");
        free(field);
        free(name);
        return true;
    }
    if (LLVMIsAAllocaInst(addr)) {
        const char *name = burl__variable_of(s, addr);
        burl_buf_str_append(out, name);
        return *name != '\0';
    }
    size_t n = out->n;
    burl_buf_str_append(out, "*");
    if (put_value(s, addr, out, depth + 1))
        return true;
    burl_buf_truncate(out, n);
    return false;
}

char *
burl__pointer_name(struct burl__side *s, LLVMValueRef ptr, const char *unknown)
{
    struct burl_buf b;

    burl_buf_init(&b, 300);
    if (!ptr || !put_place(s, ptr, &b, 0) || b.n == 0) {
        burl_buf_clear(&b);
        burl_buf_str_append(&b, unknown);
    }
    return burl_buf_take(&b, NULL);
}

char *
burl__place_name(const struct burl__side *s, LLVMValueRef inst)
{
    unsigned n = 0, line = LLVMGetDebugLocLine(inst);
    const char *file = line ? LLVMGetDebugLocFilename(inst, &n) : NULL;

    if (!file || n == 0)
        return burl_xstrdup(burl__sp_function_name(s->names, burl_ir_function(inst)));
    char *path = burl_xstrndup(file, n);
    const char *slash = strrchr(path, '/');
    char *text = burl_xasprintf("%s:%u", slash ? slash + 1 : path, line);
    free(path);
    return text;
}

/* ---- functions that differ ---- */

static void
name_function(struct burl__side *s, LLVMValueRef fn, struct burl_changes_function *out)
{
    LLVMMetadataRef sub = LLVMGetSubprogram(fn);
    struct burl_buf name = BURL_BUF_INIT;

    if (sub) {
        burl_di_qualified_name(s->p->ctx, sub, &name);
        out->file = burl_xstrdup(burl_di_file(sub));
        out->line = LLVMDISubprogramGetLine(sub);
    }
    out->name = name.n ? burl_buf_take(&name, NULL) : burl_demangle(burl_ir_name(fn));
    burl_buf_deinit(&name);
    uint32_t module = burl_program_module_of(s->p, fn);
    if (!out->file)
        out->file = burl_xstrdup(s->p->modules.v[module].name);
    out->module_hash = s->p->modules.v[module].hash;
    out->site = burl_ir_func_site(fn);
}

static void
put_what(struct burl_buf *out, const char *text)
{
    if (out->n + strlen(text) < MAX_WHAT_B && !strstr(burl_buf_str(out), text))
        burl_buf_printf(out, "%s%s", out->n ? "; " : "", text);
}

static bool
is_access(LLVMValueRef i)
{
    return LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
           LLVMIsAAtomicCmpXchgInst(i);
}

static void
put_counts(const struct burl__impact *im, const struct burl_diff_function *f, struct burl_buf *out)
{
    size_t added = 0, removed = 0, changed = 0;
    char text[64];

    for (LLVMValueRef i = burl_ir_first(f->is); i; i = burl_ir_next(i)) {
        uint32_t first;
        if (!burl__is_changed(im, &im->is, i) || !burl__first_access(im, i, &first))
            continue;
        if (burl_diff_counterpart(im->d, i))
            changed++;
        else
            added++;
    }
    for (LLVMValueRef i = burl_ir_first(f->was); i; i = burl_ir_next(i))
        removed += burl__is_changed(im, &im->was, i) && !burl_diff_counterpart(im->d, i) &&
                   is_access(i) && burl_program_site_of(im->was.p, i) != UINT32_MAX;
    struct {
        size_t n;
        const char *how;
    } all[] = { { added, "added" }, { changed, "changed" }, { removed, "removed" } };
    for (int i = 0; i < 3; i++) {
        if (all[i].n == 0)
            continue;
        snprintf(text, sizeof text, "%zu access%s %s", all[i].n, all[i].n == 1 ? "" : "es",
                 all[i].how);
        put_what(out, text);
    }
}

/* The causes in it, dependence last: of these the place of the first says enough. */
static void
put_causes(const struct burl__impact *im, const struct burl_diff_function *f, struct burl_buf *out)
{
    for (int last = 0; last < 2; last++) {
        for (size_t i = 0; i < im->causes.n; i++) {
            const struct burl__cause *c = &im->causes.v[i];
            bool slice = c->rule == BURL_RULE_SLICE;
            if (!c->fn || (c->fn != f->is && c->fn != f->was) || c->rule == BURL_RULE_ACCESS ||
                slice != (last == 1) || (slice && !c->used) || strstr(c->text, "depends on: "))
                continue;
            put_what(out, c->text);
            if (slice)
                break;
        }
    }
}

static void
describe(struct burl__impact *im, const struct burl_diff_function *f,
         struct burl_changes_function *out)
{
    struct burl_buf what = BURL_BUF_INIT;
    struct burl_changes_function old = { 0 };

    name_function(f->is ? &im->is : &im->was, f->is ? f->is : f->was, out);
    if (!f->was || !f->is) {
        out->state = f->is ? BURL_CHANGES_ADDED : BURL_CHANGES_REMOVED;
        put_what(&what, f->is ? "function added" : "function removed");
    } else if (f->moved) {
        out->state = BURL_CHANGES_MOVED;
        name_function(&im->was, f->was, &old);
        burl_buf_printf(&what, "was %s in %s", old.name, old.file);
        free(old.name);
        free(old.file);
    } else {
        out->state = BURL_CHANGES_CHANGED;
        put_causes(im, f, &what);
        put_counts(im, f, &what);
        if (what.n == 0)
            put_what(&what, "changed, without effect on what threads share");
    }
    out->what = burl_buf_take(&what, NULL);
}

struct entry {
    struct burl_changes_function f;
    LLVMValueRef is, was;
};

static int
compare_entry(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int by = strcmp(x->f.file, y->f.file);

    if (by == 0 && x->f.line != y->f.line)
        by = x->f.line < y->f.line ? -1 : 1;
    if (by == 0)
        by = strcmp(x->f.name, y->f.name);
    return by ? by : (int)x->f.state - (int)y->f.state;
}

void
burl__list_functions(struct burl__impact *im)
{
    BURL_VEC(struct entry) list = { 0 };

    for (size_t i = 0; i < im->d->functions.n; i++) {
        const struct burl_diff_function *f = &im->d->functions.v[i];
        /* Instances of the C++ library come and go with what uses them. */
        if ((f->equal && !f->moved) || burl_libfn_is_cxx(burl_ir_name(f->is ? f->is : f->was)))
            continue;
        struct entry *e = BURL_VEC_ADD(&list);
        e->is = f->is;
        e->was = f->was;
        describe(im, f, &e->f);
    }
    if (list.n > 1)
        qsort(list.v, list.n, sizeof *list.v, compare_entry);
    for (size_t i = 0; i < list.n; i++) {
        BURL_VEC_PUSH(&im->c->functions, list.v[i].f);
        if (list.v[i].is)
            burl_valmap_set(&im->function_ix, list.v[i].is, (uint32_t)i);
        if (list.v[i].was)
            burl_valmap_set(&im->function_ix, list.v[i].was, (uint32_t)i);
    }
    BURL_VEC_FREE(&list);
}

uint32_t
burl__function_number(const struct burl__impact *im, LLVMValueRef fn)
{
    uint32_t ix;

    return fn && burl_valmap_get(&im->function_ix, fn, &ix) ? ix : UINT32_MAX;
}
