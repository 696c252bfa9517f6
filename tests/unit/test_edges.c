/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_edges.c - reads-from edges of scripted accesses: which are seen, which are candidates.
 *
 * Learning is compiled into the test; each case is one or two executions, given as the order in
 * which threads touch memory.
 */
#include "unit.h"

#include "rt/learn/adjacent.c"
#include "rt/learn/edges.c"
#include "rt/learn/learn.c"

struct burl_rt burl_rt;
uint32_t burl_ob_mask;
static struct burl_wire_ctl ctl;
static struct burl_wire_profile profile;
static uint8_t points_new[64];
static uint32_t gates_new[64];

void *
burl_rt_alloc(size_t n)
{
    return calloc(1, n);
}

#define R BURL_LEARN_READ
#define W (BURL_LEARN_WRITE | BURL_LEARN_STORES)
#define X 0x1000u

static struct burl_thread threads[3] = { { .tid = 0 }, { .tid = 1 }, { .tid = 2 } };

static void
start(uint64_t seed)
{
    burl_rt.ctl = &ctl;
    burl_rt.profile_new = &profile;
    burl_rt.points_new = points_new;
    burl_rt.gates_new = gates_new;
    burl_rt.points_n = 64;
    burl_rt.learn = true;
    burl_rt.exec.seed = seed;
    burl_rt.exec.draw_seed = seed;
    burl_rt.exec.n_threads = 3;
    burl_rt.exec.n_alive = 3;
    ctl.order.strategy = BURL_STRATEGY_READS_FROM;
    burl__learn_reset();
}

static void
clear(void)
{
    memset(&profile, 0, sizeof profile);
    memset(points_new, 0, sizeof points_new);
    memset(gates_new, 0, sizeof gates_new);
    for (uint32_t i = 0; i < 3; i++)
        threads[i] = (struct burl_thread){ .tid = (uint16_t)i };
    start(1);
}

static void
touch_at(uint32_t tid, uint32_t site, uintptr_t addr, uint32_t size_b, uint32_t how)
{
    burl__learn_access(&threads[tid], site, addr, size_b, how);
}

static const struct burl_profile_edge *
edge(uint32_t write, uint32_t read)
{
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        if (profile.edges[i].read == read && profile.edges[i].write == write)
            return &profile.edges[i];
    }
    return NULL;
}

static uint32_t
flags(uint32_t write, uint32_t read)
{
    const struct burl_profile_edge *e = edge(write, read);

    return e != NULL ? e->flags : 0;
}

#define CANDIDATE BURL_EDGE_F_CANDIDATE
#define SEEN (BURL_EDGE_F_CANDIDATE | BURL_EDGE_F_SEEN)

static void
write_then_read(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(10, 20), SEEN);
    assert_int_equal(flags(0, 20), CANDIDATE);
    assert_int_equal(profile.n_edges, 2);
    assert_int_equal(edge(10, 20)->writer, 1);
    assert_int_equal(edge(10, 20)->reader, 2);
    assert_int_equal(edge(10, 20)->seed, 1);
    assert_int_equal(edge(0, 20)->writer, BURL_TID_NONE);
    /* The other order, in another execution. */
    start(2);
    touch_at(2, 20, X, 4, R);
    touch_at(1, 10, X, 4, W);
    assert_int_equal(flags(0, 20), SEEN);
    assert_int_equal(edge(0, 20)->seed, 2);
    assert_int_equal(edge(10, 20)->seed, 1);
    assert_int_equal(profile.n_edges, 2);
}

static void
last_write_counts(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(1, 11, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(11, 20), SEEN);
    assert_int_equal(flags(10, 20), CANDIDATE);
    assert_int_equal(flags(0, 20), CANDIDATE);
    /* And again, after a third thread's. */
    touch_at(0, 12, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(12, 20), SEEN);
    assert_int_equal(flags(10, 20), CANDIDATE);
}

static void
private_memory_has_no_edges(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(1, 20, X, 4, R);
    touch_at(2, 21, X + 64, 4, R);
    touch_at(1, 22, X + 64, 4, R);
    assert_int_equal(profile.n_edges, 0);
}

/* Two integers in one word are two variables; an access to both touches both. */
static void
neighbors_are_told_apart(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(1, 11, X + 4, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(10, 20), SEEN);
    assert_null(edge(11, 20));
    touch_at(2, 21, X, 8, R);
    assert_int_equal(flags(10, 21), SEEN);
    assert_int_equal(flags(11, 21), CANDIDATE);
}

static void
own_write_is_not_seen(void **state)
{
    (void)state;
    clear();
    /* A plain counter: both threads run the same two sites. */
    touch_at(1, 20, X, 4, R);
    touch_at(1, 10, X, 4, W);
    touch_at(1, 20, X, 4, R);
    assert_int_equal(profile.n_edges, 0);
    touch_at(2, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(10, 20), CANDIDATE | BURL_EDGE_F_OWN);
    assert_int_equal(flags(0, 20), SEEN);
    touch_at(1, 20, X, 4, R);
    assert_int_equal(flags(10, 20), SEEN | BURL_EDGE_F_OWN);
}

/* No schedule brings back what was there before the only thread, or the reader itself, wrote. */
static void
initial_value_is_lost(void **state)
{
    (void)state;
    clear();
    burl_rt.exec.n_threads = 1;
    touch_at(0, 10, X, 4, W);
    burl_rt.exec.n_threads = 3;
    touch_at(1, 20, X, 4, R);
    touch_at(2, 11, X, 4, W);
    assert_null(edge(0, 20));
    assert_int_equal(flags(10, 20), SEEN);
    /* The neighbor was not set. */
    touch_at(1, 21, X + 4, 4, R);
    touch_at(2, 12, X + 4, 4, W);
    assert_int_equal(flags(0, 21), SEEN);
    /* By the reader. */
    touch_at(1, 13, X + 64, 4, W);
    touch_at(2, 14, X + 64, 4, W);
    touch_at(1, 22, X + 64, 4, R);
    assert_int_equal(flags(14, 22), SEEN);
    assert_null(edge(0, 22));
    touch_at(0, 22, X + 64, 4, R);
    assert_int_equal(flags(0, 22), CANDIDATE);
    /* When the others are gone. */
    touch_at(1, 15, X + 128, 4, W);
    burl_rt.exec.n_alive = 1;
    touch_at(0, 23, X + 128, 4, R);
    assert_int_equal(flags(15, 23), SEEN);
    assert_null(edge(0, 23));
}

/* What a thread reads back in the critical section that wrote it. */
static void
section_is_shut(void **state)
{
    static struct burl_watch watch;

    (void)state;
    clear();
    touch_at(2, 11, X, 4, W);
    threads[1].watch = &watch;
    watch.held.n = 1;
    watch.held.v[0].taken = 5;
    touch_at(1, 10, X, 4, W);
    touch_at(1, 20, X, 4, R);
    assert_int_equal(flags(11, 20), CANDIDATE | BURL_EDGE_F_SHUT);
    /* The next section with the same lock is another. */
    watch.held.v[0].taken = 9;
    touch_at(1, 21, X, 4, R);
    assert_int_equal(flags(11, 21), CANDIDATE);
    watch.held.n = 0;
    touch_at(1, 10, X, 4, W);
    touch_at(1, 22, X, 4, R);
    assert_int_equal(flags(11, 22), CANDIDATE);
}

static void
failed_exchange_writes_nothing(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, R | BURL_LEARN_WRITE);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(10, 20), CANDIDATE);
    assert_int_equal(flags(0, 20), SEEN);
    touch_at(1, 10, X, 4, R | BURL_LEARN_WRITE);
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(flags(10, 20), SEEN);
}

static void
gates_are_outermost_locks(void **state)
{
    (void)state;
    clear();
    threads[1].n_locks = 2;
    threads[1].outer_site = 33;
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(gates_new[10], 33);
    assert_int_equal(gates_new[20], 0);
    assert_int_equal(points_new[10], 1);
    assert_int_equal(points_new[20], 1);
}

/* Other executions than those that are to show much are followed by their seeds. */
static void
one_in_many_is_followed(void **state)
{
    (void)state;
    clear();
    ctl.order.strategy = BURL_STRATEGY_POS;
    for (uint64_t seed = 1; seed < 16; seed++) {
        burl_rt.exec.seed = seed;
        burl_rt.exec.draw_seed = seed;
        burl__learn_reset();
        touch_at(1, 10, X, 4, W);
        touch_at(2, 20, X, 4, R);
    }
    assert_int_equal(profile.n_edges, 0);
    assert_int_equal(points_new[20], 1);
    burl_rt.exec.draw_seed = 16;
    burl__learn_reset();
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_int_equal(profile.n_edges, 2);
}

/* ---- location pairs ------------------------------------------------------------------ */

static const struct burl_profile_pair *
pair(uint32_t earlier, uint32_t later)
{
    for (uint32_t i = 0; i < profile.n_pairs; i++) {
        if (profile.pairs[i].earlier == earlier && profile.pairs[i].later == later)
            return &profile.pairs[i];
    }
    return NULL;
}

static bool
was_paired(uint32_t earlier, uint32_t later)
{
    const struct burl_profile_pair *x = pair(earlier, later);

    return x != NULL && (x->flags & BURL_PAIR_F_SEEN) != 0;
}

/* One of two threads writes and nothing comes in between, in whatever order. */
static void
adjacent_accesses_are_pairs(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    touch_at(0, 21, X, 4, R);
    touch_at(1, 11, X, 4, W);
    touch_at(2, 12, X, 4, W);
    assert_true(was_paired(10, 20));  /* read after write */
    assert_false(was_paired(20, 21)); /* neither writes */
    assert_null(pair(20, 21));
    assert_true(was_paired(21, 11));  /* write after read */
    assert_true(was_paired(11, 12));  /* write after write */
    assert_false(was_paired(10, 21)); /* the read saw that write, but another read was between */
    assert_int_equal(flags(10, 21), SEEN);
    assert_false(was_paired(20, 11));
    /* What could still be. */
    assert_non_null(pair(10, 21));
    assert_non_null(pair(20, 11));
    assert_non_null(pair(12, 10));
    assert_int_equal(pair(10, 20)->seed, 1);
    start(2);
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    touch_at(1, 11, X, 4, W);
    assert_int_equal(pair(10, 20)->seed, 1);
    assert_true(was_paired(20, 11));
    assert_int_equal(pair(20, 11)->seed, 2);
}

/* An access of the thread's own takes the place, and so does one that found no room. */
static void
what_is_between_hides(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(1, 22, X, 4, R);
    touch_at(2, 20, X, 4, R);
    assert_false(was_paired(10, 20));
    clear();
    for (uint32_t i = 0; i < ENTRIES; i++)
        touch_at(1, 10 + i, X, 4, W);
    touch_at(1, 40, X, 4, W);
    touch_at(2, 10, X, 4, W);
    assert_false(was_paired(10 + ENTRIES - 1, 10));
    assert_null(pair(40, 10));
}

/* Bytes are distinguished; a wide access pairs with both halves. */
static void
pairs_are_of_bytes(void **state)
{
    (void)state;
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(1, 11, X + 4, 4, W);
    touch_at(2, 20, X, 8, R);
    assert_true(was_paired(10, 20));
    assert_true(was_paired(11, 20));
    clear();
    touch_at(1, 10, X, 4, W);
    touch_at(2, 11, X + 4, 4, W);
    assert_null(pair(10, 11));
}

/* A compare-exchange that stores is told twice and is one access. */
static void
an_exchange_is_one_access(void **state)
{
    (void)state;
    clear();
    touch_at(1, 20, X, 4, R);
    touch_at(2, 10, X, 4, R | BURL_LEARN_WRITE);
    touch_at(2, 10, X, 4, W);
    touch_at(1, 10, X, 4, R | BURL_LEARN_WRITE);
    assert_true(was_paired(20, 10));
    assert_true(was_paired(10, 10));
}

static void
a_full_list_of_pairs_says_so(void **state)
{
    (void)state;
    clear();
    profile.n_pairs = BURL_PROFILE_PAIRS;
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_true(profile.pairs_lost > 0);
    assert_int_equal(profile.n_pairs, BURL_PROFILE_PAIRS);
    profile.n_pairs = 0;
    burl_rt.learn = false;
    burl__pairs_tell(10, 20, 0);
    assert_int_equal(profile.n_pairs, 0);
}

/* The aim of an order is met by the pair itself, unless an observer decides that. */
static void
a_pair_meets_its_aim(void **state)
{
    (void)state;
    for (uint32_t observed = 0; observed < 2; observed++) {
        clear();
        burl_rt.watches_pair = true;
        burl_rt.exec.goal_hit = false;
        burl_ob_mask = observed != 0 ? BURL_OB(LOCPAIRS) : 0;
        burl_rt.pair[0] = 10;
        burl_rt.pair[1] = 20;
        touch_at(2, 20, X, 4, R);
        touch_at(1, 10, X, 4, W);
        assert_false(burl_rt.exec.goal_hit);
        touch_at(2, 20, X, 4, R);
        assert_int_equal(burl_rt.exec.goal_hit, observed == 0);
    }
    burl_ob_mask = 0;
    burl_rt.watches_pair = false;
}

/* More sites than are remembered: nothing false, nothing out of bounds. */
static void
too_many_sites(void **state)
{
    (void)state;
    clear();
    for (uint32_t i = 0; i < 30; i++)
        touch_at(1, 10 + i, X, 4, W);
    touch_at(2, 50, X, 4, R);
    assert_null(edge(39, 50));
    assert_int_equal(profile.n_edges, 0);
    /* A full table says so. */
    profile.n_edges = BURL_PROFILE_EDGES_MAX;
    start(3);
    touch_at(1, 10, X, 4, W);
    touch_at(2, 20, X, 4, R);
    assert_true(profile.edges_lost > 0);
    assert_null(edge(10, 20));
}

/* The table grows several times on the way; what it knew before must be known afterwards, and
 * nothing may be taken for shared that is not. */
static void
many_granules_are_kept_apart(void **state)
{
    (void)state;
    clear();
    touch_at(0, 1, X, 8, W);
    for (uint32_t i = 1; i < 4000; i++)
        touch_at(0, 2, X + i * 8, 8, W);
    touch_at(0, 3, X + 4000 * 8, 8, W);
    touch_at(1, 4, X, 8, R);
    touch_at(1, 5, X + 4000 * 8, 8, R);
    assert_int_equal(points_new[1], 1);
    assert_int_equal(points_new[2], 0);
    assert_int_equal(points_new[3], 1);
    assert_int_equal(points_new[4], 1);
    assert_int_equal(points_new[5], 1);
    assert_int_equal(flags(1, 4), SEEN);
    assert_int_equal(flags(3, 5), SEEN);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_then_read),
        cmocka_unit_test(last_write_counts),
        cmocka_unit_test(private_memory_has_no_edges),
        cmocka_unit_test(neighbors_are_told_apart),
        cmocka_unit_test(own_write_is_not_seen),
        cmocka_unit_test(initial_value_is_lost),
        cmocka_unit_test(section_is_shut),
        cmocka_unit_test(failed_exchange_writes_nothing),
        cmocka_unit_test(gates_are_outermost_locks),
        cmocka_unit_test(one_in_many_is_followed),
        cmocka_unit_test(too_many_sites),
        cmocka_unit_test(adjacent_accesses_are_pairs),
        cmocka_unit_test(what_is_between_hides),
        cmocka_unit_test(pairs_are_of_bytes),
        cmocka_unit_test(an_exchange_is_one_access),
        cmocka_unit_test(a_full_list_of_pairs_says_so),
        cmocka_unit_test(a_pair_meets_its_aim),
        cmocka_unit_test(many_granules_are_kept_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
