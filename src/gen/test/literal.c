/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/literal.c - literals for parameters: the tables of CovCon's program (PAPERS 1.6), within
 * the limits that the model states.
 *
 * Departures from the tables: a number that the type or the model does not allow is not drawn; a
 * value that a parameter of the same role and type had earlier in the test is drawn again with
 * probability one half, as the paper does with variables (in C most keys and indices are numbers,
 * which Java's tests would have kept in variables).
 */
#include "gen/test/draft.h"

#include <string.h>

#define N_CALLBACKS 2 /* variants the driver has for each type */
#define N_PAYLOADS 4  /* of those there are, so that two calls often meet on one */

static const int64_t integers[] = { -100, -3, -2, -1, 0, 1, 2, 3, 100 };
static const double reals[] = { -100, -3, -2, -1, -0.1, 0, 0.1, 1, 2, 3, 100 };
static const int64_t buffer_sizes[] = { 0, 1, 8, 64 };

#define COUNT(a) (sizeof(a) / sizeof *(a))

bool
burl_gen_coin(struct burl_rng *rng)
{
    return (burl_rng_next(rng) >> 63) != 0;
}

/* ---- values drawn earlier ---------------------------------------------------------------- */

struct earlier {
    const struct burl_gen_param *like;
    enum burl_gen_arg_kind kind;
    const struct burl_gen_arg *pick;
    uint64_t seen;
};

/* Reservoir of one: every earlier value is equally likely. */
static void
sample_earlier(struct burl_gen_draft *d, const struct burl_gen_calls *calls, struct earlier *e)
{
    for (size_t i = 0; i < calls->n; i++) {
        const struct burl_gen_call *c = &calls->v[i];
        const struct burl_gen_fn *f = &d->m->fns.v[c->fn];

        for (size_t k = 0; k < c->args.n; k++) {
            const struct burl_gen_param *p = &f->params.v[k];

            if (c->args.v[k].kind != e->kind || p->role != e->like->role ||
                strcmp(p->ctype, e->like->ctype) != 0)
                continue;
            if (burl_rng_below(d->rng, ++e->seen) == 0)
                e->pick = &c->args.v[k];
        }
    }
}

static bool
draw_earlier(struct burl_gen_draft *d, const struct burl_gen_param *p, enum burl_gen_arg_kind kind,
             struct burl_gen_arg *out)
{
    struct earlier e = { .like = p, .kind = kind };

    if (!burl_gen_coin(d->rng))
        return false;
    sample_earlier(d, &d->t->prefix, &e);
    if (d->list >= 0)
        sample_earlier(d, &d->t->threads[d->list], &e);
    if (e.pick == NULL)
        return false;
    *out = *e.pick;
    return true;
}

/* ---- one of each kind -------------------------------------------------------------------- */

static bool
is_allowed(const struct burl_gen_param *p, int64_t x)
{
    if (p->ranged)
        return x >= p->lo && x <= p->hi;
    return x >= 0 || !p->is_unsigned;
}

static int64_t
draw_integer(struct burl_gen_draft *d, const struct burl_gen_param *p)
{
    int64_t fit[COUNT(integers) + 2];
    size_t n = 0;

    if (p->values.n > 0)
        return p->values.v[burl_rng_below(d->rng, p->values.n)].value;
    for (size_t i = 0; i < COUNT(integers); i++) {
        if (is_allowed(p, integers[i]))
            fit[n++] = integers[i];
    }
    if (p->ranged) {
        fit[n++] = p->lo;
        fit[n++] = p->hi;
    }
    return n > 0 ? fit[burl_rng_below(d->rng, n)] : 0;
}

/* A key of an American keyboard that needs no escape in C. */
static char
draw_character(struct burl_rng *rng)
{
    char c;

    do {
        c = (char)(' ' + burl_rng_below(rng, 95));
    } while (c == '\\' || c == '"' || c == '?'); /* ?: trigraphs */
    return c;
}

static unsigned
element_b(const struct burl_gen_param *p)
{
    return p->role == BURL_GEN_ROLE_BYTES_IN && p->size_b > 1 && p->size_b <= 8 ? p->size_b : 1;
}

/* One element: a character, or a number of the table in as many bytes. */
static void
draw_element(struct burl_gen_draft *d, const struct burl_gen_param *p, struct burl_gen_arg *out)
{
    const unsigned n = element_b(p);
    const int64_t x = n > 1 ? integers[burl_rng_below(d->rng, COUNT(integers))] : 0;
    const double real = reals[n > 1 ? burl_rng_below(d->rng, COUNT(reals)) : 0];
    const float narrow = (float)real;
    char *at = out->bytes + out->n_bytes;

    if (n == 1)
        *at = draw_character(d->rng);
    else if (p->is_real)
        memcpy(at, n == sizeof real ? (const void *)&real : (const void *)&narrow, n);
    else
        memcpy(at, &x, n); /* little endian: the low bytes are the value */
    out->n_bytes = (uint16_t)(out->n_bytes + n);
}

/* Geometric length, as the tables have it for strings. */
static void
draw_bytes(struct burl_gen_draft *d, const struct burl_gen_param *p, struct burl_gen_arg *out)
{
    const unsigned n = element_b(p);

    while (out->n_bytes + n < BURL_GEN_MAX_BYTES && burl_gen_coin(d->rng))
        draw_element(d, p, out);
    while (p->ranged && out->n_bytes < p->lo * n && out->n_bytes + n < BURL_GEN_MAX_BYTES)
        draw_element(d, p, out);
}

static int64_t
draw_buffer_size(struct burl_gen_draft *d, const struct burl_gen_param *p)
{
    const unsigned n = p->size_b > 1 ? p->size_b : 1;
    const int64_t b = buffer_sizes[burl_rng_below(d->rng, COUNT(buffer_sizes))] * n;

    /* Without a length only the callee knows how much it writes: pass the largest buffer. */
    if (p->partner < 0 || b > BURL_GEN_MAX_BYTES)
        return BURL_GEN_MAX_BYTES;
    return b;
}

static bool
is_char(const struct burl_gen_param *p)
{
    return p->size_b == 1 && strcmp(p->ctype, "char") == 0;
}

/* The paper reuses variables; truth values and callbacks have none. */
static bool
is_reused(enum burl_gen_role role)
{
    return burl_gen_arg_kind_of(role) != BURL_GEN_ARG_ROLE && role != BURL_GEN_ROLE_BOOL &&
           role != BURL_GEN_ROLE_CALLBACK;
}

bool
burl_gen_draft_literal(struct burl_gen_draft *d, const struct burl_gen_fn *f, size_t param,
                       struct burl_gen_arg *out)
{
    const struct burl_gen_param *p = &f->params.v[param];

    memset(out, 0, sizeof *out);
    out->kind = burl_gen_arg_kind_of(p->role);
    if (is_reused(p->role) && draw_earlier(d, p, out->kind, out))
        return true;
    if (p->nullable && burl_gen_coin(d->rng)) {
        out->kind = BURL_GEN_ARG_NULL;
        return true;
    }
    switch (p->role) {
    case BURL_GEN_ROLE_BOOL:
        out->i = burl_gen_coin(d->rng);
        break;
    case BURL_GEN_ROLE_REAL:
        out->real = reals[burl_rng_below(d->rng, COUNT(reals))];
        break;
    case BURL_GEN_ROLE_INOUT_VALUE:
        out->kind = p->is_real ? BURL_GEN_ARG_REAL : BURL_GEN_ARG_INT;
        out->real = reals[burl_rng_below(d->rng, COUNT(reals))];
        out->i = draw_integer(d, p);
        break;
    case BURL_GEN_ROLE_INT:
        out->i = is_char(p) && p->values.n == 0 && !p->ranged ? draw_character(d->rng)
                                                              : draw_integer(d, p);
        break;
    case BURL_GEN_ROLE_STRING:
    case BURL_GEN_ROLE_BYTES_IN:
        draw_bytes(d, p, out);
        break;
    case BURL_GEN_ROLE_BYTES_OUT:
        out->i = draw_buffer_size(d, p);
        break;
    case BURL_GEN_ROLE_PAYLOAD:
        out->i = (int64_t)burl_rng_below(d->rng, N_PAYLOADS);
        break;
    case BURL_GEN_ROLE_CALLBACK:
        out->i = (int64_t)burl_rng_below(d->rng, N_CALLBACKS);
        break;
    default:
        break;
    }
    return p->role != BURL_GEN_ROLE_UNKNOWN;
}
