/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_minimise.c - engine/minimise.h against a failure made up here.
 *
 * The "program" fails when all wanted preemptions are among the candidate's switches, or when
 * a single one at a better place is. It records what it was given, plus one forced
 * switch, as a real execution would.
 */
#include "unit.h"

#include "base/rng.h"
#include "engine/minimise.h"

#define N 64

struct fake {
    uint32_t wanted[4]; /* operations of the preemptions that fail together */
    size_t n_wanted;
    uint32_t better; /* one preemption that fails alone; UINT32_MAX none */
    uint64_t n_runs;
    uint64_t give_up_after;
    struct burl_wire_switch recorded[N + 1];
};

static bool
has(const struct burl_wire_switch *s, size_t n, uint32_t op)
{
    for (size_t i = 0; i < n; i++) {
        if (s[i].op == op && s[i].why == BURL_SWITCH_PREEMPT)
            return true;
    }
    return false;
}

static bool
try_one(void *arg, const struct burl_wire_switch *c, size_t n,
        const struct burl_wire_switch **recorded, size_t *n_recorded, bool *give_up)
{
    struct fake *f = arg;
    bool all = true;

    *give_up = ++f->n_runs >= f->give_up_after;
    for (size_t i = 0; i < f->n_wanted; i++)
        all = all && has(c, n, f->wanted[i]);
    if (!all && !(f->better != UINT32_MAX && has(c, n, f->better)))
        return false;
    assert_true(n <= N);
    memcpy(f->recorded, c, n * sizeof *c);
    f->recorded[n] = (struct burl_wire_switch){ .op = 1000, .why = BURL_SWITCH_BLOCKED };
    *recorded = f->recorded;
    *n_recorded = n + 1;
    return true;
}

static size_t
points(void *arg, const struct burl_wire_switch *s, size_t n, struct burl_minimise_point **out)
{
    (void)arg;
    (void)s;
    (void)n;
    *out = burl_xcalloc(200, sizeof **out);
    for (uint32_t i = 0; i < 200; i++)
        (*out)[i] =
            (struct burl_minimise_point){ .op = i, .tid = (uint16_t)(i % 2), .promising = true };
    return 200;
}

static void
make_start(struct burl_wire_switch *s)
{
    for (uint32_t i = 0; i < N; i++)
        s[i] =
            (struct burl_wire_switch){ .op = i,
                                       .tid = (uint16_t)(i % 2),
                                       .next = (uint16_t)(1 - i % 2),
                                       .why = i % 3 ? BURL_SWITCH_BLOCKED : BURL_SWITCH_PREEMPT };
}

static const struct burl_minimise_budget plenty = { .max_execs = 100000, .max_ms = 60000 };

static void
keeps_exactly_what_is_needed(void **state)
{
    struct fake f = {
        .wanted = { 3, 30, 63 }, .n_wanted = 3, .better = UINT32_MAX, .give_up_after = UINT64_MAX
    };
    struct burl_wire_switch start[N];
    struct burl_minimise_result r;

    (void)state;
    make_start(start);
    burl_minimise(&r, start, N, try_one, points, &f, &plenty);
    assert_true(r.finished);
    assert_int_equal(r.n_preemptions_before, 22);
    assert_int_equal(r.n_preemptions, 3);
    assert_int_equal(r.n, 4);
    for (size_t i = 0; i < 3; i++)
        assert_true(has(r.switches, r.n, f.wanted[i]));
    free(r.switches);
}

static void
replaces_two_preemptions_by_one(void **state)
{
    struct fake f = {
        .wanted = { 6, 33 }, .n_wanted = 2, .better = 121, .give_up_after = UINT64_MAX
    };
    struct burl_wire_switch start[N];
    struct burl_minimise_result r;

    (void)state;
    make_start(start);
    burl_minimise(&r, start, N, try_one, points, &f, &plenty);
    assert_true(r.finished);
    assert_int_equal(r.n_preemptions, 1);
    assert_true(has(r.switches, r.n, 121));
    free(r.switches);
    burl_minimise(&r, start, N, try_one, NULL, &f, &plenty);
    assert_int_equal(r.n_preemptions, 2);
    free(r.switches);
}

static void
a_failure_without_preemptions_ends_with_none(void **state)
{
    struct fake f = { .n_wanted = 0, .better = UINT32_MAX, .give_up_after = UINT64_MAX };
    struct burl_wire_switch start[N];
    struct burl_minimise_result r;

    (void)state;
    make_start(start);
    burl_minimise(&r, start, N, try_one, points, &f, &plenty);
    assert_int_equal(r.n_preemptions, 0);
    assert_int_equal(r.n, 1);
    free(r.switches);
    burl_minimise(&r, start, 0, try_one, points, &f, &plenty);
    assert_int_equal(r.n_preemptions, 0);
    free(r.switches);
}

/* Whatever ends it early, the result is a schedule that failed. */
static void
an_early_end_gives_a_failing_schedule(void **state)
{
    struct burl_wire_switch start[N];

    (void)state;
    make_start(start);
    for (uint64_t k = 1; k < 60; k++) {
        struct fake f = {
            .wanted = { 9, 12 }, .n_wanted = 2, .better = UINT32_MAX, .give_up_after = k
        };
        const struct burl_minimise_budget few = { .max_execs = k, .max_ms = 60000 };
        struct burl_minimise_result r;

        burl_minimise(&r, start, N, try_one, points, &f, &plenty);
        assert_true(has(r.switches, r.n, 9) && has(r.switches, r.n, 12));
        free(r.switches);
        f.give_up_after = UINT64_MAX;
        burl_minimise(&r, start, N, try_one, points, &f, &few);
        assert_true(has(r.switches, r.n, 9) && has(r.switches, r.n, 12));
        assert_true(r.n_execs <= k);
        free(r.switches);
    }
}

/* Random wanted sets: the result has exactly them. */
static void
any_set_is_found(void **state)
{
    struct burl_wire_switch start[N];
    struct burl_rng rng;

    (void)state;
    make_start(start);
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 200; round++) {
        struct fake f = { .better = UINT32_MAX, .give_up_after = UINT64_MAX };
        struct burl_minimise_result r;
        uint32_t distinct = 0;

        f.n_wanted = 1 + burl_rng_below(&rng, 4);
        for (size_t i = 0; i < f.n_wanted; i++) {
            bool again = false;

            f.wanted[i] = (uint32_t)burl_rng_below(&rng, 22) * 3;
            for (size_t j = 0; j < i; j++)
                again = again || f.wanted[j] == f.wanted[i];
            distinct += !again;
        }
        burl_minimise(&r, start, N, try_one, NULL, &f, &plenty);
        assert_int_equal(r.n_preemptions, distinct);
        for (size_t i = 0; i < f.n_wanted; i++)
            assert_true(has(r.switches, r.n, f.wanted[i]));
        free(r.switches);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_exactly_what_is_needed),
        cmocka_unit_test(replaces_two_preemptions_by_one),
        cmocka_unit_test(a_failure_without_preemptions_ends_with_none),
        cmocka_unit_test(an_early_end_gives_a_failing_schedule),
        cmocka_unit_test(any_set_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
