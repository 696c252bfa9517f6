/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/meson.c - the tests of Meson: `meson introspect --tests`.
 *
 * Runs in the host. Names are unique in one suite of Meson's only: a repeated name gets the name of
 * its suite in front.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "suite/suite_int.h"

/* By Meson's rules, in the protocol "exitcode". */
#define SKIP_CODE 77

static const char *
string_of(const struct burl_json_value *test, const char *key)
{
    return burl_json_as_str(burl_json_get(test, key), "");
}

/*
 * `meson introspect` gives environment.prepend() and append() as if the variable had been empty
 * before. A search path is the usual case, and one that replaced ours would find nothing.
 */
static void
set_variable(struct burl__suite_words *env, const char *name, const char *value)
{
    const size_t n = strlen(name);
    const char *ours = n >= 4 && strcmp(name + n - 4, "PATH") == 0 ? getenv(name) : NULL;
    char *entry = ours && *ours ? burl_xasprintf("%s=%s:%s", name, value, ours)
                                : burl_xasprintf("%s=%s", name, value);

    burl__suite_set_env(env, entry);
    free(entry);
}

static bool
is_repeated(const struct burl_json_value *tests, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < burl_json_count(tests); i++)
        n += strcmp(string_of(burl_json_at(tests, i), "name"), name) == 0;
    return n > 1;
}

static void
add_test(struct burl_suite *s, const struct burl_json_value *tests, const struct burl_json_value *v)
{
    const struct burl_json_value *vars = burl_json_get(v, "env");
    const struct burl_json_value *paths = burl_json_get(v, "extra_paths");
    const char *suite = burl_json_as_str(burl_json_at(burl_json_get(v, "suite"), 0), "");
    const char *name = string_of(v, "name");
    char *full = *suite && is_repeated(tests, name) ? burl_xasprintf("%s/%s", suite, name)
                                                    : burl_xstrdup(name);
    struct burl_suite_test *t = burl__suite_add(s, full);
    struct burl__suite_words argv = { 0 };
    struct burl__suite_words env = { 0 };
    uint64_t seconds;

    free(full);
    burl__suite_add_strings(&argv, burl_json_get(v, "cmd"));
    for (size_t i = 0; vars && vars->type == BURL_JSON_OBJECT && i < vars->n; i++)
        set_variable(&env, vars->items[i].key, burl_json_as_str(&vars->items[i], ""));
    for (size_t i = 0; i < burl_json_count(paths); i++) {
        const char *is = burl__suite_get_env(&env, "PATH");
        char *entry = burl_xasprintf("PATH=%s%s%s", burl_json_as_str(burl_json_at(paths, i), ""),
                                     is ? ":" : "", is ? is : "");

        burl__suite_set_env(&env, entry);
        free(entry);
    }
    if (burl_json_as_u64(burl_json_get(v, "timeout"), &seconds))
        t->timeout_ms = seconds * 1000;
    if (strcmp(string_of(v, "protocol"), "exitcode") == 0)
        t->skip_code = SKIP_CODE;
    burl__suite_set_command(s, t, burl_json_as_str(burl_json_get(v, "workdir"), NULL), &argv, &env);
}

enum burl_status
burl__suite_parse_meson(struct burl_suite *s, const char *text, size_t n, struct burl_err *err)
{
    struct burl_json_value *root;
    enum burl_status st = burl_json_parse(&root, text, n, err);

    if (st != BURL_OK || root->type != BURL_JSON_ARRAY) {
        if (st == BURL_OK)
            burl_json_free(root);
        return burl_err_set(err, BURL_E_TARGET, 0, "the JSON of meson in %s cannot be read",
                            s->source);
    }
    for (size_t i = 0; i < burl_json_count(root); i++)
        add_test(s, root, burl_json_at(root, i));
    burl_json_free(root);
    return BURL_OK;
}

enum burl_status
burl__suite_load_meson(struct burl_suite *s, struct burl_err *err)
{
    const char *const argv[] = { "meson", "introspect", "--tests", s->source, NULL };
    char *text;
    size_t n;
    enum burl_status st = burl__suite_run_tool(argv, s->source, "meson", &text, &n, err);

    if (st != BURL_OK)
        return st;
    st = burl__suite_parse_meson(s, text, n, err);
    free(text);
    return st;
}
