/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_slice.c - places and names in an explanation, and which operations it shows.
 *
 * On executions made by hand, as in test_pattern.c: what must be shown stands beside what must
 * not be.
 */
#include "pattern_rig.h"

/* ---- places and names -------------------------------------------------------------- */

/* The reader has been told where it failed: lines of another file need its name. */
static void
lines_of_another_file_are_said_with_it(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t fails = tb_site(&b, BURL_SITE_CALL, "main", "later = len", "later", "abort");

    (void)state;
    b.sites.v[b.sites.n - 1].file = "other.c";
    tb_read(&b, 1, s.check_len, LEN, 3);
    stop_before(&b, 1, BURL_OP_READ, s.use_len, 2);
    tb_write(&b, 2, s.set_len, LEN, 3, 0);
    tb_event(&b, 2, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 2, BURL_OP_NONE, 0, 1, BURL_SWITCH_FINISHED);
    tb_read(&b, 1, s.use_len, LEN, 0);
    b.run.verdict.site = fails;
    abort_in(&b, 1, "check-then-act",
             "T2 writes len at pattern.c:7 between T1's check at pattern.c:5 and its "
             "use at pattern.c:6");
}

/* What the last operation of an execution acts on, as its row says it. */
static void
expect_what(uint8_t kind, const char *line, const char *token, const char *variable,
            const char *what)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t site = tb_site(&b, kind, "worker", line, token, variable);
    const struct burl_run *run;
    struct burl_finding *f;
    unsigned n = 0;

    if (kind == BURL_SITE_CALL)
        tb_event(&b, 1, BURL_OP_COND_SIGNAL, site, COND, 0);
    else
        tb_read(&b, 1, site, A, 1);
    tb_write(&b, 2, s.set_a, A, 1, 2);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    run = tb_run(&b); /* makes the table */
    f = burl_report_finding_new(run, b.table, &(struct burl_report_facts){ .max_steps = SIZE_MAX });
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP && f->steps[i].tid == 1 &&
            f->steps[i].loc.site == site) {
            assert_string_equal(f->steps[i].what, what);
            n++;
        }
    }
    assert_int_equal(n, 1);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

static void
names_are_spelled_as_in_the_source(void **state)
{
    (void)state;
    expect_what(BURL_SITE_WRITE, "table[i].state = 1", "= 1", "table[].state", "table[i].state");
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "part[0]", "part[]", "part[0]");
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "part[k]", "part[]", "part[k]");
    /* Which of the two is not clear, and what is not there is not made up. */
    expect_what(BURL_SITE_READ, "part[0] + part[k]", "+", "part[]", "part[]");
    expect_what(BURL_SITE_WRITE, "table[i].state = 1", "= 1", "other[].state", "other[].state");
    expect_what(BURL_SITE_WRITE, "accounts_[who] = n", "= n", "operator[]()", "accounts_[who]");
    expect_what(BURL_SITE_WRITE, "accounts_[who].n = 2", "= 2", "operator[]().n",
                "accounts_[who].n");
    expect_what(BURL_SITE_READ, "return ok ? *value", "*value", "operator*()", "*value");
    expect_what(BURL_SITE_CALL, "c_.wait(g)", "wait",
                "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", "c_");
}

/* ---- the slice --------------------------------------------------------------------- */

static bool
shows(const struct burl_finding *f, uint32_t step)
{
    for (size_t i = 0; i < f->n_steps; i++) {
        if (f->steps[i].type == BURL_FINDING_STEP_OP && f->steps[i].step == step)
            return true;
    }
    return false;
}

static size_t
count_preemptions_shown(const struct burl_finding *f)
{
    size_t n = 0;

    for (size_t i = 0; i < f->n_steps; i++)
        n += f->steps[i].preemption;
    return n;
}

/* Of a hundred turns the one that matters is shown, with what it depends on. */
static void
only_what_matters_is_shown(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t lock, first, other, second, noise, check;
    const struct burl_run *run;
    struct burl_finding *f;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        noise = b.step;
        tb_read(&b, 3, s.read_a, A, i);
        tb_write(&b, 3, s.set_a, A, i, i + 1);
    }
    tb_read(&b, 2, s.read_a, A, 100); /* shared, and of no consequence */
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    lock = b.step;
    tb_event(&b, 1, BURL_OP_LOCK, s.lock1, M1, 0);
    first = b.step;
    tb_read(&b, 1, s.read_count, COUNT, 5);
    stop_before(&b, 1, BURL_OP_WRITE, s.write_count, 2);
    other = b.step;
    tb_write(&b, 2, s.write_count, COUNT, 5, 6);
    for (unsigned i = 0; i < 100; i++)
        tb_read(&b, 2, s.read_b, B, i);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    second = b.step;
    tb_write(&b, 1, s.write_count, COUNT, 6, 6);
    tb_event(&b, 1, BURL_OP_UNLOCK, s.lock1, M1, 0);
    tb_switch(&b, 1, BURL_OP_JOIN, s.join, 0, BURL_SWITCH_BLOCKED);
    check = b.step;
    tb_read(&b, 0, s.read_count, COUNT, 6);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 0;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, first) && shows(f, other) && shows(f, second) && shows(f, check));
    assert_true(shows(f, lock));
    assert_false(shows(f, noise));
    assert_int_equal(count_preemptions_shown(f), 1);
    assert_true(f->n_ops_shown < 20);
    burl_report_finding_free(f);
    /* All of it when that is asked for. tb_run makes the table anew, so it goes first. */
    run = tb_run(&b);
    f = burl_report_finding_new(run, b.table, &(struct burl_report_facts){ .max_steps = SIZE_MAX });
    assert_true(shows(f, noise));
    assert_int_equal(f->n_ops_shown, f->n_ops);
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* The write that a failing check saw, what its line read, and no other write. */
static void
a_read_brings_the_write_it_saw(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t old, seen, reader;
    struct burl_finding *f;

    (void)state;
    old = b.step;
    tb_write(&b, 2, s.fill, FULL, 0, 1);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 3, BURL_SWITCH_BLOCKED);
    tb_read(&b, 3, s.copy, A, 1);
    seen = b.step;
    tb_write(&b, 3, s.steal, FULL, 1, 0);
    tb_switch(&b, 3, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    reader = b.step;
    tb_read(&b, 1, s.check_full, FULL, 0);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, seen) && shows(f, reader));
    assert_false(shows(f, old));
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* A value that a thread has updated several times goes back to the thread that set it first. */
static void
a_chain_of_updates_begins_with_another_thread(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    uint32_t origin, reader;
    struct burl_finding *f;

    (void)state;
    origin = b.step;
    tb_write(&b, 2, s.fill, COUNT, 0, 1);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    for (unsigned i = 1; i < 9; i++) {
        tb_read(&b, 1, s.read_count, COUNT, i);
        tb_write(&b, 1, s.write_count, COUNT, i, i + 1);
    }
    reader = b.step;
    tb_read(&b, 1, s.copy, COUNT, 9);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, origin) && shows(f, reader));
    assert_false(shows(f, origin + 2));
    burl_report_finding_free(f);
    tb_deinit(&b);
}

/* A value that another thread made of one that no thread had written: the late writer is shown,
 * and said when it was stopped right before. */
static void
made_of_what_was_read_too_early(void **state)
{
    struct tb b;
    struct sites s = begin(&b);
    const uint32_t read_in = tb_site(&b, BURL_SITE_READ, "worker", "out = in + 1", "in +", "in");
    const uint32_t set_out = tb_site(&b, BURL_SITE_WRITE, "worker", "out = in + 1", "out", "out");
    const uint32_t set_in = tb_site(&b, BURL_SITE_WRITE, "worker", "in = 41", "in", "in");
    uint32_t late;
    struct burl_finding *f;

    (void)state;
    tb_read(&b, 2, s.read_b, B, 0);
    stop_before(&b, 2, BURL_OP_WRITE, set_in, 3);
    tb_read(&b, 3, read_in, A, 0);
    tb_write(&b, 3, set_out, COUNT, 0, 1);
    tb_event(&b, 3, BURL_OP_EXIT_THREAD, 0, 0, 0);
    tb_switch(&b, 3, BURL_OP_NONE, 0, 2, BURL_SWITCH_FINISHED);
    late = b.step;
    tb_write(&b, 2, set_in, A, 0, 41);
    tb_switch(&b, 2, BURL_OP_JOIN, s.join, 1, BURL_SWITCH_BLOCKED);
    tb_read(&b, 1, s.read_count, COUNT, 1);
    b.run.verdict.kind = BURL_VERDICT_CRASH_ABORT;
    b.run.verdict.tid = 1;
    f = tb_finding(&b, NULL);
    assert_true(shows(f, late));
    assert_string_equal(f->pattern.sentence, "T3 reads in at line 30 before T2 sets it at line 31");
    burl_report_finding_free(f);
    tb_deinit(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_another_file_are_said_with_it),
        cmocka_unit_test(names_are_spelled_as_in_the_source),
        cmocka_unit_test(only_what_matters_is_shown),
        cmocka_unit_test(a_read_brings_the_write_it_saw),
        cmocka_unit_test(a_chain_of_updates_begins_with_another_thread),
        cmocka_unit_test(made_of_what_was_read_too_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
