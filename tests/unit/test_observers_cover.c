/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_observers_cover.c - coverage besides memory: the set of items itself, names of
 * threads, functions, synchronization, happens-before, Goldilocks' states, blocks and lines.
 */
#include <pthread.h>
#include <sched.h>

#include "cover_rig.h"

#define MP(a, b) cover_has(BURL_METRIC_METHODPAIRS, (a), (b))
#define CMP(a, b) cover_has(BURL_METRIC_CONCMETHODS, (a), (b))
#define HB(a, b) cover_has(BURL_METRIC_HBPAIRS, (a), (b))
#define SYNC(site, what) cover_has(BURL_METRIC_SYNCHRO, (site), BURL_SYNCHRO_##what)

/* The call in which the threads are: where sites are not given. */
#define CALL(site) (rig_thread.call_site = (site))

struct three {
    struct burl_watch *main;
    struct burl_watch *a;
    struct burl_watch *b;
};

static struct three
start(uint32_t observers)
{
    struct three t = { .main = cover_begin(observers) };

    CALL(900);
    t.a = rig_create(t.main);
    t.b = rig_create(t.main);
    return t;
}

/* ---- the set --------------------------------------------------------------------------------- */

static void
an_item_is_put_once_with_its_first_execution(void **state)
{
    (void)state;
    rig_ctl.order.first_seed = 100;
    burl_rt.exec.seed = 107;
    cover_begin(BURL_OB(DEFUSE));
    assert_true(burl__cover_put(BURL_METRIC_DEFUSE, 1, 2, 3, 4, 0));
    rig_end();
    burl_rt.exec.seed = 109;
    rig_begin(BURL_OB(DEFUSE));
    assert_false(burl__cover_put(BURL_METRIC_DEFUSE, 1, 2, 3, 4, BURL_COVER_F_RACY));
    assert_true(burl__cover_put(BURL_METRIC_DEFUSE, 1, 2, 3, 5, 0));
    assert_true(burl__cover_put(BURL_METRIC_LOCPAIRS, 1, 2, 3, 4, 0));
    rig_end();
    assert_int_equal(rig_area.n, 3);
    assert_int_equal(rig_area.items[0].exec, 7);
    assert_int_equal(rig_area.items[0].seed, 107);
    assert_int_equal(rig_area.items[0].flags, 0);
    assert_int_equal(rig_area.items[1].exec, 9);
    rig_ctl.order.first_seed = 0;
    burl_rt.exec.seed = 0;
}

static void
nothing_is_put_where_nobody_asked(void **state)
{
    (void)state;
    cover_begin(BURL_OB(DEFUSE));
    rig_end();
    rig_ctl.cover_off = 0;
    rig_begin(BURL_OB(DEFUSE));
    assert_false(burl__cover_put(BURL_METRIC_DEFUSE, 1, 2, 3, 4, 0));
    rig_end();
    assert_int_equal(rig_area.n, 0);
}

static void
a_full_set_counts_what_it_loses(void **state)
{
    (void)state;
    cover_begin(BURL_OB(DEFUSE));
    for (uint32_t i = 0; i < BURL_WIRE_COVER_ITEMS + 10; i++)
        assert_int_equal(burl__cover_put(BURL_METRIC_DEFUSE, i, 1, 0, 0, 0),
                         i < BURL_WIRE_COVER_ITEMS);
    assert_int_equal(rig_area.n, BURL_WIRE_COVER_ITEMS);
    assert_int_equal(rig_area.n_lost, 10);
    assert_false(burl__cover_put(BURL_METRIC_DEFUSE, 5, 1, 0, 0, 0)); /* it is there */
    assert_int_equal(rig_area.n_lost, 10);
}

/* An execution is cut when the slot is written and the count is not. */
static void
an_insertion_that_was_cut_leaves_nothing(void **state)
{
    (void)state;
    cover_begin(BURL_OB(DEFUSE));
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(burl__cover_put(BURL_METRIC_DEFUSE, i, 0, 0, 0, 0));
        rig_area.n--;     /* that was the cut */
        if (i % 2 == 0) { /* the next to come is the same one, or another */
            assert_true(burl__cover_put(BURL_METRIC_DEFUSE, i, 0, 0, 0, 0));
            rig_area.n--;
        }
        assert_true(burl__cover_put(BURL_METRIC_DEFUSE, i, 1, 0, 0, 0));
        assert_true(burl__cover_put(BURL_METRIC_DEFUSE, i, 0, 0, 0, 0));
        assert_false(burl__cover_put(BURL_METRIC_DEFUSE, i, 1, 0, 0, 0));
    }
    assert_int_equal(rig_area.n, 2000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_false(burl__cover_put(BURL_METRIC_DEFUSE, i, 0, 0, 0, 0));
        assert_false(burl__cover_put(BURL_METRIC_DEFUSE, i, 1, 0, 0, 0));
    }
}

#define MANY 100000u

static uint32_t n_new[2];
static uint32_t n_ready;

/* All at the same moment; a barrier's waking up would take longer than the work. */
static void
wait_for_all(uint32_t round)
{
    __atomic_fetch_add(&n_ready, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 1; __atomic_load_n(&n_ready, __ATOMIC_SEQ_CST) < 2 * (round + 1); i++) {
        if (i % 4096 == 0)
            sched_yield();
    }
}

static void *
put_many(void *arg)
{
    uint32_t me = (uint32_t)(uintptr_t)arg;

    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t x = i * 7919 % MANY; /* both of them the same at the same time */

        if (i % 128 == 0)
            wait_for_all(i / 128);
        n_new[me] += burl__cover_put(BURL_METRIC_LOCPAIRS, x, x / 3, 0, 0, 0);
    }
    return NULL;
}

static void
threads_put_every_item_once(void **state)
{
    pthread_t threads[2];
    uint8_t *seen = burl_xcalloc(MANY, 1);

    (void)state;
    cover_begin(BURL_OB(LOCPAIRS));
    burl_rt.in_execution = false; /* free mode */
    for (uintptr_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_many, (void *)i), 0);
    for (uint32_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(rig_area.n, MANY);
    assert_int_equal(rig_area.n_lost, 0);
    assert_int_equal(n_new[0] + n_new[1], MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(rig_area.items[i].b, rig_area.items[i].a / 3);
        assert_int_equal(seen[rig_area.items[i].a]++, 0);
    }
    burl_rt.in_execution = true;
    free(seen);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void
threads_are_named_by_their_creation(void **state)
{
    uint32_t who[2][4];

    (void)state;
    for (int round = 0; round < 2; round++) {
        struct burl_watch *main = cover_begin(BURL_OB(BLOCKS));
        struct burl_watch *t[3];

        burl_ob_enter(main, 0, 50, 0);
        CALL(900);
        t[0] = rig_create(main);
        t[1] = rig_create(main);
        CALL(901);
        t[2] = rig_create(main);
        /* Asked in another order, they are the same. */
        for (int i = 0; i < 3; i++)
            who[round][round ? 2 - i : i] = burl__cover_thread(t[round ? 2 - i : i]);
        who[round][3] = burl__cover_thread(main);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(who[0][i], who[1][i]);
        for (int k = 0; k < i; k++)
            assert_int_not_equal(who[0][i], who[0][k]);
    }
}

static void
the_stack_of_the_creator_is_part_of_the_name(void **state)
{
    struct burl_watch *main = cover_begin(BURL_OB(BLOCKS));
    struct burl_watch *x, *y;

    (void)state;
    CALL(900);
    burl_ob_enter(main, 0, 50, 0);
    burl_ob_enter(main, 1, 51, 0);
    x = rig_create(main);
    burl_ob_leave(main, 1);
    burl_ob_enter(main, 1, 52, 0);
    y = rig_create(main);
    assert_int_not_equal(burl__cover_thread(x), burl__cover_thread(y));
}

static void
a_heap_block_is_named_by_its_allocation(void **state)
{
    uintptr_t heap = BURL_HEAP_BASE;

    (void)state;
    cover_begin(BURL_OB(AVIO));
    /* The rig's heap: blocks of a page, allocated at site (page number & 0xff). */
    assert_int_equal(burl__cover_variable(heap + 0x1008), burl__cover_variable(heap + 0x101008));
    assert_int_not_equal(burl__cover_variable(heap + 0x1008), burl__cover_variable(heap + 0x2008));
    assert_int_not_equal(burl__cover_variable(heap + 0x1008), burl__cover_variable(heap + 0x1010));
    /* Elements of an array are folded, locks in it are not. */
    assert_int_equal(burl__cover_variable(heap + 0x1008), burl__cover_variable(heap + 0x1208));
    assert_int_not_equal(burl__cover_object(heap + 0x1008), burl__cover_object(heap + 0x1208));
}

/* ---- functions ------------------------------------------------------------------------------- */

static void
a_method_pair_needs_an_action_inside(void **state)
{
    struct three t = start(BURL_OB(METHODPAIRS));
    uint64_t x;

    (void)state;
    burl_ob_enter(t.a, 0, 50, 0);
    assert_int_equal(rig_area.n, 0);
    burl_ob_enter(t.b, 0, 60, 0); /* entering is an action of 60 while a is inside 50 */
    assert_true(MP(50, 60));
    assert_false(MP(60, 50)); /* a has done nothing since */
    RD(t.a, x, 1);
    assert_true(MP(60, 50));
    burl_ob_enter(t.a, 1, 51, 0); /* a is inside 50 and 51 */
    assert_true(MP(60, 51));
    assert_false(MP(51, 60));
    RD(t.b, x, 2);
    assert_true(MP(51, 60));
    assert_int_equal(rig_area.n, 4);
    burl_ob_leave(t.a, 0);
    burl_ob_enter(t.b, 1, 61, 0);
    assert_int_equal(rig_area.n, 4); /* a is nowhere */
}

static void
an_action_is_of_the_innermost_function(void **state)
{
    struct three t = start(BURL_OB(METHODPAIRS));
    uint64_t x;
    char m;

    (void)state;
    burl_ob_enter(t.b, 0, 60, 0);
    burl_ob_enter(t.b, 1, 61, 0);
    burl_ob_enter(t.a, 0, 50, 0);
    RD(t.b, x, 1);
    assert_true(MP(50, 61));
    assert_false(MP(50, 60));
    burl_ob_leave(t.b, 1);
    LOCK(t.b, m, 100);
    assert_true(MP(50, 60));
}

static void
a_thread_that_ended_is_nowhere(void **state)
{
    struct three t = start(BURL_OB(METHODPAIRS) | BURL_OB(CONCMETHODS));

    (void)state;
    burl_ob_enter(t.a, 0, 50, 0);
    burl_ob_thread_end(t.a);
    burl_ob_enter(t.b, 0, 60, 0);
    assert_int_equal(rig_area.n, 0);
}

static void
concurrent_methods_are_symmetric(void **state)
{
    struct three t = start(BURL_OB(CONCMETHODS));

    (void)state;
    burl_ob_enter(t.a, 0, 60, 0);
    burl_ob_enter(t.a, 1, 70, 0);
    burl_ob_enter(t.b, 0, 50, 0);
    assert_true(CMP(50, 60));
    assert_true(CMP(50, 70));
    assert_false(CMP(60, 50));
    burl_ob_leave(t.a, 0);
    burl_ob_enter(t.a, 0, 60, 0);
    burl_ob_enter(t.main, 0, 60, 0);
    assert_true(CMP(60, 60));
    assert_int_equal(rig_area.n, 3);
}

/* ---- synchro --------------------------------------------------------------------------------- */

static void
a_lock_that_is_held_blocks(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char m;

    (void)state;
    LOCK(t.a, m, 100);
    assert_true(SYNC(100, VISITED));
    assert_false(SYNC(100, BLOCKED));
    burl_ob_request(t.b, &m, 101, BURL_LOCK_EXCLUSIVE);
    assert_true(SYNC(100, BLOCKING));
    CALL(102);
    UNLOCK(t.a, m);
    assert_true(SYNC(102, VISITED));
    burl_ob_acquire(t.b, &m, 101, BURL_LOCK_EXCLUSIVE, false);
    assert_true(SYNC(101, BLOCKED));
    assert_false(SYNC(101, BLOCKING));
    UNLOCK(t.b, m);
    LOCK(t.a, m, 103);
    assert_false(SYNC(103, BLOCKED));
}

static void
one_who_is_overtaken_had_to_wait(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char m;

    (void)state;
    burl_ob_request(t.b, &m, 101, BURL_LOCK_EXCLUSIVE);
    LOCK(t.a, m, 100);
    UNLOCK(t.a, m);
    burl_ob_acquire(t.b, &m, 101, BURL_LOCK_EXCLUSIVE, false);
    assert_true(SYNC(101, BLOCKED));
    assert_true(SYNC(100, BLOCKING));
}

static void
try_forms_succeed_or_fail(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char m;

    (void)state;
    TRYLOCK(t.a, m, 100);
    assert_true(SYNC(100, TRY_OK));
    burl_ob_outcome(t.b, &m, BURL_SYNCHRO_TRY_BUSY, 101);
    burl_ob_outcome(t.b, &m, BURL_SYNCHRO_TIMED_OUT, 102);
    assert_true(SYNC(101, TRY_BUSY));
    assert_true(SYNC(102, TIMED_OUT));
    assert_false(SYNC(101, BLOCKED));
    assert_false(SYNC(100, BLOCKING));
}

/* The mutex around a wait, as the interposer tells it. */
static void
wait_on(struct burl_watch *w, const char *cond, const char *m, uint32_t site)
{
    CALL(site);
    burl_ob_cond(w, cond, true, 0, site);
    burl_ob_release(w, m);
}

static void
wake_up(struct burl_watch *w, const char *m, uint32_t site)
{
    burl_ob_acquire(w, m, site, BURL_LOCK_EXCLUSIVE, false);
}

static void
a_wait_in_a_loop_waits_again(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char c, m;

    (void)state;
    LOCK(t.a, m, 100);
    wait_on(t.a, &c, &m, 110);
    burl_ob_cond(t.b, &c, false, 1, 120);
    wake_up(t.a, &m, 110);
    assert_true(SYNC(110, WAITED));
    assert_false(SYNC(110, REWAITED));
    CALL(111);
    UNLOCK(t.a, m);
    LOCK(t.a, m, 100);
    wait_on(t.a, &c, &m, 110); /* the lock was given back in between: another wait */
    wake_up(t.a, &m, 110);
    assert_false(SYNC(110, REWAITED));
    wait_on(t.a, &c, &m, 110);
    assert_true(SYNC(110, REWAITED));
}

static void
signals_find_those_who_wait(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char c, m;

    (void)state;
    burl_ob_cond(t.main, &c, false, 0, 120);
    assert_true(SYNC(120, NO_WAITER));
    LOCK(t.a, m, 100);
    wait_on(t.a, &c, &m, 110);
    LOCK(t.b, m, 100);
    wait_on(t.b, &c, &m, 110);
    burl_ob_cond(t.main, &c, false, 1, 121); /* two wait, one is woken */
    assert_true(SYNC(121, MANY_WAITERS));
    burl_ob_cond(t.main, &c, false, 1, 122);
    assert_true(SYNC(122, ONE_WAITER));
    burl_ob_cond(t.main, &c, false, 0, 123);
    assert_true(SYNC(123, NO_WAITER));
    wake_up(t.a, &m, 110);
    burl_ob_outcome(t.a, &c, BURL_SYNCHRO_WAITED, 110);
    assert_false(SYNC(110, SPURIOUS));
}

static void
one_who_gave_up_is_not_found(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    char c, m;

    (void)state;
    LOCK(t.a, m, 100);
    wait_on(t.a, &c, &m, 110);
    burl_ob_outcome(t.a, &c, BURL_SYNCHRO_TIMED_OUT, 110);
    assert_true(SYNC(110, TIMED_OUT));
    burl_ob_cond(t.main, &c, false, BURL_WOKEN_ALL, 120);
    assert_true(SYNC(120, NO_WAITER));
    wake_up(t.a, &m, 110);
    wait_on(t.a, &c, &m, 111);
    wake_up(t.a, &m, 111);
    burl_ob_outcome(t.a, &c, BURL_SYNCHRO_WAITED, 111); /* no thread signaled */
    assert_true(SYNC(111, SPURIOUS));
}

static void
joins_find_the_thread_ended_or_not(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));

    (void)state;
    CALL(130);
    burl_ob_join_begin(t.main);
    rig_join(t.main, t.a); /* ends now */
    assert_true(SYNC(130, RUNNING));
    burl_ob_thread_end(t.b);
    CALL(131);
    burl_ob_join_begin(t.main);
    burl_ob_join(t.main, t.b);
    assert_true(SYNC(131, FINISHED));
    assert_false(SYNC(131, RUNNING));
}

static void
compare_exchange_succeeds_or_fails(void **state)
{
    struct three t = start(BURL_OB(SYNCHRO));
    struct burl_wire_site site = {
        .id = 140, .kind = BURL_SITE_ATOMIC_CAS, .size_b = 4, .order = BURL_MO_SEQ_CST
    };
    uint32_t x;

    (void)state;
    burl_ob_atomic_post(t.a, (uintptr_t)&x, &site, true);
    assert_true(SYNC(140, CAS_OK));
    assert_false(SYNC(140, CAS_FAILED));
    burl_ob_atomic_post(t.b, (uintptr_t)&x, &site, false);
    assert_true(SYNC(140, CAS_FAILED));
}

/* ---- happens-before -------------------------------------------------------------------------- */

static void
unlock_lets_lock_go_on(void **state)
{
    struct three t = start(BURL_OB(HBPAIRS));
    char m;

    (void)state;
    LOCK(t.a, m, 100);
    CALL(101);
    UNLOCK(t.a, m);
    LOCK(t.a, m, 102); /* its own */
    assert_int_equal(rig_area.n, 0);
    CALL(103);
    UNLOCK(t.a, m);
    LOCK(t.b, m, 104);
    assert_true(HB(103, 104));
    assert_false(HB(101, 104)); /* not directly */
    assert_int_equal(rig_area.n, 1);
}

static void
readers_are_let_on_by_writers_only(void **state)
{
    struct three t = start(BURL_OB(HBPAIRS));
    char m;

    (void)state;
    LOCK(t.a, m, 100);
    CALL(101);
    UNLOCK(t.a, m);
    RDLOCK(t.b, m, 102);
    CALL(103);
    UNLOCK(t.b, m);
    RDLOCK(t.main, m, 104);
    assert_true(HB(101, 102));
    assert_true(HB(101, 104));
    assert_false(HB(103, 104));
    CALL(105);
    UNLOCK(t.main, m);
    LOCK(t.a, m, 106);
    assert_true(HB(105, 106)); /* the last reader to leave */
    assert_int_equal(rig_area.n, 3);
}

static void
create_start_end_and_join(void **state)
{
    struct three t = start(BURL_OB(HBPAIRS));

    (void)state;
    burl_ob_enter(t.a, 0, 50, 0);
    burl_ob_enter(t.a, 1, 51, 0);
    assert_true(HB(900, 50));
    assert_int_equal(rig_area.n, 1);
    CALL(901);
    rig_join(t.main, t.a);
    assert_true(HB(50, 901));
    assert_int_equal(rig_area.n, 2);
}

static void
atomics_and_fences(void **state)
{
    struct three t = start(BURL_OB(HBPAIRS));
    const struct burl_wire_site release = {
        .id = 10, .kind = BURL_SITE_ATOMIC_STORE, .size_b = 4, .order = BURL_MO_RELEASE
    };
    const struct burl_wire_site acquire = {
        .id = 11, .kind = BURL_SITE_ATOMIC_LOAD, .size_b = 4, .order = BURL_MO_ACQUIRE
    };
    const struct burl_wire_site relaxed = {
        .id = 12, .kind = BURL_SITE_ATOMIC_LOAD, .size_b = 4, .order = BURL_MO_RELAXED
    };
    const struct burl_wire_site clear = {
        .id = 13, .kind = BURL_SITE_ATOMIC_STORE, .size_b = 4, .order = BURL_MO_RELAXED
    };
    uint32_t x;

    (void)state;
    burl_ob_atomic_post(t.a, (uintptr_t)&x, &release, true);
    burl_ob_atomic_post(t.b, (uintptr_t)&x, &relaxed, false);
    assert_int_equal(rig_area.n, 0);
    t.b->at = 20;
    burl_ob_fence(t.b, BURL_MO_ACQUIRE);
    assert_true(HB(10, 20));
    burl_ob_atomic_post(t.main, (uintptr_t)&x, &acquire, false);
    assert_true(HB(10, 11));
    assert_int_equal(rig_area.n, 2);
    burl_ob_atomic_post(t.b, (uintptr_t)&x, &clear, true); /* ends the release sequence */
    burl_ob_atomic_post(t.main, (uintptr_t)&x, &acquire, false);
    assert_int_equal(rig_area.n, 2);
}

static void
a_signal_lets_the_waiter_go_on(void **state)
{
    struct three t = start(BURL_OB(HBPAIRS));
    struct burl_thread waiter = { .call_site = 30 };

    (void)state;
    t.b->thread = &waiter;
    CALL(31);
    burl_ob_wake(t.a, t.b);
    assert_true(HB(31, 30));
    assert_int_equal(rig_area.n, 1);
}

/* ---- Goldilocks, blocks, lines --------------------------------------------------------------- */

static bool
state_seen(uint32_t site, uint32_t state)
{
    return cover_has(BURL_METRIC_GOLDISC, site, state);
}

static void
goldilocks_states_are_items_and_no_warnings(void **state)
{
    struct three t = start(BURL_OB(GOLDISC));
    uint64_t x, y;
    char m, n;

    (void)state;
    LOCK(t.a, m, 100);
    WR(t.a, x, 1);
    assert_true(state_seen(1, 0)); /* the first */
    UNLOCK(t.a, m);
    LOCK(t.b, m, 100);
    WR(t.b, x, 2);
    assert_true(state_seen(2, 1)); /* common lock */
    UNLOCK(t.b, m);
    WR(t.a, y, 3);
    LOCK(t.a, n, 101);
    UNLOCK(t.a, n);
    LOCK(t.b, n, 101);
    LOCK(t.b, m, 100);
    UNLOCK(t.b, m);
    UNLOCK(t.b, n);
    LOCK(t.main, m, 100);
    UNLOCK(t.main, m);
    WR(t.main, y, 4);
    assert_true(state_seen(4, 2)); /* through others */
    WR(t.a, y, 5);
    assert_true(state_seen(5, 3)); /* not at all */
    assert_int_equal(rig_count(BURL_SUSPECT_RACE), 0);
    assert_int_equal(rig_n_verdicts, 0);
    /* With the race detector asked for as well the race is one. */
    t = start(BURL_OB(GOLDISC) | BURL_OB(RACE));
    WR(t.a, x, 1);
    WR(t.b, x, 2);
    assert_true(state_seen(2, 3));
    assert_int_equal(rig_count(BURL_SUSPECT_RACE), 1);
}

/* As for location pairs: before there is another thread, and after all have been joined. */
static void
goldilocks_states_of_a_thread_that_is_alone(void **state)
{
    struct three t = { .main = cover_begin(BURL_OB(GOLDISC)) };
    uint64_t x, y;

    (void)state;
    WR(t.main, x, 1);
    assert_true(state_seen(1, 0));
    CALL(900);
    t.a = rig_create(t.main);
    WR(t.a, x, 2);
    assert_true(state_seen(2, 1)); /* main's past counts: it was handed over */
    WR(t.a, y, 3);
    rig_join(t.main, t.a);
    WR(t.main, y, 4);
    assert_true(state_seen(4, 1));
    assert_int_equal(rig_count(BURL_SUSPECT_RACE), 0);
    /* A detector alone does not want them. */
    t.main = cover_begin(BURL_OB(RACE));
    assert_int_equal(burl_ob_wants & BURL_WANT_ALONE, 0);
}

static void
blocks_are_covered_by_kinds_of_threads(void **state)
{
    struct three t = start(BURL_OB(BLOCKS));

    (void)state;
    burl_ob_block(t.a, 40);
    burl_ob_block(t.a, 40);
    burl_ob_block(t.b, 40);
    burl_ob_block(t.b, 41);
    assert_int_equal(rig_area.n, 3);
    assert_int_not_equal(rig_area.items[0].d, rig_area.items[1].d);
    assert_int_equal(rig_area.items[1].d, rig_area.items[2].d);
}

static void
a_line_is_covered_once(void **state)
{
    (void)state;
    cover_begin(BURL_OB(LINES));
    burl__cover_order();
    assert_true((burl_ob_wants & BURL_WANT_LINES) != 0);
    for (int i = 0; i < 3; i++) {
        burl__cover_line(7);
        burl__cover_line(8);
        burl__cover_line(0);
    }
    assert_int_equal(rig_area.n, 2);
    assert_true(cover_has(BURL_METRIC_LINES, 7, 0));
    assert_true(cover_has(BURL_METRIC_LINES, 8, 0));
}

#define T(name) cmocka_unit_test(name)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        T(an_item_is_put_once_with_its_first_execution),
        T(nothing_is_put_where_nobody_asked),
        T(a_full_set_counts_what_it_loses),
        T(an_insertion_that_was_cut_leaves_nothing),
        T(threads_put_every_item_once),
        T(threads_are_named_by_their_creation),
        T(the_stack_of_the_creator_is_part_of_the_name),
        T(a_heap_block_is_named_by_its_allocation),
        T(a_method_pair_needs_an_action_inside),
        T(an_action_is_of_the_innermost_function),
        T(a_thread_that_ended_is_nowhere),
        T(concurrent_methods_are_symmetric),
        T(a_lock_that_is_held_blocks),
        T(one_who_is_overtaken_had_to_wait),
        T(try_forms_succeed_or_fail),
        T(a_wait_in_a_loop_waits_again),
        T(signals_find_those_who_wait),
        T(one_who_gave_up_is_not_found),
        T(joins_find_the_thread_ended_or_not),
        T(compare_exchange_succeeds_or_fails),
        T(unlock_lets_lock_go_on),
        T(readers_are_let_on_by_writers_only),
        T(create_start_end_and_join),
        T(atomics_and_fences),
        T(a_signal_lets_the_waiter_go_on),
        T(goldilocks_states_are_items_and_no_warnings),
        T(goldilocks_states_of_a_thread_that_is_alone),
        T(blocks_are_covered_by_kinds_of_threads),
        T(a_line_is_covered_once),
    };

    return cmocka_run_group_tests(tests, cover_setup, NULL);
}
