/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/main.c - burl-api: the declarations of a header as JSON.
 *
 * Called by `burl gen`, and by people who want to look:
 *     burl-api [--compile-commands=FILE] [--include=HEADER]... HEADER [-- compiler's words]
 * Exit code 0; 2 for a wrong command line or a header that does not parse, with the compiler's
 * first messages on standard error; 3 for everything else.
 *
 * The header is included by a file that exists in memory only, so that it is read as a program
 * would read it. One that does not parse alone is tried once more after the headers of the C
 * library that such headers forget; "includes" in the output says that it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/api_int.h"
#include "base/fs.h"
#include "base/path.h"

#define BURL__API_VERSION 1
#define MAX_MESSAGES 5
#define OUR_FILE ".burl-api.c"

static const char usage[] =
    "usage: burl-api [--compile-commands=FILE] [--include=HEADER]... HEADER [-- words]\n"
    "Prints the declarations of a C header as JSON. Of the words -I, -D, -std and the like "
    "count.\n";

/* What headers that are not self-contained leave to their users. */
static const char *const forgotten[] = {
    "<stddef.h>", "<stdint.h>",    "<stdbool.h>", "<stdarg.h>",
    "<stdio.h>",  "<sys/types.h>", "<time.h>",    "<pthread.h>"
};

static enum burl_status
parse_words(struct burl__api_options *o, int argc, char **argv, struct burl_err *err)
{
    static const char database[] = "--compile-commands=";
    static const char include[] = "--include=";

    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        if (strcmp(a, "--") == 0) {
            o->words = (const char *const *)argv + i + 1;
            o->n_words = (size_t)(argc - i - 1);
            break;
        }
        if (strncmp(a, database, sizeof database - 1) == 0)
            o->compile_commands = a + sizeof database - 1;
        else if (strncmp(a, include, sizeof include - 1) == 0)
            BURL_VEC_PUSH(&o->includes, burl_xstrdup(a + sizeof include - 1));
        else if (a[0] == '-' || o->header)
            return burl_err_set(err, BURL_E_USAGE, 0, "\"%s\" was not expected", a);
        else
            o->header = a;
    }
    if (!o->header)
        return burl_err_set(err, BURL_E_USAGE, 0, "no header was named");
    if (!burl_fs_exists(o->header))
        return burl_err_set(err, BURL_E_USAGE, 0, "there is no header %s", o->header);
    if (burl_fs_is_dir(o->header))
        return burl_err_set(err, BURL_E_USAGE, 0, "%s is a directory, not a header", o->header);
    return BURL_OK;
}

struct unit {
    CXIndex index;
    CXTranslationUnit tu;
    unsigned errors;
};

static void
close_unit(struct unit *u)
{
    if (u->tu)
        clang_disposeTranslationUnit(u->tu);
    if (u->index)
        clang_disposeIndex(u->index);
    *u = (struct unit){ 0 };
}

static unsigned
count_errors(CXTranslationUnit tu)
{
    unsigned n = clang_getNumDiagnostics(tu);
    unsigned errors = 0;

    for (unsigned i = 0; i < n; i++) {
        CXDiagnostic d = clang_getDiagnostic(tu, i);
        errors += clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error;
        clang_disposeDiagnostic(d);
    }
    return errors;
}

/* The file that includes everything; caller frees. */
static char *
source_of(const char *header, const struct burl__api_flags *includes)
{
    struct burl_buf b = BURL_BUF_INIT;

    for (size_t i = 0; i < includes->n; i++)
        burl_buf_printf(&b, "#include %s\n", includes->v[i]);
    burl_buf_printf(&b, "#include \"%s\"\n", header);
    return burl_buf_take(&b, NULL);
}

static void
open_unit(struct unit *u, const char *header, const struct burl__api_flags *includes,
          const struct burl__api_flags *flags)
{
    struct burl__api_flags words = { 0 };
    char *dir = burl_path_dirname(header);
    char *name = burl_path_join(dir, OUR_FILE);
    char *text = source_of(header, includes);
    struct CXUnsavedFile file = { name, text, strlen(text) };

    BURL_VEC_PUSH(&words, (char *)"-xc");
    BURL_VEC_PUSH(&words, (char *)"-fparse-all-comments");
    BURL_VEC_PUSH(&words, (char *)"-w");
    BURL_VEC_PUSH(&words, (char *)"-ferror-limit=20");
    for (size_t i = 0; i < flags->n; i++)
        BURL_VEC_PUSH(&words, flags->v[i]);
    u->index = clang_createIndex(0, 0);
    if (clang_parseTranslationUnit2(u->index, name, (const char *const *)words.v, (int)words.n,
                                    &file, 1, CXTranslationUnit_IncludeAttributedTypes,
                                    &u->tu) != CXError_Success)
        u->tu = NULL;
    u->errors = u->tu ? count_errors(u->tu) : 1;
    BURL_VEC_FREE(&words);
    free(text);
    free(name);
    free(dir);
}

/* In the file that is ours: the header ended too early. */
static void
print_message(CXDiagnostic d, const char *header)
{
    CXFile file = NULL;
    bool is_ours;
    char *name;
    char *text;

    clang_getExpansionLocation(clang_getDiagnosticLocation(d), &file, NULL, NULL, NULL);
    name = burl__api_text(clang_getFileName(file));
    is_ours = strcmp(burl_path_basename(name), OUR_FILE) == 0;
    text = burl__api_text(is_ours ? clang_getDiagnosticSpelling(d)
                                  : clang_formatDiagnostic(d, CXDiagnostic_DisplaySourceLocation |
                                                                  CXDiagnostic_DisplayColumn));
    if (is_ours)
        fprintf(stderr, "    %s: at its end: error: %s\n", header, text);
    else
        fprintf(stderr, "    %s\n", text);
    free(text);
    free(name);
}

static void
print_messages(const struct unit *u, const char *header)
{
    unsigned n = u->tu ? clang_getNumDiagnostics(u->tu) : 0;
    unsigned shown = 0;

    fprintf(stderr, "%s does not compile by itself:\n", header);
    if (!u->tu)
        fprintf(stderr, "    the compiler stopped without a message\n");
    for (unsigned i = 0; i < n && shown < MAX_MESSAGES; i++) {
        CXDiagnostic d = clang_getDiagnostic(u->tu, i);
        if (clang_getDiagnosticSeverity(d) >= CXDiagnostic_Error) {
            print_message(d, header);
            shown++;
        }
        clang_disposeDiagnostic(d);
    }
    if (u->errors > shown)
        fprintf(stderr, "    and %u more\n", u->errors - shown);
}

/* Directories whose trees are the project's: of the header, and every -I. */
static void
project_dirs(struct burl__api_flags *dirs, const char *header, const struct burl__api_flags *flags)
{
    char *real = realpath(header, NULL);

    BURL_VEC_PUSH(dirs, burl_path_dirname(real ? real : header));
    free(real);
    for (size_t i = 0; i < flags->n; i++) {
        if (strncmp(flags->v[i], "-I", 2) != 0)
            continue;
        real = realpath(flags->v[i] + 2, NULL);
        if (real)
            BURL_VEC_PUSH(dirs, real);
    }
}

static void
write_list(struct burl_json_writer *w, const char *key, const struct burl__api_flags *list)
{
    burl_json_kv_array(w, key);
    for (size_t i = 0; i < list->n; i++)
        burl_json_str(w, list->v[i]);
    burl_json_array_end(w);
}

static enum burl_status
print_unit(const struct burl__api_options *o, const struct unit *u, const char *header,
           const struct burl__api_flags *flags, struct burl_err *err)
{
    struct burl__api_flags dirs = { 0 };
    struct burl_json_writer w;
    struct burl_buf out = BURL_BUF_INIT;
    enum burl_status st;

    project_dirs(&dirs, o->header, flags);
    burl_json_writer_init(&w, &out, 1);
    burl_json_object_begin(&w);
    burl_json_kv_u64(&w, "version", BURL__API_VERSION);
    burl_json_kv_str(&w, "header", o->header);
    write_list(&w, "flags", flags);
    write_list(&w, "includes", &o->includes);
    burl__api_write_unit(&w, u->tu, header, &dirs);
    burl_json_object_end(&w);
    burl_json_writer_finish(&w);
    st = burl_fs_write_all(STDOUT_FILENO, out.p, out.n, err);
    burl_buf_deinit(&out);
    burl__api_flags_deinit(&dirs);
    return st;
}

/* Does the header compile without include `i` as well? Then it goes. */
static bool
drop_if_idle(struct unit *u, const char *header, struct burl__api_flags *includes, size_t i,
             const struct burl__api_flags *flags)
{
    struct unit without = { 0 };
    char *dropped = includes->v[i];

    memmove(&includes->v[i], &includes->v[i + 1], (includes->n - i - 1) * sizeof includes->v[0]);
    includes->n--;
    open_unit(&without, header, includes, flags);
    if (without.errors == 0) {
        free(dropped);
        close_unit(u);
        *u = without;
        return true;
    }
    close_unit(&without);
    memmove(&includes->v[i + 1], &includes->v[i], (includes->n - i) * sizeof includes->v[0]);
    includes->v[i] = dropped;
    includes->n++;
    return false;
}

/* Tries again after headers that are often missing. Keeps the first attempt if that does not help,
 * since its messages are about the header alone. */
static void
try_forgotten(struct unit *u, struct burl__api_options *o, const char *header,
              const struct burl__api_flags *flags)
{
    struct burl__api_flags includes = { 0 };
    struct unit second = { 0 };

    for (size_t i = 0; i < o->includes.n; i++)
        BURL_VEC_PUSH(&includes, burl_xstrdup(o->includes.v[i]));
    for (size_t i = 0; i < sizeof forgotten / sizeof forgotten[0]; i++)
        BURL_VEC_PUSH(&includes, burl_xstrdup(forgotten[i]));
    open_unit(&second, header, &includes, flags);
    if (second.errors > 0) {
        close_unit(&second);
        burl__api_flags_deinit(&includes);
        return;
    }
    close_unit(u);
    *u = second;
    /* From the end, so that the simple ones stay. */
    for (size_t i = includes.n; i-- > o->includes.n;)
        (void)drop_if_idle(u, header, &includes, i, flags);
    burl__api_flags_deinit(&o->includes);
    o->includes = includes;
}

static enum burl_status
print_header(struct burl__api_options *o, const struct burl__api_flags *flags, struct burl_err *err)
{
    struct unit u = { 0 };
    char *header = NULL;
    enum burl_status st = burl_path_absolute(&header, o->header, err);

    if (st != BURL_OK)
        return st;
    open_unit(&u, header, &o->includes, flags);
    if (u.errors > 0)
        try_forgotten(&u, o, header, flags);
    if (u.errors > 0) {
        print_messages(&u, o->header);
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "it may need -I, -D or -include x.h, which are given after --");
    } else {
        st = print_unit(o, &u, header, flags, err);
    }
    close_unit(&u);
    free(header);
    return st;
}

int
main(int argc, char **argv)
{
    struct burl__api_options o = { 0 };
    struct burl__api_flags flags = { 0 };
    struct burl_err err = { 0 };
    enum burl_status st;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return BURL_EXIT_CLEAN;
    }
    st = parse_words(&o, argc, argv, &err);
    if (st == BURL_OK && o.compile_commands)
        st = burl__api_flags_database(&flags, &o, &err);
    if (st == BURL_OK) {
        char *dir = getcwd(NULL, 0);
        burl__api_flags_take(&flags, o.words, o.n_words, dir ? dir : ".");
        free(dir);
        st = print_header(&o, &flags, &err);
    }
    if (st != BURL_OK)
        fprintf(stderr, "burl-api: %s\n", err.msg);
    burl__api_flags_deinit(&flags);
    burl__api_flags_deinit(&o.includes);
    return st == BURL_OK ? BURL_EXIT_CLEAN : burl_err_exit_code(st);
}
