/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_thin.c - learn/thin.c: which repeated accesses of a long execution are left out.
 */
#include "unit.h"

#include "rt/learn/thin.c"

struct burl_rt burl_rt;

#define N_SITES 8u
#define BASE ((uintptr_t)0x10000)

static uint8_t points[N_SITES];
static struct burl_thread threads[3];
static uintptr_t unfollowed; /* key of the last granule that learn.c stops following */

void *
burl_rt_alloc(size_t n)
{
    return calloc(1, n);
}

void
burl__learn_stop_following(uintptr_t key)
{
    unfollowed = key;
}

static void
begin(uint32_t flags, uint32_t strategy)
{
    burl__thin_begin(&(struct burl_wire_order){ .flags = flags, .strategy = strategy });
}

static int
setup(void **state)
{
    (void)state;
    memset(points, 0, sizeof points);
    memset(threads, 0, sizeof threads);
    memset(&burl_rt, 0, sizeof burl_rt);
    unfollowed = 0;
    burl_rt.points = points;
    burl_rt.points_n = N_SITES;
    for (uint16_t i = 0; i < 3; i++)
        threads[i].tid = i;
    begin(BURL_ORDER_F_THIN, BURL_STRATEGY_RANDOM);
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PAGES; i++) {
        free(pages[i]);
        pages[i] = NULL;
    }
    free(slots);
    free(counts);
    slots = NULL;
    counts = NULL;
    n_counts = 0;
    n_pages = 0;
    has_counts = false;
    return 0;
}

/* An access of thread `tid`; true: it is left out. */
static bool
skips(uint16_t tid, uint32_t site, uintptr_t addr, uint32_t size_b, bool write)
{
    return burl__thin_skips(&threads[tid], site, addr, size_b, write);
}

/* Uses up the budget of a site, far from the other accesses. */
static void
use_up(uint32_t site)
{
    for (uint32_t i = 0; i < BUDGET; i++)
        assert_false(skips(0, site, 0x900000, 8, false));
}

static void
only_sampled_schedules_are_thinned(void **state)
{
    static const uint32_t complete[] = { BURL_STRATEGY_REPLAY, BURL_STRATEGY_DELAY,
                                         BURL_STRATEGY_PREEMPT, BURL_STRATEGY_EXHAUSTIVE };

    (void)state;
    assert_true(burl_rt.thin_from == BURL_THIN_STEPS);
    begin(0, BURL_STRATEGY_RANDOM);
    assert_true(burl_rt.thin_from == UINT64_MAX);
    for (size_t i = 0; i < sizeof complete / sizeof *complete; i++) {
        begin(BURL_ORDER_F_THIN, complete[i]);
        assert_true(burl_rt.thin_from == UINT64_MAX);
    }
}

static void
the_budget_of_a_site_comes_first(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 4, false)); /* the first of these bytes */
    assert_true(skips(0, 1, BASE, 4, false));
    assert_false(skips(0, 2, BASE, 4, false)); /* another site, with a budget of its own */
}

static void
other_bytes_and_writes_are_new(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 2, false));
    assert_false(skips(0, 1, BASE, 4, false));     /* two bytes more */
    assert_false(skips(0, 1, BASE + 4, 1, false)); /* beside them */
    assert_false(skips(0, 1, BASE, 4, true));
    assert_true(skips(0, 1, BASE, 4, true));
    assert_true(skips(0, 1, BASE + 1, 2, false));
}

static void
accesses_across_granules_are_kept(void **state)
{
    (void)state;
    use_up(1);
    for (int i = 0; i < 3; i++)
        assert_false(skips(0, 1, BASE + 6, 4, false));
}

static void
an_operation_of_the_thread_begins_anew(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
    threads[0].sync_epoch++;
    assert_false(skips(0, 1, BASE, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
}

static void
another_thread_ends_it(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
    assert_false(skips(1, 1, BASE + 7, 1, false));
    assert_true(unfollowed == BASE >> 3);
    for (int i = 0; i < 3; i++) {
        assert_false(skips(0, 1, BASE, 8, true));
        assert_false(skips(1, 1, BASE + 7, 1, false));
    }
    assert_false(skips(0, 1, BASE + 8, 8, true)); /* its neighbor is still private */
    assert_true(skips(0, 1, BASE + 8, 8, true));
}

static void
points_stay_decisions_for_some_time(void **state)
{
    (void)state;
    use_up(1);
    points[1] = 1;
    for (uint32_t i = 1; i < REPEATS; i++)
        assert_false(skips(0, 1, BASE, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
}

static void
pending_signals_and_cancellations_are_delivered(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 8, true));
    threads[0].sig_pending = 2;
    assert_false(skips(0, 1, BASE, 8, true));
    threads[0].sig_blocked = 2;
    assert_true(skips(0, 1, BASE, 8, true));
    threads[0].cancel_requested = true;
    assert_false(skips(0, 1, BASE, 8, true));
}

static void
memory_given_out_anew_is_private_again(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 8, true));
    assert_false(skips(0, 1, BASE + 16, 8, true));
    burl__thin_forget(BASE, 16);
    assert_false(skips(1, 1, BASE, 8, true)); /* no second thread, but new */
    assert_true(skips(1, 1, BASE, 8, true));
    assert_false(skips(1, 1, BASE + 16, 8, true)); /* not forgotten: shared now */
    assert_false(skips(1, 1, BASE + 16, 8, true));
    burl__thin_forget(0, UINT64_MAX / 2); /* more pages than are kept */
    assert_false(skips(2, 1, BASE + 16, 8, true));
    assert_true(skips(2, 1, BASE + 16, 8, true));
}

static void
an_execution_begins_with_nothing_known(void **state)
{
    (void)state;
    use_up(1);
    assert_false(skips(0, 1, BASE, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
    begin(BURL_ORDER_F_THIN, BURL_STRATEGY_RANDOM);
    assert_false(skips(1, 1, BASE, 8, true)); /* the budget is full again */
    assert_false(skips(1, 1, BASE, 8, true));
    assert_true(unfollowed == 0);
}

static void
memory_beyond_the_table_is_kept(void **state)
{
    (void)state;
    use_up(1);
    for (uintptr_t i = 0; i < PAGES; i++)
        (void)skips(0, 1, BASE + i * PAGE_B, 8, true);
    for (int i = 0; i < 3; i++)
        assert_false(skips(0, 1, BASE + PAGES * (uintptr_t)PAGE_B, 8, true));
    assert_true(skips(0, 1, BASE, 8, true));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_sampled_schedules_are_thinned, setup, teardown),
        cmocka_unit_test_setup_teardown(the_budget_of_a_site_comes_first, setup, teardown),
        cmocka_unit_test_setup_teardown(other_bytes_and_writes_are_new, setup, teardown),
        cmocka_unit_test_setup_teardown(accesses_across_granules_are_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(an_operation_of_the_thread_begins_anew, setup, teardown),
        cmocka_unit_test_setup_teardown(another_thread_ends_it, setup, teardown),
        cmocka_unit_test_setup_teardown(points_stay_decisions_for_some_time, setup, teardown),
        cmocka_unit_test_setup_teardown(pending_signals_and_cancellations_are_delivered, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(memory_given_out_anew_is_private_again, setup, teardown),
        cmocka_unit_test_setup_teardown(an_execution_begins_with_nothing_known, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_beyond_the_table_is_kept, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
