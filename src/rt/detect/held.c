/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/held.c - sets of locks held.
 *
 * Runs in the target. A set is interned: equal sets (addresses, modes and places where taken) have
 * equal numbers, so that an observer keeps four bytes per access and not a list. Sets are few
 * (one per nesting of critical sections), so a linear chain of hashes is enough.
 */
#include "detect.h"

struct lockset {
    struct burl_chain chain; /* key: hash of the content */
    uint32_t id;
    uint32_t n;
    struct burl_wire_lock locks[BURL_WIRE_MAX_LOCKS];
};

#define MAX_SETS 65536u

static struct burl_chains sets;
static struct lockset **by_id;
static uint32_t n_sets; /* id 0, the empty set, is not stored */

void
burl__locksets_reset(void)
{
    if (by_id == NULL)
        by_id = burl_rt_alloc(MAX_SETS * sizeof *by_id);
    n_sets = 1;
}

static uintptr_t
lockset_hash(const struct burl_held *held, uint32_t n)
{
    uint64_t h = n;

    for (uint32_t i = 0; i < n; i++)
        h = burl_wire_mix(h, held[i].addr ^ ((uint64_t)held[i].site << 40) ^ held[i].mode);
    return h;
}

static bool
lockset_is(const struct lockset *s, const struct burl_held *held, uint32_t n)
{
    if (s->n != n)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        if (s->locks[i].addr != held[i].addr || s->locks[i].site != held[i].site ||
            s->locks[i].mode != held[i].mode)
            return false;
    }
    return true;
}

/* Of more locks than fit, the innermost count: they are the ones that protect the data. What is
 * left out can only make two accesses look less protected in predictions, which a run must
 * confirm. */
uint32_t
burl_lockset_of(const struct burl_held *held, uint32_t n)
{
    struct lockset *s;
    uintptr_t key;

    if (n == 0)
        return 0;
    if (n > BURL_WIRE_MAX_LOCKS) {
        held += n - BURL_WIRE_MAX_LOCKS;
        n = BURL_WIRE_MAX_LOCKS;
    }
    key = lockset_hash(held, n);
    s = (struct lockset *)burl_chains_find(&sets, key);
    if (s != NULL && lockset_is(s, held, n))
        return s->id;
    if (n_sets >= MAX_SETS)
        return 0;
    s = burl_ob_alloc(sizeof *s);
    s->chain.key = key;
    s->id = n_sets++;
    s->n = n;
    for (uint32_t i = 0; i < n; i++)
        s->locks[i] = (struct burl_wire_lock){
            .addr = held[i].addr,
            .site = held[i].site,
            .mode = held[i].mode,
        };
    by_id[s->id] = s;
    burl_chains_add(&sets, &s->chain);
    return s->id;
}

bool
burl_lockset_excludes(uint32_t a, uint32_t b)
{
    if (a == 0 || b == 0)
        return false;
    for (uint32_t i = 0; i < by_id[a]->n; i++) {
        const struct burl_wire_lock *x = &by_id[a]->locks[i];

        for (uint32_t k = 0; k < by_id[b]->n; k++) {
            const struct burl_wire_lock *y = &by_id[b]->locks[k];

            if (x->addr == y->addr && !(x->mode == BURL_LOCK_SHARED && y->mode == x->mode))
                return true;
        }
    }
    return false;
}

uint32_t
burl_lockset_locks(uint32_t id, struct burl_wire_lock out[BURL_WIRE_MAX_LOCKS])
{
    if (id == 0)
        return 0;
    for (uint32_t i = 0; i < by_id[id]->n; i++)
        out[i] = by_id[id]->locks[i];
    return by_id[id]->n;
}
