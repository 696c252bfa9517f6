/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/mem.c - memory of the runtime's own, apart from everything the program can see.
 *
 * Two regions. Permanent: grows, never shrinks, never part of a snapshot. Per execution: a bump
 * region that starts anew with every execution; only what was used is cleared again.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#include "core.h"
#include "sys.h"
#include "upcalls.h"
#include "verdict.h"

#define CHUNK_B (1u << 20)
#define EXEC_B (64ull << 20) /* address space; pages come when touched */

static char *permanent_at;
static char *permanent_end;
static char *exec_base;
static size_t exec_used;

bool
burl__mem_read(void *to, uintptr_t from, size_t n)
{
    struct iovec here = { to, n };
    struct iovec there = { (void *)from, n };

    return BURL_SYS6(SYS_process_vm_readv, BURL_SYS0(SYS_getpid), &here, 1, &there, 1, 0) ==
           (long)n;
}

void *
burl__mem_map(size_t n)
{
    long p = BURL_SYS6(SYS_mmap, 0, n, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p < 0 && p > -4096) {
        static const char text[] = "burl: the runtime cannot map memory; is the address space "
                                   "limited (ulimit -v)?\n";

        BURL_SYS3(SYS_write, 2, text, sizeof text - 1);
        BURL_SYS1(SYS_exit_group, 3);
    }
    burl__snapshot_exclude((uintptr_t)p, (uintptr_t)p + n);
    return (void *)p;
}

void *
burl_rt_alloc(size_t n)
{
    void *p;

    n = (n + 63) & ~(size_t)63;
    if (n >= CHUNK_B)
        return burl__mem_map((n + 4095) & ~(size_t)4095);
    if (permanent_at == NULL || n > (size_t)(permanent_end - permanent_at)) {
        permanent_at = burl__mem_map(CHUNK_B);
        permanent_end = permanent_at + CHUNK_B;
    }
    p = permanent_at;
    permanent_at += n;
    return p;
}

void
burl__mem_prepare(void)
{
    exec_base = burl__mem_map(EXEC_B);
    *(volatile char *)exec_base = 0;
}

void *
burl_exec_alloc(size_t n)
{
    void *p;

    n = (n + 15) & ~(size_t)15;
    if (exec_base == NULL)
        exec_base = burl__mem_map(EXEC_B);
    if (n > EXEC_B - exec_used)
        burl_rt_unsupported("more sync objects and handlers than the runtime has room for");
    p = exec_base + exec_used;
    exec_used += n;
    return p;
}

void
burl__mem_reset(void)
{
    if (exec_used != 0)
        memset(exec_base, 0, exec_used);
    exec_used = 0;
}
