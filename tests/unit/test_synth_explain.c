/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_synth_explain.c - pairs, lock pairs and stories in words.
 *
 *     struct a { lock; struct b *f; };        struct b { lock; long x; };
 *     set_f(a, b)  a->f = b;                                       line 10
 *     foo(a)       lock a (20); a->f (21) ->x += 1 (22, 23); unlock
 *     bar(b)       lock b (30); b->x += 1 (31, 32); unlock
 *     both(a, b)   lock a (40); lock b (41); unlock both
 *     back(b, a)   lock b (50); lock a (51); unlock both
 */
#include "unit.h"

#include "synth/explain.h"
#include "synth/story.h"

enum { SET_F, FOO, BAR, BOTH, BACK, N_FNS };
enum { TYPE_A, TYPE_B };
enum { A = 0x1000, B = 0x2000, LOCK = 0, F = 8, X = 8 };

#define R BURL_SYNTH_READ
#define W BURL_SYNTH_WRITE

static struct burl_gen_param params[N_FNS][2] = {
    [SET_F] = { { .name = "a" }, { .name = "b" } },
    [FOO] = { { .name = "a" } },
    [BAR] = { { .name = "b" } },
    [BOTH] = { { .name = "a" }, { .name = "b" } },
    [BACK] = { { .name = "b" }, { .name = "a" } },
};
static struct burl_gen_fn fns[N_FNS] = {
    [SET_F] = { .name = "set_f", .params = { .v = params[SET_F], .n = 2 } },
    [FOO] = { .name = "foo", .params = { .v = params[FOO], .n = 1 } },
    [BAR] = { .name = "bar", .params = { .v = params[BAR], .n = 1 } },
    [BOTH] = { .name = "both", .params = { .v = params[BOTH], .n = 2 } },
    [BACK] = { .name = "back", .params = { .v = params[BACK], .n = 2 } },
};
static struct burl_gen_model model = { .header = "ab.h", .fns = { .v = fns, .n = N_FNS } };

static struct burl_synth s;
static struct burl_sites *sites;

/* ---- a log by hand; a site is a line ----------------------------------------------------- */

static struct burl_synth_call *
call(int fn, int type, uint64_t arg, int type2, uint64_t arg2)
{
    struct burl_synth_call *c = BURL_VEC_ADD(&s.log.calls);

    c->fn = fn;
    c->result_type = -1;
    c->first = s.log.events.n;
    c->args[0] = (struct burl_synth_arg){ .bits = arg, .type = type };
    c->args[1] = (struct burl_synth_arg){ .bits = arg2, .type = type2 };
    c->n_args = 1 + (arg2 != 0);
    return c;
}

static void
event(int kind, uint64_t addr, unsigned access, uint64_t value, uint32_t line)
{
    BURL_VEC_PUSH(&s.log.events,
                  (struct burl_synth_event){ .kind = (uint8_t)kind,
                                             .access = (uint8_t)access,
                                             .flags = value != 0 ? BURL_SYNTH_F_POINTER : 0,
                                             .site = line,
                                             .addr = addr,
                                             .size_b = kind == BURL_SYNTH_ALLOC ? 24 : 8,
                                             .value = value });
    if (s.log.calls.n > 0)
        s.log.calls.v[s.log.calls.n - 1].n_events++;
}

static void
nest(int fn, int type, uint64_t outer, int type2, uint64_t inner, uint32_t line)
{
    call(fn, type, outer, type2, inner);
    event(BURL_SYNTH_LOCK, outer + LOCK, 0, 0, line);
    event(BURL_SYNTH_LOCK, inner + LOCK, 0, 0, line + 1);
    event(BURL_SYNTH_UNLOCK, inner + LOCK, 0, 0, line + 2);
    event(BURL_SYNTH_UNLOCK, outer + LOCK, 0, 0, line + 3);
}

static void
write_log(void)
{
    event(BURL_SYNTH_ALLOC, A, 0, 0, 1);
    event(BURL_SYNTH_ALLOC, B, 0, 0, 2);
    call(SET_F, TYPE_A, A, TYPE_B, B);
    event(BURL_SYNTH_ACCESS, A + F, W, B, 10);
    call(FOO, TYPE_A, A, -1, 0);
    event(BURL_SYNTH_LOCK, A + LOCK, 0, 0, 20);
    event(BURL_SYNTH_ACCESS, A + F, R, B, 21);
    event(BURL_SYNTH_ACCESS, B + X, R, 0, 22);
    event(BURL_SYNTH_ACCESS, B + X, W, 0, 23);
    event(BURL_SYNTH_UNLOCK, A + LOCK, 0, 0, 24);
    call(BAR, TYPE_B, B, -1, 0);
    event(BURL_SYNTH_LOCK, B + LOCK, 0, 0, 30);
    event(BURL_SYNTH_ACCESS, B + X, R, 0, 31);
    event(BURL_SYNTH_ACCESS, B + X, W, 0, 32);
    event(BURL_SYNTH_UNLOCK, B + LOCK, 0, 0, 33);
    nest(BOTH, TYPE_A, A, TYPE_B, B, 40);
    nest(BACK, TYPE_B, B, TYPE_A, A, 50);
}

static void
make_sites(void)
{
    static const struct {
        uint32_t line;
        const char *variable;
    } places[] = { { 10, "a->f" }, { 20, "" }, { 21, "a->f" }, { 22, "b->x" },
                   { 23, "b->x" }, { 30, "" }, { 31, "b->x" }, { 32, "b->x" },
                   { 40, "" },     { 41, "" }, { 50, "" },     { 51, "" } };
    struct burl_site_info infos[sizeof places / sizeof *places];

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        infos[i] = (struct burl_site_info){ .id = places[i].line,
                                            .file = "/nowhere/ab.c",
                                            .dir = "",
                                            .func = "",
                                            .variable = places[i].variable,
                                            .module = "",
                                            .line = places[i].line };
    sites = burl_sites_new_fixed(infos, sizeof infos / sizeof *infos);
}

/* One test, for the first pair that was kept by setters and the lock pair. */
static void
plan(size_t of)
{
    struct burl_synth_test *t;
    struct burl_gen_call c = { .fn = FOO };

    for (size_t i = 0; i < s.pairs.n + 1; i++)
        BURL_VEC_PUSH(&s.planned, (struct burl_synth_planned){ .test = BURL_SYNTH_NO_TEST });
    BURL_VEC_PUSH(&s.lock_pairs, (struct burl_synth_lock_pair){ .a = 0, .b = 1, .n_same = 1 });
    t = BURL_VEC_ADD(&s.tests);
    t->test.n_threads = 2;
    BURL_VEC_PUSH(&t->test.threads[0], c);
    BURL_VEC_PUSH(&t->test.threads[1], c);
    t->result = BURL_SYNTH_HARMFUL;
    BURL_VEC_PUSH(&t->pairs, of);
    BURL_VEC_PUSH(&t->lock_pairs, 0);
    burl_synth_test_add_finding(t, 7);
    burl_synth_test_add_finding(t, 7);
    s.planned.v[of].test = 0;
    s.planned.v[s.pairs.n].built = BURL_SYNTH_UNSHARED;
}

static size_t
pair_of(enum burl_synth_for what, int a, int b, enum burl_synth_fate fate)
{
    for (size_t i = 0; i < s.pairs.n; i++) {
        const struct burl_synth_pair *p = &s.pairs.v[i];

        if (p->what == what && s.table.deps.v[p->a].fn == a && s.table.deps.v[p->b].fn == b &&
            p->fate == fate)
            return i;
    }
    fail_msg("no such pair");
    return 0;
}

static int
setup(void **state)
{
    (void)state;
    s = (struct burl_synth){ .m = &model };
    write_log();
    make_sites();
    s.table = burl_synth_analyze(&s.log);
    burl_synth_pairs_find(&s.pairs, &s.table, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&s.pairs, &s.table);
    assert_int_equal(s.table.nests.n, 2);
    plan(pair_of(BURL_SYNTH_ATOMICITY, FOO, FOO, BURL_SYNTH_KEPT_SETTER));
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl_synth_deinit(&s);
    burl_sites_free(sites);
    return 0;
}

/* ---- laws -------------------------------------------------------------------------------- */

static char *
explained(size_t number)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_synth_explain(&s, sites, number, &b);
    return burl_buf_take(&b, NULL);
}

static void
a_kept_pair_tells_paths_locks_setters_and_result(void **state)
{
    size_t at = pair_of(BURL_SYNTH_ATOMICITY, FOO, FOO, BURL_SYNTH_KEPT_SETTER);
    char *text = explained(at + 1);
    char *head = burl_xasprintf("pair %zu: atomicity\n", at + 1);

    (void)state;
    assert_ptr_equal(strstr(text, head), text);
    assert_string_equal(
        text + strlen(head),
        "  thread A calls foo(a)\n"
        "    p: read of a->f->x at ab.c:22\n"
        "    c: write of a->f->x at ab.c:23\n"
        "    locks held at c (HR): a->lock+0\n"
        "    held from p to c (HC): a->lock+0\n"
        "  thread B calls foo(a)\n"
        "    r: write of a->f->x at ab.c:23\n"
        "    locks held at r (HR): a->lock+0\n"
        "  dominant lock: a->lock+0\n"
        "  setter of thread A: set_f(a, b) with a->f := b at ab.c:10\n"
        "  setter of thread B: set_f(a, b) with a->f := b at ab.c:10\n"
        "  kept: the common lock is above the object, and a setter gives the threads different "
        "owners of one object\n"
        "  test 1: harmful, finding 7\n\n");
    free(head);
    free(text);
}

static void
a_dropped_pair_tells_its_lock_and_has_no_test(void **state)
{
    size_t at = pair_of(BURL_SYNTH_ATOMICITY, BAR, BAR, BURL_SYNTH_OWN_LOCK);
    char *text = explained(at + 1);

    (void)state;
    EXPECT_CONTAINS(text, "  dominant lock: b->lock+0\n");
    EXPECT_CONTAINS(text, "  dropped: the common lock is in the accessed object itself\n");
    assert_null(strstr(text, "test"));
    free(text);
}

static void
lock_pairs_are_numbered_after_pairs_of_accesses(void **state)
{
    char *text = explained(s.pairs.n + 1);
    char *head = burl_xasprintf("pair %zu: deadlock\n", s.pairs.n + 1);

    (void)state;
    assert_ptr_equal(strstr(text, head), text);
    EXPECT_CONTAINS(text, "  thread A calls both(a, b)\n"
                          "    takes a->lock+0 at ab.c:40, then b->lock+0 at ab.c:41\n");
    EXPECT_CONTAINS(text, "  thread B calls back(b, a)\n"
                          "    takes b->lock+0 at ab.c:50, then a->lock+0 at ab.c:51\n");
    EXPECT_CONTAINS(text, "  no test: the client has no object");
    free(head);
    free(text);
}

static void
the_table_has_one_line_for_each_pair(void **state)
{
    struct burl_buf b = BURL_BUF_INIT;
    size_t lines = 0;

    (void)state;
    burl_synth_explain_all(&s, sites, &b);
    for (const char *p = burl_buf_str(&b); *p; p++)
        lines += *p == '\n';
    assert_int_equal(lines, 1 + burl_synth_n_pairs(&s));
    EXPECT_CONTAINS(burl_buf_str(&b),
                    "  atomicity  R-W-W   foo       foo       a->f->x"
                    "               kept by setter; test 1: harmful, finding 7\n");
    burl_buf_deinit(&b);
}

static void
a_story_is_about_the_pair_that_the_run_reached(void **state)
{
    const struct burl_wire_goal cycle = {
        .kind = BURL_GOAL_CYCLE,
        .cycle = { .n = 2, .threads = { { 50, 51 }, { 40, 41 } } },
    };
    const struct burl_wire_goal triple = { .kind = BURL_GOAL_TRIPLE, .triple = { 22, 23, 23 } };
    const struct burl_wire_goal other = { .kind = BURL_GOAL_TRIPLE, .triple = { 31, 32, 32 } };
    struct burl_buf b = BURL_BUF_INIT;

    (void)state;
    burl_synth_story(&s, sites, 0, &cycle, &b);
    EXPECT_CONTAINS(burl_buf_str(&b), "The calls take the same two locks in opposite orders:\n");
    EXPECT_CONTAINS(burl_buf_str(&b), "1 more pair of accesses led to this test: ");
    burl_buf_clear(&b);
    burl_synth_story(&s, sites, 0, &triple, &b);
    EXPECT_CONTAINS(burl_buf_str(&b), "Two calls of foo() can collide on one object: a->f->x of "
                                      "thread A is a->f->x of thread B.\n");
    EXPECT_CONTAINS(burl_buf_str(&b), "The setters install one object in two owners");
    assert_null(strstr(burl_buf_str(&b), "directed at something else"));
    burl_buf_clear(&b);
    burl_synth_story(&s, sites, 0, &other, &b);
    EXPECT_CONTAINS(burl_buf_str(&b), "directed at something else");
    burl_buf_deinit(&b);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kept_pair_tells_paths_locks_setters_and_result, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_dropped_pair_tells_its_lock_and_has_no_test, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(lock_pairs_are_numbered_after_pairs_of_accesses, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(the_table_has_one_line_for_each_pair, setup, teardown),
        cmocka_unit_test_setup_teardown(a_story_is_about_the_pair_that_the_run_reached, setup,
                                        teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
