/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_memory.c - what a campaign leaves to the next: programs, states, schedules.
 */
#include "unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include "old_tables.h"
#include "store/cover.h"
#include "store/memory.h"

static struct burl_store *
open_store(const char *dir)
{
    struct burl_err err = { 0 };
    struct burl_store *s;

    EXPECT_OK(burl_store_open(&s, dir, &err), &err);
    return s;
}

static int64_t
program_id(struct burl_store *s, const char *path, const char *args)
{
    struct burl_err err = { 0 };
    int64_t id;

    EXPECT_OK(burl_store_program_id(s, path, args, &id, &err), &err);
    return id;
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
a_program_is_its_path_and_arguments(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_program p;
    struct burl_err err = { 0 };
    bool found;
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &p, &err), &err);
    assert_false(found);
    id = program_id(s, "/p", "[]");
    assert_int_equal(program_id(s, "/p", "[]"), id);
    assert_int_not_equal(program_id(s, "/p", "[\"1\"]"), id);
    assert_int_not_equal(program_id(s, "/q", "[]"), id);
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &p, &err), &err);
    assert_true(found);
    assert_int_equal(p.id, id);
    assert_int_equal(p.campaigns, 0);
    assert_null(p.state);
    burl_store_program_deinit(&p);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* Any bytes, zeros too; and no state replaces one. */
static void
the_state_comes_back_as_it_was(void **state)
{
    static const unsigned char bytes[] = { 0, 255, 0, 'x', 39, 0 };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    struct burl_store_program p = { .id = program_id(s, "/p", "[]"),
                                    .program = "./p",
                                    .build_id = "b1",
                                    .campaigns = 2,
                                    .executions = UINT64_MAX - 5,
                                    .edges = 7,
                                    .state = bytes,
                                    .state_b = sizeof bytes };
    struct burl_store_program out;
    struct burl_err err = { 0 };
    bool found;

    (void)state;
    EXPECT_OK(burl_store_program_put(s, &p, NULL, &err), &err);
    burl_store_close(s);
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &out, &err), &err);
    assert_true(found);
    assert_string_equal(out.program, "./p");
    assert_string_equal(out.build_id, "b1");
    assert_int_equal(out.campaigns, 2);
    assert_true(out.executions == UINT64_MAX - 5);
    assert_int_equal(out.edges, 7);
    assert_int_equal(out.state_b, sizeof bytes);
    assert_memory_equal(out.state, bytes, sizeof bytes);
    burl_store_program_deinit(&out);
    burl_store_close(s);

    s = open_store(dir);
    p.state = NULL;
    p.state_b = 0;
    EXPECT_OK(burl_store_program_put(s, &p, NULL, &err), &err);
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &out, &err), &err);
    assert_null(out.state);
    assert_int_equal(out.state_b, 0);
    burl_store_program_deinit(&out);
    burl_store_close(s);
    unit_rmdir(dir);
}

static struct burl_store_edge two_edges[] = {
    { .write_module = 0, .write = 0, .read_module = UINT64_MAX, .read = 3 },
    { .write_module = 5, .write = 1, .read_module = 5, .read = 2 },
};

static struct burl_store_entry
make_entry(int64_t n)
{
    return (struct burl_store_entry){ .n = n,
                                      .file = "corpus/1-1.txt",
                                      .why = "first to cover 2 edges",
                                      .n_new = 2,
                                      .steps = 100,
                                      .preemptions = 3,
                                      .strategy = "pos",
                                      .seed = UINT64_MAX,
                                      .build_id = "b1",
                                      .edges = two_edges,
                                      .n_edges = 2 };
}

static int64_t
next_entry(struct burl_store *s, int64_t id)
{
    struct burl_err err = { 0 };
    int64_t n;

    EXPECT_OK(burl_store_corpus_next(s, id, &n, &err), &err);
    return n;
}

static void
entries_keep_their_edges_and_results(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = program_id(s, "/p", "[]");
    struct burl_store_entry e = make_entry(1);
    struct burl_store_corpus c;
    struct burl_err err = { 0 };

    (void)state;
    assert_int_equal(next_entry(s, id), 1);
    EXPECT_OK(burl_store_corpus_put(s, id, &e, &err), &err);
    assert_int_equal(next_entry(s, id), 2);
    EXPECT_OK(burl_store_corpus_result(s, id, 1, "passed", "b2", &err), &err);
    EXPECT_OK(burl_store_corpus_list(s, id, &c, &err), &err);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.v[0].why, "first to cover 2 edges");
    assert_true(c.v[0].seed == UINT64_MAX);
    assert_true(c.v[0].kept_ms > 0);
    assert_string_equal(c.v[0].result, "passed");
    assert_string_equal(c.v[0].result_build, "b2");
    assert_int_equal(c.v[0].n_edges, 2);
    assert_memory_equal(&c.v[0].edges[0], &two_edges[0], sizeof two_edges[0]);
    assert_memory_equal(&c.v[0].edges[1], &two_edges[1], sizeof two_edges[0]);
    burl_store_corpus_deinit(&c);

    /* Replaced with what it shows now; another program has none of it. */
    e.n_edges = 1;
    e.finding = 4;
    EXPECT_OK(burl_store_corpus_put(s, id, &e, &err), &err);
    assert_int_equal(next_entry(s, id), 2);
    EXPECT_OK(burl_store_corpus_list(s, id, &c, &err), &err);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.v[0].finding, 4);
    assert_int_equal(c.v[0].n_edges, 1);
    assert_null(c.v[0].result);
    burl_store_corpus_deinit(&c);
    EXPECT_OK(burl_store_corpus_list(s, program_id(s, "/q", "[]"), &c, &err), &err);
    assert_int_equal(c.n, 0);
    burl_store_corpus_deinit(&c);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
a_number_is_not_used_twice(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = program_id(s, "/p", "[]");
    struct burl_store_entry e = make_entry(1);
    struct burl_store_corpus c;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_store_corpus_put(s, id, &e, &err), &err);
    e = make_entry(2);
    EXPECT_OK(burl_store_corpus_put(s, id, &e, &err), &err);
    EXPECT_OK(burl_store_corpus_drop(s, id, 2, &err), &err);
    assert_int_equal(next_entry(s, id), 3);
    EXPECT_OK(burl_store_corpus_list(s, id, &c, &err), &err);
    assert_int_equal(c.n, 1);
    assert_int_equal(c.v[0].n_edges, 2);
    burl_store_corpus_deinit(&c);
    EXPECT_STATUS(burl_store_corpus_next(s, id + 99, &(int64_t){ 0 }, &err), BURL_E_INTERNAL, &err);
    burl_store_close(s);
    unit_rmdir(dir);
}

static struct burl_store_goal two_goals[] = {
    { .kind = "lock-cycle",
      .state = "unconfirmed",
      .attempts = 10,
      .hits = 1,
      .first_seed = UINT64_MAX,
      .observer = 2,
      .rank = 7,
      .addr = UINT64_MAX - 1,
      .sites = { { UINT64_MAX, 1, 3, 1 }, { 5, 2, 4, 2 }, { 5, 3, 3, 2 }, { 5, 4, 4, 1 } },
      .n_sites = 4 },
    { .kind = "reads-from",
      .state = "confirmed",
      .sites = { { 0 }, { 5, 9, 0, 0 } },
      .n_sites = 2 },
};

/* They are one program's, and the next campaign replaces them with its state. */
static void
goals_come_back_with_their_sites(void **state)
{
    const struct burl_store_goals two = { .v = two_goals, .n = 2 };
    const struct burl_store_goals one = { .v = two_goals + 1, .n = 1 };
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_program p = { .id = program_id(s, "/p", "[]") };
    const struct burl_store_program q = { .id = program_id(s, "/q", "[]") };
    struct burl_store_goals out;
    struct burl_err err = { 0 };

    (void)state;
    EXPECT_OK(burl_store_goals_list(s, p.id, &out, &err), &err);
    assert_int_equal(out.n, 0);
    burl_store_goals_deinit(&out);
    EXPECT_OK(burl_store_program_put(s, &p, &two, &err), &err);
    EXPECT_OK(burl_store_program_put(s, &q, &one, &err), &err);
    EXPECT_OK(burl_store_goals_list(s, p.id, &out, &err), &err);
    assert_int_equal(out.n, 2);
    assert_string_equal(out.v[0].kind, "lock-cycle");
    assert_string_equal(out.v[0].state, "unconfirmed");
    assert_int_equal(out.v[0].attempts, 10);
    assert_int_equal(out.v[0].hits, 1);
    assert_true(out.v[0].first_seed == UINT64_MAX && out.v[0].addr == UINT64_MAX - 1);
    assert_int_equal(out.v[0].rank, 7);
    assert_int_equal(out.v[0].n_sites, 4);
    assert_memory_equal(out.v[0].sites, two_goals[0].sites, sizeof two_goals[0].sites);
    assert_string_equal(out.v[1].kind, "reads-from");
    assert_int_equal(out.v[1].n_sites, 2);
    burl_store_goals_deinit(&out);
    EXPECT_OK(burl_store_program_put(s, &p, &one, &err), &err);
    EXPECT_OK(burl_store_goals_list(s, p.id, &out, &err), &err);
    assert_int_equal(out.n, 1);
    burl_store_goals_deinit(&out);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* As the release before left it: the state is taken over, there are no goals. */
static void
a_store_of_version_3_gets_the_new_tables(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_program p = {
        .id = program_id(s, "/p", "[]"), .campaigns = 2, .state = "{}", .state_b = 2
    };
    struct burl_store_program out;
    struct burl_store_goals goals;
    struct burl_err err = { 0 };
    bool found;

    (void)state;
    EXPECT_OK(burl_store_program_put(s, &p, NULL, &err), &err);
    burl_store_close(s);
    tamper(dir, OLD_NO_VERSIONS OLD_COVER_HUNTS
           "DROP TABLE goals; DROP TABLE goal_sites; PRAGMA user_version = 3");
    s = open_store(dir);
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &out, &err), &err);
    assert_true(found && out.campaigns == 2 && out.state_b == 2);
    burl_store_program_deinit(&out);
    EXPECT_OK(burl_store_goals_list(s, p.id, &goals, &err), &err);
    assert_int_equal(goals.n, 0);
    burl_store_goals_deinit(&goals);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
take_hunt(void *arg, const struct burl_store_cover_hunt *x)
{
    uint32_t *n = arg;

    assert_int_equal(x->a.module, 10);
    assert_int_equal(x->a.value, *n + 1);
    assert_int_equal(x->b.module, 20);
    assert_int_equal(x->b.value, 7);
    assert_int_equal(x->outcome, *n + 1);
    assert_int_equal(x->tries, 100 + *n);
    assert_string_equal(x->why, *n == 0 ? "seen" : "");
    assert_string_equal(x->build, "b []");
    ++*n;
}

/* Hunted pairs had a table of their own. They become goals, and go on adding up. */
static void
a_store_of_version_4_keeps_its_goals_and_hunts(void **state)
{
    char *dir = unit_mkdir();
    const struct burl_store_cover_hunt again = {
        .a = { 10, 2 }, .b = { 20, 7 }, .outcome = 2, .why = "", .build = "b []"
    };
    struct burl_store_goals goals;
    struct burl_err err = { 0 };
    struct burl_store *s;
    uint32_t n = 0;

    (void)state;
    burl_store_close(open_store(dir));
    tamper(dir, OLD_NO_VERSIONS
           "DROP TABLE goals; DROP TABLE goal_sites;" OLD_COVER_HUNTS OLD_GOALS
           "INSERT INTO goals VALUES (1, 1, 'pair', 'unconfirmed', 8, 0, 0, 0, 0, 0);"
           "INSERT INTO goal_sites VALUES (1, 1, 0, 30, 1, 0, 0), (1, 1, 1, 30, 2, 0, 0);"
           "INSERT INTO cover_hunts VALUES (1, 10, 3, 20, 7, 3, 102, '', 'b []'),"
           " (1, 10, 1, 20, 7, 1, 100, 'seen', 'b []'), (1, 10, 2, 20, 7, 2, 101, '', 'b []'),"
           " (2, 11, 1, 21, 9, 2, 5, NULL, NULL);"
           "PRAGMA user_version = 4");
    s = open_store(dir);
    EXPECT_OK(burl_store_goals_list(s, 1, &goals, &err), &err);
    assert_int_equal(goals.n, 1);
    assert_int_equal(goals.v[0].attempts, 8);
    assert_int_equal(goals.v[0].n_sites, 2);
    assert_int_equal(goals.v[0].sites[1].index, 2);
    burl_store_goals_deinit(&goals);
    EXPECT_OK(burl_store_cover_hunt_put(s, 1, &again, &err), &err);
    EXPECT_OK(burl_store_cover_hunts(s, 1, take_hunt, &n, &err), &err);
    assert_int_equal(n, 3);
    EXPECT_OK(burl_store_cover_forget(s, 1, &err), &err);
    n = 0;
    EXPECT_OK(burl_store_cover_hunts(s, 1, take_hunt, &n, &err), &err);
    assert_int_equal(n, 0);
    EXPECT_OK(burl_store_goals_list(s, 1, &goals, &err), &err);
    assert_int_equal(goals.n, 1); /* those of `burl test` are not forgotten with coverage */
    burl_store_goals_deinit(&goals);
    burl_store_close(s);
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    burl_store_close(s);
    unit_rmdir(dir);
}

/* As an earlier release left it: a finding, coverage, no programs. */
static void
a_store_of_version_2_gets_the_new_tables(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const struct burl_store_finding f = { .fingerprint = "aa",
                                          .kind = "race.data",
                                          .facts.count = 3 };
    struct burl_store_findings l;
    struct burl_err err = { 0 };
    int64_t id;

    (void)state;
    EXPECT_OK(burl_store_finding_upsert(s, &f, &id, NULL, &err), &err);
    burl_store_close(s);
    tamper(dir, "DROP TABLE programs; DROP TABLE corpus; DROP TABLE corpus_edges;"
                "DROP TABLE goals; DROP TABLE goal_sites;" OLD_COVER_HUNTS OLD_NO_VERSIONS
                "PRAGMA user_version = 2");
    s = open_store(dir);
    EXPECT_OK(burl_store_finding_list(s, 0, &l, &err), &err);
    assert_int_equal(l.n, 1);
    assert_int_equal(l.v[0].facts.count, 3);
    burl_store_findings_deinit(&l);
    assert_int_equal(program_id(s, "/p", "[]"), 1);
    assert_int_equal(next_entry(s, 1), 1);
    burl_store_close(s);
    /* And is then one of this version, complete. */
    EXPECT_OK(burl_store_open_readonly(&s, dir, &err), &err);
    burl_store_close(s);
    unit_rmdir(dir);
}

static void
other_tables_under_this_version_are_refused(void **state)
{
    static const char *const changes[] = { "ALTER TABLE programs DROP COLUMN edges",
                                           "ALTER TABLE corpus ADD COLUMN more INTEGER",
                                           "DROP TABLE corpus_edges",
                                           "ALTER TABLE goals DROP COLUMN hits" };

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

/* A writer that is killed at any moment leaves whole entries and a whole state. */
static void
kill_9_leaves_whole_entries(void **state)
{
    char *dir = unit_mkdir();
    struct burl_store *s = open_store(dir);
    const int64_t id = program_id(s, "/p", "[]");
    struct burl_store_program p;
    struct burl_store_corpus c;
    struct burl_err err = { 0 };
    bool found;
    pid_t pid;
    int raw;

    (void)state;
    burl_store_close(s);
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        if (burl_store_open(&s, dir, NULL) != BURL_OK)
            _exit(1);
        for (int64_t n = 1;; n++) {
            struct burl_store_entry e = make_entry(n);
            const struct burl_store_program now = {
                .id = id, .campaigns = (uint64_t)n, .state = &n, .state_b = sizeof n
            };

            if (burl_store_corpus_put(s, id, &e, NULL) != BURL_OK ||
                burl_store_program_put(s, &now, NULL, NULL) != BURL_OK)
                _exit(1);
        }
    }
    usleep(300000);
    kill(pid, SIGKILL);
    waitpid(pid, &raw, 0);
    assert_true(WIFSIGNALED(raw));
    s = open_store(dir);
    EXPECT_OK(burl_store_corpus_list(s, id, &c, &err), &err);
    for (size_t i = 0; i < c.n; i++) {
        assert_int_equal(c.v[i].n, (int64_t)i + 1);
        assert_int_equal(c.v[i].n_edges, 2);
    }
    EXPECT_OK(burl_store_program_get(s, "/p", "[]", &found, &p, &err), &err);
    assert_true(found);
    if (p.campaigns > 0) {
        int64_t n;

        assert_int_equal(p.state_b, sizeof n);
        memcpy(&n, p.state, sizeof n);
        assert_int_equal(n, (int64_t)p.campaigns);
        assert_true(c.n == p.campaigns || c.n == p.campaigns + 1);
    }
    burl_store_program_deinit(&p);
    burl_store_corpus_deinit(&c);
    burl_store_close(s);
    unit_rmdir(dir);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_is_its_path_and_arguments),
        cmocka_unit_test(the_state_comes_back_as_it_was),
        cmocka_unit_test(entries_keep_their_edges_and_results),
        cmocka_unit_test(a_number_is_not_used_twice),
        cmocka_unit_test(goals_come_back_with_their_sites),
        cmocka_unit_test(a_store_of_version_3_gets_the_new_tables),
        cmocka_unit_test(a_store_of_version_4_keeps_its_goals_and_hunts),
        cmocka_unit_test(a_store_of_version_2_gets_the_new_tables),
        cmocka_unit_test(other_tables_under_this_version_are_refused),
        cmocka_unit_test(kill_9_leaves_whole_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
