/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ir/ditype.c - reading LLVM's debug types through the C API. Runs in the compiler and in
 * burl-analyze.
 *
 * The C API has no accessors for most debug metadata, so operands are taken by position. The
 * positions are LLVM 19's (DebugInfoMetadata.h) and the only thing to look at when LLVM is updated:
 *     DIType            0 file, 1 scope, 2 name
 *     DIDerivedType     3 base type
 *     DICompositeType   3 base type, 4 elements
 *     DINamespace       1 scope, 2 name
 *     DISubprogram      1 scope, 2 name, 3 linkage name, 4 type
 *     DISubroutineType  3 types, of which the first is the result
 *     DIVariable        0 scope, 1 name, 3 type
 */
#include "ir/ditype.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

/* Types nest, but a chain longer than this is damage, not a program. */
enum { MAX_CHAIN = 32 };

LLVMValueRef *
burl_di_operands(LLVMContextRef ctx, LLVMMetadataRef md, unsigned *n)
{
    LLVMValueRef node = LLVMMetadataAsValue(ctx, md);

    *n = LLVMGetMDNodeNumOperands(node);
    LLVMValueRef *v = burl_xcalloc((size_t)*n + 1, sizeof *v);
    LLVMGetMDNodeOperands(node, v);
    return v;
}

static LLVMValueRef
operand_value(LLVMContextRef ctx, LLVMMetadataRef md, unsigned i)
{
    unsigned n;
    LLVMValueRef *all = burl_di_operands(ctx, md, &n);
    LLVMValueRef v = i < n ? all[i] : NULL;

    free(all);
    return v;
}

LLVMMetadataRef
burl_di_operand(LLVMContextRef ctx, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef v = operand_value(ctx, md, i);

    return v ? LLVMValueAsMetadata(v) : NULL;
}

const char *
burl_di_string(LLVMContextRef ctx, LLVMMetadataRef md, unsigned i)
{
    LLVMValueRef v = operand_value(ctx, md, i);
    unsigned n;
    const char *s = v ? LLVMGetMDString(v, &n) : NULL;

    return s ? s : "";
}

static bool
is_type(LLVMMetadataRef md)
{
    LLVMMetadataKind k = md ? LLVMGetMetadataKind(md) : LLVMMDStringMetadataKind;

    return k == LLVMDIDerivedTypeMetadataKind || k == LLVMDICompositeTypeMetadataKind ||
           k == LLVMDIBasicTypeMetadataKind || k == LLVMDISubroutineTypeMetadataKind;
}

unsigned
burl_di_tag(LLVMMetadataRef type)
{
    return is_type(type) ? LLVMGetDINodeTag(type) : 0;
}

LLVMMetadataRef
burl_di_strip(LLVMContextRef ctx, LLVMMetadataRef type)
{
    for (int i = 0; i < MAX_CHAIN && is_type(type); i++) {
        switch (LLVMGetDINodeTag(type)) {
        case BURL_DI_TYPEDEF:
        case BURL_DI_CONST:
        case BURL_DI_VOLATILE:
        case BURL_DI_RESTRICT:
        case BURL_DI_TEMPLATE_ALIAS:
        case BURL_DI_ATOMIC:
        case BURL_DI_MEMBER:
            type = burl_di_operand(ctx, type, BURL_DI_BASE);
            break;
        default:
            return type;
        }
    }
    return NULL;
}

LLVMMetadataRef
burl_di_pointee(LLVMContextRef ctx, LLVMMetadataRef type, bool *is_reference)
{
    LLVMMetadataRef t = burl_di_strip(ctx, type);
    unsigned tag = burl_di_tag(t);

    *is_reference = tag == BURL_DI_REFERENCE || tag == BURL_DI_RVALUE_REFERENCE;
    return *is_reference || tag == BURL_DI_POINTER ? burl_di_operand(ctx, t, BURL_DI_BASE) : NULL;
}

uint64_t
burl_di_size_b(LLVMContextRef ctx, LLVMMetadataRef type)
{
    LLVMMetadataRef t = burl_di_strip(ctx, type);

    return t ? LLVMDITypeGetSizeInBits(t) / 8 : 0;
}

LLVMMetadataRef
burl_di_array_element(LLVMContextRef ctx, LLVMMetadataRef type)
{
    LLVMMetadataRef t = burl_di_strip(ctx, type);

    return burl_di_tag(t) == BURL_DI_ARRAY ? burl_di_operand(ctx, t, BURL_DI_BASE) : NULL;
}

bool
burl_di_is_record(LLVMContextRef ctx, LLVMMetadataRef type)
{
    unsigned tag = burl_di_tag(burl_di_strip(ctx, type));

    return tag == BURL_DI_STRUCTURE || tag == BURL_DI_CLASS || tag == BURL_DI_UNION;
}

/* Whether the element of a record lies in its memory and covers the offset. */
static bool
covers(LLVMContextRef ctx, LLVMMetadataRef m, uint64_t offset)
{
    if (LLVMDITypeGetFlags(m) & LLVMDIFlagStaticMember)
        return false;
    uint64_t from = LLVMDITypeGetOffsetInBits(m) / 8;
    uint64_t n = burl_di_size_b(ctx, m);
    /* A flexible array member has no size. */
    return offset >= from && offset - from < (n ? n : UINT64_MAX);
}

LLVMMetadataRef
burl_di_member(LLVMContextRef ctx, LLVMMetadataRef type, uint64_t *offset, uint64_t want_b)
{
    LLVMMetadataRef t = burl_di_strip(ctx, type), best = NULL;
    LLVMMetadataRef list =
        burl_di_is_record(ctx, t) ? burl_di_operand(ctx, t, BURL_DI_ELEMENTS) : NULL;
    unsigned n = 0;

    if (!list)
        return NULL;
    LLVMValueRef *elements = burl_di_operands(ctx, list, &n);
    /* Members first: a derived class may lie in the padding at the end of its base. */
    for (int pass = 0; pass < 2 && !best; pass++) {
        for (unsigned i = 0; i < n; i++) {
            LLVMMetadataRef m = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
            if (burl_di_tag(m) != (pass ? BURL_DI_INHERITANCE : BURL_DI_MEMBER) ||
                !covers(ctx, m, *offset))
                continue;
            if (!best)
                best = m;
            if (burl_di_tag(t) == BURL_DI_UNION && burl_di_size_b(ctx, m) != want_b)
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

LLVMMetadataRef
burl_di_member_named(LLVMContextRef ctx, LLVMMetadataRef type, const char *name, size_t n,
                     uint64_t *offset)
{
    LLVMMetadataRef list = burl_di_is_record(ctx, type)
                               ? burl_di_operand(ctx, burl_di_strip(ctx, type), BURL_DI_ELEMENTS)
                               : NULL;
    LLVMMetadataRef found = NULL;
    unsigned n_elements = 0;
    LLVMValueRef *elements = list ? burl_di_operands(ctx, list, &n_elements) : NULL;

    for (unsigned i = 0; i < n_elements && !found; i++) {
        LLVMMetadataRef m = elements[i] ? LLVMValueAsMetadata(elements[i]) : NULL;
        const char *text = burl_di_tag(m) == BURL_DI_MEMBER && covers(ctx, m, *offset)
                               ? burl_di_string(ctx, m, BURL_DI_NAME)
                               : "";

        if (strlen(text) == n && memcmp(text, name, n) == 0)
            found = m;
    }
    free(elements);
    if (found)
        *offset -= LLVMDITypeGetOffsetInBits(found) / 8;
    return found;
}

const char *
burl_di_file(LLVMMetadataRef scope)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned n;
    const char *s = file ? LLVMDIFileGetFilename(file, &n) : NULL;

    return s ? s : "";
}

const char *
burl_di_directory(LLVMMetadataRef scope)
{
    LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
    unsigned n;
    const char *s = file ? LLVMDIFileGetDirectory(file, &n) : NULL;

    return s ? s : "";
}

void
burl_di_qualified_name(LLVMContextRef ctx, LLVMMetadataRef subprogram, struct burl_buf *out)
{
    LLVMMetadataRef chain[MAX_CHAIN];
    int n = 0;

    for (LLVMMetadataRef s = subprogram; s && n < MAX_CHAIN;
         s = burl_di_operand(ctx, s, BURL_DI_SCOPE)) {
        LLVMMetadataKind k = LLVMGetMetadataKind(s);
        if (k == LLVMDINamespaceMetadataKind || k == LLVMDICompositeTypeMetadataKind ||
            k == LLVMDISubprogramMetadataKind)
            chain[n++] = s;
        else if (k != LLVMDILexicalBlockMetadataKind && k != LLVMDILexicalBlockFileMetadataKind)
            break;
    }
    while (n-- > 0) {
        const char *name = burl_di_string(ctx, chain[n], BURL_DI_NAME);
        burl_buf_printf(out, "%s%s", out->n ? "::" : "", *name ? name : "(anonymous)");
    }
}
