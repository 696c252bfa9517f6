/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/walk.c - walks the declarations of a translation unit and writes those of the project.
 *
 * Of the project: not in a system header, and in the tree of the header's directory or of one of
 * the user's -I. Everything else is counted by file and named as left out. A function that is
 * declared twice is written once, where it was declared first; parameters are named by whichever
 * declaration names them.
 *
 * Attributes are read from the declaration as clang prints it: libclang has no calls for them, and
 * the printed form has macros replaced.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_int.h"
#include "base/buf.h"
#include "base/path.h"

struct seen {
    char *name;
    CXCursor cursor;
};

/* A file whose declarations are not for us. */
struct left_out {
    char *file;
    const char *why;
    unsigned functions;
};

struct walk {
    struct burl_json_writer *w;
    const struct burl__api_flags *dirs;
    CXFile own; /* the header that was given */
    BURL_VEC(struct seen) functions;
    BURL_VEC(CXCursor) enums;
    BURL_VEC(struct left_out) left;
};

static bool
is_below(const char *file, const char *dir)
{
    size_t n = strlen(dir);

    while (n > 1 && dir[n - 1] == '/')
        n--;
    return strncmp(file, dir, n) == 0 && (file[n] == '/' || (n == 1 && dir[0] == '/'));
}

/* Where a cursor is: caller frees the name; NULL when nowhere (built in). */
static char *
file_of(CXCursor c, unsigned *line)
{
    CXFile file = NULL;

    clang_getExpansionLocation(clang_getCursorLocation(c), &file, line, NULL, NULL);
    return file ? burl__api_text(clang_getFileName(file)) : NULL;
}

/* NULL: it is for us. */
static const char *
why_not_ours(const struct walk *k, CXCursor c, const char *file)
{
    char *real;
    bool below = false;

    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return "a system header";
    /* Through links and "..": a header may be included by several ways. */
    real = realpath(file, NULL);
    for (size_t i = 0; i < k->dirs->n && !below; i++)
        below = is_below(real ? real : file, k->dirs->v[i]);
    free(real);
    return below ? NULL : "outside the header's directory and every -I";
}

static void
leave_out(struct walk *k, const char *file, const char *why)
{
    struct left_out *l;

    for (size_t i = 0; i < k->left.n; i++) {
        if (strcmp(k->left.v[i].file, file) == 0) {
            k->left.v[i].functions++;
            return;
        }
    }
    l = BURL_VEC_ADD(&k->left);
    l->file = burl_xstrdup(file);
    l->why = why;
    l->functions = 1;
}

/* Parameters with names; a definition beats a declaration. */
static int
count_named(CXCursor f)
{
    int n = clang_Cursor_getNumArguments(f);
    int named = 0;

    for (int i = 0; i < n; i++) {
        char *name =
            burl__api_text(clang_getCursorSpelling(clang_Cursor_getArgument(f, (unsigned)i)));
        named += name[0] != '\0';
        free(name);
    }
    return named;
}

static void
keep_function(struct walk *k, CXCursor c)
{
    char *name = burl__api_text(clang_getCursorSpelling(c));
    bool is_new = name[0] != '\0';

    for (size_t i = 0; is_new && i < k->functions.n; i++) {
        struct seen *s = &k->functions.v[i];
        if (strcmp(s->name, name) != 0)
            continue;
        if (count_named(c) > count_named(s->cursor))
            s->cursor = c;
        is_new = false;
    }
    if (is_new)
        BURL_VEC_PUSH(&k->functions, (struct seen){ name, c });
    else
        free(name);
}

static enum CXChildVisitResult
visit_declaration(CXCursor c, CXCursor parent, CXClientData data)
{
    struct walk *k = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    unsigned line;
    const char *why;
    char *file;

    (void)parent;
    if (kind != CXCursor_FunctionDecl && kind != CXCursor_EnumDecl)
        return kind == CXCursor_LinkageSpec ? CXChildVisit_Recurse : CXChildVisit_Continue;
    file = file_of(c, &line);
    if (!file)
        return CXChildVisit_Continue;
    why = why_not_ours(k, c, file);
    if (kind == CXCursor_FunctionDecl) {
        if (why)
            leave_out(k, file, why);
        else
            keep_function(k, c);
    } else if (!why && clang_isCursorDefinition(c)) {
        BURL_VEC_PUSH(&k->enums, c);
    }
    free(file);
    return CXChildVisit_Continue;
}

/* The declaration on one line, without a body; caller frees. */
static char *
print_declaration(CXCursor f)
{
    CXPrintingPolicy policy = clang_getCursorPrintingPolicy(f);
    char *printed;

    clang_PrintingPolicy_setProperty(policy, CXPrintingPolicy_TerseOutput, 1);
    printed = burl__api_text(clang_getCursorPrettyPrinted(f, policy));
    clang_PrintingPolicy_dispose(policy);
    return printed;
}

/* The text of the header that declares it, on one line; NULL: it has comments or directives in it,
 * or comes out of a macro. Caller frees. */
static char *
source_text(CXCursor f)
{
    CXSourceRange range = clang_getCursorExtent(f);
    CXFile file = NULL;
    CXFile end_file = NULL;
    unsigned begin = 0;
    unsigned end = 0;
    size_t size_b = 0;
    const char *text;
    struct burl_buf b = BURL_BUF_INIT;

    clang_getExpansionLocation(clang_getRangeStart(range), &file, NULL, NULL, &begin);
    clang_getExpansionLocation(clang_getRangeEnd(range), &end_file, NULL, NULL, &end);
    text = file ? clang_getFileContents(clang_Cursor_getTranslationUnit(f), file, &size_b) : NULL;
    if (!text || !end_file || !clang_File_isEqual(file, end_file) || begin >= end || end > size_b)
        return NULL;
    for (unsigned i = begin; i < end && text[i] != '{'; i++) {
        if (!isspace((unsigned char)text[i]))
            burl_buf_char(&b, text[i]);
        else if (i > begin && !isspace((unsigned char)text[i - 1]))
            burl_buf_char(&b, ' ');
    }
    text = burl_buf_str(&b);
    if (!strchr(text, '(') || strpbrk(text, "#;\\") || strstr(text, "/*") || strstr(text, "//")) {
        burl_buf_deinit(&b);
        return NULL;
    }
    return burl_buf_take(&b, NULL);
}

/* The prototype for people: attributes, which are often long, are left out. */
static void
write_declaration(struct burl_json_writer *w, CXCursor f, const char *printed)
{
    char *own = source_text(f);
    const char *text = own ? own : printed;
    const char *end = strstr(text, " __attribute__");
    size_t n = end ? (size_t)(end - text) : strcspn(text, "\n{");

    while (n > 0 && text[n - 1] == ' ')
        n--;
    burl_json_key(w, "declaration");
    burl_json_strn(w, text, n);
    free(own);
}

/* "nonnull", "nonnull(1, 2)", "warn_unused_result" out of "... __attribute__((nonnull(1, 2)))". */
static void
write_attributes(struct burl_json_writer *w, const char *printed)
{
    static const char mark[] = "__attribute__((";

    burl_json_kv_array(w, "attributes");
    if (strncmp(printed, "_Noreturn ", 10) == 0 || strstr(printed, " _Noreturn ") ||
        strstr(printed, "[[noreturn]]"))
        burl_json_str(w, "noreturn");
    for (const char *p = printed; (p = strstr(p, mark)) != NULL;) {
        const char *end = strstr(p += sizeof mark - 1, "))");
        if (!end)
            break;
        /* nonnull(1)) ends with three. */
        burl_json_strn(w, p, (size_t)(end - p) + (end[2] == ')'));
        p = end;
    }
    burl_json_array_end(w);
}

static void
write_params(struct burl_json_writer *w, CXCursor f, CXFile own)
{
    int n = clang_Cursor_getNumArguments(f);

    burl_json_kv_array(w, "params");
    for (int i = 0; i < n; i++) {
        CXCursor a = clang_Cursor_getArgument(f, (unsigned)i);
        burl_json_object_begin(w);
        burl__api_write_string(w, "name", clang_getCursorSpelling(a));
        burl_json_key(w, "type");
        burl__api_write_type(w, clang_getCursorType(a), own);
        burl_json_object_end(w);
    }
    burl_json_array_end(w);
}

static void
write_function(struct burl_json_writer *w, const struct seen *s, CXFile own)
{
    CXCursor f = s->cursor;
    CXType type = clang_getCursorType(f);
    unsigned line = 0;
    char *file = file_of(f, &line);
    char *printed = print_declaration(f);

    burl_json_object_begin(w);
    burl_json_kv_str(w, "name", s->name);
    burl_json_kv_bool(w, "own", burl__api_is_in(f, own));
    write_declaration(w, f, printed);
    burl_json_kv_str(w, "file", file ? file : "");
    burl_json_kv_u64(w, "line", line);
    burl__api_write_string(w, "type", clang_getTypeSpelling(type));
    burl_json_kv_bool(w, "static", clang_Cursor_getStorageClass(f) == CX_SC_Static);
    burl_json_kv_bool(w, "inline", clang_Cursor_isFunctionInlined(f) != 0);
    burl_json_kv_bool(w, "defined", !clang_Cursor_isNull(clang_getCursorDefinition(f)));
    burl_json_kv_bool(w, "variadic", clang_Cursor_isVariadic(f) != 0);
    /* int f(): no information about its parameters. */
    burl_json_kv_bool(w, "prototype", type.kind != CXType_FunctionNoProto);
    burl__api_write_string(w, "comment", clang_Cursor_getRawCommentText(f));
    write_attributes(w, printed);
    burl_json_key(w, "result");
    burl__api_write_type(w, clang_getCursorResultType(f), own);
    write_params(w, f, own);
    burl_json_object_end(w);
    free(printed);
    free(file);
}

static enum CXChildVisitResult
visit_constant(CXCursor c, CXCursor parent, CXClientData data)
{
    struct burl_json_writer *w = data;

    (void)parent;
    if (clang_getCursorKind(c) == CXCursor_EnumConstantDecl) {
        burl_json_object_begin(w);
        burl__api_write_string(w, "name", clang_getCursorSpelling(c));
        burl_json_kv_i64(w, "value", clang_getEnumConstantDeclValue(c));
        burl_json_object_end(w);
    }
    return CXChildVisit_Continue;
}

static void
write_enum(struct burl_json_writer *w, CXCursor e)
{
    burl_json_object_begin(w);
    burl__api_write_string(w, "tag", clang_getTypeSpelling(clang_getCursorType(e)));
    burl_json_kv_array(w, "constants");
    clang_visitChildren(e, visit_constant, w);
    burl_json_array_end(w);
    burl_json_object_end(w);
}

static void
write_left_out(struct burl_json_writer *w, const struct walk *k)
{
    burl_json_kv_array(w, "left_out");
    for (size_t i = 0; i < k->left.n; i++) {
        burl_json_object_begin(w);
        burl_json_kv_str(w, "file", k->left.v[i].file);
        burl_json_kv_str(w, "why", k->left.v[i].why);
        burl_json_kv_u64(w, "functions", k->left.v[i].functions);
        burl_json_object_end(w);
        free(k->left.v[i].file);
    }
    burl_json_array_end(w);
}

void
burl__api_write_unit(struct burl_json_writer *w, CXTranslationUnit unit, const char *header,
                     const struct burl__api_flags *dirs)
{
    struct walk k = { .w = w, .dirs = dirs, .own = clang_getFile(unit, header) };

    clang_visitChildren(clang_getTranslationUnitCursor(unit), visit_declaration, &k);
    burl_json_kv_array(w, "functions");
    for (size_t i = 0; i < k.functions.n; i++) {
        write_function(w, &k.functions.v[i], k.own);
        free(k.functions.v[i].name);
    }
    burl_json_array_end(w);
    burl_json_kv_array(w, "enums");
    for (size_t i = 0; i < k.enums.n; i++)
        write_enum(w, k.enums.v[i]);
    burl_json_array_end(w);
    write_left_out(w, &k);
    BURL_VEC_FREE(&k.functions);
    BURL_VEC_FREE(&k.enums);
    BURL_VEC_FREE(&k.left);
}
