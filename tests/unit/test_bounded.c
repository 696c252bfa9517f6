/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_bounded.c - delay and preemption bounding make the schedules they should, and no others.
 *
 * The strategies are compiled into the test with a scheduler around them: three threads with
 * critical sections under one lock, so that some switches are forced. All schedules with at most d
 * delays are found by plain recursion and compared with those that the numbers give.
 */
#include "unit.h"

#include "rt/strategy/bounded.c"

struct burl_rt burl_rt;

#define N_THREADS 3u
#define MAX_STEPS 16u
#define MAX_SCHEDULES 4096u
#define MAX_DELAYS 3u

/* l: takes the lock, u: releases it, x: anything else. */
static const char *const scripts[N_THREADS] = { "xxlxu", "luxx", "xlux" };

struct state {
    uint32_t at[N_THREADS];
    int owner;
    uint16_t current;
    uint32_t n;
    uint64_t decisions;
    char schedule[MAX_STEPS + 1];
};

static const struct state start = { .owner = -1 };
static struct burl_thread threads[N_THREADS];
static struct burl_wire_ctl *ctl;
static char found[MAX_SCHEDULES][MAX_STEPS + 1];
static uint32_t n_found;
static uint64_t longest;
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

struct burl_thread *burl_thread_by_tid(uint16_t tid);
struct burl_thread *
burl_thread_by_tid(uint16_t tid)
{
    return &threads[tid];
}

/* ---- the scheduler ------------------------------------------------------------------- */

static bool
can_run(const struct state *s, uint32_t t)
{
    const char op = scripts[t][s->at[t]];

    return op != '\0' && (op != 'l' || s->owner < 0);
}

static uint32_t
collect(const struct state *s, uint16_t *runnable)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < N_THREADS; t++) {
        if (can_run(s, t))
            runnable[n++] = (uint16_t)t;
    }
    return n;
}

static void
perform(struct state *s, uint16_t t)
{
    const char op = scripts[t][s->at[t]++];

    if (op == 'l')
        s->owner = t;
    if (op == 'u')
        s->owner = -1;
    s->current = t;
    s->schedule[s->n++] = (char)('0' + t);
}

static bool
is_found(const char *schedule)
{
    for (uint32_t i = 0; i < n_found; i++) {
        if (strcmp(found[i], schedule) == 0)
            return true;
    }
    return false;
}

static uint16_t
after(const uint16_t *runnable, uint32_t n, uint16_t t)
{
    for (uint32_t i = 0; i < n; i++) {
        if (runnable[i] > t)
            return runnable[i];
    }
    return runnable[0];
}

/* ---- plain recursion ------------------------------------------------------------------- */

static void
search(const struct state *s, uint32_t delays)
{
    uint16_t runnable[N_THREADS];
    const uint32_t n = collect(s, runnable);
    uint16_t t = can_run(s, s->current) ? s->current : after(runnable, n, s->current);

    if (n == 0) {
        if (s->decisions > longest)
            longest = s->decisions;
        if (!is_found(s->schedule)) {
            assert_true(n_found < MAX_SCHEDULES);
            memcpy(found[n_found++], s->schedule, sizeof s->schedule);
        }
        return;
    }
    for (uint32_t k = 0; k <= (n > 1 ? delays : 0); k++) {
        struct state next = *s;

        next.decisions += n > 1;
        perform(&next, t);
        search(&next, delays - k);
        t = after(runnable, n, t);
    }
}

/* ---- by number --------------------------------------------------------------------------- */

static struct state
execute(const struct burl_strategy_ops *strategy, uint64_t seed, uint32_t *n_preemptions)
{
    struct state s = start;

    rng_state = burl_mix64(seed + 7);
    burl_rt.exec.seed = seed;
    *n_preemptions = 0;
    strategy->begin(&ctl->order.args);
    for (uint32_t t = 0; t < N_THREADS && strategy->thread_new; t++)
        strategy->thread_new(&threads[t]);
    for (;;) {
        uint16_t runnable[N_THREADS];
        struct burl_choice c = { .runnable = runnable, .current = s.current };
        uint16_t t;

        c.n_runnable = collect(&s, runnable);
        if (c.n_runnable == 0)
            return s;
        c.current_runnable = can_run(&s, s.current);
        s.decisions += c.n_runnable > 1;
        t = c.n_runnable == 1 && c.current_runnable ? s.current : strategy->pick(&c);
        assert_true(burl_choice_has(&c, t));
        *n_preemptions += c.current_runnable && t != s.current;
        perform(&s, t);
    }
}

static int
setup(void **state)
{
    (void)state;
    ctl = burl_xcalloc(1, sizeof *ctl);
    burl_rt.ctl = ctl;
    for (uint32_t t = 0; t < N_THREADS; t++) {
        threads[t].tid = (uint16_t)t;
        burl_rt.threads[t] = &threads[t];
    }
    n_found = 0;
    longest = 0;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    free(ctl);
    return 0;
}

static uint64_t
order(uint32_t bound, uint64_t span, uint32_t others, bool repeats)
{
    ctl->order.args.enumeration.places = (struct burl_enum){
        .span = span, .key = unit_seed(), .bound = bound, .others = others, .repeats = repeats
    };
    ctl->order.first_seed = 1000;
    ctl->order.args.enumeration.index_first = 0;
    return bound == 0 ? 1 : burl_enum_total(&ctl->order.args.enumeration.places);
}

static void
delays_give_the_schedules_of_the_recursion(void **state)
{
    bool made[MAX_SCHEDULES] = { false };
    uint32_t n_made = 0;
    uint32_t n_preemptions;

    (void)state;
    search(&start, MAX_DELAYS);
    for (uint32_t bound = 0; bound <= MAX_DELAYS; bound++) {
        const uint64_t total = order(bound, longest, 1, true);

        for (uint64_t i = 0; i < total; i++) {
            const struct state s = execute(&burl_strategy_delay, 1000 + i, &n_preemptions);
            uint32_t k = 0;

            while (k < n_found && strcmp(found[k], s.schedule) != 0)
                k++;
            assert_true(k < n_found);
            n_made += !made[k];
            made[k] = true;
        }
    }
    assert_int_equal(n_made, n_found);
    assert_true(n_found > 100);
}

static void
no_delay_is_the_base(void **state)
{
    uint32_t n_preemptions;

    (void)state;
    order(0, 0, 1, true);
    assert_string_equal(execute(&burl_strategy_delay, 1000, &n_preemptions).schedule,
                        "0000011112222");
    assert_int_equal(n_preemptions, 0);
}

/* Never more than the bound, and as many as it allows. */
static void
preemptions_keep_to_the_bound(void **state)
{
    (void)state;
    search(&start, MAX_DELAYS);
    for (uint32_t bound = 0; bound <= 2; bound++) {
        const uint64_t total = order(bound, longest, N_THREADS - 1, false);
        uint32_t most = 0;

        for (uint64_t i = 0; i < total; i++) {
            uint32_t n;

            execute(&burl_strategy_preempt, 1000 + i, &n);
            assert_true(n <= bound);
            most = n > most ? n : most;
        }
        assert_int_equal(most, bound);
    }
}

/* Whatever number an order starts with, a number is the same schedule. */
static void
a_number_is_one_schedule_however_work_is_cut(void **state)
{
    uint64_t total;
    uint32_t n;

    (void)state;
    search(&start, MAX_DELAYS);
    total = order(2, longest, 1, true);
    for (uint64_t i = 0; i < total; i++) {
        struct state whole, cut;

        ctl->order.first_seed = 1000;
        ctl->order.args.enumeration.index_first = 0;
        whole = execute(&burl_strategy_delay, 1000 + i, &n);
        ctl->order.first_seed = 1000 + i / 2;
        ctl->order.args.enumeration.index_first = i / 2;
        cut = execute(&burl_strategy_delay, 1000 + i, &n);
        assert_string_equal(whole.schedule, cut.schedule);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(delays_give_the_schedules_of_the_recursion),
        TEST(no_delay_is_the_base),
        TEST(preemptions_keep_to_the_bound),
        TEST(a_number_is_one_schedule_however_work_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
