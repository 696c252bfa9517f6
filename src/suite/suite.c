/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/suite.c - test suites: what all importers share; contract in suite.h.
 *
 * Runs in the host.
 */
#include "suite/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/proc.h"
#include "suite/suite_int.h"

extern char **environ;

/* Listing the tests of a large project takes seconds. */
#define TOOL_TIMEOUT_MS 120000
#define TOOL_OUTPUT_B ((size_t)256 << 20)

/* ---- lists of strings ---------------------------------------------------------------- */

char **
burl__suite_take_words(struct burl__suite_words *w)
{
    char **v;

    BURL_VEC_PUSH(w, NULL);
    v = w->v;
    *w = (struct burl__suite_words){ 0 };
    return v;
}

void
burl__suite_words_deinit(struct burl__suite_words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    BURL_VEC_FREE(w);
}

void
burl__suite_add_strings(struct burl__suite_words *w, const struct burl_json_value *array)
{
    for (size_t i = 0; i < burl_json_count(array); i++) {
        const char *word = burl_json_as_str(burl_json_at(array, i), NULL);

        if (word)
            BURL_VEC_PUSH(w, burl_xstrdup(word));
    }
}

static void
free_words(char **v)
{
    for (size_t i = 0; v && v[i]; i++)
        free(v[i]);
    free(v);
}

/* ---- environments -------------------------------------------------------------------- */

static size_t
name_length(const char *entry)
{
    return strcspn(entry, "=");
}

static bool
same_name(const char *a, const char *b)
{
    const size_t n = name_length(a);

    return n == name_length(b) && strncmp(a, b, n) == 0;
}

void
burl__suite_set_env(struct burl__suite_words *env, const char *entry)
{
    for (size_t i = 0; i < env->n; i++) {
        if (same_name(env->v[i], entry)) {
            free(env->v[i]);
            env->v[i] = burl_xstrdup(entry);
            return;
        }
    }
    BURL_VEC_PUSH(env, burl_xstrdup(entry));
}

const char *
burl__suite_get_env(const struct burl__suite_words *env, const char *name)
{
    for (size_t i = 0; i < env->n; i++) {
        if (same_name(env->v[i], name)) {
            const char *equal = strchr(env->v[i], '=');

            return equal ? equal + 1 : NULL;
        }
    }
    return getenv(name);
}

char **
burl_suite_make_env(const struct burl_suite_test *t, const char *const *more)
{
    struct burl__suite_words all = { 0 };
    size_t kept = 0;

    for (size_t i = 0; environ && environ[i]; i++)
        BURL_VEC_PUSH(&all, burl_xstrdup(environ[i]));
    for (size_t i = 0; t->env[i]; i++)
        burl__suite_set_env(&all, t->env[i]);
    for (size_t i = 0; more && more[i]; i++)
        burl__suite_set_env(&all, more[i]);
    for (size_t i = 0; i < all.n; i++) {
        if (strchr(all.v[i], '='))
            all.v[kept++] = all.v[i];
        else
            free(all.v[i]);
    }
    all.n = kept;
    return burl__suite_take_words(&all);
}

void
burl_suite_free_env(char **env)
{
    free_words(env);
}

/* ---- tests --------------------------------------------------------------------------- */

struct burl_suite_test *
burl__suite_add(struct burl_suite *s, const char *name)
{
    struct burl_suite_test *t = BURL_VEC_ADD(&s->tests);

    t->name = burl_xstrdup(name);
    t->skip_code = -1;
    return t;
}

static void
free_test(struct burl_suite_test *t)
{
    free(t->name);
    free_words(t->argv);
    free_words(t->env);
    free(t->dir);
}

void
burl__suite_drop(struct burl_suite *s)
{
    free_test(&s->tests.v[--s->tests.n]);
}

void
burl__suite_set_command(struct burl_suite *s, struct burl_suite_test *t, const char *dir,
                        struct burl__suite_words *argv, struct burl__suite_words *env)
{
    t->dir = burl_path_join(s->root, dir && *dir ? dir : ".");
    if (!dir || !*dir) {
        free(t->dir);
        t->dir = burl_xstrdup(s->root);
    }
    if (argv->n == 0)
        BURL_VEC_PUSH(argv, burl_xstrdup(""));
    if (argv->v[0][0] != '/' && strchr(argv->v[0], '/')) {
        const char *word = argv->v[0];
        char *full;

        while (strncmp(word, "./", 2) == 0)
            for (word += 2; *word == '/'; word++)
                ;
        full = burl_path_join(t->dir, word);
        free(argv->v[0]);
        argv->v[0] = full;
    }
    t->argv = burl__suite_take_words(argv);
    t->env = burl__suite_take_words(env);
}

const struct burl_suite_test *
burl_suite_find(const struct burl_suite *s, const char *name)
{
    for (size_t i = 0; i < s->tests.n; i++)
        if (strcmp(s->tests.v[i].name, name) == 0)
            return &s->tests.v[i];
    return NULL;
}

/* ---- programs ------------------------------------------------------------------------ */

/* The part of `path` below `dir`; NULL: it is not below. */
static const char *
below(const char *dir, const char *path)
{
    size_t n = strlen(dir);

    while (n > 0 && dir[n - 1] == '/')
        n--;
    return strncmp(dir, path, n) == 0 && path[n] == '/' && path[n + 1] ? path + n + 1 : NULL;
}

char *
burl_suite_program_key(const struct burl_suite *s, const char *path)
{
    /* A running process knows its executable by the path without links. */
    char *real_root = realpath(s->root, NULL);
    char *real = realpath(path, NULL);
    const char *rest = below(s->root, path);
    char *key;

    if (!rest && real_root)
        rest = below(real_root, path);
    if (!rest && real_root && real)
        rest = below(real_root, real);
    key = burl_xstrdup(rest ? rest : path);
    free(real_root);
    free(real);
    return key;
}

char *
burl_suite_program_path(const struct burl_suite *s, const char *key)
{
    return burl_path_join(s->root, key);
}

char *
burl_suite_identity(const struct burl_suite *s)
{
    static const char *const kinds[] = {
        [BURL_SUITE_FILE] = "file", [BURL_SUITE_CTEST] = "ctest", [BURL_SUITE_MESON] = "meson"
    };
    char *here = realpath(".", NULL);
    char *real = realpath(s->source, NULL);
    const char *path = real ? real : s->source;
    const char *rest = here ? below(here, path) : NULL;
    char *out;

    if (here && strcmp(here, path) == 0)
        rest = ".";
    out = burl_xasprintf("%s %s", kinds[s->kind], rest ? rest : path);
    free(here);
    free(real);
    return out;
}

/* ---- loading ------------------------------------------------------------------------- */

enum burl_status
burl__suite_run_tool(const char *const *argv, const char *dir, const char *package, char **out,
                     size_t *n, struct burl_err *err)
{
    const struct burl_proc_opts opts = { .argv = argv, .cwd = dir, .in = BURL_PROC_NULL };
    struct burl_proc_output o = { 0 };
    enum burl_status st;
    char how[80];
    char *tool;

    *out = NULL;
    if (burl_path_which(&tool, argv[0], NULL) != BURL_OK)
        return burl_err_set(err, BURL_E_TARGET, 0,
                            "%s is not installed (on Debian: apt-get install %s)", argv[0],
                            package);
    free(tool);
    st = burl_proc_capture(&o, &opts, TOOL_TIMEOUT_MS, TOOL_OUTPUT_B, err);
    if (st != BURL_OK)
        return st;
    if (!o.status.exited || o.status.code != 0) {
        const char *text = o.err_n > 0 ? o.err : o.out;

        burl_proc_describe(&o.status, how, sizeof how);
        st = burl_err_set(err, BURL_E_TARGET, 0, "%s cannot list the tests of %s: it %s: %.*s",
                          argv[0], dir, o.status.timed_out ? "took too long" : how,
                          (int)strcspn(text, "\n"), text);
    } else if (o.truncated) {
        st = burl_err_set(err, BURL_E_TARGET, 0, "%s lists too many tests in %s", argv[0], dir);
    } else {
        *n = o.out_n;
        *out = o.out;
        o.out = NULL;
    }
    burl_proc_output_deinit(&o);
    return st;
}

/* The words of a command, for messages. */
static void
show_command(const struct burl_suite_test *t, char *out, size_t n)
{
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; t->argv[i] && at + 1 < n; i++)
        at += (size_t)snprintf(out + at, n - at, "%s%s", i > 0 ? " " : "", t->argv[i]);
}

enum burl_status
burl__suite_check(const struct burl_suite *s, struct burl_err *err)
{
    if (s->tests.n == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "%s has no tests", s->source);
    for (size_t i = 0; i < s->tests.n; i++) {
        char a[160], b[160];

        for (size_t k = 0; k < i; k++) {
            if (strcmp(s->tests.v[k].name, s->tests.v[i].name) != 0)
                continue;
            show_command(&s->tests.v[k], a, sizeof a);
            show_command(&s->tests.v[i], b, sizeof b);
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "%s has two tests of the name \"%s\" (%s; and %s); rename one",
                                s->source, s->tests.v[i].name, a, b);
        }
    }
    return BURL_OK;
}

static enum burl_status
load(struct burl_suite *s, const char *path, struct burl_err *err)
{
    enum burl_status st;

    if (s->kind == BURL_SUITE_FILE ? !burl_fs_exists(path) : !burl_fs_is_dir(path))
        return burl_err_set(err, BURL_E_USAGE, 0,
                            s->kind == BURL_SUITE_FILE
                                ? "there is no %s; write one `name: command` per line into it, or "
                                  "give --ctest=BUILD_DIR or --meson=BUILD_DIR"
                                : "%s is not a directory",
                            path);
    st = burl_path_absolute(&s->source, path, err);
    if (st != BURL_OK)
        return st;
    s->root = s->kind == BURL_SUITE_FILE ? burl_path_dirname(s->source) : burl_xstrdup(s->source);
    switch (s->kind) {
    case BURL_SUITE_FILE:
        st = burl__suite_load_file(s, err);
        break;
    case BURL_SUITE_CTEST:
        st = burl__suite_load_ctest(s, err);
        break;
    case BURL_SUITE_MESON:
        st = burl__suite_load_meson(s, err);
        break;
    }
    return st == BURL_OK ? burl__suite_check(s, err) : st;
}

enum burl_status
burl_suite_load(struct burl_suite *s, enum burl_suite_kind kind, const char *path,
                struct burl_err *err)
{
    enum burl_status st;

    *s = (struct burl_suite){ .kind = kind };
    st = load(s, path, err);
    if (st != BURL_OK)
        burl_suite_deinit(s);
    return st;
}

void
burl_suite_deinit(struct burl_suite *s)
{
    for (size_t i = 0; i < s->tests.n; i++)
        free_test(&s->tests.v[i]);
    BURL_VEC_FREE(&s->tests);
    free(s->source);
    free(s->root);
    s->source = s->root = NULL;
}
