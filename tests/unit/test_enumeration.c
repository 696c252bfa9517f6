/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_enumeration.c - which schedules of an enumeration are next, over campaigns and within one.
 *
 * The engine's part is driven as a campaign does, with executions that are only counted. A campaign
 * that was cut anywhere is gone on with as if it had not been; what was not tried is never claimed.
 */
#include "unit.h"

#include "engine/proof/proof.h"

#define SITES 4u
#define DECISIONS 6u

struct one {
    struct burl_learned learned;
    struct burl_enumeration_facts facts;
    struct burl_proof proof;
    uint8_t points[SITES];
};

static void
make(struct one *o)
{
    memset(o, 0, sizeof *o);
    o->facts = (struct burl_enumeration_facts){
        .learned = &o->learned, .seed = 7, .max_steps = 1000, .max_threads = 3
    };
    o->points[2] = 1;
    o->learned.points = o->points;
    o->learned.n_sites = SITES;
}

/* The next schedules, `most` at most, all tried but the last `lost`. */
static uint64_t
step(struct one *o, uint32_t strategy, uint64_t most, uint64_t lost, struct burl_work *w)
{
    struct burl_batch b = { 0 };
    uint64_t n;

    *w = (struct burl_work){ .strategy = strategy, .first_seed = 100 };
    n = burl__enumerate_next(&o->proof, &o->facts, w, most);
    b.first_seed = w->first_seed;
    b.totals.executions = n > lost ? n - lost : 0;
    b.max_points = DECISIONS;
    burl__enumerate_commit(&o->proof, w, &b);
    o->facts.round++;
    return n;
}

static uint32_t
complete(const struct one *o, uint32_t strategy)
{
    return strategy == BURL_STRATEGY_DELAY ? o->proof.delays.at.complete
                                           : o->proof.preemptions.at.complete;
}

/* From one campaign into a new one. */
static void
go_on(struct one *from, struct one *to)
{
    struct burl_campaign_memory m = { 0 };

    burl__enumerate_keep(&from->proof, &from->facts, &m);
    make(to);
    to->learned.points_version = 9; /* counts campaigns' own changes only */
    burl__enumerate_recall(&to->proof, &to->facts, &m);
}

#define UNCUT 200u

static void
a_cut_anywhere_changes_nothing(void **state)
{
    static const uint32_t both[] = { BURL_STRATEGY_DELAY, BURL_STRATEGY_PREEMPT };
    static struct one a, b, c;

    (void)state;
    for (size_t s = 0; s < 2; s++) {
        for (uint32_t cut = 0; cut < UNCUT; cut += 3) {
            struct burl_work x, y;

            make(&a);
            make(&b);
            for (uint32_t i = 0; i < UNCUT; i++) {
                if (i == cut) {
                    go_on(&b, &c);
                    b = c;
                    b.facts.learned = &b.learned;
                    b.learned.points = b.points;
                }
                assert_int_equal(step(&a, both[s], 1, 0, &x), 1);
                assert_int_equal(step(&b, both[s], 1, 0, &y), 1);
                assert_int_equal(x.args.enumeration.index_first, y.args.enumeration.index_first);
                assert_memory_equal(&x.args, &y.args, sizeof x.args);
                assert_int_equal(complete(&a, both[s]), complete(&b, both[s]));
            }
            assert_true(complete(&a, both[s]) >= 2);
        }
    }
}

/* What was handed out and did not come back is handed out again. */
static void
what_was_lost_comes_again(void **state)
{
    static struct one a, b;
    struct burl_work w;
    uint64_t first;

    (void)state;
    make(&a);
    for (int i = 0; i < 3; i++)
        step(&a, BURL_STRATEGY_DELAY, 1, 0, &w);
    step(&a, BURL_STRATEGY_DELAY, 3, 2, &w);
    first = w.args.enumeration.index_first + 1;
    step(&a, BURL_STRATEGY_DELAY, 1, 0, &w); /* behind the hole: does not count */
    go_on(&a, &b);
    step(&b, BURL_STRATEGY_DELAY, 1, 0, &w);
    assert_int_equal(w.args.enumeration.index_first, first);
}

static void
a_gap_is_never_claimed(void **state)
{
    static struct one a, b;
    struct burl_work w;

    (void)state;
    make(&a);
    step(&a, BURL_STRATEGY_DELAY, 1, 0, &w);
    step(&a, BURL_STRATEGY_DELAY, 3, 1, &w);
    for (uint32_t i = 0; i < UNCUT; i++)
        step(&a, BURL_STRATEGY_DELAY, 1, 0, &w);
    assert_true(w.args.enumeration.places.bound >= 3);
    assert_int_equal(complete(&a, BURL_STRATEGY_DELAY), 0);
    go_on(&a, &b);
    for (uint32_t i = 0; i < UNCUT; i++)
        step(&b, BURL_STRATEGY_DELAY, 1, 0, &w);
    assert_int_equal(complete(&b, BURL_STRATEGY_DELAY), 0);
}

static void
another_program_begins_anew(void **state)
{
    static struct one a, b;
    struct burl_campaign_memory m;
    struct burl_work w;

    (void)state;
    make(&a);
    for (uint32_t i = 0; i < 50; i++)
        step(&a, BURL_STRATEGY_PREEMPT, 1, 0, &w);
    for (int what = 0; what < 7; what++) {
        memset(&m, 0, sizeof m);
        burl__enumerate_keep(&a.proof, &a.facts, &m);
        assert_int_equal(m.n_enums, 1);
        make(&b);
        b.points[3] = what == 0; /* more is shared */
        b.facts.max_steps += what == 1;
        b.facts.max_threads += what == 2;
        m.enums[0].next += what == 3 ? 1ull << 50 : 0; /* no such number */
        m.enums[0].places.bound = what == 4 ? 99 : m.enums[0].places.bound;
        m.enums[0].strategy = what == 5 ? BURL_STRATEGY_RANDOM : m.enums[0].strategy;
        m.enums[0].places.others = what == 6 ? 0 : m.enums[0].places.others;
        burl__enumerate_recall(&b.proof, &b.facts, &m);
        step(&b, BURL_STRATEGY_PREEMPT, 1, 0, &w);
        assert_int_equal(w.args.enumeration.places.bound, 0);
        assert_int_equal(complete(&b, BURL_STRATEGY_PREEMPT), 0);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cut_anywhere_changes_nothing),
        cmocka_unit_test(what_was_lost_comes_again),
        cmocka_unit_test(a_gap_is_never_claimed),
        cmocka_unit_test(another_program_begins_anew),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
