/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/pairs.c - matching (PAPERS 4.4): I, the pairs of accesses that the change can turn into
 * a bug.
 *
 * Runs in the host. A pair has an impacted access and any access of the same class, one of them
 * writes, and two threads can execute them at the same time. A large program has hundreds of
 * millions of such pairs: accesses that neither the target nor the history tells apart form a
 * group, and only pairs of groups are made, unless there are few pairs.
 *
 * The direction of the error is a pair too many. Only what is certain drops a pair: locks are those
 * surely held, BEFORE and AFTER hold on every path, roots are all threads that can get there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "regress/select_int.h"

/* Up to here pairs are kept one by one: what a person can read and a campaign can aim at. */
#define SINGLE_PAIRS 20000u
/* Beyond, a pair of groups is kept only if it has a cell of its own. */
#define MAX_PAIRS 1000000u
/* A bound of memory: 16 million cells are 640 MB. */
#define MAX_CELLS (16u << 20)
/* Tests by cells, in bytes; there are four such tables. */
#define MAX_TABLE_B ((size_t)1 << 28)

/* Rules by which the order or the lifetime of threads changes: that two threads were not alive at
 * the same time in the base version then says nothing. */
#define MOVES_LIFETIMES (BURL_RULE_SYNC | BURL_RULE_THREAD)
/* Rules that cannot split what was atomic. */
#define KEEPS_ATOMIC ((uint32_t)BURL_RULE_DATA)

struct lists {
    size_t *at; /* those of i: v[at[i]] .. v[at[i + 1]] */
    uint32_t *v;
};

/* Accesses that nothing below tells apart. */
struct group {
    uint32_t site; /* the first, of the target */
    uint32_t n;
    uint32_t rules;
    uint32_t track;
};

struct match {
    struct burl_regress_selection *s;
    struct burl_regress_work *w;
    uint32_t subject;
    const struct burl_sp *t;
    const struct burl_changes *c;
    uint32_t *change;     /* per site: into changes.sites; UINT32_MAX none */
    uint32_t *track;      /* per site */
    uint8_t *second;      /* per site: what a second access of one of its threads does */
    bool *touched;        /* per class: has an impacted access */
    bool knows_threads;   /* the target has every thread of the history */
    struct lists classes; /* of a site: touched ones, typed first */
    bool single;          /* every site is a group of its own */
    BURL_VEC(struct group) groups;
    struct burl_map by_content;
    uint32_t *group_of;   /* per site; UINT32_MAX none */
    struct lists members; /* groups of a class */
    uint32_t *met;        /* per group: round */
    struct burl_map cells;
    bool overflow;
};

static uint32_t
rules_of(const struct match *m, uint32_t site)
{
    const uint32_t c = m->change[site];

    return c == UINT32_MAX ? 0 : m->c->sites.v[c].rules;
}

/* ---- accesses ---------------------------------------------------------------------------- */

static void
find_accesses(struct match *m)
{
    struct burl__tracks *tracks = &m->w->tracks.v[m->subject];

    for (uint32_t i = 0; i < m->t->sites.n; i++) {
        const struct burl_sp_site *x = &m->t->sites.v[i];

        m->change[i] = burl_changes_find(m->c, x->module_hash, x->index);
        if (m->change[i] != UINT32_MAX) {
            const struct burl_changes_site *c = &m->c->sites.v[m->change[i]];

            m->track[i] = burl__tracks_add(tracks, c);
        }
    }
    for (uint32_t k = 0; k < m->t->classes.n; k++) {
        const struct burl_sp_class *c = &m->t->classes.v[k];

        for (size_t i = 0; i < c->sites.n && !m->touched[k]; i++)
            m->touched[k] = rules_of(m, c->sites.v[i]) != 0;
    }
}

/* Touched classes of each site, typed ones first: a pair is attributed to the first. */
static void
list_classes(struct match *m)
{
    size_t *fill = burl_xcalloc(m->t->sites.n + 1, sizeof *fill);
    size_t total = 0;

    m->classes.at = burl_xcalloc(m->t->sites.n + 1, sizeof *m->classes.at);
    for (uint32_t k = 0; k < m->t->classes.n; k++) {
        const struct burl_sp_class *c = &m->t->classes.v[k];

        for (size_t i = 0; m->touched[k] && i < c->sites.n; i++)
            m->classes.at[c->sites.v[i] + 1]++;
    }
    for (size_t i = 0; i < m->t->sites.n; i++)
        m->classes.at[i + 1] += m->classes.at[i];
    total = m->classes.at[m->t->sites.n];
    m->classes.v = burl_xcalloc(total + 1, sizeof *m->classes.v);
    for (int untyped = 0; untyped < 2; untyped++) {
        for (uint32_t k = 0; k < m->t->classes.n; k++) {
            const struct burl_sp_class *c = &m->t->classes.v[k];

            if (!m->touched[k] || c->untyped != (untyped == 1))
                continue;
            for (size_t i = 0; i < c->sites.n; i++) {
                const uint32_t s = c->sites.v[i];

                m->classes.v[m->classes.at[s] + fill[s]++] = k;
            }
        }
    }
    free(fill);
}

/* For each site whether a thread that executes it has a second access to the class, and of which
 * kind: p and c of an unserializable triple are two accesses of one thread. */
static void
find_seconds(struct match *m)
{
    const struct burl_sp *t = m->t;
    size_t *reads = burl_xcalloc(t->roots.n + 1, sizeof *reads);
    size_t *writes = burl_xcalloc(t->roots.n + 1, sizeof *writes);

    for (uint32_t k = 0; k < t->classes.n; k++) {
        const struct burl_sp_class *c = &t->classes.v[k];

        if (!m->touched[k])
            continue;
        memset(reads, 0, t->roots.n * sizeof *reads);
        memset(writes, 0, t->roots.n * sizeof *writes);
        for (size_t i = 0; i < c->sites.n; i++) {
            const struct burl_sp_site *x = &t->sites.v[c->sites.v[i]];

            for (size_t r = 0; r < x->roots.n; r++) {
                reads[x->roots.v[r]] += (x->flags & BURL_SP_READS) != 0;
                writes[x->roots.v[r]] += (x->flags & BURL_SP_WRITES) != 0;
            }
        }
        for (size_t i = 0; i < c->sites.n; i++) {
            const struct burl_sp_site *x = &t->sites.v[c->sites.v[i]];

            for (size_t r = 0; r < x->roots.n; r++) {
                if (reads[x->roots.v[r]] > ((x->flags & BURL_SP_READS) != 0))
                    m->second[c->sites.v[i]] |= BURL_SP_READS;
                if (writes[x->roots.v[r]] > ((x->flags & BURL_SP_WRITES) != 0))
                    m->second[c->sites.v[i]] |= BURL_SP_WRITES;
            }
        }
    }
    free(reads);
    free(writes);
}

/* ---- groups ------------------------------------------------------------------------------ */

static bool
same_u32s(const uint32_t *a, size_t n, const uint32_t *b, size_t k)
{
    return n == k && (n == 0 || memcmp(a, b, n * sizeof *a) == 0);
}

static bool
is_in_group(const void *match, uint64_t group, const void *site)
{
    const struct match *m = match;
    const uint32_t a = m->groups.v[group].site, b = *(const uint32_t *)site;
    const struct burl_sp_site *x = &m->t->sites.v[a], *y = &m->t->sites.v[b];
    const size_t *at = m->classes.at;

    return x->flags == y->flags && m->track[a] == m->track[b] && m->second[a] == m->second[b] &&
           rules_of(m, a) == rules_of(m, b) &&
           same_u32s(x->roots.v, x->roots.n, y->roots.v, y->roots.n) &&
           same_u32s(x->locks.v, x->locks.n, y->locks.v, y->locks.n) &&
           same_u32s(m->classes.v + at[a], at[a + 1] - at[a], m->classes.v + at[b],
                     at[b + 1] - at[b]);
}

static uint64_t
hash_u32s(uint64_t h, const uint32_t *v, size_t n)
{
    h = burl_hash_u64(h, n);
    return n ? burl_hash_bytes(h, v, n * sizeof *v) : h;
}

static uint64_t
site_hash(const struct match *m, uint32_t s)
{
    const struct burl_sp_site *x = &m->t->sites.v[s];
    uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, x->flags);

    h = burl_hash_u64(h, (uint64_t)m->track[s] << 32 | rules_of(m, s));
    h = hash_u32s(h, x->roots.v, x->roots.n);
    h = hash_u32s(h, x->locks.v, x->locks.n);
    h = hash_u32s(h, m->classes.v + m->classes.at[s], m->classes.at[s + 1] - m->classes.at[s]);
    return burl_hash_end(h);
}

static void
add_to_group(struct match *m, uint32_t s)
{
    uint64_t g = m->groups.n;

    if (m->single || !burl_map_find_or_add(&m->by_content, site_hash(m, s), is_in_group, m, &s, &g))
        BURL_VEC_PUSH(&m->groups, (struct group){ s, 0, rules_of(m, s), m->track[s] });
    m->groups.v[g].n++;
    m->group_of[s] = (uint32_t)g;
}

/* Groups of each touched class; a group counts at its first site. */
static void
list_members(struct match *m)
{
    size_t total = 0;

    m->members.at = burl_xcalloc(m->t->classes.n + 1, sizeof *m->members.at);
    for (int fill = 0; fill < 2; fill++) {
        total = 0;
        for (uint32_t k = 0; k < m->t->classes.n; k++) {
            const struct burl_sp_class *c = &m->t->classes.v[k];

            m->members.at[k] = total;
            for (size_t i = 0; m->touched[k] && i < c->sites.n; i++) {
                const uint32_t g = m->group_of[c->sites.v[i]];

                if (g == UINT32_MAX || m->groups.v[g].site != c->sites.v[i])
                    continue;
                if (fill)
                    m->members.v[total] = g;
                total++;
            }
        }
        m->members.at[m->t->classes.n] = total;
        if (!fill)
            m->members.v = burl_xcalloc(total + 1, sizeof *m->members.v);
    }
}

static void
free_groups(struct match *m)
{
    BURL_VEC_FREE(&m->groups);
    burl_map_deinit(&m->by_content);
    free(m->members.at);
    free(m->members.v);
    free(m->met);
    m->members = (struct lists){ 0 };
    m->met = NULL;
}

/* Groups of the accesses that can be in a pair. */
static void
make_groups(struct match *m, bool single)
{
    const uint8_t out = BURL_SP_ASSERT | (m->knows_threads ? BURL_SP_BEFORE | BURL_SP_AFTER : 0);

    m->single = single;
    for (uint32_t s = 0; s < m->t->sites.n; s++) {
        m->group_of[s] = UINT32_MAX;
        if (m->change[s] != UINT32_MAX && m->classes.at[s] != m->classes.at[s + 1] &&
            (m->t->sites.v[s].flags & out) == 0)
            add_to_group(m, s);
    }
    list_members(m);
    m->met = burl_xcalloc(m->groups.n + 1, sizeof *m->met);
}

/* ---- pairs ------------------------------------------------------------------------------- */

/* Can r of another thread come between p and c of one thread such that no serial order has the same
 * effect (R-W-R, W-W-R, R-W-W, W-R-W)? One of p and c does `x`, the other `second`. */
static bool
is_triple(uint8_t x, uint8_t second, uint8_t r)
{
    if ((r & BURL_SP_WRITES) && second && ((x | second) & BURL_SP_READS))
        return true;
    return (r & BURL_SP_READS) && (x & BURL_SP_WRITES) && (second & BURL_SP_WRITES);
}

/* Can the target say that two threads never execute both? Not of code that tests execute and it
 * takes for unreachable, and not if it does not know all threads: a library that is not
 * instrumented may start threads and call back. */
static bool
is_concurrent(const struct match *m, uint32_t a, uint32_t b)
{
    const bool reached_a = m->t->sites.v[a].roots.n > 0 || m->track[a] == 0;
    const bool reached_b = m->t->sites.v[b].roots.n > 0 || m->track[b] == 0;

    return !m->knows_threads || !reached_a || !reached_b || burl_sp_parallel(m->t, a, b);
}

/* What the two accesses can show; 0: they are no pair. */
static uint32_t
kinds_of(const struct match *m, uint32_t a, uint32_t b)
{
    const uint8_t x = m->t->sites.v[a].flags, y = m->t->sites.v[b].flags;
    uint32_t kinds = 0;

    if (((x | y) & BURL_SP_WRITES) == 0 || !is_concurrent(m, a, b))
        return 0;
    if ((x & y & BURL_SP_ATOMIC) == 0 && !burl_sp_share_lock(m->t, a, b))
        kinds |= BURL_REGRESS_RACES;
    if (((rules_of(m, a) | rules_of(m, b)) & ~KEEPS_ATOMIC) != 0 &&
        (is_triple(x, m->second[a], y) || is_triple(y, m->second[b], x)))
        kinds |= BURL_REGRESS_ATOMICITY;
    return kinds & m->w->rules.wanted;
}

int
burl__pairs_telling(const struct burl_regress_selection *s, const struct burl_regress_pair *p)
{
    const struct burl_regress_subject *x = &s->subjects.v[p->subject];
    const uint32_t rules = x->changes.sites.v[p->a].rules;
    int n = 0;

    if (p->kinds & BURL_REGRESS_RACES)
        n += 8;
    if ((p->kinds & BURL_REGRESS_DEADLOCKS) || !x->target.classes.v[p->class].untyped)
        n += 4;
    if (rules & ~(uint32_t)(BURL_RULE_SLICE | BURL_RULE_DATA))
        n += 2;
    return n + (p->a != p->b);
}

/* The cell of two tracks; UINT32_MAX: no test executes both, or there are too many cells. */
static uint32_t
cell_of(struct match *m, uint32_t a, uint32_t b, bool any_time, uint64_t n)
{
    const uint32_t lo = a < b ? a : b, hi = a < b ? b : a;
    const uint64_t key = (uint64_t)lo << 32 | (uint64_t)hi << 1 | any_time;
    struct burl_regress_work *w = m->w;
    uint64_t ix;

    if (lo == 0)
        return UINT32_MAX;
    if (burl_map_get(&m->cells, key, &ix)) {
        w->cells.v[ix].n_pairs += n;
        return (uint32_t)ix;
    }
    if (w->cells.n >= MAX_CELLS ||
        (w->cells.n / 8 + 1) * (m->s->base->tests.n + 1) >= MAX_TABLE_B) {
        m->overflow = true;
        return UINT32_MAX;
    }
    burl_map_set(&m->cells, key, w->cells.n);
    BURL_VEC_PUSH(&w->cells, (struct burl__cell){ .subject = m->subject,
                                                  .a = lo,
                                                  .b = hi,
                                                  .any_time = any_time,
                                                  .pair = UINT32_MAX,
                                                  .n_pairs = n });
    return (uint32_t)w->cells.n - 1;
}

static void
add_pair(struct match *m, struct burl_regress_pair p, uint32_t track_a, uint32_t track_b)
{
    struct burl_regress_selection *s = m->s;
    struct burl_regress_work *w = m->w;
    const uint32_t rules = m->c->sites.v[p.a].rules | m->c->sites.v[p.b].rules;
    const uint32_t cell = cell_of(m, track_a, track_b, (rules & MOVES_LIFETIMES) != 0, p.n);
    uint32_t *shown = cell == UINT32_MAX ? NULL : &w->cells.v[cell].pair;

    s->n_pairs += p.n;
    if (s->pairs.n >= MAX_PAIRS && (!shown || *shown != UINT32_MAX))
        return;
    if (shown && (*shown == UINT32_MAX ||
                  burl__pairs_telling(s, &p) > burl__pairs_telling(s, &s->pairs.v[*shown])))
        *shown = (uint32_t)s->pairs.n;
    BURL_VEC_PUSH(&s->pairs, p);
    BURL_VEC_PUSH(&w->cell_of, cell);
}

/* Pairs of sites that a pair of groups stands for. */
static uint64_t
count_pairs(const struct match *m, uint32_t g, uint32_t k)
{
    const struct group *x = &m->groups.v[g], *y = &m->groups.v[k];

    if (g != k)
        return (uint64_t)x->n * y->n;
    /* Two of one group, and each with itself: only what writes is in a pair here. */
    return (uint64_t)x->n * (x->n - 1) / 2 + x->n;
}

/* Calls `each` for every pair of groups once; g has impacted accesses. */
static void
each_pair(struct match *m,
          void (*each)(struct match *m, uint32_t g, uint32_t k, uint32_t cls, uint32_t kinds))
{
    for (uint32_t g = 0; g < m->groups.n; g++) {
        const uint32_t a = m->groups.v[g].site;

        if (m->groups.v[g].rules == 0)
            continue;
        for (size_t i = m->classes.at[a]; i < m->classes.at[a + 1]; i++) {
            const uint32_t cls = m->classes.v[i];

            for (size_t j = m->members.at[cls]; j < m->members.at[cls + 1]; j++) {
                const uint32_t k = m->members.v[j];
                uint32_t kinds;

                if (m->met[k] == g + 1)
                    continue;
                m->met[k] = g + 1;
                if (k < g && m->groups.v[k].rules != 0)
                    continue; /* met from k */
                kinds = kinds_of(m, a, m->groups.v[k].site);
                if (kinds)
                    each(m, g, k, cls, kinds);
            }
        }
    }
    memset(m->met, 0, m->groups.n * sizeof *m->met);
}

static void
count_pair(struct match *m, uint32_t g, uint32_t k, uint32_t cls, uint32_t kinds)
{
    (void)cls;
    (void)kinds;
    m->s->n_pairs += count_pairs(m, g, k);
}

static void
keep_pair(struct match *m, uint32_t g, uint32_t k, uint32_t cls, uint32_t kinds)
{
    const struct group *x = &m->groups.v[g], *y = &m->groups.v[k];

    add_pair(m,
             (struct burl_regress_pair){ .subject = m->subject,
                                         .a = m->change[x->site],
                                         .b = m->change[y->site],
                                         .class = cls,
                                         .kinds = kinds,
                                         .n = count_pairs(m, g, k) },
             x->track, y->track);
}

/* ---- the rest ---------------------------------------------------------------------------- */

/* Lock orders that the change can turn into a deadlock. */
static void
add_cycles(struct match *m)
{
    struct burl__tracks *tracks = &m->w->tracks.v[m->subject];

    for (uint32_t i = 0; i < m->c->cycles.n; i++) {
        const struct burl_changes_cycle *y = &m->c->cycles.v[i];
        /* Of a longer cycle these two stand for all. */
        const bool first = m->c->sites.v[y->sites[0]].rules != 0;
        const uint32_t a = y->sites[first ? 0 : 1], b = y->sites[first ? 1 : 0];
        const struct burl_changes_site *p = &m->c->sites.v[a], *q = &m->c->sites.v[b];

        add_pair(m,
                 (struct burl_regress_pair){ .subject = m->subject,
                                             .a = a,
                                             .b = b,
                                             .class = i,
                                             .kinds = BURL_REGRESS_DEADLOCKS,
                                             .n = 1 },
                 burl__tracks_add(tracks, p), burl__tracks_add(tracks, q));
    }
}

/* Shared accesses by track, impacted and others: what the tail is ordered by. */
static void
add_shared(struct match *m)
{
    struct burl_map by_track = { 0 };

    for (uint32_t s = 0; s < m->t->sites.n; s++) {
        const bool impacted = rules_of(m, s) != 0;
        const uint64_t key = (uint64_t)m->track[s] << 1 | impacted;
        uint64_t ix = 0;

        if (m->track[s] == 0)
            continue;
        if (!burl_map_get(&by_track, key, &ix)) {
            ix = m->w->shared.n;
            burl_map_set(&by_track, key, ix);
            BURL_VEC_PUSH(&m->w->shared,
                          (struct burl__shared){ m->subject, m->track[s], impacted, 0 });
        }
        m->w->shared.v[ix].n++;
    }
    burl_map_deinit(&by_track);
}

void
burl__pairs_match(struct burl_regress_selection *s, struct burl_regress_work *w, uint32_t subject)
{
    const struct burl_sp *t = &s->subjects.v[subject].target;
    struct match m = {
        .s = s, .w = w, .subject = subject, .t = t, .c = &s->subjects.v[subject].changes
    };
    uint64_t before = s->n_pairs;

    m.knows_threads = burl__tracks_know_threads(&w->tracks.v[subject], t);

    m.change = burl_xcalloc(t->sites.n + 1, sizeof *m.change);
    m.track = burl_xcalloc(t->sites.n + 1, sizeof *m.track);
    m.second = burl_xcalloc(t->sites.n + 1, sizeof *m.second);
    m.touched = burl_xcalloc(t->classes.n + 1, sizeof *m.touched);
    m.group_of = burl_xcalloc(t->sites.n + 1, sizeof *m.group_of);
    find_accesses(&m);
    list_classes(&m);
    find_seconds(&m);
    if (w->rules.wanted & (BURL_REGRESS_RACES | BURL_REGRESS_ATOMICITY)) {
        make_groups(&m, false);
        each_pair(&m, count_pair);
        if (s->n_pairs - before <= SINGLE_PAIRS) {
            free_groups(&m);
            make_groups(&m, true);
        }
        s->n_pairs = before;
        each_pair(&m, keep_pair);
        free_groups(&m);
    }
    if (w->rules.wanted & BURL_REGRESS_DEADLOCKS)
        add_cycles(&m);
    add_shared(&m);
    BURL_VEC_PUSH(&w->overflow, m.overflow);
    burl_map_deinit(&m.cells);
    free(m.classes.at);
    free(m.classes.v);
    free(m.change);
    free(m.track);
    free(m.second);
    free(m.touched);
    free(m.group_of);
}
