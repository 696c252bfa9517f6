/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_reads_from.c - the decisions of the reads-from strategy, on threads made of lists.
 *
 * The strategy is compiled into the test with a small scheduler around it: a thread is a list of
 * accesses and lock operations. What is looked at is which write the read of the aim saw, by a
 * memory of the test's own, in how many of many seeds, and that every list is done to its end.
 */
#include "unit.h"

#include "rt/goal/hold.c"
#include "rt/goal/reads_from.c"

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

struct burl_thread *burl_thread_by_tid(uint16_t tid);
struct burl_thread *
burl_thread_by_tid(uint16_t tid)
{
    return burl_rt.threads[tid];
}

/* ---- threads made of lists ----------------------------------------------------------- */

#define MAX_THREADS 30u
#define MAX_OPS 16u
#define VAR 0x1000u
#define OTHER 0x2000u
#define LOCK 0x9000u
#define SEEDS 200u

enum { SITE_NOISE = 1, SITE_W, SITE_R, SITE_V, SITE_W2, GATE_W, GATE_R, GATE_W2 };

struct script {
    struct burl_op ops[MAX_OPS];
    uint32_t n;
};

static struct script scripts[MAX_THREADS];
static struct burl_thread threads[MAX_THREADS];
static uint32_t n_scripts;
static int owner;           /* of the lock */
static uint32_t last_write; /* of VAR */
static uint32_t seen[8];    /* what SITE_R saw: bits of write sites; by visit */
static uint32_t n_seen;

static void
add(uint32_t t, uint8_t kind, uintptr_t addr, uint32_t site)
{
    assert_true(scripts[t].n < MAX_OPS);
    scripts[t].ops[scripts[t].n++] =
        (struct burl_op){ .kind = kind, .size_b = 4, .aux = 4, .addr = addr, .site = site };
    if (t >= n_scripts)
        n_scripts = t + 1;
}

static void
clear(uint32_t write, uint32_t gate_write, uint32_t gate_read, uint32_t other, uint32_t gate_other)
{
    memset(scripts, 0, sizeof scripts);
    n_scripts = 0;
    ctl.order.args.goal = (struct burl_wire_goal){
        .kind = BURL_GOAL_READS_FROM,
        .reads_from = { .write = write,
                        .read = SITE_R,
                        .write_gate = gate_write,
                        .read_gate = gate_read,
                        .reader = BURL_TID_NONE,
                        .n_others = other != 0,
                        .others = { { .write = other, .gate = gate_other } } },
    };
}

static void
add_section(uint32_t t, uint32_t gate, uint8_t kind, uint32_t site)
{
    add(t, BURL_OP_LOCK, LOCK, gate);
    add(t, kind, VAR, site);
    add(t, BURL_OP_UNLOCK, LOCK, 0);
}

static uint32_t
collect(uint16_t *runnable)
{
    uint32_t n = 0;

    for (uint32_t t = 0; t < n_scripts; t++) {
        struct burl_thread *x = &threads[t];

        if (x->n_ops >= scripts[t].n)
            continue;
        x->op = scripts[t].ops[x->n_ops];
        if (x->op.kind != BURL_OP_LOCK || owner < 0)
            runnable[n++] = (uint16_t)t;
    }
    return n;
}

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
    } else if (op.addr == VAR && op.kind == BURL_OP_WRITE) {
        last_write = op.site;
    } else if (op.site == SITE_R && n_seen < 8) {
        seen[n_seen++] = last_write;
    }
    reads_from_commit(t, &op);
    t->n_ops++;
    burl_rt.exec.progress++;
}

/* One execution; true when the read saw `want`. The strategy must say the same. */
static bool
run_seed(uint64_t seed, uint32_t want)
{
    uint16_t runnable[MAX_THREADS];
    uint16_t current = 0;
    bool met = false;
    uint32_t n;

    memset(&burl_rt.exec, 0, sizeof burl_rt.exec);
    memset(threads, 0, sizeof threads);
    rng = seed;
    owner = -1;
    last_write = 0;
    n_seen = 0;
    burl_rt.exec.n_alive = n_scripts;
    reads_from_begin(&ctl.order.args);
    for (uint16_t t = 0; t < n_scripts; t++) {
        threads[t].tid = t;
        burl_rt.threads[t] = &threads[t];
        reads_from_thread_new(&threads[t]);
    }
    while ((n = collect(runnable)) > 0) {
        struct burl_choice c = { .runnable = runnable, .n_runnable = n, .current = current };

        c.current_runnable = burl_choice_has(&c, current);
        if (n > 1 || !c.current_runnable)
            current = reads_from_pick(&c);
        assert_true(burl_choice_has(&c, current));
        perform(&threads[current]);
    }
    for (uint32_t t = 0; t < n_scripts; t++)
        assert_int_equal(threads[t].n_ops, scripts[t].n);
    for (uint32_t i = 0; i < n_seen; i++)
        met |= seen[i] == want;
    assert_int_equal(met, burl_rt.exec.goal_hit);
    return met;
}

static uint32_t
hits(uint32_t want)
{
    uint32_t sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        sum += run_seed(seed * 77, want);
    return sum;
}

/* ---- laws ---------------------------------------------------------------------------- */

/* Each of a crowd writes; the reader reads after a while of its own. */
static void
the_initial_value_is_kept_for_a_late_reader(void **state)
{
    (void)state;
    clear(0, 0, 0, SITE_W, 0);
    for (uint32_t t = 0; t + 1 < MAX_THREADS; t++) {
        add(t, BURL_OP_WRITE, OTHER, SITE_NOISE);
        add(t, BURL_OP_WRITE, VAR, SITE_W);
    }
    for (uint32_t i = 0; i < 10; i++)
        add(MAX_THREADS - 1, BURL_OP_WRITE, OTHER, SITE_NOISE);
    add(MAX_THREADS - 1, BURL_OP_READ, VAR, SITE_R);
    assert_true(hits(0) > SEEDS / 2);
}

/* The same in critical sections: held at the gates. */
static void
writers_are_held_outside_their_sections(void **state)
{
    (void)state;
    clear(0, 0, GATE_R, SITE_W, GATE_W);
    for (uint32_t t = 0; t < 10; t++)
        add_section(t, GATE_W, BURL_OP_WRITE, SITE_W);
    for (uint32_t i = 0; i < 10; i++)
        add(10, BURL_OP_WRITE, OTHER, SITE_NOISE);
    add_section(10, GATE_R, BURL_OP_READ, SITE_R);
    assert_true(hits(0) > SEEDS / 2);
}

/* One of a crowd writes something else: the read is to see that. */
static void
one_write_among_many_is_seen(void **state)
{
    (void)state;
    clear(SITE_W2, 0, 0, SITE_W, 0);
    for (uint32_t t = 0; t < 20; t++)
        add(t, BURL_OP_WRITE, VAR, t == 7 ? SITE_W2 : SITE_W);
    add(20, BURL_OP_READ, VAR, SITE_R);
    assert_true(hits(SITE_W2) > SEEDS / 2);
    clear(SITE_W2, GATE_W2, GATE_R, SITE_W, GATE_W);
    for (uint32_t t = 0; t < 20; t++)
        add_section(t, t == 7 ? GATE_W2 : GATE_W, BURL_OP_WRITE, t == 7 ? SITE_W2 : SITE_W);
    add_section(20, GATE_R, BURL_OP_READ, SITE_R);
    assert_true(hits(SITE_W2) > SEEDS / 2);
}

/* What cannot be is not met, and no thread waits for it for ever. */
static void
impossible_edges_end(void **state)
{
    (void)state;
    clear(SITE_V, 0, 0, SITE_W, 0);
    add(0, BURL_OP_WRITE, VAR, SITE_W);
    add(1, BURL_OP_READ, VAR, SITE_R);
    assert_int_equal(hits(SITE_V), 0);
    /* The reader writes first itself. */
    clear(0, 0, 0, SITE_W, 0);
    add(0, BURL_OP_WRITE, VAR, SITE_W);
    add(0, BURL_OP_READ, VAR, SITE_R);
    add(1, BURL_OP_WRITE, VAR, SITE_W);
    assert_int_equal(hits(0), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_initial_value_is_kept_for_a_late_reader),
        cmocka_unit_test(writers_are_held_outside_their_sections),
        cmocka_unit_test(one_write_among_many_is_seen),
        cmocka_unit_test(impossible_edges_end),
    };

    burl_rt.ctl = &ctl;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
