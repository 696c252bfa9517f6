/* SPDX-License-Identifier: Apache-2.0 */
/*
 * objects.c - the sync objects of the program, by address.
 *
 * A hash table with chains. Objects live in the memory of the execution and vanish with it. The
 * table begins small in every execution and grows with the objects: most tests have a dozen, and a
 * table spread over many pages costs forked children a fault for each.
 */
#include <semaphore.h>
#include <string.h>

#include "rt/core/alias.h"
#include "rt/core/core.h"
#include "rt/core/heap.h"
#include "rt/core/stacks.h"
#include "rt/core/upcalls.h"
#include "sched.h"

#define FIRST_BITS 6u /* 64 buckets: an eighth of a page */
#define LAST_BITS 12u
#define GROWTH_BITS 3u
#define OBJECT_MAX 64u /* bytes of one, at most */

static struct burl_obj *buckets[1u << LAST_BITS];
static uint32_t bits = FIRST_BITS; /* the first 2^bits buckets are in use */
static uint32_t n_objects;         /* those dropped since are counted, too */
/* Bounds of the objects that lie in the heap: free() asks often. */
static uintptr_t heap_low = UINTPTR_MAX;
static uintptr_t heap_high;
/* Bounds of all that lie in the program's memory. */
static uintptr_t all_low = UINTPTR_MAX;
static uintptr_t all_high;

static uint32_t
bucket_of(uintptr_t addr)
{
    return (uint32_t)(((addr >> 2) * 0x9e3779b97f4a7c15ull) >> (64 - bits));
}

struct burl_obj *
burl_obj_find(const void *known, enum burl_obj_class cls)
{
    const uintptr_t addr = burl_alias((uintptr_t)known);

    for (struct burl_obj *o = buckets[bucket_of(addr)]; o != NULL; o = o->hash_next) {
        if (o->addr == addr && o->cls == cls)
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

/* Eight buckets in place of each. From the last to the first nothing is overwritten that is still
 * to come; each chain is turned round first, so that its order stays. */
static BURL_NOINLINE void
grow(void)
{
    const uint32_t before = 1u << bits;

    bits += GROWTH_BITS;
    for (uint32_t b = before; b > 0; b--) {
        struct burl_obj *o = buckets[b - 1];
        struct burl_obj *turned = NULL;

        memset(&buckets[(b - 1) << GROWTH_BITS], 0, sizeof buckets[0] << GROWTH_BITS);
        while (o != NULL) {
            struct burl_obj *next = o->hash_next;

            o->hash_next = turned;
            turned = o;
            o = next;
        }
        while (turned != NULL) {
            struct burl_obj *next = turned->hash_next;
            struct burl_obj **head = &buckets[bucket_of(turned->addr)];

            turned->hash_next = *head;
            *head = turned;
            turned = next;
        }
    }
}

struct burl_obj *
burl_obj_get(const void *known, enum burl_obj_class cls, bool *fresh)
{
    const void *addr = (void *)burl_alias((uintptr_t)known);
    struct burl_obj *o = burl_obj_find(addr, cls);
    struct burl_thread *t = burl_rt.current;
    uint32_t b;

    if (fresh != NULL)
        *fresh = o == NULL;
    if (t != NULL && t->user_sp != 0 && burl__stack_is_suspect(t, (uintptr_t)addr, t->user_sp))
        burl__stack_check_slow(t, (uintptr_t)addr, t->user_sp);
    if (o != NULL)
        return o;
    if (cls != BURL_OBJ_THREAD)
        burl__heap_check((uintptr_t)addr, 1); /* a lock in freed memory is a use after free */
    if (BURL_UNLIKELY(++n_objects > 1u << bits) && bits < LAST_BITS)
        grow();
    b = bucket_of((uintptr_t)addr);
    replace_others(b, (uintptr_t)addr, cls);
    o = burl_exec_alloc(sizeof *o);
    o->addr = (uintptr_t)addr;
    o->cls = (uint8_t)cls;
    o->owner = BURL_TID_NONE;
    if (cls != BURL_OBJ_THREAD && cls != BURL_OBJ_IO) {
        all_low = o->addr < all_low ? o->addr : all_low;
        all_high = o->addr + OBJECT_MAX > all_high ? o->addr + OBJECT_MAX : all_high;
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
    struct burl_obj *oldest = NULL;

    for (uint32_t b = 0; b < 1u << bits; b++) {
        for (struct burl_obj *o = buckets[b]; o != NULL; o = o->hash_next) {
            if (burl__lock_held_by(o, t) && (oldest == NULL || o < oldest))
                oldest = o; /* they are made one behind the other */
        }
    }
    return oldest;
}

/* By class: bytes of an object in the program's memory. A once flag and a futex word are what their
 * memory says. */
static const uint8_t class_b[] = {
    [BURL_OBJ_MUTEX] = sizeof(pthread_mutex_t),
    [BURL_OBJ_COND] = sizeof(pthread_cond_t),
    [BURL_OBJ_RWLOCK] = sizeof(pthread_rwlock_t),
    [BURL_OBJ_SPIN] = sizeof(pthread_spinlock_t),
    [BURL_OBJ_BARRIER] = sizeof(pthread_barrier_t),
    [BURL_OBJ_SEM] = sizeof(sem_t),
    [BURL_OBJ_IO] = 0,
};

uint32_t
burl__object_b(uintptr_t addr)
{
    for (const struct burl_obj *o = buckets[bucket_of(addr)]; o != NULL; o = o->hash_next) {
        if (o->addr == addr && class_b[o->cls] != 0)
            return class_b[o->cls];
    }
    return sizeof(int);
}

bool
burl__object_is_guard(uintptr_t addr)
{
    for (const struct burl_obj *o = buckets[bucket_of(addr)]; o != NULL; o = o->hash_next) {
        if (o->addr == addr && o->cls == BURL_OBJ_ONCE)
            return o->type == BURL_ONCE_GUARD;
    }
    return false;
}

/* glibc keeps the value of a semaphore in its first word; ours is in the object. */
static bool
is_stale(const struct burl_obj *o)
{
    int32_t value;

    if (o->cls != BURL_OBJ_SEM)
        return o->owner != BURL_TID_NONE || o->count != 0 || o->n_waiters != 0;
    memcpy(&value, (const void *)o->addr, sizeof value);
    return value != o->count || o->n_waiters != 0;
}

bool
burl__objects_meet(uintptr_t addr, uint64_t n)
{
    if (addr >= all_high || addr + n <= all_low)
        return false;
    for (uint32_t b = 0; b < 1u << bits; b++) {
        for (const struct burl_obj *o = buckets[b]; o != NULL; o = o->hash_next) {
            if (o->destroyed == 0 && addr < o->addr + class_b[o->cls] && o->addr < addr + n &&
                is_stale(o))
                return true;
        }
    }
    return false;
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
    for (uint32_t b = 0; b < 1u << bits; b++) {
        struct burl_obj *o = buckets[b];

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
    memset(buckets, 0, sizeof buckets[0] << bits);
    n_objects = 0;
    bits = FIRST_BITS;
    heap_low = UINTPTR_MAX;
    heap_high = 0;
    all_low = UINTPTR_MAX;
    all_high = 0;
}
