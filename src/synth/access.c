/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/access.c - Algorithms 1 and 2 of the paper, on the log of a seed.
 *
 * Everything starts afresh with each client call. Its pointer arguments are roots; a pointer that
 * is loaded from an object with a path gives its target the path with one step more, unless the
 * call itself stored that pointer: then the target has the paths it came with, as the symbol of the
 * right side of an assignment does. Objects that the call allocated have no path, so they are not
 * controllable. Static objects are roots that every client has.
 *
 * An element of an array is compared with itself only when the previous access is looked up, and
 * counts as one field with the other elements when rows of different calls are compared
 * (fields.c): a triple needs one address, a candidate only a field.
 */
#include "synth/access.h"

#include "base/hash.h"
#include "synth/blocks.h"
#include "synth/fields.h"

#define MAX_PATHS 2 /* of one object: the first two by which the call reached it */
#define CHUNK_B 8   /* a large access, as memcpy() makes, counts as accesses of this size */
#define MAX_CHUNKS 32
#define MAX_HELD 32

struct held {
    uint64_t addr;
    uint64_t stamp;
    unsigned depth;
    bool is_shared;
    uint32_t site;
};

/* A path of the call, and the objects on it. */
struct known_path {
    struct burl_synth_path p;
    uint64_t object[BURL_SYNTH_MAX_STEPS + 1];
    uint32_t step_site[BURL_SYNTH_MAX_STEPS];
};

/* What is known of an object during a call. */
struct object {
    uint64_t addr;
    int paths[MAX_PATHS]; /* indices; shortest first */
    unsigned n_paths;
};

/* The last access to an address by way of a path. */
struct last {
    uint8_t access;
    bool is_atomic;
    uint32_t site;
    uint64_t stamp;
};

/* A pointer that the call stored. */
struct stored {
    uint64_t slot;
    uint64_t value;
    uint32_t site;
    bool is_overwritten;
};

/* A call stored a pointer to the object that it was given. */
struct install {
    uint64_t object;
    int fn;
    int param;
};

struct analysis {
    const struct burl_synth_log *log;
    struct burl_synth_table *out;
    struct burl_synth_blocks blocks;
    struct burl_synth_fields fields;
    struct burl_map seen;              /* hashes of rows */
    BURL_VEC(struct install) installs; /* of the seed */
    /* of the call */
    const struct burl_synth_call *call;
    size_t call_index;
    uint64_t stamp;
    struct held held[MAX_HELD];
    unsigned n_held;
    BURL_VEC(struct known_path) paths;
    BURL_VEC(struct object) objects;
    BURL_VEC(struct last) lasts;
    BURL_VEC(struct stored) stores;
    struct burl_map object_at; /* address of the block -> objects */
    struct burl_map last_at;   /* path and address -> lasts */
    struct burl_map store_at;  /* slot -> last of stores */
};

/* ---- objects and paths ------------------------------------------------------------------- */

static struct object *
object_of(struct analysis *a, const struct burl_synth_block *b)
{
    uint64_t i = a->objects.n;
    uint64_t known;

    if (burl_map_get(&a->object_at, b->addr, &known))
        return &a->objects.v[known];
    burl_map_set(&a->object_at, b->addr, i);
    BURL_VEC_PUSH(&a->objects, (struct object){ .addr = b->addr });
    return &a->objects.v[i];
}

static bool
is_fresh(const struct analysis *a, const struct burl_synth_block *b)
{
    return b->call == a->call_index + 1;
}

static void
object_add_path(struct analysis *a, const struct burl_synth_block *b,
                const struct burl_synth_path *p, const struct known_path *owner, uint32_t site)
{
    struct known_path k = owner != NULL ? *owner : (struct known_path){ .p = *p };
    struct object *o = object_of(a, b);

    for (unsigned i = 0; i < o->n_paths; i++) {
        if (burl_synth_path_equal(&a->paths.v[o->paths[i]].p, p))
            return;
    }
    if (o->n_paths == MAX_PATHS)
        return;
    o->paths[o->n_paths++] = (int)a->paths.n;
    k.p = *p;
    k.object[p->n] = b->addr;
    if (p->n > 0)
        k.step_site[p->n - 1] = site;
    BURL_VEC_PUSH(&a->paths, k);
}

/* The object with its paths; a static one is a root from its first use. NULL: the client has no
 * influence on it. */
static struct object *
controllable(struct analysis *a, const struct burl_synth_block *b)
{
    struct object *o;

    if (b == NULL || is_fresh(a, b))
        return NULL;
    if (b->statics >= 0) {
        struct burl_synth_path root = { .root = BURL_SYNTH_STATIC, .id = b->statics };

        root.type[0] = b->type;
        object_add_path(a, b, &root, NULL, 0);
    }
    o = object_of(a, b);
    return o->n_paths > 0 ? o : NULL;
}

static void
pointer_loaded(struct analysis *a, const struct burl_synth_block *from,
               const struct burl_synth_event *e)
{
    const struct burl_synth_block *to = burl_synth_block_at(&a->blocks, e->value);
    struct object *o = controllable(a, from);
    uint64_t off = e->addr - from->addr;
    uint64_t ignored;
    struct object copy;

    if (to == NULL)
        return;
    burl_synth_blocks_points(&a->blocks, from->type, off, to->type);
    if (o == NULL || to->statics >= 0 || is_fresh(a, to) ||
        burl_map_get(&a->store_at, e->addr, &ignored))
        return;
    copy = *o;
    for (unsigned i = 0; i < copy.n_paths; i++) {
        struct known_path owner = a->paths.v[copy.paths[i]];
        struct burl_synth_path p;

        if (burl_synth_path_step(&p, &owner.p, (uint32_t)off, to->type))
            object_add_path(a, to, &p, &owner, e->site);
        else
            a->out->n_too_deep++;
    }
}

static void
pointer_stored(struct analysis *a, const struct burl_synth_event *e)
{
    const struct burl_synth_block *from = burl_synth_block_at(&a->blocks, e->addr);
    const struct burl_synth_block *to = burl_synth_block_at(&a->blocks, e->value);
    uint64_t known;

    if (burl_map_get(&a->store_at, e->addr, &known) && a->stores.v[known].value != e->value)
        a->stores.v[known].is_overwritten = true;
    if (from != NULL && to != NULL)
        burl_synth_blocks_points(&a->blocks, from->type, e->addr - from->addr, to->type);
    burl_map_set(&a->store_at, e->addr, a->stores.n);
    BURL_VEC_PUSH(&a->stores,
                  (struct stored){ .slot = e->addr, .value = e->value, .site = e->site });
}

/* ---- locks ------------------------------------------------------------------------------- */

/* The lock as seen from the object with path p; false: it is not relevant for it. */
static bool
lock_seen_from(struct analysis *a, const struct held *h, const struct burl_synth_path *p,
               struct burl_synth_lock *out)
{
    const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, h->addr);
    const struct object *o;
    int best = -1;

    memset(out, 0, sizeof *out); /* rows are compared as bytes */
    out->is_shared = h->is_shared;
    out->off = h->addr;
    if (b != NULL && is_fresh(a, b))
        return false;
    o = controllable(a, b);
    out->is_global = o == NULL || a->paths.v[o->paths[0]].p.root == BURL_SYNTH_STATIC;
    if (out->is_global)
        return true;
    out->off = h->addr - b->addr;
    for (unsigned i = 0; i < o->n_paths; i++) {
        const struct burl_synth_path *q = &a->paths.v[o->paths[i]].p;
        int common = burl_synth_path_common(q, p);

        if (common <= best)
            continue;
        best = common;
        out->steps = (uint8_t)common;
        out->n_rest = (uint8_t)(q->n - common);
        memcpy(out->rest, &q->off[common], out->n_rest * sizeof *out->rest);
        out->type = p->type[common];
    }
    return best >= 0;
}

static void
locks_add(struct burl_synth_locks *l, const struct burl_synth_lock *lock)
{
    if (l->n < BURL_SYNTH_MAX_LOCKS)
        l->v[l->n++] = *lock;
}

/* The first of these hashes; remembers it. */
static bool
is_first(struct analysis *a, uint64_t hash)
{
    uint64_t ignored;

    if (burl_map_get(&a->seen, hash, &ignored))
        return false;
    burl_map_set(&a->seen, hash, 0);
    return true;
}

static uint64_t
nest_hash(const struct burl_synth_nest *n)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)n->fn);

    h = burl_hash_bytes(h, &n->outer, sizeof n->outer);
    h = burl_hash_bytes(h, &n->inner, sizeof n->inner);
    h = burl_hash_u64(burl_hash_u64(h, n->outer_off), n->inner_off);
    return burl_hash_end(burl_hash_u64(h, (uint64_t)n->outer_site << 32 | n->inner_site));
}

static void
nest_add(struct analysis *a, const struct held *outer, const struct burl_synth_event *e)
{
    const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, outer->addr);
    const struct burl_synth_block *c = burl_synth_block_at(&a->blocks, e->addr);
    const struct object *o = controllable(a, b);
    const struct object *i = controllable(a, c);
    struct burl_synth_nest n = { .call = a->call_index, .fn = a->call->fn };

    o = controllable(a, b); /* the second may have moved the first */
    if (o == NULL || i == NULL || outer->addr == e->addr)
        return;
    n.outer = a->paths.v[o->paths[0]].p;
    n.inner = a->paths.v[i->paths[0]].p;
    n.outer_object = b->addr;
    n.inner_object = c->addr;
    n.outer_off = outer->addr - b->addr;
    n.inner_off = e->addr - c->addr;
    n.outer_site = outer->site;
    n.inner_site = e->site;
    if (is_first(a, nest_hash(&n)))
        BURL_VEC_PUSH(&a->out->nests, n);
}

static void
lock_taken(struct analysis *a, const struct burl_synth_event *e)
{
    a->stamp++;
    for (unsigned i = 0; i < a->n_held; i++) {
        if (a->held[i].addr == e->addr) {
            a->held[i].depth++;
            return;
        }
    }
    for (unsigned i = 0; i < a->n_held && !a->call->is_life_cycle; i++)
        nest_add(a, &a->held[i], e);
    if (a->n_held < MAX_HELD)
        a->held[a->n_held++] = (struct held){ .addr = e->addr,
                                              .stamp = a->stamp,
                                              .depth = 1,
                                              .is_shared = (e->flags & BURL_SYNTH_F_SHARED) != 0,
                                              .site = e->site };
}

static void
lock_released(struct analysis *a, const struct burl_synth_event *e)
{
    a->stamp++;
    for (unsigned i = 0; i < a->n_held; i++) {
        if (a->held[i].addr == e->addr && --a->held[i].depth == 0) {
            a->held[i] = a->held[--a->n_held];
            return;
        }
    }
}

/* ---- accesses ---------------------------------------------------------------------------- */

static uint64_t
dep_hash(const struct burl_synth_dep *d)
{
    uint64_t h = BURL_HASH_BEGIN;

    h = burl_hash_u64(h, (uint64_t)d->fn << 32 | (uint32_t)d->field);
    h = burl_hash_bytes(h, &d->path, sizeof d->path);
    h = burl_hash_u64(h, (uint64_t)d->is_free << 16 | (uint64_t)d->previous << 8 | d->current);
    h = burl_hash_u64(h, (uint64_t)d->previous_site << 32 | d->current_site);
    h = burl_hash_bytes(h, &d->hr, sizeof d->hr);
    return burl_hash_end(burl_hash_bytes(h, &d->hc, sizeof d->hc));
}

static struct last *
last_access(struct analysis *a, int path, uint64_t addr)
{
    uint64_t key = addr ^ (uint64_t)path << 48;
    uint64_t i = a->lasts.n;
    uint64_t known;

    if (burl_map_get(&a->last_at, key, &known))
        return &a->lasts.v[known];
    burl_map_set(&a->last_at, key, i);
    BURL_VEC_PUSH(&a->lasts, (struct last){ .access = BURL_SYNTH_NONE });
    return &a->lasts.v[i];
}

static void
access_by_path(struct analysis *a, const struct burl_synth_event *e, uint64_t addr, int path,
               uint64_t off, int field)
{
    struct last freed = { .access = BURL_SYNTH_NONE };
    bool is_free = e->kind == BURL_SYNTH_FREE;
    struct last *last = is_free ? &freed : last_access(a, path, addr);
    struct burl_synth_dep d;
    bool is_atomic = (e->flags & BURL_SYNTH_F_ATOMIC) != 0;

    memset(&d, 0, sizeof d);
    d.call = a->call_index;
    d.fn = a->call->fn;
    d.path = a->paths.v[path].p;
    d.is_life_cycle =
        a->call->is_end || (a->call->is_life_cycle && d.path.root != BURL_SYNTH_STATIC);
    memcpy(d.object, a->paths.v[path].object, sizeof d.object);
    memcpy(d.step_site, a->paths.v[path].step_site, sizeof d.step_site);
    d.off = off;
    d.field = field;
    d.previous = last->access;
    d.previous_site = last->site;
    d.current = is_free ? BURL_SYNTH_WRITE : e->access;
    d.current_site = e->site;
    d.is_free = is_free;
    d.is_atomic = is_atomic && (last->access == BURL_SYNTH_NONE || last->is_atomic);
    for (unsigned i = 0; i < a->n_held; i++) {
        struct burl_synth_lock l;

        if (!lock_seen_from(a, &a->held[i], &d.path, &l))
            continue;
        locks_add(&d.hr, &l);
        if (last->access == BURL_SYNTH_NONE || a->held[i].stamp <= last->stamp)
            locks_add(&d.hc, &l);
    }
    *last = (struct last){
        .access = e->access, .is_atomic = is_atomic, .site = e->site, .stamp = a->stamp
    };
    a->out->n_accesses++;
    if (is_first(a, dep_hash(&d)))
        BURL_VEC_PUSH(&a->out->deps, d);
}

static void
access_chunk(struct analysis *a, const struct burl_synth_event *e, uint64_t addr)
{
    const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, addr);
    struct object *o = controllable(a, b);
    struct object copy;
    uint64_t off;
    int field;

    if (o == NULL)
        return;
    copy = *o;
    off = addr - b->addr;
    field = burl_synth_field(&a->fields, b->type, off, e->site, e->size_b);
    for (unsigned i = 0; i < copy.n_paths; i++)
        access_by_path(a, e, addr, copy.paths[i], off, field);
}

static void
access_done(struct analysis *a, const struct burl_synth_event *e)
{
    const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, e->addr);
    uint64_t n = e->size_b > 2 * CHUNK_B ? e->size_b / CHUNK_B : 1;

    for (uint64_t i = 0; i < n && i < MAX_CHUNKS; i++)
        access_chunk(a, e, e->addr + i * CHUNK_B);
    if ((e->flags & BURL_SYNTH_F_POINTER) == 0 || b == NULL)
        return;
    if ((e->access & BURL_SYNTH_WRITE) != 0)
        pointer_stored(a, e);
    else
        pointer_loaded(a, b, e);
}

/* ---- calls ------------------------------------------------------------------------------- */

static void
call_begin(struct analysis *a, size_t index)
{
    const struct burl_synth_call *c = &a->log->calls.v[index];

    a->call = c;
    a->call_index = index;
    a->stamp = 0;
    a->n_held = 0;
    a->paths.n = a->objects.n = a->lasts.n = a->stores.n = 0;
    burl_map_deinit(&a->object_at);
    burl_map_deinit(&a->last_at);
    burl_map_deinit(&a->store_at);
    for (unsigned i = 0; i < c->n_args; i++)
        burl_synth_blocks_argument(&a->blocks, &c->args[i]);
    for (unsigned i = 0; i < c->n_args; i++) {
        const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, c->args[i].bits);
        struct burl_synth_path root = { .root = BURL_SYNTH_PARAM, .id = (int32_t)i };

        if (b == NULL || (c->args[i].type < 0 && c->args[i].object_b == 0))
            continue;
        root.type[0] = b->type;
        object_add_path(a, b, &root, NULL, 0);
    }
}

/* A fresh object that the client reaches after the call: as the result, or through an object that
 * it has. */
static bool
fresh_path(struct analysis *a, uint64_t addr, struct burl_synth_path *out, unsigned depth)
{
    const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, addr);

    if (b == NULL)
        return false;
    if (burl_synth_block_at(&a->blocks, a->call->result) == b && a->call->result_type >= 0) {
        *out = (struct burl_synth_path){ .root = BURL_SYNTH_RESULT };
        out->type[0] = b->type;
        return true;
    }
    for (size_t i = 0; i < a->stores.n && depth < BURL_SYNTH_MAX_STEPS; i++) {
        const struct stored *s = &a->stores.v[i];
        const struct burl_synth_block *owner = burl_synth_block_at(&a->blocks, s->slot);
        struct burl_synth_path p;
        struct object *o;

        if (s->is_overwritten || owner == NULL || owner == b ||
            burl_synth_block_at(&a->blocks, s->value) != b)
            continue;
        o = controllable(a, owner);
        if (o != NULL)
            p = a->paths.v[o->paths[0]].p;
        else if (!is_fresh(a, owner) || !fresh_path(a, owner->addr, &p, depth + 1))
            continue;
        return burl_synth_path_step(out, &p, (uint32_t)(s->slot - owner->addr), b->type);
    }
    return false;
}

/* Writes down every stored pointer whose place and target the client chooses. */
static void
assigns_collect(struct analysis *a)
{
    for (size_t i = 0; i < a->stores.n; i++) {
        const struct stored *s = &a->stores.v[i];
        const struct burl_synth_block *owner = burl_synth_block_at(&a->blocks, s->slot);
        const struct burl_synth_block *to = burl_synth_block_at(&a->blocks, s->value);
        struct burl_synth_assign n = { .call = a->call_index,
                                       .fn = a->call->fn,
                                       .is_overwritten = s->is_overwritten,
                                       .site = s->site };
        struct burl_synth_path p;
        struct object *o = controllable(a, to);

        if (o == NULL || owner == NULL || to->statics >= 0)
            continue;
        n.source = a->paths.v[o->paths[0]].p;
        o = controllable(a, owner);
        if (o != NULL)
            p = a->paths.v[o->paths[0]].p;
        else if (!fresh_path(a, owner->addr, &p, 0))
            continue;
        if (p.root != BURL_SYNTH_STATIC &&
            burl_synth_path_step(&n.target, &p, (uint32_t)(s->slot - owner->addr), to->type))
            BURL_VEC_PUSH(&a->out->assigns, n);
    }
}

/* ---- objects that the library takes over ------------------------------------------------- */

/* Some other object leads to the one of the parameter now. */
static void
installs_collect(struct analysis *a)
{
    for (unsigned k = 0; k < a->call->n_args; k++) {
        const struct burl_synth_block *b = burl_synth_block_at(&a->blocks, a->call->args[k].bits);

        if (b == NULL || a->call->args[k].type < 0)
            continue;
        for (size_t i = 0; i < a->stores.n; i++) {
            const struct stored *s = &a->stores.v[i];

            if (s->is_overwritten || burl_synth_block_at(&a->blocks, s->value) != b ||
                burl_synth_block_at(&a->blocks, s->slot) == b)
                continue;
            BURL_VEC_PUSH(&a->installs, (struct install){ b->addr, a->call->fn, (int)k });
            break;
        }
    }
}

static void
takeover_add(struct burl_synth_table *t, int fn, int param)
{
    for (size_t i = 0; i < t->takeovers.n; i++) {
        if (t->takeovers.v[i].fn == fn && t->takeovers.v[i].param == param)
            return;
    }
    BURL_VEC_PUSH(&t->takeovers, (struct burl_synth_takeover){ fn, param });
}

/* A block is freed; `call`: in which, NULL by the client itself. */
static void
block_freed(struct analysis *a, const struct burl_synth_event *e,
            const struct burl_synth_call *call)
{
    bool is_given = call == NULL;
    size_t n = 0;

    for (unsigned k = 0; call != NULL && k < call->n_args; k++)
        is_given = is_given || call->args[k].bits == e->addr;
    for (size_t i = 0; i < a->installs.n; i++) {
        const struct install *x = &a->installs.v[i];

        if (x->object != e->addr)
            a->installs.v[n++] = *x;
        else if (!is_given)
            takeover_add(a->out, x->fn, x->param);
    }
    a->installs.n = n;
}

static void
call_analyze(struct analysis *a, size_t index)
{
    const struct burl_synth_call *c = &a->log->calls.v[index];

    call_begin(a, index);
    for (size_t i = c->first; i < c->first + c->n_events; i++) {
        const struct burl_synth_event *e = &a->log->events.v[i];

        if (e->kind == BURL_SYNTH_ACCESS)
            access_done(a, e);
        else if (e->kind == BURL_SYNTH_LOCK)
            lock_taken(a, e);
        else if (e->kind == BURL_SYNTH_UNLOCK)
            lock_released(a, e);
        else {
            if (e->kind == BURL_SYNTH_FREE) {
                access_chunk(a, e, e->addr);
                block_freed(a, e, c);
            }
            burl_synth_blocks_event(&a->blocks, e, index + 1);
        }
    }
    assigns_collect(a);
    installs_collect(a);
    burl_synth_blocks_leave(&a->blocks);
}

/* ---- the whole log ----------------------------------------------------------------------- */

static void
path_settle(struct analysis *a, struct burl_synth_path *p)
{
    for (unsigned i = 0; i <= p->n; i++)
        p->type[i] = burl_synth_type(&a->blocks, p->type[i]);
}

static void
locks_settle(struct analysis *a, struct burl_synth_locks *l)
{
    for (unsigned i = 0; i < l->n; i++) {
        if (!l->v[i].is_global)
            l->v[i].type = burl_synth_type(&a->blocks, l->v[i].type);
    }
}

/* Types and fields that were found to be one get one number. */
static void
table_settle(struct analysis *a)
{
    struct burl_synth_table *t = a->out;

    burl_synth_fields_settle(&a->fields, &a->blocks);
    for (size_t i = 0; i < t->deps.n; i++) {
        struct burl_synth_dep *d = &t->deps.v[i];

        path_settle(a, &d->path);
        locks_settle(a, &d->hr);
        locks_settle(a, &d->hc);
        d->field = burl_synth_field_number(&a->fields, d->field);
    }
    for (size_t i = 0; i < t->assigns.n; i++) {
        path_settle(a, &t->assigns.v[i].target);
        path_settle(a, &t->assigns.v[i].source);
    }
    for (size_t i = 0; i < t->nests.n; i++) {
        path_settle(a, &t->nests.v[i].outer);
        path_settle(a, &t->nests.v[i].inner);
    }
}

struct burl_synth_table
burl_synth_analyze(const struct burl_synth_log *l)
{
    struct burl_synth_table out = { 0 };
    struct analysis a = { .log = l, .out = &out };
    size_t seed = 0;
    size_t at = 0;

    burl_synth_blocks_init(&a.blocks, l);
    for (size_t i = 0; i < l->calls.n; i++) {
        for (; at <= l->calls.v[i].first; at++) {
            for (; seed < l->seeds.n && l->seeds.v[seed] <= at; seed++) {
                burl_synth_blocks_restart(&a.blocks);
                a.installs.n = 0;
            }
            if (at == l->calls.v[i].first || l->events.v[at].kind < BURL_SYNTH_ALLOC)
                continue;
            if (l->events.v[at].kind == BURL_SYNTH_FREE)
                block_freed(&a, &l->events.v[at], NULL);
            burl_synth_blocks_event(&a.blocks, &l->events.v[at], 0);
        }
        call_analyze(&a, i);
        at = l->calls.v[i].first + l->calls.v[i].n_events;
    }
    table_settle(&a);
    burl_synth_blocks_deinit(&a.blocks);
    burl_synth_fields_deinit(&a.fields);
    burl_map_deinit(&a.seen);
    burl_map_deinit(&a.object_at);
    burl_map_deinit(&a.last_at);
    burl_map_deinit(&a.store_at);
    BURL_VEC_FREE(&a.paths);
    BURL_VEC_FREE(&a.objects);
    BURL_VEC_FREE(&a.lasts);
    BURL_VEC_FREE(&a.stores);
    BURL_VEC_FREE(&a.installs);
    return out;
}

void
burl_synth_table_deinit(struct burl_synth_table *t)
{
    BURL_VEC_FREE(&t->deps);
    BURL_VEC_FREE(&t->assigns);
    BURL_VEC_FREE(&t->nests);
    BURL_VEC_FREE(&t->takeovers);
}

void
burl_synth_log_deinit(struct burl_synth_log *l)
{
    BURL_VEC_FREE(&l->calls);
    BURL_VEC_FREE(&l->events);
    for (size_t i = 0; i < l->statics.n; i++)
        free(l->statics.v[i].name);
    BURL_VEC_FREE(&l->statics);
    BURL_VEC_FREE(&l->seeds);
}
