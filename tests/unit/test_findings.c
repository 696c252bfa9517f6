/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_findings.c - engine/confirm/findings.c: which failures are one bug, without a campaign.
 */
#include "unit.h"

#include "engine/confirm/findings.h"

static struct burl_findings f;

static int
setup(void **state)
{
    (void)state;
    memset(&f, 0, sizeof f);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl__findings_deinit(&f);
    return 0;
}

/* A bug with one key. */
static struct burl_known *
add_bug(uint64_t key, uint64_t fingerprint)
{
    const size_t i = burl__findings_add_key(&f, key, fingerprint);

    return &f.known.v[i];
}

static void
keys_with_one_fingerprint_are_one_bug(void **state)
{
    (void)state;
    assert_true(burl__findings_of_key(&f, 1) == SIZE_MAX);
    assert_int_equal(burl__findings_add_key(&f, 1, 100), 0);
    assert_int_equal(burl__findings_add_key(&f, 2, 200), 1);
    assert_int_equal(burl__findings_add_key(&f, 3, 100), 0);
    assert_int_equal(f.known.n, 2);
    assert_int_equal(burl__findings_of_key(&f, 3), 0);
    assert_ptr_equal(burl__findings_find(&f, 200), &f.known.v[1]);
    assert_null(burl__findings_find(&f, 300));
}

/* The least number of schedules counts, in whatever order occurrences arrive. */
static void
the_earliest_occurrence_counts(void **state)
{
    const struct burl_found late = { .after = 9, .execution = 8, .ms = 7 };
    const struct burl_found early = { .after = 3, .execution = 2, .ms = 1 };
    struct burl_known *k;

    (void)state;
    k = add_bug(1, 100);
    burl__findings_count(k, 2, &late);
    assert_int_equal(k->facts.found.after, 9);
    burl__findings_count(k, 1, &early);
    burl__findings_count(k, 4, &late);
    assert_int_equal(k->facts.count, 7);
    assert_int_equal(k->facts.found.after, 3);
    assert_int_equal(k->facts.found.ms, 1);
}

static void
an_unstable_failure_is_no_finding(void **state)
{
    uint64_t fingerprint = 0;
    struct burl_known *k;

    (void)state;
    assert_false(burl__findings_is_finding(NULL));
    assert_false(burl__findings_has_key(&f, 1, &fingerprint));
    k = add_bug(1, 100);
    assert_false(burl__findings_has_key(&f, 1, &fingerprint));
    assert_int_equal(fingerprint, 100);
    k->tries = 1;
    assert_true(burl__findings_has_key(&f, 1, &fingerprint));
    k->unstable = 1;
    assert_false(burl__findings_is_finding(k));
}

static void
only_the_counted_pair_of_a_race_counts(void **state)
{
    (void)state;
    add_bug(1, 100)->pair = 55;
    (void)add_bug(2, 200);
    burl__findings_count_pair(&f, 55, 3);
    burl__findings_count_pair(&f, 56, 3);
    assert_int_equal(f.known.v[0].facts.count, 3);
    assert_int_equal(f.known.v[1].facts.count, 0);
}

static void
clean_failures_and_pending_ones(void **state)
{
    const struct burl_pending_finding p = { .suspect = 4 };

    (void)state;
    assert_false(burl__findings_fails_clean(&f, 100));
    BURL_VEC_PUSH(&f.clean_failures, 100);
    assert_true(burl__findings_fails_clean(&f, 100));
    assert_false(burl__findings_is_pending(&f, 4));
    BURL_VEC_PUSH(&f.pending, p);
    assert_true(burl__findings_is_pending(&f, 4));
    assert_false(burl__findings_is_pending(&f, 5));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(keys_with_one_fingerprint_are_one_bug, setup, teardown),
        cmocka_unit_test_setup_teardown(the_earliest_occurrence_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unstable_failure_is_no_finding, setup, teardown),
        cmocka_unit_test_setup_teardown(only_the_counted_pair_of_a_race_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(clean_failures_and_pending_ones, setup, teardown),
    };

    return cmocka_run_group_tests_name("findings", tests, NULL, NULL);
}
