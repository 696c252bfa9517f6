/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sp.c - queries on a static target; contract in sp.h.
 *
 * Runs in the host. The set SP is held as classes of sites and never as pairs. Sites that are in
 * the same classes form a group, and a query over all pairs works per group and class: memory stays
 * linear in the file. The index (groups, and the classes of each site) is built once, when the file
 * is read.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sp.h"

struct u32s {
    BURL_VEC_OF(uint32_t);
};

/* Lists of one kind, one after the other: those of i are v[at[i]] .. v[at[i + 1]]. */
struct lists {
    size_t *at;
    uint32_t *v;
};

struct burl_sp_index {
    struct lists classes;      /* of a site, ascending */
    struct lists facts;        /* of a site */
    uint32_t *group;           /* of a site */
    uint32_t n_groups;         /* in the order of their first sites */
    struct lists members;      /* sites of a group, ascending */
    struct lists class_groups; /* groups of a class, ascending */
};

void
burl_sp_init(struct burl_sp *t)
{
    memset(t, 0, sizeof *t);
}

static void
free_lists(struct lists *l)
{
    free(l->at);
    free(l->v);
    *l = (struct lists){ 0 };
}

static void
free_index(struct burl_sp_index *ix)
{
    if (!ix)
        return;
    free_lists(&ix->classes);
    free_lists(&ix->facts);
    free_lists(&ix->members);
    free_lists(&ix->class_groups);
    free(ix->group);
    free(ix);
}

void
burl_sp_deinit(struct burl_sp *t)
{
    for (size_t i = 0; i < t->roots.n; i++)
        free(t->roots.v[i].function);
    for (size_t i = 0; i < t->locks.n; i++)
        free(t->locks.v[i].name);
    for (size_t i = 0; i < t->sites.n; i++) {
        BURL_VEC_FREE(&t->sites.v[i].roots);
        BURL_VEC_FREE(&t->sites.v[i].locks);
    }
    for (size_t i = 0; i < t->classes.n; i++) {
        free(t->classes.v[i].name);
        free(t->classes.v[i].object);
        BURL_VEC_FREE(&t->classes.v[i].sites);
    }
    for (size_t i = 0; i < t->unknown.n; i++)
        free(t->unknown.v[i]);
    BURL_VEC_FREE(&t->roots);
    BURL_VEC_FREE(&t->locks);
    BURL_VEC_FREE(&t->sites);
    BURL_VEC_FREE(&t->classes);
    BURL_VEC_FREE(&t->facts);
    BURL_VEC_FREE(&t->unknown);
    free_index(t->index);
    memset(t, 0, sizeof *t);
}

/* A value of a list; the lists keep the order of the pairs. */
struct pair {
    uint32_t list;
    uint32_t value;
};

struct pairs {
    BURL_VEC_OF(struct pair);
};

/* Sorts the pairs into n lists, and frees them. */
static void
make_lists(struct lists *l, size_t n, struct pairs *p)
{
    size_t *fill = burl_xcalloc(n + 1, sizeof *fill);

    l->at = burl_xcalloc(n + 1, sizeof *l->at);
    l->v = burl_xcalloc(p->n + 1, sizeof *l->v);
    for (size_t i = 0; i < p->n; i++)
        l->at[p->v[i].list + 1]++;
    for (size_t i = 0; i < n; i++)
        l->at[i + 1] += l->at[i];
    for (size_t i = 0; i < p->n; i++) {
        const uint32_t k = p->v[i].list;

        l->v[l->at[k] + fill[k]++] = p->v[i].value;
    }
    free(fill);
    BURL_VEC_FREE(p);
}

static void
index_classes(struct burl_sp_index *ix, const struct burl_sp *t)
{
    struct pairs p = { 0 };

    for (uint32_t c = 0; c < t->classes.n; c++)
        for (size_t i = 0; i < t->classes.v[c].sites.n; i++)
            BURL_VEC_PUSH(&p, (struct pair){ t->classes.v[c].sites.v[i], c });
    make_lists(&ix->classes, t->sites.n, &p);
}

static void
index_facts(struct burl_sp_index *ix, const struct burl_sp *t)
{
    struct pairs p = { 0 };

    for (uint32_t i = 0; i < t->facts.n; i++)
        BURL_VEC_PUSH(&p, (struct pair){ t->facts.v[i].site, i });
    make_lists(&ix->facts, t->sites.n, &p);
}

static bool
same_classes(const struct burl_sp_index *ix, uint32_t a, uint32_t b)
{
    size_t n = ix->classes.at[a + 1] - ix->classes.at[a];

    return n == ix->classes.at[b + 1] - ix->classes.at[b] &&
           memcmp(ix->classes.v + ix->classes.at[a], ix->classes.v + ix->classes.at[b],
                  n * sizeof *ix->classes.v) == 0;
}

struct groups {
    const struct burl_sp_index *ix;
    const struct burl_sp *t;
    struct u32s first; /* site of each group */
};

/* Equal class lists, equal roots, equal effect: nothing below tells such sites apart. */
static bool
is_in_group(const void *groups, uint64_t group, const void *site)
{
    const struct groups *g = groups;
    const uint32_t a = g->first.v[group], b = *(const uint32_t *)site;
    const struct burl_sp_site *x = &g->t->sites.v[a], *y = &g->t->sites.v[b];

    return x->flags == y->flags && x->roots.n == y->roots.n &&
           (x->roots.n == 0 ||
            memcmp(x->roots.v, y->roots.v, x->roots.n * sizeof *x->roots.v) == 0) &&
           same_classes(g->ix, a, b);
}

static uint64_t
group_hash(const struct burl_sp_index *ix, const struct burl_sp *t, uint32_t s)
{
    const struct burl_sp_site *x = &t->sites.v[s];
    size_t n = ix->classes.at[s + 1] - ix->classes.at[s];
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, x->flags);

    h = burl_hash_bytes(h, ix->classes.v + ix->classes.at[s], n * sizeof *ix->classes.v);
    if (x->roots.n)
        h = burl_hash_bytes(h, x->roots.v, x->roots.n * sizeof *x->roots.v);
    return burl_hash_end(h);
}

static void
index_groups(struct burl_sp_index *ix, const struct burl_sp *t)
{
    struct groups g = { .ix = ix, .t = t };
    struct burl_map by_content = { 0 };

    ix->group = burl_xcalloc(t->sites.n + 1, sizeof *ix->group);
    for (uint32_t s = 0; s < t->sites.n; s++) {
        uint64_t group = g.first.n;
        if (!burl_map_find_or_add(&by_content, group_hash(ix, t, s), is_in_group, &g, &s, &group))
            BURL_VEC_PUSH(&g.first, s);
        ix->group[s] = (uint32_t)group;
    }
    ix->n_groups = (uint32_t)g.first.n;
    burl_map_deinit(&by_content);
    BURL_VEC_FREE(&g.first);
}

static void
index_members(struct burl_sp_index *ix, const struct burl_sp *t)
{
    struct pairs p = { 0 };

    for (uint32_t s = 0; s < t->sites.n; s++)
        BURL_VEC_PUSH(&p, (struct pair){ ix->group[s], s });
    make_lists(&ix->members, ix->n_groups, &p);
}

static uint32_t
first_member(const struct burl_sp_index *ix, uint32_t group)
{
    return ix->members.v[ix->members.at[group]];
}

/* A group counts once in each class: at its first site. Sites ascend, hence so do the groups. */
static void
index_class_groups(struct burl_sp_index *ix, const struct burl_sp *t)
{
    struct pairs p = { 0 };

    for (uint32_t c = 0; c < t->classes.n; c++) {
        for (size_t i = 0; i < t->classes.v[c].sites.n; i++) {
            const uint32_t s = t->classes.v[c].sites.v[i];

            if (first_member(ix, ix->group[s]) == s)
                BURL_VEC_PUSH(&p, (struct pair){ c, ix->group[s] });
        }
    }
    make_lists(&ix->class_groups, t->classes.n, &p);
}

static struct burl_sp_index *
make_index(const struct burl_sp *t)
{
    struct burl_sp_index *ix = burl_xcalloc(1, sizeof *ix);

    index_classes(ix, t);
    index_facts(ix, t);
    index_groups(ix, t);
    index_members(ix, t);
    index_class_groups(ix, t);
    return ix;
}

void
burl_sp_reindex(struct burl_sp *t)
{
    free_index(t->index);
    t->index = make_index(t);
}

/* Made on the first query of a target that was built by hand: invisible to callers, so the target
 * is const for them. */
static const struct burl_sp_index *
index_of(const struct burl_sp *t)
{
    if (!t->index)
        burl_sp_reindex((struct burl_sp *)t);
    return t->index;
}

uint32_t
burl_sp_find(const struct burl_sp *t, uint64_t module_hash, uint32_t index)
{
    size_t lo = 0, hi = t->sites.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        const struct burl_sp_site *s = &t->sites.v[mid];
        if (s->module_hash < module_hash || (s->module_hash == module_hash && s->index < index))
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < t->sites.n && t->sites.v[lo].module_hash == module_hash &&
        t->sites.v[lo].index == index)
        return (uint32_t)lo;
    return UINT32_MAX;
}

bool
burl_sp_parallel(const struct burl_sp *t, uint32_t a, uint32_t b)
{
    const struct burl_sp_site *x = &t->sites.v[a], *y = &t->sites.v[b];

    for (size_t i = 0; i < x->roots.n; i++)
        for (size_t k = 0; k < y->roots.n; k++)
            if (x->roots.v[i] != y->roots.v[k] || t->roots.v[x->roots.v[i]].many)
                return true;
    return false;
}

/* All that SP asks of a pair but the class. */
static bool
may_pair(const struct burl_sp *t, uint32_t a, uint32_t b)
{
    uint8_t x = t->sites.v[a].flags, y = t->sites.v[b].flags;

    return ((x | y) & BURL_SP_ASSERT) == 0 && ((x | y) & BURL_SP_WRITES) != 0 &&
           !(y & BURL_SP_BEFORE) && !(x & BURL_SP_AFTER) && burl_sp_parallel(t, a, b);
}

/* The first class of both, UINT32_MAX none. */
static uint32_t
shared_class(const struct burl_sp *t, uint32_t a, uint32_t b, bool any_tier)
{
    const struct burl_sp_index *ix = index_of(t);
    size_t i = ix->classes.at[a], k = ix->classes.at[b];

    while (i < ix->classes.at[a + 1] && k < ix->classes.at[b + 1]) {
        uint32_t x = ix->classes.v[i], y = ix->classes.v[k];
        if (x == y && (any_tier || !t->classes.v[x].untyped))
            return x;
        i += x <= y;
        k += y <= x;
    }
    return UINT32_MAX;
}

bool
burl_sp_has(const struct burl_sp *t, uint32_t a, uint32_t b, bool any_tier)
{
    if (a >= t->sites.n || b >= t->sites.n || !may_pair(t, a, b))
        return false;
    return shared_class(t, a, b, any_tier) != UINT32_MAX;
}

/* Which groups share a class with a group. Marks hold the round, so nothing is cleared. */
struct sweep {
    const struct burl_sp *t;
    const struct burl_sp_index *ix;
    bool any_tier;
    uint32_t *round_of; /* per group: round in which it was met last */
    uint32_t *first;    /* per group: class it was met in first */
    uint32_t round;
    struct u32s met; /* groups, of this round */
    struct u32s sites;
};

static void
open_sweep(struct sweep *w, const struct burl_sp *t, bool any_tier)
{
    memset(w, 0, sizeof *w);
    w->t = t;
    w->any_tier = any_tier;
    w->ix = index_of(t);
    w->round_of = burl_xcalloc(w->ix->n_groups + 1, sizeof *w->round_of);
    w->first = burl_xcalloc(w->ix->n_groups + 1, sizeof *w->first);
}

static void
close_sweep(struct sweep *w)
{
    free(w->round_of);
    free(w->first);
    BURL_VEC_FREE(&w->met);
    BURL_VEC_FREE(&w->sites);
}

static void
meet_groups(struct sweep *w, uint32_t site)
{
    const struct burl_sp_index *ix = w->ix;

    w->round++;
    w->met.n = 0;
    if (w->t->sites.v[site].flags & BURL_SP_ASSERT)
        return;
    for (size_t i = ix->classes.at[site]; i < ix->classes.at[site + 1]; i++) {
        uint32_t c = ix->classes.v[i];
        if (w->t->classes.v[c].untyped && !w->any_tier)
            continue;
        for (size_t k = ix->class_groups.at[c]; k < ix->class_groups.at[c + 1]; k++) {
            uint32_t g = ix->class_groups.v[k];
            if (w->round_of[g] == w->round)
                continue;
            w->round_of[g] = w->round;
            w->first[g] = c;
            if (may_pair(w->t, site, first_member(ix, g)))
                BURL_VEC_PUSH(&w->met, g);
        }
    }
}

static int
compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

uint64_t
burl_sp_program(const uint64_t *module_hashes, size_t n)
{
    uint64_t *sorted = burl_xmemdup(module_hashes, n * sizeof *sorted);
    uint64_t h = BURL_HASH_BEGIN;

    if (n > 1)
        qsort(sorted, n, sizeof *sorted, compare_u64);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || sorted[i] != sorted[i - 1])
            h = burl_hash_u64(h, sorted[i]);
    free(sorted);
    return burl_hash_end(h);
}

static int
compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

void
burl_sp_pairs(const struct burl_sp *t, bool any_tier,
              bool (*each)(void *arg, uint32_t a, uint32_t b, uint32_t cls), void *arg)
{
    struct sweep w;
    bool more = true;

    open_sweep(&w, t, any_tier);
    for (uint32_t a = 0; a < t->sites.n && more; a++) {
        meet_groups(&w, a);
        w.sites.n = 0;
        for (size_t i = 0; i < w.met.n; i++)
            for (size_t k = w.ix->members.at[w.met.v[i]]; k < w.ix->members.at[w.met.v[i] + 1]; k++)
                BURL_VEC_PUSH(&w.sites, w.ix->members.v[k]);
        if (w.sites.n > 1)
            qsort(w.sites.v, w.sites.n, sizeof *w.sites.v, compare_u32);
        for (size_t i = 0; i < w.sites.n && more; i++) {
            uint32_t b = w.sites.v[i];
            more = each(arg, a, b, w.first[w.ix->group[b]]);
        }
    }
    close_sweep(&w);
}

uint64_t
burl_sp_count(const struct burl_sp *t, bool any_tier)
{
    struct sweep w;
    uint64_t n = 0;

    open_sweep(&w, t, any_tier);
    for (uint32_t g = 0; g < w.ix->n_groups; g++) {
        uint64_t size = w.ix->members.at[g + 1] - w.ix->members.at[g];
        meet_groups(&w, first_member(w.ix, g));
        for (size_t i = 0; i < w.met.n; i++)
            n += size * (w.ix->members.at[w.met.v[i] + 1] - w.ix->members.at[w.met.v[i]]);
    }
    close_sweep(&w);
    return n;
}

static bool
holds(const struct burl_sp *t, uint32_t site, uint32_t lock)
{
    const struct burl_sp_site *s = &t->sites.v[site];

    for (size_t i = 0; i < s->locks.n; i++)
        if (s->locks.v[i] == lock)
            return true;
    return false;
}

/* Can the section of `lock` not overlap those of the site? Two readers overlap. */
static bool
excludes(const struct burl_sp *t, uint32_t lock, uint32_t site)
{
    const struct burl_sp_lock *l = &t->locks.v[lock];
    const struct burl_sp_site *s = &t->sites.v[site];

    if (l->shared)
        return l->exclusive != UINT32_MAX && holds(t, site, l->exclusive);
    for (size_t i = 0; i < s->locks.n; i++) {
        const struct burl_sp_lock *k = &t->locks.v[s->locks.v[i]];
        if (s->locks.v[i] == lock || (k->shared && k->exclusive == lock))
            return true;
    }
    return false;
}

bool
burl_sp_share_lock(const struct burl_sp *t, uint32_t a, uint32_t b)
{
    const struct burl_sp_site *s = &t->sites.v[a];

    for (size_t i = 0; i < s->locks.n; i++)
        if (excludes(t, s->locks.v[i], b))
            return true;
    return false;
}

static bool
shows(const struct burl_sp *t, const struct burl_sp_fact *f, uint32_t a, uint32_t b)
{
    uint32_t site = f->kind == BURL_SP_NEVER_LAST ? a : b;

    if (f->lock == UINT32_MAX)
        return f->site == site;
    return f->site == site && holds(t, site, f->lock) && excludes(t, f->lock, site == a ? b : a);
}

static const struct burl_sp_fact *
find_fact(const struct burl_sp *t, uint32_t site, uint32_t a, uint32_t b)
{
    const struct burl_sp_index *ix = index_of(t);

    for (size_t i = ix->facts.at[site]; i < ix->facts.at[site + 1]; i++) {
        const struct burl_sp_fact *f = &t->facts.v[ix->facts.v[i]];
        if (shows(t, f, a, b))
            return f;
    }
    return NULL;
}

const struct burl_sp_fact *
burl_sp_never_adjacent(const struct burl_sp *t, uint32_t a, uint32_t b)
{
    if (a >= t->sites.n || b >= t->sites.n)
        return NULL;
    const struct burl_sp_fact *f = find_fact(t, a, a, b);
    return f || a == b ? f : find_fact(t, b, a, b);
}
