/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/align.c - tests of a recorded version and of the suite of today; contract in align.h.
 *
 * Runs in the host. The build directory may differ from that of the recording: words of a
 * command that are paths are equal if their last parts are.
 */
#include "regress/align.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "regress/build.h"

/* ---- --only ------------------------------------------------------------------------------ */

static void
free_words(char **v)
{
    for (size_t i = 0; v && v[i]; i++)
        free(v[i]);
    free(v);
}

enum burl_status
burl_regress_align_only(struct burl_suite *suite, const char *only, struct burl_err *err)
{
    size_t n = 0;

    if (!only)
        return BURL_OK;
    for (size_t i = 0; i < suite->tests.n; i++) {
        struct burl_suite_test *t = &suite->tests.v[i];

        if (fnmatch(only, t->name, 0) == 0) {
            suite->tests.v[n++] = *t;
            continue;
        }
        free(t->name);
        free_words(t->argv);
        free_words(t->env);
        free(t->dir);
    }
    suite->tests.n = n;
    if (n == 0)
        return burl_err_set(err, BURL_E_USAGE, 0, "no test matches --only=%s", only);
    return BURL_OK;
}

/* ---- commands ---------------------------------------------------------------------------- */

struct commands {
    BURL_VEC(char *) names;
    BURL_VEC(char *) json; /* NULL: not known */
};

static enum burl_status
add_command(void *arg, const struct burl_store_test *t, struct burl_err *err)
{
    struct commands *c = arg;

    (void)err;
    BURL_VEC_PUSH(&c->names, burl_xstrdup(t->name));
    BURL_VEC_PUSH(&c->json, t->command ? burl_xstrdup(t->command) : NULL);
    return BURL_OK;
}

static void
free_commands(struct commands *c)
{
    for (size_t i = 0; i < c->names.n; i++) {
        free(c->names.v[i]);
        free(c->json.v[i]);
    }
    BURL_VEC_FREE(&c->names);
    BURL_VEC_FREE(&c->json);
}

static bool
same_word(const char *a, const char *b)
{
    if (strcmp(a, b) == 0)
        return true;
    return strchr(a, '/') && strchr(b, '/') &&
           strcmp(burl_path_basename(a), burl_path_basename(b)) == 0;
}

/* Is the recorded command that of today? One that cannot be read says nothing. */
static bool
same_command(const char *json, char *const *argv)
{
    struct burl_json_value *v;
    struct burl_err ignored;
    size_t n = 0;
    bool same = true;

    if (!json || burl_json_parse(&v, json, strlen(json), &ignored) != BURL_OK)
        return true;
    while (argv[n])
        n++;
    same = burl_json_count(v) == n;
    for (size_t i = 0; i < n && same; i++)
        same = same_word(burl_json_as_str(burl_json_at(v, i), ""), argv[i]);
    burl_json_free(v);
    return same;
}

/* ---- programs ---------------------------------------------------------------------------- */

static bool
is_file(const char *path, const struct stat *file)
{
    struct stat sb;

    return stat(path, &sb) == 0 && sb.st_dev == file->st_dev && sb.st_ino == file->st_ino;
}

/* The instrumented program that the command starts and the history does not have; NULL none. The
 * caller frees. */
static char *
unrecorded_program(const struct burl_suite *suite, const struct burl_suite_test *now,
                   const struct burl_regress_test *was)
{
    struct burl_err ignored;
    struct stat file;
    char *path = NULL;

    if (!now->argv[0] || !now->argv[0][0] ||
        burl_path_which(&path, now->argv[0], &ignored) != BURL_OK)
        return NULL;
    if (stat(path, &file) != 0) {
        free(path);
        return NULL;
    }
    for (size_t i = 0; i < was->histories.n; i++) {
        char *known = burl_suite_program_path(suite, was->histories.v[i].program);
        bool same = is_file(known, &file);

        free(known);
        if (same) {
            free(path);
            return NULL;
        }
    }
    if (burl_regress_is_instrumented(path))
        return path;
    free(path);
    return NULL;
}

/* ---- all --------------------------------------------------------------------------------- */

static void
free_test(struct burl_regress_test *t)
{
    for (size_t i = 0; i < t->histories.n; i++)
        burl_history_deinit(&t->histories.v[i]);
    BURL_VEC_FREE(&t->histories);
    free(t->name);
    free(t->why);
}

static void
set_pending(struct burl_regress_test *t, char *why_owned)
{
    t->state = BURL_TEST_PENDING;
    free(t->why);
    t->why = why_owned;
}

/* Moves the recorded test `name` out of the version; false: there is none. */
static bool
take_test(struct burl_regress_version *v, const char *name, struct burl_regress_test *out)
{
    for (size_t i = 0; i < v->tests.n; i++) {
        if (!v->tests.v[i].name || strcmp(v->tests.v[i].name, name) != 0)
            continue;
        *out = v->tests.v[i];
        memset(&v->tests.v[i], 0, sizeof v->tests.v[i]);
        return true;
    }
    return false;
}

static const char *
command_of(const struct commands *c, const char *name)
{
    for (size_t i = 0; i < c->names.n; i++)
        if (strcmp(c->names.v[i], name) == 0)
            return c->json.v[i];
    return NULL;
}

static void
judge(struct burl_regress_test *t, const struct burl_suite *suite,
      const struct burl_suite_test *now, const struct commands *commands)
{
    char *program;

    if (t->state == BURL_TEST_PENDING || t->state == BURL_TEST_UNSTARTED)
        return;
    if (!same_command(command_of(commands, t->name), now->argv)) {
        set_pending(t, burl_xstrdup("its command is not the one that was recorded"));
        return;
    }
    program = unrecorded_program(suite, now, t);
    if (program)
        set_pending(t, burl_xasprintf("it runs %s, which was not recorded", program));
    free(program);
}

static enum burl_status
other_suite(const struct burl_regress_version *v, const struct burl_suite *suite,
            struct burl_err *err)
{
    char *identity = burl_suite_identity(suite);
    enum burl_status st =
        burl_err_set(err, BURL_E_USAGE, 0,
                     "version %s was recorded of the suite \"%s\" and has no test of \"%s\"; run "
                     "`burl regress record` for this suite",
                     v->name, v->suite, identity);

    free(identity);
    return st;
}

enum burl_status
burl_regress_align(struct burl_regress_version *v, struct burl_store *store,
                   const struct burl_suite *suite, struct burl_err *err)
{
    struct burl_regress_version fresh = { 0 };
    struct commands commands = { 0 };
    size_t n_known = 0;
    enum burl_status st = burl_store_tests_each(store, v->id, add_command, &commands, err);

    for (size_t i = 0; i < suite->tests.n && st == BURL_OK; i++) {
        const struct burl_suite_test *now = &suite->tests.v[i];
        struct burl_regress_test t = { 0 };

        if (take_test(v, now->name, &t)) {
            n_known++;
            judge(&t, suite, now, &commands);
        } else {
            t.name = burl_xstrdup(now->name);
            set_pending(&t, burl_xstrdup("it is new in the suite"));
        }
        BURL_VEC_PUSH(&fresh.tests, t);
    }
    if (st == BURL_OK && n_known == 0)
        st = other_suite(v, suite, err);
    for (size_t i = 0; i < v->tests.n; i++)
        free_test(&v->tests.v[i]);
    BURL_VEC_FREE(&v->tests);
    v->tests.v = fresh.tests.v;
    v->tests.n = fresh.tests.n;
    v->tests.cap = fresh.tests.cap;
    free_commands(&commands);
    return st;
}
