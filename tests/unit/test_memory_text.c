/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_memory_text.c - what a campaign leaves, as text: exact, by module, and refused
 * when it is something else.
 */
#include "unit.h"

#include "engine/plan/memory_text.h"

/* Two modules; `base` moves them, as another link order does. */
static struct burl_sites *
make_sites(uint32_t base_a, uint32_t base_b)
{
    struct burl_site_info infos[8];
    size_t n = 0;

    for (uint32_t i = 0; i < 4; i++) {
        if (base_a != 0)
            infos[n++] = (struct burl_site_info){ .id = base_a + i,
                                                  .index = i,
                                                  .module_hash = 0xaaaaaaaaaaaaaaaaull,
                                                  .file = "a.c",
                                                  .line = i + 1 };
        if (base_b != 0)
            infos[n++] = (struct burl_site_info){
                .id = base_b + i, .index = i, .module_hash = 0xbbbb, .file = "b.c", .line = i + 1
            };
    }
    for (size_t i = 0; i < n; i++)
        infos[i].dir = infos[i].func = infos[i].variable = infos[i].module = "";
    return burl_sites_new_fixed(infos, n);
}

static uint32_t sample_points[] = { 1, 12 };
static struct burl_campaign_memory_gate sample_gates[] = { { .site = 2, .gate = 11 } };
static struct burl_profile_edge sample_edges[] = {
    { .write = 0, .read = 3, .flags = BURL_EDGE_F_SEEN, .writer = BURL_TID_NONE, .reader = 2 },
    { .write = 10, .read = 1, .flags = BURL_EDGE_F_CANDIDATE, .writer = 1, .reader = 2 },
};
static struct burl_goal_memory sample_goals[] = {
    { .goal = { .kind = BURL_GOAL_KIND_POTENTIAL_RACE,
                .state = BURL_GOAL_STATE_UNCONFIRMED,
                .attempts = 10,
                .hits = 1,
                .first_seed = UINT64_MAX },
      .n_sites = 2,
      .sites = { 4, 13 },
      .tids = { 1, 2 },
      .observer = BURL_OBSERVER_LOCKSET,
      .rank = 7 },
    { .goal = { .kind = BURL_GOAL_KIND_READS_FROM, .attempts = 5, .hits = 2 },
      .n_sites = 2,
      .sites = { 10, 1 } },
    { .goal = { .kind = BURL_GOAL_KIND_READS_FROM, .attempts = 1 },
      .n_sites = 2,
      .sites = { 0, 1 } },
    { .goal = { .kind = BURL_GOAL_KIND_PAIR, .attempts = 9 }, .n_sites = 2, .sites = { 1, 2 } },
    { .goal = { .kind = BURL_GOAL_KIND_PAIR, .state = BURL_GOAL_STATE_CONFIRMED },
      .n_sites = 2,
      .sites = { 1, 11 } },
};

/* Written with a at 1 and b at 10. */
static void
write_sample(struct burl_buf *out)
{
    uint64_t words[] = { UINT64_MAX, 0, 77 };
    const struct burl_campaign_memory m = {
        .executions = UINT64_MAX - 1,
        .schedules = 3,
        .n_works = 77,
        .n_directed = 5,
        .arms = { { .strategy = BURL_STRATEGY_POS,
                    .param = 2,
                    .executions = 9,
                    .pulls = 0.1 + 0.2,
                    .reward = 1e-300,
                    .exhausted = true } },
        .n_arms = 1,
        .points = sample_points,
        .n_points = 2,
        .edges = sample_edges,
        .n_edges = 2,
        .gates = sample_gates,
        .n_gates = 1,
        .enums = { { .strategy = BURL_STRATEGY_DELAY,
                     .points = UINT64_MAX,
                     .max_steps = 1000,
                     .places = { .span = 40,
                                 .done = 20,
                                 .key = UINT64_MAX - 7,
                                 .bound = 3,
                                 .others = 2,
                                 .repeats = 1 },
                     .next = 1234567890123ull,
                     .longest = 41,
                     .complete = 2,
                     .extensions = 1,
                     .gap = true } },
        .n_enums = 1,
        .search = { .any = true,
                    .failed = true,
                    .id = { .program = 1, .surroundings = 2, .settings = 3, .points = 4 },
                    .executions = 5,
                    .pruned = 1,
                    .campaigns = 2,
                    .when_ms = 1234567890123,
                    .why = "threads spin",
                    .words = words,
                    .n_words = 3,
                    .failures = words + 1,
                    .n_failures = 1 },
    };
    struct burl_sites *sites = make_sites(1, 10);

    burl_buf_init(out, BURL_BUF_NO_LIMIT);
    burl_campaign_memory_write(&m, sites, out);
    burl_sites_free(sites);
}

static void
another_link_order_finds_everything(void **state)
{
    struct burl_sites *sites = make_sites(30, 20);
    struct burl_campaign_memory m;
    struct burl_err err = { 0 };
    struct burl_buf b;

    (void)state;
    write_sample(&b);
    EXPECT_OK(burl_campaign_memory_read(&m, burl_buf_str(&b), b.n, sites, &err), &err);
    assert_true(m.executions == UINT64_MAX - 1);
    assert_int_equal(m.n_works, 77);
    assert_int_equal(m.n_directed, 5);
    assert_int_equal(m.n_arms, 1);
    assert_int_equal(m.arms[0].strategy, BURL_STRATEGY_POS);
    assert_true(m.arms[0].pulls == 0.1 + 0.2); /* to the bit */
    assert_true(m.arms[0].reward == 1e-300);
    assert_true(m.arms[0].exhausted);
    assert_int_equal(m.n_enums, 1);
    assert_int_equal(m.enums[0].strategy, BURL_STRATEGY_DELAY);
    assert_true(m.enums[0].points == UINT64_MAX);
    assert_int_equal(m.enums[0].max_steps, 1000);
    assert_int_equal(m.enums[0].places.span, 40);
    assert_int_equal(m.enums[0].places.done, 20);
    assert_true(m.enums[0].places.key == UINT64_MAX - 7);
    assert_int_equal(m.enums[0].places.bound, 3);
    assert_int_equal(m.enums[0].places.others, 2);
    assert_int_equal(m.enums[0].places.repeats, 1);
    assert_true(m.enums[0].next == 1234567890123ull);
    assert_int_equal(m.enums[0].longest, 41);
    assert_int_equal(m.enums[0].complete, 2);
    assert_int_equal(m.enums[0].extensions, 1);
    assert_true(m.enums[0].gap);
    assert_true(m.search.any && m.search.failed && !m.search.proven && !m.search_damaged);
    assert_true(m.search.id.program == 1 && m.search.id.surroundings == 2 &&
                m.search.id.settings == 3 && m.search.id.points == 4 && m.search.executions == 5 &&
                m.search.pruned == 1 && m.search.campaigns == 2 &&
                m.search.when_ms == 1234567890123);
    assert_string_equal(m.search.why, "threads spin");
    assert_true(m.search.n_words == 3 && m.search.words[0] == UINT64_MAX &&
                m.search.words[2] == 77);
    assert_true(m.search.n_failures == 1 && m.search.failures[0] == 0);
    assert_int_equal(m.n_points, 2);
    assert_int_equal(m.points[0], 30);
    assert_int_equal(m.points[1], 22);
    assert_int_equal(m.n_gates, 1);
    assert_int_equal(m.gates[0].site, 31);
    assert_int_equal(m.gates[0].gate, 21);
    assert_int_equal(m.n_edges, 2);
    assert_int_equal(m.edges[0].write, 0);
    assert_int_equal(m.edges[0].read, 32);
    assert_int_equal(m.edges[0].writer, BURL_TID_NONE);
    assert_int_equal(m.edges[1].write, 20);
    assert_int_equal(m.edges[1].read, 30);
    burl_campaign_memory_deinit(&m);
    burl_buf_deinit(&b);
    burl_sites_free(sites);
}

/* The initial value (no write) is not a write that is gone. */
static void
what_a_missing_module_held_is_left_out(void **state)
{
    struct burl_sites *sites = make_sites(1, 0);
    struct burl_campaign_memory m;
    struct burl_err err = { 0 };
    struct burl_buf b;

    (void)state;
    write_sample(&b);
    EXPECT_OK(burl_campaign_memory_read(&m, burl_buf_str(&b), b.n, sites, &err), &err);
    assert_int_equal(m.n_points, 1);
    assert_int_equal(m.n_gates, 0);
    assert_int_equal(m.n_edges, 1);
    assert_int_equal(m.edges[0].read, 3);
    burl_campaign_memory_deinit(&m);
    burl_buf_deinit(&b);
    burl_sites_free(sites);
}

/* A digit of it, anywhere: it alone is left out, and that is said. */
static void
a_damaged_search_is_left_out_alone(void **state)
{
    struct burl_sites *sites = make_sites(1, 10);
    struct burl_campaign_memory m;
    struct burl_err err = { 0 };
    struct burl_buf b;
    char *text;
    char *end;
    size_t n = 0;

    (void)state;
    write_sample(&b);
    text = burl_xstrdup(burl_buf_str(&b));
    end = strstr(text, "\"points\":[");
    assert_non_null(end);
    for (char *at = strstr(text, "\"search\":"); at < end; at++) {
        const char old = *at;

        if (old < '0' || old > '9' || at[-1] == ':')
            continue;
        *at = old == '9' ? '1' : '9';
        EXPECT_OK(burl_campaign_memory_read(&m, text, b.n, sites, &err), &err);
        assert_true(!m.search.any && m.search_damaged && m.n_enums == 1 && m.n_edges == 2);
        burl_campaign_memory_deinit(&m);
        *at = old;
        n++;
    }
    assert_true(n > 20);
    free(text);
    burl_buf_deinit(&b);
    burl_sites_free(sites);
}

static void
something_else_is_refused(void **state)
{
    static const char *const texts[] = {
        "", "garbage", "[]", "{}", "{\"version\":2}", "{\"version\":1,\"executions\":\"x\"}"
    };
    struct burl_sites *sites = make_sites(1, 10);
    struct burl_campaign_memory m;
    struct burl_err err = { 0 };
    struct burl_buf b;

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        EXPECT_STATUS(burl_campaign_memory_read(&m, texts[i], strlen(texts[i]), sites, &err),
                      BURL_E_FORMAT, &err);
        assert_int_equal(m.n_points + m.n_edges + m.goals.n, 0);
    }
    /* Cut anywhere but before its last newline: refused, never a crash. */
    write_sample(&b);
    for (size_t n = 0; n + 1 < b.n; n++)
        EXPECT_STATUS(burl_campaign_memory_read(&m, burl_buf_str(&b), n, sites, &err),
                      BURL_E_FORMAT, &err);
    burl_buf_deinit(&b);
    burl_sites_free(sites);
}

/* From rows that were written with a at 1 and b at 10. */
static void
read_goals(struct burl_campaign_memory *m, const struct burl_sites *sites)
{
    const struct burl_campaign_memory from = {
        .goals = { .v = sample_goals, .n = sizeof sample_goals / sizeof *sample_goals }
    };
    struct burl_sites *old = make_sites(1, 10);
    struct burl_store_goals rows;

    memset(m, 0, sizeof *m);
    burl_campaign_memory_write_goals(&from, old, &rows);
    burl_campaign_memory_read_goals(m, &rows, sites);
    free(rows.v);
    burl_sites_free(old);
}

static void
goals_find_their_sites_in_another_link_order(void **state)
{
    struct burl_sites *sites = make_sites(30, 20);
    struct burl_campaign_memory m;

    (void)state;
    read_goals(&m, sites);
    assert_int_equal(m.goals.n, 5);
    assert_int_equal(m.goals.v[0].goal.kind, BURL_GOAL_KIND_POTENTIAL_RACE);
    assert_int_equal(m.goals.v[0].goal.state, BURL_GOAL_STATE_UNCONFIRMED);
    assert_int_equal(m.goals.v[0].goal.attempts, 10);
    assert_int_equal(m.goals.v[0].goal.hits, 1);
    assert_true(m.goals.v[0].goal.first_seed == UINT64_MAX);
    assert_int_equal(m.goals.v[0].sites[0], 33);
    assert_int_equal(m.goals.v[0].sites[1], 23);
    assert_int_equal(m.goals.v[0].tids[1], 2);
    assert_int_equal(m.goals.v[0].observer, BURL_OBSERVER_LOCKSET);
    assert_int_equal(m.goals.v[0].rank, 7);
    assert_int_equal(m.goals.v[1].goal.attempts, 5);
    assert_int_equal(m.goals.v[2].sites[0], 0); /* the initial value */
    assert_int_equal(m.goals.v[2].sites[1], 30);
    assert_int_equal(m.goals.v[3].sites[0], 30);
    assert_int_equal(m.goals.v[3].sites[1], 31);
    assert_int_equal(m.goals.v[3].goal.attempts, 9);
    assert_int_equal(m.goals.v[4].sites[1], 21);
    assert_int_equal(m.goals.v[4].goal.state, BURL_GOAL_STATE_CONFIRMED);
    burl_campaign_memory_deinit(&m);
    burl_sites_free(sites);
}

static void
goals_of_a_missing_module_are_left_out(void **state)
{
    struct burl_sites *sites = make_sites(1, 0);
    struct burl_campaign_memory m;

    (void)state;
    read_goals(&m, sites);
    assert_int_equal(m.goals.n, 2);
    assert_int_equal(m.goals.v[0].goal.kind, BURL_GOAL_KIND_READS_FROM);
    assert_int_equal(m.goals.v[0].sites[0], 0);
    assert_int_equal(m.goals.v[1].goal.kind, BURL_GOAL_KIND_PAIR);
    burl_campaign_memory_deinit(&m);
    burl_sites_free(sites);
}

static void
rows_that_are_not_understood_are_left_out(void **state)
{
    struct burl_store_goal v[] = {
        { .kind = "race", .state = "no such state", .sites = { { 1, 1, 0, 0 } }, .n_sites = 1 },
        { .kind = "no such kind", .state = "untried", .n_sites = 1 },
        { .kind = NULL, .state = NULL },
        { .kind = "triple", .state = "untried", .n_sites = 0 },
        { .kind = "triple", .state = "untried", .n_sites = 400 },
        { .kind = "triple", .state = "untried", .n_sites = 1, .observer = 4000 },
    };
    const struct burl_store_goals rows = { .v = v, .n = sizeof v / sizeof *v };
    struct burl_sites *sites = make_sites(1, 10);
    struct burl_campaign_memory m = { 0 };

    (void)state;
    burl_campaign_memory_read_goals(&m, &rows, sites);
    assert_int_equal(m.goals.n, 0);
    burl_campaign_memory_deinit(&m);
    burl_sites_free(sites);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(another_link_order_finds_everything),
        cmocka_unit_test(what_a_missing_module_held_is_left_out),
        cmocka_unit_test(goals_find_their_sites_in_another_link_order),
        cmocka_unit_test(goals_of_a_missing_module_are_left_out),
        cmocka_unit_test(rows_that_are_not_understood_are_left_out),
        cmocka_unit_test(a_damaged_search_is_left_out_alone),
        cmocka_unit_test(something_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
