/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/flags.c - which words of a compiler's command line decide how a header is read.
 *
 * Kept: where headers are, macros, language standard, and the -f and -m that change types or
 * predefined macros. Dropped: sources, outputs, libraries, warnings, optimization, dependency
 * files. A flag of another compiler that clang does not know is dropped as well, since one of them
 * would make the whole header unreadable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_int.h"
#include "base/fs.h"
#include "base/linereader.h"
#include "base/path.h"
#include "base/shellwords.h"

#define DATABASE_MAX_B ((size_t)256 << 20)

void
burl__api_flags_deinit(struct burl__api_flags *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->v[i]);
    BURL_VEC_FREE(f);
}

/* Flags with a value, beside it or in the next word. */
static const struct {
    const char *text;
    bool is_path;
} with_value[] = {
    { "-isystem", true },   { "-iquote", true },
    { "-idirafter", true }, { "-include", false },
    { "-imacros", false },  { "-isysroot", true },
    { "-iprefix", true },   { "-iwithprefixbefore", false },
    { "--sysroot=", true }, { "-I", true },
    { "-D", false },        { "-U", false },
};

/* Whole words, or those with a value behind the =. */
static const char alone[] =
    "-std= -ansi -pthread -nostdinc -undef -trigraphs -fshort-enums -fshort-wchar -fsigned-char"
    " -funsigned-char -fpack-struct -fpack-struct= -fms-extensions -ffreestanding -fgnu89-inline"
    " -fdollars-in-identifiers -fopenmp -m32 -m64 -mx32 -march= -mavx -mavx2 -msse4.2 -fno-builtin"
    " -fblocks";

/* Flags whose next word is not a flag or a source of ours. */
static const char skips_next[] = "-o -x -L -l -MF -MT -MQ -Xlinker -Xclang -T -u -arch -target -e";

static char *
absolute(const char *path, const char *dir)
{
    return path[0] == '=' ? burl_xstrdup(path) : burl_path_join(dir, path);
}

/* "-include x.h" is looked for in the directory first, as the compiler does. */
static char *
value_of(const char *flag, bool is_path, const char *value, const char *dir)
{
    char *path;

    if (is_path)
        return absolute(value, dir);
    if (strcmp(flag, "-include") != 0 && strcmp(flag, "-imacros") != 0)
        return burl_xstrdup(value);
    path = burl_path_join(dir, value);
    if (burl_fs_exists(path))
        return path;
    free(path);
    return burl_xstrdup(value);
}

/* How many words it took: 0 when it is not one of them. */
static size_t
take_with_value(struct burl__api_flags *out, const char *const *words, size_t n, const char *dir)
{
    const char *w = words[0];

    for (size_t i = 0; i < sizeof with_value / sizeof with_value[0]; i++) {
        const char *flag = with_value[i].text;
        size_t len = strlen(flag);
        char *value;
        if (strncmp(w, flag, len) != 0)
            continue;
        if (!w[len] && n < 2)
            return 1;
        value = value_of(flag, with_value[i].is_path, w[len] ? w + len : words[1], dir);
        /* "-include" must stay two words; one word does for the others. */
        if (flag[1] == 'i') {
            BURL_VEC_PUSH(out, burl_xstrdup(flag));
            BURL_VEC_PUSH(out, value);
        } else {
            BURL_VEC_PUSH(out, burl_xasprintf("%s%s", flag, value));
            free(value);
        }
        return w[len] ? 1 : 2;
    }
    return 0;
}

/* A header is read as C, whatever the sources behind it are. */
static bool
is_of_cplusplus(const char *w)
{
    return strncmp(w, "-std=", 5) == 0 && strstr(w, "++") != NULL;
}

static bool
is_alone(const char *w)
{
    char name[40]; /* longer than any of them */

    snprintf(name, sizeof name, "%.*s", (int)strcspn(w, "=") + 1, w);
    return !is_of_cplusplus(w) && burl_word_in(name, alone, ' ');
}

void
burl__api_flags_take(struct burl__api_flags *out, const char *const *words, size_t n,
                     const char *dir)
{
    for (size_t i = 0; i < n;) {
        size_t took = take_with_value(out, words + i, n - i, dir);
        if (took > 0) {
            i += took;
            continue;
        }
        if (is_alone(words[i]))
            BURL_VEC_PUSH(out, burl_xstrdup(words[i]));
        i += burl_word_in(words[i], skips_next, ' ') ? 2 : 1;
    }
}

static char *
real_or_same(const char *path, const char *dir)
{
    char *joined = burl_path_join(dir, path);
    char *real = realpath(joined, NULL);

    if (!real)
        return joined;
    free(joined);
    return real;
}

/* 2: it is a source the user named; 1: it lies beside the header; 0 neither. */
static int
fits(const struct burl__api_options *o, const char *file, const char *header_dir)
{
    char *dir = burl_path_dirname(file);
    int fit = strcmp(dir, header_dir) == 0;

    free(dir);
    for (size_t i = 0; i < o->n_words && fit < 2; i++) {
        char *word;
        if (o->words[i][0] == '-')
            continue;
        word = realpath(o->words[i], NULL);
        if (word && strcmp(word, file) == 0)
            fit = 2;
        free(word);
    }
    return fit;
}

static void
take_entry(struct burl__api_flags *out, const struct burl_json_value *entry)
{
    const struct burl_json_value *list = burl_json_get(entry, "arguments");
    const char *dir = burl_json_as_str(burl_json_get(entry, "directory"), ".");
    struct burl_shellwords words = { 0 };

    for (size_t i = 0; i < burl_json_count(list); i++)
        BURL_VEC_PUSH(&words, burl_xstrdup(burl_json_as_str(burl_json_at(list, i), "")));
    if (words.n == 0)
        (void)burl_shellwords_split(&words, burl_json_as_str(burl_json_get(entry, "command"), ""));
    if (words.n > 1)
        burl__api_flags_take(out, (const char *const *)words.v + 1, words.n - 1, dir);
    burl_shellwords_deinit(&words);
}

/* The entry that fits best; of equals the first. NULL: the database is empty. */
static const struct burl_json_value *
best_entry(const struct burl_json_value *root, const struct burl__api_options *o)
{
    const struct burl_json_value *best = NULL;
    char *header = realpath(o->header, NULL);
    char *header_dir = burl_path_dirname(header ? header : o->header);
    int best_fit = -1;

    for (size_t i = 0; i < burl_json_count(root); i++) {
        const struct burl_json_value *e = burl_json_at(root, i);
        const char *dir = burl_json_as_str(burl_json_get(e, "directory"), ".");
        char *file = real_or_same(burl_json_as_str(burl_json_get(e, "file"), ""), dir);
        int fit = fits(o, file, header_dir);
        if (fit > best_fit) {
            best = e;
            best_fit = fit;
        }
        free(file);
    }
    free(header_dir);
    free(header);
    return best;
}

enum burl_status
burl__api_flags_database(struct burl__api_flags *out, const struct burl__api_options *o,
                         struct burl_err *err)
{
    const struct burl_json_value *entry;
    struct burl_json_value *root = NULL;
    enum burl_status st;
    char *text;
    size_t n;

    st = burl_fs_read_file(o->compile_commands, DATABASE_MAX_B, &text, &n, err);
    if (st != BURL_OK)
        return burl_err_set(err, BURL_E_USAGE, 0, "cannot read %s", o->compile_commands);
    st = burl_json_parse(&root, text, n, err);
    free(text);
    if (st != BURL_OK) {
        (void)burl_err_prefix(err, "%s", o->compile_commands);
        return BURL_E_USAGE;
    }
    entry = best_entry(root, o);
    if (entry)
        take_entry(out, entry);
    else
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "%s has no entry: it must be a list of compiled files",
                          o->compile_commands);
    burl_json_free(root);
    return st;
}
