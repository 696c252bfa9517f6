/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/ctest.c - the tests of CTest: `ctest --show-only=json-v1`.
 *
 * Runs in the host. CTest leaves the command out when its executable does not exist: such a test is
 * kept, without a command. With a generator of several configurations that is every test until a
 * configuration is given, so the first one that was built is taken.
 */
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "suite/suite_int.h"

#define CACHE_MAX_B ((size_t)64 << 20)

static const struct burl_json_value *
property(const struct burl_json_value *test, const char *name)
{
    const struct burl_json_value *all = burl_json_get(test, "properties");

    for (size_t i = 0; i < burl_json_count(all); i++) {
        const struct burl_json_value *p = burl_json_at(all, i);

        if (strcmp(burl_json_as_str(burl_json_get(p, "name"), ""), name) == 0)
            return burl_json_get(p, "value");
    }
    return NULL;
}

/* Seconds, which need not be whole. */
static uint64_t
milliseconds(const struct burl_json_value *v)
{
    const double x = v && v->type == BURL_JSON_NUMBER ? strtod(v->str, NULL) * 1000 : 0;

    return x > 0 && x < 1e15 ? (uint64_t)(x + 0.5) : 0;
}

/* "NAME=OPERATION:VALUE" of ENVIRONMENT_MODIFICATION. */
static void
modify_env(struct burl__suite_words *env, const char *entry)
{
    static const struct {
        const char *name;
        char separator; /* '\0': none */
        bool prepend;
    } lists[] = {
        { "string_append", '\0', false },    { "string_prepend", '\0', true },
        { "path_list_append", ':', false },  { "path_list_prepend", ':', true },
        { "cmake_list_append", ';', false }, { "cmake_list_prepend", ';', true },
    };
    const char *equal = strchr(entry, '=');
    const char *colon = equal ? strchr(equal, ':') : NULL;
    char *name, *op, *text = NULL;

    if (!colon)
        return;
    name = burl_xstrndup(entry, (size_t)(equal - entry));
    op = burl_xstrndup(equal + 1, (size_t)(colon - equal - 1));
    if (strcmp(op, "set") == 0) {
        text = burl_xasprintf("%s=%s", name, colon + 1);
    } else if (strcmp(op, "unset") == 0) {
        text = burl_xstrdup(name);
    } else if (strcmp(op, "reset") == 0) {
        const char *ours = getenv(name);

        text = ours ? burl_xasprintf("%s=%s", name, ours) : burl_xstrdup(name);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const char *is = burl__suite_get_env(env, name);
        const char between[2] = { is && *is ? lists[i].separator : '\0', '\0' };

        if (strcmp(op, lists[i].name) != 0)
            continue;
        is = is ? is : "";
        text = burl_xasprintf("%s=%s%s%s", name, lists[i].prepend ? colon + 1 : is, between,
                              lists[i].prepend ? is : colon + 1);
    }
    if (text)
        burl__suite_set_env(env, text);
    free(text);
    free(name);
    free(op);
}

static bool
add_test(struct burl_suite *s, const struct burl_json_value *v)
{
    struct burl_suite_test *t = burl__suite_add(s, burl_json_as_str(burl_json_get(v, "name"), ""));
    const struct burl_json_value *set = property(v, "ENVIRONMENT");
    const struct burl_json_value *changes = property(v, "ENVIRONMENT_MODIFICATION");
    struct burl__suite_words argv = { 0 };
    struct burl__suite_words env = { 0 };
    int64_t code;

    burl__suite_add_strings(&argv, burl_json_get(v, "command"));
    for (size_t i = 0; i < burl_json_count(set); i++)
        burl__suite_set_env(&env, burl_json_as_str(burl_json_at(set, i), ""));
    for (size_t i = 0; i < burl_json_count(changes); i++)
        modify_env(&env, burl_json_as_str(burl_json_at(changes, i), ""));
    t->timeout_ms = milliseconds(property(v, "TIMEOUT"));
    t->should_fail = burl_json_as_bool(property(v, "WILL_FAIL"), false);
    if (burl_json_as_i64(property(v, "SKIP_RETURN_CODE"), &code))
        t->skip_code = (int)code;
    burl__suite_set_command(s, t, burl_json_as_str(property(v, "WORKING_DIRECTORY"), NULL), &argv,
                            &env);
    return t->argv[0][0] != '\0';
}

enum burl_status
burl__suite_parse_ctest(struct burl_suite *s, const char *text, size_t n, size_t *n_commands,
                        struct burl_err *err)
{
    struct burl_json_value *root;
    const struct burl_json_value *tests;
    int64_t major = 0;
    enum burl_status st = burl_json_parse(&root, text, n, err);

    *n_commands = 0;
    if (st != BURL_OK)
        return burl_err_set(err, BURL_E_TARGET, 0, "the JSON of ctest in %s cannot be read",
                            s->source);
    tests = burl_json_get(root, "tests");
    if (!burl_json_as_i64(burl_json_get(burl_json_get(root, "version"), "major"), &major) ||
        major != 1 || !tests || tests->type != BURL_JSON_ARRAY)
        st = burl_err_set(err, BURL_E_TARGET, 0,
                          "ctest describes the tests of %s in a format that burl does not know",
                          s->source);
    for (size_t i = 0; st == BURL_OK && i < burl_json_count(tests); i++) {
        const struct burl_json_value *v = burl_json_at(tests, i);

        /* CTest never runs these. */
        if (!burl_json_as_bool(property(v, "DISABLED"), false))
            *n_commands += add_test(s, v);
    }
    burl_json_free(root);
    return st;
}

/* The configurations of a generator that has several: "Debug;Release"; NULL: it has one. */
static char *
configurations(const char *dir)
{
    static const char key[] = "\nCMAKE_CONFIGURATION_TYPES:STRING=";
    char *path = burl_path_join(dir, "CMakeCache.txt");
    char *text = NULL;
    char *out = NULL;
    const char *at;

    if (burl_fs_read_file(path, CACHE_MAX_B, &text, NULL, NULL) == BURL_OK &&
        (at = strstr(text, key)) != NULL) {
        at += sizeof key - 1;
        out = burl_xstrndup(at, strcspn(at, "\r\n"));
    }
    free(text);
    free(path);
    return out;
}

static enum burl_status
list_tests(struct burl_suite *s, const char *config, size_t *n_commands, struct burl_err *err)
{
    const char *const argv[] = { "ctest", "--show-only=json-v1", config ? "-C" : NULL, config,
                                 NULL };
    char *text;
    size_t n;
    enum burl_status st = burl__suite_run_tool(argv, s->source, "cmake", &text, &n, err);

    if (st != BURL_OK)
        return st;
    st = burl__suite_parse_ctest(s, text, n, n_commands, err);
    free(text);
    return st;
}

enum burl_status
burl__suite_load_ctest(struct burl_suite *s, struct burl_err *err)
{
    char *configs = configurations(s->source);
    size_t n_commands = 0;
    enum burl_status st = BURL_OK;

    /* Outside of a build directory ctest lists no tests and succeeds. */
    if (!configs)
        st = list_tests(s, NULL, &n_commands, err);
    for (char *c = configs; c && *c && st == BURL_OK && n_commands == 0;) {
        char *end = c + strcspn(c, ";");
        const bool last = *end == '\0';

        *end = '\0';
        while (s->tests.n > 0)
            burl__suite_drop(s);
        st = list_tests(s, c, &n_commands, err);
        c = last ? end : end + 1;
    }
    free(configs);
    if (st == BURL_OK && s->tests.n == 0)
        st = burl_err_set(err, BURL_E_USAGE, 0,
                          "ctest knows no tests in %s; is it the build directory, and does the "
                          "project call enable_testing()?",
                          s->source);
    return st;
}
