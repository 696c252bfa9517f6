/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/tracks.c - which threads of which test executed an access, by the history.
 *
 * Runs in the host. Thousands of accesses share few tracks: those of one block, of blocks that are
 * always executed together, and all that no test reaches. Tracks are made one at a time and kept
 * once, so memory depends on the number of different ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "regress/select_int.h"

/* Builds of one module with other hooks have more sites, behind those that all have. */
static void
add_module(struct burl__tracks *t, uint64_t hash, uint32_t n_sites)
{
    uint64_t ix;

    if (!burl_map_get(&t->modules, hash, &ix)) {
        burl_map_set(&t->modules, hash, t->hashes.n);
        BURL_VEC_PUSH(&t->hashes, hash);
        BURL_VEC_PUSH(&t->n_sites, n_sites);
    } else if (t->n_sites.v[ix] < n_sites) {
        t->n_sites.v[ix] = n_sites;
    }
}

static void
set_bit(uint64_t *mask, uint32_t i)
{
    mask[i / 64] |= (uint64_t)1 << i % 64;
}

static bool
has_bit(const uint64_t *mask, uint32_t i)
{
    return (mask[i / 64] >> i % 64 & 1) != 0;
}

/* Which of the workers that one place starts takes a job is chance: what one of them executed,
 * another one may have. */
static bool
are_alike(const struct burl_history_role *a, const struct burl_history_role *b)
{
    return a->create_site != UINT32_MAX && a->create_site == b->create_site &&
           a->create_module == b->create_module && strcmp(a->start, b->start) == 0;
}

static void
relate_roles(struct burl__run *r)
{
    const struct burl_history *h = r->history;

    r->overlapping = burl_xcalloc(h->roles.n * r->words + 1, sizeof *r->overlapping);
    r->others = burl_xcalloc(h->roles.n * r->words + 1, sizeof *r->others);
    r->alike = burl_xcalloc(h->roles.n * r->words + 1, sizeof *r->alike);
    for (uint32_t a = 0; a < h->roles.n; a++) {
        for (uint32_t b = 0; b < h->roles.n; b++) {
            if (a == b || are_alike(&h->roles.v[a], &h->roles.v[b]))
                set_bit(r->alike + (size_t)a * r->words, b);
            if (burl_history_overlaps(h, a, b))
                set_bit(r->overlapping + (size_t)a * r->words, b);
            if (a != b || h->roles.v[a].many)
                set_bit(r->others + (size_t)a * r->words, b);
        }
    }
}

static void
add_run(struct burl__tracks *t, uint32_t test, const struct burl_history *h)
{
    struct burl__run *r = BURL_VEC_ADD(&t->runs);

    r->test = test;
    r->history = h;
    r->words = (uint32_t)(h->roles.n + 63) / 64;
    r->at = t->words;
    t->words += 3 * (size_t)r->words + 1;
    relate_roles(r);
    for (size_t i = 0; i < h->modules.n; i++)
        add_module(t, h->modules.v[i].hash, h->modules.v[i].n_sites);
}

/* Sorts the sets of a run by module. */
static void
index_sets(struct burl__tracks *t, struct burl__run *r)
{
    const struct burl_history *h = r->history;

    r->first = burl_xcalloc(t->hashes.n + 1, sizeof *r->first);
    for (uint32_t m = 0; m < t->hashes.n; m++) {
        r->first[m] = r->sets.n;
        for (size_t i = 0; i < h->sets.n; i++) {
            const struct burl_history_set *set = &h->sets.v[i];
            const struct burl_history_module *x = &h->modules.v[set->module];

            if (x->hash != t->hashes.v[m])
                continue;
            BURL_VEC_PUSH(&r->sets,
                          (struct burl__set_ref){ set->role, set->alone, x->n_sites, set->bits });
            for (uint32_t k = 0; k < (x->n_sites + 7) / 8; k++)
                t->seen.v[m][k] |= set->bits[k];
        }
    }
    r->first[t->hashes.n] = r->sets.n;
}

static bool
is_track(const void *tracks, uint64_t i, const void *row)
{
    const struct burl__tracks *t = tracks;

    return memcmp(t->bits.v + i * t->words, row, t->words * sizeof *t->bits.v) == 0;
}

/* Did any test execute the block? *m: its module. */
static bool
is_seen(const struct burl__tracks *t, const struct burl_changes_block *b, uint64_t *m)
{
    return burl_map_get(&t->modules, b->module_hash, m) && b->index < t->n_sites.v[*m] &&
           burl_history_bit(t->seen.v[*m], b->index);
}

/* Marks the threads that executed the block. */
static void
mark_block(struct burl__tracks *t, const struct burl_changes_block *b, bool loose)
{
    uint64_t m;

    if (!is_seen(t, b, &m))
        return;
    for (size_t i = 0; i < t->runs.n; i++) {
        const struct burl__run *r = &t->runs.v[i];
        uint64_t *part = t->scratch + r->at;

        for (size_t k = r->first[m]; k < r->first[m + 1]; k++) {
            const struct burl__set_ref *s = &r->sets.v[k];

            if (b->index >= s->n_sites || !burl_history_bit(s->bits, b->index))
                continue;
            if (b->spawned) {
                part[3 * r->words] = 1;
                continue;
            }
            const uint64_t *alike = r->alike + (size_t)s->role * r->words;
            for (uint32_t w = 0; w < r->words; w++) {
                part[w] |= !s->alone || loose ? alike[w] : 0;
                part[r->words + w] |= alike[w];
                part[2 * r->words + w] |= s->alone ? 0 : alike[w];
            }
        }
    }
}

static uint32_t
add_track(struct burl__tracks *t, const struct burl_changes_block *blocks, size_t n, bool loose)
{
    uint64_t ix = t->n;

    memset(t->scratch, 0, t->words * sizeof *t->scratch);
    for (size_t i = 0; i < n; i++)
        mark_block(t, &blocks[i], loose);
    if (burl_map_find_or_add(&t->by_content, burl_hash(t->scratch, t->words * sizeof *t->scratch),
                             is_track, t, t->scratch, &ix))
        return (uint32_t)ix;
    BURL_VEC_RESERVE(&t->bits, t->words + 1);
    memcpy(t->bits.v + t->bits.n, t->scratch, t->words * sizeof *t->scratch);
    t->bits.n += t->words;
    return t->n++;
}

/* That a thread executed a block while it was the only one says nothing about an access that is new
 * there, or that other code leads to now: it may come after the creation of a thread in that block.
 * The target knows which accesses of the new version main surely makes alone. */
static bool
is_loose(const struct burl_changes_site *site)
{
    const uint32_t in_place = BURL_RULE_REGION | BURL_RULE_QUALIFIER | BURL_RULE_DATA;

    return !site->exact || site->blocks.n > 1 || (site->rules & ~in_place) != 0;
}

/* Nearly all accesses have one block, and many have the same: these are looked up. */
uint32_t
burl__tracks_add(struct burl__tracks *t, const struct burl_changes_site *site)
{
    const struct burl_changes_block *blocks = site->blocks.v;
    const size_t n = site->blocks.n;
    const bool loose = is_loose(site);
    uint64_t m = 0, ix;
    bool seen = false;

    for (size_t i = 0; i < n && !seen; i++)
        seen = is_seen(t, &blocks[i], &m);
    if (!seen)
        return 0;
    if (n > 1)
        return add_track(t, blocks, n, loose);
    const uint64_t key =
        m << 34 | (uint64_t)blocks[0].index << 2 | (unsigned)(blocks[0].spawned << 1) | loose;
    if (!burl_map_get(&t->by_block, key, &ix)) {
        ix = add_track(t, blocks, n, loose);
        burl_map_set(&t->by_block, key, ix);
    }
    return (uint32_t)ix;
}

bool
burl__history_executes(const struct burl_history *h, const struct burl_changes_block *blocks,
                       size_t n)
{
    for (size_t i = 0; i < h->sets.n; i++) {
        const struct burl_history_set *x = &h->sets.v[i];
        const struct burl_history_module *m = &h->modules.v[x->module];

        for (size_t k = 0; k < n; k++)
            if (m->hash == blocks[k].module_hash && blocks[k].index < m->n_sites &&
                burl_history_bit(x->bits, blocks[k].index))
                return true;
    }
    return false;
}

void
burl__tracks_open(struct burl__tracks *t, const struct burl_regress_version *base, const char *key)
{
    memset(t, 0, sizeof *t);
    for (uint32_t i = 0; i < base->tests.n; i++) {
        const struct burl_regress_test *test = &base->tests.v[i];

        for (size_t k = 0; k < test->histories.n; k++)
            if (strcmp(test->histories.v[k].program, key) == 0)
                add_run(t, i, &test->histories.v[k]);
    }
    for (size_t i = 0; i < t->hashes.n; i++)
        BURL_VEC_PUSH(&t->seen, burl_xcalloc((size_t)t->n_sites.v[i] / 8 + 1, 1));
    for (size_t i = 0; i < t->runs.n; i++)
        index_sets(t, &t->runs.v[i]);
    t->scratch = burl_xcalloc(t->words + 1, sizeof *t->scratch);
    /* Number 0. */
    (void)add_track(t, NULL, 0, false);
}

void
burl__tracks_close(struct burl__tracks *t)
{
    for (size_t i = 0; i < t->runs.n; i++) {
        free(t->runs.v[i].overlapping);
        free(t->runs.v[i].others);
        free(t->runs.v[i].alike);
        free(t->runs.v[i].first);
        BURL_VEC_FREE(&t->runs.v[i].sets);
    }
    for (size_t i = 0; i < t->seen.n; i++)
        free(t->seen.v[i]);
    BURL_VEC_FREE(&t->runs);
    BURL_VEC_FREE(&t->seen);
    BURL_VEC_FREE(&t->hashes);
    BURL_VEC_FREE(&t->n_sites);
    BURL_VEC_FREE(&t->bits);
    burl_map_deinit(&t->modules);
    burl_map_deinit(&t->by_content);
    burl_map_deinit(&t->by_block);
    free(t->scratch);
    memset(t, 0, sizeof *t);
}

static bool
is_root(const struct burl_sp *target, const char *start)
{
    for (size_t i = 0; i < target->roots.n; i++)
        if (strcmp(target->roots.v[i].function, start) == 0)
            return true;
    return false;
}

bool
burl__tracks_know_threads(const struct burl__tracks *t, const struct burl_sp *target)
{
    for (size_t i = 0; i < t->runs.n; i++) {
        const struct burl_history *h = t->runs.v[i].history;

        for (size_t k = 1; k < h->roles.n; k++) /* the first is main */
            if (!is_root(target, h->roles.v[k].start))
                return false;
    }
    return true;
}

/* What a test did with a track. */
struct part {
    const uint64_t *concurrent; /* while others existed, or loosely */
    const uint64_t *all;
    const uint64_t *strict; /* while others existed, as it was seen */
    bool spawned;
};

static struct part
part_of(const struct burl__tracks *t, const struct burl__run *r, uint32_t track)
{
    const uint64_t *p = t->bits.v + track * t->words + r->at;

    return (struct part){ p, p + r->words, p + 2 * r->words, p[3 * r->words] != 0 };
}

/* The first role of a mask; BURL_REGRESS_NEW_THREAD when it is empty and a new thread did it;
 * UINT32_MAX none. */
static uint32_t
first_role(const uint64_t *mask, uint32_t words, bool spawned)
{
    for (uint32_t i = 0; i < words; i++)
        if (mask[i])
            return i * 64 + (uint32_t)__builtin_ctzll(mask[i]);
    return spawned ? BURL_REGRESS_NEW_THREAD : UINT32_MAX;
}

bool
burl__tracks_executed(const struct burl__tracks *t, const struct burl__run *r, uint32_t track)
{
    const struct part p = part_of(t, r, track);

    return first_role(p.all, r->words, p.spawned) != UINT32_MAX;
}

/* A role of `a` and a role of `b` that `relation` has. */
static bool
find_roles(const struct burl__run *r, const uint64_t *a, const uint64_t *b,
           const uint64_t *relation, uint32_t *role_a, uint32_t *role_b)
{
    for (uint32_t x = 0; x < r->history->roles.n; x++) {
        const uint64_t *row = relation + (size_t)x * r->words;

        if (!has_bit(a, x))
            continue;
        for (uint32_t i = 0; i < r->words; i++) {
            const uint64_t both = row[i] & b[i];

            if (!both)
                continue;
            *role_a = x;
            *role_b = i * 64 + (uint32_t)__builtin_ctzll(both);
            return true;
        }
    }
    return false;
}

bool
burl__tracks_meet(const struct burl__tracks *t, const struct burl__run *r, uint32_t a, uint32_t b,
                  enum burl__meeting how, uint32_t *role_a, uint32_t *role_b)
{
    const struct part x = part_of(t, r, a), y = part_of(t, r, b);
    const uint32_t any_x = first_role(x.all, r->words, x.spawned);
    const uint32_t any_y = first_role(y.all, r->words, y.spawned);
    uint32_t ra = any_x, rb = any_y;
    bool found;

    if (any_x == UINT32_MAX || any_y == UINT32_MAX)
        return false;
    found = how == BURL__MEET_APART
                ? find_roles(r, x.concurrent, y.concurrent, r->overlapping, &ra, &rb)
                : find_roles(r, x.all, y.all, r->others, &ra, &rb);
    /* A thread that the base version did not have differs from all of the history, and may
     * live while main did what it did alone. */
    if (!found && x.spawned) {
        found = true;
        ra = BURL_REGRESS_NEW_THREAD;
    } else if (!found && y.spawned) {
        found = true;
        rb = BURL_REGRESS_NEW_THREAD;
    }
    found = found || how == BURL__MEET_SAME;
    if (found && role_a)
        *role_a = ra;
    if (found && role_b)
        *role_b = rb;
    return found;
}

/* ---- many at once ------------------------------------------------------------------------ */

/* Per track: the roles that meet one that executed it. */
struct reach {
    uint64_t *overlapping; /* in time, of roles while others existed */
    uint64_t *strict;      /* the same without looseness */
    uint64_t *others;
};

static void
add_relation(const struct burl__run *r, const uint64_t *mask, const uint64_t *relation,
             uint64_t *out)
{
    for (uint32_t x = 0; x < r->history->roles.n; x++)
        for (uint32_t i = 0; has_bit(mask, x) && i < r->words; i++)
            out[i] |= relation[(size_t)x * r->words + i];
}

static struct reach
find_reach(const struct burl__tracks *t, const struct burl__run *r)
{
    const size_t n = (size_t)t->n * r->words + 1;
    struct reach reach = { burl_xcalloc(n, sizeof(uint64_t)), burl_xcalloc(n, sizeof(uint64_t)),
                           burl_xcalloc(n, sizeof(uint64_t)) };

    for (uint32_t i = 0; i < t->n; i++) {
        const struct part p = part_of(t, r, i);

        add_relation(r, p.concurrent, r->overlapping, reach.overlapping + (size_t)i * r->words);
        add_relation(r, p.strict, r->overlapping, reach.strict + (size_t)i * r->words);
        add_relation(r, p.all, r->others, reach.others + (size_t)i * r->words);
    }
    return reach;
}

static bool
intersect(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (a[i] & b[i])
            return true;
    return false;
}

void
burl__tracks_cover(const struct burl__tracks *t, const struct burl__run *r,
                   const struct burl__cell *cells, size_t first, size_t end,
                   const struct burl_regress_rules *rules, uint64_t *row, uint64_t *strict)
{
    struct reach reach = find_reach(t, r);

    for (size_t i = first; i < end; i++) {
        const struct burl__cell *c = &cells[i];
        const struct part x = part_of(t, r, c->a), y = part_of(t, r, c->b);
        bool met;

        if (x.spawned || y.spawned || rules->same_thread)
            met = first_role(x.all, r->words, x.spawned) != UINT32_MAX &&
                  first_role(y.all, r->words, y.spawned) != UINT32_MAX;
        else if (rules->any_lifetime || c->any_time)
            met = intersect(reach.others + (size_t)c->a * r->words, y.all, r->words);
        else
            met = intersect(reach.overlapping + (size_t)c->a * r->words, y.concurrent, r->words);
        if (met)
            row[i / 64] |= (uint64_t)1 << i % 64;
        if (met && intersect(reach.strict + (size_t)c->a * r->words, y.strict, r->words))
            strict[i / 64] |= (uint64_t)1 << i % 64;
    }
    free(reach.overlapping);
    free(reach.strict);
    free(reach.others);
}
