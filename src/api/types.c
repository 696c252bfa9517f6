/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/types.c - a C type as a JSON object.
 *
 *     {"kind": "pointer", "spelling": "q_t *", "canonical": "struct q *", "pointee": {...}}
 *
 * Types are written out in full, not numbered: headers have few functions, and a reader that needs
 * no second look-up is simpler. Depth is bounded, since a function may take functions that take
 * functions.
 */
#include <stdlib.h>
#include <string.h>

#include "api/api_int.h"

/* int (*(*)(int (*)(...)))...: a deeper type cannot be made by tests. */
#define MAX_DEPTH 8
#define MAX_PADDING 32   /* places of it in a struct whose values are compared */
#define MAX_PLAIN_B 4096 /* size of such a struct */

/* What the types of one function are written with. */
struct out {
    struct burl_json_writer *w;
    CXFile own;
};

static void write_type(const struct out *o, CXType type, int depth);

char *
burl__api_text(CXString s)
{
    const char *text = clang_getCString(s);
    char *copy = burl_xstrdup(text ? text : "");

    clang_disposeString(s);
    return copy;
}

void
burl__api_write_string(struct burl_json_writer *w, const char *key, CXString s)
{
    char *text = burl__api_text(s);

    burl_json_kv_str(w, key, text);
    free(text);
}

static const char *
kind_of(CXType canonical)
{
    switch (canonical.kind) {
    case CXType_Void:
        return "void";
    case CXType_Bool:
        return "bool";
    case CXType_Char_U:
    case CXType_Char_S:
        return "char";
    case CXType_UChar:
    case CXType_SChar:
    case CXType_UShort:
    case CXType_Short:
    case CXType_UInt:
    case CXType_Int:
    case CXType_ULong:
    case CXType_Long:
    case CXType_ULongLong:
    case CXType_LongLong:
        return "int";
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
        return "real";
    case CXType_Enum:
        return "enum";
    case CXType_Record:
        return "record";
    case CXType_Pointer:
        return "pointer";
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        return "array";
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        return "function";
    default:
        return "other"; /* _Complex, __int128, vectors */
    }
}

static bool
is_unsigned(CXType t)
{
    if (t.kind == CXType_Enum)
        return is_unsigned(
            clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(t))));
    switch (t.kind) {
    case CXType_Bool:
    case CXType_Char_U:
    case CXType_UChar:
    case CXType_UShort:
    case CXType_UInt:
    case CXType_ULong:
    case CXType_ULongLong:
        return true;
    default:
        return false;
    }
}

/* Values and the bytes between them, while a struct is walked through. */
struct layout {
    long long end; /* of the values so far */
    long long base;
    bool plain; /* only numbers so far, each with its own bytes */
    unsigned n; /* padding: pairs of place and size */
    long long padding[2 * MAX_PADDING];
};

static void walk_value(struct layout *l, CXType canonical, long long at);

static enum CXVisitorResult
walk_field(CXCursor field, CXClientData data)
{
    struct layout *l = data;
    long long bits = clang_Cursor_getOffsetOfField(field);

    if (bits < 0 || bits % 8 != 0 || clang_Cursor_isBitField(field)) {
        l->plain = false;
    } else {
        walk_value(l, clang_getCanonicalType(clang_getCursorType(field)), l->base + bits / 8);
    }
    return l->plain ? CXVisit_Continue : CXVisit_Break;
}

static void
skip_to(struct layout *l, long long at)
{
    if (at > l->end && l->n == MAX_PADDING)
        l->plain = false;
    if (at > l->end && l->plain) {
        l->padding[2 * l->n] = l->end;
        l->padding[2 * l->n++ + 1] = at - l->end;
    }
    l->end = at;
}

/* A value of a record that begins at `at`. */
static void
walk_value(struct layout *l, CXType canonical, long long at)
{
    const char *kind = kind_of(canonical);
    const long long size_b = clang_Type_getSizeOf(canonical);
    const long long base = l->base;

    if (size_b <= 0 || size_b > MAX_PLAIN_B) {
        l->plain = false;
    } else if (strcmp(kind, "array") == 0) {
        CXType element = clang_getCanonicalType(clang_getArrayElementType(canonical));

        for (long long i = 0; i < clang_getArraySize(canonical) && l->plain; i++)
            walk_value(l, element, at + i * clang_Type_getSizeOf(element));
    } else if (canonical.kind == CXType_Record &&
               clang_getCursorKind(clang_getTypeDeclaration(canonical)) == CXCursor_StructDecl) {
        l->base = at;
        clang_Type_visitFields(canonical, walk_field, l);
        l->base = base;
        skip_to(l, at + size_b);
    } else if (strcmp(kind, "int") == 0 || strcmp(kind, "bool") == 0 || strcmp(kind, "char") == 0 ||
               strcmp(kind, "enum") == 0 || canonical.kind == CXType_Float ||
               canonical.kind == CXType_Double) {
        skip_to(l, at);
        l->end = at + size_b;
    } else {
        l->plain = false; /* pointers, unions; the unused bytes of a long double */
    }
}

/* "plain": a struct of numbers, whose bytes can be compared without those in "padding". */
static void
write_layout(struct burl_json_writer *w, CXType canonical)
{
    struct layout l = { .plain = true };

    walk_value(&l, canonical, 0);
    if (!l.plain)
        return;
    burl_json_kv_bool(w, "plain", true);
    burl_json_kv_array(w, "padding");
    for (unsigned i = 0; i < 2 * l.n; i++)
        burl_json_i64(w, l.padding[i]);
    burl_json_array_end(w);
}

/* "struct q" whatever it is called in the declaration; "q_t" for a struct without a tag. */
static void
write_tag(const struct out *o, CXType canonical)
{
    struct burl_json_writer *w = o->w;
    CXCursor decl = clang_getTypeDeclaration(canonical);
    CXString tag = clang_getTypeSpelling(clang_getUnqualifiedType(canonical));

    burl_json_kv_bool(w, "system",
                      clang_Location_isInSystemHeader(clang_getCursorLocation(decl)) != 0);
    burl_json_kv_bool(w, "own", burl__api_is_in(decl, o->own));
    if (clang_Cursor_isAnonymous(decl) || strstr(clang_getCString(tag), "(unnamed"))
        burl_json_kv_bool(w, "unnamed", true);
    burl__api_write_string(w, "tag", tag);
    if (canonical.kind != CXType_Record)
        return;
    burl_json_kv_bool(w, "complete", clang_Type_getSizeOf(canonical) >= 0);
    write_layout(w, canonical);
}

static void
write_function(const struct out *o, CXType canonical, int depth)
{
    struct burl_json_writer *w = o->w;
    int n = clang_getNumArgTypes(canonical);

    burl_json_kv_bool(w, "variadic", clang_isFunctionTypeVariadic(canonical) != 0);
    burl_json_key(w, "result");
    write_type(o, clang_getResultType(canonical), depth + 1);
    burl_json_kv_array(w, "params");
    for (int i = 0; i < n; i++)
        write_type(o, clang_getArgType(canonical, (unsigned)i), depth + 1);
    burl_json_array_end(w);
}

/* Types as spelled below the first level too, so that "queue_t *" keeps its name. */
static void
write_below(const struct out *o, CXType type, CXType canonical, int depth)
{
    struct burl_json_writer *w = o->w;

    if (canonical.kind == CXType_Pointer) {
        CXType p = type.kind == CXType_Pointer ? type : canonical;
        burl_json_key(w, "pointee");
        write_type(o, clang_getPointeeType(p), depth + 1);
    } else if (strcmp(kind_of(canonical), "array") == 0) {
        CXType element = clang_getArrayElementType(type);
        if (element.kind == CXType_Invalid)
            element = clang_getArrayElementType(canonical);
        burl_json_kv_i64(w, "elements", clang_getArraySize(canonical));
        burl_json_key(w, "pointee");
        write_type(o, element, depth + 1);
    } else if (canonical.kind == CXType_FunctionProto) {
        write_function(o, canonical, depth);
    } else if (canonical.kind == CXType_Record || canonical.kind == CXType_Enum) {
        write_tag(o, canonical);
    }
}

bool
burl__api_is_in(CXCursor c, CXFile file)
{
    CXFile at = NULL;

    clang_getExpansionLocation(clang_getCursorLocation(c), &at, NULL, NULL, NULL);
    return at && file && clang_File_isEqual(at, file);
}

/* "queue_t": the type is spelled as a name of the project's own, whatever is behind it. */
static void
write_typedef(const struct out *o, CXType type)
{
    CXCursor decl = clang_getTypeDeclaration(type);

    if (clang_getCursorKind(decl) == CXCursor_TypedefDecl &&
        !clang_Location_isInSystemHeader(clang_getCursorLocation(decl)))
        burl__api_write_string(o->w, "typedef", clang_getCursorSpelling(decl));
}

static void
write_type(const struct out *o, CXType type, int depth)
{
    struct burl_json_writer *w = o->w;
    CXType canonical;
    long long size_b;

    burl_json_object_begin(w);
    if (type.kind == CXType_Attributed) {
        enum CXTypeNullabilityKind n = clang_Type_getNullability(type);
        if (n == CXTypeNullability_Nullable || n == CXTypeNullability_NonNull)
            burl_json_kv_bool(w, "nullable", n == CXTypeNullability_Nullable);
        type = clang_Type_getModifiedType(type);
    }
    canonical = clang_getCanonicalType(type);
    if (depth >= MAX_DEPTH) {
        burl_json_kv_str(w, "kind", "other");
        burl_json_object_end(w);
        return;
    }
    burl_json_kv_str(w, "kind", kind_of(canonical));
    burl__api_write_string(w, "spelling", clang_getTypeSpelling(type));
    burl__api_write_string(w, "canonical", clang_getTypeSpelling(canonical));
    write_typedef(o, type);
    size_b = clang_Type_getSizeOf(canonical);
    if (size_b >= 0 && canonical.kind != CXType_Void)
        burl_json_kv_i64(w, "size_b", size_b);
    if (clang_isConstQualifiedType(canonical))
        burl_json_kv_bool(w, "const", true);
    if (is_unsigned(canonical))
        burl_json_kv_bool(w, "unsigned", true);
    write_below(o, type, canonical, depth);
    burl_json_object_end(w);
}

void
burl__api_write_type(struct burl_json_writer *w, CXType type, CXFile own)
{
    write_type(&(struct out){ w, own }, type, 0);
}
