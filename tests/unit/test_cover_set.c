/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_cover_set.c - covered items: names, merging, the store, windows and curves.
 */
#include "unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cover/cover_int.h"
#include "old_tables.h"

/* Two modules, as a process numbers them; the other order is another process of the same build. */
static const struct burl_wire_module_entry forwards[] = {
    { .hash = 0xaaaa, .base = 1, .n_sites = 10, .object = 0 },
    { .hash = 0xbbbb, .base = 11, .n_sites = 5, .object = 0 },
};
static const struct burl_wire_module_entry backwards[] = {
    { .hash = 0xbbbb, .base = 1, .n_sites = 5, .object = 0 },
    { .hash = 0xaaaa, .base = 6, .n_sites = 10, .object = 0 },
};
static struct burl_wire_object object = { .path = "/nowhere/prog" };

static struct burl_store_cover_image
image_of(const struct burl_wire_module_entry *m, size_t n)
{
    return (struct burl_store_cover_image){ .objects = &object,
                                            .n_objects = 1,
                                            .modules = (struct burl_wire_module_entry *)m,
                                            .n_modules = n };
}

static const struct burl_store_cover_program program = {
    .program = "./prog", .args = "[]", .build_id = "1", .mode = "", .metrics = 1
};

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

static struct burl_cover *
begin(struct burl_store *s, const struct burl_store_cover_image *image)
{
    struct burl_err err = { 0 };
    struct burl_cover *c;

    EXPECT_OK(burl_cover_open(&c, s, "/nowhere/prog", &err), &err);
    EXPECT_OK(burl_cover_begin(c, &program, image, &err), &err);
    return c;
}

static bool
add(struct burl_cover *c, uint8_t metric, uint32_t a, uint32_t b, uint64_t execution)
{
    const struct burl_wire_cover_item item = { .metric = metric, .a = a, .b = b };

    return burl_cover_add(c, &item, "random", execution);
}

static void
items_are_the_same_whatever_a_process_calls_them(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    const struct burl_store_cover_image two = image_of(backwards, 2);
    struct burl_cover *c = begin(s, &one);
    struct burl_err err = { 0 };

    (void)state;
    assert_true(add(c, BURL_METRIC_LOCPAIRS, 3, 12, 7));  /* a:2, b:1 */
    assert_false(add(c, BURL_METRIC_LOCPAIRS, 3, 12, 9)); /* known */
    assert_true(add(c, BURL_METRIC_LOCPAIRS, 12, 3, 9));  /* the other order is another pair */
    assert_true(add(c, BURL_METRIC_DEFUSE, 3, 12, 9));    /* another metric */
    /* Without an order: */
    assert_true(add(c, BURL_METRIC_CONCMETHODS, 3, 12, 9));
    assert_false(add(c, BURL_METRIC_CONCMETHODS, 12, 3, 9));
    assert_false(add(c, BURL_METRIC_LOCPAIRS, 3, 16, 9)); /* no such site */
    EXPECT_OK(burl_cover_flush(c, 20, 5, 0, &err), &err);
    burl_cover_free(c);
    burl_store_close(s);

    s = open_store(dir);
    c = begin(s, &two);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 2);
    assert_false(add(c, BURL_METRIC_LOCPAIRS, 8, 2, 0)); /* a:2, b:1 again */
    assert_false(add(c, BURL_METRIC_CONCMETHODS, 8, 2, 0));
    assert_true(add(c, BURL_METRIC_LOCPAIRS, 3, 12, 4)); /* b:2, a:6 */
    EXPECT_OK(burl_cover_flush(c, 10, 5, 0, &err), &err);
    assert_int_equal(burl_cover_program(c)->executions, 30);
    assert_int_equal(burl_cover_program(c)->campaigns, 2);
    assert_int_equal(burl_cover_program(c)->lost, 1);
    assert_int_equal(c->items.v[c->items.n - 1].x.execution, 24); /* 20 came before */
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
numbers_that_are_no_sites_stay(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    struct burl_cover *c = begin(s, &one);
    const struct burl_wire_cover_item ap = {
        .metric = BURL_METRIC_ACCESSPAIRS, .a = 1, .b = 2, .c = 2
    };
    const struct burl_wire_cover_item pinv = { .metric = BURL_METRIC_PINV, .a = 1, .b = 0, .c = 2 };
    const struct burl_wire_cover_item sync = { .metric = BURL_METRIC_SYNCHRO,
                                               .a = 1,
                                               .b = BURL_SYNCHRO_CAS_FAILED };

    (void)state;
    assert_true(burl_cover_add(c, &ap, "pct", 0));
    assert_true(c->items.v[0].x.c.module == 0 && c->items.v[0].x.c.value == 2);
    assert_true(burl_cover_add(c, &pinv, "pct", 0));
    assert_true(c->items.v[1].x.b.module == 0 && c->items.v[1].x.b.value == 0);
    assert_true(c->items.v[1].x.c.module == 0xaaaa);
    assert_true(burl_cover_add(c, &sync, "pct", 0));
    assert_int_equal(c->items.v[2].x.b.value, BURL_SYNCHRO_CAS_FAILED);
    assert_int_equal(c->unresolved, 0);
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
items_of_changed_modules_do_not_count(void **state)
{
    static const struct burl_wire_module_entry changed[] = {
        { .hash = 0xaaaa, .base = 1, .n_sites = 10, .object = 0 },
        { .hash = 0xcccc, .base = 11, .n_sites = 5, .object = 0 },
    };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    const struct burl_store_cover_image two = image_of(changed, 2);
    struct burl_cover *c = begin(s, &one);
    struct burl_err err = { 0 };

    (void)state;
    add(c, BURL_METRIC_LOCPAIRS, 1, 2, 0);
    add(c, BURL_METRIC_LOCPAIRS, 1, 12, 0);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 2);
    EXPECT_OK(burl_cover_flush(c, 1, 1, 0, &err), &err);
    burl_cover_free(c);
    c = begin(s, &two);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 1);
    assert_true(add(c, BURL_METRIC_LOCPAIRS, 1, 12, 0));
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 2);
    EXPECT_OK(burl_cover_reset(c, &err), &err);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 0);
    burl_cover_free(c);
    c = begin(s, &one);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 0);
    assert_int_equal(burl_cover_program(c)->campaigns, 1);
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* Thread, memory and calls are hashes of one build: after a rebuild of another module such
 * an item is told again under another hash, and must not count twice. */
static void
hashes_count_in_their_build_only(void **state)
{
    static const struct burl_wire_module_entry changed[] = {
        { .hash = 0xaaaa, .base = 1, .n_sites = 10, .object = 0 },
        { .hash = 0xcccc, .base = 11, .n_sites = 5, .object = 0 },
    };
    const struct burl_wire_cover_item hb = {
        .metric = BURL_METRIC_HBPAIRS, .a = 1, .b = 2, .c = 77, .d = 88
    };
    const struct burl_wire_cover_item hb_later = {
        .metric = BURL_METRIC_HBPAIRS, .a = 1, .b = 2, .c = 78, .d = 89
    };
    const struct burl_wire_cover_item lp = {
        .metric = BURL_METRIC_LOCPAIRS, .a = 1, .b = 2, .c = 5, .d = 6
    };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    const struct burl_store_cover_image two = image_of(changed, 2);
    struct burl_cover *c = begin(s, &one);
    struct burl_err err = { 0 };

    (void)state;
    assert_true(burl_cover_add(c, &hb, "pct", 0));
    assert_true(burl_cover_add(c, &lp, "pct", 0));
    EXPECT_OK(burl_cover_flush(c, 1, 1, 0, &err), &err);
    burl_cover_free(c);
    c = begin(s, &two);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_HBPAIRS), 0);
    assert_true(burl_cover_add(c, &hb_later, "pct", 0));
    assert_int_equal(burl_cover_count(c, BURL_METRIC_HBPAIRS), 1);
    /* The pair itself is still covered, whatever its calls are called now. */
    assert_true(c->items.v[0].present || c->items.v[1].present);
    EXPECT_OK(burl_cover_flush(c, 1, 1, 0, &err), &err);
    burl_cover_free(c);
    c = begin(s, &one);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_HBPAIRS), 1);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 1);
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* Thousands of items: the hash grows, all come back, in the order of executions. */
static void
many_items_come_back(void **state)
{
    static const struct burl_wire_module_entry big[] = {
        { .hash = 1, .base = 1, .n_sites = 200000, .object = 0 },
    };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image image = image_of(big, 1);
    struct burl_cover *c = begin(s, &image);
    struct burl_err err = { 0 };
    const uint32_t n = 20000;

    (void)state;
    for (uint32_t i = 0; i < n; i++)
        assert_true(add(c, BURL_METRIC_LOCPAIRS, i + 1, (i * 7919u) % 200000u + 1, i / 100));
    EXPECT_OK(burl_cover_flush(c, 200, 1, 3, &err), &err);
    burl_cover_free(c);
    EXPECT_OK(burl_cover_open(&c, s, NULL, &err), &err);
    assert_int_equal(c->items.n, n);
    for (size_t i = 1; i < n; i++)
        assert_true(c->items.v[i - 1].x.execution <= c->items.v[i].x.execution);
    assert_string_equal(c->items.v[0].x.strategy, "random");
    assert_int_equal(burl_cover_program(c)->lost, 3);
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
kill_9_loses_nothing_that_was_written(void **state)
{
    char *dir = unit_mkdir();
    const struct burl_store_cover_image one = image_of(forwards, 2);
    struct burl_err err = { 0 };
    struct burl_store *s;
    struct burl_cover *c;
    pid_t pid = fork();
    int raw;

    (void)state;
    if (pid == 0) {
        s = open_store(dir);
        c = begin(s, &one);
        add(c, BURL_METRIC_LOCPAIRS, 1, 2, 0);
        if (burl_cover_flush(c, 1, 1, 0, &err) != BURL_OK)
            _exit(9);
        add(c, BURL_METRIC_LOCPAIRS, 1, 3, 0);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, &raw, 0), pid);
    assert_true(WIFSIGNALED(raw));
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    EXPECT_OK(burl_cover_open(&c, s, NULL, &err), &err);
    assert_int_equal(burl_cover_count(c, BURL_METRIC_LOCPAIRS), 1);
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* A store of the version before coverage is brought up to date, with what is in it. */
static void
version_1_is_brought_up_to_date(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "burl.db");
    const struct burl_store_cover_image one = image_of(forwards, 2);
    struct burl_store_findings l = { 0 };
    struct burl_err err = { 0 };
    struct burl_store *s = open_store(dir);
    const struct burl_store_finding f = { .fingerprint = "aa",
                                          .kind = "race.data",
                                          .facts.count = 3 };
    struct burl_cover *c;
    sqlite3 *db;

    (void)state;
    EXPECT_OK(burl_store_finding_upsert(s, &f, NULL, NULL, &err), &err);
    burl_store_close(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "DROP TABLE cover_programs; DROP TABLE cover_objects;"
                                  "DROP TABLE cover_modules; DROP TABLE cover_items;"
                                  "DROP TABLE cover_schedules;"
                                  "DROP TABLE programs; DROP TABLE corpus; DROP TABLE corpus_edges;"
                                  "DROP TABLE goals; DROP TABLE goal_sites;" OLD_NO_VERSIONS
                                  "PRAGMA user_version = 1",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    s = open_store(dir);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 1);
    burl_store_findings_deinit(&l);
    c = begin(s, &one);
    assert_true(add(c, BURL_METRIC_LOCPAIRS, 1, 2, 0));
    EXPECT_OK(burl_cover_flush(c, 1, 1, 0, &err), &err);
    burl_cover_free(c);
    burl_store_close(s);
    free(path);
    unit_rmdir(dir);
}

static void
hunts_add_up(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    struct burl_cover *c = begin(s, &one);
    struct burl_store_cover_hunt h = {
        .a = { 0xaaaa, 1 }, .b = { 0xbbbb, 2 }, .outcome = 2, .tries = 100, .why = ""
    };
    struct burl_err err = { 0 };
    sqlite3 *db;
    sqlite3_stmt *stmt;
    char *path = burl_path_join(dir, "burl.db");

    (void)state;
    EXPECT_OK(burl_cover_hunted(c, &h, &err), &err);
    h.outcome = 3;
    h.tries = 7;
    EXPECT_OK(burl_cover_hunted(c, &h, &err), &err);
    burl_cover_free(c);
    burl_store_close(s);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "SELECT attempts, state, build FROM goals WHERE source = 'hunt'", -1,
                           &stmt, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(stmt, 0), 107);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 1), "impossible");
    assert_string_equal((const char *)sqlite3_column_text(stmt, 2), "1 []");
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE); /* one row */
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    free(path);
    unit_rmdir(dir);
}

static void
saturated_after_whole_windows_without_growth(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_cover_image one = image_of(forwards, 2);
    struct burl_cover *c = begin(s, &one);

    (void)state;
    assert_false(burl_cover_saturated(c, 199, 2));
    assert_true(burl_cover_saturated(c, 200, 2));
    assert_false(burl_cover_saturated(c, 1000000, 0)); /* no rule */
    add(c, BURL_METRIC_LOCPAIRS, 1, 2, 150);
    assert_false(burl_cover_saturated(c, 350, 2));
    assert_true(burl_cover_saturated(c, 351, 2));
    burl_cover_free(c);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
curves_end_in_the_present(void **state)
{
    static const uint64_t at[] = { 0, 0, 0, 5, 5, 80, 901 };
    struct burl_cover_metric m = { 0 };
    uint64_t many[5000];

    (void)state;
    burl__cover_curve(at, 7, 1000, &m);
    assert_int_equal(m.curve.n, 5);
    assert_true(m.curve.v[0].executions == 1 && m.curve.v[0].items == 3);
    assert_true(m.curve.v[1].executions == 6 && m.curve.v[1].items == 5);
    assert_true(m.curve.v[4].executions == 1000 && m.curve.v[4].items == 7);
    assert_int_equal(m.new_last_window, 1);
    BURL_VEC_FREE(&m.curve);

    m = (struct burl_cover_metric){ 0 };
    burl__cover_curve(NULL, 0, 10, &m);
    assert_int_equal(m.curve.n, 1);
    assert_true(m.curve.v[0].executions == 10 && m.curve.v[0].items == 0);
    BURL_VEC_FREE(&m.curve);

    m = (struct burl_cover_metric){ 0 };
    for (uint64_t i = 0; i < 5000; i++)
        many[i] = i;
    burl__cover_curve(many, 5000, 5000, &m);
    assert_true(m.curve.n < 500);
    assert_int_equal(m.curve.v[m.curve.n - 1].items, 5000);
    for (size_t i = 1; i < m.curve.n; i++)
        assert_true(m.curve.v[i - 1].executions < m.curve.v[i].executions &&
                    m.curve.v[i - 1].items <= m.curve.v[i].items);
    BURL_VEC_FREE(&m.curve);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_are_the_same_whatever_a_process_calls_them),
        cmocka_unit_test(numbers_that_are_no_sites_stay),
        cmocka_unit_test(items_of_changed_modules_do_not_count),
        cmocka_unit_test(hashes_count_in_their_build_only),
        cmocka_unit_test(many_items_come_back),
        cmocka_unit_test(kill_9_loses_nothing_that_was_written),
        cmocka_unit_test(version_1_is_brought_up_to_date),
        cmocka_unit_test(hunts_add_up),
        cmocka_unit_test(saturated_after_whole_windows_without_growth),
        cmocka_unit_test(curves_end_in_the_present),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
