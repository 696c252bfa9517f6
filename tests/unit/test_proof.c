/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_proof.c - engine/proof/frontier.c: which search of all schedules the next campaign goes on
 * with, and how much is left of it; prove_small.c: its share. Without a process or a campaign.
 */
#include "unit.h"

#include "engine/proof/proof.h"
#include "wire/search.h"

#define SITES 4u

static struct burl_learned learned;
static uint8_t points[SITES];

static int
setup(void **state)
{
    (void)state;
    memset(&learned, 0, sizeof learned);
    memset(points, 0, sizeof points);
    points[2] = 1;
    learned.points = points;
    learned.n_sites = SITES;
    return 0;
}

/* A search of this program, cut after a number of decisions. */
static struct burl_proof
cut_search(uint32_t n_frames)
{
    struct burl_proof p = { 0 };
    const size_t n_words =
        (sizeof(struct burl_search_stack) + n_frames * sizeof(struct burl_search_frame)) / 8;
    struct burl_search_stack *s = burl_xcalloc(n_words, 8);

    s->n = n_frames;
    p.searched.any = true;
    p.searched.id.points = burl__learned_hash_points(&learned);
    p.searched.executions = 77;
    p.searched.words = (uint64_t *)s;
    p.searched.n_words = n_words;
    return p;
}

static void
a_difference_is_named(void **state)
{
    const struct burl_search_identity now = {
        .program = 1, .surroundings = 2, .settings = 3, .points = 4
    };
    struct burl_search_identity kept = now;

    (void)state;
    assert_null(burl__frontier_differs(&now, &kept));
    kept.points++;
    assert_non_null(strstr(burl__frontier_differs(&now, &kept), "shared memory"));
    kept.settings++;
    assert_non_null(strstr(burl__frontier_differs(&now, &kept), "--engine"));
    kept.surroundings++;
    assert_non_null(strstr(burl__frontier_differs(&now, &kept), "environment"));
    kept.program++;
    assert_non_null(strstr(burl__frontier_differs(&now, &kept), "program"));
}

static void
a_cut_search_goes_on(void **state)
{
    struct burl_proof p = cut_search(5);
    struct burl_proof next = { 0 };
    struct burl_campaign_memory m = { 0 };
    char anew[80] = "";

    (void)state;
    burl__frontier_keep(&p, &learned, &m.search);
    learned.n_new_points = 3;
    burl__frontier_recall(&next, &learned, &m, anew);
    assert_string_equal(anew, "");
    assert_int_equal(learned.n_new_points, 0);
    assert_true(next.searched.any);
    assert_int_equal(next.searched.executions, 77);
    assert_int_equal(next.searched.n_words, p.searched.n_words);
    assert_memory_equal(next.searched.words, p.searched.words, 8 * p.searched.n_words);
    burl__frontier_forget(&next.searched);
    /* With other points it is another search. */
    points[3] = 1;
    burl__frontier_recall(&next, &learned, &m, anew);
    assert_false(next.searched.any);
    burl__frontier_forget(&m.search);
    burl__frontier_forget(&p.searched);
    assert_false(p.searched.any);
}

static void
what_would_restart_is_not_kept(void **state)
{
    struct burl_proof p = cut_search(1);
    struct burl_campaign_memory_search kept = { 0 };

    (void)state;
    p.searched.reads_files = true;
    burl__frontier_keep(&p, &learned, &kept);
    assert_false(kept.any);
    p.searched.reads_files = false;
    points[1] = 1;
    burl__frontier_keep(&p, &learned, &kept);
    assert_false(kept.any);
    /* A proof stays one when points are added that are only aimed at. */
    p.searched.proven = true;
    learned.n_new_points = 1;
    burl__frontier_keep(&p, &learned, &kept);
    assert_false(kept.any);
    learned.n_new_points = 0;
    burl__frontier_keep(&p, &learned, &kept);
    assert_true(kept.any && kept.proven);
    assert_true(kept.id.points == burl__learned_hash_points(&learned));
    burl__frontier_forget(&kept);
    burl__frontier_forget(&p.searched);
}

static void
a_long_position_is_left_out(void **state)
{
    struct burl_proof p = cut_search(20000);
    struct burl_campaign_memory_search kept = { 0 };

    (void)state;
    burl__frontier_keep(&p, &learned, &kept);
    assert_true(kept.any);
    assert_int_equal(kept.n_words, 0);
    assert_null(kept.words);
    burl__frontier_forget(&kept);
    burl__frontier_forget(&p.searched);
}

/* Words from a file: a wrong position would make a wrong proof. */
static void
a_damaged_position_is_said_to_be_one(void **state)
{
    struct burl_proof p = cut_search(2);
    struct burl_proof next = { 0 };
    struct burl_campaign_memory m = { .search = p.searched };
    struct burl_search_stack *s = (struct burl_search_stack *)p.searched.words;
    char anew[80] = "";

    (void)state;
    s->frames[1].chosen = BURL_SEARCH_TIDS;
    burl__frontier_recall(&next, &learned, &m, anew);
    assert_non_null(strstr(anew, "damaged"));
    s->frames[1].chosen = 0;
    anew[0] = '\0';
    m.search.n_words--;
    burl__frontier_recall(&next, &learned, &m, anew);
    assert_non_null(strstr(anew, "damaged"));
    m.search.n_words++;
    m.search_damaged = true;
    anew[0] = '\0';
    burl__frontier_recall(&next, &learned, &m, anew);
    assert_non_null(strstr(anew, "damaged"));
    assert_false(next.searched.any);
    burl__frontier_forget(&p.searched);
}

/* Decisions between `of` branches each, of which `tried` are done at the first `n` decisions. */
static void
fill_frames(struct burl_proof *p, uint32_t of, uint32_t tried, uint32_t n)
{
    struct burl_search_stack *s = (struct burl_search_stack *)p->searched.words;

    for (uint32_t i = 0; i < s->n; i++) {
        s->frames[i].enabled = s->frames[i].todo = (1ull << of) - 1;
        s->frames[i].tried = i < n ? (1ull << tried) - 1 : 0;
        s->frames[i].chosen = i < n ? tried : 0;
    }
}

static void
what_is_left_is_estimated_from_the_position(void **state)
{
    struct burl_proof p = cut_search(3);

    (void)state;
    /* Half of the tree, and half of the other half, and so on: 7/8 of it. */
    fill_frames(&p, 2, 1, 3);
    assert_true(burl__frontier_expected(&p.searched) == 88);
    /* Of the last decision alone: an eighth. */
    fill_frames(&p, 2, 1, 0);
    ((struct burl_search_stack *)p.searched.words)->frames[2].tried = 1;
    assert_true(burl__frontier_expected(&p.searched) == 77 * 8);
    /* What sleeps is no branch, and neither is what nothing asks for. */
    fill_frames(&p, 3, 1, 1);
    ((struct burl_search_stack *)p.searched.words)->frames[0].sleep = 4;
    assert_true(burl__frontier_expected(&p.searched) == 77 * 2);
    burl__frontier_forget(&p.searched);
    assert_true(burl__frontier_expected(&p.searched) == 0);
    p = cut_search(600);
    fill_frames(&p, 3, 1, 0);
    assert_true(burl__frontier_expected(&p.searched) >= 1e18);
    burl__frontier_forget(&p.searched);
}

/* Executions of searches by the time that a campaign has made so many others. */
static uint64_t
searched_by(uint64_t done, double expected)
{
    uint64_t most = 96;

    while (burl__prove_after(burl__prove_next(most), expected) <= done)
        most = burl__prove_next(most);
    return most;
}

static void
a_search_that_comes_to_no_end_gets_little(void **state)
{
    (void)state;
    /* A short one is made whatever is known. */
    assert_int_equal(searched_by(0, 1e18), 1000);
    assert_int_equal(searched_by(16000, 1e18), 8000);
    /* One that can end has a twelfth of the executions, about a third of the time; another one a
     * sixteenth of that. No step is more than what there was before it. */
    for (uint64_t done = 1000000; done < 1000000000; done *= 3) {
        assert_true(searched_by(done, 0) > done / 25 && searched_by(done, 0) <= done / 12);
        assert_int_equal(searched_by(done, (double)searched_by(done, 0)), searched_by(done, 0));
        assert_true(searched_by(done, 1e18) <= done / 192 + 8000);
        assert_true(burl__prove_next(searched_by(done, 0)) == 2 * searched_by(done, 0));
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_difference_is_named, setup),
        cmocka_unit_test_setup(a_cut_search_goes_on, setup),
        cmocka_unit_test_setup(what_would_restart_is_not_kept, setup),
        cmocka_unit_test_setup(a_long_position_is_left_out, setup),
        cmocka_unit_test_setup(a_damaged_position_is_said_to_be_one, setup),
        cmocka_unit_test_setup(what_is_left_is_estimated_from_the_position, setup),
        cmocka_unit_test(a_search_that_comes_to_no_end_gets_little),
    };

    return cmocka_run_group_tests_name("proof", tests, NULL, NULL);
}
