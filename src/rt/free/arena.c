/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/arena.c - memory of free mode's own.
 *
 * One reserved region, from which everything small is cut off by an atomic addition: threads of
 * the program allocate at the same time, and a signal handler may interrupt one that does. Nothing
 * is given back; a caller that needs something again keeps a list of it.
 */
#include <sys/mman.h>

#include "free_int.h"

#define ARENA_B (64ull << 30) /* address space only */

static char *arena;
static uint64_t used;

void *
burl__free_map_at(uintptr_t addr, size_t n)
{
    int fixed = addr != 0 ? MAP_FIXED_NOREPLACE : 0;
    long p = BURL_SYS6(SYS_mmap, addr, n, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);

    /* An older kernel takes the address for a wish. */
    if ((p < 0 && p > -4096) || (addr != 0 && p != (long)addr))
        return NULL;
    BURL_SYS3(SYS_madvise, p, n, MADV_DONTDUMP);
    /* A page of 2 MB for a few words of it would cost more memory than the program itself. */
    BURL_SYS3(SYS_madvise, p, n, MADV_NOHUGEPAGE);
    return (void *)p;
}

/* The large maps of our own lie in a place of their own. Where the kernel would put them, right
 * below the libraries, they would push the program's mappings and stacks out of the region that the
 * shadow knows. */
#define OWN_BASE 0x4bc000000000ull /* behind the lanes (metrics.h) */
#define OWN_B 0x094000000000ull

void *
burl__free_map(size_t n)
{
    static uint64_t at = OWN_BASE; /* one thread: before the program begins */
    void *p = NULL;

    n = (n + 4095) & ~(size_t)4095;
    if (at + n <= OWN_BASE + OWN_B)
        p = burl__free_map_at(at, n);
    at += p != NULL ? n : 0;
    return p != NULL ? p : burl__free_map_at(0, n);
}

bool
burl__arena_init(void)
{
    arena = burl__free_map(ARENA_B);
    return arena != NULL;
}

void *
burl__arena_alloc(size_t n)
{
    /* relaxed: the memory is fresh, no other thread knows it */
    uint64_t at = __atomic_fetch_add(&used, (n + 15) & ~15ull, __ATOMIC_RELAXED);

    if (at + n > ARENA_B) {
        static const char text[] = "burl: the runtime has used up its address space\n";

        BURL_SYS3(SYS_write, 2, text, sizeof text - 1);
        BURL_SYS1(SYS_exit_group, 3);
    }
    return arena + at;
}
