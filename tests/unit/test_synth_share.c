/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_synth_share.c - which objects of two sides are one, where they come from, and
 * which are not ended.
 *
 *     a_new() a_of(b) b_new()  set_f(a, b): a->f = b   use_g(c, a): c->g = a
 *     foo(a): a->f->x          bar(b): b->x            prepare(a)
 */
#include "unit.h"

#include "synth/share.h"

enum { A_NEW, A_OF, B_NEW, SET_F, USE_G, FOO, BAR, PREPARE, A_END, N_FNS };
enum { TYPE_A, TYPE_B, TYPE_C };
enum { F = 8, G = 16 };

static struct burl_synth_script script;
static struct burl_synth_table table;
static struct burl_gen_model model;
static struct burl_gen_test test;

static int
setup(void **state)
{
    (void)state;
    for (int i = 0; i < N_FNS; i++) {
        const bool makes = i <= B_NEW;
        struct burl_gen_fn f = { .kind = makes        ? BURL_GEN_MAKE
                                         : i == A_END ? BURL_GEN_DESTROY
                                                      : BURL_GEN_METHOD,
                                 .self = makes ? -1 : 0 };

        for (int k = 0; k < 2; k++)
            BURL_VEC_PUSH(&f.params, (struct burl_gen_param){ .ctype = "struct a *",
                                                              .role = BURL_GEN_ROLE_OBJECT,
                                                              .partner = -1 });
        BURL_VEC_PUSH(&model.fns, f);
    }
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl_gen_test_deinit(&test);
    burl_synth_script_deinit(&script);
    burl_synth_table_deinit(&table);
    for (size_t i = 0; i < model.fns.n; i++)
        BURL_VEC_FREE(&model.fns.v[i].params);
    BURL_VEC_FREE(&model.fns);
    return 0;
}

/* ---- a script by hand -------------------------------------------------------------------- */

/* A call with objects, -1 none; returns its number. */
static size_t
call(int fn, int arg, int arg2)
{
    struct burl_synth_script_call *c = BURL_VEC_ADD(&script.calls);
    const int args[2] = { arg, arg2 };

    c->unwritten = -1;
    c->c = (struct burl_gen_call){ .fn = fn, .slot = -1 };
    for (int k = 0; k < 2 && args[k] >= 0; k++)
        BURL_VEC_PUSH(&c->c.args, (struct burl_gen_arg){ .kind = BURL_GEN_ARG_SLOT, .i = args[k] });
    if (fn == A_END)
        script.objects.v[arg].ended = script.calls.n - 1;
    return script.calls.n - 1;
}

/* A call that makes an object, whose number is returned. Its address is that number times 4096. */
static int
make(int fn, int arg)
{
    const size_t at = call(fn, arg, -1);
    const int object = (int)script.objects.n;

    script.calls.v[at].c.slot = object;
    BURL_VEC_PUSH(&script.objects,
                  (struct burl_synth_object){ .addr = (uint64_t)(object + 1) << 12,
                                              .param = -1,
                                              .made = at,
                                              .ended = SIZE_MAX,
                                              .type = fn == B_NEW ? TYPE_B : TYPE_A });
    return object;
}

/* The arguments of the last call that makes something have no C form. */
static void
unwritten(size_t at)
{
    script.calls.v[at].unwritten = 0;
    script.calls.v[at].only_seed = 0;
}

static struct burl_synth_path
path(int root_type, int n, uint32_t off)
{
    struct burl_synth_path p = { .root = BURL_SYNTH_PARAM, .n = (uint8_t)n };

    p.type[0] = root_type;
    p.type[1] = TYPE_B;
    p.off[0] = off;
    return p;
}

/* An access to b->x in a call; `a` -1: the call is on b itself. */
static size_t
row(size_t at, int a, int b)
{
    struct burl_synth_dep d = { .call = at, .fn = script.calls.v[at].c.fn };

    d.path = a >= 0 ? path(TYPE_A, 1, F) : path(TYPE_B, 0, 0);
    d.object[0] = a >= 0 ? script.objects.v[a].addr : b >= 0 ? script.objects.v[b].addr : 0;
    d.object[1] = b >= 0 ? script.objects.v[b].addr : 0x77000; /* made by the library */
    BURL_VEC_PUSH(&table.deps, d);
    return table.deps.n - 1;
}

/* The assignment a->f = b of a call; `result`: a is what it returns. */
static struct burl_synth_setter
setter(size_t at, bool result)
{
    struct burl_synth_assign s = { .call = at, .fn = script.calls.v[at].c.fn };
    struct burl_synth_setter set = { .n = 1, .steps = 1, .assign = { table.assigns.n } };

    s.target = path(TYPE_A, 1, F);
    s.target.root = result ? BURL_SYNTH_RESULT : BURL_SYNTH_PARAM;
    s.source = path(TYPE_B, 0, 0);
    s.source.id = result ? 0 : 1;
    BURL_VEC_PUSH(&table.assigns, s);
    return set;
}

static enum burl_synth_built
share(size_t a, size_t b, const struct burl_synth_setter *set)
{
    struct burl_synth_pair p = { .a = a, .b = b, .fate = BURL_SYNTH_KEPT };

    if (set != NULL) {
        p.fate = BURL_SYNTH_KEPT_SETTER;
        p.set_a = p.set_b = *set;
    }
    return burl_synth_share_pair(&test, &p, &table, &script, &model);
}

/* ---- what is expected -------------------------------------------------------------------- */

static void
expect_call(const struct burl_gen_call *c, int fn, int slot, int arg, int arg2)
{
    assert_int_equal(c->fn, fn);
    assert_int_equal(c->slot, slot);
    assert_int_equal(c->args.n, (arg >= 0) + (arg2 >= 0));
    if (arg >= 0)
        assert_int_equal(c->args.v[0].i, arg);
    if (arg2 >= 0)
        assert_int_equal(c->args.v[1].i, arg2);
}

static void
expect_stop(size_t i, unsigned nth, size_t n_kept)
{
    assert_true(i < test.stops.n);
    assert_int_equal(test.stops.v[i].nth, nth);
    assert_int_equal(test.stops.v[i].kept.n, n_kept);
}

static void
expect_kept(size_t i, size_t k, unsigned nth, int param, int slot)
{
    const struct burl_gen_kept *o = &test.stops.v[i].kept.v[k];

    assert_int_equal(o->nth, nth);
    assert_int_equal(o->param, param);
    assert_int_equal(o->slot, slot);
}

/* ---- setters ----------------------------------------------------------------------------- */

/* The seed of foo() installs an object itself: the second side's call gets the same one. */
static void
seed_that_installs_is_given_the_shared_object(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    b = make(B_NEW, -1);
    set = setter(call(SET_F, a, b), false);
    (void)call(PREPARE, a, -1);
    d = row(call(FOO, a, -1), a, b);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 7);
    expect_call(&test.prefix.v[0], A_NEW, 0, -1, -1);
    expect_call(&test.prefix.v[1], B_NEW, 1, -1, -1);
    expect_call(&test.prefix.v[2], SET_F, -1, 0, 1);
    expect_call(&test.prefix.v[3], PREPARE, -1, 0, -1);
    expect_call(&test.prefix.v[4], A_NEW, 2, -1, -1);
    expect_call(&test.prefix.v[5], SET_F, -1, 2, 1);
    expect_call(&test.prefix.v[6], PREPARE, -1, 2, -1);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 2, -1);
    assert_int_equal(test.self, 1);
}

/* A constructor that is the setter keeps its place before the calls that prepare the owner. */
static void
factory_is_followed_by_the_calls_of_the_seed(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;
    int b;

    (void)state;
    b = make(B_NEW, -1);
    a = make(A_OF, b);
    set = setter(script.objects.v[a].made, true);
    (void)call(PREPARE, a, -1);
    d = row(call(FOO, a, -1), a, b);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 5);
    expect_call(&test.prefix.v[1], A_OF, 1, 0, -1);
    expect_call(&test.prefix.v[3], A_OF, 2, 0, -1);
    expect_call(&test.prefix.v[4], PREPARE, -1, 2, -1);
}

/* Without such a call the setter runs after the calls of the side, and a factory replaces the
 * owner. */
static void
factory_replaces_an_owner_that_has_an_object_of_its_own(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    d = row(call(FOO, a, -1), a, -1);
    b = make(B_NEW, -1);
    set = setter(script.objects.v[make(A_OF, b)].made, true);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 5);
    expect_call(&test.prefix.v[2], B_NEW, 2, -1, -1);
    expect_call(&test.prefix.v[3], A_OF, 3, 2, -1);
    expect_call(&test.prefix.v[4], A_OF, 4, 2, -1);
    expect_call(&test.threads[0].v[0], FOO, -1, 3, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 4, -1);
}

/* c->g = a after a->f = b: both owners are prepared with the same b. */
static void
concat_installs_one_object_behind_two_steps(void **state)
{
    struct burl_synth_setter set;
    struct burl_synth_setter outer;
    size_t d;
    int a;
    int b;
    int c;

    (void)state;
    c = make(A_NEW, -1);
    d = row(call(FOO, c, -1), c, -1);
    a = make(A_NEW, -1);
    b = make(B_NEW, -1);
    set = setter(call(SET_F, a, b), false);
    outer = setter(call(USE_G, c, a), false);
    table.assigns.v[outer.assign[0]].target.off[0] = G;
    set.assign[set.n++] = outer.assign[0];
    table.deps.v[d].path.off[0] = G;
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 9);
    expect_call(&test.prefix.v[2], A_NEW, 2, -1, -1);
    expect_call(&test.prefix.v[3], B_NEW, 3, -1, -1);
    expect_call(&test.prefix.v[4], SET_F, -1, 2, 3);
    expect_call(&test.prefix.v[5], USE_G, -1, 0, 2);
    expect_call(&test.prefix.v[6], A_NEW, 4, -1, -1);
    expect_call(&test.prefix.v[7], SET_F, -1, 4, 3);
    expect_call(&test.prefix.v[8], USE_G, -1, 1, 4);
    assert_int_equal(test.self, 3);
}

static void
setter_that_takes_over_gives_no_second_owner(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    d = row(call(FOO, a, -1), a, -1);
    set = setter(call(SET_F, a, make(B_NEW, -1)), false);
    model.fns.v[SET_F].params.v[1].consumes = true;
    assert_int_equal(share(d, d, &set), BURL_SYNTH_OWNED);
}

/* A setter that takes the object out again before it returns: only if no other one exists. */
static void
setter_that_stays_is_preferred(void **state)
{
    const struct burl_synth_path wanted = path(TYPE_A, 1, F);
    struct burl_synth_setter set;
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    b = make(B_NEW, -1);
    (void)setter(call(SET_F, a, b), false);
    (void)setter(call(USE_G, a, b), false);
    table.assigns.v[0].is_overwritten = true;
    assert_true(burl_synth_find_setter(&set, &table, &wanted, 1));
    assert_int_equal(set.assign[0], 1);
    assert_false(set.is_suspended);
    table.assigns.v[1].is_overwritten = true;
    assert_true(burl_synth_find_setter(&set, &table, &wanted, 1));
    assert_int_equal(set.assign[0], 0);
    assert_true(set.is_suspended);
}

/* It runs beside the two calls, and the goal stops it after its store. */
static void
suspended_setters_have_threads_of_their_own(void **state)
{
    struct burl_wire_goal g = { .kind = BURL_GOAL_TRIPLE };
    struct burl_synth_pair p = { .fate = BURL_SYNTH_KEPT_SETTER };
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    p.a = p.b = row(call(FOO, a, -1), a, -1);
    b = make(B_NEW, -1);
    p.set_a = setter(call(SET_F, a, b), false);
    table.assigns.v[0].is_overwritten = true;
    table.assigns.v[0].site = 77;
    p.set_a.is_suspended = true;
    p.set_b = p.set_a;
    assert_int_equal(burl_synth_share_pair(&test, &p, &table, &script, &model), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 3);
    assert_int_equal(test.n_threads, 4);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 1, -1);
    expect_call(&test.threads[2].v[0], SET_F, -1, 0, 2);
    expect_call(&test.threads[3].v[0], SET_F, -1, 1, 2);
    burl_synth_share_goal(&g, &p, &table, &test);
    assert_int_equal(g.triple.installers, 3);
    assert_int_equal(g.triple.install[0], 77);
    assert_int_equal(g.triple.install[1], 77);
}

/* ---- ends -------------------------------------------------------------------------------- */

static void
objects_end_as_in_the_seed_unless_they_have_two_owners(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    b = make(B_NEW, -1);
    set = setter(call(SET_F, a, b), false);
    d = row(call(FOO, a, -1), a, b);
    (void)call(A_END, a, -1);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    assert_true(burl_gen_test_ends(&test, test.self));
    assert_false(burl_gen_test_ends(&test, 1)); /* b, which the seed leaves to a */
    burl_gen_test_deinit(&test);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    for (int i = 0; i < test.n_slots; i++)
        assert_false(burl_gen_test_ends(&test, i));
}

/* ---- stopped seeds ----------------------------------------------------------------------- */

/* One execution of the seed is enough if the other side's call can be written. */
static void
seed_is_stopped_where_an_argument_has_no_literal(void **state)
{
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    unwritten(0);
    (void)call(PREPARE, a, -1);
    d = row(call(FOO, a, -1), a, -1);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    assert_int_equal(test.stops.n, 1);
    assert_int_equal(test.prefix.n, 0);
    expect_stop(0, 2, 1);
    expect_kept(0, 0, 2, 0, 0);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 0, -1);
    assert_false(burl_gen_test_ends(&test, 0));
    assert_int_equal(burl_gen_test_slot_type(&test, &model, 0), 0);
}

/* An argument of the racing call itself: each side has its own. */
static void
arguments_come_from_the_execution_of_their_side(void **state)
{
    size_t at;
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    at = call(FOO, a, -1);
    BURL_VEC_PUSH(&script.calls.v[at].c.args, (struct burl_gen_arg){ .kind = BURL_GEN_ARG_NULL });
    script.calls.v[at].unwritten = 1;
    script.calls.v[at].only_seed = 1u << 1;
    d = row(at, a, -1);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    assert_int_equal(test.stops.n, 2);
    for (int i = 0; i < 2; i++) {
        const struct burl_gen_arg *args = test.threads[i].v[0].args.v;

        assert_int_equal(args[0].kind, BURL_GEN_ARG_SLOT);
        assert_int_equal(args[0].i, 0);
        assert_int_equal(args[1].kind, BURL_GEN_ARG_STOPPED);
        assert_int_equal(args[1].i, i);
    }
    expect_stop(1, 1, 0);
}

/* The worked example with owners that only the seed can make. */
static void
setters_run_on_objects_of_stopped_seeds(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;
    int b;

    (void)state;
    a = make(A_NEW, -1);
    unwritten(0);
    d = row(call(FOO, a, -1), a, -1);
    b = make(B_NEW, -1);
    set = setter(call(SET_F, a, b), false);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_BUILT);
    assert_int_equal(test.stops.n, 2);
    assert_int_equal(test.prefix.n, 3);
    expect_call(&test.prefix.v[0], B_NEW, 1, -1, -1);
    expect_call(&test.prefix.v[1], SET_F, -1, 0, 1);
    expect_call(&test.prefix.v[2], SET_F, -1, 2, 1);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 2, -1);
}

/* b inside a stopped seed cannot be replaced: it is given to the side where it can. */
static void
object_inside_a_stopped_seed_is_given_to_the_other_side(void **state)
{
    size_t foo;
    size_t bar;
    int a;
    int b;

    (void)state;
    b = make(B_NEW, -1);
    a = make(A_OF, b);
    unwritten(script.objects.v[a].made);
    foo = row(call(FOO, a, -1), a, b);
    bar = row(call(BAR, b, -1), -1, b);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(i == 0 ? share(bar, foo, NULL) : share(foo, bar, NULL), BURL_SYNTH_BUILT);
        assert_int_equal(test.stops.n, 1);
        expect_stop(0, 2, 2);
        expect_kept(0, 0, 0, -1, 0);
        expect_call(&test.threads[i == 0].v[0], FOO, -1, 1, -1);
        expect_call(&test.threads[i != 0].v[0], BAR, -1, 0, -1);
        burl_gen_test_deinit(&test);
    }
}

/* Two executions would have one static object; one execution is harmless. */
static void
static_objects_allow_one_execution_of_the_seed(void **state)
{
    struct burl_synth_setter set;
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    unwritten(0);
    script.calls.v[0].uses_static = true;
    d = row(call(FOO, a, -1), a, -1);
    set = setter(call(SET_F, a, make(B_NEW, -1)), false);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    burl_gen_test_deinit(&test);
    assert_int_equal(share(d, d, &set), BURL_SYNTH_STATIC_SEED);
}

static void
seed_that_no_test_can_contain_is_not_stopped(void **state)
{
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    unwritten(0);
    d = row(call(FOO, a, -1), a, -1);
    BURL_VEC_PUSH(&script.whole, 0);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_UNWRITTEN);
}

/* The object lies inside a block of the client's: its address is not that of the block. */
static void
argument_is_known_by_its_place(void **state)
{
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    d = row(call(FOO, a, -1), a, -1);
    table.deps.v[d].object[0] -= 40;
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 1);
}

/* Copies are equal, and a stop is part of what makes a test. */
static void
stops_belong_to_the_identity_of_a_test(void **state)
{
    struct burl_gen_test copy;
    uint64_t hash;
    size_t d;
    int a;

    (void)state;
    a = make(A_NEW, -1);
    unwritten(0);
    d = row(call(FOO, a, -1), a, -1);
    assert_int_equal(share(d, d, NULL), BURL_SYNTH_BUILT);
    hash = burl_gen_test_hash(&test);
    copy = burl_gen_test_copy(&test);
    assert_true(burl_gen_test_hash(&copy) == hash);
    copy.stops.v[0].nth++;
    assert_true(burl_gen_test_hash(&copy) != hash);
    copy.stops.v[0].nth--;
    copy.stops.v[0].kept.v[0].param = -1;
    assert_true(burl_gen_test_hash(&copy) != hash);
    burl_gen_test_deinit(&copy);
}

#define LAW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LAW(seed_that_installs_is_given_the_shared_object),
        LAW(factory_is_followed_by_the_calls_of_the_seed),
        LAW(factory_replaces_an_owner_that_has_an_object_of_its_own),
        LAW(concat_installs_one_object_behind_two_steps),
        LAW(setter_that_takes_over_gives_no_second_owner),
        LAW(setter_that_stays_is_preferred),
        LAW(suspended_setters_have_threads_of_their_own),
        LAW(objects_end_as_in_the_seed_unless_they_have_two_owners),
        LAW(seed_is_stopped_where_an_argument_has_no_literal),
        LAW(arguments_come_from_the_execution_of_their_side),
        LAW(setters_run_on_objects_of_stopped_seeds),
        LAW(object_inside_a_stopped_seed_is_given_to_the_other_side),
        LAW(static_objects_allow_one_execution_of_the_seed),
        LAW(seed_that_no_test_can_contain_is_not_stopped),
        LAW(argument_is_known_by_its_place),
        LAW(stops_belong_to_the_identity_of_a_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
