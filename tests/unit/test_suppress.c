/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_suppress.c - which rules are rules, and what each of them matches.
 */
#include "base/rng.h"
#include "base/sites.h"
#include "report/finding/suppress.h"
#include "unit.h"
#include "wire/site.h"

enum { READ_HEAD = 10, WRITE_COUNT, LOCK_A, FUNC_POP, FUNC_MAIN };

static struct burl_site_info infos[] = {
    { .id = READ_HEAD,
      .file = "src/queue.c",
      .module = "queue.c",
      .func = "pop",
      .variable = "q->ring[i + 1].head",
      .line = 10,
      .kind = BURL_SITE_READ },
    { .id = WRITE_COUNT,
      .file = "src/stats.c",
      .module = "stats.c",
      .func = "bump",
      .variable = "hits[k]",
      .line = 20,
      .kind = BURL_SITE_WRITE },
    { .id = LOCK_A,
      .file = "src/queue.c",
      .module = "queue.c",
      .func = "move",
      .variable = "pthread_mutex_lock",
      .line = 30,
      .kind = BURL_SITE_CALL },
    { .id = FUNC_POP,
      .file = "src/queue.c",
      .module = "queue.c",
      .func = "pop",
      .variable = "",
      .line = 8,
      .kind = BURL_SITE_FUNC },
    { .id = FUNC_MAIN,
      .file = "src/main.c",
      .dir = "/home/me/project",
      .module = "main.c",
      .func = "ns::work<int, long>",
      .variable = "",
      .line = 1,
      .kind = BURL_SITE_FUNC },
};

/* A race of pop() with bump(), which was called by ns::work<int, long>(). */
static struct burl_wire_verdict
race(void)
{
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_RACE_DATA, .n_sides = 2 };

    v.sides[0] = (struct burl_wire_side){ .site = READ_HEAD, .stack = { FUNC_POP } };
    v.sides[1] = (struct burl_wire_side){ .site = WRITE_COUNT, .stack = { FUNC_POP, FUNC_MAIN } };
    return v;
}

/* The line of the rule that matches, 0 when none does. */
static uint32_t
matches(const char *rules, const struct burl_wire_verdict *v)
{
    struct burl_sites *sites = burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
    const struct burl_suppress_rule *r;
    struct burl_suppress *s;
    struct burl_err err = { 0 };
    uint32_t line;

    EXPECT_OK(burl_suppress_parse(&s, "rules", rules, strlen(rules), &err), &err);
    r = burl_suppress_verdict(s, v, sites);
    line = r ? r->line : 0;
    burl_suppress_free(s);
    burl_sites_free(sites);
    return line;
}

static void
a_pattern_fits_the_whole_name(void **state)
{
    (void)state;
    assert_true(burl_suppress_glob("pop", "pop"));
    assert_false(burl_suppress_glob("pop", "popper"));
    assert_false(burl_suppress_glob("pop", "pushpop"));
    assert_true(burl_suppress_glob("*pop", "pushpop"));
    assert_true(burl_suppress_glob("p?p", "pop"));
    assert_false(burl_suppress_glob("p?p", "pp"));
    assert_true(burl_suppress_glob("*", ""));
    assert_true(burl_suppress_glob("a*b*c", "a-b-b-c"));
    assert_false(burl_suppress_glob("a*b*c", "a-c-b"));
    assert_true(burl_suppress_glob("**x**", "axb"));
    /* Brackets mean themselves. */
    assert_true(burl_suppress_glob("a[i]", "a[i]"));
    assert_false(burl_suppress_glob("a[i]", "ai"));
    assert_false(burl_suppress_glob("", "a"));
}

/* The plain definition, which takes exponential time and is obviously right. */
static bool
glob_slowly(const char *p, const char *t)
{
    if (*p == '\0')
        return *t == '\0';
    if (*p == '*')
        return glob_slowly(p + 1, t) || (*t != '\0' && glob_slowly(p, t + 1));
    return *t != '\0' && (*p == '?' || *p == *t) && glob_slowly(p + 1, t + 1);
}

static void
matching_agrees_with_its_definition(void **state)
{
    struct burl_rng rng;
    char pattern[9];
    char text[11];

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int i = 0; i < 100000; i++) {
        size_t np = burl_rng_below(&rng, sizeof pattern);
        size_t nt = burl_rng_below(&rng, sizeof text);

        for (size_t k = 0; k < np; k++)
            pattern[k] = "ab*?"[burl_rng_below(&rng, 4)];
        for (size_t k = 0; k < nt; k++)
            text[k] = "ab"[burl_rng_below(&rng, 2)];
        pattern[np] = '\0';
        text[nt] = '\0';
        if (burl_suppress_glob(pattern, text) != glob_slowly(pattern, text))
            fail_msg("\"%s\" on \"%s\"", pattern, text);
    }
}

static void
a_race_is_matched_by_any_of_its_names(void **state)
{
    const struct burl_wire_verdict v = race();

    (void)state;
    assert_int_equal(matches("race:pop", &v), 1);
    assert_int_equal(matches("race:bump", &v), 1);
    assert_int_equal(matches("race:queue.c", &v), 1);
    assert_int_equal(matches("race:src/queue.c", &v), 1);
    assert_int_equal(matches("race:src/*", &v), 1);
    assert_int_equal(matches("race:hits[k]", &v), 1);
    assert_int_equal(matches("race:hits", &v), 1);
    assert_int_equal(matches("race:head", &v), 1);
    assert_int_equal(matches("race:q->ring[*].head", &v), 1);
    assert_int_equal(matches("race:ns::work<int, long>", &v), 1);
    assert_int_equal(matches("any:ns::*", &v), 1);
    assert_int_equal(matches("race:main.c", &v), 1);
    assert_int_equal(matches("race:/home/me/project/src/main.c", &v), 1);
    assert_int_equal(matches("race:/home/me/*", &v), 1);
    assert_int_equal(matches("race:/home/me/project", &v), 0);
    assert_int_equal(matches("race:ring", &v), 0);
    assert_int_equal(matches("race:other", &v), 0);
    assert_int_equal(matches("deadlock:pop", &v), 0);
    assert_int_equal(matches("atomicity:*", &v), 0);
    assert_int_equal(matches("", &v), 0);
}

static void
the_first_rule_that_matches_counts(void **state)
{
    const struct burl_wire_verdict v = race();

    (void)state;
    assert_int_equal(matches("# known\n\n  race:other # not this\nrace: pop\nany:*\n", &v), 4);
    assert_int_equal(matches("race : bump", &v), 1);
    assert_int_equal(matches("deadlock:*\r\nrace:bump\r\n", &v), 2);
    /* A # inside a word is part of it. */
    assert_int_equal(matches("race:pop#1\n", &v), 0);
}

static void
deadlocks_and_others_have_their_kinds(void **state)
{
    struct burl_wire_verdict v = { .kind = BURL_VERDICT_DEADLOCK_CYCLE, .n_waits = 1 };

    (void)state;
    v.waits[0].site = LOCK_A;
    assert_int_equal(matches("deadlock:move", &v), 1);
    assert_int_equal(matches("race:move", &v), 0);
    /* The name of the function that is called is common to all. */
    assert_int_equal(matches("deadlock:pthread_mutex_lock", &v), 0);
    v.kind = BURL_VERDICT_ATOMICITY_REGION;
    assert_int_equal(matches("atomicity:move", &v), 1);
    v.kind = BURL_VERDICT_CRASH_ABORT;
    assert_int_equal(matches("deadlock:move\natomicity:move\nrace:move", &v), 0);
    assert_int_equal(matches("any:move", &v), 1);
    /* Counts from another process are not trusted. */
    v.n_waits = UINT32_MAX;
    v.n_sides = UINT32_MAX;
    assert_int_equal(matches("any:nowhere", &v), 0);
}

static void
suspects_are_matched_by_their_sites(void **state)
{
    struct burl_sites *sites = burl_sites_new_fixed(infos, sizeof infos / sizeof infos[0]);
    struct burl_wire_suspect x = { .kind = BURL_SUSPECT_POTENTIAL, .n_sites = 2 };
    static const char rules[] = "deadlock:bump\nrace:bump\natomicity:pop";
    struct burl_suppress *s;
    struct burl_err err = { 0 };

    (void)state;
    x.sites[0] = READ_HEAD;
    x.sites[1] = WRITE_COUNT;
    EXPECT_OK(burl_suppress_parse(&s, "rules", rules, strlen(rules), &err), &err);
    assert_ptr_equal(burl_suppress_suspect(s, &x, sites), burl_suppress_at(s, 1));
    x.kind = BURL_SUSPECT_CYCLE;
    assert_ptr_equal(burl_suppress_suspect(s, &x, sites), burl_suppress_at(s, 0));
    x.kind = BURL_SUSPECT_TRIPLE;
    assert_ptr_equal(burl_suppress_suspect(s, &x, sites), burl_suppress_at(s, 2));
    x.kind = BURL_SUSPECT_SIGNAL;
    x.n_sites = 255;
    assert_null(burl_suppress_suspect(s, &x, sites));
    burl_suppress_free(s);
    burl_sites_free(sites);
}

static void
refused(const char *text, size_t n, const char *why)
{
    struct burl_suppress *s;
    struct burl_err err = { 0 };

    EXPECT_STATUS(burl_suppress_parse(&s, "my.supp", text, n, &err), BURL_E_USAGE, &err);
    assert_null(s);
    EXPECT_CONTAINS(err.msg, why);
}

static void
a_wrong_line_is_named(void **state)
{
    struct burl_suppress *s;
    struct burl_err err = { 0 };

    (void)state;
    refused("race:a\nrase:b\n", 14, "my.supp:2: \"rase\" is none of");
    refused("\n\nnonsense\n", 11, "my.supp:3: no colon");
    refused("race:", 5, "my.supp:1: no pattern after race:");
    refused("any:  # all\n", 12, "my.supp:1: no pattern after any:");
    refused(":x", 2, "my.supp:1: \"\" is none of");
    refused("rase : x", 8, "my.supp:1: \"rase\" is none of");
    refused("Race:x", 6, "my.supp:1: \"Race\" is none of");
    refused("race:a\n\0race:b", 14, "my.supp:2: not a text file");
    EXPECT_STATUS(burl_suppress_read(&s, "/nonexistent/rules", &err), BURL_E_USAGE, &err);
    EXPECT_CONTAINS(err.msg, "/nonexistent/rules");
    assert_int_equal(err.code, BURL_E_USAGE);
    assert_null(s);
}

static void
no_rules_match_nothing(void **state)
{
    const struct burl_wire_verdict v = race();
    const struct burl_wire_suspect x = { .kind = BURL_SUSPECT_RACE };

    (void)state;
    assert_null(burl_suppress_verdict(NULL, &v, NULL));
    assert_null(burl_suppress_suspect(NULL, &x, NULL));
    assert_int_equal(burl_suppress_count(NULL), 0);
    assert_string_equal(burl_suppress_name(NULL), "");
    burl_suppress_free(NULL);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_fits_the_whole_name),
        cmocka_unit_test(matching_agrees_with_its_definition),
        cmocka_unit_test(a_race_is_matched_by_any_of_its_names),
        cmocka_unit_test(the_first_rule_that_matches_counts),
        cmocka_unit_test(deadlocks_and_others_have_their_kinds),
        cmocka_unit_test(suspects_are_matched_by_their_sites),
        cmocka_unit_test(a_wrong_line_is_named),
        cmocka_unit_test(no_rules_match_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
