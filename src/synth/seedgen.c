/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/seedgen.c - seeds from the model alone.
 *
 * The paper's seeds call each method once with random objects of suitable type. Here a function has
 * a block of its own: objects, calls that bring them into some state, then the call itself. What a
 * call does depends on that state, and nothing says which state is worth having. So several blocks
 * are drawn, and those are kept whose last call does most, and differently from each other, in
 * operations on memory and locks. Blocks share no objects, which keeps the tests made of them
 * short. They are put one after the other into seeds.
 */
#include "synth/seedgen.h"

#include <stdlib.h>
#include <string.h>

#include "gen/test/draft.h"

#define TRIES 14u
#define VARIANTS 3u     /* blocks of one function that are kept */
#define MAX_FILL 6u     /* calls on objects before the one that the block is for */
#define MAX_STEPS 5000u /* calls that do more say no more, and make slow tests */
#define MAX_SEEDS 6u
#define MAX_CALLS 160u /* of a seed: dumps follow */
#define MAX_SLOTS 56

struct block {
    struct burl_gen_test t; /* owned */
    uint64_t steps;         /* of its last call */
    bool is_aliased;        /* two of the call's arguments are the same object */
    bool has_value;         /* the call returned something other than 0 and NULL */
};

struct blocks {
    BURL_VEC_OF(struct block);
};

struct writer {
    struct burl_gen_exec *x;
    const struct burl_gen_model *m;
    struct burl_rng rng;
    struct burl_gen_draft d;
    struct burl_gen_test t; /* the block that is drawn */
    bool *types;            /* that the block's function takes */
    uint64_t steps;         /* of the block's calls */
    bool has_value;         /* of the last one */
    unsigned n_varied;      /* zeros that became other numbers */
};

/* ---- calls --------------------------------------------------------------------------------- */

/* Does a seed call it? Objects are ended by what follows a test. */
static bool
is_wanted(const struct burl_gen_model *m, const struct burl_gen_fn *f)
{
    return !f->is_ours && f->kind != BURL_GEN_DESTROY && burl_gen_fn_is_callable(m, f);
}

/* Did the last call of the prefix return something other than 0 and NULL? */
static bool
returned_value(const struct burl_gen_test *t, const struct burl_gen_outcome *o)
{
    for (size_t i = 0; i < o->values.n; i++) {
        const struct burl_gen_value *v = &o->values.v[i];

        if (v->call + 1u == t->prefix.n && v->param == 0)
            return v->kind != BURL_GEN_VALUE_NULL && (v->bits != 0 || !burl_gen_value_has_bits(v));
    }
    return false;
}

static bool
succeeds(struct writer *w, const struct burl_gen_test *t, uint64_t *steps)
{
    struct burl_gen_outcome o;
    bool ok;

    burl_gen_exec_prefix(w->x, t, &o);
    ok = o.end == BURL_GEN_END_DONE && !burl_gen_exec_failed(w->x);
    *steps = o.steps;
    w->has_value = returned_value(t, &o);
    burl_gen_outcome_deinit(&o);
    return ok;
}

/* Appends a call to the block; false: it fails, and the block is as before. */
static bool
call_add(struct writer *w, int fn, bool on_self)
{
    struct burl_gen_draft_mark mark = burl_gen_draft_mark(&w->d);
    uint64_t steps;

    if (!burl_gen_draft_append(&w->d, fn, on_self))
        return false;
    if (w->t.prefix.n <= MAX_CALLS && w->t.n_slots <= MAX_SLOTS && succeeds(w, &w->t, &steps)) {
        w->steps = steps;
        return true;
    }
    burl_gen_draft_cut(&w->d, mark);
    return false;
}

/* Is it given an object of a type that the block's function takes? */
static bool
takes_types(const struct writer *w, const struct burl_gen_fn *f)
{
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_OBJECT && w->types[f->params.v[i].type])
            return true;
    }
    return false;
}

/* May a call put something into an object? It is given data or an object of another type, and may
 * change the object. */
static bool
is_filling(const struct burl_gen_fn *f)
{
    bool has_data = false;
    int type = -1;

    for (size_t i = 0; i < f->params.n; i++) {
        const struct burl_gen_param *p = &f->params.v[i];

        has_data |= p->role == BURL_GEN_ROLE_INT || p->role == BURL_GEN_ROLE_REAL ||
                    p->role == BURL_GEN_ROLE_STRING || p->role == BURL_GEN_ROLE_BYTES_IN ||
                    p->role == BURL_GEN_ROLE_PAYLOAD || p->role == BURL_GEN_ROLE_RECORD;
        if (p->role == BURL_GEN_ROLE_OBJECT) {
            has_data |= type >= 0 && p->type != type;
            type = p->type;
        }
    }
    return has_data && !f->read_only && !f->dump;
}

/* A function that is called on the block's objects to fill them, drawn uniformly; -1 none. */
static int
filler_draw(struct writer *w, bool any)
{
    int pick = -1;
    uint64_t seen = 0;

    for (size_t i = 0; i < w->m->fns.n; i++) {
        const struct burl_gen_fn *f = &w->m->fns.v[i];

        if (f->kind != BURL_GEN_MAKE && is_wanted(w->m, f) && takes_types(w, f) &&
            (any || is_filling(f)) && burl_rng_below(&w->rng, ++seen) == 0)
            pick = (int)i;
    }
    return pick;
}

/* One call, which is taken back if it fails. Now and then any function: some state may only be
 * reached so. */
static void
fill_once(struct writer *w)
{
    int fn = filler_draw(w, burl_rng_below(&w->rng, 6) == 0);

    if (fn < 0)
        fn = filler_draw(w, true);
    if (fn >= 0)
        (void)call_add(w, fn, burl_gen_coin(&w->rng));
}

/* Two objects of every type that the function takes, so that one that takes two gets different
 * ones, and calls that fill them. */
static void
objects_make(struct writer *w, const struct burl_gen_fn *f)
{
    uint64_t n;

    memset(w->types, 0, w->m->types.n * sizeof *w->types);
    for (size_t i = 0; i < f->params.n; i++) {
        if (f->params.v[i].role == BURL_GEN_ROLE_OBJECT)
            w->types[f->params.v[i].type] = true;
    }
    for (size_t i = 0; i < 2 * w->m->types.n; i++) {
        const int type = (int)(i / 2);
        const int maker = w->types[type] ? burl_gen_draft_maker(&w->d, type) : -1;

        if (maker >= 0 && call_add(w, maker, false) && type == w->m->shared && w->t.self < 0)
            w->t.self = w->t.prefix.v[w->t.prefix.n - 1].slot;
    }
    n = takes_types(w, f) ? burl_rng_below(&w->rng, MAX_FILL + 1) : 0;
    for (uint64_t i = 0; i < n; i++)
        fill_once(w);
}

/* ---- blocks -------------------------------------------------------------------------------- */

static bool
is_aliased(const struct burl_gen_call *c)
{
    for (size_t i = 0; i < c->args.n; i++) {
        for (size_t k = 0; k < i; k++) {
            if (c->args.v[i].kind == BURL_GEN_ARG_SLOT && c->args.v[k].kind == BURL_GEN_ARG_SLOT &&
                c->args.v[i].i == c->args.v[k].i)
                return true;
        }
    }
    return false;
}

/* Draws a block for the function: objects, and the call. False: it fails. */
static bool
block_draw(struct writer *w, int fn, struct block *out)
{
    uint64_t before;

    w->t = (struct burl_gen_test){ .self = -1 };
    w->steps = 0;
    objects_make(w, &w->m->fns.v[fn]);
    before = w->steps;
    if (!call_add(w, fn, burl_gen_coin(&w->rng))) {
        burl_gen_test_deinit(&w->t);
        return false;
    }
    *out = (struct block){ .t = w->t,
                           .steps = w->steps > before ? w->steps - before : 0,
                           .is_aliased = is_aliased(&w->t.prefix.v[w->t.prefix.n - 1]),
                           .has_value = w->has_value };
    return true;
}

/* Of two blocks of a function, the one to keep. */
static bool
is_better(const struct block *a, const struct block *b)
{
    const bool a_long = a->steps > MAX_STEPS;
    const bool b_long = b->steps > MAX_STEPS;

    if (a->is_aliased != b->is_aliased)
        return b->is_aliased;
    if (a_long != b_long)
        return b_long;
    if (a->steps != b->steps)
        return a->steps > b->steps;
    if (a->has_value != b->has_value)
        return a->has_value;
    /* An object that more has happened to is less likely in its first state. */
    return a->t.prefix.n > b->t.prefix.n;
}

/* Keeps the block if it is among the best, best first. Of blocks that do the same, one is kept. */
static void
block_keep(struct blocks *all, struct block *b)
{
    size_t at = all->n;

    for (size_t i = 0; i < all->n; i++) {
        if (all->v[i].steps == b->steps && all->v[i].is_aliased == b->is_aliased) {
            struct block worse = is_better(b, &all->v[i]) ? all->v[i] : *b;

            if (is_better(b, &all->v[i]))
                all->v[i] = *b;
            burl_gen_test_deinit(&worse.t);
            return;
        }
    }
    BURL_VEC_PUSH(all, *b);
    for (; at > 0 && is_better(b, &all->v[at - 1]); at--)
        all->v[at] = all->v[at - 1];
    all->v[at] = *b;
    if (all->n > VARIANTS)
        burl_gen_test_deinit(&all->v[--all->n].t);
}

/* ---- numbers ------------------------------------------------------------------------------- */

/* What takes the place of a zero. Irregular, so that sums and differences of a few do not cancel
 * each other and small divisors leave something. */
static const int64_t numbers[] = { 5, 2, 11, 1, 19, 7, 31, 3, 47 };
#define N_NUMBERS (sizeof numbers / sizeof numbers[0])

/* A zero that may as well be another number. */
static bool
is_free_zero(const struct burl_gen_param *p, const struct burl_gen_arg *a)
{
    if (p->role == BURL_GEN_ROLE_REAL)
        return a->kind == BURL_GEN_ARG_REAL && a->real == 0;
    return p->role == BURL_GEN_ROLE_INT && p->values.n == 0 && a->kind == BURL_GEN_ARG_INT &&
           a->i == 0;
}

/* Puts a number in the place of the zero, unless the block then does less than before. */
static bool
set_number(struct writer *w, struct block *b, const struct burl_gen_param *p,
           struct burl_gen_arg *a, int64_t number, uint64_t before)
{
    const struct burl_gen_arg old = *a;
    uint64_t steps;

    if (p->ranged && (number < p->lo || number > p->hi))
        return false;
    a->i = number;
    a->real = (double)number;
    if (succeeds(w, &b->t, &steps) && steps >= before && steps <= before + MAX_STEPS &&
        w->has_value >= b->has_value) {
        b->has_value = w->has_value;
        return true;
    }
    *a = old;
    return false;
}

/* A lost update that adds 0, or sets what is there, shows nowhere. So zeros become numbers that
 * differ from each other, or at least 1. */
static void
vary_numbers(struct writer *w, struct block *b)
{
    uint64_t before;

    if (!succeeds(w, &b->t, &before))
        return;
    for (size_t i = b->t.prefix.n; i-- > 0;) {
        struct burl_gen_call *c = &b->t.prefix.v[i];

        for (size_t k = 0; k < c->args.n; k++) {
            const struct burl_gen_param *p = &w->m->fns.v[c->fn].params.v[k];
            struct burl_gen_arg *a = &c->args.v[k];

            if (!is_free_zero(p, a))
                continue;
            if (set_number(w, b, p, a, numbers[w->n_varied % N_NUMBERS], before))
                w->n_varied++;
            else
                (void)set_number(w, b, p, a, 1, before);
        }
    }
}

static struct blocks
blocks_of(struct writer *w, int fn)
{
    struct blocks all = { 0 };
    struct block b;

    for (unsigned i = 0; i < TRIES && !burl_gen_exec_failed(w->x); i++) {
        if (block_draw(w, fn, &b))
            block_keep(&all, &b);
    }
    for (size_t i = 0; i < all.n && !burl_gen_exec_failed(w->x); i++)
        vary_numbers(w, &all.v[i]);
    return all;
}

/* ---- seeds --------------------------------------------------------------------------------- */

static void
append_moved(struct burl_gen_test *to, const struct burl_gen_test *from)
{
    const size_t first = to->prefix.n;

    burl_gen_calls_append(&to->prefix, &from->prefix);
    for (size_t i = first; i < to->prefix.n; i++) {
        struct burl_gen_call *c = &to->prefix.v[i];

        if (c->slot >= 0)
            c->slot += to->n_slots;
        for (size_t k = 0; k < c->args.n; k++) {
            if (c->args.v[k].kind == BURL_GEN_ARG_SLOT)
                c->args.v[k].i += to->n_slots;
        }
    }
    if (to->self < 0 && from->self >= 0)
        to->self = to->n_slots + from->self;
    to->n_slots += from->n_slots;
}

/* Appends the block to the last seed, or to a new one. Blocks work alone; what the library keeps
 * between them may make one fail, and then it is left out. */
static void
seed_add(struct writer *w, struct burl_synth_written *out, const struct block *b)
{
    const struct burl_gen_test *last = out->n > 0 ? &out->v[out->n - 1] : NULL;
    const bool is_new = last == NULL || last->prefix.n + b->t.prefix.n > MAX_CALLS ||
                        last->n_slots + b->t.n_slots > MAX_SLOTS;
    struct burl_gen_test t = { .self = -1 };
    uint64_t steps;

    if (is_new && out->n == MAX_SEEDS)
        return;
    if (!is_new)
        t = burl_gen_test_copy(last);
    append_moved(&t, &b->t);
    if (!succeeds(w, &t, &steps)) {
        burl_gen_test_deinit(&t);
    } else if (is_new) {
        BURL_VEC_PUSH(out, t);
    } else {
        burl_gen_test_deinit(&out->v[out->n - 1]);
        out->v[out->n - 1] = t;
    }
}

/* Calls of functions that the seeds do not have yet, besides the one that the block is for. */
static size_t
n_early(const struct burl_gen_test *t, const bool *had)
{
    const int own = t->prefix.v[t->prefix.n - 1].fn;
    size_t n = 0;

    for (size_t i = 0; i + 1 < t->prefix.n; i++)
        n += t->prefix.v[i].fn != own && !had[t->prefix.v[i].fn];
    return n;
}

/*
 * Appends block k of each function. What a function is seen to do first is what tests of it begin
 * with, so its own block comes before blocks that call it only to fill an object.
 */
static void
seeds_add(struct writer *w, struct burl_synth_written *out, const struct blocks *all, size_t k)
{
    bool *had = burl_xcalloc(w->m->fns.n + 1, sizeof *had);

    for (;;) {
        int next = -1;
        size_t fewest = 0;

        for (size_t i = 0; i < w->m->fns.n; i++) {
            size_t n = k < all[i].n && !had[i] ? n_early(&all[i].v[k].t, had) : SIZE_MAX;

            if (n < SIZE_MAX && (next < 0 || n < fewest)) {
                next = (int)i;
                fewest = n;
            }
        }
        if (next < 0)
            break;
        had[next] = true;
        seed_add(w, out, &all[next].v[k]);
    }
    free(had);
}

void
burl_synth_seeds_write(struct burl_synth_written *out, struct burl_gen_exec *x, uint64_t seed)
{
    const struct burl_gen_model *m = burl_gen_exec_model(x);
    struct writer w = { .x = x, .m = m };
    struct blocks *all = burl_xcalloc(m->fns.n + 1, sizeof *all);

    burl_rng_init(&w.rng, seed);
    w.d = (struct burl_gen_draft){ .m = m, .rng = &w.rng, .t = &w.t, .list = -1, .reuses = true };
    w.types = burl_xcalloc(m->types.n + 1, sizeof *w.types);
    for (size_t i = 0; i < m->fns.n; i++) {
        if (!is_wanted(m, &m->fns.v[i]))
            continue;
        all[i] = blocks_of(&w, (int)i);
        if (all[i].n == 0)
            BURL_VEC_PUSH(&out->refused, (int)i);
    }
    for (size_t k = 0; k < VARIANTS; k++)
        seeds_add(&w, out, all, k);
    for (size_t i = 0; i < m->fns.n; i++) {
        for (size_t k = 0; k < all[i].n; k++)
            burl_gen_test_deinit(&all[i].v[k].t);
        BURL_VEC_FREE(&all[i]);
    }
    free(w.types);
    free(all);
}

void
burl_synth_written_deinit(struct burl_synth_written *w)
{
    for (size_t i = 0; i < w->n; i++)
        burl_gen_test_deinit(&w->v[i]);
    BURL_VEC_FREE(w);
    BURL_VEC_FREE(&w->refused);
}
