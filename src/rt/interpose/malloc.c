/* SPDX-License-Identifier: Apache-2.0 */
/*
 * malloc.c - the malloc family. Controlled threads get blocks of our heap (heap.c), other threads
 * libc's; a block goes back to where it came from, by address.
 *
 * free is a scheduling point and counts as a write to the whole block: an access to it by another
 * thread is what it may collide with. Not so when libc itself frees, possibly with a lock of its
 * own held. Allocation is no point: no other thread knows the block yet.
 */
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/heap.h"
#include "rt/core/listener.h"
#include "rt/core/module.h"
#include "rt/learn/learn.h"

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t align, size_t n);
extern void __libc_free(void *p);

#define PAGE 4096u

static void *
allocate(struct burl_thread *t, size_t n, size_t align, bool zero)
{
    void *p = NULL;
    bool recycled = false;

    if (burl_sched_fault(t, BURL_CHOICE_MALLOC)) {
        burl_trace_event(t, BURL_OP_ALLOC, 0, n);
        burl_trace_note(t, BURL_EV_F_FAILED | BURL_EV_F_INJECTED, n);
    } else {
        p = burl__heap_alloc(n, align, zero, &recycled);
    }
    if (p == NULL) {
        errno = ENOMEM; /* the program's own result, not a side effect */
        return NULL;
    }
    burl__heap_set_site((uintptr_t)p, burl_rt_site(t));
    if (recycled)
        burl__thin_forget((uintptr_t)p, n);
    if (recycled && burl_ob_mask != 0)
        burl_ob_forget((uintptr_t)p, n);
    if (burl__observed(t))
        burl_ob_memory(t->watch, (uintptr_t)p, n, true);
    BURL_TELL(allocated, t);
    burl_trace_event(t, BURL_OP_ALLOC, (uintptr_t)p, n);
    return p;
}

/* A block of libc, in an uncontrolled thread. */
static void *
free_new(void *p, size_t n)
{
    burl_free_allocated(p, n);
    return burl_free_new_block(p, n);
}

static size_t
product_or_max(size_t n, size_t size)
{
    size_t total;

    return __builtin_mul_overflow(n, size, &total) ? SIZE_MAX : total;
}

BURL_INTERPOSE(void *malloc(size_t n), free_new(__libc_malloc(n), n), allocate(t, n, 0, false))
BURL_INTERPOSE(void *calloc(size_t n, size_t size), free_new(__libc_calloc(n, size), n *size),
               allocate(t, product_or_max(n, size), 0, true))

static void
free_point(struct burl_thread *t, uintptr_t p, uintptr_t caller)
{
    struct burl_op op = burl__op(t, BURL_OP_FREE, (void *)p, 0);

    if (burl__module_is_libc(caller))
        return;
    if (burl_rt.exec.n_alive < 2) {
        /* Threads that have exited may have used it, and no thread waited for them. */
        if (burl_has_listener() && burl_rt.exec.n_threads > 1) {
            op.aux = burl__heap_size(p);
            burl_rt.listener->access_along(t, &op);
        }
        return;
    }
    op.aux = burl__heap_size(p);
    burl_sched_point(t, &op);
    if (burl_rt.learn)
        burl__learn_access(t, op.site, p, (uint32_t)(op.aux < PAGE ? op.aux : PAGE),
                           BURL_LEARN_WRITE | BURL_LEARN_STORES);
    if (burl__observed(t)) {
        const struct burl_access a = {
            .addr = p,
            .n = op.aux != 0 ? op.aux : 1,
            .site = op.site,
            .op = BURL_OP_FREE,
            .flags = BURL_ACCESS_WRITE | BURL_ACCESS_FREE,
        };

        burl_ob_access(t->watch, &a);
    }
}

/* Threads that wait for a dropped object keep it alive and go on waiting. Every other use of it is
 * now a use of freed memory. */
static void
check_sync_object(struct burl_obj *o, void *arg)
{
    (void)arg;
    if (o->waiters != NULL || o->owner != BURL_TID_NONE ||
        (o->cls == BURL_OBJ_RWLOCK && o->count > 0))
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "the memory of a sync object was freed while it was in use");
    o->destroyed = BURL_OBJ_FREED;
    burl_obj_drop(o);
}

static void
release_block(struct burl_thread *t, uintptr_t p, uintptr_t caller)
{
    t->last_op = BURL_OP_FREE; /* also where it is no scheduling point */
    free_point(t, p, caller);
    BURL_TELL(freed, t);
    burl_obj_each_in(p, burl__heap_check_free(p), check_sync_object, NULL);
    if (burl__observed(t))
        burl_ob_memory(t->watch, p, 0, false);
    burl__heap_free(p);
}

BURL_EXPORT void
free(void *p)
{
    struct burl_thread *t;

    if (p == NULL)
        return;
    if (!burl__heap_owns((uintptr_t)p)) {
        burl_free_freeing(p);
        __libc_free(p);
        return;
    }
    t = burl_rt_enter();
    if (t == NULL)
        return; /* the child of a fork, or the end of the process: it is not needed again */
    release_block(t, (uintptr_t)p, (uintptr_t)__builtin_return_address(0));
    burl_rt_leave(t);
}

/* A block that moves: the old one is freed, which is the visible part. */
static void *
move_block(struct burl_thread *t, void *old, size_t old_n, size_t n, uintptr_t caller)
{
    void *p = allocate(t, n, 0, false);

    if (p == NULL)
        return NULL;
    memcpy(p, old, old_n < n ? old_n : n);
    if (burl__heap_owns((uintptr_t)old))
        release_block(t, (uintptr_t)old, caller);
    else
        __libc_free(old);
    return p;
}

static void *
reallocate(void *old, size_t n, uintptr_t caller)
{
    struct burl_thread *t = burl_rt_enter();
    bool ours = burl__heap_owns((uintptr_t)old);
    void *p;

    if (t == NULL) {
        /* An uncontrolled process with a block of a controlled past: copy what is surely there. */
        if (!ours)
            return burl_free_new_block(burl_free_realloc(old, n), n);
        p = __libc_malloc(n);
        if (p != NULL)
            memcpy(p, old, n);
        return p;
    }
    if (old == NULL) {
        p = allocate(t, n, 0, false);
    } else if (n == 0) {
        if (ours)
            release_block(t, (uintptr_t)old, caller);
        else
            __libc_free(old);
        p = NULL;
    } else {
        p = move_block(t, old, ours ? burl__heap_size((uintptr_t)old) : malloc_usable_size(old), n,
                       caller);
    }
    burl_rt_leave(t);
    return p;
}

BURL_EXPORT void *
realloc(void *old, size_t n)
{
    return reallocate(old, n, (uintptr_t)__builtin_return_address(0));
}

BURL_EXPORT void *
reallocarray(void *old, size_t n, size_t size)
{
    size_t total;

    if (__builtin_mul_overflow(n, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return reallocate(old, total, (uintptr_t)__builtin_return_address(0));
}

static void *
allocate_aligned(size_t align, size_t n)
{
    struct burl_thread *t = burl_rt_enter();
    void *p;

    if (t == NULL)
        return free_new(__libc_memalign(align, n), n);
    p = allocate(t, n, align, false);
    burl_rt_leave(t);
    return p;
}

BURL_EXPORT int
posix_memalign(void **out, size_t align, size_t n)
{
    int saved = errno;
    void *p;

    if (align % sizeof(void *) != 0 || align == 0 || (align & (align - 1)) != 0)
        return EINVAL;
    p = allocate_aligned(align, n);
    errno = saved; /* posix_memalign reports by its result alone */
    if (p == NULL)
        return ENOMEM;
    *out = p;
    return 0;
}

BURL_EXPORT void *
aligned_alloc(size_t align, size_t n)
{
    if (align == 0 || (align & (align - 1)) != 0) {
        errno = EINVAL;
        return NULL;
    }
    return allocate_aligned(align, n);
}

BURL_EXPORT void *
memalign(size_t align, size_t n)
{
    size_t power = 16;

    while (power < align && power < SIZE_MAX / 2)
        power *= 2; /* as glibc: the next power of two */
    return allocate_aligned(power, n);
}

BURL_EXPORT void *
valloc(size_t n)
{
    return allocate_aligned(PAGE, n);
}

BURL_EXPORT void *
pvalloc(size_t n)
{
    return allocate_aligned(PAGE, (n + PAGE - 1) & ~(size_t)(PAGE - 1));
}

/* What lies behind the bytes that were asked for becomes the program's. How much that is depends in
 * glibc on what else was allocated and freed, so a search proves nothing. */
static void
open_end(struct burl_thread *t, uintptr_t p)
{
    const size_t more = burl__heap_open_end(p);

    if (burl_thread_alive() > 1)
        BURL_TELL(unmodeled_call, t);
    if (more != 0 && burl__observed(t))
        burl_ob_forget(p + burl__heap_size(p) - more, more);
}

BURL_EXPORT size_t
malloc_usable_size(void *p)
{
    struct burl_thread *t;
    size_t n;

    if (p == NULL)
        return 0;
    if (!burl__heap_owns((uintptr_t)p))
        return BURL_REAL(malloc_usable_size)(p);
    t = burl_rt_enter();
    if (t != NULL)
        open_end(t, (uintptr_t)p);
    n = burl__heap_size((uintptr_t)p);
    if (t != NULL)
        burl_rt_leave(t);
    return n;
}
