/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_gaps.c - the order in which uncovered pairs are worth covering, and that it does not depend
 * on the order of the model.
 */
#include "base/rng.h"
#include "cover/gaps.h"
#include "unit.h"

struct place {
    uint32_t line;
    const char *func;
    bool reads, writes;
};

static const struct place places[] = {
    { 10, "get", true, false },  /* 0 */
    { 20, "set", false, true },  /* 1 */
    { 30, "both", true, false }, /* 2 */
    { 31, "both", false, true }, /* 3 */
    { 40, "swap", true, true },  /* 4: an atomic update */
    { 50, "pop", true, false },  /* 5, 6: in an installed header */
    { 60, "push", false, true },
};

struct want {
    uint32_t a, b;
    const char *why;
};

/* Covered: (1, 0) and (3, 2). */
static const struct want order[] = {
    { 0, 1, "the reverse order is covered; read then write" },
    { 2, 3, "the reverse order is covered; read then write, within one function" },
    { 0, 3, "read then write" },
    { 2, 1, "read then write" },
    { 1, 2, "write then read" },
    { 3, 0, "write then read" },
    { 4, 0, "write then read" },
    { 1, 3, "write then write" },
    { 1, 4, "write then write" },
    { 3, 1, "write then write" },
    { 1, 1, "write then write, within one function" },
    { 5, 6, "read then write, in a library's header" },
};

#define N_ORDER (sizeof order / sizeof *order)

static void
add_pair(struct burl_cover_model *m, uint32_t a, uint32_t b, enum burl_cover_state state)
{
    struct burl_cover_pair *p = BURL_VEC_ADD(&m->pairs);

    p->a = a;
    p->b = b;
    p->state = state;
}

static void
make_model(struct burl_cover_model *m)
{
    struct burl_cover_variable *v;

    burl_cover_model_init(m);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct burl_cover_site *s = BURL_VEC_ADD(&m->sites);

        s->file = burl_xstrdup(i < 5 ? "a.c" : "/usr/include/c++/12/bits/deque.tcc");
        s->line = places[i].line;
        s->func = burl_xstrdup(places[i].func);
        s->reads = places[i].reads;
        s->writes = places[i].writes;
    }
    v = BURL_VEC_ADD(&m->variables);
    v->name = burl_xstrdup("x");
    add_pair(m, 1, 0, BURL_COVER_COVERED);
    add_pair(m, 3, 2, BURL_COVER_COVERED);
    add_pair(m, 0, 4, BURL_COVER_PROPOSED);
    add_pair(m, 4, 1, BURL_COVER_PRUNED);
    add_pair(m, 4, 3, BURL_COVER_IMPOSSIBLE);
    for (size_t i = 0; i < N_ORDER; i++)
        add_pair(m, order[i].a, order[i].b, BURL_COVER_UNCOVERED);
}

static void
shuffle(struct burl_cover_model *m, uint64_t *state)
{
    for (size_t i = m->pairs.n - 1; i > 0; i--) {
        const size_t k = (size_t)(burl_rng_splitmix(state) % (i + 1));
        const struct burl_cover_pair p = m->pairs.v[i];

        m->pairs.v[i] = m->pairs.v[k];
        m->pairs.v[k] = p;
    }
}

static void
check(const struct burl_cover_model *m)
{
    for (size_t i = 0; i < m->pairs.n; i++) {
        const struct burl_cover_pair *p = &m->pairs.v[i];

        if (p->state != BURL_COVER_UNCOVERED) {
            assert_int_equal(p->rank, 0);
            assert_null(p->why);
            continue;
        }
        assert_in_range(p->rank, 1, N_ORDER);
        assert_int_equal(p->a, order[p->rank - 1].a);
        assert_int_equal(p->b, order[p->rank - 1].b);
        assert_string_equal(p->why, order[p->rank - 1].why);
    }
}

static void
pairs_are_ranked_by_worth_in_any_order(void **state)
{
    struct burl_cover_model m;
    uint64_t rng = unit_seed();

    (void)state;
    make_model(&m);
    for (int i = 0; i < 50; i++) {
        burl_cover_gaps_rank(&m);
        check(&m);
        shuffle(&m, &rng);
    }
    burl_cover_model_deinit(&m);
}

static void
the_variable_decides_before_the_line(void **state)
{
    struct burl_cover_model m;

    (void)state;
    burl_cover_model_init(&m);
    burl_cover_gaps_rank(&m); /* of nothing */
    burl_cover_model_deinit(&m);
    make_model(&m);
    ((struct burl_cover_variable *)BURL_VEC_ADD(&m.variables))->name = burl_xstrdup("a first");
    for (size_t i = 0; i < m.pairs.n; i++) {
        if (m.pairs.v[i].a == 2 && m.pairs.v[i].b == 1)
            m.pairs.v[i].variable = 1;
    }
    burl_cover_gaps_rank(&m);
    for (size_t i = 0; i < m.pairs.n; i++) {
        if (m.pairs.v[i].a == 2 && m.pairs.v[i].b == 1)
            assert_int_equal(m.pairs.v[i].rank, 3);
        if (m.pairs.v[i].a == 0 && m.pairs.v[i].b == 3)
            assert_int_equal(m.pairs.v[i].rank, 4);
    }
    burl_cover_model_deinit(&m);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_are_ranked_by_worth_in_any_order),
        cmocka_unit_test(the_variable_decides_before_the_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
