/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/encode.c - a test as the bytes its driver reads (wire/mail.h).
 *
 * Runs in the host. Dumps and ends of objects are ordinary calls, added here, so that the driver
 * needs no model. The call that ends slot s has number n_calls + s and is not part of the record.
 */
#include <stdio.h>
#include <string.h>

#include "gen/exec/exec_int.h"

/* Events of a run: each call is entered and left, and may call public functions itself. */
#define LOG_PER_CALL 32u
#define LOG_MIN 256u
#define LOG_MAX 8192u

struct encoder {
    const struct burl_gen_exec *exec;
    const struct burl__gen_encoding *e;
    struct burl_mail_test head;
    BURL_VEC(struct burl_mail_call) calls;
    BURL_VEC(struct burl_mail_arg) args;
    BURL_VEC(struct burl_mail_stop) stops;
    BURL_VEC(struct burl_mail_kept) kept;
    struct burl_buf bytes; /* behind the tables; offsets are put right at the end */
    char why[160];         /* what cannot be encoded; "" nothing */
};

/* ---- arguments --------------------------------------------------------------------- */

static uint16_t
new_value(struct encoder *x)
{
    return (uint16_t)x->head.n_values++;
}

static void
encode_bytes(struct encoder *x, const struct burl_gen_param *p, const struct burl_gen_arg *a,
             struct burl_mail_arg *out)
{
    out->n_bytes = a->n_bytes;
    out->alloc_b = a->n_bytes + (p->role == BURL_GEN_ROLE_STRING ? 1u : 0u);
    out->bytes_off = (uint32_t)x->bytes.n;
    burl_buf_append(&x->bytes, a->bytes, a->n_bytes);
    burl_buf_char(&x->bytes, '\0');
}

static void
encode_arg(struct encoder *x, const struct burl_gen_param *p, const struct burl_gen_arg *a)
{
    static const uint8_t kinds[] = {
        [BURL_GEN_ARG_ROLE] = BURL_MAIL_ARG_OTHER,
        [BURL_GEN_ARG_NULL] = BURL_MAIL_ARG_NULL,
        [BURL_GEN_ARG_SLOT] = BURL_MAIL_ARG_SLOT,
        [BURL_GEN_ARG_INT] = BURL_MAIL_ARG_INT,
        [BURL_GEN_ARG_REAL] = BURL_MAIL_ARG_REAL,
        [BURL_GEN_ARG_BYTES] = BURL_MAIL_ARG_BYTES,
        [BURL_GEN_ARG_PAYLOAD] = BURL_MAIL_ARG_PAYLOAD,
        [BURL_GEN_ARG_CALLBACK] = BURL_MAIL_ARG_CALLBACK,
        [BURL_GEN_ARG_STOPPED] = BURL_MAIL_ARG_STOPPED,
    };
    struct burl_mail_arg out = {
        .kind = kinds[a->kind], .value = BURL_MAIL_NONE, .i = a->i, .real = a->real
    };
    const bool is_null = a->kind == BURL_GEN_ARG_NULL && p->role != BURL_GEN_ROLE_OUT_OBJECT;
    const bool is_stopped = a->kind == BURL_GEN_ARG_STOPPED;

    if (is_stopped && (a->i < 0 || (size_t)a->i >= x->e->test->stops.n))
        snprintf(x->why, sizeof x->why, "there is no stop %lld", (long long)a->i);
    switch (is_null || is_stopped ? BURL_GEN_ROLE_UNKNOWN : p->role) {
    case BURL_GEN_ROLE_OBJECT:
        if (a->i < 0 || a->i >= x->head.n_slots)
            snprintf(x->why, sizeof x->why, "there is no slot %lld", (long long)a->i);
        break;
    case BURL_GEN_ROLE_STORAGE:
        out.kind = BURL_MAIL_ARG_OTHER;
        break;
    case BURL_GEN_ROLE_OUT_OBJECT:
        out.kind = BURL_MAIL_ARG_OTHER;
        out.value = new_value(x);
        break;
    case BURL_GEN_ROLE_STRING:
    case BURL_GEN_ROLE_BYTES_IN:
        encode_bytes(x, p, a, &out);
        break;
    case BURL_GEN_ROLE_CALLBACK:
        out.value = new_value(x);
        break;
    case BURL_GEN_ROLE_BYTES_OUT:
        out.kind = BURL_MAIL_ARG_BUFFER;
        out.n_bytes = (uint32_t)burl_gen_buffer_b(a);
        out.alloc_b = out.n_bytes;
        out.value = new_value(x);
        break;
    case BURL_GEN_ROLE_OUT_VALUE:
        out.i = 0;
        out.real = 0;
        /* fall through */
    case BURL_GEN_ROLE_INOUT_VALUE:
        out.kind = BURL_MAIL_ARG_INT;
        out.value = new_value(x);
        break;
    default:
        break;
    }
    BURL_VEC_PUSH(&x->args, out);
}

/* ---- calls ------------------------------------------------------------------------- */

static void
encode_call(struct encoder *x, const struct burl_gen_call *c)
{
    const struct burl_gen_model *m = x->exec->opts.model;
    const struct burl_gen_fn *f;
    struct burl_mail_call *out = BURL_VEC_ADD(&x->calls);

    out->fn = out->slot = out->value = BURL_MAIL_NONE;
    if (c->fn < 0 || (size_t)c->fn >= m->fns.n || c->args.n != m->fns.v[c->fn].params.n ||
        c->slot >= (int)x->head.n_slots) {
        snprintf(x->why, sizeof x->why, "a call of function %d with %zu arguments into slot %d",
                 c->fn, c->args.n, c->slot);
        return;
    }
    f = &m->fns.v[c->fn];
    out->fn = (uint16_t)c->fn;
    if (c->slot >= 0)
        out->slot = (uint16_t)c->slot;
    if (f->kind == BURL_GEN_MAKE && c->slot >= 0)
        out->flags |= BURL_MAIL_CALL_MAKES;
    if (f->result != BURL_GEN_RESULT_VOID && f->result != BURL_GEN_RESULT_IGNORED)
        out->value = new_value(x);
    out->arg = (uint32_t)x->args.n;
    out->n_args = (uint16_t)c->args.n;
    for (size_t i = 0; i < c->args.n; i++)
        encode_arg(x, &f->params.v[i], &c->args.v[i]);
}

static void
encode_calls(struct encoder *x, const struct burl_gen_calls *c)
{
    for (size_t i = 0; i < c->n; i++)
        encode_call(x, &c->v[i]);
}

static void
encode_dumps(struct encoder *x)
{
    struct burl_gen_calls dumps = burl_gen_test_dumps(x->e->test, x->exec->opts.model);

    if (x->e->dump) {
        encode_calls(x, &dumps);
        x->head.n_dumps = (uint32_t)dumps.n;
    }
    burl_gen_calls_deinit(&dumps);
}

static void
encode_stops(struct encoder *x)
{
    const struct burl_gen_test *t = x->e->test;

    if (t->stops.n > BURL_GEN_MAX_STOPS)
        snprintf(x->why, sizeof x->why, "%zu stopped seeds", (size_t)t->stops.n);
    for (size_t i = 0; i < t->stops.n; i++) {
        const struct burl_gen_stopped *s = &t->stops.v[i];

        if (s->seed < 0 || (size_t)s->seed >= x->exec->seeds.n)
            snprintf(x->why, sizeof x->why, "there is no seed %d", s->seed);
        BURL_VEC_PUSH(&x->stops, (struct burl_mail_stop){ .seed = (uint32_t)s->seed,
                                                          .nth = s->nth,
                                                          .fn = (uint32_t)s->fn,
                                                          .kept = (uint32_t)x->kept.n,
                                                          .n_kept = (uint32_t)s->kept.n });
        for (size_t k = 0; k < s->kept.n; k++) {
            const struct burl_gen_kept *o = &s->kept.v[k];

            if (o->slot < 0 || o->slot >= (int)x->head.n_slots)
                snprintf(x->why, sizeof x->why, "there is no slot %d", o->slot);
            BURL_VEC_PUSH(&x->kept, (struct burl_mail_kept){
                                        .nth = o->nth,
                                        .param = o->param < 0 ? BURL_MAIL_NONE : (uint16_t)o->param,
                                        .slot = (uint16_t)o->slot });
        }
    }
    x->head.n_stops = (uint32_t)x->stops.n;
    x->head.words_b = x->stops.n > 0 ? (uint32_t)x->exec->seed_words.n : 0;
}

/* The calls that end the objects, one per slot. */
static void
encode_ends(struct encoder *x)
{
    const struct burl_gen_model *m = x->exec->opts.model;

    for (int s = 0; s < (int)x->head.n_slots; s++) {
        const int type =
            burl_gen_test_ends(x->e->test, s) ? burl_gen_test_slot_type(x->e->test, m, s) : -1;
        const int destroy = type >= 0 ? m->types.v[type].destroy : -1;
        const uint32_t n_values = x->head.n_values;

        if (destroy >= 0 && burl_gen_fn_has_thunk(&m->fns.v[destroy])) {
            struct burl_gen_call c = burl_gen_call_on(m, destroy, s);

            encode_call(x, &c);
            burl_gen_call_deinit(&c);
        } else {
            struct burl_mail_call *none = BURL_VEC_ADD(&x->calls);

            none->fn = none->slot = none->value = BURL_MAIL_NONE;
        }
        /* Values of the end are not kept. */
        x->head.n_values = n_values;
        if (type >= 0 && m->types.v[type].free_it)
            x->calls.v[x->calls.n - 1].flags |= BURL_MAIL_CALL_FREES;
    }
}

/* ---- layout ------------------------------------------------------------------------ */

static uint32_t
place(uint32_t *off, size_t n)
{
    const uint32_t at = *off;

    *off = (uint32_t)((at + n + 7) & ~7ull);
    return at;
}

static uint32_t
log_max(const struct encoder *x)
{
    uint32_t n = x->head.n_calls * LOG_PER_CALL;

    if (x->e->mode == BURL_MAIL_SEQUENTIAL)
        return 0;
    return n < LOG_MIN ? LOG_MIN : n > LOG_MAX ? LOG_MAX : n;
}

static void
lay_out(struct encoder *x, struct burl_buf *out)
{
    static const char zeros[8];
    struct burl_mail_test *h = &x->head;
    uint32_t bytes_off = 0;
    uint32_t unused;
    uint32_t off = 0;
    const struct {
        const void *p;
        size_t n;
        uint32_t *off;
    } parts[] = {
        { h, sizeof *h, &unused },
        { x->calls.v, x->calls.n * sizeof *x->calls.v, &h->calls_off },
        { x->args.v, x->args.n * sizeof *x->args.v, &h->args_off },
        { x->stops.v, x->stops.n * sizeof *x->stops.v, &h->stops_off },
        { x->kept.v, x->kept.n * sizeof *x->kept.v, &h->kept_off },
        { x->exec->seed_words.p, h->words_b, &h->words_off },
        { x->exec->public_sites.v, h->n_sites * sizeof *x->exec->public_sites.v, &h->sites_off },
        { x->e->order ? x->e->order->thread : NULL, h->n_order, &h->order_off },
        { x->bytes.p, x->bytes.n, &bytes_off },
    };
    const size_t n_parts = sizeof parts / sizeof parts[0];

    for (size_t i = 0; i < n_parts; i++)
        *parts[i].off = place(&off, parts[i].n);
    h->total_b = off;
    h->n_args = (uint32_t)x->args.n;
    h->log_max = log_max(x);
    h->body_b = (uint32_t)(sizeof(struct burl_mail_body) + (h->n_calls + 7) / 8 * 8 +
                           h->n_values * sizeof(struct burl_mail_value));
    for (size_t i = 0; i < x->args.n; i++)
        x->args.v[i].bytes_off += bytes_off;
    burl_buf_clear(out);
    for (size_t i = 0; i < n_parts; i++) {
        burl_buf_append(out, parts[i].p, parts[i].n);
        burl_buf_append(out, zeros, (8 - parts[i].n % 8) % 8);
    }
}

static void
encode_test(struct encoder *x)
{
    const struct burl_gen_test *t = x->e->test;
    struct burl_mail_test *h = &x->head;

    h->magic = BURL_MAIL_MAGIC;
    h->mode = x->e->mode;
    h->shift = x->e->shift;
    h->n_slots = t->n_slots > 0 ? (uint32_t)t->n_slots : 0;
    h->n_prefix = (uint32_t)t->prefix.n;
    h->n_threads = t->n_threads;
    h->n_order = x->e->order ? x->e->order->n : 0;
    if (h->mode != BURL_MAIL_SEQUENTIAL)
        h->n_sites = (uint32_t)x->exec->public_sites.n;
    if (h->n_slots > BURL_GEN_MAX_SLOTS || h->n_threads > BURL_MAIL_MAX_THREADS) {
        snprintf(x->why, sizeof x->why, "%u slots, %u threads", h->n_slots, h->n_threads);
        return;
    }
    for (uint32_t i = 0; i < h->n_order; i++) {
        if (x->e->order->thread[i] >= h->n_threads)
            snprintf(x->why, sizeof x->why, "an order with thread %u of %u", x->e->order->thread[i],
                     h->n_threads);
    }
    encode_stops(x);
    encode_calls(x, &t->prefix);
    for (unsigned k = 0; k < t->n_threads; k++) {
        h->first[k] = (uint32_t)x->calls.n;
        encode_calls(x, &t->threads[k]);
    }
    h->first[t->n_threads] = (uint32_t)x->calls.n;
    encode_dumps(x);
    h->n_calls = (uint32_t)x->calls.n;
    encode_ends(x);
}

bool
burl__gen_encode(struct burl_gen_exec *exec, const struct burl__gen_encoding *e,
                 struct burl_buf *out)
{
    struct encoder x = { .exec = exec, .e = e };

    if (exec->st != BURL_OK)
        return false;
    burl_buf_init(&x.bytes, BURL_MAIL_IN_B);
    encode_test(&x);
    if (x.why[0])
        exec->st =
            burl_err_set(&exec->err, BURL_E_INTERNAL, 0, "a test that makes no sense: %s", x.why);
    else if (x.head.n_calls > BURL_GEN_MAX_CALLS)
        exec->st =
            burl_err_set(&exec->err, BURL_E_LIMIT, 0, "a test of %u calls is too long (limit %d)",
                         x.head.n_calls, BURL_GEN_MAX_CALLS);
    if (exec->st == BURL_OK) {
        lay_out(&x, out);
        exec->st = burl_buf_status(out, "a test", &exec->err);
    }
    BURL_VEC_FREE(&x.calls);
    BURL_VEC_FREE(&x.args);
    BURL_VEC_FREE(&x.stops);
    BURL_VEC_FREE(&x.kept);
    burl_buf_deinit(&x.bytes);
    return exec->st == BURL_OK;
}
