/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/regress_rig.h - recorded versions and changes made by hand, for the tests of
 * selection.
 *
 * One module per program, whose hash is MODULE + number of the program; blocks are its sites from
 * BLOCKS on, accesses those below.
 */
#ifndef BURL_TESTS_REGRESS_RIG_H
#define BURL_TESTS_REGRESS_RIG_H

#include "regress/select.h"
#include "unit.h"

#define MODULE 0xa0u
#define N_SITES 8192u
#define BLOCKS 4096u

struct rig {
    struct burl_regress_version v;
    struct burl_regress_selection s;
};

static inline void
rig_open(struct rig *r)
{
    memset(r, 0, sizeof *r);
    r->s.base = &r->v;
}

/* Selections own their subjects; the version is the rig's. */
static inline void
rig_close(struct rig *r)
{
    burl_regress_selection_deinit(&r->s);
    for (size_t i = 0; i < r->v.tests.n; i++) {
        struct burl_regress_test *t = &r->v.tests.v[i];

        for (size_t k = 0; k < t->histories.n; k++) {
            struct burl_history *h = &t->histories.v[k];

            for (size_t j = 0; j < h->sets.n; j++)
                free(h->sets.v[j].bits);
            for (size_t j = 0; j < h->roles.n; j++)
                free(h->roles.v[j].start);
            free(h->program);
            BURL_VEC_FREE(&h->sets);
            BURL_VEC_FREE(&h->roles);
            BURL_VEC_FREE(&h->modules);
            BURL_VEC_FREE(&h->overlaps);
        }
        free(t->name);
        free(t->why);
        BURL_VEC_FREE(&t->histories);
    }
    BURL_VEC_FREE(&r->v.tests);
}

static inline uint32_t
rig_test(struct rig *r, enum burl_store_test_state state)
{
    struct burl_regress_test *t = BURL_VEC_ADD(&r->v.tests);

    t->name = burl_xasprintf("tc%zu", r->v.tests.n);
    t->state = state;
    return (uint32_t)r->v.tests.n - 1;
}

static inline char *
rig_key(uint32_t program)
{
    return burl_xasprintf("bin/p%u", program);
}

/* A history of the test in a program: main and `n_workers` more roles, all alive at the same time
 * if `overlap`. */
static inline struct burl_history *
rig_history(struct rig *r, uint32_t test, uint32_t program, uint32_t n_workers, bool overlap)
{
    struct burl_history *h = BURL_VEC_ADD(&r->v.tests.v[test].histories);
    struct burl_history_module m = { .hash = MODULE + program, .n_sites = N_SITES };

    h->program = rig_key(program);
    BURL_VEC_PUSH(&h->modules, m);
    for (uint32_t i = 0; i <= n_workers; i++) {
        struct burl_history_role *role = BURL_VEC_ADD(&h->roles);

        role->start = burl_xstrdup(i == 0 ? "main" : "worker");
        role->ordinal = i == 0 ? 0 : i - 1;
        role->create_site = i == 0 ? UINT32_MAX : i; /* each at a place of its own */
        for (uint32_t k = 0; k < i && overlap; k++)
            BURL_VEC_PUSH(&h->overlaps, (struct burl_history_overlap){ k, i });
    }
    return h;
}

static inline void
rig_ran_as(struct burl_history *h, uint32_t role, uint32_t block, bool alone)
{
    struct burl_history_set *set = NULL;

    for (size_t i = 0; i < h->sets.n && !set; i++)
        if (h->sets.v[i].role == role && h->sets.v[i].alone == alone)
            set = &h->sets.v[i];
    if (!set) {
        set = BURL_VEC_ADD(&h->sets);
        set->role = role;
        set->alone = alone;
        set->bits = burl_xcalloc(N_SITES / 8, 1);
    }
    set->bits[(BLOCKS + block) / 8] |= (uint8_t)(1u << (BLOCKS + block) % 8);
}

/* The role executed the block while other threads existed. */
static inline void
rig_ran(struct burl_history *h, uint32_t role, uint32_t block)
{
    rig_ran_as(h, role, block, false);
}

/* A subject with threads main and worker (many). */
static inline struct burl_regress_subject *
rig_subject(struct rig *r, uint32_t program)
{
    struct burl_regress_subject *x = BURL_VEC_ADD(&r->s.subjects);
    struct burl_sp_root *root;

    x->key = rig_key(program);
    x->path = burl_xstrdup("/new/bin");
    burl_sp_init(&x->target);
    burl_changes_init(&x->changes);
    root = BURL_VEC_ADD(&x->target.roots);
    root->function = burl_xstrdup("main");
    root = BURL_VEC_ADD(&x->target.roots);
    root->function = burl_xstrdup("worker");
    root->many = true;
    return x;
}

static inline uint32_t
rig_class(struct burl_regress_subject *x, const char *name)
{
    struct burl_sp_class *c = BURL_VEC_ADD(&x->target.classes);

    c->name = burl_xstrdup(name);
    c->object = burl_xstrdup("object");
    return (uint32_t)x->target.classes.n - 1;
}

static inline struct burl_changes_site *
rig_change(struct burl_regress_subject *x, uint32_t block, uint32_t rules)
{
    const uint32_t program = (uint32_t)strtoul(x->key + strlen("bin/p"), NULL, 10);
    struct burl_changes_site *c = BURL_VEC_ADD(&x->changes.sites);
    struct burl_changes_block b = { .module_hash = MODULE + program, .index = BLOCKS + block };

    c->module_hash = MODULE + program;
    c->index = (uint32_t)x->changes.sites.n - 1;
    c->rules = rules;
    c->function = UINT32_MAX;
    c->exact = true;
    c->why = rules ? burl_xstrdup("lock of m removed") : NULL;
    BURL_VEC_PUSH(&c->blocks, b);
    if (rules)
        BURL_VEC_PUSH(&x->changes.dangerous, b);
    return c;
}

/* An access of a class by main and worker, in a block; its number is that in target.sites and in
 * changes.sites. */
static inline uint32_t
rig_access(struct burl_regress_subject *x, uint32_t cls, uint8_t flags, uint32_t block,
           uint32_t rules)
{
    struct burl_changes_site *c = rig_change(x, block, rules);
    struct burl_sp_site *s = BURL_VEC_ADD(&x->target.sites);

    s->module_hash = c->module_hash;
    s->index = c->index;
    s->flags = flags;
    BURL_VEC_PUSH(&s->roots, 0);
    BURL_VEC_PUSH(&s->roots, 1);
    BURL_VEC_PUSH(&x->target.classes.v[cls].sites, c->index);
    return c->index;
}

static inline uint32_t
rig_lock(struct burl_regress_subject *x, bool shared, uint32_t exclusive)
{
    struct burl_sp_lock *l = BURL_VEC_ADD(&x->target.locks);

    l->name = burl_xstrdup("m");
    l->shared = shared;
    l->exclusive = exclusive;
    return (uint32_t)x->target.locks.n - 1;
}

static inline void
rig_hold(struct burl_regress_subject *x, uint32_t site, uint32_t lock)
{
    BURL_VEC_PUSH(&x->target.sites.v[site].locks, lock);
}

static inline struct burl_regress_rules
rig_rules(uint32_t wanted)
{
    return (struct burl_regress_rules){ .wanted = wanted };
}

/* Runs the selection again, with other rules. */
static inline void
rig_select(struct rig *r, struct burl_regress_rules rules)
{
    struct burl_regress_selection fresh = { .base = &r->v };

    fresh.subjects.v = r->s.subjects.v;
    fresh.subjects.n = r->s.subjects.n;
    fresh.subjects.cap = r->s.subjects.cap;
    r->s.subjects.v = NULL;
    r->s.subjects.n = 0;
    burl_regress_selection_deinit(&r->s);
    r->s = fresh;
    burl_regress_select(&r->s, &rules);
}

/* The order as "3 1 2 | 5 4 6", tests counted from 1, the tail after the bar, unknown with a
 * question mark. The caller frees. */
static inline char *
rig_order(const struct rig *r)
{
    struct burl_buf b = BURL_BUF_INIT;

    for (size_t i = 0; i < r->s.chosen.n; i++) {
        const struct burl_regress_chosen *c = &r->s.chosen.v[i];

        burl_buf_printf(&b, "%s%s%u%s", i == 0 ? "" : " ",
                        i == r->s.n_selected ? "| " : "", c->test + 1, c->unknown ? "?" : "");
    }
    return burl_buf_take(&b, NULL);
}

static inline void
rig_expect(struct rig *r, struct burl_regress_rules rules, const char *want)
{
    char *got;

    rig_select(r, rules);
    got = rig_order(r);
    assert_string_equal(got, want);
    free(got);
}

/* I as "(3,6) (7,8)": numbers of the sites, the lower one first, ascending. */
static inline char *
rig_pairs(const struct rig *r)
{
    struct burl_buf b = BURL_BUF_INIT;

    for (uint32_t lo = 0; lo < r->s.subjects.v[0].changes.sites.n; lo++) {
        for (uint32_t hi = lo; hi < r->s.subjects.v[0].changes.sites.n; hi++) {
            for (size_t i = 0; i < r->s.pairs.n; i++) {
                const struct burl_regress_pair *p = &r->s.pairs.v[i];

                if ((p->a == lo && p->b == hi) || (p->a == hi && p->b == lo))
                    burl_buf_printf(&b, "%s(%u,%u)", b.n ? " " : "", lo, hi);
            }
        }
    }
    return burl_buf_take(&b, NULL);
}

static inline void
rig_expect_pairs(struct rig *r, uint32_t wanted, const char *want)
{
    char *got;

    rig_select(r, rig_rules(wanted));
    got = rig_pairs(r);
    assert_string_equal(got, want);
    free(got);
}

#endif
