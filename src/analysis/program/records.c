/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/program/records.c - see records.h. Runs in burl-analyze.
 */
#include "analysis/program/records.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/program/valmap.h"
#include "ir/ditype.h"

/* Scopes nest, but deeper than this is damage, not a program. */
enum { MAX_DEPTH = 16 };

/* All nodes that debug information reaches, each once. */
struct walk {
    struct burl_records *r;
    struct burl_valmap seen;
    BURL_VEC(LLVMMetadataRef) todo;
};

/* The operand as a node; NULL when it is none. */
static LLVMMetadataRef
node_of(LLVMValueRef v)
{
    LLVMMetadataRef md = v && LLVMIsAMDNode(v) ? LLVMValueAsMetadata(v) : NULL;
    LLVMMetadataKind k = md ? LLVMGetMetadataKind(md) : LLVMMDStringMetadataKind;

    return k == LLVMMDStringMetadataKind || k == LLVMConstantAsMetadataMetadataKind ||
                   k == LLVMLocalAsMetadataMetadataKind
               ? NULL
               : md;
}

static bool
is_record(const struct walk *f, LLVMMetadataRef md)
{
    return LLVMGetMetadataKind(md) == LLVMDICompositeTypeMetadataKind &&
           burl_di_is_record(f->r->ctx, md);
}

static char *
qualified_name(const struct walk *f, LLVMMetadataRef type, const char *name)
{
    char *text = burl_xstrdup(name);
    LLVMMetadataRef scope = burl_di_operand(f->r->ctx, type, BURL_DI_SCOPE);

    for (int i = 0; scope && i < MAX_DEPTH; i++) {
        bool space = LLVMGetMetadataKind(scope) == LLVMDINamespaceMetadataKind;
        if (!space && !is_record(f, scope))
            break;
        char *longer =
            burl_xasprintf("%s::%s", burl_di_string(f->r->ctx, scope, BURL_DI_NAME), text);
        free(text);
        text = longer;
        scope = burl_di_operand(f->r->ctx, scope, BURL_DI_SCOPE);
    }
    return text;
}

static void
add_known(struct walk *f, LLVMMetadataRef named, LLVMMetadataRef type)
{
    const char *name = burl_di_string(f->r->ctx, named, BURL_DI_NAME);
    uint64_t bits = LLVMDITypeGetSizeInBits(type);

    if (!*name || bits == 0 || !burl_di_operand(f->r->ctx, type, BURL_DI_ELEMENTS))
        return;
    struct burl_record *k = BURL_VEC_ADD(&f->r->all);
    k->name = qualified_name(f, named, name);
    k->size_b = bits / 8;
    k->type = type;
}

static void
reach_type(struct walk *f, LLVMMetadataRef md)
{
    if (md && burl_valmap_add(&f->seen, md))
        BURL_VEC_PUSH(&f->todo, md);
}

static void
walk_types(struct walk *f)
{
    while (f->todo.n > 0) {
        LLVMMetadataRef md = f->todo.v[--f->todo.n];
        unsigned n;
        LLVMValueRef *v = burl_di_operands(f->r->ctx, md, &n);
        for (unsigned i = n; i-- > 0;)
            reach_type(f, node_of(v[i]));
        free(v);
        if (is_record(f, md)) {
            add_known(f, md, md);
        } else if (burl_di_tag(md) == BURL_DI_TYPEDEF) {
            LLVMMetadataRef t = burl_di_strip(f->r->ctx, md); /* typedef struct { ... } name; */
            if (burl_di_is_record(f->r->ctx, t) && !*burl_di_string(f->r->ctx, t, BURL_DI_NAME))
                add_known(f, md, t);
        }
    }
}

static void
reach_function(struct walk *f, LLVMValueRef fn)
{
    reach_type(f, LLVMGetSubprogram(fn));
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (LLVMIsADbgVariableIntrinsic(i))
            reach_type(f, node_of(LLVMGetOperand(i, 1)));
    walk_types(f);
}

static void
reach_units(struct walk *f, LLVMModuleRef mod)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(mod, "llvm.dbg.cu");
    LLVMValueRef *v = burl_xcalloc((size_t)n + 1, sizeof *v);

    LLVMGetNamedMetadataOperands(mod, "llvm.dbg.cu", v);
    for (unsigned i = 0; i < n; i++)
        reach_type(f, node_of(v[i]));
    free(v);
    walk_types(f);
}

struct burl_records *
burl_records_gather(const struct burl_program *p)
{
    struct burl_records *r = burl_xcalloc(1, sizeof *r);
    struct walk w = { .r = r };

    r->ctx = p->ctx;
    for (size_t m = 0; m < p->modules.n; m++)
        reach_units(&w, p->modules.v[m].mod);
    for (size_t i = 0; i < p->functions.n; i++)
        reach_function(&w, p->functions.v[i]);
    burl_valmap_deinit(&w.seen);
    BURL_VEC_FREE(&w.todo);
    return r;
}

const char *
burl_records_type_name(LLVMTypeRef t, size_t *n)
{
    const char *name = LLVMGetStructName(t);
    const char *dot = name ? strchr(name, '.') : NULL;

    *n = 0;
    if (!dot)
        return NULL;
    name = dot + 1;
    size_t end = strlen(name);
    *n = end;
    /* "struct.queue.12" is the same type in another module. */
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    if (end > 0 && name[end - 1] == '.')
        *n = end - 1;
    return name;
}
