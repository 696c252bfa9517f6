/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/params.c - parameters of the test; contract in params.h.
 *
 * Runs in the host. Only `{name}` with a name like an identifier is taken for a parameter, so that
 * braces of other languages pass; `{{` is one brace.
 */
#include "tune/params.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define PARAM_MAX 1000000000L
#define PARAM_WORDS_MAX 1000u

/* ---- reading ----------------------------------------------------------------------- */

static size_t
name_length(const char *text)
{
    size_t n = 0;

    if (!isalpha((unsigned char)text[0]) && text[0] != '_')
        return 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_' || text[n] == '-')
        n++;
    return n;
}

static bool
read_number(const char *text, const char *end, int32_t *out)
{
    char *stop;
    long x;

    if (text == end || isspace((unsigned char)*text))
        return false;
    errno = 0;
    x = strtol(text, &stop, 10);
    *out = (int32_t)x;
    return stop == end && errno == 0 && x >= -PARAM_MAX && x <= PARAM_MAX;
}

/* `1..16` */
static enum burl_status
read_range(struct burl_param *p, const char *text, const char *dots, const char *end,
           struct burl_err *err)
{
    if (!read_number(text, dots, &p->min) || !read_number(dots + 2, end, &p->max))
        return burl_err_set(
            err, BURL_E_USAGE, 0,
            "--param: %s=%.*s is no range of numbers from -%ld to %ld; write %s=1..16", p->name,
            (int)(end - text), text, PARAM_MAX, PARAM_MAX, p->name);
    if (p->min > p->max)
        return burl_err_set(err, BURL_E_USAGE, 0, "--param: the range %s=%d..%d is empty", p->name,
                            p->min, p->max);
    p->is_range = true;
    return BURL_OK;
}

/* `1..16` is; `../data` and `..` are names of files. */
static bool
looks_like_range(const char *text, const char *end)
{
    const char *dots = strstr(text, "..");

    return dots && dots < end && !memchr(text, '/', (size_t)(end - text)) &&
           !(dots == text && dots + 2 == end);
}

/* A list that has a range in it passes its text to the program: hardly what was meant. */
static bool
is_range(const char *text, const char *end)
{
    const char *dots = looks_like_range(text, end) ? strstr(text, "..") : NULL;
    int32_t x;

    return dots && read_number(text, dots, &x) && read_number(dots + 2, end, &x);
}

static enum burl_status
add_word(struct burl_param *p, const char *text, const char *end, struct burl_err *err)
{
    if (p->is_range)
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--param: %s is a range and cannot have more values (%.*s)", p->name,
                            (int)(end - text), text);
    if (text == end)
        return burl_err_set(err, BURL_E_USAGE, 0, "--param: %s has an empty value", p->name);
    if (p->words.n == 0 && looks_like_range(text, end))
        return read_range(p, text, strstr(text, ".."), end, err);
    if (is_range(text, end))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            "--param: %s is a list and cannot have a range (%.*s)", p->name,
                            (int)(end - text), text);
    if (p->words.n == PARAM_WORDS_MAX)
        return burl_err_set(err, BURL_E_USAGE, 0, "--param: %s has more than %u values", p->name,
                            PARAM_WORDS_MAX);
    BURL_VEC_PUSH(&p->words, burl_xstrndup(text, (size_t)(end - text)));
    return BURL_OK;
}

static const struct burl_param *
find(const struct burl_params *p, const char *name, size_t n)
{
    for (size_t i = 0; i < p->n; i++) {
        if (strlen(p->v[i].name) == n && memcmp(p->v[i].name, name, n) == 0)
            return &p->v[i];
    }
    return NULL;
}

static enum burl_status
add_param(struct burl_params *p, const char *name, size_t n, struct burl_err *err)
{
    if (find(p, name, n))
        return burl_err_set(err, BURL_E_USAGE, 0, "--param: %.*s is given twice", (int)n, name);
    if (n >= sizeof((struct burl_gene *)0)->name)
        return burl_err_set(err, BURL_E_USAGE, 0, "--param: the name %.*s is too long", (int)n,
                            name);
    BURL_VEC_PUSH(p, (struct burl_param){ .name = burl_xstrndup(name, n) });
    return BURL_OK;
}

enum burl_status
burl_params_parse(struct burl_params *p, const char *text, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    while (text && st == BURL_OK) {
        const char *comma = strchr(text, ',');
        const char *end = comma ? comma : text + strlen(text);
        const size_t n = name_length(text);

        if (n > 0 && text[n] == '=') {
            st = add_param(p, text, n, err);
            text += n + 1;
        } else if (p->n == 0) {
            st = burl_err_set(err, BURL_E_USAGE, 0,
                              "--param: %.*s has no name; write NAME=MIN..MAX or NAME=A,B,C",
                              (int)(end - text), text);
        }
        if (st == BURL_OK)
            st = add_word(&p->v[p->n - 1], text, end, err);
        text = comma ? comma + 1 : NULL;
    }
    return st;
}

void
burl_params_deinit(struct burl_params *p)
{
    for (size_t i = 0; i < p->n; i++) {
        for (size_t j = 0; j < p->v[i].words.n; j++)
            free(p->v[i].words.v[j]);
        BURL_VEC_FREE(&p->v[i].words);
        free(p->v[i].name);
    }
    BURL_VEC_FREE(p);
}

/* ---- as genes ---------------------------------------------------------------------- */

static bool
is_ordinal(const struct burl_param *p)
{
    for (size_t i = 0; i < p->words.n; i++) {
        char *end;

        strtod(p->words.v[i], &end);
        if (*end != '\0' || isspace((unsigned char)p->words.v[i][0]))
            return false;
    }
    return true;
}

enum burl_status
burl_params_genes(const struct burl_params *p, struct burl_genome *g, struct burl_err *err)
{
    enum burl_status st = BURL_OK;

    for (size_t i = 0; i < p->n && st == BURL_OK; i++) {
        const struct burl_param *x = &p->v[i];

        st = burl_genome_add_param(g, x->name, (uint32_t)i, x->is_range || is_ordinal(x),
                                   x->is_range ? x->min : 0,
                                   x->is_range ? x->max : (int32_t)x->words.n - 1, err);
    }
    return st;
}

const char *
burl_param_value(const struct burl_param *p, int32_t gene, char buf[16])
{
    if (!p->is_range)
        return p->words.v[gene];
    snprintf(buf, 16, "%d", gene);
    return buf;
}

/* ---- in the command ---------------------------------------------------------------- */

/* The length of the name in `{name}` at `at`; 0: it is something else. */
static size_t
braced(const char *at)
{
    const size_t n = at[0] == '{' ? name_length(at + 1) : 0;

    return n > 0 && at[n + 1] == '}' ? n : 0;
}

const char *
burl_params_find_braces(const char *word, size_t *n)
{
    for (const char *at = strchr(word, '{'); at; at = strchr(at, '{')) {
        *n = braced(at);
        if (*n > 0)
            return at + 1;
        at += at[1] == '{' ? 2 : 1;
    }
    return NULL;
}

static enum burl_status
check_word(const struct burl_params *p, const char *word, bool *used, struct burl_err *err)
{
    for (const char *at = strchr(word, '{'); at; at = strchr(at, '{')) {
        const size_t n = braced(at);
        const struct burl_param *x = n > 0 ? find(p, at + 1, n) : NULL;

        if (n > 0 && !x)
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "{%.*s} in the command is no parameter: give it with --param "
                                "'%.*s=...', or write {{ for a brace",
                                (int)n, at + 1, (int)n, at + 1);
        if (x)
            used[x - p->v] = true;
        at += at[1] == '{' ? 2 : 1;
    }
    return BURL_OK;
}

enum burl_status
burl_params_check(const struct burl_params *p, const char *const *argv, struct burl_err *err)
{
    bool *used = burl_xcalloc(p->n + 1, sizeof *used);
    enum burl_status st = BURL_OK;
    size_t n;

    if (p->n > 0 && burl_params_find_braces(argv[0], &n))
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "the program cannot be a parameter (%s): a search is of one program; use "
                          "parameters in its arguments, and one burl tune for each program",
                          argv[0]);
    for (size_t i = 0; p->n > 0 && argv[i] && st == BURL_OK; i++)
        st = check_word(p, argv[i], used, err);
    for (size_t i = 0; i < p->n && st == BURL_OK; i++) {
        if (!used[i])
            st = burl_err_set(err, BURL_E_USAGE, 0,
                              "--param: %s is not used: the command has no {%s}", p->v[i].name,
                              p->v[i].name);
    }
    free(used);
    return st;
}

static void
put_value(struct burl_buf *b, const struct burl_param *x, size_t at, const struct burl_genome *g,
          const struct burl_genes *genes)
{
    char buf[16];

    for (size_t i = BURL_GENE_PAPER; i < g->n; i++) {
        if (g->v[i].role == BURL_GENE_PARAM && g->v[i].param == at)
            burl_buf_str_append(b, burl_param_value(x, genes->v[i], buf));
    }
}

static char *
fill(const struct burl_params *p, const struct burl_genome *g, const struct burl_genes *genes,
     const char *word)
{
    struct burl_buf b = BURL_BUF_INIT;

    while (*word) {
        const size_t n = braced(word);
        const struct burl_param *x = n > 0 ? find(p, word + 1, n) : NULL;

        if (x) {
            put_value(&b, x, (size_t)(x - p->v), g, genes);
            word += n + 2;
        } else {
            burl_buf_char(&b, *word);
            word += word[0] == '{' && word[1] == '{' ? 2 : 1;
        }
    }
    return burl_buf_take(&b, NULL);
}

char **
burl_params_command(const struct burl_params *p, const struct burl_genome *g,
                    const struct burl_genes *x, const char *const *argv)
{
    size_t n = 0;
    char **out;

    while (argv[n])
        n++;
    out = burl_xcalloc(n + 1, sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i] = p->n > 0 ? fill(p, g, x, argv[i]) : burl_xstrdup(argv[i]);
    return out;
}

void
burl_params_free_command(char **argv)
{
    for (size_t i = 0; argv && argv[i]; i++)
        free(argv[i]);
    free(argv);
}
