/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_cover_memory.c - the metrics of memory: location pairs, definition-use,
 * access pairs, Avio* and pair interleavings. By hand where the definitions set traps, and all of
 * them against their definitions, byte by byte, on random traces.
 */
#include "cover_rig.h"

#define LP(a, b) cover_has(BURL_METRIC_LOCPAIRS, (a), (b))
#define N_LP() cover_count(BURL_METRIC_LOCPAIRS)
#define DU(a, b) cover_has(BURL_METRIC_DEFUSE, (a), (b))
#define AP(a, b, kind) (cover_find(BURL_METRIC_ACCESSPAIRS, (a), (b), (kind)) != NULL)

enum { RW, WW, WR };

struct three {
    struct burl_watch *main;
    struct burl_watch *a;
    struct burl_watch *b;
};

static struct three
start(uint32_t observers)
{
    struct three t = { .main = cover_begin(observers) };

    t.a = rig_create(t.main);
    t.b = rig_create(t.main);
    return t;
}

/* ---- location pairs -------------------------------------------------------------------------- */

static void
a_pair_is_ordered(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    RD(t.b, x, 2);
    assert_true(LP(1, 2));
    assert_int_equal(N_LP(), 1);
    assert_int_equal(rig_area.items[0].tid_a, t.a->tid);
    assert_int_equal(rig_area.items[0].tid_b, t.b->tid);
    WR(t.a, x, 1);
    assert_true(LP(2, 1));
    assert_int_equal(N_LP(), 2);
}

static void
an_access_of_the_same_thread_takes_the_place(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    RD(t.a, x, 2);
    RD(t.b, x, 3);
    assert_int_equal(N_LP(), 0);
}

static void
two_reads_are_no_pair_but_come_between(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    RD(t.b, x, 2);
    RD(t.main, x, 3);
    WR(t.b, x, 4);
    assert_true(LP(1, 2));
    assert_true(LP(3, 4));
    assert_int_equal(N_LP(), 2);
}

static void
a_site_may_pair_with_itself(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    WR(t.a, x, 5);
    WR(t.b, x, 5);
    assert_true(LP(5, 5));
    assert_int_equal(N_LP(), 1);
}

static void
an_assertion_is_not_there(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS) | BURL_OB(DEFUSE) | BURL_OB(ACCESSPAIRS) |
                           BURL_OB(AVIO) | BURL_OB(PINV));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    RD(t.b, x, RIG_ASSERT);
    RD(t.a, x, RIG_ASSERT + 1);
    RD(t.b, x, 2);
    assert_true(LP(1, 2));
    assert_true(DU(1, 2));
    for (uint32_t i = 0; i < rig_area.n; i++) {
        assert_true(rig_area.items[i].a < RIG_ASSERT);
        assert_true(rig_area.items[i].b < RIG_ASSERT);
    }
}

static void
a_recycled_address_is_new(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    burl_ob_forget((uintptr_t)&x, sizeof x);
    RD(t.b, x, 2);
    assert_int_equal(N_LP(), 0);
    WR(t.a, x, 3);
    assert_true(LP(2, 3));
    rig_access(t.b, &x, sizeof x, 4, BURL_ACCESS_WRITE | BURL_ACCESS_FREE);
    WR(t.b, x, 5);
    assert_int_equal(N_LP(), 1);
}

static void
a_read_modify_write_is_one_access(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;

    (void)state;
    RMW(t.a, x, 7);
    RMW(t.b, x, 7);
    ARD(t.a, x, 8);
    assert_true(LP(7, 7));
    assert_true(LP(7, 8));
    assert_int_equal(N_LP(), 2);
}

static void
bytes_have_their_own_history(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint8_t x[24];

    (void)state;
    rig_access(t.a, x, 8, 1, BURL_ACCESS_WRITE);
    rig_access(t.b, x + 4, 4, 2, 0);
    rig_access(t.main, x, 4, 3, 0);
    assert_true(LP(1, 2));
    assert_true(LP(1, 3));
    rig_access(t.a, x + 8, 1, 4, BURL_ACCESS_WRITE);
    rig_access(t.b, x + 9, 1, 5, BURL_ACCESS_WRITE);
    assert_false(LP(4, 5));
    /* Across two granules: meets 2 on its first half and 4, 5 on its second. */
    rig_access(t.main, x + 6, 4, 6, BURL_ACCESS_WRITE);
    assert_true(LP(2, 6));
    assert_true(LP(4, 6));
    assert_true(LP(5, 6));
    assert_int_equal(N_LP(), 5);
    rig_access(t.a, x, sizeof x, 7, BURL_ACCESS_WRITE);
    assert_true(LP(3, 7)); /* main's read of the first bytes */
    assert_true(LP(2, 7));
    assert_true(LP(6, 7));
    assert_int_equal(N_LP(), 8);
}

static void
a_pair_is_racy_when_nothing_orders_it(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x, y, z;
    char m;

    (void)state;
    WR(t.a, x, 1);
    WR(t.b, x, 2);
    assert_int_equal(cover_find(BURL_METRIC_LOCPAIRS, 1, 2, 0)->flags, BURL_COVER_F_RACY);
    LOCK(t.a, m, 100);
    WR(t.a, y, 3);
    UNLOCK(t.a, m);
    LOCK(t.b, m, 100);
    WR(t.b, y, 4);
    UNLOCK(t.b, m);
    assert_int_equal(cover_find(BURL_METRIC_LOCPAIRS, 3, 4, 0)->flags, 0);
    AWR(t.a, z, 5);
    ARD(t.b, z, 6);
    assert_int_equal(cover_find(BURL_METRIC_LOCPAIRS, 5, 6, 0)->flags, 0);
}

static void
threads_need_not_overlap(void **state)
{
    struct burl_watch *main = cover_begin(BURL_OB(LOCPAIRS) | BURL_OB(DEFUSE));
    struct burl_watch *t;
    uint64_t x, y;

    (void)state;
    WR(main, x, 1);
    t = rig_create(main);
    RD(t, x, 2);
    WR(t, x, 3);
    WR(t, y, 4);
    rig_join(main, t);
    RD(main, x, 5);
    assert_true(LP(1, 2));
    assert_true(LP(3, 5));
    assert_int_equal(N_LP(), 2);
    t = rig_create(main);
    WR(t, x, 6); /* after main's read */
    WR(t, y, 7); /* after the first thread's write */
    assert_true(LP(5, 6));
    assert_true(LP(4, 7));
    assert_int_equal(N_LP(), 4);
    for (uint32_t i = 0; i < rig_area.n; i++)
        assert_int_equal(rig_area.items[i].flags, 0);
}

static void
contexts_tell_pairs_apart(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint64_t x;
    uint32_t callers[2] = { 50, 51 };

    (void)state;
    rig_ctl.order.context = 1;
    for (int i = 0; i < 4; i++) {
        burl_ob_enter(t.a, 0, callers[i & 1], 0);
        burl_ob_enter(t.a, 1, 60, 0);
        WR(t.a, x, 1);
        burl_ob_leave(t.a, 0);
        burl_ob_enter(t.b, 0, 52, 0);
        burl_ob_enter(t.b, 1, 60, 0);
        RD(t.b, x, 2);
        burl_ob_leave(t.b, 0);
    }
    rig_ctl.order.context = 0;
    assert_int_equal(N_LP(), 4); /* (1, 2) twice, (2, 1) twice */
    assert_int_not_equal(rig_area.items[0].c, 0);
    assert_int_not_equal(rig_area.items[0].c, rig_area.items[2].c);
    assert_int_equal(rig_area.items[0].d, rig_area.items[2].d);
}

/* Two calls in one function, and the same call from two places, as far as asked for. */
static void
contexts_are_calls(void **state)
{
    static const uint32_t calls[3][2] = { { 1000, 1001 }, { 1000, 1002 }, { 1003, 1001 } };
    static const uint32_t n[4] = { 1, 2, 3, 3 };
    uint64_t x;

    (void)state;
    for (uint32_t context = 0; context < 4; context++) {
        struct three t = start(BURL_OB(LOCPAIRS));

        rig_ctl.order.context = context;
        for (int i = 0; i < 3; i++) {
            RD(t.b, x, 2);
            t.a->call_from = calls[i][0];
            burl_ob_enter(t.a, 0, 50, 0);
            t.a->call_from = calls[i][1];
            burl_ob_enter(t.a, 1, 60, 0);
            WR(t.a, x, 1);
            burl_ob_leave(t.a, 0);
            WR(t.b, x, 3);
        }
        rig_ctl.order.context = 0;
        assert_int_equal(N_LP(), 2 * n[context]); /* (2, 1) and (1, 3) */
    }
}

static void
a_frame_of_a_new_call_is_new_memory(void **state)
{
    struct three t = start(BURL_OB(LOCPAIRS));
    uint8_t stack[256];
    uintptr_t sp = (uintptr_t)stack;

    (void)state;
    burl_ob_enter(t.a, 0, 50, sp + 192);
    burl_ob_enter(t.a, 1, 51, sp + 64);
    rig_access(t.a, stack + 200, 8, 1, BURL_ACCESS_WRITE); /* of the caller */
    rig_access(t.a, stack + 96, 8, 2, BURL_ACCESS_WRITE);  /* of the first callee */
    burl_ob_leave(t.a, 1);
    burl_ob_enter(t.a, 1, 52, sp + 80);
    rig_access(t.b, stack + 96, 8, 3, 0);
    rig_access(t.b, stack + 200, 8, 4, 0);
    assert_false(LP(2, 3));
    assert_true(LP(1, 4));
}

/* ---- definition-use and access pairs --------------------------------------------------------- */

static void
reads_in_between_do_not_end_a_definition(void **state)
{
    struct three t = start(BURL_OB(DEFUSE));
    uint64_t x;

    (void)state;
    WR(t.a, x, 1);
    RD(t.a, x, 2);
    RD(t.b, x, 3);
    RD(t.main, x, 4);
    assert_true(DU(1, 3));
    assert_true(DU(1, 4));
    assert_int_equal(rig_area.n, 2);
    WR(t.b, x, 5);
    RD(t.b, x, 6);
    assert_int_equal(rig_area.n, 2);
    RMW(t.a, x, 7);
    assert_true(DU(5, 7));
    RD(t.b, x, 8);
    assert_true(DU(7, 8));
    assert_false(DU(5, 8));
    assert_int_equal(rig_area.n, 4);
}

static void
access_pairs_by_their_three_kinds(void **state)
{
    struct three t = start(BURL_OB(ACCESSPAIRS));
    uint64_t x;

    (void)state;
    RD(t.a, x, 1);
    WR(t.b, x, 2);
    assert_true(AP(1, 2, RW));
    WR(t.a, x, 3);
    assert_true(AP(2, 3, WW));
    WR(t.b, x, 4);
    assert_true(AP(3, 4, WW));
    assert_true(AP(1, 4, RW)); /* a write in between is no matter */
    RD(t.a, x, 5);
    assert_true(AP(4, 5, WR));
    assert_false(AP(2, 5, WR));
    WR(t.main, x, 6);
    assert_true(AP(5, 6, RW));
    assert_false(AP(4, 6, WW)); /* 5 read */
    RMW(t.a, x, 7);
    assert_true(AP(6, 7, WR));
    assert_true(AP(6, 7, WW));
    WR(t.b, x, 8);
    assert_true(AP(7, 8, RW));
    assert_true(AP(7, 8, WW));
    assert_false(AP(6, 8, WW)); /* 7 read */
}

/* ---- triples --------------------------------------------------------------------------------- */

static void
the_four_unserializable_triples_are_flagged(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 8; k++) {
        struct three t = start(BURL_OB(PINV) | BURL_OB(AVIO));
        const struct burl_wire_cover_item *item;
        bool p = k & 4, r = k & 2, c = k & 1;
        bool unserial = (r && !c) || (!p && r && c) || (p && !r && c);
        uint64_t x;

        rig_access(t.a, &x, 8, 1, p ? BURL_ACCESS_WRITE : 0);
        rig_access(t.b, &x, 8, 2, r ? BURL_ACCESS_WRITE : 0);
        rig_access(t.a, &x, 8, 3, c ? BURL_ACCESS_WRITE : 0);
        item = cover_find(BURL_METRIC_PINV, 1, 2, 3);
        assert_non_null(item);
        assert_int_equal(item->flags, unserial ? BURL_COVER_F_UNSERIAL : 0);
        item = cover_find(BURL_METRIC_AVIO, 1, 2, 3);
        assert_non_null(item);
        assert_int_equal(item->flags, unserial ? BURL_COVER_F_UNSERIAL : 0);
        assert_int_equal(rig_area.n, 2);
    }
}

static void
nothing_in_between_is_a_task_of_pinv_only(void **state)
{
    struct three t = start(BURL_OB(PINV) | BURL_OB(AVIO));
    uint64_t x;

    (void)state;
    RD(t.a, x, 1);
    WR(t.a, x, 2);
    assert_non_null(cover_find(BURL_METRIC_PINV, 1, 0, 2));
    assert_int_equal(rig_area.n, 1);
    RD(t.b, x, 3);
    RD(t.main, x, 4);
    WR(t.a, x, 5);
    assert_non_null(cover_find(BURL_METRIC_PINV, 2, 3, 5));
    assert_non_null(cover_find(BURL_METRIC_PINV, 2, 4, 5));
    assert_non_null(cover_find(BURL_METRIC_AVIO, 2, 3, 5));
    assert_non_null(cover_find(BURL_METRIC_AVIO, 2, 4, 5));
    assert_null(cover_find(BURL_METRIC_PINV, 2, 0, 5));
    assert_int_equal(rig_area.n, 5);
}

static uint32_t
avio_name(uint64_t *x, bool other_way)
{
    struct three t = start(BURL_OB(AVIO));
    struct burl_watch *first = other_way ? t.b : t.a;
    struct burl_watch *remote = other_way ? t.a : t.b;

    RD(first, *x, 1);
    WR(remote, *x, 2);
    RD(first, *x, 3);
    assert_int_equal(rig_area.n, 1);
    return rig_area.items[0].d;
}

static void
avio_names_variable_and_threads(void **state)
{
    uint64_t x[2];
    uint32_t d;

    (void)state;
    rig_data_lo = (uintptr_t)x;
    rig_data_hi = (uintptr_t)(x + 2);
    rig_ctl.n_objects = 1;
    d = avio_name(&x[0], false);
    assert_int_equal(avio_name(&x[0], false), d);
    assert_int_not_equal(avio_name(&x[1], false), d);
    assert_int_not_equal(avio_name(&x[0], true), d);
    rig_ctl.n_objects = 0;
    rig_data_hi = rig_data_lo;
}

/* ---- against the definitions ----------------------------------------------------------------- */

#define MEMORY_B 24u
#define EVENTS 80u
#define THREADS 4u
#define SITES 8u

struct event {
    uint32_t tid; /* UINT32_MAX: the bytes are forgotten */
    uint32_t at, n, site;
    uint8_t flags;
};

static struct event trace[EVENTS];
static uint32_t n_trace;

struct task {
    uint32_t metric, a, b, c;
};

static struct task tasks[65536];
static uint32_t n_tasks;

static void
task(uint32_t metric, uint32_t a, uint32_t b, uint32_t c)
{
    for (uint32_t i = 0; i < n_tasks; i++) {
        if (tasks[i].metric == metric && tasks[i].a == a && tasks[i].b == b && tasks[i].c == c)
            return;
    }
    assert_true(n_tasks < sizeof tasks / sizeof tasks[0]);
    tasks[n_tasks++] = (struct task){ metric, a, b, c };
}

static bool
w(const struct event *e)
{
    return (e->flags & BURL_ACCESS_WRITE) != 0;
}

static bool
r(const struct event *e)
{
    return !w(e) || (e->flags & BURL_ACCESS_RMW) != 0;
}

/* Is there an access to the byte strictly between, of a kind? */
static bool
between(const struct event *const *v, uint32_t i, uint32_t j, bool (*kind)(const struct event *))
{
    for (uint32_t k = i + 1; k < j; k++) {
        if (kind(v[k]))
            return true;
    }
    return false;
}

static bool
anything(const struct event *e)
{
    (void)e;
    return true;
}

static void
pairs_of(const struct event *const *v, uint32_t i, uint32_t j)
{
    const struct event *x = v[i];
    const struct event *y = v[j];

    if (x->tid == y->tid)
        return;
    if ((w(x) || w(y)) && !between(v, i, j, anything))
        task(BURL_METRIC_LOCPAIRS, x->site, y->site, 0);
    if (w(x) && r(y) && !between(v, i, j, w))
        task(BURL_METRIC_DEFUSE, x->site, y->site, 0);
    if (r(x) && w(y))
        task(BURL_METRIC_ACCESSPAIRS, x->site, y->site, RW);
    if (w(x) && w(y) && !between(v, i, j, r))
        task(BURL_METRIC_ACCESSPAIRS, x->site, y->site, WW);
    if (w(x) && r(y) && !between(v, i, j, w))
        task(BURL_METRIC_ACCESSPAIRS, x->site, y->site, WR);
}

static void
triples_of(const struct event *const *v, uint32_t i, uint32_t j)
{
    if (v[i]->tid != v[j]->tid)
        return;
    for (uint32_t k = i + 1; k < j; k++) {
        if (v[k]->tid == v[i]->tid)
            return;
    }
    if (j == i + 1)
        task(BURL_METRIC_PINV, v[i]->site, 0, v[j]->site);
    for (uint32_t k = i + 1; k < j; k++) {
        task(BURL_METRIC_PINV, v[i]->site, v[k]->site, v[j]->site);
        task(BURL_METRIC_AVIO, v[i]->site, v[k]->site, v[j]->site);
    }
}

static void
judge_byte(uint32_t byte)
{
    const struct event *v[EVENTS];
    uint32_t n = 0;

    for (uint32_t e = 0; e <= n_trace; e++) {
        const struct event *x = &trace[e];

        if (e == n_trace || (x->tid == UINT32_MAX && byte >= x->at && byte < x->at + x->n)) {
            for (uint32_t i = 0; i < n; i++) {
                for (uint32_t j = i + 1; j < n; j++) {
                    pairs_of(v, i, j);
                    triples_of(v, i, j);
                }
            }
            n = 0;
            continue;
        }
        if (x->tid != UINT32_MAX && byte >= x->at && byte < x->at + x->n && x->site < RIG_ASSERT)
            v[n++] = x;
    }
}

static bool
expected(const struct burl_wire_cover_item *x)
{
    for (uint32_t i = 0; i < n_tasks; i++) {
        if (tasks[i].metric == x->metric && tasks[i].a == x->a && tasks[i].b == x->b &&
            tasks[i].c == x->c)
            return true;
    }
    return false;
}

static uint8_t memory[MEMORY_B] __attribute__((aligned(8)));

/* One access or forgetting of a random kind. Everything is in the first 8 bytes half of the
 * time. */
static void
random_event(uint64_t *seed, struct burl_watch *const *threads, uint32_t n_threads)
{
    static const uint32_t sizes[] = { 1, 2, 4, 8, 8, 12 };
    static const uint8_t kinds[] = { 0, 0, BURL_ACCESS_WRITE, BURL_ACCESS_WRITE,
                                     BURL_ACCESS_WRITE | BURL_ACCESS_RMW | BURL_ACCESS_ATOMIC };
    struct event *e = &trace[n_trace++];
    uint32_t thread = rig_random(seed, n_threads);

    *e = (struct event){ .tid = threads[thread]->tid, .n = sizes[rig_random(seed, 6)] };
    e->at = rig_random(seed, rig_random(seed, 2) ? 9 : MEMORY_B - e->n + 1);
    if (e->at + e->n > MEMORY_B)
        e->at = MEMORY_B - e->n;
    if (rig_random(seed, 40) == 0) {
        *e = (struct event){ .tid = UINT32_MAX, .at = rig_random(seed, 3) * 8, .n = 8 };
        burl_ob_forget((uintptr_t)memory + e->at, e->n);
        return;
    }
    e->site = 1 + rig_random(seed, SITES);
    e->flags = kinds[e->site % 5];
    if (rig_random(seed, 12) == 0)
        e->site += RIG_ASSERT;
    rig_access(threads[thread], memory + e->at, e->n, e->site, e->flags);
}

static void
random_trace(uint64_t *seed)
{
    struct burl_watch *threads[THREADS];
    uint32_t n = 1;

    threads[0] = cover_begin(BURL_OB(LOCPAIRS) | BURL_OB(DEFUSE) | BURL_OB(ACCESSPAIRS) |
                             BURL_OB(AVIO) | BURL_OB(PINV));
    n_trace = 0;
    while (n_trace < EVENTS) {
        uint32_t what = rig_random(seed, 30);

        if (what == 0 && n > 1)
            rig_join(threads[0], threads[--n]);
        else if (what <= 2 && n < THREADS)
            threads[n++] = rig_create(threads[0]);
        else
            random_event(seed, threads, n);
    }
}

static void
all_metrics_are_their_definitions(void **state)
{
    uint64_t seed = unit_seed();
    uint64_t met[BURL_METRIC__N] = { 0 };

    (void)state;
    for (uint32_t round = 0; round < 4000; round++) {
        random_trace(&seed);
        n_tasks = 0;
        for (uint32_t byte = 0; byte < MEMORY_B; byte++)
            judge_byte(byte);
        for (uint32_t i = 0; i < rig_area.n; i++) {
            const struct burl_wire_cover_item *x = &rig_area.items[i];

            if (!expected(x))
                fail_msg("round %u: metric %u (%u, %u, %u) is not covered", round, x->metric, x->a,
                         x->b, x->c);
            met[x->metric]++;
        }
        for (uint32_t i = 0; i < n_tasks; i++) {
            if (!cover_find(tasks[i].metric, tasks[i].a, tasks[i].b, tasks[i].c))
                fail_msg("round %u: metric %u (%u, %u, %u) was missed", round, tasks[i].metric,
                         tasks[i].a, tasks[i].b, tasks[i].c);
        }
        rig_end();
    }
    /* The traces were worth something. */
    assert_true(met[BURL_METRIC_LOCPAIRS] > 10000);
    assert_true(met[BURL_METRIC_DEFUSE] > 10000);
    assert_true(met[BURL_METRIC_ACCESSPAIRS] > 10000);
    assert_true(met[BURL_METRIC_AVIO] > 10000);
    assert_true(met[BURL_METRIC_PINV] > 10000);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_is_ordered),
        cmocka_unit_test(an_access_of_the_same_thread_takes_the_place),
        cmocka_unit_test(two_reads_are_no_pair_but_come_between),
        cmocka_unit_test(a_site_may_pair_with_itself),
        cmocka_unit_test(an_assertion_is_not_there),
        cmocka_unit_test(a_recycled_address_is_new),
        cmocka_unit_test(a_read_modify_write_is_one_access),
        cmocka_unit_test(bytes_have_their_own_history),
        cmocka_unit_test(a_pair_is_racy_when_nothing_orders_it),
        cmocka_unit_test(threads_need_not_overlap),
        cmocka_unit_test(contexts_tell_pairs_apart),
        cmocka_unit_test(contexts_are_calls),
        cmocka_unit_test(a_frame_of_a_new_call_is_new_memory),
        cmocka_unit_test(reads_in_between_do_not_end_a_definition),
        cmocka_unit_test(access_pairs_by_their_three_kinds),
        cmocka_unit_test(the_four_unserializable_triples_are_flagged),
        cmocka_unit_test(nothing_in_between_is_a_task_of_pinv_only),
        cmocka_unit_test(avio_names_variable_and_threads),
        cmocka_unit_test(all_metrics_are_their_definitions),
    };

    return cmocka_run_group_tests(tests, cover_setup, NULL);
}
