/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/test.c - tests as data: copying, comparing, freeing; contract in test.h.
 *
 * Runs in the host. Hashes are over what a test says and nothing else: of an argument's bytes only
 * those in use, of a value only the field its kind names, so that equal tests from different
 * builders are equal.
 */
#include "gen/test/test.h"

#include "base/hash.h"

#define MAX_DUMPS 16u /* of all objects */

void
burl_gen_call_deinit(struct burl_gen_call *c)
{
    BURL_VEC_FREE(&c->args);
    c->fn = -1;
    c->slot = -1;
}

void
burl_gen_calls_deinit(struct burl_gen_calls *c)
{
    for (size_t i = 0; i < c->n; i++)
        burl_gen_call_deinit(&c->v[i]);
    BURL_VEC_FREE(c);
}

void
burl_gen_test_deinit(struct burl_gen_test *t)
{
    for (size_t i = 0; i < t->stops.n; i++)
        BURL_VEC_FREE(&t->stops.v[i].kept);
    BURL_VEC_FREE(&t->stops);
    burl_gen_calls_deinit(&t->prefix);
    for (unsigned i = 0; i < BURL_GEN_MAX_THREADS; i++)
        burl_gen_calls_deinit(&t->threads[i]);
    memset(t, 0, sizeof *t);
}

struct burl_gen_call
burl_gen_call_copy(const struct burl_gen_call *c)
{
    struct burl_gen_call copy = { .fn = c->fn, .slot = c->slot };

    if (c->args.n > 0) {
        BURL_VEC_RESERVE(&copy.args, c->args.n);
        memcpy(copy.args.v, c->args.v, c->args.n * sizeof *c->args.v);
        copy.args.n = c->args.n;
    }
    return copy;
}

void
burl_gen_calls_append(struct burl_gen_calls *to, const struct burl_gen_calls *from)
{
    const size_t n = from->n; /* they may be one */

    BURL_VEC_RESERVE(to, n);
    for (size_t i = 0; i < n; i++)
        to->v[to->n++] = burl_gen_call_copy(&from->v[i]);
}

void
burl_gen_stops_copy(struct burl_gen_test *to, const struct burl_gen_test *from)
{
    for (size_t i = 0; i < from->stops.n; i++) {
        const struct burl_gen_stopped *s = &from->stops.v[i];
        struct burl_gen_stopped copy = { .seed = s->seed, .nth = s->nth, .fn = s->fn };

        for (size_t k = 0; k < s->kept.n; k++)
            BURL_VEC_PUSH(&copy.kept, s->kept.v[k]);
        BURL_VEC_PUSH(&to->stops, copy);
    }
}

struct burl_gen_test
burl_gen_test_copy(const struct burl_gen_test *t)
{
    struct burl_gen_test copy = { .n_threads = t->n_threads,
                                  .n_slots = t->n_slots,
                                  .self = t->self,
                                  .no_dumps = t->no_dumps,
                                  .unended = t->unended };

    burl_gen_stops_copy(&copy, t);
    burl_gen_calls_append(&copy.prefix, &t->prefix);
    for (unsigned i = 0; i < BURL_GEN_MAX_THREADS; i++)
        burl_gen_calls_append(&copy.threads[i], &t->threads[i]);
    return copy;
}

void
burl_gen_calls_cut(struct burl_gen_calls *c, size_t n)
{
    while (c->n > n)
        burl_gen_call_deinit(&c->v[--c->n]);
}

/* ---- calls ------------------------------------------------------------------------- */

const struct burl_gen_calls *
burl_gen_test_list(const struct burl_gen_test *t, int list)
{
    return list < 0 ? &t->prefix : &t->threads[list];
}

unsigned
burl_gen_test_first_call(const struct burl_gen_test *t, unsigned thread)
{
    size_t n = t->prefix.n;

    for (unsigned k = 0; k < thread; k++)
        n += t->threads[k].n;
    return (unsigned)n;
}

struct burl_gen_call
burl_gen_call_on(const struct burl_gen_model *m, int fn, int self)
{
    const struct burl_gen_fn *f = &m->fns.v[fn];
    struct burl_gen_call c = { .fn = fn, .slot = -1 };

    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];
        struct burl_gen_arg *a = BURL_VEC_ADD(&c.args);

        a->kind = burl_gen_arg_kind_of(p->role);
        if ((int)i == f->self || (f->self < 0 && p->role == BURL_GEN_ROLE_OBJECT)) {
            a->kind = BURL_GEN_ARG_SLOT;
            a->i = self;
        } else if (a->kind == BURL_GEN_ARG_INT) {
            a->i = p->values.n > 0 ? p->values.v[0].value : p->ranged ? p->lo : 0;
        } else if (p->role == BURL_GEN_ROLE_BYTES_OUT) {
            a->i = BURL_GEN_MAX_BYTES;
        } else if (a->kind == BURL_GEN_ARG_PAYLOAD ||
                   (a->kind == BURL_GEN_ARG_ROLE && p->nullable)) {
            a->kind = BURL_GEN_ARG_NULL;
        }
    }
    return c;
}

/* A call takes the object away. */
static bool
calls_end(const struct burl_gen_calls *list, const struct burl_gen_model *m, int slot)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct burl_gen_call *c = &list->v[i];
        const struct burl_gen_fn *f = &m->fns.v[c->fn];

        for (size_t k = 0; k < c->args.n; k++) {
            if (c->args.v[k].kind == BURL_GEN_ARG_SLOT && c->args.v[k].i == slot &&
                (f->params.v[k].consumes || (f->kind == BURL_GEN_DESTROY && f->self == (int)k)))
                return true;
        }
    }
    return false;
}

static bool
is_ended(const struct burl_gen_test *t, const struct burl_gen_model *m, int slot)
{
    bool ended = calls_end(&t->prefix, m, slot);

    for (unsigned i = 0; i < t->n_threads; i++)
        ended = ended || calls_end(&t->threads[i], m, slot);
    return ended;
}

/* Number of a dump function among those of the model, as a bit; 0: it has none. */
static uint64_t
dump_bit(const struct burl_gen_model *m, int fn)
{
    unsigned n = 0;

    for (int i = 0; i < fn; i++)
        n += burl_gen_fn_is_dump(&m->fns.v[i]);
    return n < 64 ? 1ull << n : 0;
}

void
burl_gen_test_leave_out_dump(struct burl_gen_test *t, const struct burl_gen_model *m, int fn)
{
    t->no_dumps |= dump_bit(m, fn);
}

static void
dumps_of(struct burl_gen_calls *dumps, const struct burl_gen_test *t,
         const struct burl_gen_model *m, int type, int slot)
{
    for (size_t i = 0; i < m->fns.n && dumps->n < MAX_DUMPS; i++) {
        const struct burl_gen_fn *f = &m->fns.v[i];

        if (burl_gen_fn_is_dump(f) && (f->self >= 0 ? f->params.v[f->self].type : -1) == type &&
            (t->no_dumps & dump_bit(m, (int)i)) == 0)
            BURL_VEC_PUSH(dumps, burl_gen_call_on(m, (int)i, slot));
    }
}

/* The object that threads share comes first: there may be too many. */
static struct burl_gen_calls
dumps_of_all(const struct burl_gen_test *t, const struct burl_gen_model *m)
{
    struct burl_gen_calls dumps = { 0 };

    dumps_of(&dumps, t, m, -1, -1);
    for (int i = -1; i < t->n_slots; i++) {
        const int slot = i < 0 ? t->self : i;
        const struct burl_gen_call *by = slot >= 0 ? burl_gen_test_writer(t, slot) : NULL;
        /* other functions may return NULL, or an object that a thread makes */
        const bool is_made = by != NULL && m->fns.v[by->fn].kind == BURL_GEN_MAKE &&
                             by >= t->prefix.v && by < t->prefix.v + t->prefix.n;

        if ((!is_made && (slot < 0 || burl_gen_test_kept(t, slot) == NULL)) ||
            slot == (i < 0 ? -1 : t->self) || is_ended(t, m, slot))
            continue;
        dumps_of(&dumps, t, m, burl_gen_test_slot_type(t, m, slot), slot);
    }
    return dumps;
}

struct burl_gen_calls
burl_gen_test_dumps(const struct burl_gen_test *t, const struct burl_gen_model *m)
{
    struct burl_gen_calls dumps = { 0 };

    if (m->every_type)
        return dumps_of_all(t, m);
    for (size_t i = 0; t->self >= 0 && i < m->fns.n; i++) {
        if (burl_gen_fn_is_dump(&m->fns.v[i]))
            BURL_VEC_PUSH(&dumps, burl_gen_call_on(m, (int)i, t->self));
    }
    return dumps;
}

/* ---- arguments --------------------------------------------------------------------- */

enum burl_gen_arg_kind
burl_gen_arg_kind_of(enum burl_gen_role role)
{
    static const enum burl_gen_arg_kind kinds[BURL_GEN_ROLE__N] = {
        [BURL_GEN_ROLE_INT] = BURL_GEN_ARG_INT,
        [BURL_GEN_ROLE_BOOL] = BURL_GEN_ARG_INT,
        [BURL_GEN_ROLE_REAL] = BURL_GEN_ARG_REAL,
        [BURL_GEN_ROLE_STRING] = BURL_GEN_ARG_BYTES,
        [BURL_GEN_ROLE_BYTES_IN] = BURL_GEN_ARG_BYTES,
        [BURL_GEN_ROLE_PAYLOAD] = BURL_GEN_ARG_PAYLOAD,
        [BURL_GEN_ROLE_CALLBACK] = BURL_GEN_ARG_CALLBACK,
    };

    return kinds[role];
}

int64_t
burl_gen_buffer_b(const struct burl_gen_arg *a)
{
    return a->i > BURL_GEN_MAX_BYTES ? BURL_GEN_MAX_BYTES : a->i > 0 ? a->i : 0;
}

int64_t
burl_gen_call_length(const struct burl_gen_model *m, const struct burl_gen_call *c, size_t k)
{
    const struct burl_gen_fn *f = &m->fns.v[c->fn];
    const int partner = f->params.v[k].partner;
    const struct burl_gen_arg *a;
    int64_t n;

    if (partner < 0 || (size_t)partner >= c->args.n)
        return 0;
    a = &c->args.v[partner];
    n = a->kind == BURL_GEN_ARG_BYTES  ? a->n_bytes
        : a->kind == BURL_GEN_ARG_ROLE ? burl_gen_buffer_b(a)
                                       : 0;
    return f->params.v[partner].size_b > 1 ? n / f->params.v[partner].size_b : n;
}

/* ---- slots ------------------------------------------------------------------------- */

const struct burl_gen_call *
burl_gen_test_writer(const struct burl_gen_test *t, int slot)
{
    for (int k = -1; slot >= 0 && k < (int)t->n_threads; k++) {
        const struct burl_gen_calls *calls = burl_gen_test_list(t, k);

        for (size_t i = 0; i < calls->n; i++) {
            if (calls->v[i].slot == slot)
                return &calls->v[i];
        }
    }
    return NULL;
}

const struct burl_gen_kept *
burl_gen_test_kept(const struct burl_gen_test *t, int slot)
{
    for (size_t i = 0; i < t->stops.n; i++) {
        for (size_t k = 0; k < t->stops.v[i].kept.n; k++) {
            if (t->stops.v[i].kept.v[k].slot == slot)
                return &t->stops.v[i].kept.v[k];
        }
    }
    return NULL;
}

bool
burl_gen_test_has_slot(const struct burl_gen_test *t, int slot)
{
    return burl_gen_test_writer(t, slot) != NULL || burl_gen_test_kept(t, slot) != NULL;
}

bool
burl_gen_test_is_strict(const struct burl_gen_model *m, const struct burl_gen_test *t)
{
    for (unsigned i = 0; i < t->n_threads; i++) {
        for (size_t k = 0; k < t->threads[i].n; k++) {
            if (m->fns.v[t->threads[i].v[k].fn].strict)
                return true;
        }
    }
    return false;
}

bool
burl_gen_test_ends(const struct burl_gen_test *t, int slot)
{
    return (t->unended >> slot & 1) == 0;
}

int
burl_gen_test_slot_type(const struct burl_gen_test *t, const struct burl_gen_model *m, int slot)
{
    const struct burl_gen_call *c = burl_gen_test_writer(t, slot);
    const struct burl_gen_kept *k = burl_gen_test_kept(t, slot);

    if (k != NULL)
        return k->param < 0 ? m->fns.v[k->fn].result_type : m->fns.v[k->fn].params.v[k->param].type;
    return c && c->fn >= 0 && (size_t)c->fn < m->fns.n ? burl_gen_fn_made_type(&m->fns.v[c->fn])
                                                       : -1;
}

/* ---- hashes ------------------------------------------------------------------------ */

static uint64_t
hash_arg(const struct burl_gen_arg *a, uint64_t h)
{
    uint64_t bits = (uint64_t)a->i;

    h = burl_hash_u64(h, (uint64_t)a->kind);
    if (a->kind == BURL_GEN_ARG_REAL)
        memcpy(&bits, &a->real, sizeof bits);
    if (a->kind == BURL_GEN_ARG_BYTES) {
        h = burl_hash_u64(h, a->n_bytes);
        return burl_hash_bytes(h, a->bytes, a->n_bytes);
    }
    return a->kind == BURL_GEN_ARG_NULL ? h : burl_hash_u64(h, bits);
}

uint64_t
burl_gen_calls_hash(const struct burl_gen_calls *c, uint64_t h)
{
    h = burl_hash_u64(h, c->n);
    for (size_t i = 0; i < c->n; i++) {
        h = burl_hash_u64(h, (uint64_t)c->v[i].fn);
        h = burl_hash_u64(h, (uint64_t)c->v[i].slot);
        h = burl_hash_u64(h, c->v[i].args.n);
        for (size_t k = 0; k < c->v[i].args.n; k++)
            h = hash_arg(&c->v[i].args.v[k], h);
    }
    return h;
}

static uint64_t
hash_stop(const struct burl_gen_stopped *s, uint64_t h)
{
    h = burl_hash_u64(h, (uint64_t)s->seed);
    h = burl_hash_u64(h, s->nth);
    for (size_t i = 0; i < s->kept.n; i++) {
        h = burl_hash_u64(h, s->kept.v[i].nth);
        h = burl_hash_u64(h, (uint64_t)s->kept.v[i].param);
        h = burl_hash_u64(h, (uint64_t)s->kept.v[i].slot);
    }
    return h;
}

uint64_t
burl_gen_test_hash(const struct burl_gen_test *t)
{
    uint64_t h = burl_gen_calls_hash(&t->prefix, BURL_HASH_BEGIN);

    for (size_t i = 0; i < t->stops.n; i++)
        h = hash_stop(&t->stops.v[i], h);
    if (t->unended != 0)
        h = burl_hash_u64(h, t->unended);
    h = burl_hash_u64(h, t->n_threads);
    for (unsigned i = 0; i < t->n_threads && i < BURL_GEN_MAX_THREADS; i++)
        h = burl_gen_calls_hash(&t->threads[i], h);
    h = burl_hash_u64(burl_hash_u64(h, (uint64_t)t->self), t->no_dumps);
    return burl_hash_end(h);
}
