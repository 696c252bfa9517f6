/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_regress_version.c - a recorded version out of the store: tests with their
 * histories, programs with their modules, and messages that say what to do.
 */
#include "unit.h"

#include <sqlite3.h>

#include "regress/version.h"

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

/* A program with a library that was initialized first; thread 1 executed `site`. */
static void
make_history(struct burl_history *h, const char *key, uint32_t site)
{
    const struct burl_history_role roles[] = {
        { .start = "main", .create_site = UINT32_MAX },
        { .start = "worker", .create_module = 7, .create_site = 3 },
    };
    uint32_t lib, r1;

    burl_history_init(h);
    h->program = burl_xstrdup(key);
    lib = burl_history_module(h, 100, 1000, "lib.c", "lib.so");
    burl_history_module(h, 7 + (key[0] == 'b'), 20, "main.c", key);
    (void)burl_history_role(h, &roles[0]);
    r1 = burl_history_role(h, &roles[1]);
    burl_history_set_bit(burl_history_bits(h, r1, lib, false), site);
}

static void
put(struct burl_store *s, int64_t version, int64_t ix, const char *name,
    const char *const *programs, size_t n)
{
    const struct burl_store_test t = { .ix = ix,
                                       .name = (char *)name,
                                       .command = "[]",
                                       .state = n > 0 ? BURL_TEST_RECORDED : BURL_TEST_HUNG,
                                       .why = n > 0 ? NULL : "killed" };
    struct burl_buf b[2] = { BURL_BUF_INIT, BURL_BUF_INIT };
    const void *bytes[2];
    size_t sizes[2];
    struct burl_err err = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct burl_history h;

        make_history(&h, programs[i], (uint32_t)ix);
        burl_history_write(&h, &b[i]);
        burl_history_deinit(&h);
        bytes[i] = b[i].p;
        sizes[i] = b[i].n;
    }
    EXPECT_OK(burl_store_test_put(s, version, &t, programs, bytes, sizes, n, &err), &err);
    burl_buf_deinit(&b[0]);
    burl_buf_deinit(&b[1]);
}

static void
tamper(const char *dir, const char *sql)
{
    char *path = burl_path_join(dir, "burl.db");
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    free(path);
}

static void
version_is_loaded_whole(void **state)
{
    static const char *const both[] = { "b", "a" };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_regress_version v;
    struct burl_err err = { 0 };
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_version_open(s, "v1", "file burl.tests", &id, &err), &err);
    /* Positions of a suite may have gaps. */
    put(s, id, 9, "last", both, 2);
    put(s, id, 0, "first", both + 1, 1);
    put(s, id, 4, "hung", NULL, 0);
    EXPECT_OK(burl_regress_version_load(&v, s, NULL, &err), &err);
    assert_string_equal(v.name, "v1");
    assert_string_equal(v.suite, "file burl.tests");
    assert_int_equal(v.tests.n, 3);
    assert_string_equal(v.tests.v[0].name, "first");
    assert_int_equal(v.tests.v[0].histories.n, 1);
    assert_null(v.tests.v[0].why);
    assert_string_equal(v.tests.v[1].name, "hung");
    assert_int_equal(v.tests.v[1].state, BURL_TEST_HUNG);
    assert_string_equal(v.tests.v[1].why, "killed");
    assert_int_equal(v.tests.v[1].histories.n, 0);
    assert_int_equal(v.tests.v[2].histories.n, 2);
    assert_string_equal(v.tests.v[2].histories.v[1].program, "b");
    assert_true(burl_history_bit(v.tests.v[2].histories.v[0].sets.v[0].bits, 9));
    assert_false(burl_history_bit(v.tests.v[2].histories.v[0].sets.v[0].bits, 0));
    /* Programs by key; the modules of the executable hide those of its libraries. */
    assert_int_equal(v.programs.n, 2);
    assert_string_equal(v.programs.v[0].key, "a");
    assert_int_equal(v.programs.v[0].modules.n, 2);
    assert_string_equal(v.programs.v[0].modules.v[0].object, "a");
    assert_int_equal(v.programs.v[0].modules.v[0].hash, 7);
    assert_string_equal(v.programs.v[0].modules.v[1].object, "lib.so");
    assert_int_equal(v.programs.v[0].modules.v[1].n_sites, 1000);
    assert_int_equal(v.programs.v[1].modules.v[0].hash, 8);
    burl_regress_version_deinit(&v);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
messages_say_what_to_do(void **state)
{
    static const char *const one[] = { "a" };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_regress_version v;
    struct burl_err err = { 0 };
    int64_t id;

    (void)state;
    EXPECT_STATUS(burl_regress_version_load(&v, s, NULL, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "run `burl regress record` first");
    EXPECT_OK(burl_store_version_open(s, "v1", "file burl.tests", &id, &err), &err);
    put(s, id, 0, "t", one, 1);
    EXPECT_OK(burl_store_version_open(s, "v2", "file burl.tests", &id, &err), &err);
    EXPECT_STATUS(burl_regress_version_load(&v, s, "v3", &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "no version named v3 is recorded");
    EXPECT_CONTAINS(err.msg, "there are: v1, v2");
    tamper(dir, "UPDATE versions SET wire = 1 WHERE name = 'v2'");
    EXPECT_STATUS(burl_regress_version_load(&v, s, "v2", &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "another version of burl recorded the version v2");
    EXPECT_CONTAINS(err.msg, "burl regress record --as=v2");
    EXPECT_OK(burl_regress_version_load(&v, s, "v1", &err), &err);
    burl_regress_version_deinit(&v);
    tamper(dir, "UPDATE version_histories SET bytes = x'00'");
    EXPECT_STATUS(burl_regress_version_load(&v, s, "v1", &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "the history of test t is damaged");
    burl_store_close(s);
    unit_rmdir(dir);
}

/* 1,000 tests of a program with 20,000 sites in 20 modules, in 4 roles each. */
static void
thousand_tests_are_loaded_in_a_second(void **state)
{
    enum { TESTS = 1000, MODULES = 20, SITES = 1000, ROLES = 4 };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_regress_version v;
    struct burl_err err = { 0 };
    struct burl_buf b = BURL_BUF_INIT;
    struct burl_history h;
    char *path = burl_path_join(dir, "burl.db");
    sqlite3_stmt *stmt;
    sqlite3 *db;
    int64_t id, start;

    (void)state;
    EXPECT_OK(burl_store_version_open(s, "v1", "file burl.tests", &id, &err), &err);
    burl_history_init(&h);
    h.program = burl_xstrdup("prog");
    for (uint32_t r = 0; r < ROLES; r++) {
        const struct burl_history_role role = { .start = "worker", .ordinal = r };
        const uint32_t ix = burl_history_role(&h, &role);

        for (uint32_t m = 0; m < MODULES; m++) {
            const uint32_t mod = burl_history_module(&h, m + 1, SITES, "some/file.c", "prog");
            uint8_t *bits = burl_history_bits(&h, ix, mod, false);

            for (uint32_t i = 0; i < SITES; i += r + 3)
                burl_history_set_bit(bits, i);
        }
    }
    burl_history_write(&h, &b);
    burl_history_deinit(&h);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n"
                                  " WHERE i < 999) INSERT INTO version_tests SELECT 1, 'test' || i,"
                                  " i, '[]', 1, NULL, 1, 1 FROM n",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "INSERT INTO version_histories SELECT 1, name, 'prog', ?"
                                        " FROM version_tests",
                                        -1, &stmt, NULL),
                     SQLITE_OK);
    sqlite3_bind_blob64(stmt, 1, b.p, b.n, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    start = unit_cpu_ms();
    EXPECT_OK(burl_regress_version_load(&v, s, "v1", &err), &err);
    start = unit_cpu_ms() - start;
    if (start >= 1000)
        fail_msg("loading %d tests of %zu bytes took %d ms", TESTS, b.n, (int)start);
    assert_int_equal(v.tests.n, TESTS);
    assert_int_equal(v.programs.v[0].modules.n, MODULES);
    burl_regress_version_deinit(&v);
    burl_buf_deinit(&b);
    burl_store_close(s);
    free(path);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_is_loaded_whole),
        cmocka_unit_test(messages_say_what_to_do),
        cmocka_unit_test(thousand_tests_are_loaded_in_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
