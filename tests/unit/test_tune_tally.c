/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_tune_tally.c - what counts as an error, how executions add up, what is carried.
 */
#include "unit.h"

#include "tune/marks.h"
#include "tune/names.h"
#include "tune/tally.h"

static const struct burl_wire_module_entry modules[2] = {
    { .hash = 11, .base = 1, .n_sites = 10 }, { .hash = 22, .base = 11, .n_sites = 10 }
};
/* The same modules, loaded in the other order. */
static const struct burl_wire_module_entry moved[2] = { { .hash = 22, .base = 1, .n_sites = 10 },
                                                        { .hash = 11, .base = 11, .n_sites = 10 } };

static struct burl_execution
execution(void)
{
    struct burl_execution x = { .r = { .end = BURL_FREE_END_EXIT,
                                       .status = { .exited = true },
                                       .wall_ms = 10,
                                       .cpu_us = 4000,
                                       .modules = (struct burl_wire_module_entry *)modules,
                                       .n_modules = 2 } };

    return x;
}

static void
reasons_to_fail_are_told_apart(void **state)
{
    struct burl_execution x = execution();

    (void)state;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR__N);
    x.checked = true;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR__N);
    x.check_code = 1;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR_CHECK);
    x.r.status.code = 3;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR_EXIT);
    x.r.status = (struct burl_proc_status){ .signal = 11 };
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR_CRASH);
    x.r.end = BURL_FREE_END_DEADLOCK;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR_DEADLOCK);
    /* Ended from outside, by the user or another program: no error of the program. */
    x.r.end = BURL_FREE_END_OUTSIDE;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR__N);
    x.r.end = BURL_FREE_END_INTERRUPTED;
    assert_int_equal(burl_execution_error(&x), BURL_TUNE_ERROR__N);
}

/* What noise made slow ends when it loses its noise; what does not end even then hangs. */
static void
a_slow_execution_is_no_hang(void **state)
{
    struct burl_execution x = execution();
    struct burl_tally t = { 0 };

    (void)state;
    x.r.noise_stopped = true;
    assert_int_equal(burl_tally_add(&t, &x), BURL_TUNE_ERROR__N);
    assert_int_equal(t.outcome.cut, 1);
    x.r.end = BURL_FREE_END_TIME;
    assert_int_equal(burl_tally_add(&t, &x), BURL_TUNE_ERROR_HANG);
    assert_int_equal(t.outcome.errors[BURL_TUNE_ERROR_HANG], 1);
    assert_int_equal(t.outcome.cut, 2);
    burl_tally_deinit(&t);
}

static void
a_missing_check_is_noticed(void **state)
{
    struct burl_err err;

    (void)state;
    EXPECT_OK(burl_check_exists("true", &err), &err);
    EXPECT_OK(burl_check_exists("[ 1 = 1 ] && exit 1", &err), &err);
    EXPECT_OK(burl_check_exists("X=1 no-such-command", &err), &err); /* the shell's business */
    EXPECT_STATUS(burl_check_exists("no-such-command -x", &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "no-such-command");
    EXPECT_STATUS(burl_check_exists("", &err), BURL_E_USAGE, &err);
}

/* ---- adding up --------------------------------------------------------------------- */

static struct burl_wire_cover_item
item(uint8_t metric, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (struct burl_wire_cover_item){ .metric = metric, .a = a, .b = b, .c = c, .d = d };
}

static void
errors_are_added_and_tasks_united(void **state)
{
    struct burl_wire_cover_item items[] = {
        item(BURL_METRIC_AVIO, 1, 2, 3, 9),    item(BURL_METRIC_HBPAIRS, 1, 2, 0, 9),
        item(BURL_METRIC_SYNCHRO, 5, 2, 0, 0), item(BURL_METRIC_GOLDISC, 4, 0, 7, 8),
        item(BURL_METRIC_GOLDISC, 4, 0, 7, 9), item(BURL_METRIC_GOLDISC, 4, 2, 7, 9),
        item(BURL_METRIC_LINES, 4, 0, 0, 0),
    };
    struct burl_tune_seen seen = { 0 };
    struct burl_tally t = { 0 };
    struct burl_tally again = { 0 };
    struct burl_execution x = execution();

    (void)state;
    x.r.items = items;
    x.r.n_items = sizeof items / sizeof items[0];
    assert_int_equal(burl_tally_add(&t, &x), BURL_TUNE_ERROR__N);
    x.r.status.code = 1;
    assert_int_equal(burl_tally_add(&t, &x), BURL_TUNE_ERROR_EXIT);
    assert_int_equal(t.outcome.executions, 2);
    assert_int_equal(burl_tune_errors(&t.outcome), 1);
    assert_int_equal(t.outcome.avio, 1);
    assert_int_equal(t.outcome.hbpair, 1);
    assert_int_equal(t.outcome.synchro, 1);
    /* Two threads at one place in one state are two tasks of GoldiLockSC*, and weigh once. */
    assert_int_equal(t.outcome.goldi, 3);
    assert_int_equal(t.outcome.goldi_weight, 1 + 5);
    assert_int_equal(t.outcome.wall_ms, 20);
    assert_int_equal(t.outcome.cost_ms, 20);
    burl_tally_end(&t, &seen);
    assert_int_equal(t.outcome.fresh, 6);
    assert_int_equal(seen.n_items, 6);

    /* The next evaluation covers the same, loaded elsewhere, and one more. */
    for (size_t i = 0; i < 6; i++) {
        items[i].a += 10;
        items[i].b +=
            items[i].metric == BURL_METRIC_AVIO || items[i].metric == BURL_METRIC_HBPAIRS ? 10 : 0;
        items[i].c += items[i].metric == BURL_METRIC_AVIO ? 10 : 0;
    }
    items[6] = item(BURL_METRIC_SYNCHRO, 15, 3, 0, 0);
    x.r.modules = (struct burl_wire_module_entry *)moved;
    burl_tally_add(&again, &x);
    burl_tally_end(&again, &seen);
    assert_int_equal(again.outcome.fresh, 1);
    assert_int_equal(again.in_order.n, 1);
    assert_int_equal(seen.n_items, 7);
    burl_tally_deinit(&t);
    burl_tally_deinit(&again);
    burl_tune_seen_deinit(&seen);
}

static void
a_warning_is_a_pair_of_places(void **state)
{
    struct burl_wire_failure failures[3] = { { .count = 5 }, { .count = 1 }, { .count = 1 } };
    struct burl_wire_cover_item items[2] = { item(BURL_METRIC_GOLDISC, 3, 3, 0, 0),
                                             item(BURL_METRIC_GOLDISC, 9, 3, 0, 0) };
    static const uint32_t sites[3][2] = { { 3, 4 }, { 4, 3 }, { 3, 5 } };
    struct burl_tally t = { 0 };
    struct burl_execution x = execution();

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        failures[i].verdict.kind = BURL_VERDICT_RACE_DATA;
        failures[i].verdict.n_sides = 2;
        failures[i].verdict.sides[0].site = sites[i][0];
        failures[i].verdict.sides[1].site = sites[i][1];
    }
    x.r.failures = failures;
    x.r.n_failures = 3;
    x.r.items = items;
    x.r.n_items = 2;
    burl_tally_add(&t, &x);
    /* {3,4} once, {3,5}, and place 9 of which there is no pair. */
    assert_int_equal(t.outcome.warnings, 3);
    assert_int_equal(burl_tune_errors(&t.outcome), 0);
    burl_tally_deinit(&t);
}

static void
cost_is_processor_time_but_at_least_wall_time(void **state)
{
    (void)state;
    assert_int_equal(burl_tune_cost_ms(5000, 20), 20);
    assert_int_equal(burl_tune_cost_ms(50000, 20), 50);
    assert_int_equal(burl_tune_cost_ms(1, 0), 1);
    assert_int_equal(burl_tune_cost_ms(0, 0), 0);
}

/* ---- marks ------------------------------------------------------------------------- */

static struct burl_sites *
sites_with_variables(void)
{
    static const struct burl_site_info infos[] = {
        { .id = 1, .kind = BURL_SITE_READ, .variable = "q->head" },
        { .id = 2, .kind = BURL_SITE_WRITE, .variable = "queue->head" },
        { .id = 3, .kind = BURL_SITE_WRITE, .variable = "total" },
        { .id = 4, .kind = BURL_SITE_CALL, .variable = "malloc" },
        { .id = 5, .kind = BURL_SITE_READ, .variable = "" },
        { .id = 11, .kind = BURL_SITE_READ, .variable = "total" },
    };
    struct burl_site_info copy[sizeof infos / sizeof infos[0]];

    for (size_t i = 0; i < sizeof infos / sizeof infos[0]; i++) {
        copy[i] = infos[i];
        copy[i].file = copy[i].dir = copy[i].func = copy[i].module = "";
    }
    return burl_sites_new_fixed(copy, sizeof copy / sizeof copy[0]);
}

static void
marks_follow_their_module(void **state)
{
    struct burl_sites *sites = sites_with_variables();
    uint8_t of_run[21] = { 0 };
    struct burl_marks m = { 0 };

    (void)state;
    burl_marks_add(&m, 22, 3, BURL_NOISE_MARK_PAIR); /* before the first run */
    burl_marks_begin(&m, modules, 2, sites);
    assert_int_equal(m.v[14], BURL_NOISE_MARK_PAIR);
    /* A run that loaded them the other way round. */
    of_run[4] = BURL_NOISE_MARK_SHARED;    /* 22, 3 */
    of_run[11] = BURL_NOISE_MARK_SWITCHED; /* 11, 0 */
    burl_marks_learn(&m, moved, 2, of_run, sizeof of_run);
    assert_int_equal(m.v[14], BURL_NOISE_MARK_PAIR | BURL_NOISE_MARK_SHARED);
    assert_int_equal(m.v[1], BURL_NOISE_MARK_SWITCHED);
    assert_int_equal(burl_marks_count(&m, BURL_NOISE_MARK_SHARED), 1);
    burl_marks_add(&m, 33, 0, 1);  /* no such module */
    burl_marks_add(&m, 11, 10, 1); /* no such site */
    burl_marks_add_site(&m, moved, 2, 99, 1);
    assert_int_equal(burl_marks_count(&m, 255), 2);
    burl_marks_deinit(&m);
    burl_sites_free(sites);
}

static void
sites_of_one_variable_have_one_number(void **state)
{
    struct burl_sites *sites = sites_with_variables();
    struct burl_marks m = { 0 };
    bool seen[3] = { false };

    (void)state;
    burl_marks_begin(&m, modules, 2, sites);
    assert_int_equal(m.n_variables, 2);
    assert_int_equal(m.variables[1], m.variables[2]);
    assert_int_equal(m.variables[3], m.variables[11]);
    assert_int_not_equal(m.variables[1], m.variables[3]);
    assert_int_equal(m.variables[4], 0);
    assert_int_equal(m.variables[5], 0);
    assert_int_equal(burl_marks_variable(&m, 1), 0);
    m.v[11] = BURL_NOISE_MARK_SHARED;
    for (uint64_t seed = 0; seed < 20; seed++)
        assert_int_equal(burl_marks_variable(&m, seed), m.variables[3]);
    m.v[2] = BURL_NOISE_MARK_SHARED;
    for (uint64_t seed = 0; seed < 50; seed++)
        seen[burl_marks_variable(&m, seed)] = true;
    assert_true(!seen[0] && seen[1] && seen[2]);
    burl_marks_deinit(&m);
    burl_sites_free(sites);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reasons_to_fail_are_told_apart),
        cmocka_unit_test(a_slow_execution_is_no_hang),
        cmocka_unit_test(a_missing_check_is_noticed),
        cmocka_unit_test(errors_are_added_and_tasks_united),
        cmocka_unit_test(a_warning_is_a_pair_of_places),
        cmocka_unit_test(cost_is_processor_time_but_at_least_wall_time),
        cmocka_unit_test(marks_follow_their_module),
        cmocka_unit_test(sites_of_one_variable_have_one_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
