/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_directed.c - the decisions of the directed strategy, on threads made of lists.
 *
 * The strategy is compiled into the test with a scheduler of twenty lines around it: every thread
 * is a list of operations, may wait until another one has done something, and performs its next
 * operation when it is picked. What is looked at is the order of the operations.
 */
#include "unit.h"

#include "rt/goal/cycle.c"
#include "rt/goal/directed.c"
#include "rt/goal/hold.c"
#include "rt/goal/race.c"
#include "rt/goal/triple.c"
#include "rt/goal/wakeup.c"

struct burl_rt burl_rt;
static struct burl_wire_ctl ctl;

static uint64_t rng;

uint64_t
burl_rng_next(void)
{
    rng += 0x9e3779b97f4a7c15ull;
    return burl_mix64(rng);
}

uint32_t
burl_rng_below(uint32_t n)
{
    return (uint32_t)(((burl_rng_next() >> 32) * (uint64_t)n) >> 32);
}

uint16_t
burl_pick_default(const struct burl_choice *c)
{
    return c->current_runnable ? c->current : c->runnable[0];
}

/* ---- threads made of lists ------------------------------------------------------------------ */

#define MAX_OPS 400

struct step {
    struct burl_op op;
    int wait_tid; /* can happen once thread wait_tid has done wait_n operations; -1 at once */
    uint32_t wait_n;
    bool polls; /* no progress */
};

struct script {
    struct step steps[MAX_OPS];
    uint32_t n;
};

static struct script scripts[4];
static struct burl_thread threads[4];
static uint32_t n_scripts;

struct log_entry {
    uint16_t tid;
    uint32_t site;
    uintptr_t addr;
};
static struct log_entry done[4 * MAX_OPS];
static uint32_t n_done;

static struct burl_wire_goal goal;

static void
start_program(uint32_t n, uint32_t kind, const uint32_t *sites, uint32_t n_sites)
{
    struct burl_wire_suspect s = { 0 };

    memset(&ctl, 0, sizeof ctl);
    memset(scripts, 0, sizeof scripts);
    memset(threads, 0, sizeof threads);
    memset(&burl_rt, 0, sizeof burl_rt);
    burl_rt.ctl = &ctl;
    n_scripts = n;
    s.kind = (uint8_t)kind;
    s.n_sites = (uint8_t)n_sites;
    memcpy(s.sites, sites, n_sites * sizeof *sites);
    goal = burl_wire_goal_of(&s);
}

static struct step *
add(uint32_t tid, uint8_t kind, uint32_t site, uintptr_t addr)
{
    struct step *s = &scripts[tid].steps[scripts[tid].n++];

    assert_true(scripts[tid].n < MAX_OPS);
    s->op = (struct burl_op){ .kind = kind, .site = site, .addr = addr, .size_b = 4, .aux = 4 };
    s->wait_tid = -1;
    return s;
}

static void
add_filler(uint32_t tid, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add(tid, BURL_OP_WRITE, 900 + tid, 0x9000 + 64 * tid);
}

static const struct step *
next_step(uint32_t tid)
{
    return &scripts[tid].steps[threads[tid].n_ops];
}

static void
collect_runnable(void)
{
    burl_rt.exec.n_runnable = 0;
    for (uint32_t t = 0; t < n_scripts; t++) {
        const struct step *s;

        if (threads[t].n_ops == scripts[t].n)
            continue;
        s = next_step(t);
        threads[t].op = s->op;
        if (s->wait_tid < 0 || threads[s->wait_tid].n_ops >= s->wait_n)
            burl_rt.runnable[burl_rt.exec.n_runnable++] = (uint16_t)t;
    }
}

/* Runs to the end, or until no thread can, or for `max` picks. */
static void
run_program(uint64_t seed, uint32_t max)
{
    uint16_t current = 0;

    rng = burl_mix64(seed);
    n_done = 0;
    memset(&burl_rt.exec, 0, sizeof burl_rt.exec);
    burl_rt.exec.seed = seed;
    burl_rt.exec.n_threads = n_scripts;
    burl_rt.exec.n_alive = n_scripts;
    ctl.order.args.goal = goal;
    burl_strategy_directed.begin(&ctl.order.args);
    for (uint32_t t = 0; t < n_scripts; t++) {
        struct burl_watch *w = threads[t].watch;

        threads[t] = (struct burl_thread){ .tid = (uint16_t)t, .watch = w };
        burl_rt.threads[t] = &threads[t];
        burl_strategy_directed.thread_new(&threads[t]);
    }
    for (uint32_t i = 0; i < max; i++) {
        struct burl_choice c = { .runnable = burl_rt.runnable, .current = current };
        const struct step *s;
        bool listed = false;

        collect_runnable();
        c.n_runnable = burl_rt.exec.n_runnable;
        if (c.n_runnable == 0)
            return;
        for (uint32_t k = 0; k < c.n_runnable; k++)
            c.current_runnable |= burl_rt.runnable[k] == current;
        current = burl_strategy_directed.pick(&c);
        for (uint32_t k = 0; k < c.n_runnable; k++)
            listed |= burl_rt.runnable[k] == current;
        assert_true(listed);
        s = next_step(current);
        threads[current].n_ops++;
        threads[current].n_locks += s->op.kind == BURL_OP_LOCK;
        threads[current].n_locks -= s->op.kind == BURL_OP_UNLOCK;
        burl_rt.exec.progress += !s->polls;
        directed_commit(&threads[current], &s->op);
        assert_true(n_done < sizeof done / sizeof done[0]);
        done[n_done++] =
            (struct log_entry){ .tid = current, .site = s->op.site, .addr = s->op.addr };
    }
}

/* Where in the order the first operation of that thread at that site is; n_done: nowhere. */
static uint32_t
when(uint16_t tid, uint32_t site)
{
    for (uint32_t i = 0; i < n_done; i++) {
        if (done[i].tid == tid && done[i].site == site)
            return i;
    }
    return n_done;
}

static bool
all_ended(void)
{
    for (uint32_t t = 0; t < n_scripts; t++) {
        if (threads[t].n_ops != scripts[t].n)
            return false;
    }
    return true;
}

/* ---- races ---------------------------------------------------------------------------------- */

static const uint32_t pair[2] = { 11, 12 };

/* One access at the start of a thread, the other at the end of another one. */
static void
far_apart(uint8_t kind_a, uintptr_t a, uint8_t kind_b, uintptr_t b)
{
    start_program(3, BURL_SUSPECT_POTENTIAL, pair, 2);
    add_filler(0, 50);
    add(1, kind_a, 11, a);
    add_filler(1, 100);
    add_filler(2, 100);
    add(2, kind_b, 12, b);
}

static void
two_accesses_meet_in_the_order_asked_for(void **state)
{
    (void)state;
    far_apart(BURL_OP_WRITE, 0x100, BURL_OP_READ, 0x102); /* overlapping, not equal */
    for (uint64_t seed = 0; seed < 50; seed++) {
        for (uint32_t first = 0; first < 2; first++) {
            goal.race.goes_first = first;
            run_program(seed, 1000);
            assert_true(all_ended());
            assert_true(burl_rt.exec.goal_hit);
            if (first == 0)
                assert_int_equal(when(1, 11) + 1, when(2, 12));
            else
                assert_int_equal(when(2, 12) + 1, when(1, 11));
        }
    }
}

static void
the_seed_decides_when_nothing_is_asked_for(void **state)
{
    (void)state;
    far_apart(BURL_OP_WRITE, 0x100, BURL_OP_ATOMIC_LOAD, 0x100);
    run_program(6, 1000);
    assert_int_equal(when(1, 11) + 1, when(2, 12));
    run_program(7, 1000);
    assert_int_equal(when(2, 12) + 1, when(1, 11));
}

static void
what_is_no_race_does_not_meet(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        if (i == 0)
            far_apart(BURL_OP_WRITE, 0x100, BURL_OP_READ, 0x104); /* neighbors */
        else if (i == 1)
            far_apart(BURL_OP_READ, 0x100, BURL_OP_READ, 0x100);
        else if (i == 2)
            far_apart(BURL_OP_ATOMIC_RMW, 0x100, BURL_OP_ATOMIC_LOAD, 0x100);
        else
            far_apart(BURL_OP_WRITE, 0x100, BURL_OP_LOCK, 0x100);
        for (uint64_t seed = 0; seed < 20; seed++) {
            run_program(seed, 1000);
            assert_true(all_ended()); /* held threads are let go */
            assert_false(burl_rt.exec.goal_hit);
        }
    }
}

static void
one_site_in_two_threads(void **state)
{
    static const uint32_t same[2] = { 11, 11 };

    (void)state;
    start_program(2, BURL_SUSPECT_RACE, same, 2);
    add_filler(0, 30);
    add(0, BURL_OP_WRITE, 11, 0x100);
    add(1, BURL_OP_WRITE, 11, 0x100);
    add_filler(1, 60);
    goal.race.goes_first = BURL_RACE_SECOND_SITE;
    run_program(3, 1000);
    assert_true(burl_rt.exec.goal_hit);
    assert_int_equal(when(1, 11) + 1, when(0, 11));
}

/* The two orders of one seed differ in the two accesses and in nothing else. */
static void
calm_orders_differ_in_the_two_accesses_only(void **state)
{
    struct log_entry before[4 * MAX_OPS];
    uint32_t n;

    (void)state;
    far_apart(BURL_OP_WRITE, 0x100, BURL_OP_WRITE, 0x100);
    add_filler(2, 20);
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t differ = 0;

        goal.race.calm = 1;
        goal.race.goes_first = BURL_RACE_FIRST_SITE;
        run_program(seed, 1000);
        memcpy(before, done, sizeof before);
        n = n_done;
        goal.race.goes_first = BURL_RACE_SECOND_SITE;
        run_program(seed, 1000);
        assert_int_equal(n, n_done);
        for (uint32_t i = 0; i < n; i++)
            differ += before[i].tid != done[i].tid;
        assert_int_equal(differ, 2);
    }
}

/* ---- nothing of the tool's own making ------------------------------------------------------- */

/* The partner of a held thread waits for it: all threads exit all the same. */
static void
a_needed_thread_is_let_go(void **state)
{
    (void)state;
    start_program(2, BURL_SUSPECT_POTENTIAL, pair, 2);
    for (int i = 0; i < 40; i++)
        add(0, BURL_OP_WRITE, 11, 0x100);
    add(1, BURL_OP_READ, 12, 0x100)->wait_tid = 0;
    scripts[1].steps[0].wait_n = 40;
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_false(burl_rt.exec.goal_hit);
    }
}

/* A thread polls for what a held thread has to do: that is released after a bounded time. */
static void
polling_is_a_stall(void **state)
{
    (void)state;
    start_program(2, BURL_SUSPECT_POTENTIAL, pair, 2);
    add(0, BURL_OP_WRITE, 11, 0x100);
    add_filler(0, 5);
    for (int i = 0; i < MAX_OPS - 2; i++) {
        struct step *s = add(1, BURL_OP_READ, 900, 0x200);

        s->polls = true;
    }
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(when(0, 11) < QUIET_PICKS + 8 * 2 + 64);
    }
}

/* A busy thread that never comes to the other site: patience has an end, although all others get
 * on. */
static void
patience_has_an_end(void **state)
{
    bool early = false;

    (void)state;
    start_program(3, BURL_SUSPECT_POTENTIAL, pair, 2);
    add(0, BURL_OP_WRITE, 11, 0x100);
    add_filler(1, MAX_OPS - 2);
    add_filler(2, MAX_OPS - 2);
    for (uint64_t seed = 0; seed < 100; seed++) {
        run_program(seed, 2000);
        assert_true(all_ended());
        early |= when(0, 11) < 2 * MAX_OPS - 100;
    }
    assert_true(early); /* the shortest patience is below the length of this program */
}

static void
the_same_seed_is_the_same_run(void **state)
{
    struct log_entry before[4 * MAX_OPS];

    (void)state;
    far_apart(BURL_OP_WRITE, 0x100, BURL_OP_WRITE, 0x100);
    run_program(5, 1000);
    memcpy(before, done, sizeof before);
    run_program(6, 1000);
    assert_memory_not_equal(before, done, n_done * sizeof *done);
    run_program(5, 1000);
    assert_memory_equal(before, done, n_done * sizeof *done);
}

/* ---- triples -------------------------------------------------------------------------------- */

static const uint32_t triple[3] = { 21, 22, 23 }; /* p, r, c */

static void
r_comes_between_p_and_c(void **state)
{
    (void)state;
    start_program(3, BURL_SUSPECT_TRIPLE, triple, 3);
    add_filler(0, 10);
    add(1, BURL_OP_READ, 21, 0x100);
    add(1, BURL_OP_WRITE, 23, 0x100);
    add_filler(1, 50);
    add_filler(2, 100);
    add(2, BURL_OP_WRITE, 22, 0x100);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(burl_rt.exec.goal_hit);
        assert_true(when(1, 21) < when(2, 22) && when(2, 22) < when(1, 23));
    }
}

/* The same with r at the very start: it is held until p was done. */
static void
r_waits_for_p(void **state)
{
    (void)state;
    start_program(2, BURL_SUSPECT_TRIPLE, triple, 3);
    add(0, BURL_OP_WRITE, 22, 0x100);
    add_filler(0, 20);
    add_filler(1, 100);
    add(1, BURL_OP_READ, 21, 0x100);
    add(1, BURL_OP_READ, 23, 0x100);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(burl_rt.exec.goal_hit);
    }
}

/* c under a lock that the other thread needs for r: holding at c cannot help, holding before the
 * lock does. The lock is modeled by what it comes to: while thread 1 is between its lock and c,
 * r cannot happen. */
static void
r_comes_before_the_lock_around_c(void **state)
{
    uint32_t hits = 0;

    (void)state;
    start_program(2, BURL_SUSPECT_TRIPLE, triple, 3);
    add_filler(0, 100);
    add(0, BURL_OP_WRITE, 22, 0x100);
    add(1, BURL_OP_READ, 21, 0x100);
    add(1, BURL_OP_LOCK, 24, 0x300);
    add(1, BURL_OP_WRITE, 23, 0x100);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        hits += burl_rt.exec.goal_hit && when(0, 22) < when(1, 24);
    }
    assert_true(hits >= 10);
}

/* Threads 2 and 3 make p, r and c overlap at all: each stores a pointer that it overwrites. They
 * are stopped in between, where they hold no lock. */
static void
installers_are_stopped_before_the_triple(void **state)
{
    (void)state;
    start_program(4, BURL_SUSPECT_TRIPLE, triple, 3);
    goal.triple.installers = 2;
    goal.triple.install[0] = goal.triple.install[1] = 25;
    add_filler(0, 3); /* main, which also makes r */
    add(0, BURL_OP_WRITE, 22, 0x100);
    add(1, BURL_OP_READ, 21, 0x100);
    add(1, BURL_OP_WRITE, 23, 0x100);
    for (uint32_t i = 2; i < 4; i++) {
        add_filler(i, 20);
        add(i, BURL_OP_WRITE, 25, 0x400 + i);
        add(i, BURL_OP_WRITE, 26, 0x400 + i);
    }
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(burl_rt.exec.goal_hit);
        for (uint16_t i = 2; i < 4; i++)
            assert_true(when(i, 25) < when(1, 21) && when(1, 23) < when(i, 26));
    }
}

/* One that holds its lock until it has overwritten the store is stopped too late. */
static void
installer_is_not_stopped_while_it_holds_a_lock(void **state)
{
    (void)state;
    start_program(3, BURL_SUSPECT_TRIPLE, triple, 3);
    goal.triple.installers = 2;
    goal.triple.install[0] = 25;
    add_filler(0, 3);
    add(0, BURL_OP_WRITE, 22, 0x100);
    add(1, BURL_OP_READ, 21, 0x100);
    add(1, BURL_OP_WRITE, 23, 0x100);
    add(2, BURL_OP_LOCK, 24, 0x300);
    add(2, BURL_OP_WRITE, 25, 0x400);
    add(2, BURL_OP_WRITE, 26, 0x400);
    add(2, BURL_OP_UNLOCK, 27, 0x300);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(when(2, 26) < when(1, 21));
    }
}

static void
a_triple_is_on_the_same_bytes(void **state)
{
    (void)state;
    start_program(2, BURL_SUSPECT_TRIPLE, triple, 3);
    add(0, BURL_OP_WRITE, 22, 0x200);
    add_filler(0, 20);
    add(1, BURL_OP_READ, 21, 0x100);
    add_filler(1, 20);
    add(1, BURL_OP_READ, 23, 0x100);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_false(burl_rt.exec.goal_hit);
    }
}

/* ---- lock cycles ---------------------------------------------------------------------------- */

/* A thread that holds a lock from the right place is kept at its request; the other one gets its
 * lock meanwhile. Locks are modeled by what threads wait for: as soon as both hold their first,
 * neither second request can happen. */
static void
a_cycle_closes(void **state)
{
    static const uint32_t lock_cycle[4] = { 31, 32, 33, 34 };
    static struct burl_watch watches[2];

    (void)state;
    start_program(3, BURL_SUSPECT_CYCLE, lock_cycle, 4);
    for (uint32_t t = 0; t < 2; t++) {
        watches[t].held.n = 1;
        watches[t].held.v[0].site = 31 + 2 * t;
        threads[t].watch = &watches[t];
    }
    add(0, BURL_OP_LOCK, 31, 0xa);
    add(0, BURL_OP_LOCK, 32, 0xb);
    add_filler(1, 100);
    add(1, BURL_OP_LOCK, 33, 0xb);
    add(1, BURL_OP_LOCK, 34, 0xa);
    add_filler(2, 20);
    for (uint64_t seed = 0; seed < 50; seed++) {
        run_program(seed, 1000);
        assert_true(all_ended());
        assert_true(when(1, 33) < when(0, 32));
    }
    /* Without the first lock from there it is not the thread that is meant. */
    watches[0].held.v[0].site = 77;
    run_program(1, 1000);
    assert_true(when(1, 33) > when(0, 32));
}

static void
a_cycle_is_met_when_it_is_a_deadlock(void **state)
{
    static const uint32_t lock_cycle[4] = { 31, 32, 33, 34 };
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    (void)state;
    start_program(2, BURL_SUSPECT_CYCLE, lock_cycle, 4);
    add_filler(0, 1);
    add_filler(1, 1);
    run_program(1, 10);
    v->kind = BURL_VERDICT_DEADLOCK_CYCLE;
    v->n_waits = 2;
    v->waits[0].site = 32;
    v->waits[1].site = 99;
    directed_finish();
    assert_false(burl_rt.exec.goal_hit); /* another one */
    v->waits[1].site = 34;
    directed_finish();
    assert_true(burl_rt.exec.goal_hit);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accesses_meet_in_the_order_asked_for),
        cmocka_unit_test(the_seed_decides_when_nothing_is_asked_for),
        cmocka_unit_test(what_is_no_race_does_not_meet),
        cmocka_unit_test(one_site_in_two_threads),
        cmocka_unit_test(calm_orders_differ_in_the_two_accesses_only),
        cmocka_unit_test(a_needed_thread_is_let_go),
        cmocka_unit_test(polling_is_a_stall),
        cmocka_unit_test(patience_has_an_end),
        cmocka_unit_test(the_same_seed_is_the_same_run),
        cmocka_unit_test(r_comes_between_p_and_c),
        cmocka_unit_test(r_waits_for_p),
        cmocka_unit_test(r_comes_before_the_lock_around_c),
        cmocka_unit_test(installers_are_stopped_before_the_triple),
        cmocka_unit_test(installer_is_not_stopped_while_it_holds_a_lock),
        cmocka_unit_test(a_triple_is_on_the_same_bytes),
        cmocka_unit_test(a_cycle_closes),
        cmocka_unit_test(a_cycle_is_met_when_it_is_a_deadlock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
