/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/args.c - reading a compiler's command line.
 *
 * Response files are expanded first, by clang's rules (the GNU ones), because
 * inputs may hide in them. Then each word gets its stages, inputs get their
 * kind, and the few options that change the plan set a flag in struct burl__cc.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fs.h"
#include "base/linereader.h"
#include "base/path.h"
#include "cc/cc_int.h"

/* clang gives up at a depth too; a file that includes itself must end somewhere. */
enum { MAX_RESPONSE_DEPTH = 16 };
#define MAX_RESPONSE_B ((size_t)64 << 20)

static void expand_word(struct burl__argv *out, const char *word, int depth, bool *used);

/* One word by the GNU rules: quotes of both kinds, backslash takes the next character. */
static const char *
read_word(const char *p, struct burl_buf *word)
{
    char quote = 0;

    for (; *p && (quote || !isspace((unsigned char)*p)); p++) {
        if (*p == '\\' && p[1]) {
            burl_buf_char(word, *++p);
        } else if (quote) {
            if (*p == quote)
                quote = 0;
            else
                burl_buf_char(word, *p);
        } else if (*p == '"' || *p == '\'') {
            quote = *p;
        } else {
            burl_buf_char(word, *p);
        }
    }
    return p;
}

static void
expand_file(struct burl__argv *out, const char *text, int depth, bool *used)
{
    const char *p = text;

    for (;;) {
        struct burl_buf word = BURL_BUF_INIT;

        while (isspace((unsigned char)*p))
            p++;
        if (!*p)
            return;
        p = read_word(p, &word);
        expand_word(out, burl_buf_str(&word), depth + 1, used);
        burl_buf_deinit(&word);
    }
}

static void
expand_word(struct burl__argv *out, const char *word, int depth, bool *used)
{
    char *text;

    /* A word that names no file stays as it is, as with clang. */
    if (word[0] != '@' || depth >= MAX_RESPONSE_DEPTH ||
        burl_fs_read_stream(word + 1, MAX_RESPONSE_B, &text, NULL, NULL) != BURL_OK) {
        burl__argv_add(out, word);
        return;
    }
    *used = true;
    expand_file(out, text, depth, used);
    free(text);
}

static enum burl__input_kind
kind_of(const char *path, const char *lang)
{
    const char *dot = strrchr(burl_path_basename(path), '.');
    const char *ext = dot ? dot + 1 : "";

    if (lang) {
        if (burl_word_in(lang, "c c++ cpp-output c++-cpp-output", ' '))
            return BURL__IN_SOURCE;
        return strstr(lang, "header") ? BURL__IN_HEADER : BURL__IN_OTHER;
    }
    if (strcmp(path, "-") == 0 || burl_word_in(ext, "c i ii cc cp cxx cpp CPP c++ C CXX", ' '))
        return BURL__IN_SOURCE;
    if (burl_word_in(ext, "h H hh hp hxx hpp HPP h++ tcc", ' '))
        return BURL__IN_HEADER;
    if (burl_word_in(ext, "s S sx asm m mm mi mii M ll bc cu cl cui cppm ixx pcm ast f f90 F90",
                     ' '))
        return BURL__IN_OTHER;
    return BURL__IN_OBJECT;
}

/* configure's throw-away programs: always in the current directory, always of this name. */
static bool
is_probe(const char *path)
{
    return strncmp(path, "conftest.", 9) == 0;
}

static void
add_input(struct burl__cc *cc, const char *path, const char *lang)
{
    struct burl__word w = { .text = burl_xstrdup(path), .is_input = true, .lang = lang };

    w.kind = kind_of(path, lang);
    w.stages = w.kind == BURL__IN_OBJECT ? BURL__STAGE_LINK : 0;
    if (strcmp(path, "-") != 0 && access(path, F_OK) != 0)
        cc->missing_input = true;
    switch (w.kind) {
    case BURL__IN_SOURCE:
        cc->probe = is_probe(path) && (cc->n_sources == 0 || cc->probe);
        cc->n_sources++;
        break;
    case BURL__IN_OTHER:
        cc->n_others++;
        break;
    case BURL__IN_HEADER:
        cc->n_headers++;
        break;
    case BURL__IN_OBJECT:
        cc->n_objects++;
        break;
    }
    BURL_VEC_PUSH(&cc->words, w);
}

static void
add_word(struct burl__cc *cc, const char *text, unsigned stages)
{
    struct burl__word w = { .text = burl_xstrdup(text), .stages = stages };
    BURL_VEC_PUSH(&cc->words, w);
}

/* -g and its relatives: only the last one that sets a level counts. */
static void
note_debug(struct burl__cc *cc, const char *word)
{
    if (burl_word_in(word, "-g0 -ggdb0", ' '))
        cc->debug = BURL__DEBUG_NONE;
    else if (burl_word_in(word, "-g1 -ggdb1 -gmlt -gline-tables-only -gline-directives-only", ' '))
        cc->debug = BURL__DEBUG_LINES;
    else if (burl_word_in(word, "-g -g2 -g3 -ggdb -ggdb2 -ggdb3 -glldb -gsce -gdbx -gdwarf", ' ') ||
             (strncmp(word, "-gdwarf-", 8) == 0 && isdigit((unsigned char)word[8])))
        cc->debug = BURL__DEBUG_FULL;
}

/* Code for another machine has no runtime of ours to link with. */
static void
note_target(struct burl__cc *cc, const char *word, const char *next)
{
    const char *triple = NULL;

    if (burl_word_in(word, "-m32 -m16 -mx32", ' '))
        cc->other_target = true;
    if (strncmp(word, "--target=", 9) == 0)
        triple = word + 9;
    else if (strcmp(word, "-target") == 0)
        triple = next;
    if (triple)
        cc->other_target = strncmp(triple, "x86_64-", 7) != 0 || !strstr(triple, "linux");
}

static void
apply_option(struct burl__cc *cc, const struct burl__option *o, const char *value,
             const char **lang)
{
    if (o->flag != 0)
        *(bool *)((char *)cc + o->flag) = true;
    switch (o->meaning) {
    case BURL__MEAN_OUTPUT:
        cc->output = value;
        break;
    case BURL__MEAN_LANG:
        *lang = value && strcmp(value, "none") != 0 ? value : NULL;
        break;
    case BURL__MEAN_NO_LTO:
        cc->lto = false;
        break;
    case BURL__MEAN_LIB:
        cc->n_libs++;
        break;
    case BURL__MEAN_NONE:
        break;
    }
}

/* -Wp,-MD,file is how some build systems spell -MD -MF file. */
static void
note_wp(struct burl__cc *cc, const char *word)
{
    if (strncmp(word, "-Wp,-MD", 7) != 0 && strncmp(word, "-Wp,-MMD", 8) != 0)
        return;
    cc->depend = true;
    cc->dep_file_said = true;
    if (strstr(word, ",-MT,") || strstr(word, ",-MQ,"))
        cc->dep_named = true;
}

static enum burl_status
parse_words(struct burl__cc *cc, const struct burl__argv *all, struct burl_err *err)
{
    const char *lang = NULL;
    enum burl_status st;

    for (size_t i = 0; i < all->n; i++) {
        const char *word = all->v[i];
        const char *next = i + 1 < all->n ? all->v[i + 1] : NULL;
        const char *value;

        if (burl__cc_own_flag(cc, word))
            continue;
        st = burl__cc_check_own_value(word, err);
        if (st != BURL_OK)
            return st;
        if (word[0] != '-' || !word[1]) {
            add_input(cc, word, lang);
            continue;
        }
        note_debug(cc, word);
        note_target(cc, word, next);
        note_wp(cc, word);
        const struct burl__option *o = burl__cc_option(word, &value);
        if (!o) {
            add_word(cc, word, BURL__STAGE_ALL);
            continue;
        }
        bool takes_next = o->form == BURL__FORM_SEP || (o->form == BURL__FORM_EITHER && !*value);
        const char *arg = takes_next ? next : value;
        apply_option(cc, o, arg, &lang);
        if (o->stages)
            add_word(cc, word, o->stages);
        if (takes_next && next) {
            i++;
            if (o->stages)
                add_word(cc, next, o->stages);
        }
    }
    return BURL_OK;
}

/* The strings cc points to live in this list until burl__cc_deinit(). */
static struct burl__argv expanded;

enum burl_status
burl__cc_parse(struct burl__cc *cc, int argc, char **argv, struct burl_err *err)
{
    const char *env = getenv("BURL_CC_FLAGS");
    enum burl_status st;

    if (env) {
        bool unused = false;

        expand_file(&expanded, env, MAX_RESPONSE_DEPTH, &unused);
        for (size_t i = 0; i < expanded.n; i++) {
            if (!burl__cc_own_flag(cc, expanded.v[i]))
                return burl__cc_refuse_flag(expanded.v[i], err);
        }
    }
    for (int i = 0; i < argc; i++)
        expand_word(&expanded, argv[i], 0, &cc->used_response);
    st = parse_words(cc, &expanded, err);
    if (st != BURL_OK)
        return st;
    if (cc->late && cc->blocks)
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "--blocks requires --early: the optimizer removes the basic blocks of the source");
    if (cc->record && (cc->late || cc->blocks))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--record is a profile of its own: it does not go with %s",
                            cc->late ? "--late" : "--blocks");
    if (cc->fast_run && (cc->late || cc->record))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--fast-run adds copies to the default profile: it does not go with %s",
                            cc->late ? "--late" : "--record");
    return BURL_OK;
}

void
burl__cc_deinit(struct burl__cc *cc)
{
    for (size_t i = 0; i < cc->words.n; i++)
        free(cc->words.v[i].text);
    BURL_VEC_FREE(&cc->words);
    burl__argv_free(&expanded);
}
