/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_pool.c - engine/pool/pool.c: how works become chunks, without a process or a campaign.
 */
#include "unit.h"

#include "engine/pool/pool.h"

static const struct burl_work works[] = {
    { .first_seed = 1000, .n = 100 },
    { .first_seed = 50, .n = 7 },
    { .first_seed = 5000, .n = 300, .whole = true },
};
#define N_WORKS (sizeof works / sizeof works[0])

static void
drop(struct burl_pool *p)
{
    burl__pool_close(p);
    memset(p, 0, sizeof *p);
}

static const struct burl_pool_chunk *
cut(struct burl_pool *p)
{
    const size_t at = burl__pool_cut(p);

    return &p->chunks.v[at];
}

/* Whatever the speed, every seed is in one chunk, in the order of the list. */
static void
chunks_cover_the_works_in_order(void **state)
{
    static const double speeds[] = { 0, 0.001, 1, 17, 1000 };

    (void)state;
    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        struct burl_pool p = { .ms_per_exec = speeds[i] };
        size_t work = 0;
        uint64_t next = works[0].first_seed;

        burl__pool_open(&p, 1);
        burl__pool_begin(&p, works, N_WORKS);
        while (burl__pool_has_work(&p)) {
            const struct burl_pool_chunk *k = cut(&p);

            assert_int_equal(k->work, work);
            assert_int_equal(k->first, next);
            assert_int_equal(k->batch.first_seed, next);
            assert_true(k->n > 0 && !k->complete && k->done == 0);
            assert_true(k->culprit == UINT64_MAX);
            if (works[work].whole)
                assert_int_equal(k->n, works[work].n);
            next += k->n;
            if (next == works[work].first_seed + works[work].n && ++work < N_WORKS)
                next = works[work].first_seed;
        }
        assert_int_equal(work, N_WORKS);
        drop(&p);
    }
}

static void
slow_programs_get_small_chunks(void **state)
{
    struct burl_pool p = { .ms_per_exec = 10 };

    (void)state;
    burl__pool_open(&p, 0); /* at least one process */
    assert_int_equal(p.n_slots, 1);
    burl__pool_begin(&p, works, N_WORKS);
    assert_int_equal(cut(&p)->n, 5);
    p.ms_per_exec = 1000;
    assert_int_equal(cut(&p)->n, 1);
    p.draining = true;
    assert_false(burl__pool_has_work(&p));
    burl__pool_begin(&p, works + 1, 1);
    assert_true(burl__pool_has_work(&p));
    assert_int_equal(p.chunks.n, 0);
    drop(&p);
}

/* By the list, not by the numbers of seeds. */
static void
the_list_says_which_execution_is_earlier(void **state)
{
    struct burl_pool p = { 0 };

    (void)state;
    burl__pool_begin(&p, works, N_WORKS);
    assert_true(burl__pool_is_earlier(&p, 1000, 1001));
    assert_false(burl__pool_is_earlier(&p, 1001, 1000));
    assert_true(burl__pool_is_earlier(&p, 1099, 50));
    assert_false(burl__pool_is_earlier(&p, 56, 1099));
    assert_true(burl__pool_is_earlier(&p, 56, 5299));
    assert_true(burl__pool_is_earlier(&p, 56, 9)); /* one that is not of the list is late */
    assert_false(burl__pool_is_earlier(&p, 9, 56));
    assert_false(burl__pool_is_earlier(&p, 9, 10));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_cover_the_works_in_order),
        cmocka_unit_test(slow_programs_get_small_chunks),
        cmocka_unit_test(the_list_says_which_execution_is_earlier),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
