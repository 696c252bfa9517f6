/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/test_synth_pairs.c - the paper's worked example from the log to the test: rows of D,
 * pairs, fates, setters, sharing. And the rules of the C mapping, one small log each.
 *
 *     struct a { lock; struct b *f, *g; };        struct b { lock; long x, y, z; };
 *     set_f(a, b)  a->f = b;
 *     foo(a)       lock a; a->f->x += 1; unlock a                  (d1..d3)
 *     baz(a)       lock a; t = a->g->y; lock g; g->y = t + 1; ...  (d4..d6)
 *     bar(b)       lock b; z; b->y += 1; unlock b                  (d7..d9)
 */
#include "unit.h"

#include "synth/pairs.h"
#include "synth/script.h"
#include "synth/share.h"

enum { A_NEW, B_NEW, SET_F, FOO, BAZ, BAR, N_FNS };
enum { TYPE_A, TYPE_B };
enum { LOCK = 0, F = 8, G = 16, X = 8, Y = 16, Z = 24 };

#define R BURL_SYNTH_READ
#define W BURL_SYNTH_WRITE

static struct burl_synth_log log_;
static uint32_t next_site;

static int
setup(void **state)
{
    (void)state;
    log_ = (struct burl_synth_log){ 0 };
    next_site = 1;
    return 0;
}

static int
teardown(void **state)
{
    (void)state;
    burl_synth_log_deinit(&log_);
    return 0;
}

/* ---- a log by hand ----------------------------------------------------------------------- */

static struct burl_synth_call *
call(int fn, int type, uint64_t arg, int type2, uint64_t arg2)
{
    struct burl_synth_call *c = BURL_VEC_ADD(&log_.calls);

    c->fn = fn;
    c->nth = (unsigned)log_.calls.n - 1;
    c->is_life_cycle = fn == A_NEW || fn == B_NEW;
    c->result_type = -1;
    c->first = log_.events.n;
    c->args[0] = (struct burl_synth_arg){ .bits = arg, .type = type };
    c->args[1] = (struct burl_synth_arg){ .bits = arg2, .type = type2 };
    c->n_args = (arg != 0) + (arg2 != 0);
    return c;
}

static void
event(struct burl_synth_event e)
{
    e.site = next_site++;
    BURL_VEC_PUSH(&log_.events, e);
    log_.calls.v[log_.calls.n - 1].n_events++;
}

static void
access_(uint64_t addr, unsigned how)
{
    event((struct burl_synth_event){ .access = (uint8_t)how, .addr = addr, .size_b = 8 });
}

static void
pointer(uint64_t addr, unsigned how, uint64_t value)
{
    event((struct burl_synth_event){ .access = (uint8_t)how,
                                     .addr = addr,
                                     .size_b = 8,
                                     .value = value,
                                     .flags = BURL_SYNTH_F_POINTER });
}

static void
lock(uint64_t addr, unsigned flags)
{
    event((struct burl_synth_event){
        .kind = BURL_SYNTH_LOCK, .addr = addr, .flags = (uint16_t)flags });
}

static void
unlock(uint64_t addr)
{
    event((struct burl_synth_event){ .kind = BURL_SYNTH_UNLOCK, .addr = addr });
}

static void
make(int fn, uint64_t addr, uint64_t size_b)
{
    struct burl_synth_call *c = call(fn, -1, 0, -1, 0);

    c->result = addr;
    c->result_type = fn == A_NEW ? TYPE_A : TYPE_B;
    event((struct burl_synth_event){ .kind = BURL_SYNTH_ALLOC, .addr = addr, .size_b = size_b });
    log_.events.v[log_.events.n - 1].site = fn == A_NEW ? 1000 : 1001;
}

static void
foo(uint64_t a, uint64_t f)
{
    call(FOO, TYPE_A, a, -1, 0);
    lock(a + LOCK, 0);
    pointer(a + F, R, f);
    access_(f + X, R);
    access_(f + X, W);
    unlock(a + LOCK);
}

static void
baz(uint64_t a, uint64_t g)
{
    call(BAZ, TYPE_A, a, -1, 0);
    lock(a + LOCK, 0);
    pointer(a + G, R, g);
    access_(g + Y, R);
    lock(g + LOCK, 0);
    access_(g + Y, W);
    unlock(g + LOCK);
    unlock(a + LOCK);
}

static void
bar(uint64_t b)
{
    call(BAR, TYPE_B, b, -1, 0);
    lock(b + LOCK, 0);
    access_(b + Z, R);
    access_(b + Y, R);
    access_(b + Y, W);
    unlock(b + LOCK);
}

static void
set_f(uint64_t a, uint64_t b)
{
    call(SET_F, TYPE_A, a, TYPE_B, b);
    pointer(a + F, W, b);
}

/* The seed of the example. The objects at a + 0x100 and a + 0x200 are those that a_new() makes for
 * f and g. */
static void
seed(uint64_t a)
{
    make(A_NEW, a, 24);
    for (uint64_t in = a + 0x100; in <= a + 0x200; in += 0x100) {
        event((struct burl_synth_event){ .kind = BURL_SYNTH_ALLOC, .addr = in, .size_b = 32 });
        log_.events.v[log_.events.n - 1].site = 1002;
    }
    pointer(a + F, W, a + 0x100);
    pointer(a + G, W, a + 0x200);
}

static void
whole_seed(void)
{
    seed(0x1000);
    foo(0x1000, 0x1100);
    baz(0x1000, 0x1200);
    make(B_NEW, 0x3000, 32);
    bar(0x3000);
    set_f(0x1000, 0x3000);
    foo(0x1000, 0x3000);
}

/* ---- rows -------------------------------------------------------------------------------- */

static size_t
row(const struct burl_synth_table *t, int fn, unsigned steps, uint64_t off, unsigned previous,
    unsigned current)
{
    for (size_t i = 0; i < t->deps.n; i++) {
        const struct burl_synth_dep *d = &t->deps.v[i];

        if (d->fn == fn && d->path.n == steps && d->off == off && d->previous == previous &&
            d->current == current)
            return i;
    }
    fail_msg("no row of function %d at +%lu", fn, (unsigned long)off);
    return 0;
}

static const struct burl_synth_pair *
pair(const struct burl_synth_pairs *p, size_t a, size_t b)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i].a == a && p->v[i].b == b)
            return &p->v[i];
    }
    return NULL;
}

static void
rows_of_the_example(void **state)
{
    struct burl_synth_table t;
    const struct burl_synth_dep *d;

    (void)state;
    whole_seed();
    t = burl_synth_analyze(&log_);
    d = &t.deps.v[row(&t, FOO, 0, F, 0, R)]; /* d1 */
    assert_int_equal(d->hr.n, 1);
    assert_int_equal(d->hc.n, 1);
    row(&t, FOO, 1, X, 0, R);                /* d2 */
    d = &t.deps.v[row(&t, FOO, 1, X, R, W)]; /* d3 */
    assert_int_equal(d->path.off[0], F);
    assert_int_equal(d->hr.n, 1);
    assert_int_equal(d->hr.v[0].steps, 0);
    assert_int_equal(d->hc.n, 1);
    row(&t, BAZ, 0, G, 0, R);                /* d4 */
    d = &t.deps.v[row(&t, BAZ, 1, Y, 0, R)]; /* d5 */
    assert_int_equal(d->hr.n, 1);
    d = &t.deps.v[row(&t, BAZ, 1, Y, R, W)]; /* d6: g is held now, and was not at the read */
    assert_int_equal(d->hr.n, 2);
    assert_int_equal(d->hc.n, 1);
    assert_int_equal(d->hc.v[0].steps, 0);
    row(&t, BAR, 0, Z, 0, R);                /* d7 */
    row(&t, BAR, 0, Y, 0, R);                /* d8 */
    d = &t.deps.v[row(&t, BAR, 0, Y, R, W)]; /* d9 */
    assert_int_equal(d->hr.n, 1);
    assert_int_equal(d->hc.n, 1);
    assert_int_equal(t.assigns.n, 1);
    assert_int_equal(t.assigns.v[0].fn, SET_F);
    burl_synth_table_deinit(&t);
}

static void
fates_of_the_example(void **state)
{
    struct burl_synth_table t;
    struct burl_synth_pairs p = { 0 };
    size_t d3;
    size_t d6;
    size_t d9;

    (void)state;
    whole_seed();
    t = burl_synth_analyze(&log_);
    burl_synth_pairs_find(&p, &t, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&p, &t);
    d3 = row(&t, FOO, 1, X, R, W);
    d6 = row(&t, BAZ, 1, Y, R, W);
    d9 = row(&t, BAR, 0, Y, R, W);
    assert_int_equal(pair(&p, d3, d3)->fate, BURL_SYNTH_KEPT_SETTER);
    assert_int_equal(pair(&p, d3, d3)->dominant, 0);
    assert_int_equal(pair(&p, d3, d3)->set_a.n, 1);
    assert_int_equal(t.assigns.v[pair(&p, d3, d3)->set_a.assign[0]].fn, SET_F);
    assert_int_equal(pair(&p, d6, d6)->fate, BURL_SYNTH_NO_SETTER);
    assert_int_equal(pair(&p, d6, d6)->dominant, 0);
    assert_int_equal(pair(&p, d6, d9)->fate, BURL_SYNTH_KEPT);
    assert_int_equal(pair(&p, d6, d9)->dominant, -1);
    assert_int_equal(pair(&p, d9, d6)->fate, BURL_SYNTH_OWN_LOCK);
    assert_int_equal(pair(&p, d9, d9)->fate, BURL_SYNTH_OWN_LOCK);
    assert_null(pair(&p, d3, d9)); /* another field */
    burl_synth_pairs_deinit(&p);
    burl_synth_table_deinit(&t);
}

static void
four_triples_are_unserializable(void **state)
{
    static const uint8_t yes[][3] = { { R, W, R }, { W, W, R }, { R, W, W }, { W, R, W } };
    unsigned n = 0;

    (void)state;
    for (uint8_t p = R; p <= W; p++) {
        for (uint8_t r = R; r <= W; r++) {
            for (uint8_t c = R; c <= W; c++)
                n += burl_synth_is_unserializable(p, r, c);
        }
    }
    assert_int_equal(n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(burl_synth_is_unserializable(yes[i][0], yes[i][1], yes[i][2]));
    assert_false(burl_synth_is_unserializable(BURL_SYNTH_NONE, W, R));
    assert_true(burl_synth_is_unserializable(R, BURL_SYNTH_RMW, BURL_SYNTH_RMW));
    assert_true(burl_synth_is_unserializable(W, BURL_SYNTH_RMW, W));
}

/* ---- sharing ----------------------------------------------------------------------------- */

static struct burl_gen_model
model(void)
{
    static struct burl_gen_fn fns[N_FNS];
    struct burl_gen_model m = { 0 };

    for (int i = 0; i < N_FNS; i++) {
        fns[i] = (struct burl_gen_fn){ .kind = i < SET_F ? BURL_GEN_MAKE : BURL_GEN_METHOD,
                                       .self = i < SET_F ? -1 : 0 };
        BURL_VEC_PUSH(&m.fns, fns[i]);
    }
    return m;
}

/* The script of the log: results of makers are objects, arguments are looked up. */
static struct burl_synth_script
script(void)
{
    struct burl_synth_script s = { 0 };

    for (size_t i = 0; i < log_.calls.n; i++) {
        const struct burl_synth_call *c = &log_.calls.v[i];
        struct burl_synth_script_call *n = BURL_VEC_ADD(&s.calls);

        n->unwritten = -1;
        n->c = (struct burl_gen_call){ .fn = c->fn, .slot = -1 };
        for (unsigned k = 0; k < c->n_args; k++) {
            int object = burl_synth_script_object(&s, 0, i, c->args[k].bits);

            assert_true(object >= 0);
            BURL_VEC_PUSH(&n->c.args,
                          (struct burl_gen_arg){ .kind = BURL_GEN_ARG_SLOT, .i = object });
        }
        if (c->is_life_cycle) {
            n->c.slot = (int)s.objects.n;
            BURL_VEC_PUSH(&s.objects, (struct burl_synth_object){ .addr = c->result,
                                                                  .param = -1,
                                                                  .made = i,
                                                                  .ended = SIZE_MAX,
                                                                  .type = c->result_type });
        }
    }
    return s;
}

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

/* "a1.setF(b3); a2.setF(b3); threads a1.foo() and a2.foo()". */
static void
setters_install_one_object_into_two_owners(void **state)
{
    struct burl_synth_table t;
    struct burl_synth_pairs p = { 0 };
    struct burl_gen_model m = model();
    struct burl_synth_script s;
    struct burl_gen_test test;
    size_t d3;

    (void)state;
    seed(0x1000);
    foo(0x1000, 0x1100);
    seed(0x5000);
    make(B_NEW, 0x3000, 32);
    set_f(0x5000, 0x3000);
    s = script();
    t = burl_synth_analyze(&log_);
    burl_synth_pairs_find(&p, &t, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&p, &t);
    d3 = row(&t, FOO, 1, X, R, W);
    assert_int_equal(burl_synth_share_pair(&test, pair(&p, d3, d3), &t, &s, &m), BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 5);
    expect_call(&test.prefix.v[0], A_NEW, 0, -1, -1);
    expect_call(&test.prefix.v[1], A_NEW, 1, -1, -1);
    expect_call(&test.prefix.v[2], B_NEW, 2, -1, -1);
    expect_call(&test.prefix.v[3], SET_F, -1, 0, 2);
    expect_call(&test.prefix.v[4], SET_F, -1, 1, 2);
    assert_int_equal(test.n_threads, 2);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], FOO, -1, 1, -1);
    assert_int_equal(test.self, 2);
    burl_gen_test_deinit(&test);
    burl_synth_pairs_deinit(&p);
    burl_synth_table_deinit(&t);
    burl_synth_script_deinit(&s);
    BURL_VEC_FREE(&m.fns);
}

/* (d6, d9) on an object that the client put there itself: baz(a) and bar(b) with a->g == b. */
static void
without_a_common_lock_the_object_is_shared(void **state)
{
    struct burl_synth_table t;
    struct burl_synth_pairs p = { 0 };
    struct burl_gen_model m = model();
    struct burl_synth_script s;
    struct burl_gen_test test;

    (void)state;
    seed(0x1000);
    make(B_NEW, 0x3000, 32);
    set_f(0x1000, 0x3000);
    foo(0x1000, 0x3000);
    call(BAR, TYPE_B, 0x3000, -1, 0);
    access_(0x3000 + X, W);
    s = script();
    t = burl_synth_analyze(&log_);
    burl_synth_pairs_find(&p, &t, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&p, &t);
    assert_int_equal(
        burl_synth_share_pair(&test, pair(&p, row(&t, FOO, 1, X, R, W), row(&t, BAR, 0, X, 0, W)),
                              &t, &s, &m),
        BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 3);
    expect_call(&test.threads[0].v[0], FOO, -1, 0, -1);
    expect_call(&test.threads[1].v[0], BAR, -1, 1, -1);
    burl_gen_test_deinit(&test);
    burl_synth_pairs_deinit(&p);
    burl_synth_table_deinit(&t);
    burl_synth_script_deinit(&s);
    BURL_VEC_FREE(&m.fns);
}

/* ---- the mapping to C -------------------------------------------------------------------- */

static enum burl_synth_fate
fate_of(size_t (*a)(const struct burl_synth_table *), size_t (*b)(const struct burl_synth_table *))
{
    struct burl_synth_table t = burl_synth_analyze(&log_);
    struct burl_synth_pairs p = { 0 };
    enum burl_synth_fate fate;

    burl_synth_pairs_find(&p, &t, BURL_SYNTH_ATOMICITY);
    burl_synth_pairs_scan(&p, &t);
    assert_non_null(pair(&p, a(&t), b(&t)));
    fate = pair(&p, a(&t), b(&t))->fate;
    burl_synth_pairs_deinit(&p);
    burl_synth_table_deinit(&t);
    return fate;
}

static size_t
bar_update(const struct burl_synth_table *t)
{
    return row(t, BAR, 0, Y, R, W);
}

static size_t
bar_reread(const struct burl_synth_table *t)
{
    return row(t, BAR, 0, Y, R, R);
}

static size_t
foo_write(const struct burl_synth_table *t)
{
    return row(t, FOO, 0, Y, 0, W);
}

static void
update_under(uint64_t b, uint64_t lock_at, unsigned flags)
{
    call(BAR, TYPE_B, b, -1, 0);
    lock(lock_at, flags);
    access_(b + Y, R);
    access_(b + Y, W);
    unlock(lock_at);
}

static void
global_lock_cannot_be_parted(void **state)
{
    (void)state;
    BURL_VEC_PUSH(&log_.statics, (struct burl_synth_static){ 0x100, 64, burl_xstrdup("guard") });
    make(B_NEW, 0x3000, 32);
    update_under(0x3000, 0x108, 0);
    assert_int_equal(fate_of(bar_update, bar_update), BURL_SYNTH_GLOBAL_LOCK);
}

static void
readers_do_not_exclude_each_other(void **state)
{
    (void)state;
    make(B_NEW, 0x3000, 32);
    update_under(0x3000, 0x3000, BURL_SYNTH_F_SHARED);
    assert_int_equal(fate_of(bar_update, bar_update), BURL_SYNTH_KEPT);
}

static void
writer_excludes_reader(void **state)
{
    (void)state;
    make(B_NEW, 0x3000, 32);
    call(BAR, TYPE_B, 0x3000, -1, 0);
    lock(0x3000, BURL_SYNTH_F_SHARED);
    access_(0x3000 + Y, R);
    access_(0x3000 + Y, R);
    unlock(0x3000);
    call(FOO, TYPE_B, 0x3000, -1, 0);
    lock(0x3000, 0);
    access_(0x3000 + Y, W);
    unlock(0x3000);
    assert_int_equal(fate_of(bar_reread, foo_write), BURL_SYNTH_OWN_LOCK);
}

/* The lock is a block of its own, reached by a pointer of the object. */
static void
lock_behind_a_pointer_belongs_to_the_object(void **state)
{
    (void)state;
    make(B_NEW, 0x3000, 32);
    event((struct burl_synth_event){ .kind = BURL_SYNTH_ALLOC, .addr = 0x4000, .size_b = 40 });
    call(BAR, TYPE_B, 0x3000, -1, 0);
    pointer(0x3000, R, 0x4000);
    lock(0x4000, 0);
    access_(0x3000 + Y, R);
    access_(0x3000 + Y, W);
    unlock(0x4000);
    assert_int_equal(fate_of(bar_update, bar_update), BURL_SYNTH_OWN_LOCK);
}

/* Released and taken again between the accesses: not held throughout, so not in HC. */
static void
reacquired_lock_does_not_protect(void **state)
{
    (void)state;
    make(B_NEW, 0x3000, 32);
    call(BAR, TYPE_B, 0x3000, -1, 0);
    lock(0x3000, 0);
    access_(0x3000 + Y, R);
    unlock(0x3000);
    lock(0x3000, 0);
    access_(0x3000 + Y, W);
    unlock(0x3000);
    assert_int_equal(fate_of(bar_update, bar_update), BURL_SYNTH_KEPT);
}

static void
recursive_lock_counts_its_outermost_hold(void **state)
{
    (void)state;
    make(B_NEW, 0x3000, 32);
    call(BAR, TYPE_B, 0x3000, -1, 0);
    lock(0x3000, 0);
    access_(0x3000 + Y, R);
    lock(0x3000, 0);
    unlock(0x3000);
    access_(0x3000 + Y, W);
    unlock(0x3000);
    assert_int_equal(fate_of(bar_update, bar_update), BURL_SYNTH_OWN_LOCK);
}

static void
fresh_objects_are_not_controllable(void **state)
{
    struct burl_synth_table t;

    (void)state;
    make(A_NEW, 0x1000, 24);
    call(FOO, TYPE_A, 0x1000, -1, 0);
    event((struct burl_synth_event){ .kind = BURL_SYNTH_ALLOC, .addr = 0x6000, .size_b = 32 });
    pointer(0x1000 + F, W, 0x6000);
    pointer(0x1000 + F, R, 0x6000);
    access_(0x6000 + X, W);
    t = burl_synth_analyze(&log_);
    for (size_t i = 0; i < t.deps.n; i++)
        assert_int_equal(t.deps.v[i].path.n, 0);
    assert_int_equal(t.assigns.n, 0);
    burl_synth_table_deinit(&t);
}

static void
long_lists_fold(void **state)
{
    struct burl_synth_table t;
    unsigned longest = 0;

    (void)state;
    make(A_NEW, 0x1000, 24);
    for (uint64_t i = 1; i < 10; i++) {
        event((struct burl_synth_event){
            .kind = BURL_SYNTH_ALLOC, .addr = 0x1000 * (i + 1), .size_b = 24 });
        log_.events.v[log_.events.n - 1].site = 1000;
    }
    call(FOO, TYPE_A, 0x1000, -1, 0);
    for (uint64_t i = 1; i < 10; i++)
        pointer(0x1000 * i + F, R, 0x1000 * (i + 1));
    access_(0xa000 + G, W);
    t = burl_synth_analyze(&log_);
    for (size_t i = 0; i < t.deps.n; i++)
        longest = t.deps.v[i].path.n > longest ? t.deps.v[i].path.n : longest;
    assert_int_equal(longest, BURL_SYNTH_MAX_STEPS);
    row(&t, FOO, BURL_SYNTH_MAX_STEPS, G, 0, W);
    assert_int_equal(t.n_too_deep, 0);
    burl_synth_table_deinit(&t);
}

/* concat: b is prepared by set_f on an object of type A, which another function installs. */
static void
concat_prepares_before_it_installs(void **state)
{
    struct burl_synth_table t;
    struct burl_synth_setter set;
    struct burl_synth_path path = { .n = 2, .off = { 40, F } };

    (void)state;
    make(A_NEW, 0x1000, 24);
    make(B_NEW, 0x3000, 32);
    make(B_NEW, 0x7000, 64);
    set_f(0x1000, 0x3000);
    call(BAZ, TYPE_B, 0x7000, TYPE_A, 0x1000);
    pointer(0x7000 + 40, W, 0x1000);
    t = burl_synth_analyze(&log_);
    assert_int_equal(t.assigns.n, 2);
    path.type[0] = t.assigns.v[1].target.type[0];
    assert_true(burl_synth_find_setter(&set, &t, &path, 2));
    assert_int_equal(set.n, 2);
    assert_int_equal(t.assigns.v[set.assign[0]].fn, SET_F);
    assert_int_equal(t.assigns.v[set.assign[1]].fn, BAZ);
    burl_synth_table_deinit(&t);
}

static void
opposite_nested_locks_share_both_objects(void **state)
{
    struct burl_synth_table t;
    struct burl_gen_model m = model();
    struct burl_synth_script s;
    struct burl_gen_test test;

    (void)state;
    make(A_NEW, 0x1000, 24);
    make(A_NEW, 0x2000, 24);
    call(BAZ, TYPE_A, 0x1000, TYPE_A, 0x2000);
    lock(0x1000, 0);
    lock(0x2000, 0);
    unlock(0x2000);
    unlock(0x1000);
    s = script();
    t = burl_synth_analyze(&log_);
    assert_int_equal(t.nests.n, 1);
    assert_int_equal(burl_synth_share_nests(&test, &t.nests.v[0], &t.nests.v[0], &s, &m),
                     BURL_SYNTH_BUILT);
    assert_int_equal(test.prefix.n, 2);
    expect_call(&test.threads[0].v[0], BAZ, -1, 0, 1);
    expect_call(&test.threads[1].v[0], BAZ, -1, 1, 0);
    burl_gen_test_deinit(&test);
    burl_synth_table_deinit(&t);
    burl_synth_script_deinit(&s);
    BURL_VEC_FREE(&m.fns);
}

#define LAW(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int
main(void)
{
    const struct CMUnitTest tests[] = {
        LAW(rows_of_the_example),
        LAW(fates_of_the_example),
        LAW(four_triples_are_unserializable),
        LAW(setters_install_one_object_into_two_owners),
        LAW(without_a_common_lock_the_object_is_shared),
        LAW(global_lock_cannot_be_parted),
        LAW(readers_do_not_exclude_each_other),
        LAW(writer_excludes_reader),
        LAW(lock_behind_a_pointer_belongs_to_the_object),
        LAW(reacquired_lock_does_not_protect),
        LAW(recursive_lock_counts_its_outermost_hold),
        LAW(fresh_objects_are_not_controllable),
        LAW(long_lists_fold),
        LAW(concat_prepares_before_it_installs),
        LAW(opposite_nested_locks_share_both_objects),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
