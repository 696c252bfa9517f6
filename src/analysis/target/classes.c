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

#include "analysis/target/sp_int.h"
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
    uint32_t path;
    uint32_t access;
};

struct infos {
    BURL_VEC_OF(struct info);
};

struct build {
    struct burl__sp *sp;
    struct pool sets;         /* of leaves, per access */
    struct burl_u32s *of_set; /* accesses of a set */
    struct pool groups;       /* of sets, per leaf; 0 is the empty one */
    uint32_t *first_leaf;     /* of a group */
    struct pool typed, untyped;
    struct infos typed_info, untyped_info;
    uint32_t *root_set; /* per function */
    struct burl_u32s gather, part;
    /* Once a tier is too large: all its sites, by path and at all. */
    struct burl_u32s *by_path;
    bool *in_untyped;
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

static void
pool_free(struct pool *p)
{
    BURL_VEC_FREE(&p->all);
    BURL_VEC_FREE(&p->at);
    burl_map_deinit(&p->by_content);
}

static int
compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void
sort_unique(struct burl_u32s *l)
{
    size_t n = 0;
    bool sorted = true;

    for (size_t i = 1; i < l->n && sorted; i++)
        sorted = l->v[i - 1] < l->v[i];
    if (sorted)
        return;
    qsort(l->v, l->n, sizeof *l->v, compare_u32);
    for (size_t i = 0; i < l->n; i++)
        if (n == 0 || l->v[n - 1] != l->v[i])
            l->v[n++] = l->v[i];
    l->n = n;
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
    sort_unique(&b->gather);
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
    pool_free(&p);
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

static void
put_info(struct infos *l, uint32_t leaf, uint32_t path, uint32_t access)
{
    BURL_VEC_PUSH(l, (struct info){ leaf, path, access });
}

static void
put_untyped(struct build *b, struct burl_u32s *list, uint32_t leaf)
{
    bool fresh = false;

    if (!has_pair(b, list))
        return;
    if (!b->in_untyped && b->untyped.all.n + list->n > MAX_ENTRIES)
        b->in_untyped = burl_xcalloc(b->sp->accesses.n, sizeof *b->in_untyped);
    for (size_t i = 0; b->in_untyped && i < list->n; i++)
        b->in_untyped[list->v[i]] = true;
    uint32_t access = list->v[0];
    sort_unique(list);
    if (!b->in_untyped)
        pool_put(&b->untyped, list->v, list->n, &fresh);
    if (fresh)
        put_info(&b->untyped_info, leaf, BURL__PATH_UNTYPED, access);
}

/* `list` begins with an access of the path, unless there is none. */
static void
put_typed(struct build *b, struct burl_u32s *list, uint32_t leaf, uint32_t path)
{
    bool fresh = false;

    if (!has_pair(b, list))
        return;
    if (!b->by_path && b->typed.all.n + list->n > MAX_ENTRIES)
        b->by_path = burl_xcalloc(b->sp->paths.n + BURL__PATH_FIRST, sizeof *b->by_path);
    uint32_t access = list->v[0];
    sort_unique(list);
    if (!b->by_path) {
        pool_put(&b->typed, list->v, list->n, &fresh);
    } else {
        struct burl_u32s *all = &b->by_path[path];
        fresh = all->n == 0;
        for (size_t i = 0; i < list->n; i++)
            BURL_VEC_PUSH(all, list->v[i]);
        if (all->n > 2 * b->sp->accesses.n)
            sort_unique(all);
    }
    if (fresh)
        put_info(&b->typed_info, leaf, path, access);
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
    for (size_t i = scalar; i < b->gather.n;) {
        uint32_t path = path_at(b, i);
        b->part.n = 0;
        for (; i < b->gather.n && path_at(b, i) == path; i++)
            BURL_VEC_PUSH(&b->part, b->gather.v[i]);
        for (size_t k = untyped; k < scalar && n_paths <= MAX_PATHS; k++)
            BURL_VEC_PUSH(&b->part, b->gather.v[k]);
        put_typed(b, &b->part, leaf, path);
    }
    if (n_paths == 0 && scalar > untyped) {
        b->part.n = 0;
        for (size_t k = untyped; k < scalar; k++)
            BURL_VEC_PUSH(&b->part, b->gather.v[k]);
        put_typed(b, &b->part, leaf, BURL__PATH_SCALAR);
    }
    if (untyped > 0 || n_paths > 1) {
        b->part.n = 0;
        for (size_t k = 0; k < b->gather.n; k++)
            BURL_VEC_PUSH(&b->part, b->gather.v[k]);
        put_untyped(b, &b->part, leaf);
    }
}

static void
emit_class(struct build *b, bool untyped, const struct info *info, const uint32_t *v, size_t n)
{
    struct burl_sp_class *c = BURL_VEC_ADD(&b->sp->t->classes);

    c->name = burl__sp_class_name(b->sp, info->leaf, info->path, info->access);
    c->object = burl__sp_object_name(b->sp, burl_pts_leaf(b->sp->pts, info->leaf)->object);
    c->untyped = untyped;
    for (size_t i = 0; i < n; i++) {
        BURL_VEC_PUSH(&c->sites, v[i]); /* accesses until emit_sites() numbers them */
        b->sp->accesses.v[v[i]].target = 0;
    }
}

static void
emit_typed(struct build *b)
{
    size_t n;

    for (size_t i = 0; i < b->typed_info.n; i++) {
        const struct info *info = &b->typed_info.v[i];
        if (info->path == UINT32_MAX)
            continue; /* merged with an earlier one */
        if (!b->by_path) {
            const uint32_t *v = pool_get(&b->typed, i, &n);
            emit_class(b, false, info, v, n);
            continue;
        }
        struct burl_u32s *all = &b->by_path[info->path];
        for (size_t k = 0; k < pool_n(&b->typed); k++) {
            const uint32_t *v = pool_get(&b->typed, k, &n);
            for (size_t j = 0; b->typed_info.v[k].path == info->path && j < n; j++)
                BURL_VEC_PUSH(all, v[j]);
        }
        sort_unique(all);
        if (all->n)
            emit_class(b, false, info, all->v, all->n);
        BURL_VEC_FREE(all);
        for (size_t k = i + 1; k < b->typed_info.n; k++)
            if (b->typed_info.v[k].path == info->path)
                b->typed_info.v[k].path = UINT32_MAX;
    }
}

static void
emit_untyped(struct build *b)
{
    size_t n;

    if (b->in_untyped) {
        for (size_t i = 0; i < b->untyped.all.n; i++)
            b->in_untyped[b->untyped.all.v[i]] = true;
        b->part.n = 0;
        for (uint32_t i = 0; i < b->sp->accesses.n; i++)
            if (b->in_untyped[i])
                BURL_VEC_PUSH(&b->part, i);
        emit_class(b, true, &b->untyped_info.v[0], b->part.v, b->part.n);
        free(b->sp->t->classes.v[b->sp->t->classes.n - 1].name);
        b->sp->t->classes.v[b->sp->t->classes.n - 1].name = burl_xstrdup("untyped memory");
        return;
    }
    for (size_t i = 0; i < b->untyped_info.n; i++) {
        const uint32_t *v = pool_get(&b->untyped, i, &n);
        emit_class(b, true, &b->untyped_info.v[i], v, n);
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
        for (size_t i = 0; i < cls->sites.n; i++)
            cls->sites.v[i] = sp->accesses.v[cls->sites.v[i]].target;
        if (cls->sites.n > 1)
            qsort(cls->sites.v, cls->sites.n, sizeof *cls->sites.v, compare_u32);
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
    emit_typed(&b);
    emit_untyped(&b);
    emit_sites(&b);
    for (size_t i = 0; i < pool_n(&b.sets); i++)
        BURL_VEC_FREE(&b.of_set[i]);
    free(b.of_set);
    free(b.first_leaf);
    free(b.root_set);
    free(b.by_path);
    free(b.in_untyped);
    pool_free(&b.sets);
    pool_free(&b.groups);
    pool_free(&b.typed);
    pool_free(&b.untyped);
    BURL_VEC_FREE(&b.typed_info);
    BURL_VEC_FREE(&b.untyped_info);
    BURL_VEC_FREE(&b.gather);
    BURL_VEC_FREE(&b.part);
}
