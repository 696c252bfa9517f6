/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_move.c - engine/confirm/move.h against a program made up here.
 *
 * Its threads have fixed lists of operations; one lock is modeled. Schedules are followed as the
 * runtime does (wire/schedule.h). It fails when an operation that reads comes before one that
 * writes, or as a test says.
 */
#include "unit.h"

#include "base/mem.h"
#include "engine/confirm/move.h"

#define THREADS 3
#define MAX 8

struct op {
    uint8_t kind; /* BURL_OP_NONE: the end */
    uint32_t site;
};

struct program {
    struct op ops[THREADS][MAX];
    uint32_t before; /* fails when this site comes before that; 0: fails always */
    uint32_t after;
    unsigned n_runs;
    bool broken; /* cannot be run */
};

static bool
can_go(const struct program *p, const uint32_t *at, int owner, uint16_t tid)
{
    const struct op *o = &p->ops[tid][at[tid]];

    return o->kind != BURL_OP_NONE && (o->kind != BURL_OP_LOCK || owner < 0 || owner == (int)tid);
}

static uint16_t
pick(const struct program *p, const uint32_t *at, int owner, uint16_t current,
     const struct burl_wire_switch *s, size_t n, size_t *next)
{
    for (size_t i = *next; i < n; i++) {
        if (s[i].tid == current && s[i].op == at[current]) {
            *next = i + 1;
            if (can_go(p, at, owner, s[i].next))
                return s[i].next;
            break;
        }
    }
    if (can_go(p, at, owner, current))
        return current;
    for (uint16_t t = 0; t < THREADS; t++) {
        if (can_go(p, at, owner, t))
            return t;
    }
    return THREADS;
}

static void
run(const struct program *p, const struct burl_wire_switch *s, size_t n, struct burl_run *out)
{
    uint32_t at[THREADS] = { 0 };
    uint16_t current = 0;
    size_t next = 0;
    int owner = -1;

    memset(out, 0, sizeof *out);
    out->events = burl_xcalloc(THREADS * MAX, sizeof *out->events);
    for (;;) {
        const struct op *o;

        current = pick(p, at, owner, current, s, n, &next);
        if (current == THREADS)
            return;
        o = &p->ops[current][at[current]];
        if (o->kind == BURL_OP_LOCK)
            owner = current;
        if (o->kind == BURL_OP_UNLOCK)
            owner = -1;
        out->events[out->n_events++] = (struct burl_wire_event){
            .kind = o->kind, .tid = current, .op = at[current], .site = o->site
        };
        at[current]++;
    }
}

static size_t
where(const struct burl_run *r, uint32_t site)
{
    for (size_t i = 0; i < r->n_events; i++) {
        if (r->events[i].site == site)
            return i;
    }
    return SIZE_MAX;
}

static bool
try_one(void *arg, const struct burl_wire_switch *s, size_t n, struct burl_run *out, bool *same)
{
    struct program *p = arg;

    p->n_runs++;
    if (p->broken)
        return false;
    run(p, s, n, out);
    *same = p->before == 0 || where(out, p->before) < where(out, p->after);
    return true;
}

enum { READ_X = 1, WRITE_X, LOCK_A, UNLOCK_A, LOCK_B, UNLOCK_B, OTHER };

/* T0 reads, T1 writes later; T2 has nothing to do with it. */
static const struct program plain = {
    .ops = { { { BURL_OP_START, OTHER }, { BURL_OP_READ, READ_X }, { BURL_OP_READ, OTHER } },
             { { BURL_OP_START, OTHER }, { BURL_OP_WRITE, WRITE_X } },
             { { BURL_OP_START, OTHER } } },
    .before = READ_X,
    .after = WRITE_X,
};

static const struct burl_run_move read_later = {
    .held = 0, .held_op = 1, .until = 1, .until_op = 1
};

static void
an_order_that_matters_is_turned_round(void **state)
{
    struct program p = plain;
    struct burl_run failing;

    (void)state;
    run(&p, NULL, 0, &failing);
    assert_int_equal(burl_move_try(&failing, &read_later, try_one, &p), BURL_MOVED_PASSES);
    assert_int_equal(p.n_runs, 1);
    burl_run_deinit(&failing);
}

static void
a_failure_that_stays_is_told(void **state)
{
    struct program p = plain;
    struct burl_run failing;

    (void)state;
    p.before = 0;
    run(&p, NULL, 0, &failing);
    assert_int_equal(burl_move_try(&failing, &read_later, try_one, &p), BURL_MOVED_FAILS);
    burl_run_deinit(&failing);
}

/* Both under one lock: held at the read, T0 would keep the lock that T1 needs. */
static void
a_step_under_a_lock_is_held_before_the_lock(void **state)
{
    struct program p = { .ops = { { { BURL_OP_START, OTHER },
                                    { BURL_OP_LOCK, LOCK_A },
                                    { BURL_OP_READ, READ_X },
                                    { BURL_OP_UNLOCK, UNLOCK_A } },
                                  { { BURL_OP_LOCK, LOCK_B },
                                    { BURL_OP_WRITE, WRITE_X },
                                    { BURL_OP_UNLOCK, UNLOCK_B } } },
                         .before = READ_X,
                         .after = WRITE_X };
    const struct burl_run_move m = { .held = 0, .held_op = 2, .until = 1, .until_op = 1 };
    struct burl_run failing;

    (void)state;
    run(&p, NULL, 0, &failing);
    assert_int_equal(burl_move_try(&failing, &m, try_one, &p), BURL_MOVED_PASSES);
    assert_int_equal(p.n_runs, 2);
    burl_run_deinit(&failing);
}

/* The operation to come first is behind one that only comes after the step. */
static void
what_cannot_come_first_is_not_moved(void **state)
{
    struct program p = plain;
    const struct burl_run_move never = { .held = 0, .held_op = 1, .until = 1, .until_op = 7 };
    struct burl_run failing;

    (void)state;
    run(&p, NULL, 0, &failing);
    assert_int_equal(burl_move_try(&failing, &never, try_one, &p), BURL_MOVED_NOT);
    failing.events_dropped = 1;
    assert_int_equal(burl_move_try(&failing, &read_later, try_one, &p), BURL_MOVED_NOT);
    failing.events_dropped = 0;
    p.broken = true;
    assert_int_equal(burl_move_try(&failing, &read_later, try_one, &p), BURL_MOVED_NOT);
    burl_run_deinit(&failing);
}

/* T1 was stopped for good before its write: it goes on for as long as it can. */
static void
a_thread_that_was_stopped_goes_on(void **state)
{
    struct program p = plain;
    const struct burl_run_move on = {
        .held = 0, .held_op = 1, .until = 1, .until_op = 1, .on = true
    };
    struct burl_run failing;

    (void)state;
    run(&p, NULL, 0, &failing);
    while (failing.events[failing.n_events - 1].tid != 1)
        failing.n_events--;
    failing.n_events--; /* without the write */
    assert_int_equal(burl_move_try(&failing, &on, try_one, &p), BURL_MOVED_PASSES);
    burl_run_deinit(&failing);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_order_that_matters_is_turned_round),
        cmocka_unit_test(a_failure_that_stays_is_told),
        cmocka_unit_test(a_step_under_a_lock_is_held_before_the_lock),
        cmocka_unit_test(what_cannot_come_first_is_not_moved),
        cmocka_unit_test(a_thread_that_was_stopped_goes_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
