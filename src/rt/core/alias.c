/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/alias.c - which bytes of a process are mapped several times.
 *
 * Runs in the target. Two mappings are of the same bytes when they are MAP_SHARED, of the same
 * regular file (device and inode: memfd_create() and shm_open() make such) and overlap in it.
 * What is not known: mappings that a library makes by a system call of its own, those that cannot
 * be read, SysV shared memory, and two mappings of one anonymous memory. Where the table is full,
 * later mappings are not known either.
 *
 * Threads of free mode read while others map: a view is written with n_b 0, and its users have
 * their address from the call that returned it.
 */
#include <string.h>
#include <sys/stat.h>

#include "alias.h"
#include "rt/core/sys.h"

#define MAX_VIEWS 128u

/* One shared mapping, or what is left of it. In the order of mapping, as far as places allow. */
struct view {
    uintptr_t at;
    uint64_t n_b; /* 0: none */
    uint64_t dev;
    uint64_t ino;
    uint64_t offset;
};

struct burl_alias_bounds burl_alias_bounds;
static struct view views[MAX_VIEWS];
static uint32_t n_views;
static struct view marked[MAX_VIEWS];
static uint32_t n_marked;
static uint32_t lock;

static void
take_lock(void)
{
    /* acquire: the table as the last holder left it */
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0)
        BURL_SYS0(SYS_sched_yield);
}

static void
give_lock(void)
{
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); /* see take_lock() */
}

static bool
holds(const struct view *v, uintptr_t addr)
{
    /* acquire: the rest of a view is written before its size */
    return addr - v->at < __atomic_load_n(&v->n_b, __ATOMIC_ACQUIRE);
}

static bool
is_of_file(const struct view *a, const struct view *b)
{
    return a->dev == b->dev && a->ino == b->ino;
}

uintptr_t
burl__alias_find(uintptr_t addr)
{
    const uint32_t n = __atomic_load_n(&n_views, __ATOMIC_ACQUIRE); /* views up to there */
    const struct view *v = NULL;
    uint64_t offset;

    for (uint32_t i = 0; i < n && v == NULL; i++) {
        if (holds(&views[i], addr))
            v = &views[i];
    }
    if (v == NULL)
        return addr;
    offset = v->offset + (addr - v->at);
    for (const struct view *w = views; w < v; w++) {
        if (is_of_file(v, w) && offset >= w->offset && holds(w, w->at + (offset - w->offset)))
            return w->at + (offset - w->offset);
    }
    return addr;
}

/* Do two views have bytes in common? */
static bool
are_shared(void)
{
    for (uint32_t i = 0; i < n_views; i++) {
        for (uint32_t j = 0; j < i; j++) {
            const struct view *a = &views[i];
            const struct view *b = &views[j];

            if (is_of_file(a, b) && a->offset < b->offset + b->n_b &&
                b->offset < a->offset + a->n_b)
                return true;
        }
    }
    return false;
}

static void
set_bounds(void)
{
    uintptr_t low = UINTPTR_MAX;
    uintptr_t high = 0;

    for (uint32_t i = 0; i < n_views; i++) {
        if (views[i].n_b == 0)
            continue;
        low = views[i].at < low ? views[i].at : low;
        high = views[i].at + views[i].n_b > high ? views[i].at + views[i].n_b : high;
    }
    if (!are_shared())
        low = high = 0;
    /* relaxed: see burl_alias() */
    __atomic_store_n(&burl_alias_bounds.span_b, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&burl_alias_bounds.low, low, __ATOMIC_RELAXED);
    __atomic_store_n(&burl_alias_bounds.span_b, high - low, __ATOMIC_RELAXED);
}

/* In the first place that is free. */
static void
add(const struct view *v)
{
    uint32_t i = 0;

    while (i < n_views && views[i].n_b != 0)
        i++;
    if (i == MAX_VIEWS || v->n_b == 0)
        return;
    views[i].at = v->at;
    views[i].dev = v->dev;
    views[i].ino = v->ino;
    views[i].offset = v->offset;
    __atomic_store_n(&views[i].n_b, v->n_b, __ATOMIC_RELEASE); /* see holds() */
    if (i == n_views)
        __atomic_store_n(&n_views, n_views + 1, __ATOMIC_RELEASE); /* see burl__alias_find() */
}

/* Takes [addr, addr + n) away: nothing, one or two pieces of a view remain. */
static void
cut(uintptr_t addr, size_t n)
{
    for (uint32_t i = 0; i < n_views; i++) {
        struct view v = views[i];
        struct view rest = v;

        if (v.n_b == 0 || addr >= v.at + v.n_b || addr + n <= v.at)
            continue;
        __atomic_store_n(&views[i].n_b, addr > v.at ? addr - v.at : 0, __ATOMIC_RELEASE);
        if (addr + n < v.at + v.n_b) {
            rest.at = addr + n;
            rest.offset = v.offset + (rest.at - v.at);
            rest.n_b = v.n_b - (rest.at - v.at);
            add(&rest);
        }
    }
}

void
burl__alias_map(uintptr_t addr, size_t n, int fd, uint64_t offset)
{
    struct stat st;
    const bool is_file = BURL_SYS2(SYS_fstat, fd, &st) == 0 && S_ISREG(st.st_mode);

    if (!is_file && n_views == 0)
        return;
    take_lock();
    cut(addr, n); /* MAP_FIXED */
    if (is_file)  /* each mapping of /dev/zero is memory of its own */
        add(&(struct view){
            .at = addr, .n_b = n, .dev = st.st_dev, .ino = st.st_ino, .offset = offset });
    set_bounds();
    give_lock();
}

void
burl__alias_unmap(uintptr_t addr, size_t n)
{
    if (n_views == 0)
        return;
    take_lock();
    cut(addr, n);
    set_bounds();
    give_lock();
}

void
burl__alias_move(uintptr_t from, size_t from_b, uintptr_t to, size_t n)
{
    struct view moved = { 0 };

    if (n_views == 0)
        return;
    take_lock();
    for (uint32_t i = 0; i < n_views; i++) {
        if (holds(&views[i], from))
            moved = views[i];
    }
    cut(from, from_b);
    cut(to, n);
    if (moved.n_b != 0) {
        moved.offset += from - moved.at;
        moved.at = to;
        moved.n_b = n;
        add(&moved);
    }
    set_bounds();
    give_lock();
}

void
burl__alias_mark(void)
{
    memcpy(marked, views, sizeof marked);
    n_marked = n_views;
}

void
burl__alias_rewind(void)
{
    if (n_views == 0 && n_marked == 0)
        return;
    memcpy(views, marked, sizeof views);
    n_views = n_marked;
    set_bounds();
}
