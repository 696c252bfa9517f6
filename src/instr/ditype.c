/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instr/ditype.c - reading LLVM's debug types through the C API.
 *
 * Runs in the compiler. The C API has no accessors for most debug metadata, so
 * operands are taken by position. The positions are LLVM 19's (DebugInfoMetadata.h)
 * and the only thing to look at when LLVM is updated:
 *     DIType            0 file, 1 scope, 2 name
 *     DIDerivedType     3 base type
 *     DICompositeType   3 base type, 4 elements
 *     DISubprogram      1 scope, 2 name, 3 linkage name, 4 type
 *     DISubroutineType  3 types, of which the first is the result
 *     DIVariable        0 scope, 1 name, 3 type
 */
#include <string.h>

#include "instr/instr_int.h"

/* DWARF tags, from the DWARF 5 standard. */
enum {
    TAG_array = 0x01,
    TAG_class = 0x02,
    TAG_member = 0x0d,
    TAG_pointer = 0x0f,
    TAG_reference = 0x10,
    TAG_structure = 0x13,
    TAG_typedef = 0x16,
    TAG_union = 0x17,
    TAG_inheritance = 0x1c,
    TAG_const = 0x26,
    TAG_volatile = 0x35,
    TAG_restrict = 0x37,
    TAG_rvalue_reference = 0x42,
    TAG_template_alias = 0x43,
    TAG_atomic = 0x47
};

enum { OP_NAME = 2, OP_BASE = 3, OP_ELEMENTS = 4 };

/* Types nest, but a chain longer than this is damage, not a program. */
enum { MAX_CHAIN = 32 };

unsigned
burl__di_n_operands(struct burl__instr *in, LLVMMetadataRef md)
{
    return LLVMGetMDNodeNumOperands(LLVMMetadataAsValue(in->ctx, md));
}

/* Types have few operands, but element lists can be long: those come from the heap. */
static LLVMValueRef
operand_value(struct burl__instr *in, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef few[24];
    LLVMValueRef node = LLVMMetadataAsValue(in->ctx, md);
    unsigned n = LLVMGetMDNodeNumOperands(node);

    if (i >= n)
        return NULL;
    if (n <= sizeof few / sizeof *few) {
        LLVMGetMDNodeOperands(node, few);
        return few[i];
    }
    LLVMValueRef *many = burl_xcalloc(n, sizeof *many);
    LLVMGetMDNodeOperands(node, many);
    LLVMValueRef v = many[i];
    free(many);
    return v;
}

LLVMMetadataRef
burl__di_operand(struct burl__instr *in, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef v = operand_value(in, md, i);
    return v ? LLVMValueAsMetadata(v) : NULL;
}

const char *
burl__di_string(struct burl__instr *in, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef v = operand_value(in, md, i);
    unsigned n;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;
    return s ? s : "";
}

static bool
is_type(LLVMMetadataRef md)
{
    if (!md)
        return false;
    LLVMMetadataKind k = LLVMGetMetadataKind(md);
    return k == LLVMDIDerivedTypeMetadataKind || k == LLVMDICompositeTypeMetadataKind ||
           k == LLVMDIBasicTypeMetadataKind || k == LLVMDISubroutineTypeMetadataKind;
}

static unsigned
tag_of(LLVMMetadataRef type)
{
    return is_type(type) ? LLVMGetDINodeTag(type) : 0;
}

LLVMMetadataRef
burl__di_strip(struct burl__instr *in, LLVMMetadataRef type)
{
    for (int i = 0; i < MAX_CHAIN && is_type(type); i++) {
        switch (LLVMGetDINodeTag(type)) {
        case TAG_typedef:
        case TAG_const:
        case TAG_volatile:
        case TAG_restrict:
        case TAG_template_alias:
        case TAG_atomic:
        case TAG_member:
            type = burl__di_operand(in, type, OP_BASE);
            break;
        default:
            return type;
        }
    }
    return NULL;
}

LLVMMetadataRef
burl__di_pointee(struct burl__instr *in, LLVMMetadataRef type, bool *is_reference)
{
    LLVMMetadataRef t = burl__di_strip(in, type);
    unsigned tag = tag_of(t);

    *is_reference = tag == TAG_reference || tag == TAG_rvalue_reference;
    if (!*is_reference && tag != TAG_pointer)
        return NULL;
    return burl__di_operand(in, t, OP_BASE);
}

uint64_t
burl__di_size_b(struct burl__instr *in, LLVMMetadataRef type)
{
    LLVMMetadataRef t = burl__di_strip(in, type);
    return is_type(t) ? LLVMDITypeGetSizeInBits(t) / 8 : 0;
}

LLVMMetadataRef
burl__di_array_element(struct burl__instr *in, LLVMMetadataRef type)
{
    LLVMMetadataRef t = burl__di_strip(in, type);
    return tag_of(t) == TAG_array ? burl__di_operand(in, t, OP_BASE) : NULL;
}

bool
burl__di_is_record(struct burl__instr *in, LLVMMetadataRef type)
{
    unsigned tag = tag_of(burl__di_strip(in, type));
    return tag == TAG_structure || tag == TAG_class || tag == TAG_union;
}

/* Whether the element of a record lies in its memory and covers the offset. */
static bool
covers(struct burl__instr *in, LLVMMetadataRef m, uint64_t offset)
{
    unsigned tag = tag_of(m);

    if (tag != TAG_member && tag != TAG_inheritance)
        return false;
    if (LLVMDITypeGetFlags(m) & LLVMDIFlagStaticMember)
        return false;
    uint64_t from = LLVMDITypeGetOffsetInBits(m) / 8;
    uint64_t n = burl__di_size_b(in, m);
    /* A flexible array member has no size. */
    return offset >= from && offset - from < (n ? n : UINT64_MAX);
}

LLVMMetadataRef
burl__di_member(struct burl__instr *in, LLVMMetadataRef type, uint64_t *offset, uint64_t want_b)
{
    LLVMMetadataRef t = burl__di_strip(in, type);
    LLVMMetadataRef list = is_type(t) ? burl__di_operand(in, t, OP_ELEMENTS) : NULL;
    bool is_union = tag_of(t) == TAG_union;
    LLVMMetadataRef best = NULL;

    if (!list || !burl__di_is_record(in, t))
        return NULL;
    unsigned n = burl__di_n_operands(in, list);
    LLVMValueRef *elements = burl_xcalloc(n + 1, sizeof *elements);
    LLVMGetMDNodeOperands(LLVMMetadataAsValue(in->ctx, list), elements);
    /* Members first: a derived class may lie in the padding at the end of its base. */
    for (int pass = 0; pass < 2 && !best; pass++) {
        for (unsigned i = 0; i < n; i++) {
            LLVMMetadataRef m = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
            if (!is_type(m) || (tag_of(m) == TAG_inheritance) != (pass == 1) ||
                !covers(in, m, *offset))
                continue;
            if (!best)
                best = m;
            if (is_union && burl__di_size_b(in, m) != want_b)
                continue;
            best = m;
            break;
        }
    }
    free(elements);
    if (best)
        *offset -= LLVMDITypeGetOffsetInBits(best) / 8;
    return best;
}

const char *
burl__di_subprogram_file(LLVMMetadataRef scope)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned n;
    const char *s = file ? LLVMDIFileGetFilename(file, &n) : NULL;
    return s ? s : "";
}

static bool
names_scope(LLVMMetadataRef md)
{
    LLVMMetadataKind k = LLVMGetMetadataKind(md);
    return k == LLVMDINamespaceMetadataKind || k == LLVMDICompositeTypeMetadataKind ||
           k == LLVMDISubprogramMetadataKind;
}

void
burl__di_qualified_name(struct burl__instr *in, LLVMMetadataRef sp, struct burl_buf *out)
{
    LLVMMetadataRef chain[MAX_CHAIN];
    int n = 0;

    for (LLVMMetadataRef s = sp; s && n < MAX_CHAIN; s = burl__di_operand(in, s, 1)) {
        LLVMMetadataKind k = LLVMGetMetadataKind(s);
        if (names_scope(s))
            chain[n++] = s;
        else if (k != LLVMDILexicalBlockMetadataKind && k != LLVMDILexicalBlockFileMetadataKind)
            break;
    }
    while (n-- > 0) {
        const char *name = burl__di_string(in, chain[n], OP_NAME);
        if (out->n)
            burl_buf_str_append(out, "::");
        burl_buf_str_append(out, *name ? name : "(anonymous)");
    }
}
