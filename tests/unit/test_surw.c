/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_surw.c - interleavings of interesting events are equally likely, whatever else threads do.
 *
 * The strategy is compiled into the test with a scheduler around it: main creates the other
 * threads and waits for them; each does its events on one variable, with other work in between.
 * Seeds are fixed, so the outcome is too; the bounds are those of chi-square at 0.001.
 */
#include "unit.h"

#include "rt/strategy/surw.c"

struct burl_rt burl_rt;

#define VAR 0x1000u
#define OTHER 0x2000u
#define LOCK 0x3000u
#define MAX_OPS 40u

struct script {
    struct burl_op ops[MAX_OPS];
    uint32_t n;
};

static struct script scripts[4];
static uint32_t at[4];
static uint32_t n_scripts;
static int lock_owner;
static struct burl_thread threads[4];
static struct burl_wire_profile *profile;
static uint64_t rng_state;

uint64_t
burl_rng_next(void)
{
    rng_state += 0x9e3779b97f4a7c15ull;
    return burl_mix64(rng_state);
}

uint32_t
burl_rng_below(uint32_t n)
{
    return (uint32_t)(((burl_rng_next() >> 32) * (uint64_t)n) >> 32);
}

/* ---- the scheduler ----------------------------------------------------------------- */

static uint16_t
walk(const struct burl_choice *c)
{
    return c->runnable[burl_rng_below(c->n_runnable)];
}

static bool
can_run(uint32_t t)
{
    const struct burl_op *op = &threads[t].op;

    if (t >= burl_rt.exec.n_threads || threads[t].state == BURL_THREAD_FINISHED)
        return false;
    if (op->kind == BURL_OP_LOCK)
        return lock_owner < 0;
    if (op->kind == BURL_OP_JOIN)
        return threads[op->aux].state == BURL_THREAD_FINISHED;
    return true;
}

static void
create(uint32_t t, uint16_t parent)
{
    threads[t] = (struct burl_thread){
        .tid = (uint16_t)t, .parent = parent, .state = BURL_THREAD_RUNNABLE, .op = scripts[t].ops[0]
    };
    burl_rt.threads[t] = &threads[t];
    burl_rt.exec.n_threads = t + 1;
    burl_rt.exec.n_alive++;
    burl_strategy_surw.thread_new(&threads[t]);
}

static void
perform(uint32_t t)
{
    const struct burl_op op = threads[t].op;

    burl_strategy_surw.commit(&threads[t], &op);
    if (op.kind == BURL_OP_CREATE)
        create((uint32_t)op.aux, (uint16_t)t);
    if (op.kind == BURL_OP_LOCK)
        lock_owner = (int)t;
    if (op.kind == BURL_OP_UNLOCK)
        lock_owner = -1;
    if (++at[t] < scripts[t].n) {
        threads[t].op = scripts[t].ops[at[t]];
    } else {
        threads[t].state = BURL_THREAD_FINISHED;
        burl_rt.exec.n_alive--;
    }
}

/* One execution; the tids of operations on VAR, in order, to `order`. Returns their number. */
static uint32_t
run(uint64_t seed, uint32_t interest, bool surw, uint8_t *order)
{
    const union burl_wire_args args = { .surw = { .interest = interest } };
    uint16_t runnable[4];
    uint16_t current = 0;
    uint32_t n = 0;

    rng_state = burl_mix64(seed + 1);
    memset(&burl_rt.exec, 0, sizeof burl_rt.exec);
    memset(at, 0, sizeof at);
    lock_owner = -1;
    burl_strategy_surw.begin(&args);
    create(0, BURL_TID_NONE);
    for (uint32_t step = 0;; step++) {
        struct burl_choice c = { .runnable = runnable, .current = current };

        assert_true(step < 10000);
        for (uint32_t t = 0; t < n_scripts; t++) {
            if (t < burl_rt.exec.n_threads && threads[t].state != BURL_THREAD_FINISHED)
                threads[t].state = can_run(t) ? BURL_THREAD_RUNNABLE : BURL_THREAD_BLOCKED;
            if (can_run(t))
                runnable[c.n_runnable++] = (uint16_t)t;
        }
        if (c.n_runnable == 0)
            break;
        c.current_runnable = can_run(current);
        current = surw ? burl_strategy_surw.pick(&c) : walk(&c);
        assert_true(burl_choice_has(&c, current));
        if (threads[current].op.addr == VAR)
            order[n++] = (uint8_t)current;
        perform(current);
    }
    for (uint32_t t = 0; t < n_scripts; t++)
        assert_int_equal(at[t], scripts[t].n); /* all of it happened */
    return n;
}

/* ---- programs ------------------------------------------------------------------------ */

static void
add(uint32_t t, uint8_t kind, uintptr_t addr, uint64_t aux)
{
    scripts[t].ops[scripts[t].n++] =
        (struct burl_op){ .kind = kind, .size_b = 4, .addr = addr, .aux = aux };
}

static int
setup(void **state)
{
    (void)state;
    profile = burl_xcalloc(1, sizeof *profile);
    burl_rt.profile = profile;
    memset(scripts, 0, sizeof scripts);
    n_scripts = 0;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    free(profile);
    return 0;
}

/* main, and threads with `events[i]` operations on VAR, `noise[i]` others before each. */
static void
make_program(uint32_t n, const uint32_t *events, const uint32_t *noise)
{
    n_scripts = n + 1;
    profile->n_threads = n + 1;
    profile->n_vars = 1;
    profile->parent[0] = BURL_TID_NONE;
    profile->vars[0] = (struct burl_profile_var){ .addr = VAR, .kind = BURL_PROFILE_MEMORY };
    for (uint32_t t = 1; t <= n; t++) {
        profile->vars[0].count[t] = (uint16_t)events[t - 1];
        profile->ops[t] = events[t - 1];
        add(0, BURL_OP_CREATE, 0, t);
        for (uint32_t i = 0; i < events[t - 1]; i++) {
            for (uint32_t k = 0; k < noise[t - 1]; k++)
                add(t, BURL_OP_WRITE, OTHER, 0);
            add(t, BURL_OP_WRITE, VAR, 0);
        }
    }
    for (uint32_t t = 1; t <= n; t++)
        add(0, BURL_OP_JOIN, 0, t);
}

/* Chi-square of the place that the only event of thread `t` has among `n`. */
static double
place_of(uint16_t t, uint32_t n, bool surw)
{
    const uint32_t executions = 11000;
    uint32_t count[MAX_OPS] = { 0 };
    double sum = 0;

    for (uint64_t seed = 0; seed < executions; seed++) {
        uint8_t order[4 * MAX_OPS];

        assert_int_equal(run(seed, BURL_INTEREST_ONE, surw, order), n);
        for (uint32_t i = 0; i < n; i++)
            count[i] += order[i] == t;
    }
    for (uint32_t i = 0; i < n; i++) {
        const double expected = (double)executions / n;
        const double d = count[i] - expected;

        sum += d * d / expected;
    }
    return sum;
}

#define CHI2_10 29.6 /* 10 degrees of freedom, 0.001 */

static void
the_place_of_a_short_thread_is_uniform(void **state)
{
    const uint32_t events[] = { 10, 1 };
    const uint32_t noise[] = { 0, 0 };

    (void)state;
    make_program(2, events, noise);
    assert_true(place_of(2, 11, true) < CHI2_10);
    assert_true(place_of(2, 11, false) > 10 * CHI2_10);
}

static void
created_first_or_last_makes_no_difference(void **state)
{
    const uint32_t events[] = { 1, 10 };
    const uint32_t noise[] = { 0, 0 };

    (void)state;
    make_program(2, events, noise);
    assert_true(place_of(1, 11, true) < CHI2_10);
    assert_true(place_of(1, 11, false) > 10 * CHI2_10);
}

static void
work_in_between_makes_no_difference(void **state)
{
    const uint32_t events[] = { 10, 1 };
    const uint32_t noise[] = { 0, 9 };

    (void)state;
    make_program(2, events, noise);
    assert_true(place_of(2, 11, true) < CHI2_10);
}

/* 3 + 2 + 1 events: 60 interleavings, each as likely. */
static void
all_interleavings_of_three_threads_are_as_likely(void **state)
{
    const uint32_t events[] = { 3, 2, 1 };
    const uint32_t noise[] = { 1, 0, 3 };
    uint32_t count[4096] = { 0 };
    uint32_t distinct = 0;
    double sum = 0;

    (void)state;
    make_program(3, events, noise);
    for (uint64_t seed = 0; seed < 12000; seed++) {
        uint8_t order[4 * MAX_OPS];
        uint32_t key = 0;

        assert_int_equal(run(seed, BURL_INTEREST_ONE, true, order), 6);
        for (uint32_t i = 0; i < 6; i++)
            key = key * 4 + order[i];
        count[key]++;
    }
    for (uint32_t i = 0; i < 4096; i++) {
        const double d = count[i] - 200.0;

        distinct += count[i] > 0;
        sum += count[i] > 0 ? d * d / 200.0 : 0;
    }
    assert_int_equal(distinct, 60);
    assert_true(sum < 98.3); /* 59 degrees of freedom, 0.001 */
}

/* Too few, too many, nothing at all: every execution ends and both orders still come. */
static void
wrong_estimates_do_not_hang_or_hide(void **state)
{
    const uint32_t events[] = { 6, 6 };
    const uint32_t noise[] = { 1, 1 };
    const uint16_t wrong[][2] = { { 0, 0 }, { 1, 60 }, { 60, 1 }, { 0, 6 }, { 1000, 1000 } };

    (void)state;
    make_program(2, events, noise);
    for (size_t w = 0; w < sizeof wrong / sizeof wrong[0]; w++) {
        uint32_t first[3] = { 0 };
        uint32_t last[3] = { 0 };

        profile->vars[0].count[1] = wrong[w][0];
        profile->vars[0].count[2] = wrong[w][1];
        for (uint64_t seed = 0; seed < 2000; seed++) {
            uint8_t order[4 * MAX_OPS];

            assert_int_equal(run(seed, BURL_INTEREST_DRAWN, true, order), 12);
            first[order[0]]++;
            last[order[11]]++;
        }
        assert_true(first[1] > 0 && first[2] > 0);
        assert_true(last[1] > 0 && last[2] > 0);
    }
}

/* The drawn thread waits for a lock whose holder is held: the draw is given back. */
static void
locks_around_events_do_not_hang(void **state)
{
    (void)state;
    n_scripts = 3;
    profile->n_threads = 3;
    profile->n_vars = 1;
    profile->vars[0] = (struct burl_profile_var){ .addr = VAR, .kind = BURL_PROFILE_MEMORY };
    for (uint32_t t = 1; t <= 2; t++) {
        profile->vars[0].count[t] = 3;
        add(0, BURL_OP_CREATE, 0, t);
        for (uint32_t i = 0; i < 3; i++) {
            add(t, BURL_OP_LOCK, LOCK, 0);
            add(t, BURL_OP_WRITE, VAR, 0);
            add(t, BURL_OP_UNLOCK, LOCK, 0);
        }
    }
    add(0, BURL_OP_JOIN, 0, 1);
    add(0, BURL_OP_JOIN, 0, 2);
    for (uint32_t param = BURL_INTEREST_DRAWN; param <= BURL_INTEREST_ALL; param++) {
        for (uint64_t seed = 0; seed < 500; seed++) {
            uint8_t order[4 * MAX_OPS];

            assert_int_equal(run(seed, param, true, order), 6);
        }
    }
}

/* Without a profile: a random walk, which ends. */
static void
no_profile_is_a_random_walk(void **state)
{
    const uint32_t events[] = { 2, 2 };
    const uint32_t noise[] = { 0, 0 };
    uint32_t seen[4096] = { 0 };
    uint32_t distinct = 0;

    (void)state;
    make_program(2, events, noise);
    memset(profile, 0, sizeof *profile);
    for (uint64_t seed = 0; seed < 500; seed++) {
        uint8_t order[4 * MAX_OPS];
        uint32_t key = 0;

        assert_int_equal(run(seed, BURL_INTEREST_DRAWN, true, order), 4);
        for (uint32_t i = 0; i < 4; i++)
            key = key * 4 + order[i];
        distinct += seen[key]++ == 0;
    }
    assert_int_equal(distinct, 6);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_place_of_a_short_thread_is_uniform),
        TEST(created_first_or_last_makes_no_difference),
        TEST(work_in_between_makes_no_difference),
        TEST(all_interleavings_of_three_threads_are_as_likely),
        TEST(wrong_estimates_do_not_hang_or_hide),
        TEST(locks_around_events_do_not_hang),
        TEST(no_profile_is_a_random_walk),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
