/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/learn.c - which sites touch shared memory.
 *
 * A scheduling point at memory that only one thread uses multiplies the schedules without adding
 * behaviors, and most decisions of random strategies would be spent there. So accesses become
 * points once their site was seen to touch an 8-byte granule that a second thread touched too in
 * the same execution, one of the two writing, while more than one thread was alive. The engine
 * merges what executions report and returns it with the next round, so that learning never makes
 * two runs of a seed differ.
 *
 * Direction of the error: a site not seen shared yet is no point, and a bug that needs a switch
 * exactly there is missed until some execution shows the sharing. Running out of table errs the
 * other way (the site becomes a point).
 *
 * The table begins small in every execution and grows with the memory that is touched, because a
 * small test pays for every page of it: forked children with a fault, the others with cache misses.
 * Tables of all sizes lie one behind the other, the one with n slots from slot n on.
 */
#include <string.h>

#include "learn.h"
#include "rt/core/core.h"

#define FIRST_SLOTS 128u
#define GROWTH 4u
#define SLOTS (FIRST_SLOTS * GROWTH * GROWTH * GROWTH * GROWTH * GROWTH) /* at most */
#define PROBES 8u
#define SITES 4u /* remembered per granule until it turns out shared */

struct granule {
    uintptr_t key; /* addr >> 3 */
    uint32_t generation;
    uint16_t tid; /* first thread */
    uint8_t n_sites;
    bool several; /* a second thread came */
    bool written;
    uint16_t cell;     /* of edges.c; 0: none left */
    uint16_t sync_tid; /* first thread that used a sync object here, BURL_TID_NONE */
    bool sync_several;
    uint32_t sites[SITES];
};

static struct granule *tables;
static uint32_t n_slots; /* of the table in use */
static uint32_t n_granules;
static uint32_t generation;

void
burl__learn_prepare(void)
{
    if (tables == NULL)
        tables = burl_rt_alloc(2 * SLOTS * sizeof *tables);
    memset(&tables[FIRST_SLOTS], 0, FIRST_SLOTS * sizeof *tables);
}

void
burl__learn_reset(void)
{
    if (tables == NULL)
        burl__learn_prepare();
    n_slots = FIRST_SLOTS;
    n_granules = 0;
    generation++;
    burl__edges_reset();
}

static void
mark_site(uint32_t site)
{
    if (site < burl_rt.points_n)
        burl_rt.points_new[site] = 1;
}

/* The slot of this key in the table in use, or the one for it, which has another generation; NULL:
 * none is left. */
static inline struct granule *
slot_of(uintptr_t key)
{
    struct granule *table = &tables[n_slots];
    uint32_t at = (uint32_t)burl_mix64(key);

    for (uint32_t i = 0; i < PROBES; i++) {
        struct granule *g = &table[(at + i) & (n_slots - 1)];

        if (g->generation != generation || g->key == key)
            return g;
    }
    return NULL;
}

static BURL_NOINLINE void
grow(void)
{
    const struct granule *before = &tables[n_slots];
    const uint32_t n = n_slots;

    n_slots *= GROWTH;
    for (uint32_t i = 0; i < n; i++) {
        struct granule *g;

        if (before[i].generation != generation)
            continue;
        g = slot_of(before[i].key);
        if (g != NULL) {
            *g = before[i];
            continue;
        }
        for (uint32_t k = 0; k < before[i].n_sites; k++)
            mark_site(before[i].sites[k]);
    }
}

static struct granule *
granule_at(uintptr_t key)
{
    struct granule *g = slot_of(key);

    if (BURL_LIKELY(g != NULL && g->generation == generation))
        return g;
    while ((g == NULL || n_granules >= n_slots / 2) && n_slots < SLOTS) {
        grow();
        g = slot_of(key);
    }
    if (g == NULL)
        return NULL;
    n_granules++;
    *g = (struct granule){ .key = key,
                           .generation = generation,
                           .tid = BURL_TID_NONE,
                           .cell = burl__edges_cell(),
                           .sync_tid = BURL_TID_NONE };
    return g;
}

static void
remember_site(struct granule *g, uint32_t site)
{
    for (uint32_t i = 0; i < g->n_sites; i++) {
        if (g->sites[i] == site)
            return;
    }
    if (g->n_sites < SITES)
        g->sites[g->n_sites++] = site;
    else
        mark_site(site);
}

static void
mark_all(struct granule *g)
{
    for (uint32_t i = 0; i < g->n_sites; i++)
        mark_site(g->sites[i]);
    g->n_sites = 0;
}

/* Is there a sync object in the granule that threads other than t have used? */
static bool
is_used_by_others(const struct granule *g, const struct burl_thread *t)
{
    return g->sync_tid != BURL_TID_NONE && (g->sync_several || g->sync_tid != t->tid);
}

void
burl__learn_object(const struct burl_thread *t, uintptr_t addr, uint32_t size_b)
{
    for (uintptr_t key = addr >> 3; key <= (addr + size_b - 1) >> 3; key++) {
        struct granule *g = granule_at(key);

        if (g == NULL)
            return;
        if (g->sync_tid == BURL_TID_NONE)
            g->sync_tid = t->tid;
        g->sync_several |= g->sync_tid != t->tid;
        if (g->tid != BURL_TID_NONE && (g->several || g->tid != t->tid))
            mark_all(g);
    }
}

static const struct granule *
touch(const struct burl_thread *t, uint32_t site, uintptr_t key, bool write)
{
    struct granule *g = granule_at(key);

    if (g == NULL) {
        mark_site(site);
        return NULL;
    }
    if (g->tid == BURL_TID_NONE)
        g->tid = t->tid;
    g->several |= g->tid != t->tid;
    g->written |= write;
    if ((g->several && g->written) || is_used_by_others(g, t)) {
        mark_all(g);
        mark_site(site);
    } else {
        remember_site(g, site);
    }
    return g;
}

void
burl__learn_stop_following(uintptr_t key)
{
    struct granule *g = burl_rt.learn ? slot_of(key) : NULL;

    if (g != NULL && g->generation == generation)
        g->cell = 0;
}

/* Granules learned of one access: enough for any scalar and for small structures; of larger
 * ranges the beginning stands for the rest. */
#define MAX_GRANULES 32u

/* The bytes of granule `key` in [addr, end). */
static uint8_t
bytes_of(uintptr_t key, uintptr_t addr, uintptr_t end)
{
    const uintptr_t from = key << 3;
    uint32_t mask = 0xff;

    if (addr > from)
        mask &= 0xffu << (addr - from);
    if (end < from + 8)
        mask &= 0xffu >> (from + 8 - end);
    return (uint8_t)mask;
}

void
burl__learn_access(const struct burl_thread *t, uint32_t site, uintptr_t addr, uint32_t size_b,
                   uint32_t how)
{
    uintptr_t end = addr + (size_b == 0 ? 1 : size_b);
    uintptr_t first = addr >> 3;
    uintptr_t last = (end - 1) >> 3;

    if (last - first >= MAX_GRANULES)
        last = first + MAX_GRANULES - 1;
    for (uintptr_t key = first; key <= last; key++) {
        const struct granule *g = touch(t, site, key, (how & BURL_LEARN_WRITE) != 0);

        if (g != NULL && g->cell != 0)
            burl__edges_access(g->cell, t, site, bytes_of(key, addr, end), how);
    }
}
