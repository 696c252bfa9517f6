/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_sp.c - the static target: its file survives the round trip, damage is refused, and the
 * questions about pairs agree with the definition taken literally.
 */
#include "base/buf.h"
#include "base/rng.h"
#include "base/sp.h"
#include "unit.h"

static void
add_root(struct burl_sp *t, const char *function, bool many)
{
    struct burl_sp_root *r = BURL_VEC_ADD(&t->roots);

    r->function = burl_xstrdup(function);
    r->module_hash = t->roots.n > 1 ? 0xabcdef : 0;
    r->site = t->roots.n > 1 ? (uint32_t)t->roots.n : 0;
    r->many = many;
}

static struct burl_sp_site *
add_site(struct burl_sp *t, uint64_t module, uint32_t index, uint8_t flags)
{
    struct burl_sp_site *s = BURL_VEC_ADD(&t->sites);

    s->module_hash = module;
    s->index = index;
    s->flags = flags;
    return s;
}

static void
add_lock(struct burl_sp *t, const char *name, bool shared)
{
    struct burl_sp_lock *l = BURL_VEC_ADD(&t->locks);

    l->name = burl_xstrdup(name);
    l->shared = shared;
    l->exclusive = UINT32_MAX;
    for (uint32_t i = 0; shared && i + 1 < t->locks.n; i++)
        if (!t->locks.v[i].shared && strcmp(t->locks.v[i].name, name) == 0)
            l->exclusive = i;
}

static struct burl_sp_class *
add_class(struct burl_sp *t, const char *name, const char *object, bool untyped)
{
    struct burl_sp_class *c = BURL_VEC_ADD(&t->classes);

    c->name = burl_xstrdup(name);
    c->object = burl_xstrdup(object);
    c->untyped = untyped;
    return c;
}

/* Any target the format allows, with odd names and empty lists in it. */
static void
make_random(struct burl_sp *t, struct burl_rng *rng)
{
    static const char *const names[] = { "main",        "",           "a \"b\"",
                                         "back\\slash", "two\nlines", "std::map<int, int>",
                                         "end",         "-" };
    uint64_t module = 1;
    uint32_t index = 0;

    burl_sp_init(t);
    t->program = burl_rng_next(rng);
    t->analysis_ms = burl_rng_below(rng, 1000);
    t->analysis_kb = burl_rng_next(rng);
    for (uint64_t n = 1 + burl_rng_below(rng, 4); n; n--)
        add_root(t, names[burl_rng_below(rng, 8)], burl_rng_below(rng, 2));
    for (uint64_t n = burl_rng_below(rng, 4); n; n--)
        add_lock(t, names[burl_rng_below(rng, 8)], burl_rng_below(rng, 4) == 0);
    for (uint64_t n = burl_rng_below(rng, 30); n; n--) {
        if (burl_rng_below(rng, 10) == 0) {
            module += 1 + burl_rng_below(rng, UINT64_MAX / 64);
            index = 0;
        }
        index += 1 + (uint32_t)burl_rng_below(rng, 3);
        struct burl_sp_site *s = add_site(t, module, index, (uint8_t)(1 + burl_rng_below(rng, 3)));
        if (burl_rng_below(rng, 4) == 0)
            s->flags |= BURL_SP_ATOMIC;
        if (burl_rng_below(rng, 8) == 0)
            s->flags |= BURL_SP_ASSERT;
        if (burl_rng_below(rng, 6) == 0)
            s->flags |= burl_rng_below(rng, 2) ? BURL_SP_BEFORE : BURL_SP_AFTER;
        for (uint32_t r = 0; r < t->roots.n; r++)
            if (burl_rng_below(rng, 2))
                BURL_VEC_PUSH(&s->roots, r);
        for (uint32_t l = 0; l < t->locks.n; l++)
            if (burl_rng_below(rng, 2))
                BURL_VEC_PUSH(&s->locks, l);
    }
    for (uint64_t n = burl_rng_below(rng, 8); n; n--) {
        struct burl_sp_class *c =
            add_class(t, names[burl_rng_below(rng, 8)], names[burl_rng_below(rng, 8)],
                      burl_rng_below(rng, 3) == 0);
        uint64_t thin = 1 + burl_rng_below(rng, 4);
        for (uint32_t s = 0; s < t->sites.n; s++)
            if (burl_rng_below(rng, thin) == 0)
                BURL_VEC_PUSH(&c->sites, s);
    }
    if (t->sites.n && t->locks.n)
        for (uint64_t n = burl_rng_below(rng, 12); n; n--)
            BURL_VEC_PUSH(&t->facts, (struct burl_sp_fact){
                                         .site = (uint32_t)burl_rng_below(rng, t->sites.n),
                                         .witness = burl_rng_below(rng, 4)
                                                        ? (uint32_t)burl_rng_below(rng, t->sites.n)
                                                        : UINT32_MAX,
                                         .lock = burl_rng_below(rng, 4)
                                                     ? (uint32_t)burl_rng_below(rng, t->locks.n)
                                                     : UINT32_MAX,
                                         .kind = (uint8_t)burl_rng_below(rng, 2) });
    for (uint64_t n = burl_rng_below(rng, 3); n; n--)
        BURL_VEC_PUSH(&t->unknown, burl_xstrdup(names[burl_rng_below(rng, 8)]));
}

static char *
text_of(const struct burl_sp *t, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_sp_write(t, &b);
    return burl_buf_take(&b, n);
}

static void
what_is_written_is_read_back(void **state)
{
    struct burl_rng rng;
    struct burl_err err;

    (void)state;
    burl_rng_init(&rng, unit_seed());
    for (int round = 0; round < 500; round++) {
        struct burl_sp a, b;
        size_t n, m;
        make_random(&a, &rng);
        char *text = text_of(&a, &n);
        EXPECT_OK(burl_sp_read(&b, text, n, "x", &err), &err);
        char *again = text_of(&b, &m);
        assert_int_equal(n, m);
        assert_memory_equal(text, again, n);
        assert_int_equal(a.sites.n, b.sites.n);
        assert_int_equal(a.classes.n, b.classes.n);
        for (size_t i = 0; i < a.classes.n; i++)
            assert_string_equal(a.classes.v[i].name, b.classes.v[i].name);
        free(text);
        free(again);
        burl_sp_deinit(&a);
        burl_sp_deinit(&b);
    }
}

static void
a_file_is_replaced_and_loaded(void **state)
{
    struct burl_rng rng;
    struct burl_err err;
    struct burl_sp a, b;
    struct burl_buf text = BURL_BUF_INIT;
    char *dir = unit_mkdir();
    char *path = burl_xasprintf("%s/t", dir);

    (void)state;
    burl_rng_init(&rng, unit_seed());
    make_random(&a, &rng);
    EXPECT_STATUS(burl_sp_load(&b, path, &err), BURL_E_IO, &err);
    burl_sp_write(&a, &text);
    EXPECT_OK(burl_fs_write_atomic(path, text.p, text.n, &err), &err);
    burl_buf_deinit(&text);
    EXPECT_OK(burl_sp_load(&b, path, &err), &err);
    assert_true(a.program == b.program);
    burl_sp_deinit(&a);
    burl_sp_deinit(&b);
    unit_rmdir(dir);
    free(path);
}

/* One of each kind. */
static void
make_sample(struct burl_sp *t)
{
    burl_sp_init(t);
    add_root(t, "main", false);
    add_root(t, "worker", true);
    add_lock(t, "queue.lock", false);
    add_lock(t, "table", true);
    for (uint32_t i = 1; i <= 3; i++) {
        struct burl_sp_site *s = add_site(t, 7, i, i == 2 ? BURL_SP_WRITES : BURL_SP_READS);
        BURL_VEC_PUSH(&s->roots, 0);
        BURL_VEC_PUSH(&s->roots, 1);
        BURL_VEC_PUSH(&s->locks, 0);
        BURL_VEC_PUSH(&s->locks, 1);
    }
    struct burl_sp_class *c = add_class(t, "queue.head", "heap q.c:12", false);
    BURL_VEC_PUSH(&c->sites, 0);
    BURL_VEC_PUSH(&c->sites, 1);
    c = add_class(t, "queue.tail", "heap q.c:12", true);
    BURL_VEC_PUSH(&c->sites, 1);
    BURL_VEC_PUSH(&c->sites, 2);
    BURL_VEC_PUSH(&t->facts, (struct burl_sp_fact){ 0, 1, 0, BURL_SP_NEVER_LAST });
    BURL_VEC_PUSH(&t->facts, (struct burl_sp_fact){ 1, 0, 0, BURL_SP_NEVER_FIRST });
    BURL_VEC_PUSH(&t->unknown, burl_xstrdup("getaddrinfo"));
}

static void
expect_refused(const char *text, size_t n, size_t line)
{
    struct burl_sp t;
    struct burl_err err;
    char want[40];

    if (burl_sp_read(&t, text, n, "the-file", &err) == BURL_OK)
        fail_msg("damage at line %zu was not noticed:\n%.*s", line, (int)n, text);
    assert_int_equal(err.code, BURL_E_FORMAT);
    snprintf(want, sizeof want, "the-file, line ");
    EXPECT_CONTAINS(err.msg, want);
    assert_int_equal(t.sites.n, 0);
}

/* Start and length of a line with its newline. */
static const char *
nth_line(const char *text, size_t i, size_t *n)
{
    while (i--)
        text = strchr(text, '\n') + 1;
    *n = (size_t)(strchr(text, '\n') + 1 - text);
    return text;
}

static char *
replace(const char *text, size_t at, size_t gone, const char *with, size_t *n)
{
    struct burl_buf b = BURL_BUF_INIT;

    burl_buf_append(&b, text, at);
    burl_buf_str_append(&b, with);
    burl_buf_str_append(&b, text + at + gone);
    return burl_buf_take(&b, n);
}

static void
damage_at_any_line_is_refused(void **state)
{
    struct burl_sp t;
    size_t n, n_lines = 0;

    (void)state;
    make_sample(&t);
    char *text = text_of(&t, &n);
    for (const char *p = text; *p; p = strchr(p, '\n') + 1)
        n_lines++;
    assert_int_equal(n_lines, 16);
    for (size_t i = 0; i < n_lines; i++) {
        size_t len, m;
        const char *line = nth_line(text, i, &len);
        size_t at = (size_t)(line - text);
        static const char *const with[] = { "", "garbage\n", "site\n", "\n" };
        for (size_t k = 0; k < sizeof with / sizeof *with; k++) {
            char *bad = replace(text, at, len, with[k], &m);
            expect_refused(bad, m, i + 1);
            free(bad);
        }
        char *twice = burl_xstrndup(line, len);
        char *bad = replace(text, at, 0, twice, &m);
        expect_refused(bad, m, i + 1);
        free(bad);
        free(twice);
        bad = replace(text, at + len - 1, 0, " more", &m);
        expect_refused(bad, m, i + 1);
        free(bad);
    }
    for (size_t cut = 0; cut < n; cut++)
        expect_refused(text, cut, 0);
    free(text);
    burl_sp_deinit(&t);
}

static void
numbers_out_of_range_are_refused(void **state)
{
    static const struct {
        const char *from, *to;
    } swaps[] = {
        { "roots 0,1", "roots 0,2" },
        { "roots 0,1", "roots 1,0" },
        { "roots 0,1", "roots 0,0" },
        { "roots 0,1", "roots 0," },
        { "roots 0,1", "roots 0,-1" },
        { "locks 0,1", "locks 0,2" },
        { "typed 0,1", "typed 0,3" },
        { "never-last 0", "never-last 3" },
        { "witness 1", "witness 3" },
        { "lock 0\n", "lock 2\n" },
        { "never-last 0", "never-best 0" },
        { "queue.lock\" exclusive", "queue.lock\" half" },
        { " 2 w roots", " 1 w roots" },
        { " 2 w roots", " 2 wr roots" },
        { " 2 w roots", " 2 a roots" },
        { " 2 w roots", " 4294967296 w roots" },
        { "burl-target 2", "burl-target 1" },
        { "table\" shared -", "table\" shared 1" },
        { "table\" shared -", "table\" shared" },
    };
    struct burl_sp t;
    size_t n, m;

    (void)state;
    make_sample(&t);
    char *text = text_of(&t, &n);
    for (size_t i = 0; i < sizeof swaps / sizeof *swaps; i++) {
        const char *at = strstr(text, swaps[i].from);
        assert_non_null(at);
        char *bad = replace(text, (size_t)(at - text), strlen(swaps[i].from), swaps[i].to, &m);
        expect_refused(bad, m, i);
        free(bad);
    }
    free(text);
    burl_sp_deinit(&t);
}

/* SP as target.h puts it, word by word. */
static bool
in_sp(const struct burl_sp *t, uint32_t a, uint32_t b, bool any_tier, uint32_t *cls)
{
    const struct burl_sp_site *x = &t->sites.v[a], *y = &t->sites.v[b];
    bool parallel = false, found = false;

    for (size_t i = 0; i < x->roots.n; i++)
        for (size_t k = 0; k < y->roots.n; k++)
            parallel |= x->roots.v[i] != y->roots.v[k] || t->roots.v[x->roots.v[i]].many;
    for (size_t c = t->classes.n; c-- > 0;) {
        bool has_a = false, has_b = false;
        for (size_t i = 0; i < t->classes.v[c].sites.n; i++) {
            has_a |= t->classes.v[c].sites.v[i] == a;
            has_b |= t->classes.v[c].sites.v[i] == b;
        }
        if (has_a && has_b && (any_tier || !t->classes.v[c].untyped)) {
            found = true;
            *cls = (uint32_t)c;
        }
    }
    return parallel && found && !((x->flags | y->flags) & BURL_SP_ASSERT) &&
           ((x->flags | y->flags) & BURL_SP_WRITES) && !(y->flags & BURL_SP_BEFORE) &&
           !(x->flags & BURL_SP_AFTER);
}

struct expected {
    const struct burl_sp *t;
    bool any_tier;
    uint32_t a, b; /* where the enumeration stands */
    uint64_t n;
};

/* The next pair of the brute force after (a, b). */
static bool
next_expected(struct expected *e, uint32_t *cls)
{
    while (e->a < e->t->sites.n) {
        while (e->b < e->t->sites.n) {
            if (in_sp(e->t, e->a, e->b, e->any_tier, cls))
                return true;
            e->b++;
        }
        e->a++;
        e->b = 0;
    }
    return false;
}

static bool
is_expected(void *arg, uint32_t a, uint32_t b, uint32_t cls)
{
    struct expected *e = arg;
    uint32_t want = UINT32_MAX;

    assert_true(next_expected(e, &want));
    assert_int_equal(e->a, a);
    assert_int_equal(e->b, b);
    assert_int_equal(want, cls);
    e->b++;
    e->n++;
    return true;
}

static void
check_pairs(const struct burl_sp *t)
{
    for (int any_tier = 0; any_tier < 2; any_tier++) {
        struct expected e = { .t = t, .any_tier = any_tier };
        uint32_t cls;
        burl_sp_pairs(t, any_tier, is_expected, &e);
        assert_false(next_expected(&e, &cls));
        assert_int_equal(burl_sp_count(t, any_tier), e.n);
        for (uint32_t a = 0; a < t->sites.n; a++)
            for (uint32_t b = 0; b < t->sites.n; b++)
                assert_int_equal(burl_sp_has(t, a, b, any_tier), in_sp(t, a, b, any_tier, &cls));
    }
}

static void
pairs_agree_with_the_definition(void **state)
{
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed() + 1);
    for (int round = 0; round < 200; round++) {
        struct burl_sp t;
        make_random(&t, &rng);
        check_pairs(&t);
        burl_sp_reindex(&t);
        check_pairs(&t);
        burl_sp_deinit(&t);
    }
}

static bool
stop_at_second(void *arg, uint32_t a, uint32_t b, uint32_t cls)
{
    (void)a;
    (void)b;
    (void)cls;
    return ++*(int *)arg < 2;
}

static void
the_enumeration_stops_when_told(void **state)
{
    struct burl_sp t;
    int n = 0;

    (void)state;
    make_sample(&t);
    assert_true(burl_sp_count(&t, true) > 2);
    burl_sp_pairs(&t, true, stop_at_second, &n);
    assert_int_equal(n, 2);
    burl_sp_deinit(&t);
}

static void
sites_are_found_by_their_names(void **state)
{
    struct burl_rng rng;

    (void)state;
    burl_rng_init(&rng, unit_seed() + 2);
    for (int round = 0; round < 100; round++) {
        struct burl_sp t;
        make_random(&t, &rng);
        for (uint32_t i = 0; i < t.sites.n; i++) {
            const struct burl_sp_site *s = &t.sites.v[i];
            uint32_t next = burl_sp_find(&t, s->module_hash, s->index + 1);
            assert_int_equal(burl_sp_find(&t, s->module_hash, s->index), i);
            assert_true(next == UINT32_MAX || next == i + 1);
        }
        assert_int_equal(burl_sp_find(&t, 0, 1), UINT32_MAX);
        assert_int_equal(burl_sp_find(&t, UINT64_MAX, 1), UINT32_MAX);
        burl_sp_deinit(&t);
    }
}

/* The paper's case: read then write under one lock, by two threads. */
static void
read_then_write_under_one_lock_is_never_adjacent(void **state)
{
    struct burl_sp t;

    (void)state;
    make_sample(&t);
    for (int indexed = 0; indexed < 2; indexed++) {
        if (indexed)
            burl_sp_reindex(&t);
        /* read, then the other's write or read: the own write comes first */
        assert_ptr_equal(burl_sp_never_adjacent(&t, 0, 1), &t.facts.v[0]);
        assert_ptr_equal(burl_sp_never_adjacent(&t, 0, 0), &t.facts.v[0]);
        /* write, write: the other's read comes in between */
        assert_ptr_equal(burl_sp_never_adjacent(&t, 1, 1), &t.facts.v[1]);
        /* write, then the other's read */
        assert_null(burl_sp_never_adjacent(&t, 1, 0));
        assert_null(burl_sp_never_adjacent(&t, 2, 0));
        assert_null(burl_sp_never_adjacent(&t, 0, UINT32_MAX));
    }
    burl_sp_deinit(&t);
}

static void
facts_need_the_lock_held_by_both_and_not_shared(void **state)
{
    struct burl_sp t;

    (void)state;
    make_sample(&t);
    t.sites.v[1].locks.v[0] = 1;
    t.sites.v[1].locks.n = 1;
    assert_null(burl_sp_never_adjacent(&t, 0, 1));
    assert_non_null(burl_sp_never_adjacent(&t, 0, 2));
    t.facts.v[0].lock = 1; /* both hold it, for reading */
    assert_null(burl_sp_never_adjacent(&t, 0, 1));
    burl_sp_deinit(&t);
}

/* Of the main thread while it is alone; the other way round nothing is said. */
static void
a_fact_without_a_lock_needs_none(void **state)
{
    struct burl_sp t;

    (void)state;
    make_sample(&t);
    t.facts.n = 1;
    t.facts.v[0].lock = UINT32_MAX;
    t.sites.v[0].locks.n = 0;
    assert_non_null(burl_sp_never_adjacent(&t, 0, 1));
    assert_null(burl_sp_never_adjacent(&t, 1, 0));
    t.facts.v[0].kind = BURL_SP_NEVER_FIRST;
    assert_null(burl_sp_never_adjacent(&t, 0, 1));
    assert_non_null(burl_sp_never_adjacent(&t, 1, 0));
    burl_sp_deinit(&t);
}

/* Site 0 has a fact; the threads that hold each form of one lock decide. */
static void
one_who_reads_and_one_who_holds_it_alone_exclude_each_other(void **state)
{
    struct burl_sp t;

    (void)state;
    make_sample(&t);
    t.locks.v[1].exclusive = 0;
    t.facts.n = 1;
    for (uint32_t i = 0; i < 2; i++)
        t.sites.v[i].locks.n = 1;
    t.sites.v[0].locks.v[0] = 0;
    t.sites.v[1].locks.v[0] = 1;
    t.facts.v[0].lock = 0;
    assert_non_null(burl_sp_never_adjacent(&t, 0, 1));
    t.sites.v[0].locks.v[0] = 1;
    t.facts.v[0].lock = 1;
    assert_null(burl_sp_never_adjacent(&t, 0, 1));
    t.sites.v[1].locks.v[0] = 0;
    assert_non_null(burl_sp_never_adjacent(&t, 0, 1));
    t.locks.v[1].exclusive = UINT32_MAX;
    assert_null(burl_sp_never_adjacent(&t, 0, 1));
    burl_sp_deinit(&t);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_file_is_replaced_and_loaded),
        cmocka_unit_test(damage_at_any_line_is_refused),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(pairs_agree_with_the_definition),
        cmocka_unit_test(the_enumeration_stops_when_told),
        cmocka_unit_test(sites_are_found_by_their_names),
        cmocka_unit_test(read_then_write_under_one_lock_is_never_adjacent),
        cmocka_unit_test(facts_need_the_lock_held_by_both_and_not_shared),
        cmocka_unit_test(a_fact_without_a_lock_needs_none),
        cmocka_unit_test(one_who_reads_and_one_who_holds_it_alone_exclude_each_other),
    };

    return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
