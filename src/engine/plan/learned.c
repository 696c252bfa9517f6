/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/learned.c - scheduling points and the PCT horizon: what was learned, and what of it
 * is in force. Contract in learned.h.
 *
 * Runs in the host. Needs no process and no campaign.
 */
#include "engine/plan/learned.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

void
burl__learned_grow(struct burl_learned *l, uint32_t n)
{
    if (n <= l->n_sites)
        return;
    l->points = burl_xrealloc(l->points, n);
    l->points_next = burl_xrealloc(l->points_next, n);
    l->conflicts = burl_xrealloc(l->conflicts, n);
    l->gates = burl_xrealloc(l->gates, n * sizeof *l->gates);
    memset(l->points + l->n_sites, 0, n - l->n_sites);
    memset(l->points_next + l->n_sites, 0, n - l->n_sites);
    memset(l->conflicts + l->n_sites, 0, n - l->n_sites);
    memset(l->gates + l->n_sites, 0, (n - l->n_sites) * sizeof *l->gates);
    l->n_sites = n;
}

bool
burl__learned_is_point(const struct burl_learned *l, uint32_t site)
{
    return site < l->n_sites && l->points[site];
}

bool
burl__learned_is_next_point(const struct burl_learned *l, uint32_t site)
{
    return site < l->n_sites && l->points_next[site];
}

void
burl__learned_mark_points(struct burl_learned *l, const uint32_t *sites, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (sites[i] < l->n_sites) {
            l->points_next[sites[i]] = 1;
            l->conflicts[sites[i]] = 1;
        }
    }
}

void
burl__learned_merge_points(struct burl_learned *l, const uint8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        l->n_new_points += from[i] != 0 && l->points_next[i] == 0;
        l->points_next[i] |= from[i] != 0;
    }
}

/* Decisions of an execution, and the same where every access is one, from which on a campaign of
 * some seconds would have too few executions. */
#define LONG_POINTS 20000u
#define LONG_ALL_POINTS 200000u

bool
burl__learned_is_long(const struct burl_learned *l)
{
    return l->max_points > LONG_POINTS || l->max_all_points > LONG_ALL_POINTS || l->is_thinned;
}

uint32_t
burl__learned_adopt(struct burl_learned *l, bool (*is_atomic)(const void *arg, uint32_t site),
                    const void *arg, uint32_t *n_shared)
{
    uint32_t n = 0;
    bool changed = false;

    *n_shared = 0;
    for (uint32_t i = 0; i < l->n_sites; i++) {
        const bool shared = l->points_next[i] != 0;
        const bool point = shared && (!l->reduced || l->conflicts[i] || is_atomic(arg, i));

        changed |= (l->points[i] != 0) != point;
        l->points[i] = point;
        *n_shared += shared;
        n += point;
    }
    if (changed) {
        l->points_version++;
        l->version++;
    }
    if (l->n_completed > 0)
        l->horizon = l->sum_completed_points / l->n_completed;
    return n;
}

uint64_t
burl__learned_hash_points(const struct burl_learned *l)
{
    uint64_t h = BURL_HASH_BEGIN;

    for (uint32_t i = 1; i < l->n_sites; i++) {
        if (l->points[i])
            h = burl_hash_u64(h, i);
    }
    return burl_hash_end(h);
}

uint32_t
burl__learned_gate(const struct burl_learned *l, uint32_t site)
{
    return site < l->n_sites ? l->gates[site] : 0;
}

void
burl__learned_deinit(struct burl_learned *l)
{
    free(l->points);
    free(l->points_next);
    free(l->conflicts);
    free(l->gates);
    free(l->profile);
    free(l->profile_next);
    free(l->settled);
    BURL_VEC_FREE(&l->sums);
}
