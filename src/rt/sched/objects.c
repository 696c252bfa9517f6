/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - the sync objects of the program, by address.
 *
 * A hash table with chains. Objects live in the memory of the execution and vanish with it; only
 * the heads of chains that were used are cleared.
 */
#include <string.h>

#include "../interpose/interpose_int.h"
#include "../rt_core.h"

#define BUCKET_BITS 12
#define BUCKETS (1u << BUCKET_BITS)

static struct burl_obj *buckets[BUCKETS];
static uint16_t used[BUCKETS];
static uint32_t n_used;
static uint32_t listed[BUCKETS]; /* generation in which the bucket went into used[] */
static uint32_t generation = 1;
/* Bounds of the objects that lie in the heap: free() asks often. */
static uintptr_t heap_low = UINTPTR_MAX;
static uintptr_t heap_high;

static uint32_t
bucket_of(uintptr_t addr)
{
    return (uint32_t)(((addr >> 2) * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS));
}

struct burl_obj *
burl_obj_find(const void *addr, enum burl_obj_class cls)
{
    for (struct burl_obj *o = buckets[bucket_of((uintptr_t)addr)]; o != NULL; o = o->hash_next) {
        if (o->addr == (uintptr_t)addr && o->cls == cls)
            return o;
    }
    return NULL;
}

/* What else was known at this address is history: the memory serves another purpose now. Threads
 * and futexes coexist with others (a futex word may be the first field of a semaphore). */
static void
replace_others(uint32_t b, uintptr_t addr, enum burl_obj_class cls)
{
    struct burl_obj *o = buckets[b];

    if (cls == BURL_OBJ_FUTEX || cls == BURL_OBJ_THREAD)
        return;
    while (o != NULL) {
        struct burl_obj *next = o->hash_next;

        if (o->addr == addr && o->cls != cls && o->cls != BURL_OBJ_FUTEX && o->waiters == NULL)
            burl_obj_drop(o);
        o = next;
    }
}

struct burl_obj *
burl_obj_get(const void *addr, enum burl_obj_class cls, bool *fresh)
{
    struct burl_obj *o = burl_obj_find(addr, cls);
    uint32_t b;

    if (fresh != NULL)
        *fresh = o == NULL;
    if (o != NULL)
        return o;
    if (cls != BURL_OBJ_THREAD)
        burl__heap_check((uintptr_t)addr, 1); /* a lock in freed memory is a use after free */
    b = bucket_of((uintptr_t)addr);
    replace_others(b, (uintptr_t)addr, cls);
    o = burl_exec_alloc(sizeof *o);
    o->addr = (uintptr_t)addr;
    o->cls = (uint8_t)cls;
    o->owner = BURL_TID_NONE;
    if (listed[b] != generation) {
        listed[b] = generation;
        used[n_used++] = (uint16_t)b;
    }
    if (burl__heap_owns(o->addr)) {
        heap_low = o->addr < heap_low ? o->addr : heap_low;
        heap_high = o->addr > heap_high ? o->addr : heap_high;
    }
    o->hash_next = buckets[b];
    buckets[b] = o;
    return o;
}

struct burl_obj *
burl_obj_held_by(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < n_used; i++) {
        for (struct burl_obj *o = buckets[used[i]]; o != NULL; o = o->hash_next) {
            if (burl__lock_held_by(o, t))
                return o;
        }
    }
    return NULL;
}

void
burl_obj_drop(struct burl_obj *o)
{
    struct burl_obj **p = &buckets[bucket_of(o->addr)];

    while (*p != NULL && *p != o)
        p = &(*p)->hash_next;
    if (*p != NULL)
        *p = o->hash_next;
}

void
burl_obj_each_in(uintptr_t addr, size_t n, void (*fn)(struct burl_obj *o, void *arg), void *arg)
{
    if (addr > heap_high || addr + n <= heap_low)
        return;
    for (uint32_t i = 0; i < n_used; i++) {
        struct burl_obj *o = buckets[used[i]];

        while (o != NULL) {
            struct burl_obj *next = o->hash_next;

            if (o->addr - addr < n && o->cls != BURL_OBJ_THREAD)
                fn(o, arg);
            o = next;
        }
    }
}

void
burl__objects_reset(void)
{
    for (uint32_t i = 0; i < n_used; i++)
        buckets[used[i]] = NULL;
    n_used = 0;
    generation++;
    heap_low = UINTPTR_MAX;
    heap_high = 0;
}
