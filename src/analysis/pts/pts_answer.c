/* SPDX-License-Identifier: Apache-2.0 */
/*
 * analysis/pts/pts_answer.c - the solution as pts.h presents it. Host side.
 *
 * Objects and leaves get final numbers (leaves ascending by offset within their object, without
 * merged ones and without the temporaries of copies). Sets become arrays on the first query: most
 * are never queried.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/pts/pts_int.h"
#include "base/mem.h"

struct list {
    struct burl_u32s leaves;
    bool made;
};

struct burl__result {
    BURL_VEC(struct burl_pts_object) objects;
    BURL_VEC(struct burl_pts_leaf) leaves;
    uint32_t *leaf_no;  /* internal representative -> final, BURL__NONE none */
    uint32_t *leaf_in;  /* final -> internal */
    struct list *lists; /* by node */
    struct burl_valmap called;
    struct burl_valmap spawned;
    BURL_VEC(struct burl__functions) calls;
};

static bool
in_region(const struct burl__object *o, uint64_t offset)
{
    for (size_t i = 0; i < o->regions.n; i++)
        if (offset >= o->regions.v[i].start && offset < o->regions.v[i].end)
            return true;
    return false;
}

void
burl__pts_finish(struct burl_pts *s)
{
    struct burl__result *r = burl_xcalloc(1, sizeof *r);

    s->result = r;
    r->leaf_no = burl_xcalloc(s->leaves.n + 1, sizeof *r->leaf_no);
    r->leaf_in = burl_xcalloc(s->leaves.n + 1, sizeof *r->leaf_in);
    memset(r->leaf_no, 0xff, s->leaves.n * sizeof *r->leaf_no);
    for (size_t i = 0; i < s->objects.n; i++) {
        const struct burl__object *o = &s->objects.v[i];
        if (o->temporary || !o->places.n)
            continue;
        struct burl_pts_object pub = o->pub;
        pub.first_leaf = (uint32_t)r->leaves.n;
        pub.n_leaves = (uint32_t)o->places.n;
        for (size_t k = 0; k < o->places.n; k++) {
            uint32_t leaf = burl__pts_leaf_rep(s, o->places.v[k].leaf);
            r->leaf_no[leaf] = (uint32_t)r->leaves.n;
            r->leaf_in[r->leaves.n] = leaf;
            BURL_VEC_PUSH(&r->leaves,
                          (struct burl_pts_leaf){ (uint32_t)r->objects.n, o->places.v[k].offset,
                                                  in_region(o, o->places.v[k].offset) });
        }
        BURL_VEC_PUSH(&r->objects, pub);
    }
    /* Queries about a node go to its representative from now on. */
    for (uint32_t i = 0; i < s->nodes.n; i++)
        s->node_reps.v[i] = burl__pts_node(s, i);
    for (uint32_t i = 0; i < s->leaves.n; i++)
        s->leaf_reps.v[i] = burl__pts_leaf_rep(s, i);
    r->lists = burl_xcalloc(s->nodes.n + 1, sizeof *r->lists);
}

uint32_t
burl_pts_n_objects(const struct burl_pts *s)
{
    return (uint32_t)s->result->objects.n;
}

const struct burl_pts_object *
burl_pts_object(const struct burl_pts *s, uint32_t i)
{
    BURL_ASSERT(i < s->result->objects.n);
    return &s->result->objects.v[i];
}

const struct burl_pts_leaf *
burl_pts_leaf(const struct burl_pts *s, uint32_t leaf)
{
    BURL_ASSERT(leaf < s->result->leaves.n);
    return &s->result->leaves.v[leaf];
}

const struct burl_pts_object *
burl_pts_object_of(const struct burl_pts *s, uint32_t leaf)
{
    return burl_pts_object(s, burl_pts_leaf(s, leaf)->object);
}

static const uint32_t *
list_of(const struct burl_pts *s, uint32_t node, uint32_t *n)
{
    struct burl__result *r = s->result;
    uint32_t rep = s->node_reps.v[node];
    struct list *l = &r->lists[rep];

    if (!l->made) {
        BURL__SET_EACH(x, &s->nodes.v[rep].pts)
        {
            uint32_t no = r->leaf_no[s->leaf_reps.v[x]];
            if (no != BURL__NONE)
                BURL_VEC_PUSH(&l->leaves, no);
        }
        burl_u32s_sort(&l->leaves);
        l->made = true;
    }
    *n = (uint32_t)l->leaves.n;
    return l->leaves.v;
}

const uint32_t *
burl_pts_of(const struct burl_pts *s, LLVMValueRef pointer, uint32_t *n)
{
    uint32_t node;

    *n = 0;
    if (!burl_valmap_get(&s->values, pointer, &node))
        return NULL;
    return list_of(s, node, n);
}

const uint32_t *
burl_pts_in(const struct burl_pts *s, uint32_t leaf, uint32_t *n)
{
    BURL_ASSERT(leaf < s->result->leaves.n);
    uint32_t node = s->leaves.v[s->result->leaf_in[leaf]].node;

    *n = 0;
    return node == BURL__NONE ? NULL : list_of(s, node, n);
}

/* Callees of the sites of a call, of threads it starts or of the rest. */
static const LLVMValueRef *
collect_callees(const struct burl_pts *s, struct burl_valmap *map, LLVMValueRef call, bool spawn,
                uint32_t *n)
{
    struct burl__result *r = s->result;
    uint32_t x, at = (uint32_t)r->calls.n;

    *n = 0;
    if (!burl_valmap_get(&s->first_site, call, &x))
        return NULL;
    if (!burl_valmap_find_or_add(map, call, &at)) {
        struct burl_u32s fns = { 0 };
        struct burl__functions *c = BURL_VEC_ADD(&r->calls);
        for (; x != BURL__NONE; x = s->sites.v[x].next)
            for (size_t i = 0; s->sites.v[x].spawn == spawn && i < s->sites.v[x].callees.n; i++)
                if (burl_u32s_add(&fns, s->sites.v[x].callees.v[i]))
                    BURL_VEC_PUSH(c, s->funcs.v[s->sites.v[x].callees.v[i]].value);
        BURL_VEC_FREE(&fns);
    }
    *n = (uint32_t)r->calls.v[at].n;
    return r->calls.v[at].v;
}

const LLVMValueRef *
burl_pts_callees(const struct burl_pts *s, LLVMValueRef call, uint32_t *n)
{
    return collect_callees(s, &s->result->called, call, false, n);
}

const LLVMValueRef *
burl_pts_spawned(const struct burl_pts *s, LLVMValueRef call, uint32_t *n)
{
    return collect_callees(s, &s->result->spawned, call, true, n);
}

bool
burl_pts_is_spawn(const struct burl_pts *s, LLVMValueRef call)
{
    uint32_t x;

    if (!burl_valmap_get(&s->first_site, call, &x))
        return false;
    for (; x != BURL__NONE; x = s->sites.v[x].next)
        if (s->sites.v[x].spawn)
            return true;
    return false;
}

static int
compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

const char *const *
burl_pts_unknown(const struct burl_pts *s, uint32_t *n)
{
    if (s->unknown.n)
        qsort(s->unknown.v, s->unknown.n, sizeof *s->unknown.v, compare_names);
    *n = (uint32_t)s->unknown.n;
    return (const char *const *)s->unknown.v;
}

void
burl_pts_stats(const struct burl_pts *s, struct burl_pts_stats *out)
{
    *out = (struct burl_pts_stats){ .n_objects = (uint32_t)s->result->objects.n,
                                    .n_leaves = (uint32_t)s->result->leaves.n,
                                    .n_variables = (uint32_t)s->nodes.n,
                                    .n_constraints = s->n_constraints,
                                    .n_merged = s->n_merged,
                                    .solve_ms = s->solve_ms };
}
