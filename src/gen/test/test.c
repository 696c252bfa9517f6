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

struct burl_gen_test
burl_gen_test_copy(const struct burl_gen_test *t)
{
    struct burl_gen_test copy = { .n_threads = t->n_threads,
                                  .n_slots = t->n_slots,
                                  .self = t->self };

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

/* Every object that burl_gen_call_on() would put into the call is of this type. The threads of a
 * test may share an object of another type than the model's shared one. */
static bool
takes_type(const struct burl_gen_fn *f, int type)
{
    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];

        if (((int)i == f->self || (f->self < 0 && p->role == BURL_GEN_ROLE_OBJECT)) &&
            p->type != type)
            return false;
    }
    return true;
}

struct burl_gen_calls
burl_gen_test_dumps(const struct burl_gen_test *t, const struct burl_gen_model *m)
{
    const int type = t->self >= 0 ? burl_gen_test_slot_type(t, m, t->self) : -1;
    struct burl_gen_calls dumps = { 0 };

    for (size_t i = 0; t->self >= 0 && i < m->fns.n; i++) {
        if (burl_gen_fn_is_dump(&m->fns.v[i]) && takes_type(&m->fns.v[i], type))
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

int
burl_gen_test_slot_type(const struct burl_gen_test *t, const struct burl_gen_model *m, int slot)
{
    const struct burl_gen_call *c = burl_gen_test_writer(t, slot);

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

uint64_t
burl_gen_test_hash(const struct burl_gen_test *t)
{
    uint64_t h = burl_gen_calls_hash(&t->prefix, BURL_HASH_BEGIN);

    h = burl_hash_u64(h, t->n_threads);
    for (unsigned i = 0; i < t->n_threads && i < BURL_GEN_MAX_THREADS; i++)
        h = burl_gen_calls_hash(&t->threads[i], h);
    h = burl_hash_u64(h, (uint64_t)t->self);
    return burl_hash_end(h);
}
