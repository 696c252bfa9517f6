/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pair.c - the decisions of the pair strategy, on threads made of lists.
 *
 * The strategy is compiled into the test with a small scheduler around it: a thread is a list of
 * accesses, lock operations and waits for other threads. What is looked at is whether the two sites
 * became adjacent, in how many of many seeds, and that every list is always done to its end.
 */
#include "unit.h"

#include "rt/goal/hold.c"
#include "rt/goal/pair.c"

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

/* ---- threads made of lists ----------------------------------------------------------- */

#define N_THREADS 3u
#define MAX_OPS 300u
#define VAR 0x1000u
#define OTHER 0x2000u
#define LOCK 0x9000u

enum { SITE_NOISE = 1, SITE_A, SITE_B, SITE_C, GATE_A, GATE_B, GATE_C };

struct step {
    struct burl_op op;
    int wait_tid; /* can happen once that thread has done wait_n steps; -1 at once */
    uint32_t wait_n;
};

struct script {
    struct step steps[MAX_OPS];
    uint32_t n;
};

static struct script scripts[N_THREADS];
static struct burl_thread threads[N_THREADS];
static uint32_t n_scripts;
static int owner; /* of the lock */
static uint32_t last_site;
static uint16_t last_tid;

static void
clear(uint32_t n)
{
    memset(scripts, 0, sizeof scripts);
    n_scripts = n;
}

static struct step *
add(uint32_t t, uint8_t kind, uintptr_t addr, uint32_t site)
{
    struct step *s = &scripts[t].steps[scripts[t].n++];

    *s = (struct step){ .op = { .kind = kind, .size_b = 8, .aux = 8, .addr = addr, .site = site },
                        .wait_tid = -1 };
    return s;
}

static void
add_noise(uint32_t t, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        add(t, BURL_OP_WRITE, OTHER + 8 * t, SITE_NOISE);
}

static void
add_section(uint32_t t, uint32_t gate, const uint32_t *sites, uint32_t n)
{
    add(t, BURL_OP_LOCK, LOCK, gate)->op.aux = 0;
    for (uint32_t i = 0; i < n; i++)
        add(t, BURL_OP_WRITE, VAR, sites[i]);
    add(t, BURL_OP_UNLOCK, LOCK, 0)->op.aux = 0;
}

static bool
is_ready(const struct step *s)
{
    if (s->wait_tid >= 0 && threads[s->wait_tid].n_ops < s->wait_n)
        return false;
    return s->op.kind != BURL_OP_LOCK || owner < 0;
}

static uint32_t
collect(uint16_t *runnable)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < n_scripts; t++) {
        struct burl_thread *x = &threads[t];

        if (x->n_ops >= scripts[t].n) {
            x->state = BURL_THREAD_FINISHED;
            continue;
        }
        x->op = scripts[t].steps[x->n_ops].op;
        x->state = BURL_THREAD_BLOCKED;
        if (!is_ready(&scripts[t].steps[x->n_ops]))
            continue;
        x->state = BURL_THREAD_RUNNABLE;
        runnable[n++] = (uint16_t)t;
    }
    return n;
}

/* As LOCPAIRS: nothing else may touch VAR in between. */
static void
perform(struct burl_thread *t)
{
    const struct burl_op op = t->op;

    if (op.kind == BURL_OP_LOCK) {
        owner = t->tid;
        t->n_locks++;
    } else if (op.kind == BURL_OP_UNLOCK) {
        owner = -1;
        t->n_locks--;
    } else {
        burl__pair_access(t, &op);
    }
    t->n_ops++;
    burl_rt.exec.progress++;
    if (op.kind != BURL_OP_WRITE || op.addr != VAR)
        return;
    if (last_site == SITE_A && op.site == SITE_B && last_tid != t->tid)
        burl_rt.exec.goal_hit = true;
    last_site = op.site;
    last_tid = t->tid;
}

/* One execution; true when the sites were adjacent. */
static bool
run_seed(uint64_t seed)
{
    uint16_t runnable[N_THREADS];
    uint16_t current = 0;
    uint32_t n;

    memset(&burl_rt.exec, 0, sizeof burl_rt.exec);
    memset(threads, 0, sizeof threads);
    rng = seed;
    owner = -1;
    last_site = 0;
    burl_rt.exec.n_threads = n_scripts;
    burl_rt.exec.n_alive = n_scripts;
    pair_begin(&ctl.order.args);
    for (uint16_t t = 0; t < n_scripts; t++) {
        threads[t].tid = t;
        burl_rt.threads[t] = &threads[t];
        burl_hold_thread_new(&threads[t]);
    }
    while ((n = collect(runnable)) > 0) {
        struct burl_choice c = { .runnable = runnable, .n_runnable = n, .current = current };

        for (uint32_t i = 0; i < n; i++)
            c.current_runnable |= runnable[i] == current;
        if (n > 1 || !c.current_runnable)
            current = pair_pick(&c);
        assert_true(burl_choice_has(&c, current));
        perform(&threads[current]);
    }
    for (uint32_t t = 0; t < n_scripts; t++)
        assert_int_equal(threads[t].n_ops, scripts[t].n);
    return burl_rt.exec.goal_hit;
}

static uint32_t
hits(uint32_t n)
{
    uint32_t sum = 0;

    for (uint64_t seed = 1; seed <= n; seed++)
        sum += run_seed(seed * 77);
    return sum;
}

static void
aim(bool gates)
{
    struct burl_goal_pair *pair = &ctl.order.args.goal.pair;

    ctl.order.args.goal = (struct burl_wire_goal){
        .kind = BURL_GOAL_PAIR,
        .pair = { .first = SITE_A, .second = SITE_B },
    };
    pair->first_gates[0] = gates ? GATE_A : 0;
    pair->second_gates[0] = gates ? GATE_B : 0;
}

/* ---- tests --------------------------------------------------------------------------- */

static void
two_accesses_far_apart_are_brought_together(void **state)
{
    (void)state;
    clear(2);
    add_noise(0, 200);
    add(0, BURL_OP_WRITE, VAR, SITE_A);
    add(0, BURL_OP_WRITE, VAR, SITE_C);
    add(1, BURL_OP_WRITE, VAR, SITE_B);
    add_noise(1, 200);
    aim(false);
    assert_in_range(hits(200), 60, 200);
}

static void
the_right_visit_is_found_among_many(void **state)
{
    (void)state;
    clear(2);
    for (int i = 0; i < 4; i++) {
        add(0, BURL_OP_WRITE, VAR + 64, SITE_A); /* elsewhere */
        add_noise(0, 5);
    }
    add(0, BURL_OP_WRITE, VAR, SITE_A);
    add(0, BURL_OP_WRITE, VAR, SITE_C);
    for (int i = 0; i < 4; i++)
        add(1, BURL_OP_WRITE, VAR + 128, SITE_B);
    add(1, BURL_OP_WRITE, VAR, SITE_B);
    aim(false);
    assert_in_range(hits(200), 20, 200);
}

/* b's thread touches the memory before: a must come after that, and before b. */
static const uint32_t only_a[] = { SITE_A }, only_b[] = { SITE_B }, only_c[] = { SITE_C };

static void
make_locked(void)
{
    clear(2);
    add_noise(0, 60);
    add_section(0, GATE_A, only_a, 1);
    add_section(0, GATE_C, only_c, 1);
    add_section(1, GATE_C, only_c, 1);
    add_section(1, GATE_B, only_b, 1);
    add_noise(1, 60);
}

static void
critical_sections_are_held_at_their_gates(void **state)
{
    uint32_t with, without;

    (void)state;
    make_locked();
    aim(true);
    with = hits(200);
    aim(false);
    without = hits(200);
    assert_in_range(with, 60, 200);
    if (with <= without + 20)
        fail_msg("gates do not help: %u of 200 with, %u without", with, without);
}

static void
gates_are_learned(void **state)
{
    struct burl_watch w = { .held.n = 2 };
    struct burl_thread t = { .watch = &w };
    const struct burl_op a = { .kind = BURL_OP_WRITE, .addr = VAR, .site = SITE_A };

    (void)state;
    aim(false);
    memset(&ctl.result, 0, sizeof ctl.result);
    w.held.v[0].site = 70;
    w.held.v[1].site = 71;
    pair_begin(&ctl.order.args);
    burl__pair_access(&t, &a);
    burl__pair_access(&t, &a);
    w.held.v[1].site = 72;
    burl__pair_access(&t, &a);
    assert_int_equal(ctl.result.pair_visits[0], 3);
    assert_int_equal(ctl.result.pair_visits[1], 0);
    assert_int_equal(ctl.result.pair_gates[0][0], 70);
    assert_int_equal(ctl.result.pair_gates[0][1], 71);
    assert_int_equal(ctl.result.pair_gates[0][2], 72);
    assert_int_equal(ctl.result.pair_gates[0][3], 0);
    assert_int_equal(ctl.result.pair_gates[1][0], 0);
}

/* a's thread waits for what b's thread does after b, and a third needs both: run_seed() fails when
 * a list is not done to its end. */
static void
nobody_is_held_for_ever(void **state)
{
    static const uint32_t both[] = { SITE_A, SITE_C };

    (void)state;
    clear(3);
    add_noise(0, 3);
    add(0, BURL_OP_WRITE, OTHER, SITE_NOISE)->wait_tid = 1;
    scripts[0].steps[scripts[0].n - 1].wait_n = 4;
    add_section(0, GATE_A, both, 2);
    add_section(1, GATE_B, only_b, 1);
    add_noise(1, 5);
    add(2, BURL_OP_WRITE, OTHER + 64, SITE_NOISE)->wait_tid = 0;
    scripts[2].steps[0].wait_n = 6;
    add_section(2, GATE_C, only_c, 1);
    for (int gates = 0; gates < 2; gates++) {
        aim(gates != 0);
        assert_int_equal(hits(300), 0); /* and what cannot be is not met */
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_accesses_far_apart_are_brought_together),
        cmocka_unit_test(the_right_visit_is_found_among_many),
        cmocka_unit_test(critical_sections_are_held_at_their_gates),
        cmocka_unit_test(gates_are_learned),
        cmocka_unit_test(nobody_is_held_for_ever),
    };

    burl_rt.ctl = &ctl;
    burl_rt.watches_pair = true;
    burl_rt.pair[0] = SITE_A;
    burl_rt.pair[1] = SITE_B;
    burl_rt.strategy = &burl_strategy_pair;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
