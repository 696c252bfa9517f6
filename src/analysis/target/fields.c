/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/fields.c - names of struct members, from the debug information in the bitcode.
 *
 * Runs in burl-analyze. LLVM's types have names and offsets but no names of members. Debug types
 * have them, and are found again by the name and size of the struct; two structs of one name and
 * size in different files may lend each other a member's name. Only people read these names, so
 * nothing is lost where none is found: templates, types of code compiled without debug information.
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/target/sp_int.h"
#include "ir/ditype.h"

/* Scopes and members nest, but deeper than this is damage, not a program. */
enum { MAX_DEPTH = 16 };

struct known {
    char *name; /* "ns::queue" */
    uint64_t size_b;
    LLVMMetadataRef type;
};

struct burl__fields {
    LLVMContextRef ctx;
    struct burl_valmap seen;
    BURL_VEC(LLVMMetadataRef) todo;
    BURL_VEC(struct known) all;
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
is_record(const struct burl__fields *f, LLVMMetadataRef md)
{
    return LLVMGetMetadataKind(md) == LLVMDICompositeTypeMetadataKind &&
           burl_di_is_record(f->ctx, md);
}

/* ---- all structs of the program ---- */

static char *
qualified_name(const struct burl__fields *f, LLVMMetadataRef type, const char *name)
{
    char *text = burl_xstrdup(name);
    LLVMMetadataRef scope = burl_di_operand(f->ctx, type, BURL_DI_SCOPE);

    for (int i = 0; scope && i < MAX_DEPTH; i++) {
        bool space = LLVMGetMetadataKind(scope) == LLVMDINamespaceMetadataKind;
        if (!space && !is_record(f, scope))
            break;
        char *longer = burl_xasprintf("%s::%s", burl_di_string(f->ctx, scope, BURL_DI_NAME), text);
        free(text);
        text = longer;
        scope = burl_di_operand(f->ctx, scope, BURL_DI_SCOPE);
    }
    return text;
}

static void
add_known(struct burl__fields *f, LLVMMetadataRef named, LLVMMetadataRef type)
{
    const char *name = burl_di_string(f->ctx, named, BURL_DI_NAME);
    uint64_t bits = LLVMDITypeGetSizeInBits(type);

    if (!*name || bits == 0 || !burl_di_operand(f->ctx, type, BURL_DI_ELEMENTS))
        return;
    struct known *k = BURL_VEC_ADD(&f->all);
    k->name = qualified_name(f, named, name);
    k->size_b = bits / 8;
    k->type = type;
}

static void
reach_type(struct burl__fields *f, LLVMMetadataRef md)
{
    if (md && burl_valmap_add(&f->seen, md))
        BURL_VEC_PUSH(&f->todo, md);
}

static void
walk_types(struct burl__fields *f)
{
    while (f->todo.n > 0) {
        LLVMMetadataRef md = f->todo.v[--f->todo.n];
        unsigned n;
        LLVMValueRef *v = burl_di_operands(f->ctx, md, &n);
        for (unsigned i = n; i-- > 0;)
            reach_type(f, node_of(v[i]));
        free(v);
        if (is_record(f, md)) {
            add_known(f, md, md);
        } else if (burl_di_tag(md) == BURL_DI_TYPEDEF) {
            LLVMMetadataRef t = burl_di_strip(f->ctx, md); /* typedef struct { ... } name; */
            if (burl_di_is_record(f->ctx, t) && !*burl_di_string(f->ctx, t, BURL_DI_NAME))
                add_known(f, md, t);
        }
    }
}

static void
reach_function(struct burl__fields *f, LLVMValueRef fn)
{
    reach_type(f, LLVMGetSubprogram(fn));
    for (LLVMValueRef i = burl_ir_first(fn); i; i = burl_ir_next(i))
        if (LLVMIsADbgVariableIntrinsic(i))
            reach_type(f, node_of(LLVMGetOperand(i, 1)));
    walk_types(f);
}

static void
reach_units(struct burl__fields *f, LLVMModuleRef mod)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(mod, "llvm.dbg.cu");
    LLVMValueRef *v = burl_xcalloc((size_t)n + 1, sizeof *v);

    LLVMGetNamedMetadataOperands(mod, "llvm.dbg.cu", v);
    for (unsigned i = 0; i < n; i++)
        reach_type(f, node_of(v[i]));
    free(v);
    walk_types(f);
}

static struct burl__fields *
gather_records(const struct burl__sp *sp)
{
    struct burl__fields *f = burl_xcalloc(1, sizeof *f);

    f->ctx = sp->p->ctx;
    for (size_t m = 0; m < sp->p->modules.n; m++)
        reach_units(f, sp->p->modules.v[m].mod);
    for (size_t i = 0; i < sp->p->functions.n; i++)
        reach_function(f, sp->p->functions.v[i]);
    burl_valmap_deinit(&f->seen);
    BURL_VEC_FREE(&f->todo);
    return f;
}

/* ---- one member ---- */

/* Down to what is no larger than max_b; false when nothing starts at `off`. */
static bool
put_member(const struct burl__fields *f, LLVMMetadataRef record, uint64_t off, uint64_t max_b,
           struct burl_buf *out)
{
    for (int depth = 0; depth < MAX_DEPTH && burl_di_is_record(f->ctx, record); depth++) {
        LLVMMetadataRef m = burl_di_member(f->ctx, record, &off, 0);
        if (!m)
            return false;
        const char *name = burl_di_string(f->ctx, m, BURL_DI_NAME);
        if (burl_di_tag(m) == BURL_DI_MEMBER && *name)
            burl_buf_printf(out, "%s%s", out->n ? "." : "", name);
        record = burl_di_operand(f->ctx, m, BURL_DI_BASE);
        LLVMMetadataRef element = burl_di_array_element(f->ctx, record);
        uint64_t size = burl_di_size_b(f->ctx, element ? element : record);
        if (element) {
            record = element;
            off = size ? off % size : 0;
            burl_buf_str_append(out, "[]");
        }
        if (off == 0 && size <= max_b)
            return out->n > 0;
    }
    return false;
}

char *
burl__sp_field_name(struct burl__sp *sp, LLVMTypeRef t, uint64_t off_b, uint64_t max_b)
{
    char *type = burl__struct_name(t);
    const char *space = strchr(type, ' ');
    const char *name = space ? space + 1 : type;
    uint64_t size_b = LLVMABISizeOfType(sp->p->td, t);
    char *text = NULL;

    if (!sp->fields)
        sp->fields = gather_records(sp);
    for (size_t i = 0; i < sp->fields->all.n && !text; i++) {
        const struct known *k = &sp->fields->all.v[i];
        struct burl_buf b;
        if (k->size_b != size_b || strcmp(k->name, name) != 0)
            continue;
        burl_buf_init(&b, 512);
        if (put_member(sp->fields, k->type, off_b, max_b, &b))
            text = burl_buf_take(&b, NULL);
        else
            burl_buf_deinit(&b);
    }
    free(type);
    return text;
}
