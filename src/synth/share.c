/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/share.c - objects of a test, and which of them are one.
 */
#include "synth/share.h"

/* A test under construction. */
struct sharing {
    const struct burl_synth_script *s;
    const struct burl_gen_model *m;
    struct burl_gen_test *t;
    enum burl_synth_built built;
    uint64_t taken;                  /* slots, as bits, whose objects a call takes over */
    struct burl_gen_calls suspended; /* setters that get threads of their own */
};

/*
 * One side of a test: the slot of each object of the script; -1 not made on this side. Either the
 * calls that the side's call needs are in the prefix, or the seed is stopped at that call.
 */
struct side {
    size_t call; /* of the script */
    int stop;    /* of the test; -1: none */
    int *slot;
};

static struct side
side_new(const struct sharing *x, size_t call)
{
    struct side d = { .call = call, .stop = -1 };

    d.slot = burl_xcalloc(x->s->objects.n + 1, sizeof *d.slot);
    for (size_t i = 0; i < x->s->objects.n; i++)
        d.slot[i] = -1;
    return d;
}

static bool
fail(struct sharing *x, enum burl_synth_built why)
{
    if (x->built == BURL_SYNTH_BUILT)
        x->built = why;
    return false;
}

/* A new slot; -1: there are too many. */
static int
slot_new(struct sharing *x, int object)
{
    const int slot = x->t->n_slots;

    if (slot == BURL_GEN_MAX_SLOTS) {
        (void)fail(x, BURL_SYNTH_TOO_LONG);
        return -1;
    }
    x->t->n_slots++;
    /* What the seed leaves to others to end, or to no one, the test does not end either. */
    if (x->s->objects.v[object].ended == SIZE_MAX)
        x->t->unended |= 1ull << slot;
    return slot;
}

/* ---- stopped seeds ----------------------------------------------------------------------- */

/* The parameter of a call of the script that is given the object; -1 none. */
static int
param_with(const struct burl_synth_script *s, size_t call, int object)
{
    const struct burl_gen_call *c = &s->calls.v[call].c;

    for (size_t k = 0; k < c->args.n; k++) {
        if (c->args.v[k].kind == BURL_GEN_ARG_SLOT && c->args.v[k].i == object && object != c->slot)
            return (int)k;
    }
    return -1;
}

/* May the test contain one more execution of the seed? Its variables outside of its stack would be
 * shared by both. */
static bool
can_stop(struct sharing *x, size_t call)
{
    const int seed = x->s->calls.v[call].seed;
    const unsigned nth = burl_synth_script_nth(x->s, call);

    for (size_t i = 0; i < x->s->whole.n; i++) {
        if (x->s->whole.v[i] == seed)
            return fail(x, BURL_SYNTH_UNWRITTEN);
    }
    if (!burl_gen_fn_has_thunk(&x->m->fns.v[x->s->calls.v[call].c.fn]))
        return fail(x, BURL_SYNTH_UNWRITTEN);
    for (size_t i = 0; i < x->t->stops.n; i++) {
        const struct burl_gen_stopped *other = &x->t->stops.v[i];
        const size_t last = other->nth > nth ? call + (other->nth - nth) : call;

        if (other->seed == seed && burl_synth_script_uses_static(x->s, last))
            return fail(x, BURL_SYNTH_STATIC_SEED);
    }
    return x->t->stops.n < BURL_GEN_MAX_STOPS || fail(x, BURL_SYNTH_TOO_LONG);
}

/* The seed is stopped at the side's call. Objects that the side was given can only take the places
 * of its arguments. */
static bool
side_stop(struct sharing *x, struct side *d)
{
    const struct burl_synth_script_call *c = &x->s->calls.v[d->call];

    for (size_t i = 0; i < x->s->objects.n; i++) {
        if (d->slot[i] >= 0 && param_with(x->s, d->call, (int)i) < 0)
            return fail(x, BURL_SYNTH_UNSHARED);
    }
    if (!can_stop(x, d->call))
        return false;
    d->stop = (int)x->t->stops.n;
    BURL_VEC_PUSH(&x->t->stops,
                  (struct burl_gen_stopped){ .seed = c->seed,
                                             .nth = burl_synth_script_nth(x->s, d->call),
                                             .fn = c->c.fn });
    return true;
}

/* The slot of an object on this side; -1 none. One of a stopped seed gets its slot now. */
static int
side_slot(struct sharing *x, struct side *d, int object)
{
    const struct burl_synth_object *o = &x->s->objects.v[object];
    struct burl_gen_kept kept;
    size_t call = d->call;
    int param = param_with(x->s, d->call, object);

    if (d->slot[object] >= 0 || d->stop < 0)
        return d->slot[object];
    if (param < 0) {
        call = o->made;
        param = o->param;
    }
    if (x->s->calls.v[call].seed != x->s->calls.v[d->call].seed || call > d->call)
        return -1;
    kept = (struct burl_gen_kept){ .nth = burl_synth_script_nth(x->s, call),
                                   .fn = x->s->calls.v[call].c.fn,
                                   .param = param,
                                   .slot = slot_new(x, object) };
    if (kept.slot >= 0)
        BURL_VEC_PUSH(&x->t->stops.v[d->stop].kept, kept);
    d->slot[object] = kept.slot;
    return kept.slot;
}

/* ---- calls ------------------------------------------------------------------------------- */

/* A copy of a call of the script with this side's slots. False: an object is missing. */
static bool
call_copy(struct sharing *x, struct side *d, size_t call, struct burl_gen_call *out)
{
    const struct burl_synth_script_call *from = &x->s->calls.v[call];

    if (from->unwritten >= 0 && d->stop < 0)
        return fail(x, BURL_SYNTH_UNWRITTEN);
    *out = burl_gen_call_copy(&from->c);
    for (size_t i = 0; i < out->args.n; i++) {
        struct burl_gen_arg *a = &out->args.v[i];

        if (a->kind != BURL_GEN_ARG_SLOT && (from->only_seed >> i & 1) != 0)
            *a = (struct burl_gen_arg){ .kind = BURL_GEN_ARG_STOPPED, .i = d->stop };
        if (a->kind != BURL_GEN_ARG_SLOT || a->i == from->c.slot)
            continue;
        a->i = side_slot(x, d, (int)a->i);
        if (a->i < 0) {
            burl_gen_call_deinit(out);
            return fail(x, BURL_SYNTH_UNSHARED);
        }
    }
    return true;
}

/* The call writes a new slot. */
static bool
call_makes(struct sharing *x, struct side *d, struct burl_gen_call *c)
{
    int object = c->slot;

    c->slot = slot_new(x, object);
    if (c->slot < 0)
        return false;
    d->slot[object] = c->slot;
    for (size_t i = 0; i < c->args.n; i++) {
        if (c->args.v[i].kind == BURL_GEN_ARG_SLOT && c->args.v[i].i == object &&
            burl_gen_param_receives(&x->m->fns.v[c->fn].params.v[i]))
            c->args.v[i].i = c->slot;
    }
    return true;
}

/* An object can be taken over once. */
static bool
takes_over(struct sharing *x, const struct burl_gen_call *c)
{
    const struct burl_gen_fn *f = &x->m->fns.v[c->fn];

    for (size_t i = 0; i < c->args.n; i++) {
        if (i >= f->params.n || c->args.v[i].kind != BURL_GEN_ARG_SLOT || !f->params.v[i].consumes)
            continue;
        if ((x->taken >> c->args.v[i].i & 1) != 0)
            return fail(x, BURL_SYNTH_OWNED);
        x->taken |= 1ull << c->args.v[i].i;
    }
    return true;
}

static bool
prefix_append(struct sharing *x, struct side *d, size_t call)
{
    struct burl_gen_call c;

    if (x->t->prefix.n + 16 >= BURL_GEN_MAX_CALLS)
        return fail(x, BURL_SYNTH_TOO_LONG);
    if (!call_copy(x, d, call, &c))
        return false;
    if (!takes_over(x, &c) || (c.slot >= 0 && !call_makes(x, d, &c))) {
        burl_gen_call_deinit(&c);
        return false;
    }
    BURL_VEC_PUSH(&x->t->prefix, c);
    return true;
}

/* The call makes an object that the side was given, or is on one. */
static bool
is_on_given(const struct sharing *x, const struct burl_gen_call *c, const bool *given)
{
    int self = x->m->fns.v[c->fn].self;

    if (c->slot >= 0 && given[c->slot])
        return true;
    return self >= 0 && (size_t)self < c->args.n && c->args.v[self].kind == BURL_GEN_ARG_SLOT &&
           given[c->args.v[self].i];
}

/* What the side's call needs; *given (owned): objects that the side has already. */
static struct burl_synth_slice
slice_of_side(const struct sharing *x, const struct side *d, bool **given)
{
    *given = burl_xcalloc(x->s->objects.n + 1, sizeof **given);
    for (size_t i = 0; i < x->s->objects.n; i++)
        (*given)[i] = d->slot[i] >= 0;
    return burl_synth_slice_of(x->s, d->call, *given);
}

/* The calls of the slice that are made: those on objects that the side was given are left out. One
 * that cannot be written: all of them come from the seed. */
static bool
must_stop(const struct sharing *x, const struct side *d, const struct burl_synth_slice *slice,
          const bool *given)
{
    for (size_t i = 0; i < slice->n; i++) {
        const struct burl_synth_script_call *c = &x->s->calls.v[slice->v[i]];

        if (c->unwritten >= 0 && !is_on_given(x, &c->c, given))
            return true;
    }
    return x->s->calls.v[d->call].unwritten >= 0;
}

/* Appends what the side's call needs. Objects that the side has already were given to it. */
static bool
slice_append(struct sharing *x, struct side *d)
{
    bool *given;
    struct burl_synth_slice slice = slice_of_side(x, d, &given);
    bool ok = true;

    if (must_stop(x, d, &slice, given)) {
        ok = side_stop(x, d);
    } else {
        for (size_t i = 0; ok && i < slice.n; i++) {
            if (!is_on_given(x, &x->s->calls.v[slice.v[i]].c, given))
                ok = prefix_append(x, d, slice.v[i]);
        }
    }
    free(given);
    BURL_VEC_FREE(&slice);
    return ok;
}

static bool
thread_append(struct sharing *x, struct side *d)
{
    struct burl_gen_call c;
    struct burl_gen_calls *list = &x->t->threads[x->t->n_threads];

    if (!call_copy(x, d, d->call, &c))
        return false;
    if (!takes_over(x, &c) || (c.slot >= 0 && !call_makes(x, d, &c))) {
        burl_gen_call_deinit(&c);
        return false;
    }
    x->t->n_threads++;
    BURL_VEC_PUSH(list, c);
    return true;
}

/* ---- without a common lock --------------------------------------------------------------- */

/* The object that an argument of a call of the script names; -1: none. */
static int
argument_object(const struct burl_synth_script *s, size_t call, int param)
{
    const struct burl_gen_call *c = &s->calls.v[call].c;

    if (param < 0 || (size_t)param >= c->args.n || c->args.v[param].kind != BURL_GEN_ARG_SLOT)
        return -1;
    return (int)c->args.v[param].i;
}

/* The object that the client has at an address when a call of the script begins; -1 none. */
static int
object_before(const struct burl_synth_script *s, size_t call, uint64_t addr)
{
    return burl_synth_script_object(s, s->calls.v[call].seed, call, addr);
}

/* The object that the client has after `step` steps of a path in a call. An argument is known by
 * its place: it may lie inside of a larger block of the client's, whose address is `block`. */
static int
path_object(const struct burl_synth_script *s, size_t call, const struct burl_synth_path *path,
            unsigned step, uint64_t block)
{
    if (step == 0 && path->root == BURL_SYNTH_PARAM)
        return argument_object(s, call, path->id);
    return object_before(s, call, block);
}

/* Paths that differ, by the depth of a list say, may begin with the same object all the same. */
static bool
roots_to_share(const struct burl_synth_script *s, const struct burl_synth_dep *a,
               const struct burl_synth_dep *b, int *of_a, int *of_b)
{
    if (a->path.root != BURL_SYNTH_PARAM || b->path.root != BURL_SYNTH_PARAM ||
        a->path.type[0] != b->path.type[0])
        return false;
    *of_a = argument_object(s, a->call, a->path.id);
    *of_b = argument_object(s, b->call, b->path.id);
    return *of_a >= 0 && *of_b >= 0;
}

/* The outermost objects that the paths have in common, from the accessed one outwards, and that
 * both clients have. False: there are none. */
static bool
objects_to_share(const struct burl_synth_script *s, const struct burl_synth_dep *a,
                 const struct burl_synth_dep *b, int *of_a, int *of_b)
{
    bool found = false;

    for (unsigned back = 0; back <= a->path.n && back <= b->path.n; back++) {
        unsigned i = a->path.n - back;
        unsigned j = b->path.n - back;
        int x = path_object(s, a->call, &a->path, i, a->object[i]);
        int y = path_object(s, b->call, &b->path, j, b->object[j]);

        if (a->path.type[i] != b->path.type[j] || (back > 0 && a->path.off[i] != b->path.off[j]))
            break;
        if (x < 0 || y < 0)
            continue;
        *of_a = x;
        *of_b = y;
        found = true;
    }
    return found || roots_to_share(s, a, b, of_a, of_b);
}

/* The object of another side can take the place of this one: the calls that use it are written
 * out, or it is an argument of the side's call. */
static bool
can_be_given(const struct sharing *x, const struct side *d, int object)
{
    struct side with = side_new(x, d->call);
    struct burl_synth_slice slice;
    bool *given;
    bool ok;

    with.slot[object] = 0;
    slice = slice_of_side(x, &with, &given);
    ok = !must_stop(x, &with, &slice, given) || param_with(x->s, d->call, object) >= 0;
    free(given);
    free(with.slot);
    BURL_VEC_FREE(&slice);
    return ok;
}

/* Builds both sides; object `of` of the first is also object `as` of the second; -1: nothing is
 * shared but what is static. */
static void
give(struct sharing *x, struct side *from, int of, struct side *to, int as)
{
    if (!slice_append(x, from))
        return;
    if (of >= 0) {
        x->t->self = side_slot(x, from, of);
        to->slot[as] = x->t->self;
        if (x->t->self < 0) {
            (void)fail(x, BURL_SYNTH_UNSHARED);
            return;
        }
    }
    (void)slice_append(x, to);
}

static void
share_owners(struct sharing *x, struct side *d, struct side *e, const struct burl_synth_dep *a,
             const struct burl_synth_dep *b)
{
    int of_a = -1;
    int of_b = -1;

    if (a->path.root != BURL_SYNTH_STATIC && !objects_to_share(x->s, a, b, &of_a, &of_b)) {
        (void)fail(x, BURL_SYNTH_UNSHARED);
        return;
    }
    if (of_a >= 0 && !can_be_given(x, e, of_b) && can_be_given(x, d, of_a))
        give(x, e, of_b, d, of_a);
    else
        give(x, d, of_a, e, of_b);
    if (x->built == BURL_SYNTH_BUILT && thread_append(x, d))
        (void)thread_append(x, e);
}

/* ---- with setters ------------------------------------------------------------------------ */

/*
 * Runs a setter for one side. *installed: slot of what the first call installs; -1: it is made
 * here, and kept for the other side. The last call is on `root`, an object of the side; a call
 * that makes the object it sets replaces it.
 */
static bool
suspended_append(struct sharing *x, struct side *d, size_t call)
{
    struct burl_gen_call c;

    if (x->s->calls.v[call].c.slot >= 0)
        return fail(x, BURL_SYNTH_UNSHARED); /* what it makes is not known before it returns */
    if (!call_copy(x, d, call, &c))
        return false;
    BURL_VEC_PUSH(&x->suspended, c);
    return true;
}

static bool
setter_append(struct sharing *x, struct side *d, const struct burl_synth_table *t,
              const struct burl_synth_setter *set, int root, int *installed)
{
    int before = -1; /* slot of the object that the call before prepared */

    for (unsigned i = 0; i < set->n; i++) {
        const struct burl_synth_assign *s = &t->assigns.v[set->assign[i]];
        struct side own = side_new(x, s->call);
        bool makes = s->target.root == BURL_SYNTH_RESULT;
        int on =
            makes ? x->s->calls.v[s->call].c.slot : argument_object(x->s, s->call, s->target.id);
        int what = argument_object(x->s, s->call, s->source.id);
        bool ok = on >= 0 && what >= 0 ? true : fail(x, BURL_SYNTH_UNSHARED);

        if (ok && i == 0 && *installed >= 0)
            own.slot[what] = *installed;
        else if (ok && i > 0)
            own.slot[what] = before;
        if (ok && i + 1 == set->n && !makes)
            own.slot[on] = side_slot(x, d, root);
        ok = ok && slice_append(x, &own) &&
             (i + 1 == set->n && set->is_suspended ? suspended_append(x, &own, s->call)
                                                   : prefix_append(x, &own, s->call));
        if (ok) {
            if (i == 0)
                *installed = side_slot(x, &own, what);
            before = side_slot(x, &own, on);
            if (i + 1 == set->n && makes)
                d->slot[root] = before;
        }
        free(own.slot);
        if (!ok)
            return false;
    }
    return true;
}

/* The model says that a call of the setter takes over what it installs: it has one owner. */
static bool
is_owning(const struct sharing *x, const struct burl_synth_table *t,
          const struct burl_synth_setter *set)
{
    for (unsigned i = 0; i < set->n; i++) {
        const struct burl_synth_assign *s = &t->assigns.v[set->assign[i]];
        const struct burl_gen_fn *f = &x->m->fns.v[s->fn];

        if (s->source.id >= 0 && (size_t)s->source.id < f->params.n &&
            f->params.v[s->source.id].consumes)
            return true;
    }
    return false;
}

/* The object that the seed itself has installed where the setter installs one; -1 none that the
 * client has. */
static int
installed_by_seed(const struct sharing *x, const struct burl_synth_dep *a,
                  const struct burl_synth_setter *set)
{
    return path_object(x->s, a->call, &a->path, set->steps, a->object[set->steps]);
}

/* The calls of the side install `object` by the setter's function on `root`, and would install
 * another one that the side is given. */
static bool
can_install_given(const struct sharing *x, const struct side *d, const struct burl_synth_table *t,
                  const struct burl_synth_setter *set, int root, int object)
{
    const struct burl_synth_assign *s = &t->assigns.v[set->assign[0]];
    const bool makes = s->target.root == BURL_SYNTH_RESULT;

    if (object < 0 || set->n != 1 || s->source.n != 0 || !can_be_given(x, d, object))
        return false;
    for (size_t i = d->call; i > 0 && x->s->calls.v[i - 1].seed == x->s->calls.v[d->call].seed;
         i--) {
        const struct burl_gen_call *c = &x->s->calls.v[i - 1].c;
        const int self = x->m->fns.v[c->fn].self;

        if (c->fn == s->fn && argument_object(x->s, i - 1, s->source.id) == object &&
            (makes ? c->slot : argument_object(x->s, i - 1, s->target.id)) == root)
            return self < 0 || argument_object(x->s, i - 1, self) != object;
    }
    return false;
}

/*
 * Both sides get owners of their own with one object inside. Where a seed has put an object there
 * itself, that one is taken, or the shared one is given to the seed's own calls; otherwise the
 * setter runs after the calls of the side.
 */
static bool
sides_install(struct sharing *x, struct side *d, struct side *e, const struct burl_synth_pair *p,
              const struct burl_synth_table *t, int root_a, int root_b)
{
    const int own_a = installed_by_seed(x, &t->deps.v[p->a], &p->set_a);
    const int own_b = installed_by_seed(x, &t->deps.v[p->b], &p->set_b);
    int installed = -1;
    bool is_done_a;
    bool is_done_b = false;

    if (!slice_append(x, d))
        return false;
    if (own_a >= 0)
        installed = side_slot(x, d, own_a);
    is_done_a = installed >= 0;
    if (is_done_a && can_install_given(x, e, t, &p->set_b, root_b, own_b)) {
        e->slot[own_b] = installed;
        is_done_b = true;
    }
    if (!slice_append(x, e))
        return false;
    if (!is_done_a && own_b >= 0) {
        installed = side_slot(x, e, own_b);
        is_done_b = installed >= 0;
    }
    if (!is_done_a && !setter_append(x, d, t, &p->set_a, root_a, &installed))
        return false;
    if (!is_done_b && !setter_append(x, e, t, &p->set_b, root_b, &installed))
        return false;
    x->t->self = installed;
    if (!thread_append(x, d) || !thread_append(x, e))
        return false;
    for (size_t i = 0; i < x->suspended.n; i++) {
        BURL_VEC_PUSH(&x->t->threads[x->t->n_threads], x->suspended.v[i]);
        x->t->n_threads++;
    }
    x->suspended.n = 0;
    return true;
}

static void
share_installed(struct sharing *x, struct side *d, struct side *e, const struct burl_synth_pair *p,
                const struct burl_synth_table *t)
{
    int root_a = argument_object(x->s, d->call, t->deps.v[p->a].path.id);
    int root_b = argument_object(x->s, e->call, t->deps.v[p->b].path.id);

    if (root_a < 0 || root_b < 0)
        (void)fail(x, BURL_SYNTH_UNSHARED);
    else if (is_owning(x, t, &p->set_a) || is_owning(x, t, &p->set_b))
        (void)fail(x, BURL_SYNTH_OWNED);
    else if (sides_install(x, d, e, p, t, root_a, root_b))
        /* It is in two owners now, and either may end it. */
        x->t->unended = UINT64_MAX >> (64 - x->t->n_slots);
}

/* ---- tests ------------------------------------------------------------------------------- */

static bool
thread_uses(const struct burl_gen_calls *thread, int64_t slot)
{
    for (size_t i = 0; i < thread->n; i++) {
        for (size_t k = 0; k < thread->v[i].args.n; k++) {
            const struct burl_gen_arg *a = &thread->v[i].args.v[k];

            if (a->kind == BURL_GEN_ARG_SLOT && a->i == slot)
                return true;
        }
    }
    return false;
}

/* What a call of thread `by` takes over, another thread must not use. */
static bool
is_taken_from_another(const struct sharing *x, unsigned by)
{
    for (size_t i = 0; i < x->t->threads[by].n; i++) {
        const struct burl_gen_call *c = &x->t->threads[by].v[i];
        const struct burl_gen_fn *f = &x->m->fns.v[c->fn];

        for (size_t k = 0; k < c->args.n && k < f->params.n; k++) {
            for (unsigned t = 0; t < x->t->n_threads; t++) {
                if (t != by && f->params.v[k].consumes && c->args.v[k].kind == BURL_GEN_ARG_SLOT &&
                    thread_uses(&x->t->threads[t], c->args.v[k].i))
                    return true;
            }
        }
    }
    return false;
}

static enum burl_synth_built
sharing_end(struct sharing *x, struct side *d, struct side *e)
{
    for (unsigned i = 0; i < x->t->n_threads; i++) {
        if (is_taken_from_another(x, i))
            (void)fail(x, BURL_SYNTH_OWNED);
    }
    free(d->slot);
    free(e->slot);
    burl_gen_calls_deinit(&x->suspended);
    /* Objects of a stopped seed are still known to it. */
    for (size_t i = 0; i < x->t->stops.n; i++) {
        for (size_t k = 0; k < x->t->stops.v[i].kept.n; k++)
            x->t->unended |= 1ull << x->t->stops.v[i].kept.v[k].slot;
    }
    if (x->built != BURL_SYNTH_BUILT) {
        burl_gen_test_deinit(x->t);
        *x->t = (struct burl_gen_test){ 0 };
    }
    return x->built;
}

void
burl_synth_share_goal(struct burl_wire_goal *g, const struct burl_synth_pair *p,
                      const struct burl_synth_table *t, const struct burl_gen_test *test)
{
    const struct burl_synth_setter *const sets[] = { &p->set_a, &p->set_b };

    if (g->kind != BURL_GOAL_TRIPLE || p->fate != BURL_SYNTH_KEPT_SETTER)
        return;
    for (unsigned k = 2; k < test->n_threads && k - 2 < BURL_GOAL_MAX_INSTALLERS; k++) {
        for (unsigned i = 0; i < 2 && g->triple.install[k - 2] == 0; i++) {
            const struct burl_synth_assign *s = &t->assigns.v[sets[i]->assign[sets[i]->n - 1]];

            if (sets[i]->is_suspended && s->fn == test->threads[k].v[0].fn)
                g->triple.install[k - 2] = s->site;
        }
        g->triple.installers = 3; /* thread 0 is main, the two that follow make the calls */
    }
}

enum burl_synth_built
burl_synth_share_pair(struct burl_gen_test *out, const struct burl_synth_pair *p,
                      const struct burl_synth_table *t, const struct burl_synth_script *s,
                      const struct burl_gen_model *m)
{
    const struct burl_synth_dep *a = &t->deps.v[p->a];
    const struct burl_synth_dep *b = &t->deps.v[p->b];
    struct sharing x = { .s = s, .m = m, .t = out };
    struct side d = side_new(&x, a->call);
    struct side e = side_new(&x, b->call);

    *out = (struct burl_gen_test){ .self = -1 };
    if (p->fate == BURL_SYNTH_KEPT_SETTER)
        share_installed(&x, &d, &e, p, t);
    else
        share_owners(&x, &d, &e, a, b);
    return sharing_end(&x, &d, &e);
}

/* Each locks what the other one locks, in the other order, below the object that its call is given:
 * locks of one array for example. */
static bool
are_crossed_paths(const struct burl_synth_nest *a, const struct burl_synth_nest *b)
{
    return a->outer.root == BURL_SYNTH_PARAM && a->inner.id == a->outer.id &&
           a->inner.root == a->outer.root && b->inner.id == b->outer.id &&
           b->inner.root == BURL_SYNTH_PARAM && b->outer.root == BURL_SYNTH_PARAM &&
           a->outer.n == b->inner.n && a->inner.n == b->outer.n &&
           burl_synth_path_same_end(&a->outer, a->outer.n, &b->inner, b->inner.n) &&
           burl_synth_path_same_end(&a->inner, a->inner.n, &b->outer, b->outer.n) &&
           a->outer.type[0] == b->outer.type[0];
}

/* Shares one object, or none, and appends the calls. */
static void
share_one(struct sharing *x, struct side *d, struct side *e, int of_a, int of_b)
{
    give(x, d, of_a, e, of_b);
    if (x->built == BURL_SYNTH_BUILT && thread_append(x, d))
        (void)thread_append(x, e);
}

static bool
is_same_static(const struct burl_synth_path *a, const struct burl_synth_path *b)
{
    return a->root == BURL_SYNTH_STATIC && burl_synth_path_equal(a, b);
}

enum burl_synth_built
burl_synth_share_nests(struct burl_gen_test *out, const struct burl_synth_nest *a,
                       const struct burl_synth_nest *b, const struct burl_synth_script *s,
                       const struct burl_gen_model *m)
{
    struct sharing x = { .s = s, .m = m, .t = out };
    struct side d = side_new(&x, a->call);
    struct side e = side_new(&x, b->call);
    int outer_a = path_object(s, a->call, &a->outer, a->outer.n, a->outer_object);
    int inner_a = path_object(s, a->call, &a->inner, a->inner.n, a->inner_object);
    int outer_b = path_object(s, b->call, &b->outer, b->outer.n, b->outer_object);
    int inner_b = path_object(s, b->call, &b->inner, b->inner.n, b->inner_object);

    *out = (struct burl_gen_test){ .self = -1 };
    if (are_crossed_paths(a, b)) {
        outer_a = argument_object(s, a->call, a->outer.id);
        outer_b = argument_object(s, b->call, b->outer.id);
        if (outer_a >= 0 && outer_b >= 0)
            share_one(&x, &d, &e, outer_a, outer_b);
        else
            (void)fail(&x, BURL_SYNTH_UNSHARED);
    } else if (is_same_static(&a->outer, &b->inner) && is_same_static(&a->inner, &b->outer)) {
        share_one(&x, &d, &e, -1, -1);
    } else if (is_same_static(&a->outer, &b->inner) && inner_a >= 0 && outer_b >= 0) {
        share_one(&x, &d, &e, inner_a, outer_b);
    } else if (is_same_static(&a->inner, &b->outer) && outer_a >= 0 && inner_b >= 0) {
        share_one(&x, &d, &e, outer_a, inner_b);
    } else if (outer_a < 0 || inner_a < 0 || outer_b < 0 || inner_b < 0 || outer_a == inner_a ||
               outer_b == inner_b) {
        (void)fail(&x, BURL_SYNTH_UNSHARED);
    } else if (slice_append(&x, &d)) {
        e.slot[outer_b] = side_slot(&x, &d, inner_a);
        e.slot[inner_b] = side_slot(&x, &d, outer_a);
        out->self = e.slot[inner_b];
        if (e.slot[outer_b] < 0 || e.slot[inner_b] < 0)
            (void)fail(&x, BURL_SYNTH_UNSHARED);
        else if (slice_append(&x, &e) && thread_append(&x, &d))
            (void)thread_append(&x, &e);
    }
    return sharing_end(&x, &d, &e);
}
