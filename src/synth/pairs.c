/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/pairs.c - pairs of rows, and the feasibility scan.
 */
#include "synth/pairs.h"

#include "base/hash.h"
#include "base/map.h"

/* ---- pairs ------------------------------------------------------------------------------- */

static bool
reads(uint8_t access)
{
    return (access & BURL_SYNTH_READ) != 0;
}

static bool
writes(uint8_t access)
{
    return (access & BURL_SYNTH_WRITE) != 0;
}

/* R-W-R, W-W-R, R-W-W, W-R-W. A read-modify-write counts as whichever of the two fits. */
bool
burl_synth_is_unserializable(uint8_t previous, uint8_t remote, uint8_t current)
{
    if (previous == BURL_SYNTH_NONE)
        return false;
    return (reads(current) && writes(remote)) ||
           (writes(current) && reads(previous) && writes(remote)) ||
           (writes(current) && writes(previous) && reads(remote));
}

static bool
have_field_in_common(const struct burl_synth_dep *a, const struct burl_synth_dep *b)
{
    if (a->is_free || b->is_free)
        return a->path.type[a->path.n] == b->path.type[b->path.n];
    return a->field == b->field;
}

static bool
can_pair(const struct burl_synth_dep *a, const struct burl_synth_dep *b, enum burl_synth_for what)
{
    if (a->is_life_cycle || b->is_life_cycle || !have_field_in_common(a, b))
        return false;
    if (a->path.root != b->path.root &&
        (a->path.root == BURL_SYNTH_STATIC || b->path.root == BURL_SYNTH_STATIC))
        return false;
    if (a->path.root == BURL_SYNTH_STATIC && a->path.n == 0 && a->off != b->off)
        return false;
    if (what == BURL_SYNTH_ATOMICITY)
        return burl_synth_is_unserializable(a->previous, b->current, a->current);
    return (writes(a->current) || writes(b->current)) && !(a->is_atomic && b->is_atomic);
}

/* Everything that decides which test a pair gets and whether it can be met: not the field, the
 * places in the code, or the call of the seed. */
static uint64_t
pair_key(const struct burl_synth_dep *a, const struct burl_synth_dep *b, enum burl_synth_for what)
{
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, (uint64_t)a->fn << 32 | (uint32_t)b->fn);

    h = burl_hash_u64(h, (uint64_t)a->is_free << 41 | (uint64_t)b->is_free << 40 |
                             (uint64_t)what << 32 |
                             (uint64_t)(a->previous << 16 | a->current << 8) | b->current);
    h = burl_hash_bytes(h, &a->path, sizeof a->path);
    h = burl_hash_bytes(h, &b->path, sizeof b->path);
    h = burl_hash_bytes(h, &a->hr, sizeof a->hr);
    h = burl_hash_bytes(h, &a->hc, sizeof a->hc);
    return burl_hash_end(burl_hash_bytes(h, &b->hr, sizeof b->hr));
}

void
burl_synth_pairs_find(struct burl_synth_pairs *out, const struct burl_synth_table *t,
                      enum burl_synth_for what)
{
    struct burl_map known = { 0 };

    for (size_t a = 0; a < t->deps.n; a++) {
        /* a race is the same seen from either side */
        for (size_t b = what == BURL_SYNTH_RACE ? a : 0; b < t->deps.n; b++) {
            const struct burl_synth_dep *x = &t->deps.v[a];
            const struct burl_synth_dep *y = &t->deps.v[b];
            uint64_t at;

            if (!can_pair(x, y, what))
                continue;
            if (out->raw.n == BURL_SYNTH_MAX_RAW) {
                out->n_left_out++;
                continue;
            }
            if (!burl_map_get(&known, pair_key(x, y, what), &at)) {
                at = out->n;
                burl_map_set(&known, pair_key(x, y, what), at);
                BURL_VEC_PUSH(
                    out, (struct burl_synth_pair){ .what = what, .a = a, .b = b, .dominant = -1 });
            }
            out->v[at].n_same++;
            BURL_VEC_PUSH(&out->raw, (struct burl_synth_raw_pair){ at, a, b });
        }
    }
    burl_map_deinit(&known);
}

void
burl_synth_pairs_deinit(struct burl_synth_pairs *pairs)
{
    BURL_VEC_FREE(pairs);
    BURL_VEC_FREE(&pairs->raw);
}

/* ---- feasibility ------------------------------------------------------------------------- */

/* Both threads would hold one lock if the objects from its owner to the accessed one were
 * shared. */
static bool
is_common(const struct burl_synth_lock *x, const struct burl_synth_dep *a,
          const struct burl_synth_lock *y, const struct burl_synth_dep *b)
{
    if (x->is_global != y->is_global || x->off != y->off || (x->is_shared && y->is_shared))
        return false;
    if (x->is_global)
        return true;
    return x->type == y->type && x->n_rest == y->n_rest &&
           memcmp(x->rest, y->rest, x->n_rest * sizeof *x->rest) == 0 &&
           burl_synth_path_same_end(&a->path, (unsigned)(a->path.n - x->steps), &b->path,
                                    (unsigned)(b->path.n - y->steps));
}

/* The common lock whose owner is closest to the accessed object: steps to it; -1 none. */
static int
dominant_lock(const struct burl_synth_pair *p, const struct burl_synth_dep *a,
              const struct burl_synth_dep *b, bool *is_global)
{
    const struct burl_synth_locks *mine = p->what == BURL_SYNTH_RACE ? &a->hr : &a->hc;
    int dominant = -1;

    *is_global = false;
    for (unsigned i = 0; i < mine->n; i++) {
        for (unsigned j = 0; j < b->hr.n; j++) {
            if (!is_common(&mine->v[i], a, &b->hr.v[j], b))
                continue;
            if (mine->v[i].is_global)
                *is_global = true;
            else if (mine->v[i].steps > dominant)
                dominant = mine->v[i].steps;
        }
    }
    return dominant;
}

/* Both threads get owners of their own that lead to one object: the accessed one if possible, else
 * one as close to it as possible. */
static bool
setters_find(struct burl_synth_pair *p, const struct burl_synth_table *t)
{
    const struct burl_synth_path *a = &t->deps.v[p->a].path;
    const struct burl_synth_path *b = &t->deps.v[p->b].path;
    unsigned below = (unsigned)(a->n - p->dominant); /* steps from the owner to the object */

    for (unsigned rest = 0; rest < below; rest++) {
        if (burl_synth_find_setter(&p->set_a, t, a, a->n - rest) &&
            burl_synth_find_setter(&p->set_b, t, b, b->n - rest))
            return true;
    }
    return false;
}

static void
pair_scan(struct burl_synth_pair *p, const struct burl_synth_table *t)
{
    const struct burl_synth_dep *a = &t->deps.v[p->a];
    const struct burl_synth_dep *b = &t->deps.v[p->b];
    bool is_global;

    p->dominant = dominant_lock(p, a, b, &is_global);
    if (is_global)
        p->fate = BURL_SYNTH_GLOBAL_LOCK;
    else if (p->dominant < 0)
        p->fate = BURL_SYNTH_KEPT;
    else if (p->dominant == a->path.n)
        p->fate = BURL_SYNTH_OWN_LOCK;
    else if (setters_find(p, t))
        p->fate = BURL_SYNTH_KEPT_SETTER;
    else
        p->fate = BURL_SYNTH_NO_SETTER;
}

/* Puts the raw pairs of each pair together, in their order. */
static void
raw_group(struct burl_synth_pairs *pairs)
{
    struct burl_synth_raw_pair *to = burl_xcalloc(pairs->raw.n + 1, sizeof *to);
    size_t *at = burl_xcalloc(pairs->n + 1, sizeof *at);
    size_t n = 0;

    for (size_t i = 0; i < pairs->n; i++) {
        pairs->v[i].first_raw = at[i] = n;
        n += pairs->v[i].n_same;
    }
    for (size_t i = 0; i < pairs->raw.n; i++)
        to[at[pairs->raw.v[i].pair]++] = pairs->raw.v[i];
    if (pairs->raw.n > 0)
        memcpy(pairs->raw.v, to, pairs->raw.n * sizeof *to);
    free(at);
    free(to);
}

void
burl_synth_pairs_scan(struct burl_synth_pairs *pairs, const struct burl_synth_table *t)
{
    for (size_t i = 0; i < pairs->n; i++)
        pair_scan(&pairs->v[i], t);
    raw_group(pairs);
}
