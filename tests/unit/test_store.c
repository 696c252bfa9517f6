/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_store.c - the store: what is told is kept, whatever happens to us.
 */
#include "unit.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "store/store.h"

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

/* The first row of a query, its columns with blanks between them. */
static void
expect_row(const char *dir, const char *sql, const char *want)
{
    char *path = burl_path_join(dir, "burl.db");
    char got[256] = "";
    sqlite3_stmt *stmt;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", i > 0 ? " " : "",
                 (const char *)sqlite3_column_text(stmt, i));
    assert_string_equal(got, want);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    free(path);
}

static int64_t
put_finding(struct burl_store *s, const char *fingerprint, uint64_t count, bool *is_new)
{
    struct burl_store_finding f = {
        .fingerprint = fingerprint,
        .kind = "deadlock.cycle",
        .title = "two locks",
        .facts = { .count = count, .seed = UINT64_MAX - 1, .confirmed = 3, .confirm_tries = 3 },
        .trace_hash = 0xfedcba9876543210u,
    };
    struct burl_err err = { 0 };
    int64_t id;

    EXPECT_OK(burl_store_finding_upsert(s, &f, &id, is_new, &err), &err);
    return id;
}

static void
findings_are_one_per_fingerprint(void **state)
{
    char *dir = unit_mkdir();
    char *sub = burl_path_join(dir, "deep/.burl");
    struct burl_store *s = open_store(sub);
    struct burl_store_finding f;
    struct burl_store_findings l;
    struct burl_err err = { 0 };
    bool is_new;
    int64_t id;

    (void)state;
    assert_int_equal(put_finding(s, "aa", 5, &is_new), 1);
    assert_true(is_new);
    assert_int_equal(put_finding(s, "bb", 1, &is_new), 2);
    assert_true(is_new);
    assert_int_equal(put_finding(s, "aa", 7, &is_new), 1);
    assert_false(is_new);
    EXPECT_OK(burl_store_finding_hit(s, 1, 100, NULL, &err), &err);
    burl_store_close(s);

    s = open_store(sub);
    EXPECT_OK(burl_store_finding_get(s, 1, &f, &err), &err);
    assert_int_equal(f.facts.count, 112);
    assert_string_equal(f.fingerprint, "aa");
    assert_string_equal(f.title, "two locks");
    assert_int_equal(f.facts.seed, UINT64_MAX - 1);
    assert_int_equal(f.trace_hash, 0xfedcba9876543210u);
    assert_null(f.json);
    expect_row(sub, "SELECT first_seen_ms > 0, last_seen_ms >= first_seen_ms FROM findings", "1 1");
    burl_store_finding_deinit(&f);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.v[1].id, 2);
    burl_store_findings_deinit(&l);
    EXPECT_OK(burl_store_finding_find(s, "bb", &id, &err), &err);
    assert_int_equal(id, 2);
    EXPECT_OK(burl_store_finding_find(s, "cc", &id, &err), &err);
    assert_int_equal(id, 0);
    EXPECT_STATUS(burl_store_finding_get(s, 9, &f, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "numbered 1 to 2");
    burl_store_close(s);
    free(sub);
    unit_rmdir(dir);
}

/* The count of a known finding grows, strings that are NULL stay as they were. */
static void
upsert_keeps_what_is_not_given(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_finding f = { .fingerprint = "x",
                                    .kind = "crash.abort",
                                    .facts = { .count = 1, .confirm_tries = 3 },
                                    .title = "old",
                                    .json = "{}" };
    struct burl_err err = { 0 };
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_finding_upsert(s, &f, &id, NULL, &err), &err);
    f.title = "new";
    f.json = NULL;
    f.facts.confirmed = 3;
    f.facts.sequential = true;
    EXPECT_OK(burl_store_finding_upsert(s, &f, NULL, NULL, &err), &err);
    EXPECT_OK(burl_store_finding_get(s, id, &f, &err), &err);
    assert_string_equal(f.title, "new");
    assert_string_equal(f.json, "{}");
    assert_int_equal(f.facts.count, 2);
    assert_int_equal(f.facts.confirmed, 3);
    assert_true(f.facts.sequential);
    burl_store_finding_deinit(&f);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
campaigns_keep_their_sums(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_campaign c = { .command = "test",
                                     .program = "./p",
                                     .args = "[\"1\"]",
                                     .seed = UINT64_MAX,
                                     .engine = "fibers" };
    struct burl_store_totals t = { .executions = 10, .steps = 20, .failures = 1, .wall_ms = 5 };
    const struct burl_store_strategy used[] = { { "pct", t }, { "random", t } };
    struct burl_err err = { 0 };
    int64_t first;
    int64_t second;

    (void)state;
    EXPECT_OK(burl_store_campaign_begin(s, &c, &first, &err), &err);
    EXPECT_OK(burl_store_strategies_update(s, first, used, 2, &err), &err);
    EXPECT_OK(burl_store_strategies_update(s, first, used, 2, &err), &err);
    t.executions = 30;
    EXPECT_OK(burl_store_campaign_end(s, first, &t, 1, "runs", &err), &err);
    EXPECT_OK(burl_store_campaign_begin(s, &c, &second, &err), &err);
    assert_int_equal(second, first + 1);
    expect_row(dir,
               "SELECT executions, steps, seed, exit_code, end_reason, ended_ms >= started_ms"
               " FROM campaigns WHERE id = 1",
               "30 20 -1 1 runs 1");
    expect_row(dir, "SELECT ended_ms, exit_code FROM campaigns WHERE id = 2", "0 -1");
    expect_row(dir, "SELECT count(*), sum(executions) FROM strategies WHERE campaign = 1", "2 20");
    burl_store_close(s);
    unit_rmdir(dir);
}

/* The second campaign gets a message about the first; readers and the next campaign are not kept
 * out. */
static void
second_campaign_is_told_who_holds_the_lock(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *a = open_store(dir);
    struct burl_store *b = open_store(dir);
    struct burl_store_campaign c = { .command = "test", .program = "./mine" };
    struct burl_store_findings l;
    struct burl_err err = { 0 };
    char want[64];
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_campaign_begin(a, &c, &id, &err), &err);
    EXPECT_STATUS(burl_store_campaign_begin(b, &c, &id, &err), BURL_E_IO, &err);
    assert_int_equal(err.sys, EWOULDBLOCK);
    snprintf(want, sizeof want, "pid %d, burl test ./mine", (int)getpid());
    EXPECT_CONTAINS(err.msg, want);
    EXPECT_OK(burl_store_finding_list(b, 0, &l, &err), &err);
    burl_store_findings_deinit(&l);
    put_finding(b, "from-b", 1, NULL); /* single transactions are not locked out either */
    burl_store_close(a);
    EXPECT_OK(burl_store_campaign_begin(b, &c, &id, &err), &err);
    burl_store_close(b);
    unit_rmdir(dir);
}

static void
readonly_open_wants_a_store(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s;
    struct burl_store_findings l;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_STATUS(burl_store_open_readonly(&s, dir, &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "burl test");
    assert_null(s);
    s = open_store(dir);
    put_finding(s, "aa", 1, NULL);
    burl_store_close(s);
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 1);
    burl_store_findings_deinit(&l);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* Killed between the creation of the file and the first commit. */
static void
empty_database_is_an_empty_store(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "burl.db");
    struct burl_store_findings l;
    struct burl_err err = { 0 };
    struct burl_store *s;

    (void)state;
    EXPECT_OK(burl_fs_write_atomic(path, "", 0, &err), &err);
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 0);
    burl_store_findings_deinit(&l);
    burl_store_close(s);
    free(path);
    unit_rmdir(dir);
}

/* What a killed writer left half written is rolled back for a reader too. */
static void
reader_rolls_back_what_a_killed_writer_left(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "burl.db");
    struct burl_store *s = open_store(dir);
    struct burl_store_findings l;
    struct burl_err err = { 0 };
    pid_t pid;
    int raw;

    (void)state;
    put_finding(s, "kept", 1, NULL);
    burl_store_close(s);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        sqlite3 *db;

        /* A tiny cache spills changed pages into the file before the commit. */
        if (sqlite3_open(path, &db) != SQLITE_OK ||
            sqlite3_exec(
                db,
                "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
                "UPDATE findings SET fingerprint = 'torn';"
                "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000)"
                " INSERT INTO cover_schedules SELECT x, 0, 'cover/a-file-of-some-length.txt' FROM "
                "c;",
                NULL, NULL, NULL) != SQLITE_OK)
            _exit(9);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, &raw, 0), pid);
    assert_true(WIFSIGNALED(raw));
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 1);
    assert_string_equal(l.v[0].fingerprint, "kept");
    burl_store_findings_deinit(&l);
    burl_store_close(s);
    free(path);
    unit_rmdir(dir);
}

/* Runs SQL on the file behind the store's back. */
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
newer_schema_is_refused(void **state)
{
    char *dir = unit_mkdir();
    struct burl_err err = { 0 };
    struct burl_store *s;

    (void)state;
    burl_store_close(open_store(dir));
    tamper(dir, "PRAGMA user_version = 999");
    EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "newer burl (schema 999");
    EXPECT_STATUS(burl_store_open_readonly(&s, dir, &err), BURL_E_FORMAT, &err);
    unit_rmdir(dir);
}

static void
other_tables_under_our_version_are_refused_in_words(void **state)
{
    static const char *const changes[] = {
        "ALTER TABLE cover_objects DROP COLUMN path",
        "ALTER TABLE cover_items ADD COLUMN more INTEGER",
        "DROP TABLE cover_schedules",
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *dir = unit_mkdir();
        struct burl_err err = { 0 };
        struct burl_store *s;

        burl_store_close(open_store(dir));
        tamper(dir, changes[i]);
        EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
        EXPECT_CONTAINS(err.msg, "was written by a development build (table cover_");
        EXPECT_STATUS(burl_store_open_readonly(&s, dir, &err), BURL_E_FORMAT, &err);
        unit_rmdir(dir);
    }
}

/* Step 5 reads tables that it replaces. */
static void
other_tables_of_version_4_are_refused_in_words(void **state)
{
    static const char *const changes[] = {
        "PRAGMA user_version = 4; DROP TABLE goals",
        "PRAGMA user_version = 4; ALTER TABLE goal_sites ADD COLUMN more INTEGER",
        "PRAGMA user_version = 4", /* no cover_hunts */
    };

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        char *dir = unit_mkdir();
        struct burl_err err = { 0 };
        struct burl_store *s;

        burl_store_close(open_store(dir));
        tamper(dir, changes[i]);
        EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
        EXPECT_CONTAINS(err.msg, "was written by a development build (table ");
        unit_rmdir(dir);
    }
}

static void
foreign_database_is_refused(void **state)
{
    char *dir = unit_mkdir();
    struct burl_err err = { 0 };
    struct burl_store *s;

    (void)state;
    tamper(dir, "CREATE TABLE theirs (x)");
    EXPECT_STATUS(burl_store_open(&s, dir, &err), BURL_E_FORMAT, &err);
    EXPECT_CONTAINS(err.msg, "not one of burl's");
    unit_rmdir(dir);
}

/* The bytes of a healthy store with some findings in it. */
static char *
healthy_bytes(size_t *n)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "burl.db");
    struct burl_store *s = open_store(dir);
    struct burl_err err = { 0 };
    char *bytes;

    for (int i = 0; i < 20; i++) {
        char fp[32];

        snprintf(fp, sizeof fp, "finding-%d", i);
        put_finding(s, fp, 1, NULL);
    }
    burl_store_close(s);
    EXPECT_OK(burl_fs_read_file(path, 1 << 22, &bytes, n, &err), &err);
    free(path);
    unit_rmdir(dir);
    return bytes;
}

/* Whatever bytes the file is overwritten with: a clear refusal or a store, never a crash. */
static void
damage_is_told_with_the_file_to_move(void **state)
{
    char *dir = unit_mkdir();
    char *path = burl_path_join(dir, "burl.db");
    struct burl_rng r;
    int n_refused = 0;
    size_t n_good;
    char *good = healthy_bytes(&n_good);

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (int round = 0; round < 100; round++) {
        struct burl_store_findings l;
        struct burl_err err = { 0 };
        struct burl_store *s;
        size_t n = round == 1 ? n_good / 2 : n_good;
        char *bytes = burl_xmemdup(good, n_good);

        if (round == 0) {
            memset(bytes, 'x', 100);
        } else if (round > 1) {
            size_t at = burl_rng_below(&r, n);
            size_t len = 1 + burl_rng_below(&r, 200);

            for (size_t i = at; i < n && i < at + len; i++)
                bytes[i] = (char)burl_rng_next(&r);
        }
        EXPECT_OK(burl_fs_write_atomic(path, bytes, n, &err), &err);
        free(bytes);
        if (burl_store_open(&s, dir, &err) == BURL_OK) {
            if (burl_store_finding_list(s, 0, &l, &err) == BURL_OK)
                burl_store_findings_deinit(&l);
            burl_store_close(s);
        } else {
            n_refused++;
            EXPECT_CONTAINS(err.msg, path);
        }
        if (round < 2)
            EXPECT_CONTAINS(err.msg, "move it away");
    }
    assert_true(n_refused >= 2);
    free(good);
    free(path);
    unit_rmdir(dir);
}

static void
unwritable_directory_is_told(void **state)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    (void)state;
    /* /proc takes no files from any user, root included. */
    EXPECT_STATUS(burl_store_open(&s, "/proc/burl-unit", &err), BURL_E_IO, &err);
    EXPECT_CONTAINS(err.msg, "/proc/burl-unit");
    assert_null(s);
    EXPECT_STATUS(burl_store_open(&s, "/etc/passwd/x", &err), BURL_E_IO, &err);
}

/*
 * A child writes findings and says each number over a pipe after the call returned; we kill it
 * at a random moment and check that every finding it told of is there.
 */
static void
write_until_killed(const char *dir, int told)
{
    struct burl_store *s;
    struct burl_err err;

    if (burl_store_open(&s, dir, &err) != BURL_OK)
        _exit(9);
    for (unsigned i = 0;; i++) {
        struct burl_store_finding f = { .kind = "crash.abort", .facts.count = 1 };
        char fp[32];
        int64_t id;

        snprintf(fp, sizeof fp, "%d-%u", (int)getpid(), i);
        f.fingerprint = fp;
        if (burl_store_finding_upsert(s, &f, &id, NULL, &err) != BURL_OK)
            _exit(9);
        if (write(told, &id, sizeof id) != (ssize_t)sizeof id)
            _exit(9);
    }
}

static void
kill_9_loses_no_finding_that_was_told(void **state)
{
    char *dir = unit_mkdir();
    struct burl_err err = { 0 };
    struct burl_rng r;
    int64_t last = 0;

    (void)state;
    burl_rng_init(&r, unit_seed());
    for (int round = 0; round < 25; round++) {
        struct burl_store_findings l;
        struct burl_store *s;
        int64_t id = 0;
        int raw;
        int fds[2];
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        fflush(NULL);
        pid = fork();
        if (pid == 0) {
            close(fds[0]);
            write_until_killed(dir, fds[1]);
        }
        close(fds[1]);
        usleep((useconds_t)burl_rng_below(&r, 60000));
        kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &raw, 0), pid);
        assert_true(WIFSIGNALED(raw));
        while (read(fds[0], &id, sizeof id) == (ssize_t)sizeof id)
            last = id;
        close(fds[0]);
        s = open_store(dir);
        EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
        if (last > 0) {
            assert_true(l.n > 0);
            assert_true(l.v[l.n - 1].id >= last);
        }
        assert_int_equal(l.n, l.n ? l.v[l.n - 1].id : 0); /* no hole either */
        burl_store_findings_deinit(&l);
        burl_store_close(s);
    }
    assert_true(last > 0);
    unit_rmdir(dir);
}

static void
finding_directories_are_made_on_demand(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_err err = { 0 };
    char *path;

    (void)state;
    EXPECT_OK(burl_store_finding_dir(s, 12, false, &path, &err), &err);
    EXPECT_CONTAINS(path, "/findings/12");
    assert_false(burl_fs_exists(path));
    free(path);
    EXPECT_OK(burl_store_finding_dir(s, 12, true, &path, &err), &err);
    assert_true(burl_fs_is_dir(path));
    free(path);
    burl_store_close(s);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_are_one_per_fingerprint),
        cmocka_unit_test(upsert_keeps_what_is_not_given),
        cmocka_unit_test(campaigns_keep_their_sums),
        cmocka_unit_test(second_campaign_is_told_who_holds_the_lock),
        cmocka_unit_test(readonly_open_wants_a_store),
        cmocka_unit_test(empty_database_is_an_empty_store),
        cmocka_unit_test(reader_rolls_back_what_a_killed_writer_left),
        cmocka_unit_test(newer_schema_is_refused),
        cmocka_unit_test(other_tables_under_our_version_are_refused_in_words),
        cmocka_unit_test(other_tables_of_version_4_are_refused_in_words),
        cmocka_unit_test(foreign_database_is_refused),
        cmocka_unit_test(damage_is_told_with_the_file_to_move),
        cmocka_unit_test(unwritable_directory_is_told),
        cmocka_unit_test(kill_9_loses_no_finding_that_was_told),
        cmocka_unit_test(finding_directories_are_made_on_demand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
