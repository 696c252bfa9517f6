/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/fields.c - names of struct members, from the debug information in the bitcode.
 *
 * Runs in burl-analyze. LLVM's types have names and offsets but no names of members. Debug types
 * have them, and are found again by the name and size of the struct; two structs of one name and
 * size in different files may lend each other a member's name. Only people read these names, so
 * nothing is lost where none is found: templates, types of code compiled without debug information.
 *
 * The C API has no accessors for most debug metadata, so operands are taken by position, LLVM 19's:
 *     DIType            0 file, 1 scope, 2 name
 *     DIDerivedType     3 base type
 *     DICompositeType   3 base type, 4 elements
 *     DINamespace       1 scope, 2 name
 */
#include <llvm-c/DebugInfo.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/target/sp_int.h"

/* DWARF tags, from the DWARF 5 standard. */
enum {
    TAG_array = 0x01,
    TAG_class = 0x02,
    TAG_member = 0x0d,
    TAG_structure = 0x13,
    TAG_typedef = 0x16,
    TAG_union = 0x17,
    TAG_inheritance = 0x1c,
    TAG_const = 0x26,
    TAG_volatile = 0x35,
    TAG_atomic = 0x47
};

enum { OP_SCOPE = 1, OP_NAME = 2, OP_BASE = 3, OP_ELEMENTS = 4 };

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
    struct {
        BURL_VEC_OF(LLVMMetadataRef);
    } todo;
    struct {
        BURL_VEC_OF(struct known);
    } all;
};

static LLVMValueRef *
operands(const struct burl__fields *f, LLVMMetadataRef md, unsigned *n)
{
    LLVMValueRef node = LLVMMetadataAsValue(f->ctx, md);

    *n = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *v = burl_xcalloc((size_t)*n + 1, sizeof *v);
    LLVMGetMDNodeOperands(node, v);
    return v;
}

static LLVMValueRef
operand(const struct burl__fields *f, LLVMMetadataRef md, unsigned i)
{
    unsigned n;
    LLVMValueRef *v = operands(f, md, &n);
    LLVMValueRef x = i < n ? v[i] : NULL;

    free(v);
    return x;
}

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

static const char *
string_at(const struct burl__fields *f, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef v = operand(f, md, i);
    unsigned n;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;

    return s ? s : "";
}

static unsigned
tag_of(LLVMMetadataRef md)
{
    LLVMMetadataKind k = md ? LLVMGetMetadataKind(md) : LLVMMDStringMetadataKind;

    return k == LLVMDIDerivedTypeMetadataKind || k == LLVMDICompositeTypeMetadataKind
               ? LLVMGetDINodeTag(md)
               : 0;
}

static bool
is_record(LLVMMetadataRef md)
{
    unsigned tag = tag_of(md);

    return tag == TAG_structure || tag == TAG_class || tag == TAG_union;
}

static LLVMMetadataRef
strip(const struct burl__fields *f, LLVMMetadataRef t)
{
    for (int i = 0; i < MAX_DEPTH; i++) {
        unsigned tag = tag_of(t);
        if (tag != TAG_typedef && tag != TAG_const && tag != TAG_volatile && tag != TAG_atomic &&
            tag != TAG_member && tag != TAG_inheritance)
            return t;
        t = node_of(operand(f, t, OP_BASE));
    }
    return NULL;
}

/* ---- all structs of the program ---- */

static char *
qualified_name(const struct burl__fields *f, LLVMMetadataRef type, const char *name)
{
    char *text = burl_xstrdup(name);
    LLVMMetadataRef scope = node_of(operand(f, type, OP_SCOPE));

    for (int i = 0; scope && i < MAX_DEPTH; i++) {
        bool space = LLVMGetMetadataKind(scope) == LLVMDINamespaceMetadataKind;
        if (!space && !is_record(scope))
            break;
        char *longer = burl_xasprintf("%s::%s", string_at(f, scope, OP_NAME), text);
        free(text);
        text = longer;
        scope = node_of(operand(f, scope, OP_SCOPE));
    }
    return text;
}

static void
add_known(struct burl__fields *f, LLVMMetadataRef named, LLVMMetadataRef type)
{
    const char *name = string_at(f, named, OP_NAME);
    uint64_t bits = LLVMDITypeGetSizeInBits(type);

    if (!*name || bits == 0 || !node_of(operand(f, type, OP_ELEMENTS)))
        return;
    struct known *k = BURL_VEC_ADD(&f->all);
    k->name = qualified_name(f, named, name);
    k->size_b = bits / 8;
    k->type = type;
}

static void
reach(struct burl__fields *f, LLVMMetadataRef md)
{
    uint32_t unused;

    if (!md || burl_valmap_get(&f->seen, md, &unused))
        return;
    burl_valmap_set(&f->seen, md, 1);
    BURL_VEC_PUSH(&f->todo, md);
}

static void
walk(struct burl__fields *f)
{
    while (f->todo.n > 0) {
        LLVMMetadataRef md = f->todo.v[--f->todo.n];
        unsigned n;
        LLVMValueRef *v = operands(f, md, &n);
        for (unsigned i = n; i-- > 0;)
            reach(f, node_of(v[i]));
        free(v);
        if (is_record(md)) {
            add_known(f, md, md);
        } else if (tag_of(md) == TAG_typedef) {
            LLVMMetadataRef t = strip(f, md); /* typedef struct { ... } name; */
            if (is_record(t) && !*string_at(f, t, OP_NAME))
                add_known(f, md, t);
        }
    }
}

static void
reach_function(struct burl__fields *f, LLVMValueRef fn)
{
    reach(f, LLVMGetSubprogram(fn));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsADbgVariableIntrinsic(i))
                reach(f, node_of(LLVMGetOperand(i, 1)));
    walk(f);
}

static void
reach_units(struct burl__fields *f, LLVMModuleRef mod)
{
    unsigned n = LLVMGetNamedMetadataNumOperands(mod, "llvm.dbg.cu");
    LLVMValueRef *v = burl_xcalloc((size_t)n + 1, sizeof *v);

    LLVMGetNamedMetadataOperands(mod, "llvm.dbg.cu", v);
    for (unsigned i = 0; i < n; i++)
        reach(f, node_of(v[i]));
    free(v);
    walk(f);
}

static struct burl__fields *
gather(const struct burl__sp *sp)
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

void
burl__sp_free_fields(struct burl__sp *sp)
{
    if (!sp->fields)
        return;
    for (size_t i = 0; i < sp->fields->all.n; i++)
        free(sp->fields->all.v[i].name);
    BURL_VEC_FREE(&sp->fields->all);
    free(sp->fields);
    sp->fields = NULL;
}

/* ---- one member ---- */

/* The member (base class) that holds byte `off` of a record. */
static LLVMMetadataRef
member_at(const struct burl__fields *f, LLVMMetadataRef record, uint64_t off)
{
    LLVMMetadataRef list = node_of(operand(f, record, OP_ELEMENTS)), found = NULL;
    unsigned n = 0;
    LLVMValueRef *v = list ? operands(f, list, &n) : NULL;

    for (unsigned i = 0; i < n && !found; i++) {
        LLVMMetadataRef m = node_of(v[i]);
        unsigned tag = tag_of(m);
        if (tag != TAG_member && tag != TAG_inheritance)
            continue;
        LLVMMetadataRef base = node_of(operand(f, m, OP_BASE));
        uint64_t at = LLVMDITypeGetOffsetInBits(m) / 8;
        uint64_t bits = LLVMDITypeGetSizeInBits(m);
        if (bits == 0 && tag == TAG_inheritance && base)
            bits = LLVMDITypeGetSizeInBits(base);
        if (!(LLVMDITypeGetFlags(m) & LLVMDIFlagStaticMember) && off >= at && off < at + bits / 8)
            found = m;
    }
    free(v);
    return found;
}

/* Down to what is no larger than max_b; false when nothing starts at `off`. */
static bool
descend(const struct burl__fields *f, LLVMMetadataRef record, uint64_t off, uint64_t max_b,
        struct burl_buf *out)
{
    for (int depth = 0; depth < MAX_DEPTH; depth++) {
        LLVMMetadataRef m = member_at(f, record, off);
        if (!m)
            return false;
        off -= LLVMDITypeGetOffsetInBits(m) / 8;
        if (tag_of(m) == TAG_member && *string_at(f, m, OP_NAME))
            burl_buf_printf(out, "%s%s", out->n ? "." : "", string_at(f, m, OP_NAME));
        LLVMMetadataRef t = strip(f, m);
        uint64_t size = t ? LLVMDITypeGetSizeInBits(t) / 8 : 0;
        if (tag_of(t) == TAG_array) {
            t = strip(f, node_of(operand(f, t, OP_BASE)));
            size = t ? LLVMDITypeGetSizeInBits(t) / 8 : 0;
            off = size ? off % size : 0;
            burl_buf_str_append(out, "[]");
        }
        if (off == 0 && size <= max_b)
            return out->n > 0;
        if (!t || !is_record(t))
            return false;
        record = t;
    }
    return false;
}

char *
burl__sp_field_name(struct burl__sp *sp, LLVMTypeRef t, uint64_t off_b, uint64_t max_b)
{
    char *type = burl__struct_name(t);
    const char *space = strchr(type, ' ');
    const char *name = space ? space + 1 : type;
    uint64_t size_b = LLVMABISizeOfType(sp->p->modules.v[0].td, t);
    char *text = NULL;

    if (!sp->fields)
        sp->fields = gather(sp);
    for (size_t i = 0; i < sp->fields->all.n && !text; i++) {
        const struct known *k = &sp->fields->all.v[i];
        struct burl_buf b;
        if (k->size_b != size_b || strcmp(k->name, name) != 0)
            continue;
        burl_buf_init(&b, 512);
        if (descend(sp->fields, k->type, off_b, max_b, &b))
            text = burl_buf_take(&b, NULL);
        else
            burl_buf_deinit(&b);
    }
    free(type);
    return text;
}
