/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_store_regress.c - recorded versions in the store: whole tests, in the order of
 * the suite, found again quickly.
 */
#include "unit.h"

#include <sqlite3.h>

#include "base/proc.h"
#include "old_tables.h"
#include "store/regress.h"
#include "wire/version.h"

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

static int64_t
open_version(struct burl_store *s, const char *name)
{
    struct burl_err err = { 0 };
    int64_t id;

    EXPECT_OK(burl_store_version_open(s, name, "file burl.tests", &id, &err), &err);
    return id;
}

static void
put(struct burl_store *s, int64_t version, int64_t ix, const char *name, int64_t state,
    const char *program, const char *bytes)
{
    const struct burl_store_test t = { .ix = ix,
                                       .name = (char *)name,
                                       .command = "[\"a\"]",
                                       .state = state,
                                       .why = "exit code 3",
                                       .runs = 2,
                                       .wall_ms = 7 };
    const void *const v[] = { bytes };
    const size_t n[] = { program ? strlen(bytes) : 0 };
    struct burl_err err = { 0 };

    EXPECT_OK(burl_store_test_put(s, version, &t, &program, v, n, program != NULL, &err), &err);
}

struct seen {
    char text[1024];
    size_t n, bytes;
    size_t stop_after;
};

static enum burl_status
see_test(void *arg, const struct burl_store_test *t, struct burl_err *err)
{
    struct seen *s = arg;
    const size_t at = strlen(s->text);

    if (s->n++ == s->stop_after && s->stop_after > 0)
        return burl_err_set(err, BURL_E_LIMIT, 0, "enough");
    snprintf(s->text + at, sizeof s->text - at, "%d %s %d %s %d;", (int)t->ix, t->name,
             (int)t->state, t->why ? t->why : "-", (int)t->runs);
    return BURL_OK;
}

static enum burl_status
see_history(void *arg, int64_t ix, const char *key, const void *bytes, size_t n,
            struct burl_err *err)
{
    struct seen *s = arg;
    const size_t at = strlen(s->text);

    (void)err;
    s->n++;
    s->bytes += n;
    if (at < sizeof s->text / 2)
        snprintf(s->text + at, sizeof s->text - at, "%d %s %.*s;", (int)ix, key,
                 n < 16 ? (int)n : 16, (const char *)bytes);
    return BURL_OK;
}

static void
expect_tests(struct burl_store *s, int64_t version, const char *want)
{
    struct burl_err err = { 0 };
    struct seen seen = { 0 };

    EXPECT_OK(burl_store_tests_each(s, version, see_test, &seen, &err), &err);
    assert_string_equal(seen.text, want);
}

static void
expect_histories(struct burl_store *s, int64_t version, const char *want)
{
    struct burl_err err = { 0 };
    struct seen seen = { 0 };

    EXPECT_OK(burl_store_histories_each(s, version, see_history, &seen, &err), &err);
    assert_string_equal(seen.text, want);
}

static void
versions_have_names(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_version v;
    struct burl_err err = { 0 };
    bool found;
    int64_t id;
    char *names;

    (void)state;
    EXPECT_OK(burl_store_version_get(s, NULL, &found, &v, &err), &err);
    assert_false(found);
    EXPECT_OK(burl_store_version_names(s, &names, &err), &err);
    assert_string_equal(names, "");
    free(names);
    id = open_version(s, "v2");
    assert_int_equal(open_version(s, "v2"), id);
    assert_int_not_equal(open_version(s, "v1"), id);
    EXPECT_OK(burl_store_version_names(s, &names, &err), &err);
    assert_string_equal(names, "v2, v1");
    free(names);
    EXPECT_OK(burl_store_version_get(s, "v2", &found, &v, &err), &err);
    assert_true(found);
    assert_int_equal(v.id, id);
    assert_string_equal(v.suite, "file burl.tests");
    assert_int_equal(v.wire, BURL_WIRE_VERSION);
    burl_store_version_deinit(&v);
    EXPECT_STATUS(burl_store_version_open(s, "v2", "ctest build", &id, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "of another suite (file burl.tests, and this is ctest build)");
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
newest_version_is_the_one_recorded_last(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t old = open_version(s, "old");
    struct burl_store_version v;
    struct burl_err err = { 0 };
    int64_t start;
    bool found;

    (void)state;
    open_version(s, "new");
    /* The clock of the store counts milliseconds. */
    for (start = burl_now_ms(); burl_now_ms() < start + 3;)
        ;
    put(s, old, 0, "t", BURL_TEST_RECORDED, NULL, NULL);
    EXPECT_OK(burl_store_version_get(s, NULL, &found, &v, &err), &err);
    assert_string_equal(v.name, "old");
    burl_store_version_deinit(&v);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
tests_come_in_the_order_of_the_suite(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = open_version(s, "v1");
    const int64_t other = open_version(s, "v2");
    struct seen seen = { .stop_after = 1 };
    struct burl_err err = { 0 };

    (void)state;
    put(s, id, 1, "a", BURL_TEST_FAILED, "prog", "one");
    put(s, id, 0, "b", BURL_TEST_RECORDED, "prog", "two");
    put(s, other, 0, "b", BURL_TEST_RECORDED, "prog", "other");
    expect_tests(s, id, "0 b 1 exit code 3 2;1 a 2 exit code 3 2;");
    expect_histories(s, id, "0 prog two;1 prog one;");
    /* Written again, it replaces what was there. */
    put(s, id, 1, "a", BURL_TEST_RECORDED, "lib/p2", "three");
    expect_histories(s, id, "0 prog two;1 lib/p2 three;");
    EXPECT_STATUS(burl_store_tests_each(s, id, see_test, &seen, &err), BURL_E_LIMIT, &err);
    assert_int_equal(seen.n, 2);
    seen = (struct seen){ 0 };
    EXPECT_OK(burl_store_test_histories(s, id, "a", see_history, &seen, &err), &err);
    assert_string_equal(seen.text, "1 lib/p2 three;");
    EXPECT_OK(burl_store_version_clear(s, id, &err), &err);
    expect_tests(s, id, "");
    expect_histories(s, id, "");
    expect_histories(s, other, "0 prog other;");
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
sync_follows_the_suite(void **state)
{
    const struct burl_store_test suite[] = {
        { .ix = 0, .name = "new", .command = "[\"a\"]" },
        { .ix = 1, .name = "same", .command = "[\"a\"]" },
        { .ix = 2, .name = "other", .command = "[\"b\"]" },
    };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = open_version(s, "v1");
    struct burl_err err = { 0 };

    (void)state;
    put(s, id, 0, "same", BURL_TEST_RECORDED, "prog", "one");
    put(s, id, 1, "other", BURL_TEST_RECORDED, "prog", "two");
    put(s, id, 2, "gone", BURL_TEST_RECORDED, "prog", "three");
    EXPECT_OK(burl_store_tests_sync(s, id, suite, 3, &err), &err);
    expect_tests(s, id, "0 new 0 - 0;1 same 1 exit code 3 2;2 other 0 - 0;");
    expect_histories(s, id, "1 prog one;");
    EXPECT_OK(burl_store_tests_sync(s, id, suite, 3, &err), &err);
    expect_tests(s, id, "0 new 0 - 0;1 same 1 exit code 3 2;2 other 0 - 0;");
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
last_selection_is_kept(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = open_version(s, "v1");
    struct burl_err err = { 0 };
    char *json;

    (void)state;
    EXPECT_OK(burl_store_selection_get(s, &json, &err), &err);
    assert_null(json);
    EXPECT_OK(burl_store_selection_put(s, id, "{}", &err), &err);
    EXPECT_OK(burl_store_selection_put(s, id, "{\"a\": 1}", &err), &err);
    EXPECT_OK(burl_store_selection_get(s, &json, &err), &err);
    assert_string_equal(json, "{\"a\": 1}");
    free(json);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
store_of_version_5_gets_the_tables(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store_finding f = { .fingerprint = "aa", .kind = "race.data" };
    struct burl_store *s = open_store(dir);
    char *path = burl_path_join(dir, "burl.db");
    struct burl_err err = { 0 };
    sqlite3 *db;
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_finding_upsert(s, &f, &id, NULL, &err), &err);
    burl_store_close(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, OLD_NO_VERSIONS "PRAGMA user_version = 5", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    s = open_store(dir);
    put(s, open_version(s, "v1"), 0, "a", BURL_TEST_RECORDED, "prog", "one");
    EXPECT_OK(burl_store_finding_get(s, id, &f, &err), &err);
    assert_string_equal(f.kind, "race.data");
    burl_store_finding_deinit(&f);
    burl_store_close(s);
    /* Tables of that name that are not ours are refused before a campaign fails in the middle. */
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE selections", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "development build (table selections differs)");
    free(path);
    unit_rmdir(dir);
}

/* 1,000 tests with 16 KiB of history each. A query may take a second; it takes some 20 ms. */
static void
thousand_tests_are_read_in_a_second(void **state)
{
    enum { TESTS = 1000, BYTES = 16384 };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = open_version(s, "v1");
    char *path = burl_path_join(dir, "burl.db");
    struct burl_err err = { 0 };
    struct seen seen = { 0 };
    char sql[512];
    sqlite3 *db;
    int64_t start;

    (void)state;
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %d)"
             " INSERT INTO version_tests SELECT %d, 'test' || i, i, '[]', 1, NULL, 1, 1 FROM n;"
             "INSERT INTO version_histories SELECT %d, name, 'prog', randomblob(%d)"
             " FROM version_tests",
             TESTS - 1, (int)id, (int)id, BYTES);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    start = unit_cpu_ms();
    EXPECT_OK(burl_store_histories_each(s, id, see_history, &seen, &err), &err);
    assert_int_equal(seen.n, TESTS);
    assert_int_equal(seen.bytes, (size_t)TESTS * BYTES);
    assert_true(unit_cpu_ms() - start < 1000);
    burl_store_close(s);
    free(path);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_have_names),
        cmocka_unit_test(newest_version_is_the_one_recorded_last),
        cmocka_unit_test(tests_come_in_the_order_of_the_suite),
        cmocka_unit_test(sync_follows_the_suite),
        cmocka_unit_test(last_selection_is_kept),
        cmocka_unit_test(store_of_version_5_gets_the_tables),
        cmocka_unit_test(thousand_tests_are_read_in_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
