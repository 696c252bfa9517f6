/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/file.c - `burl.tests`: one `name: command` per line (docs/formats/tests.md).
 *
 * Runs in the host. Commands are split into words as by a shell, but no shell runs them. A word
 * that only a shell could interpret is an error: a literal "|" or "$X" among the arguments would
 * record something else than the test.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/fs.h"
#include "base/linereader.h"
#include "base/mem.h"
#include "base/shellwords.h"
#include "suite/suite_int.h"

#define FILE_MAX_B ((size_t)64 << 20)

/* One line, taken apart. */
struct line {
    struct burl_span name;
    struct burl_span settings; /* between the parentheses; p NULL: there are none */
    struct burl_span command;
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Is there a colon that ends a name: one before a blank or the end of the line? */
static bool
ends_name(struct burl_span s, size_t i)
{
    return s.p[i] == ':' && (i + 1 == s.n || is_blank(s.p[i + 1]));
}

/* The index of the parenthesis that ends the settings; quotes hide it. s.n: there is none. */
static size_t
settings_end(struct burl_span s, size_t i)
{
    char quote = '\0';

    for (; i < s.n; i++) {
        if (quote != '\0')
            quote = s.p[i] == quote ? '\0' : quote;
        else if (s.p[i] == '"' || s.p[i] == '\'')
            quote = s.p[i];
        else if (s.p[i] == ')')
            break;
    }
    return i;
}

static bool
split_line(struct burl_span s, struct line *out)
{
    size_t i = 0;

    *out = (struct line){ 0 };
    while (i < s.n && !ends_name(s, i) && !(i > 0 && s.p[i] == '(' && is_blank(s.p[i - 1])))
        i++;
    if (i == s.n)
        return false;
    out->name = burl_span_trim((struct burl_span){ s.p, i });
    if (s.p[i] == '(') {
        const size_t end = settings_end(s, i);

        out->settings = (struct burl_span){ s.p + i + 1, end - i - 1 };
        if (end == s.n || end + 1 == s.n || !ends_name(s, end + 1))
            return false;
        i = end + 1;
    }
    out->command = burl_span_trim((struct burl_span){ s.p + i + 1, s.n - i - 1 });
    return out->name.n > 0;
}

/* The first character that needs a shell; '\0' none. In double quotes only $ and ` do. */
static char
needs_shell(const char *text)
{
    char quote = '\0';

    for (const char *s = text; *s; s++) {
        if (*s == '\\' && quote != '\'' && s[1])
            s++;
        else if (quote == '\'' ? *s == quote : *s == '"' || (*s == '\'' && quote == '\0'))
            quote = quote == '\0' ? *s : '\0';
        else if (quote == '\0' ? strchr("|&;<>$`", *s) != NULL
                               : quote == '"' && (*s == '$' || *s == '`'))
            return *s;
    }
    return '\0';
}

/* NAME=VALUE before the command sets a variable, as in a shell. */
static bool
is_assignment(const char *word)
{
    const char *s = word;

    if (!isalpha((unsigned char)*s) && *s != '_')
        return false;
    while (isalnum((unsigned char)*s) || *s == '_')
        s++;
    return *s == '=';
}

static enum burl_status
read_setting(const struct burl_linereader *r, struct burl_suite_test *t, char *word, char **dir,
             struct burl_err *err)
{
    const size_t n = strlen(word);
    uint64_t code;

    if (n > 0 && word[n - 1] == ',')
        word[n - 1] = '\0';
    if (strncmp(word, "dir=", 4) == 0 && word[4]) {
        free(*dir);
        *dir = burl_xstrdup(word + 4);
        return BURL_OK;
    }
    if (strncmp(word, "timeout=", 8) == 0 && burl_duration_parse(word + 8, &t->timeout_ms))
        return BURL_OK;
    if (strncmp(word, "skip=", 5) == 0 &&
        burl_span_number((struct burl_span){ word + 5, strlen(word + 5) }, 10, 255, &code)) {
        t->skip_code = (int)code;
        return BURL_OK;
    }
    if (strcmp(word, "fail") == 0) {
        t->should_fail = true;
        return BURL_OK;
    }
    return burl_linereader_fail(r, BURL_E_USAGE, err,
                                "\"%s\" is not a setting; there are dir=DIR, timeout=TIME, "
                                "skip=CODE and fail",
                                word);
}

static enum burl_status
read_settings(const struct burl_linereader *r, struct burl_suite_test *t, struct burl_span text,
              char **dir, struct burl_err *err)
{
    struct burl_shellwords words = { 0 };
    char *copy = burl_xstrndup(text.n > 0 ? text.p : "", text.n);
    enum burl_status st = BURL_OK;

    if (!burl_shellwords_split(&words, copy))
        st = burl_linereader_fail(r, BURL_E_USAGE, err, "a quote is not closed");
    for (size_t i = 0; i < words.n && st == BURL_OK; i++)
        st = read_setting(r, t, words.v[i], dir, err);
    burl_shellwords_deinit(&words);
    free(copy);
    return st;
}

/* Moves the words of the command into argv, and assignments before it into env. */
static enum burl_status
read_command(const struct burl_linereader *r, struct burl_span text, struct burl__suite_words *argv,
             struct burl__suite_words *env, struct burl_err *err)
{
    struct burl_shellwords words = { 0 };
    char *copy = burl_xstrndup(text.n > 0 ? text.p : "", text.n);
    const char bad = needs_shell(copy);
    enum burl_status st = BURL_OK;

    if (!burl_shellwords_split(&words, copy))
        st = burl_linereader_fail(r, BURL_E_USAGE, err, "a quote is not closed");
    else if (bad)
        st = burl_linereader_fail(
            r, BURL_E_USAGE, err,
            "\"%c\" needs a shell, and commands are started without one; quote "
            "it, or write sh -c '...'",
            bad);
    for (size_t i = 0; i < words.n && st == BURL_OK; i++) {
        if (argv->n == 0 && is_assignment(words.v[i]))
            burl__suite_set_env(env, words.v[i]);
        else
            BURL_VEC_PUSH(argv, burl_xstrdup(words.v[i]));
    }
    if (st == BURL_OK && (argv->n == 0 || argv->v[0][0] == '\0'))
        st = burl_linereader_fail(r, BURL_E_USAGE, err, "the test has no command");
    burl_shellwords_deinit(&words);
    free(copy);
    return st;
}

static enum burl_status
read_test(struct burl_suite *s, struct burl_linereader *r, struct burl_err *err)
{
    struct burl__suite_words argv = { 0 };
    struct burl__suite_words env = { 0 };
    struct burl_suite_test *t;
    struct line line;
    char *dir = NULL;
    enum burl_status st;
    char *name;

    if (!split_line(burl_span_trim(r->rest), &line))
        return burl_linereader_fail(r, BURL_E_USAGE, err, "expected `name: command`");
    name = burl_xstrndup(line.name.p, line.name.n);
    t = burl__suite_add(s, name);
    free(name);
    r->rest = line.command;
    burl_linereader_cut_comment(r, true);
    st = read_settings(r, t, line.settings, &dir, err);
    if (st == BURL_OK)
        st = read_command(r, r->rest, &argv, &env, err);
    if (st == BURL_OK)
        burl__suite_set_command(s, t, dir, &argv, &env);
    free(dir);
    burl__suite_words_deinit(&argv);
    burl__suite_words_deinit(&env);
    return st;
}

enum burl_status
burl__suite_parse_file(struct burl_suite *s, const char *text, size_t n, struct burl_err *err)
{
    BURL_VEC(uint32_t) lines = { 0 };
    struct burl_linereader r;
    enum burl_status st = burl_linereader_open(&r, s->source, text, n, BURL_E_USAGE, err);

    while (st == BURL_OK && burl_linereader_next_words(&r)) {
        st = read_test(s, &r, err);
        BURL_VEC_PUSH(&lines, r.line);
        for (size_t i = 0; st == BURL_OK && i + 1 < s->tests.n; i++)
            if (strcmp(s->tests.v[i].name, s->tests.v[s->tests.n - 1].name) == 0)
                st = burl_linereader_fail(&r, BURL_E_USAGE, err,
                                          "the name \"%s\" is that of line %u too; rename one",
                                          s->tests.v[i].name, lines.v[i]);
    }
    BURL_VEC_FREE(&lines);
    return st;
}

enum burl_status
burl__suite_load_file(struct burl_suite *s, struct burl_err *err)
{
    char *text;
    size_t n;
    enum burl_status st = burl_fs_read_file(s->source, FILE_MAX_B, &text, &n, err);

    if (st != BURL_OK)
        return st;
    st = burl__suite_parse_file(s, text, n, err);
    free(text);
    return st;
}
