/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/record.c - RECORD: the recorder of sequential seeds (wire/record.h).
 *
 * Runs in the target. Appends accesses, locks and allocations to the list that the driver's thunks
 * append client calls to. Accesses and locks count only inside a client call, and all events only
 * in the thread that began the recording: neither in others nor in a forked process, whose list
 * would be the same memory.
 *
 * Hooks come before the access, so the value of a store is read when the next event is written. An
 * access that repeats the last one to its address, with no lock taken or released in between, adds
 * nothing to what the analysis finds out and is left out: loops over data stay short.
 */
#include <string.h>

#include "rt/core/core.h"
#include "rt/detect/observe.h"
#include "wire/record.h"

BURL_EXPORT void __burl_record_begin(void *area, size_t size_b);
BURL_EXPORT int __burl_record_here(void);
BURL_EXPORT void __burl_record_put(const struct burl_record_event *e);
BURL_EXPORT void __burl_record_bytes(const void *p, size_t n);
BURL_EXPORT void __burl_record_inside(int inside);

#define RECENT 4096u /* addresses whose last access is remembered */

struct recent {
    uintptr_t addr;
    uint64_t value;
    uint32_t locks; /* rec.locks then */
    uint16_t flags;
    uint16_t size_b;
};

static struct {
    struct burl_record_head *head; /* NULL: nothing is recorded */
    struct burl_thread *thread;    /* that is recorded */
    uint32_t max;
    bool inside;                      /* a client call */
    struct burl_record_event *unread; /* a store whose value is not yet there */
    uint32_t locks;                   /* locks taken and released, calls begun and ended */
    struct recent recent[RECENT];
} rec;

static bool
is_recorded(const struct burl_thread *t)
{
    return rec.head != NULL && t != NULL && t == rec.thread && rec.head->n_lost == 0;
}

static struct burl_record_event *
place(uint32_t n)
{
    struct burl_record_event *first = (struct burl_record_event *)(void *)(rec.head + 1);

    if (rec.unread != NULL) {
        memcpy(&rec.unread->value, (const void *)(uintptr_t)rec.unread->addr, 8);
        rec.unread = NULL;
    }
    if (rec.head->n_lost > 0 || rec.max - rec.head->n < n) {
        rec.head->n_lost++;
        return NULL;
    }
    first += rec.head->n;
    rec.head->n += n;
    return first;
}

static struct burl_record_event *
record(uint32_t kind, uint32_t flags, uint32_t site, uintptr_t addr, uint64_t size_b)
{
    struct burl_record_event *e;

    e = place(1);
    if (e != NULL)
        *e = (struct burl_record_event){ .kind = (uint16_t)kind,
                                         .flags = (uint16_t)flags,
                                         .site = site,
                                         .addr = addr,
                                         .size_b = size_b };
    return e;
}

/* ---- for the driver ---------------------------------------------------------------------- */

BURL_EXPORT void
__burl_record_begin(void *area, size_t size_b)
{
    memset(&rec, 0, sizeof rec);
    if ((burl_ob_mask & BURL_OB(RECORD)) == 0)
        return;
    rec.head = area;
    rec.thread = burl_self;
    rec.max = (uint32_t)((size_b - sizeof *rec.head) / sizeof(struct burl_record_event));
}

BURL_EXPORT int
__burl_record_here(void)
{
    return is_recorded(burl_self);
}

BURL_EXPORT void
__burl_record_put(const struct burl_record_event *e)
{
    struct burl_record_event *to = is_recorded(burl_self) ? place(1) : NULL;

    if (to != NULL)
        *to = *e;
}

BURL_EXPORT void
__burl_record_bytes(const void *p, size_t n)
{
    struct burl_record_event *to =
        is_recorded(burl_self) ? place((uint32_t)BURL_RECORD_PLACES(n)) : NULL;

    if (to != NULL)
        memcpy(to, p, n);
}

BURL_EXPORT void
__burl_record_inside(int inside)
{
    if (!is_recorded(burl_self))
        return;
    rec.inside = inside != 0;
    rec.locks++; /* what came before is not repeated */
}

/* ---- events ------------------------------------------------------------------------------ */

static bool
is_repeated(const struct burl_access *a, uint32_t flags, uint64_t value)
{
    struct recent *r = &rec.recent[(a->addr >> 2) % RECENT];
    struct recent now = { .addr = a->addr,
                          .value = value,
                          .locks = rec.locks,
                          .flags = (uint16_t)flags,
                          .size_b = (uint16_t)(a->n < UINT16_MAX ? a->n : UINT16_MAX) };
    bool same = memcmp(r, &now, sizeof now) == 0;

    *r = now;
    return same;
}

static void
record_access(struct burl_watch *w, const struct burl_access *a)
{
    bool is_rmw = (a->flags & BURL_ACCESS_RMW) != 0;
    bool writes = is_rmw || (a->flags & BURL_ACCESS_WRITE) != 0;
    uint32_t flags = (writes ? BURL_RECORD_F_WRITE : 0) |
                     (is_rmw || !writes ? BURL_RECORD_F_READ : 0) |
                     ((a->flags & BURL_ACCESS_ATOMIC) != 0 ? BURL_RECORD_F_ATOMIC : 0);
    bool has_value = a->n == 8 && a->addr % 8 == 0;
    struct burl_record_event *e;
    uint64_t value = 0;

    if (!rec.inside || !is_recorded(w->thread) || (a->flags & BURL_ACCESS_FREE) != 0)
        return;
    if (has_value && !writes)
        memcpy(&value, (const void *)a->addr, 8);
    /* the next store may store something else */
    if (is_repeated(a, flags, value) && !(writes && has_value))
        return;
    e = record(BURL_RECORD_ACCESS, flags | (has_value ? BURL_RECORD_F_VALUE : 0), a->site, a->addr,
               a->n);
    if (e == NULL)
        return;
    e->value = value;
    if (has_value && writes)
        rec.unread = e;
}

static void
record_lock(struct burl_watch *w, const struct burl_held *lock)
{
    if (!is_recorded(w->thread))
        return;
    rec.locks++;
    if (rec.inside)
        record(BURL_RECORD_LOCK, lock->mode == BURL_LOCK_SHARED ? BURL_RECORD_F_SHARED : 0,
               lock->site, lock->addr, 0);
}

static void
record_unlock(struct burl_watch *w, const struct burl_held *lock)
{
    if (!is_recorded(w->thread))
        return;
    rec.locks++;
    if (rec.inside)
        record(BURL_RECORD_UNLOCK, 0, lock->site, lock->addr, 0);
}

static void
record_memory(struct burl_watch *w, uintptr_t addr, uint64_t n, bool is_live)
{
    uint64_t stack = 0;

    if (!is_recorded(w->thread))
        return;
    for (uint32_t i = 0; is_live && i < 3 && i < w->depth; i++) {
        uint32_t at = w->depth - 1 - i;

        if (at < BURL_FRAMES)
            stack = (stack ^ w->frames->site[at]) * 0x9e3779b97f4a7c15ull;
    }
    if (is_live)
        record(BURL_RECORD_ALLOC, 0, (uint32_t)(stack >> 32), addr, n);
    else
        record(BURL_RECORD_FREE, 0, burl_rt_site(w->thread), addr, n);
}

static void
record_thread(struct burl_watch *parent, struct burl_watch *child)
{
    (void)child;
    if (is_recorded(parent->thread))
        record(BURL_RECORD_THREAD, 0, parent->at, 0, 0);
}

static void
record_forget(void)
{
    rec.head = NULL;
    rec.inside = false;
}

const struct burl_observer burl_observer_record = {
    .wants = BURL_WANT_ALONE | BURL_WANT_CALLS,
    .begin = record_forget,
    .access = record_access,
    .acquire = record_lock,
    .release = record_unlock,
    .memory = record_memory,
    .create = record_thread,
};
