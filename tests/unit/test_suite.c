/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_suite.c - suites: commands, environments, directories and limits as the source
 * has them.
 */
#include "unit.h"

#include <unistd.h>

#include "base/duration.h"
#include "suite/suite_int.h"

static void
begin(struct burl_suite *s, enum burl_suite_kind kind)
{
    *s = (struct burl_suite){ .kind = kind,
                              .source = burl_xstrdup("/src/burl.tests"),
                              .root = burl_xstrdup("/src") };
}

static enum burl_status
parse(struct burl_suite *s, const char *text, struct burl_err *err)
{
    begin(s, BURL_SUITE_FILE);
    return burl__suite_parse_file(s, text, strlen(text), err);
}

static void
expect_words(char *const *words, const char *want)
{
    char got[512] = "";

    for (size_t i = 0; words[i]; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "[%s]", words[i]);
    assert_string_equal(got, want);
}

static void
lines_are_names_and_commands(void **state)
{
    static const char text[] = "# suite\n"
                               "\n"
                               "one: ./a -x 'two words' \"q\" # a comment\n"
                               "  ns::two : sh -c 'echo a#b; exit 3'\r\n"
                               "don't wait: A=1 B='x y' /bin/c C=2\n";
    struct burl_suite s;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(parse(&s, text, &err), &err);
    assert_int_equal(s.tests.n, 3);
    assert_string_equal(s.tests.v[0].name, "one");
    expect_words(s.tests.v[0].argv, "[/src/a][-x][two words][q]");
    expect_words(s.tests.v[0].env, "");
    assert_string_equal(s.tests.v[0].dir, "/src");
    assert_int_equal(s.tests.v[0].timeout_ms, 0);
    assert_int_equal(s.tests.v[0].skip_code, -1);
    assert_false(s.tests.v[0].should_fail);
    assert_string_equal(s.tests.v[1].name, "ns::two");
    expect_words(s.tests.v[1].argv, "[sh][-c][echo a#b; exit 3]");
    assert_string_equal(s.tests.v[2].name, "don't wait");
    expect_words(s.tests.v[2].argv, "[/bin/c][C=2]");
    expect_words(s.tests.v[2].env, "[A=1][B=x y]");
    burl_suite_deinit(&s);
}

static void
settings_are_in_parentheses(void **state)
{
    static const char text[] = "one (dir=sub, timeout=1.5s, skip=77, fail): ./a\n"
                               "two (dir='a) b' timeout=2m): ./a\n"
                               "f(int): ./a (x)\n"
                               "three (dir=/abs): ../a\n";
    struct burl_suite s;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(parse(&s, text, &err), &err);
    assert_string_equal(s.tests.v[0].dir, "/src/sub");
    expect_words(s.tests.v[0].argv, "[/src/sub/a]");
    assert_int_equal(s.tests.v[0].timeout_ms, 1500);
    assert_int_equal(s.tests.v[0].skip_code, 77);
    assert_true(s.tests.v[0].should_fail);
    assert_string_equal(s.tests.v[1].dir, "/src/a) b");
    assert_int_equal(s.tests.v[1].timeout_ms, 120000);
    assert_string_equal(s.tests.v[2].name, "f(int)");
    expect_words(s.tests.v[2].argv, "[/src/a][(x)]");
    expect_words(s.tests.v[3].argv, "[/abs/../a]");
    burl_suite_deinit(&s);
}

static void
bad_lines_are_named(void **state)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "one: a\ntwo ./a\n", "/src/burl.tests:2: expected `name: command`" },
        { "http://x\n", ":1: expected `name: command`" },
        { ": a\n", ":1: expected `name: command`" },
        { "one (dir=a: b\n", ":1: expected `name: command`" },
        { "one:\n", ":1: the test has no command" },
        { "one: A=1\n", ":1: the test has no command" },
        { "one: # nothing\n", ":1: the test has no command" },
        { "one: '' a\n", ":1: the test has no command" },
        { "one: 'a\n", ":1: a quote is not closed" },
        { "one (tint=1): a\n", ":1: \"tint=1\" is not a setting; there are dir=DIR" },
        { "one (timeout=soon): a\n", "\"timeout=soon\" is not a setting" },
        { "one (skip=256): a\n", "\"skip=256\" is not a setting" },
        { "one: a && b\n", ":1: \"&\" needs a shell" },
        { "one: a >log\n", ":1: \">\" needs a shell" },
        { "one: a \"$HOME\"\n", ":1: \"$\" needs a shell" },
        { "x: a\n\none: a\none: b\n", ":4: the name \"one\" is that of line 3 too; rename one" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct burl_err err = { 0 };
        struct burl_suite s;

        EXPECT_STATUS(parse(&s, rows[i].text, &err), BURL_E_USAGE, &err);
        EXPECT_CONTAINS(err.msg, rows[i].message);
        burl_suite_deinit(&s);
    }
}

static void
quoted_characters_need_no_shell(void **state)
{
    struct burl_err err = { 0 };
    struct burl_suite s;

    (void)state;
    EXPECT_OK(parse(&s, "one: a '$x|y' \"<&>;\" \\$z \"\\$\"\n", &err), &err);
    expect_words(s.tests.v[0].argv, "[a][$x|y][<&>;][$z][$]");
    burl_suite_deinit(&s);
}

static const char ctest_json[] =
    "{ \"kind\": \"ctestInfo\", \"tests\": ["
    "{ \"command\": [\"/b/a\", \"x\", \"y z\"], \"name\": \"one\", \"properties\": ["
    "  { \"name\": \"ENVIRONMENT\", \"value\": [\"A=1 2\", \"P=/p\"] },"
    "  { \"name\": \"ENVIRONMENT_MODIFICATION\", \"value\": [\"P=path_list_prepend:/x\","
    "    \"P=path_list_append:/y\", \"N=path_list_append:/n\", \"S=set:s=1\", \"A=unset:\","
    "    \"T=string_append:t\", \"T=string_prepend:u:\", \"bad\"] },"
    "  { \"name\": \"SKIP_RETURN_CODE\", \"value\": 77 }, { \"name\": \"TIMEOUT\", \"value\": 2.5 "
    "},"
    "  { \"name\": \"WILL_FAIL\", \"value\": true },"
    "  { \"name\": \"WORKING_DIRECTORY\", \"value\": \"/tmp\" } ] },"
    "{ \"name\": \"unbuilt\", \"properties\": [] },"
    "{ \"name\": \"off\", \"command\": [\"/b/a\"], \"properties\":"
    "  [ { \"name\": \"DISABLED\", \"value\": true } ] },"
    "{ \"name\": \"plain\", \"command\": [\"/b/a\"] } ],"
    "\"version\": { \"major\": 1, \"minor\": 0 } }";

static void
ctest_properties_are_kept(void **state)
{
    struct burl_err err = { 0 };
    struct burl_suite s;
    size_t n;

    (void)state;
    unsetenv("N");
    unsetenv("T");
    begin(&s, BURL_SUITE_CTEST);
    EXPECT_OK(burl__suite_parse_ctest(&s, ctest_json, strlen(ctest_json), &n, &err), &err);
    assert_int_equal(s.tests.n, 3);
    assert_int_equal(n, 2);
    expect_words(s.tests.v[0].argv, "[/b/a][x][y z]");
    expect_words(s.tests.v[0].env, "[A][P=/x:/p:/y][N=/n][S=s=1][T=u:t]");
    assert_string_equal(s.tests.v[0].dir, "/tmp");
    assert_int_equal(s.tests.v[0].timeout_ms, 2500);
    assert_int_equal(s.tests.v[0].skip_code, 77);
    assert_true(s.tests.v[0].should_fail);
    assert_string_equal(s.tests.v[1].name, "unbuilt");
    expect_words(s.tests.v[1].argv, "[]");
    assert_string_equal(s.tests.v[2].name, "plain");
    assert_string_equal(s.tests.v[2].dir, "/src");
    assert_int_equal(s.tests.v[2].skip_code, -1);
    burl_suite_deinit(&s);
}

static void
other_ctest_formats_are_refused(void **state)
{
    static const char *const texts[] = { "", "{}", "[]", "{\"version\":{\"major\":2},\"tests\":[]}",
                                         "{\"version\":{\"major\":1},\"tests\":{}}" };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct burl_err err = { 0 };
        struct burl_suite s;
        size_t n;

        begin(&s, BURL_SUITE_CTEST);
        EXPECT_STATUS(burl__suite_parse_ctest(&s, texts[i], strlen(texts[i]), &n, &err),
                      BURL_E_TARGET, &err);
        burl_suite_deinit(&s);
    }
}

static const char meson_json[] =
    "[{\"cmd\": [\"/b/a\", \"y z\"], \"env\": {\"A\": \"1 2\", \"X_PATH\": \"/opt\"},"
    "  \"name\": \"one\", \"workdir\": \"/tmp\", \"timeout\": 5, \"suite\": [\"p:s1\", \"p\"],"
    "  \"is_parallel\": true, \"priority\": 0, \"protocol\": \"exitcode\"},"
    " {\"cmd\": [\"/b/a\"], \"env\": {}, \"name\": \"one\", \"workdir\": null, \"timeout\": 0,"
    "  \"suite\": [\"p:s2\"], \"protocol\": \"tap\", \"extra_paths\": [\"/e\"]},"
    " {\"cmd\": [\"/b/a\"], \"env\": {}, \"name\": \"two\", \"workdir\": null, \"timeout\": -1,"
    "  \"suite\": [\"p\"], \"protocol\": \"exitcode\"}]";

static void
meson_tests_are_kept(void **state)
{
    struct burl_err err = { 0 };
    struct burl_suite s;

    (void)state;
    setenv("X_PATH", "/ours", 1);
    begin(&s, BURL_SUITE_MESON);
    EXPECT_OK(burl__suite_parse_meson(&s, meson_json, strlen(meson_json), &err), &err);
    assert_int_equal(s.tests.n, 3);
    assert_string_equal(s.tests.v[0].name, "p:s1/one");
    expect_words(s.tests.v[0].argv, "[/b/a][y z]");
    /* What the introspection calls its value may have been meant to be prepended. */
    expect_words(s.tests.v[0].env, "[A=1 2][X_PATH=/opt:/ours]");
    assert_string_equal(s.tests.v[0].dir, "/tmp");
    assert_int_equal(s.tests.v[0].timeout_ms, 5000);
    assert_int_equal(s.tests.v[0].skip_code, 77);
    assert_string_equal(s.tests.v[1].name, "p:s2/one");
    assert_string_equal(s.tests.v[1].dir, "/src");
    assert_int_equal(s.tests.v[1].skip_code, -1);
    EXPECT_CONTAINS(s.tests.v[1].env[0], "PATH=/e:");
    assert_string_equal(s.tests.v[2].name, "two");
    assert_int_equal(s.tests.v[2].timeout_ms, 0);
    EXPECT_OK(burl__suite_check(&s, &err), &err);
    burl_suite_deinit(&s);
}

static void
equal_names_and_empty_suites_are_refused(void **state)
{
    static const char twice[] =
        "[{\"cmd\": [\"/b/a\", \"1\"], \"name\": \"one\", \"suite\": [\"p\"]},"
        "{\"cmd\": [\"/b/a\", \"2\"], \"name\": \"one\", \"suite\": [\"p\"]}]";
    struct burl_err err = { 0 };
    struct burl_suite s;

    (void)state;
    begin(&s, BURL_SUITE_MESON);
    EXPECT_OK(burl__suite_parse_meson(&s, twice, strlen(twice), &err), &err);
    EXPECT_STATUS(burl__suite_check(&s, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "two tests of the name \"p/one\" (/b/a 1; and /b/a 2)");
    burl_suite_deinit(&s);
    EXPECT_OK(parse(&s, "# nothing\n", &err), &err);
    EXPECT_STATUS(burl__suite_check(&s, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "has no tests");
    burl_suite_deinit(&s);
}

static void
environments_are_ours_with_changes(void **state)
{
    char *env[] = { "BURL_T_SET=2", "BURL_T_GONE", NULL };
    const struct burl_suite_test t = { .env = env };
    const char *const more[] = { "BURL_T_MORE=3", NULL };
    const char *set = NULL, *more_is = NULL;
    char **all;

    (void)state;
    setenv("BURL_T_SET", "1", 1);
    setenv("BURL_T_GONE", "1", 1);
    all = burl_suite_make_env(&t, more);
    for (size_t i = 0; all[i]; i++) {
        assert_false(strncmp(all[i], "BURL_T_GONE", 11) == 0);
        set = strncmp(all[i], "BURL_T_SET=", 11) == 0 ? all[i] + 11 : set;
        more_is = strncmp(all[i], "BURL_T_MORE=", 12) == 0 ? all[i] + 12 : more_is;
    }
    assert_string_equal(set, "2");
    assert_string_equal(more_is, "3");
    burl_suite_free_env(all);
}

static void
programs_are_named_below_the_root(void **state)
{
    char *dir = unit_mkdir();
    struct burl_suite s = { .root = burl_path_join(dir, "link") };
    char *real = burl_path_join(dir, "real");
    char *program = burl_path_join(dir, "real/sub/a");
    char *seen = burl_path_join(dir, "link/sub/a");
    struct burl_err err = { 0 };
    char *key;

    (void)state;
    EXPECT_OK(burl_fs_mkdir_p(real, &err), &err);
    assert_int_equal(symlink("real", s.root), 0);
    key = burl_suite_program_key(&s, program);
    assert_string_equal(key, "sub/a");
    free(key);
    key = burl_suite_program_key(&s, seen);
    assert_string_equal(key, "sub/a");
    free(key);
    key = burl_suite_program_path(&s, "sub/a");
    assert_string_equal(key, seen);
    free(key);
    key = burl_suite_program_key(&s, "/usr/bin/x");
    assert_string_equal(key, "/usr/bin/x");
    free(key);
    key = burl_suite_program_path(&s, "/usr/bin/x");
    assert_string_equal(key, "/usr/bin/x");
    free(key);
    free(s.root);
    free(real);
    free(program);
    free(seen);
    unit_rmdir(dir);
}

static void
durations_have_units(void **state)
{
    uint64_t ms;

    (void)state;
    assert_true(burl_duration_parse("1.5m", &ms) && ms == 90000);
    assert_true(burl_duration_parse("7", &ms) && ms == 7000);
    assert_true(burl_duration_parse("0.1ms", &ms) && ms == 1);
    assert_false(burl_duration_parse("0x10", &ms));
    assert_false(burl_duration_parse("5 s", &ms));
    assert_false(burl_duration_parse("-1s", &ms));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_names_and_commands),
        cmocka_unit_test(settings_are_in_parentheses),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(quoted_characters_need_no_shell),
        cmocka_unit_test(ctest_properties_are_kept),
        cmocka_unit_test(other_ctest_formats_are_refused),
        cmocka_unit_test(meson_tests_are_kept),
        cmocka_unit_test(equal_names_and_empty_suites_are_refused),
        cmocka_unit_test(environments_are_ours_with_changes),
        cmocka_unit_test(programs_are_named_below_the_root),
        cmocka_unit_test(durations_have_units),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
