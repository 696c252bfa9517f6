/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_minimize.c - engine/confirm/minimize.h against a failure made up here.
 *
 * The "program" fails when all wanted preemptions are among the candidate's switches, or when
 * a single one at a better place is. It records what it was given, plus one forced
 * switch, as a real execution would.
 */
#include "unit.h"

#include "base/rng.h"
#include "engine/confirm/minimize.h"

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
try_one(void *arg, const struct burl_wire_switch *c, size_t n, struct burl_minimize_shown *shown,
        bool *give_up)
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
    *shown = (struct burl_minimize_shown){ f->recorded, n + 1, n };
    return true;
}

static size_t
points(void *arg, const struct burl_wire_switch *s, size_t n, struct burl_minimize_point **out)
{
    (void)arg;
    (void)s;
    (void)n;
    *out = burl_xcalloc(200, sizeof **out);
    for (uint32_t i = 0; i < 200; i++)
        (*out)[i] =
            (struct burl_minimize_point){ .op = i, .tid = (uint16_t)(i % 2), .promising = true };
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

static const struct burl_minimize_budget plenty = { .max_execs = 100000, .max_ms = 60000 };

static void
keeps_exactly_what_is_needed(void **state)
{
    struct fake f = {
        .wanted = { 3, 30, 63 }, .n_wanted = 3, .better = UINT32_MAX, .give_up_after = UINT64_MAX
    };
    struct burl_wire_switch start[N];
    struct burl_minimize_result r;

    (void)state;
    make_start(start);
    burl_minimize(&r, start, N, try_one, points, &f, &plenty);
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
    struct burl_minimize_result r;

    (void)state;
    make_start(start);
    burl_minimize(&r, start, N, try_one, points, &f, &plenty);
    assert_true(r.finished);
    assert_int_equal(r.n_preemptions, 1);
    assert_true(has(r.switches, r.n, 121));
    free(r.switches);
    burl_minimize(&r, start, N, try_one, NULL, &f, &plenty);
    assert_int_equal(r.n_preemptions, 2);
    free(r.switches);
}

/* Fails when the choice at operation 7 of T1 is there. */
static bool
try_choice(void *arg, const struct burl_wire_switch *c, size_t n, struct burl_minimize_shown *shown,
           bool *give_up)
{
    struct fake *f = arg;
    bool found = false;

    *give_up = false;
    for (size_t i = 0; i < n; i++)
        found = found || (c[i].op == 7 && c[i].why == BURL_CHOICE_SPURIOUS);
    if (!found && f->better == UINT32_MAX)
        return false;
    assert_true(n <= N);
    memcpy(f->recorded, c, n * sizeof *c);
    *shown = (struct burl_minimize_shown){ f->recorded, n, n };
    return true;
}

static void
choices_that_are_not_needed_go(void **state)
{
    struct fake f = { .better = UINT32_MAX };
    struct burl_wire_switch start[N];
    struct burl_minimize_result r;

    (void)state;
    make_start(start);
    for (uint32_t i = 0; i < N; i += 7)
        start[i] = (struct burl_wire_switch){
            .op = i, .tid = 1, .next = 1, .why = i % 2 ? BURL_CHOICE_SPURIOUS : BURL_CHOICE_WAITER
        };
    burl_minimize(&r, start, N, try_choice, points, &f, &plenty);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.switches[0].op, 7);
    assert_int_equal(r.switches[0].why, BURL_CHOICE_SPURIOUS);
    free(r.switches);
    f.better = 0; /* it fails without as well */
    burl_minimize(&r, start, N, try_choice, points, &f, &plenty);
    assert_int_equal(r.n, 0);
    free(r.switches);
}

static void
a_failure_without_preemptions_ends_with_none(void **state)
{
    struct fake f = { .n_wanted = 0, .better = UINT32_MAX, .give_up_after = UINT64_MAX };
    struct burl_wire_switch start[N];
    struct burl_minimize_result r;

    (void)state;
    make_start(start);
    burl_minimize(&r, start, N, try_one, points, &f, &plenty);
    assert_int_equal(r.n_preemptions, 0);
    assert_int_equal(r.n, 1);
    free(r.switches);
    burl_minimize(&r, start, 0, try_one, points, &f, &plenty);
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
        const struct burl_minimize_budget few = { .max_execs = k, .max_ms = 60000 };
        struct burl_minimize_result r;

        burl_minimize(&r, start, N, try_one, points, &f, &plenty);
        assert_true(has(r.switches, r.n, 9) && has(r.switches, r.n, 12));
        free(r.switches);
        f.give_up_after = UINT64_MAX;
        burl_minimize(&r, start, N, try_one, points, &f, &few);
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
        struct burl_minimize_result r;
        uint32_t distinct = 0;

        f.n_wanted = 1 + burl_rng_below(&rng, 4);
        for (size_t i = 0; i < f.n_wanted; i++) {
            bool again = false;

            f.wanted[i] = (uint32_t)burl_rng_below(&rng, 22) * 3;
            for (size_t j = 0; j < i; j++)
                again = again || f.wanted[j] == f.wanted[i];
            distinct += !again;
        }
        burl_minimize(&r, start, N, try_one, NULL, &f, &plenty);
        assert_int_equal(r.n_preemptions, distinct);
        for (size_t i = 0; i < f.n_wanted; i++)
            assert_true(has(r.switches, r.n, f.wanted[i]));
        free(r.switches);
    }
}

/* ---- a program with threads -------------------------------------------------------- */

/*
 * `n_threads` threads of OPS operations each, all there from the start, run by the rules of
 * wire/schedule.h. It fails when the last thread does all of its own while thread 1 has done
 * HALF_WAY of them.
 */
#define OPS 6u
#define HALF_WAY 3u
#define MAX_T 128u

struct program {
    uint16_t n_threads;
    uint32_t done[MAX_T];
    uint32_t seen; /* what thread 1 had done when the last thread began */
    struct burl_wire_switch recorded[4096];
    size_t n_recorded;
    uint64_t steps;
    uint64_t n_runs;
    struct burl_minimize_point points[4096];
};

static bool
can_run(const struct program *p, uint16_t tid)
{
    return tid < p->n_threads && p->done[tid] < OPS;
}

static uint16_t
pick(const struct program *p, uint16_t current, const struct burl_wire_switch *c, size_t n,
     size_t *at)
{
    for (size_t i = *at; i < n; i++) {
        if (c[i].tid != current || c[i].op != p->done[current])
            continue;
        *at = i + 1;
        if (can_run(p, c[i].next))
            return c[i].next;
        break;
    }
    for (uint16_t t = 0; !can_run(p, current) && t < p->n_threads; t++) {
        if (can_run(p, t))
            return t;
    }
    return current;
}

/* The threads that make it fail: 1 and the last, whatever the others do. */
static bool
fails(const struct program *p)
{
    return p->done[p->n_threads - 1] == OPS && p->done[1] == HALF_WAY && p->seen == HALF_WAY;
}

static bool
run_program(void *arg, const struct burl_wire_switch *c, size_t n,
            struct burl_minimize_shown *shown, bool *give_up)
{
    struct program *p = arg;
    uint16_t current = 0;
    size_t at = 0;

    *give_up = false;
    p->n_runs++;
    p->n_recorded = 0;
    p->steps = 0;
    memset(p->done, 0, sizeof p->done);
    while (!fails(p) && p->steps < (uint64_t)p->n_threads * OPS) {
        const uint16_t next = pick(p, current, c, n, &at);

        if (next != current)
            p->recorded[p->n_recorded++] =
                (struct burl_wire_switch){ .op = p->done[current],
                                           .tid = current,
                                           .next = next,
                                           .why = can_run(p, current) ? BURL_SWITCH_PREEMPT
                                                                      : BURL_SWITCH_FINISHED };
        current = next;
        p->points[p->steps++] = (struct burl_minimize_point){
            .op = p->done[current], .site = 1 + p->done[current], .tid = current, .promising = true
        };
        if (current == p->n_threads - 1 && p->done[current] == 0)
            p->seen = p->done[1];
        p->done[current]++;
    }
    *shown = (struct burl_minimize_shown){ p->recorded, p->n_recorded, p->steps };
    return fails(p);
}

static size_t
list_points(void *arg, const struct burl_wire_switch *s, size_t n, struct burl_minimize_point **out)
{
    struct program *p = arg;
    struct burl_minimize_shown shown;
    bool give_up;

    run_program(p, s, n, &shown, &give_up);
    *out = burl_xmemdup(p->points, p->steps * sizeof *p->points);
    return p->steps;
}

/* A random schedule that fails; preemptions everywhere. */
static size_t
random_failure(struct program *p, struct burl_rng *rng, struct burl_wire_switch *out)
{
    struct burl_minimize_shown shown;
    bool give_up;

    for (;;) {
        size_t n = 0;
        uint16_t current = 0;
        uint32_t done[MAX_T] = { 0 };

        /* Thread 1 stops half way; all others in any order, the last one at the end. */
        for (uint32_t left = 400; left > 0; left--) {
            const uint16_t next = (uint16_t)burl_rng_below(rng, p->n_threads - 1u);

            if (next == current || done[next] >= (next == 1 ? HALF_WAY : OPS))
                continue;
            out[n++] = (struct burl_wire_switch){
                .op = done[current], .tid = current, .next = next, .why = BURL_SWITCH_PREEMPT
            };
            current = next;
            done[current]++;
        }
        out[n++] = (struct burl_wire_switch){ .op = done[current],
                                              .tid = current,
                                              .next = (uint16_t)(p->n_threads - 1),
                                              .why = BURL_SWITCH_PREEMPT };
        if (run_program(p, out, n, &shown, &give_up)) {
            memcpy(out, shown.switches, shown.n * sizeof *out);
            return shown.n;
        }
    }
}

/* From hundreds of preemptions to those that matter, without the threads that do not. */
static void
bystanders_do_not_run(void **state)
{
    static struct program p;
    static struct burl_wire_switch start[4096];
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 20; round++) {
        struct burl_minimize_result r;
        const struct burl_minimize_budget budget = { .max_execs = 2000, .max_ms = 60000 };
        size_t n;

        p.n_threads = round % 2 ? 100 : 5;
        n = random_failure(&p, &rng, start);
        burl_minimize(&r, start, n, run_program, list_points, &p, &budget);
        /* Main goes to thread 1 when it likes or when it must; that one is stopped half way. */
        assert_true(r.finished);
        assert_int_equal(r.n_preemptions, 1);
        assert_int_equal(r.n, 2);
        assert_int_equal(r.switches[0].tid, 0);
        assert_int_equal(r.switches[0].next, 1);
        assert_int_equal(r.switches[1].tid, 1);
        assert_int_equal(r.switches[1].op, HALF_WAY);
        assert_int_equal(r.switches[1].next, p.n_threads - 1);
        assert_true(r.n_preemptions_before < 100 || r.n_execs < 1000);
        free(r.switches);
    }
}

/* Threads 1 and 2 take turns and the second is the victim: two preemptions when thread 1 begins,
 * one when thread 2 does. */
static bool
try_turns(void *arg, const struct burl_wire_switch *c, size_t n, struct burl_minimize_shown *shown,
          bool *give_up)
{
    struct fake *f = arg;
    const bool second_begins = n > 0 && c[0].tid == 0 && c[0].next == 2;

    (void)give_up;
    if (!has(c, n, 79) || (!second_begins && !has(c, n, 16)))
        return false;
    /* The first thread waits in any case; without a word thread 1 is the next. */
    f->recorded[0] =
        (struct burl_wire_switch){ .op = 7, .tid = 0, .next = 1, .why = BURL_SWITCH_BLOCKED };
    memcpy(f->recorded + (c[0].tid != 0), c, n * sizeof *c);
    n += c[0].tid != 0;
    *shown = (struct burl_minimize_shown){ f->recorded, n, n };
    return true;
}

static size_t
list_turns(void *arg, const struct burl_wire_switch *s, size_t n, struct burl_minimize_point **out)
{
    static const struct burl_minimize_point turns[] = {
        { .op = 16, .tid = 1, .promising = true },
        { .op = 79, .tid = 2, .promising = true },
        { .op = 90, .tid = 1, .promising = true },
    };

    (void)arg;
    (void)s;
    (void)n;
    *out = burl_xmemdup(turns, sizeof turns);
    return sizeof turns / sizeof turns[0];
}

static void
who_begins_costs_no_preemption(void **state)
{
    struct fake f = { .n_wanted = 0 };
    const struct burl_wire_switch start[] = {
        { .op = 7, .tid = 0, .next = 1, .why = BURL_SWITCH_BLOCKED },
        { .op = 16, .tid = 1, .next = 2, .why = BURL_SWITCH_PREEMPT },
        { .op = 79, .tid = 2, .next = 1, .why = BURL_SWITCH_PREEMPT },
    };
    struct burl_minimize_result r;

    (void)state;
    burl_minimize(&r, start, 3, try_turns, list_turns, &f, &plenty);
    assert_int_equal(r.n_preemptions, 1);
    assert_true(has(r.switches, r.n, 79));
    free(r.switches);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_exactly_what_is_needed),
        cmocka_unit_test(replaces_two_preemptions_by_one),
        cmocka_unit_test(a_failure_without_preemptions_ends_with_none),
        cmocka_unit_test(choices_that_are_not_needed_go),
        cmocka_unit_test(an_early_end_gives_a_failing_schedule),
        cmocka_unit_test(any_set_is_found),
        cmocka_unit_test(bystanders_do_not_run),
        cmocka_unit_test(who_begins_costs_no_preemption),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
