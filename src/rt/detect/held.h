/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/held.h - locks held by a thread, in both modes, and interned sets of them (held.c).
 */
#ifndef BURL_RT_HELD_H
#define BURL_RT_HELD_H

#include "rt/core/rt.h"

#define BURL_MAX_HELD 64u /* locks a thread can hold and we remember */

struct burl_sync;

struct burl_held {
    uintptr_t addr;
    struct burl_sync *sync; /* free mode: the lock's object, NULL unknown */
    uint32_t site;          /* where it was taken; free mode: its code */
    uint32_t place;  /* of the user's code, as in struct burl_wire_suspect; 0 in free mode */
    uint32_t taken;  /* per-thread number of the acquisition: the same lock taken anew differs */
    uint32_t levels; /* free mode: of recursion */
    uint8_t mode;    /* enum burl_wire_lock_mode */
    bool by_try;     /* by an operation that would not have blocked for ever (try, timed) */
};

struct burl_held_list {
    struct burl_held v[BURL_MAX_HELD];
    uint32_t n; /* may exceed BURL_MAX_HELD: then the last ones are not known */
};

static inline uint32_t
burl_held_known(const struct burl_held_list *l)
{
    return l->n < BURL_MAX_HELD ? l->n : BURL_MAX_HELD;
}

static inline void
burl_held_add(struct burl_held_list *l, const struct burl_held *lock)
{
    if (l->n < BURL_MAX_HELD)
        l->v[l->n] = *lock;
    l->n++;
}

/* Where in the list the last acquisition of that lock is; UINT32_MAX: it is not known to be held.
 * */
static inline uint32_t
burl_held_at(const struct burl_held_list *l, uintptr_t addr)
{
    for (uint32_t i = burl_held_known(l); i > 0; i--) {
        if (l->v[i - 1].addr == addr)
            return i - 1;
    }
    return UINT32_MAX;
}

static inline struct burl_held *
burl_held_find(struct burl_held_list *l, uintptr_t addr)
{
    uint32_t at = burl_held_at(l, addr);

    return at != UINT32_MAX ? &l->v[at] : NULL;
}

static inline bool
burl_held_shared(const struct burl_held_list *l, uintptr_t addr)
{
    uint32_t at = burl_held_at(l, addr);

    return at != UINT32_MAX && l->v[at].mode == BURL_LOCK_SHARED;
}

static inline void
burl_held_remove(struct burl_held_list *l, struct burl_held *lock)
{
    for (const struct burl_held *end = l->v + burl_held_known(l); lock + 1 < end; lock++)
        *lock = lock[1];
    l->n--;
}

/* Interned sets of (lock address, mode); 0 is the empty one. Ids are dense per execution. */
uint32_t burl_lockset_of(const struct burl_held *held, uint32_t n);
/* Does a lock in both keep the two apart: the same lock, not read-held on both sides? */
bool burl_lockset_excludes(uint32_t a, uint32_t b);
/* The locks of a set, as stored for reports; returns how many there are. */
uint32_t burl_lockset_locks(uint32_t id, struct burl_wire_lock out[BURL_WIRE_MAX_LOCKS]);
void burl__locksets_reset(void);

#endif
