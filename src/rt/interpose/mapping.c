/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mapping.c - mmap and its relatives: what they do must be undone.
 *
 * New mappings are no visible operations: addresses are not compared between executions.
 * What takes memory away, moves it or changes its protection is one, on all of its bytes.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose_int.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/learn/learn.h"
#include "rt/reset/reset.h"

/* Bytes of a range whose sharing is looked for; an exhaustive search doubts larger ones. */
#define LEARNED_MAX 65536u
#define LEARNED_STEP 4096u

/* Accesses of others to [addr, addr + n) may be on their way. Like free(): see malloc.c. */
static void
range_point(struct burl_thread *t, const void *addr, size_t n)
{
    struct burl_op op = burl__op(t, BURL_OP_FREE, addr, n);

    if (burl_thread_alive() < 2) {
        if (burl_rt.exec.n_threads > 1)
            BURL_TELL(access_along, t, &op);
        return;
    }
    burl_sched_point(t, &op);
    for (size_t at = 0; burl_rt.learn && at < n && at < LEARNED_MAX; at += LEARNED_STEP)
        burl__learn_access(t, op.site, (uintptr_t)addr + at,
                           (uint32_t)(n - at < LEARNED_STEP ? n - at : LEARNED_STEP),
                           BURL_LEARN_WRITE | BURL_LEARN_STORES);
}

/* Before main there is no listener. */
void
burl__note_mapping(int flags)
{
    if ((flags & MAP_SHARED) == 0)
        return;
    burl_rt.early_shared = burl_rt.early_shared || burl_self == NULL;
    BURL_TELL(fact, BURL_FACT_SHARED_MEMORY);
}

/* Memory with several addresses: see core/alias.h. Hooks read values at the oldest of them, so one
 * that cannot be read is none. */
static void
note_view(const void *p, size_t n, int prot, int flags, int fd, off_t off)
{
    if ((flags & MAP_SHARED) != 0 && (flags & MAP_ANONYMOUS) == 0 && (prot & PROT_READ) != 0)
        burl__alias_map((uintptr_t)p, n, fd, (uint64_t)off);
    else if ((flags & MAP_FIXED) != 0)
        burl__alias_unmap((uintptr_t)p, n);
}

static void *
map_free(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
    void *p;

    burl__note_mapping(flags);
    p = burl_free_mmap(addr, n, prot, flags, fd, off);
    if (p != MAP_FAILED)
        note_view(p, n, prot, flags, fd, off);
    return p;
}

static int
unmap_free(void *addr, size_t n)
{
    burl__alias_unmap((uintptr_t)addr, n);
    return burl_free_munmap(addr, n);
}

static void *
map_memory(struct burl_thread *t, void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
    void *p;

    if ((flags & MAP_FIXED) != 0)
        range_point(t, addr, n);
    p = (void *)burl__result(BURL_SYS6(SYS_mmap, addr, n, prot, flags, fd, off));

    if (p != MAP_FAILED) {
        burl__note_mapping(flags);
        note_view(p, n, prot, flags, fd, off);
        if ((flags & MAP_FIXED) == 0)
            BURL_TELL(allocated, t); /* the kernel chose the address */
        if ((flags & MAP_FIXED) != 0 && !burl__kernel_made((uintptr_t)p, n))
            burl_rt_irreversible("the program mapped over memory that was there before main");
        burl__kernel_note_map((uintptr_t)p, n);
        burl__thin_forget((uintptr_t)p, n);
        if (burl__observed(t))
            burl_ob_forget((uintptr_t)p, n); /* the addresses may have served before */
    }
    return p;
}

BURL_INTERPOSE(void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off),
               map_free(addr, n, prot, flags, fd, off),
               map_memory(t, addr, n, prot, flags, fd, off))
BURL_EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off_t off)
    __attribute__((alias("mmap")));

static long
unmap_memory(struct burl_thread *t, void *addr, size_t n)
{
    long r;

    range_point(t, addr, n);
    r = BURL_SYS2(SYS_munmap, addr, n);
    if (r == 0) {
        burl__kernel_note_unmap((uintptr_t)addr, n);
        burl__alias_unmap((uintptr_t)addr, n);
        BURL_TELL(freed, t);
    }
    return r;
}

/* key: of pkey_mprotect; -1: none. */
static long
protect_memory(struct burl_thread *t, void *addr, size_t n, int prot, int key)
{
    if (!burl__kernel_made((uintptr_t)addr, n))
        burl_rt_irreversible(
            "the program changed the protection of memory that was there before main");
    range_point(t, addr, n);
    if ((prot & PROT_READ) == 0 || key > 0)
        burl__alias_unmap((uintptr_t)addr, n);
    if (key != -1)
        return BURL_SYS4(SYS_pkey_mprotect, addr, n, prot, key);
    return BURL_SYS3(SYS_mprotect, addr, n, prot);
}

BURL_INTERPOSE_SYS(int munmap(void *addr, size_t n), unmap_free(addr, n), unmap_memory(t, addr, n))
BURL_INTERPOSE_SYS(int mprotect(void *addr, size_t n, int prot), burl_free_mprotect(addr, n, prot),
                   protect_memory(t, addr, n, prot, -1))
BURL_INTERPOSE_SYS(int pkey_mprotect(void *addr, size_t n, int prot, int key),
                   burl_free_pkey_mprotect(addr, n, prot, key),
                   protect_memory(t, addr, n, prot, key))

BURL_EXPORT void *
mremap(void *addr, size_t old_n, size_t n, int flags, ...)
{
    struct burl_thread *t = burl_rt_enter();
    void *wanted = NULL;
    va_list ap;
    long p;

    if ((flags & MREMAP_FIXED) != 0) {
        va_start(ap, flags);
        wanted = va_arg(ap, void *);
        va_end(ap);
    }
    if (t == NULL) {
        void *moved = burl_free_mremap(addr, old_n, n, flags, wanted);

        if (moved != MAP_FAILED)
            burl__alias_move((uintptr_t)addr, old_n, (uintptr_t)moved, n);
        return moved;
    }
    range_point(t, addr, old_n);
    p = burl__result(BURL_SYS5(SYS_mremap, addr, old_n, n, flags, wanted));
    if (p != -1) {
        burl__alias_move((uintptr_t)addr, old_n, (uintptr_t)p, n);
        BURL_TELL(freed, t);
        if ((flags & MREMAP_FIXED) == 0)
            BURL_TELL(allocated, t);
        burl__kernel_note_unmap((uintptr_t)addr, old_n);
        burl__kernel_note_map((uintptr_t)p, n);
        burl__thin_forget((uintptr_t)p, n);
        if (burl__observed(t))
            burl_ob_forget((uintptr_t)p, n); /* the addresses may have served before */
    }
    burl_rt_leave(t);
    return (void *)p;
}

BURL_EXPORT int
brk(void *end)
{
    uintptr_t from;
    int r;

    burl__state_doubt_call(BURL__STATE_KERNEL); /* where the heap of the kernel ends */
    burl_rt_irreversible("brk");
    from = (uintptr_t)BURL_SYS1(SYS_brk, 0);
    r = BURL_REAL(brk)(end);
    if (r == 0)
        burl_free_brk_moved(from, (uintptr_t)end);
    return r;
}

BURL_EXPORT void *
sbrk(intptr_t n)
{
    void *from;

    burl__state_doubt_call(BURL__STATE_KERNEL);
    if (n != 0)
        burl_rt_irreversible("sbrk");
    from = BURL_REAL(sbrk)(n);
    if (from != (void *)-1 && n != 0)
        burl_free_brk_moved((uintptr_t)from, (uintptr_t)from + (uintptr_t)n);
    return from;
}

/* Loading runs constructors, which register modules: program code, so `inside` stays clear. */
BURL_EXPORT void *
dlopen(const char *name, int flags)
{
    burl__state_call(BURL__STATE_KERNEL);
    if (burl_self != NULL && name != NULL)
        burl_rt_irreversible("dlopen");
    return BURL_REAL(dlopen)(name, flags);
}
