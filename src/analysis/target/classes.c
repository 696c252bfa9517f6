/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/target/classes.c - classes of sites that may touch the same memory, and the finished
 * target.
 *
 * Runs in burl-analyze. Sets of leaves are interned, so that the thousands of accesses through one
 * pointer cost one set; leaves that the same sets touch are grouped. Each group gives one class per
 * access path (with the accesses that have no path, which match all), and one untyped class of all
 * its accesses if some pair of them is in no other class: different paths may be the same memory
 * after a cast. So every pair that points-to allows is in a class.
 *
 * Classes with the same sites are one class; classes without a pair are dropped. If a tier grows
 * beyond its limit its classes are merged, which only adds pairs: typed ones by path, untyped ones
 * all.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/target/steps.h"
#include "base/hash.h"

/* Sites of all classes of a tier, counted with repetition: the file has ten bytes for each. */
enum { MAX_ENTRIES = 4000000 };

/* Memory that is accessed as fields of more types than this is memory that points-to has mixed up:
 * an access without a path then agrees with none of them and is left to the untyped tier. */
enum { MAX_PATHS = 4 };

/* Interned lists of numbers. */
struct pool {
    struct burl_u32s all;
    BURL_VEC(size_t) at;        /* start of each; a last one ends */
    struct burl_map by_content; /* number of a list */
};

/* Where a class was met first. */
struct info {
    uint32_t leaf;
    uint32_t path; /* UINT32_MAX: merged with an earlier one */
    uint32_t access;
};

/* The typed or the untyped classes. */
struct tier {
    struct pool lists;           /* of accesses, one per class */
    BURL_VEC(struct info) infos; /* of the lists, and of paths that came up since `by_path` */
    struct burl_u32s *by_path;   /* once it is too large: accesses of further classes, by path */
};

struct build {
    struct burl__sp *sp;
    struct pool sets;         /* of leaves, per access */
    struct burl_u32s *of_set; /* accesses of a set */
    struct pool groups;       /* of sets, per leaf; 0 is the empty one */
    uint32_t *first_leaf;     /* of a group */
    struct tier typed, untyped;
    uint32_t *root_set; /* per function */
    struct burl_u32s gather, part;
};

static uint64_t
hash_list(const uint32_t *v, size_t n)
{
    return burl_hash_end(burl_hash_bytes(burl_hash_u64(BURL_HASH_BEGIN, n), v, n * sizeof *v));
}

static size_t
pool_n(const struct pool *p)
{
    return p->at.n ? p->at.n - 1 : 0;
}

static const uint32_t *
pool_get(const struct pool *p, size_t i, size_t *n)
{
    *n = p->at.v[i + 1] - p->at.v[i];
    return p->all.v + p->at.v[i];
}

struct list {
    const uint32_t *v;
    size_t n;
};

static bool
is_list(const void *pool, uint64_t i, const void *list)
{
    const struct list *l = list;
    size_t n;
    const uint32_t *v = pool_get(pool, i, &n);

    return n == l->n && (n == 0 || memcmp(v, l->v, n * sizeof *v) == 0);
}

/* The number of a list; *fresh: it was new. */
static uint32_t
pool_put(struct pool *p, const uint32_t *v, size_t n, bool *fresh)
{
    uint64_t i = pool_n(p);

    *fresh = !burl_map_find_or_add(&p->by_content, hash_list(v, n), is_list, p,
                                   &(struct list){ v, n }, &i);
    if (*fresh) {
        if (p->at.n == 0)
            BURL_VEC_PUSH(&p->at, 0);
        for (size_t k = 0; k < n; k++)
            BURL_VEC_PUSH(&p->all, v[k]);
        BURL_VEC_PUSH(&p->at, p->all.n);
    }
    return (uint32_t)i;
}

/* Leaves of one object that `bytes` (0: no end) from a leaf on may cover. An array represents all
 * its elements, so an access beyond the end of an element is at the start of the next. */
static void
add_extent(struct build *b, uint32_t leaf, uint64_t bytes)
{
    const struct burl_pts *pts = b->sp->pts;
    const struct burl_pts_leaf *l = burl_pts_leaf(pts, leaf);
    const struct burl_pts_object *o = burl_pts_object(pts, l->object);
    uint32_t end = o->first_leaf + o->n_leaves;
    bool over = bytes == 0;

    BURL_VEC_PUSH(&b->gather, leaf);
    for (uint32_t k = leaf + 1; k < end; k++) {
        const struct burl_pts_leaf *next = burl_pts_leaf(pts, k);
        if (bytes && next->offset_b - l->offset_b >= bytes)
            break;
        BURL_VEC_PUSH(&b->gather, k);
        over = true;
    }
    if (leaf + 1 == end && bytes > 16)
        over = true;
    for (uint32_t k = o->first_leaf; over && l->array && k < leaf; k++)
        if (burl_pts_leaf(pts, k)->array)
            BURL_VEC_PUSH(&b->gather, k);
}

static void
gather_leaves(struct build *b, const struct burl__access *a)
{
    b->gather.n = 0;
    for (uint8_t i = 0; i < a->n_ptr; i++) {
        uint32_t n;
        const uint32_t *leaves = burl_pts_of(b->sp->pts, a->ptr[i], &n);
        for (uint32_t k = 0; k < n; k++) {
            uint32_t object = burl_pts_leaf(b->sp->pts, leaves[k])->object;
            if (b->sp->shared[object])
                add_extent(b, leaves[k], a->bytes);
        }
    }
    burl_u32s_sort(&b->gather);
}

static void
make_sets(struct build *b)
{
    struct burl__sp *sp = b->sp;
    bool fresh;

    pool_put(&b->sets, NULL, 0, &fresh); /* 0: private memory */
    for (size_t i = 0; i < sp->accesses.n; i++) {
        struct burl__access *a = &sp->accesses.v[i];
        if (a->copy_of != UINT32_MAX) {
            a->set = sp->accesses.v[a->copy_of].set;
            continue;
        }
        gather_leaves(b, a);
        a->set = pool_put(&b->sets, b->gather.v, b->gather.n, &fresh);
    }
    b->of_set = burl_xcalloc(pool_n(&b->sets), sizeof *b->of_set);
    for (uint32_t i = 0; i < sp->accesses.n; i++)
        BURL_VEC_PUSH(&b->of_set[sp->accesses.v[i].set], i);
}

/* Leaves by the sets they are in. */
static void
make_groups(struct build *b)
{
    size_t n_leaves = 0, n;
    bool fresh;

    for (size_t i = 0; i < b->sets.all.n; i++)
        if (b->sets.all.v[i] >= n_leaves)
            n_leaves = (size_t)b->sets.all.v[i] + 1;
    size_t *at = burl_xcalloc(n_leaves + 2, sizeof *at);
    uint32_t *sets = burl_xcalloc(b->sets.all.n + 1, sizeof *sets);
    for (size_t i = 0; i < b->sets.all.n; i++)
        at[b->sets.all.v[i] + 2]++;
    for (size_t i = 2; i < n_leaves + 2; i++)
        at[i] += at[i - 1];
    for (size_t s = 0; s < pool_n(&b->sets); s++) {
        const uint32_t *v = pool_get(&b->sets, s, &n);
        for (size_t i = 0; i < n; i++)
            sets[at[v[i] + 1]++] = (uint32_t)s;
    }
    pool_put(&b->groups, NULL, 0, &fresh);
    b->first_leaf = burl_xcalloc(n_leaves + 1, sizeof *b->first_leaf);
    for (size_t l = 0; l < n_leaves; l++) {
        uint32_t g = pool_put(&b->groups, sets + at[l], at[l + 1] - at[l], &fresh);
        if (fresh)
            b->first_leaf[g] = (uint32_t)l;
    }
    free(at);
    free(sets);
}

static void
make_root_sets(struct build *b)
{
    struct pool p = { 0 };
    bool fresh;

    b->root_set = burl_xcalloc(b->sp->fns.n + 1, sizeof *b->root_set);
    for (size_t i = 0; i < b->sp->fns.n; i++)
        b->root_set[i] = pool_put(&p, b->sp->fns.v[i].roots.v, b->sp->fns.v[i].roots.n, &fresh);
}

static bool
in_parallel(const struct burl__sp *sp, const struct burl__access *x, const struct burl__access *y)
{
    const struct burl__fn *f = &sp->fns.v[x->fn], *g = &sp->fns.v[y->fn];

    for (size_t i = 0; i < f->roots.n; i++)
        for (size_t k = 0; k < g->roots.n; k++)
            if (f->roots.v[i] != g->roots.v[k] || sp->t->roots.v[f->roots.v[i]].many)
                return true;
    return false;
}

/* May the two be adjacent, in this order, as far as threads and effects go? */
static bool
is_pair(const struct burl__sp *sp, const struct burl__access *x, const struct burl__access *y)
{
    return !((x->flags | y->flags) & BURL_SP_ASSERT) && ((x->flags | y->flags) & BURL_SP_WRITES) &&
           !(y->flags & BURL_SP_BEFORE) && !(x->flags & BURL_SP_AFTER) && in_parallel(sp, x, y);
}

/* Is there any pair among these accesses? Those alike in effect and threads are looked at once. */
static bool
has_pair(const struct build *b, const struct burl_u32s *list)
{
    const struct burl__sp *sp = b->sp;
    struct burl_u32s kinds = { 0 };
    bool found = false;

    for (size_t i = 0; i < list->n && !found; i++) {
        const struct burl__access *a = &sp->accesses.v[list->v[i]];
        bool known = false;
        for (size_t k = 0; k < kinds.n && !known; k++) {
            const struct burl__access *o = &sp->accesses.v[kinds.v[k]];
            known = o->flags == a->flags && b->root_set[o->fn] == b->root_set[a->fn];
        }
        if (known)
            continue;
        BURL_VEC_PUSH(&kinds, list->v[i]);
        for (size_t k = 0; k < kinds.n && !found; k++) {
            const struct burl__access *o = &sp->accesses.v[kinds.v[k]];
            found = is_pair(sp, a, o) || is_pair(sp, o, a);
        }
    }
    BURL_VEC_FREE(&kinds);
    return found;
}

static int
compare_path(const void *a, const void *b, void *arg)
{
    const struct burl__sp *sp = arg;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint32_t p = sp->accesses.v[x].path, q = sp->accesses.v[y].path;

    return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/* Adds the class of `part`, which begins with an access of the path, unless there is none. */
static void
put_class(struct build *b, struct tier *t, uint32_t leaf, uint32_t path)
{
    struct burl_u32s *list = &b->part;
    bool fresh = false;

    if (!has_pair(b, list))
        return;
    if (!t->by_path && t->lists.all.n + list->n > MAX_ENTRIES)
        t->by_path = burl_xcalloc(b->sp->paths.n + BURL__PATH_FIRST, sizeof *t->by_path);
    uint32_t access = list->v[0];
    burl_u32s_sort(list);
    if (!t->by_path) {
        pool_put(&t->lists, list->v, list->n, &fresh);
    } else {
        struct burl_u32s *all = &t->by_path[path];
        fresh = all->n == 0;
        for (size_t i = 0; i < list->n; i++)
            BURL_VEC_PUSH(all, list->v[i]);
        if (all->n > 2 * b->sp->accesses.n)
            burl_u32s_sort(all);
    }
    if (fresh)
        BURL_VEC_PUSH(&t->infos, (struct info){ leaf, path, access });
}

/* All accesses that touch the leaves of a group, by path. */
static void
gather_group(struct build *b, size_t group)
{
    size_t n;
    const uint32_t *sets = pool_get(&b->groups, group, &n);

    b->gather.n = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < b->of_set[sets[i]].n; k++)
            BURL_VEC_PUSH(&b->gather, b->of_set[sets[i]].v[k]);
    if (b->gather.n > 1)
        qsort_r(b->gather.v, b->gather.n, sizeof *b->gather.v, compare_path, b->sp);
}

static uint32_t
path_at(const struct build *b, size_t i)
{
    return b->sp->accesses.v[b->gather.v[i]].path;
}

/* Distinct paths among gather[from..]. */
static size_t
count_paths(const struct build *b, size_t from)
{
    size_t n = 0;

    for (size_t i = from; i < b->gather.n; i++)
        n += i == from || path_at(b, i) != path_at(b, i - 1);
    return n;
}

/* gather[from..end) into `part`. */
static void
add_part(struct build *b, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        BURL_VEC_PUSH(&b->part, b->gather.v[i]);
}

static void
classify_group(struct build *b, size_t group)
{
    uint32_t leaf = b->first_leaf[group];
    size_t untyped = 0, scalar, n_paths;

    gather_group(b, group);
    while (untyped < b->gather.n && path_at(b, untyped) == BURL__PATH_UNTYPED)
        untyped++;
    scalar = untyped;
    while (scalar < b->gather.n && path_at(b, scalar) == BURL__PATH_SCALAR)
        scalar++;
    n_paths = count_paths(b, scalar);
    for (size_t i = scalar, first = scalar; i < b->gather.n; first = i) {
        while (i < b->gather.n && path_at(b, i) == path_at(b, first))
            i++;
        b->part.n = 0;
        add_part(b, first, i);
        if (n_paths <= MAX_PATHS)
            add_part(b, untyped, scalar);
        put_class(b, &b->typed, leaf, path_at(b, first));
    }
    if (n_paths == 0 && scalar > untyped) {
        b->part.n = 0;
        add_part(b, untyped, scalar);
        put_class(b, &b->typed, leaf, BURL__PATH_SCALAR);
    }
    if (untyped > 0 || n_paths > 1) {
        b->part.n = 0;
        add_part(b, 0, b->gather.n);
        put_class(b, &b->untyped, leaf, BURL__PATH_UNTYPED);
    }
}

static void
emit_class(struct build *b, const struct tier *t, const struct info *info, const uint32_t *v,
           size_t n)
{
    struct burl_sp_class *c = BURL_VEC_ADD(&b->sp->t->classes);

    c->untyped = t == &b->untyped;
    c->name = c->untyped && t->by_path
                  ? burl_xstrdup("untyped memory")
                  : burl__sp_class_name(b->sp, info->leaf, info->path, info->access);
    c->object = burl__sp_object_name(b->sp, burl_pts_leaf(b->sp->pts, info->leaf)->object);
    for (size_t i = 0; i < n; i++) {
        BURL_VEC_PUSH(&c->sites, v[i]); /* accesses until emit_sites() numbers them */
        b->sp->accesses.v[v[i]].target = 0;
    }
}

static void
emit_tier(struct build *b, struct tier *t)
{
    size_t n;

    for (size_t i = 0; i < t->infos.n; i++) {
        const struct info *info = &t->infos.v[i];
        if (!t->by_path) {
            const uint32_t *v = pool_get(&t->lists, i, &n);
            emit_class(b, t, info, v, n);
        }
        if (!t->by_path || info->path == UINT32_MAX)
            continue;
        struct burl_u32s *all = &t->by_path[info->path];
        for (size_t k = 0; k < pool_n(&t->lists); k++) {
            const uint32_t *v = pool_get(&t->lists, k, &n);
            for (size_t j = 0; t->infos.v[k].path == info->path && j < n; j++)
                BURL_VEC_PUSH(all, v[j]);
        }
        burl_u32s_sort(all);
        emit_class(b, t, info, all->v, all->n);
        for (size_t k = i + 1; k < t->infos.n; k++)
            if (t->infos.v[k].path == info->path)
                t->infos.v[k].path = UINT32_MAX;
    }
}

static int
compare_site(const void *a, const void *b, void *arg)
{
    const struct burl__sp *sp = arg;
    const struct burl__access *x = &sp->accesses.v[*(const uint32_t *)a];
    const struct burl__access *y = &sp->accesses.v[*(const uint32_t *)b];
    uint64_t p = sp->p->modules.v[x->module].hash, q = sp->p->modules.v[y->module].hash;

    if (p != q)
        return (p > q) - (p < q);
    return (x->site > y->site) - (x->site < y->site);
}

/* Gives the accesses of classes their numbers and the target its sites. */
static void
emit_sites(struct build *b)
{
    struct burl__sp *sp = b->sp;
    struct burl_u32s list = { 0 };

    for (uint32_t i = 0; i < sp->accesses.n; i++)
        if (sp->accesses.v[i].target != UINT32_MAX)
            BURL_VEC_PUSH(&list, i);
    if (list.n > 1)
        qsort_r(list.v, list.n, sizeof *list.v, compare_site, sp);
    for (size_t i = 0; i < list.n; i++) {
        struct burl__access *a = &sp->accesses.v[list.v[i]];
        struct burl_sp_site *s = BURL_VEC_ADD(&sp->t->sites);
        a->target = (uint32_t)i;
        s->module_hash = sp->p->modules.v[a->module].hash;
        s->index = a->site;
        s->flags = a->flags;
        for (size_t k = 0; k < sp->fns.v[a->fn].roots.n; k++)
            BURL_VEC_PUSH(&s->roots, sp->fns.v[a->fn].roots.v[k]);
        for (size_t k = 0; k < a->locks.n; k++)
            BURL_VEC_PUSH(&s->locks, a->locks.v[k]);
    }
    for (size_t c = 0; c < sp->t->classes.n; c++) {
        struct burl_sp_class *cls = &sp->t->classes.v[c];
        struct burl_u32s numbers = { cls->sites.v, cls->sites.n, cls->sites.cap };
        for (size_t i = 0; i < numbers.n; i++)
            numbers.v[i] = sp->accesses.v[numbers.v[i]].target;
        burl_u32s_sort(&numbers);
    }
    BURL_VEC_FREE(&list);
}

void
burl__sp_classes(struct burl__sp *sp)
{
    struct build b = { .sp = sp };

    burl__sp_name_fields(sp);
    make_sets(&b);
    make_groups(&b);
    make_root_sets(&b);
    for (size_t g = 1; g < pool_n(&b.groups); g++)
        classify_group(&b, g);
    emit_tier(&b, &b.typed);
    emit_tier(&b, &b.untyped);
    emit_sites(&b);
}
