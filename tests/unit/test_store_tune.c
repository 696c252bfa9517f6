/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_store_tune.c - searches for noise in the store.
 */
#include "unit.h"

#include <sqlite3.h>

#include "old_tables.h"
#include "store/tune.h"

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s = NULL;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

static const struct burl_store_search sample = {
    .path = "/p",
    .args = "[]",
    .build_id = "b",
    .options = "{}",
    .genome = "{}",
    .plain_n = 5,
    .plain_failed = 1,
    .plain_ms = 70,
    .floor_ms = 60,
    .run_ms = 1700,
};

static int64_t
begin(struct burl_store *s)
{
    struct burl_err err = { 0 };
    int64_t id = 0;

    EXPECT_OK(burl_store_search_begin(s, &sample, &id, &err), &err);
    return id;
}

static void
step(struct burl_store *s, int64_t id, int64_t n, const char *genes)
{
    const struct burl_store_evaluation e = { .n = n,
                                             .generation = (uint32_t)n / 20,
                                             .genes = genes,
                                             .fitness = "0.5",
                                             .executions = 5,
                                             .hangs = 2,
                                             .injected = UINT64_MAX,
                                             .wall_ms = 123 };
    const struct burl_store_tune_name names[2] = { { UINT64_MAX, 10, true },
                                                   { (uint64_t)n + 1, 1, false } };
    const struct burl_store_tune_mark mark = { UINT64_MAX - 1, 7, (uint8_t)(n + 1) };
    const struct burl_store_tune_finding found = { 3, (uint64_t)n * 2, 0 };
    const struct burl_store_tune_step x = { &e, names, 2, &mark, 1, &found, 1 };
    struct burl_err err = { 0 };

    EXPECT_OK(burl_store_search_step(s, id, &x, &err), &err);
}

struct got {
    int n;
    char last[64];
    uint64_t number;
    uint64_t sum;
};

static void
on_evaluation(void *arg, const struct burl_store_evaluation *x)
{
    struct got *g = arg;

    assert_int_equal(x->n, g->n);
    g->n++;
    snprintf(g->last, sizeof g->last, "%s", x->genes);
    g->number = x->injected;
    g->sum += x->hangs;
}

static void
on_name(void *arg, const struct burl_store_tune_name *x)
{
    struct got *g = arg;

    g->n++;
    g->sum += x->weight;
}

static void
on_mark(void *arg, const struct burl_store_tune_mark *x)
{
    struct got *g = arg;

    g->n++;
    g->number = x->module;
    g->sum += x->marks;
}

static void
on_finding(void *arg, const struct burl_store_tune_finding *x)
{
    struct got *g = arg;

    g->n++;
    g->sum = x->shown;
}

static void
evaluations_come_back_in_order(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = begin(s);
    struct burl_err err = { 0 };
    struct got e = { 0 }, n = { 0 }, m = { 0 }, f = { 0 };
    struct burl_store_search x;
    bool found;

    (void)state;
    step(s, id, 0, "1,0,0,0,0,0");
    step(s, id, 1, "2,0,0,0,0,0");
    burl_store_close(s);
    s = open_store(dir);
    EXPECT_OK(burl_store_search_get(s, &sample, &found, &x, &err), &err);
    assert_true(found && x.id == id && x.floor_ms == 60 && x.run_ms == 1700);
    burl_store_search_deinit(&x);
    EXPECT_OK(burl_store_evaluations(s, id, on_evaluation, &e, &err), &err);
    assert_int_equal(e.n, 2);
    assert_string_equal(e.last, "2,0,0,0,0,0");
    assert_true(e.number == UINT64_MAX && e.sum == 4);
    EXPECT_OK(burl_store_tune_names(s, id, on_name, &n, &err), &err);
    assert_true(n.n == 3 && n.sum == 12);
    EXPECT_OK(burl_store_tune_marks(s, id, on_mark, &m, &err), &err);
    assert_true(m.n == 1 && m.number == UINT64_MAX - 1 && m.sum == 2);
    EXPECT_OK(burl_store_tune_findings(s, id, on_finding, &f, &err), &err);
    assert_true(f.n == 1 && f.sum == 2);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* A step that fails leaves nothing behind. */
static void
a_step_is_whole_or_not_at_all(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = begin(s);
    const struct burl_store_evaluation again = { .n = 0, .genes = "9", .fitness = "0" };
    const struct burl_store_tune_name name = { 77, 1, false };
    const struct burl_store_tune_step x = { .evaluation = &again, .names = &name, .n_names = 1 };
    struct burl_err err = { 0 };
    struct got n = { 0 };

    (void)state;
    step(s, id, 0, "1");
    assert_int_not_equal(burl_store_search_step(s, id, &x, &err), BURL_OK);
    EXPECT_OK(burl_store_tune_names(s, id, on_name, &n, &err), &err);
    assert_int_equal(n.n, 2);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
a_search_begun_anew_has_nothing(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t first = begin(s);
    struct burl_err err = { 0 };
    struct got e = { 0 }, m = { 0 };
    int64_t second;

    (void)state;
    step(s, first, 0, "1");
    second = begin(s);
    assert_int_not_equal(first, second);
    EXPECT_OK(burl_store_evaluations(s, second, on_evaluation, &e, &err), &err);
    EXPECT_OK(burl_store_tune_marks(s, first, on_mark, &m, &err), &err);
    assert_int_equal(e.n + m.n, 0);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
another_build_or_option_is_another_search(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_search key = sample;
    struct burl_store_search x;
    struct burl_err err = { 0 };
    bool found;

    (void)state;
    begin(s);
    key.build_id = "c";
    EXPECT_OK(burl_store_search_get(s, &key, &found, &x, &err), &err);
    assert_false(found);
    burl_store_search_deinit(&x);
    key = sample;
    key.options = "{\"seed\": 2}";
    EXPECT_OK(burl_store_search_get(s, &key, &found, &x, &err), &err);
    assert_false(found);
    burl_store_search_deinit(&x);
    EXPECT_OK(burl_store_search_last(s, &found, &x, &err), &err);
    assert_true(found);
    assert_string_equal(x.path, "/p");
    burl_store_search_deinit(&x);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
store_of_version_6_gets_the_tables(void **state)
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
    assert_int_equal(sqlite3_exec(db, OLD_NO_SEARCHES "PRAGMA user_version = 6", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    s = open_store(dir);
    step(s, begin(s), 0, "1");
    EXPECT_OK(burl_store_finding_get(s, id, &f, &err), &err);
    assert_string_equal(f.kind, "race.data");
    burl_store_finding_deinit(&f);
    burl_store_close(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DROP TABLE tune_marks", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "development build (table tune_marks differs)");
    free(path);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluations_come_back_in_order),
        cmocka_unit_test(a_step_is_whole_or_not_at_all),
        cmocka_unit_test(a_search_begun_anew_has_nothing),
        cmocka_unit_test(another_build_or_option_is_another_search),
        cmocka_unit_test(store_of_version_6_gets_the_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
