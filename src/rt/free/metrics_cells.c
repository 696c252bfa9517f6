/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_cells.c - the shadows of the metrics: cells, their locks and lists, forgetting.
 *
 * Nodes of lists come from one region of fixed size, in runs that a thread takes for itself, and go
 * back to the list of the thread that gives them up; what that has too many of goes to all. When
 * the region is used up measuring ends: an access that is not remembered would make later ones
 * look as if nothing had come before.
 */
#include <sys/mman.h>

#include "metrics.h"

#define NODES (1u << 24) /* 1 GB, as much as observers may use */
#define RUN 64u
#define PAGE_NODES (BURL_LARGE_PAGE_B / 64u)

struct burl_metric_node *burl_metric_nodes;
uint8_t *burl_metric_touched;

static uint32_t n_nodes = 1; /* 0 is none */
static uint32_t spare;       /* list of nodes, each the first of a run: its `run` names the next */
static uint32_t spare_lock;

bool
burl__cells_map(void)
{
    burl_metric_nodes = burl__free_map(NODES * sizeof *burl_metric_nodes);
    burl_metric_touched = burl__free_map((BURL_METRIC_SPAN >> BURL_STRIPE_SHIFT) + 8);
    return burl_metric_nodes != NULL && burl_metric_touched != NULL &&
           burl__free_map_at(BURL_LANES_BASE, BURL_METRIC_SPAN * 4) != NULL &&
           burl__free_map_at(BURL_CELLS_BASE, BURL_METRIC_SPAN * 4) != NULL &&
           burl__free_map_at(BURL_UNITS_BASE, BURL_METRIC_SPAN * 8) != NULL;
}

/* As burl__shadow_dense(): the shadows of a MB are two large pages each, units four. */
void
burl__metrics_dense(uintptr_t addr)
{
    uintptr_t from = addr & ~(uintptr_t)((1u << 20) - 1);

    for (uintptr_t at = from; at < from + (1u << 20); at += 1u << 19) {
        if (burl_metrics.avio) {
            burl__make_large((uintptr_t)burl_lanes(at));
            burl__make_large((uintptr_t)burl_metric_unit(at));
            burl__make_large((uintptr_t)burl_metric_unit(at + (1u << 18)));
        }
        if (burl_metrics.goldisc)
            burl__make_large((uintptr_t)burl_metric_cell(at));
    }
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* A run that others gave back. */
static bool
spare_take(struct burl_metric_thread *m)
{
    /* relaxed: a look in advance */
    if (__atomic_load_n(&spare, __ATOMIC_RELAXED) == 0)
        return false;
    burl__spin_lock(&spare_lock);
    m->nodes = spare;
    m->n_nodes = spare != 0 ? RUN : 0;
    if (spare != 0)
        __atomic_store_n(&spare, burl_metric_node(spare)->run, __ATOMIC_RELAXED);
    burl__spin_unlock(&spare_lock);
    return m->nodes != 0;
}

static void
spare_give(struct burl_metric_thread *m)
{
    uint32_t first = m->nodes;
    uint32_t last = first;

    for (uint32_t i = 1; i < RUN; i++)
        last = burl_metric_node(last)->next;
    m->nodes = burl_metric_node(last)->next;
    m->n_nodes -= RUN;
    burl_metric_node(last)->next = 0;
    burl__spin_lock(&spare_lock);
    burl_metric_node(first)->run = spare;
    __atomic_store_n(&spare, first, __ATOMIC_RELAXED);
    burl__spin_unlock(&spare_lock);
}

static bool
nodes_refill(struct burl_metric_thread *m)
{
    uint32_t first;

    if (spare_take(m))
        return true;
    if (__atomic_load_n(&n_nodes, __ATOMIC_RELAXED) >= NODES - RUN)
        return false;
    /* relaxed: the nodes are fresh, no other thread knows them */
    first = __atomic_fetch_add(&n_nodes, RUN, __ATOMIC_RELAXED);
    if (first >= NODES - RUN)
        return false;
    for (uint32_t i = 0; i < RUN; i++)
        burl_metric_node(first + i)->next = i + 1 < RUN ? first + i + 1 : 0;
    if (first % PAGE_NODES / RUN ==
        PAGE_NODES / RUN / 8) /* there will be many, used in any order */
        burl__make_large((uintptr_t)burl_metric_node(first));
    m->nodes = first;
    m->n_nodes = RUN;
    return true;
}

uint32_t
burl__node_take(struct burl_metric_thread *m)
{
    uint32_t n;

    if (m->nodes == 0 && !nodes_refill(m)) {
        burl__metrics_full("what threads did to shared memory");
        return 0;
    }
    n = m->nodes;
    m->nodes = burl_metric_node(n)->next;
    m->n_nodes--;
    *burl_metric_node(n) = (struct burl_metric_node){ 0 };
    return n;
}

void
burl__node_give(struct burl_metric_thread *m, uint32_t n)
{
    burl_metric_node(n)->next = m->nodes;
    m->nodes = n;
    if (++m->n_nodes >= 4 * RUN)
        spare_give(m);
}

/* ---- locks ---------------------------------------------------------------------------------- */

uint64_t
burl__metric_lock(struct burl_metric_thread *m, uint64_t *at)
{
    m->busy = true;
    burl__critical_begin();
    /* acquire: pairs with the release in burl__metric_unlock(), lists are as they were left. No
     * look in advance: on a page that is new the read would cost a fault of its own. */
    while ((__atomic_fetch_or(at, BURL_X_LOCKED, __ATOMIC_ACQUIRE) & BURL_X_LOCKED) != 0) {
        for (uint32_t n = 1; (__atomic_load_n(at, __ATOMIC_RELAXED) & BURL_X_LOCKED) != 0; n++) {
            if (burl_critical.is_orphan)
                break;
            if (n % 64 == 0)
                BURL_SYS0(SYS_sched_yield);
            __builtin_ia32_pause();
        }
        if (burl_critical.is_orphan)
            break;
    }
    return __atomic_load_n(at, __ATOMIC_RELAXED) & ~BURL_X_LOCKED; /* no other changes it now */
}

void
burl__metric_unlock(struct burl_metric_thread *m, uint64_t *at, uint64_t now)
{
    __atomic_store_n(at, now & ~BURL_X_LOCKED, __ATOMIC_RELEASE);
    m->busy = false;
    burl__critical_end();
}

/* ---- forgetting ----------------------------------------------------------------------------- */

static void
give_list(struct burl_metric_thread *m, uint32_t n)
{
    while (n != 0) {
        uint32_t next = burl_metric_node(n)->next;

        burl__node_give(m, n);
        n = next;
    }
}

/* relaxed: no thread may use this memory of the program meanwhile. One that does all the same (a
 * bug of the program) finds each word either as it was or empty, and lists under the lock. */
static void
clear_words(uint64_t *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (__atomic_load_n(&w[i], __ATOMIC_RELAXED) != 0)
            __atomic_store_n(&w[i], 0, __ATOMIC_RELAXED);
    }
}

static void
forget_shared(struct burl_metric_thread *m, uintptr_t addr)
{
    struct burl_metric_unit *u = burl_metric_unit(addr);
    uint64_t x = __atomic_load_n(&u->x, __ATOMIC_RELAXED);
    uint32_t list;

    clear_words(&u->window, 1 + BURL_LOG_N);
    if (x == 0)
        return;
    list = burl_metric_list(burl__metric_lock(m, &u->x));
    for (uint32_t n = list; n != 0; n = burl_metric_node(n)->next) {
        for (uint32_t i = 0; i < BURL_NODE_WINDOWS; i++)
            give_list(m, burl_metric_node(n)->windows[i].between);
    }
    give_list(m, list);
    burl__metric_unlock(m, &u->x, 0);
}

static void
forget_cell(struct burl_metric_thread *m, struct burl_metric_cell *cell)
{
    if (__atomic_load_n(&cell->x, __ATOMIC_RELAXED) == 0)
        return;
    clear_words(&cell->a, 3);
    give_list(m, burl_metric_list(burl__metric_lock(m, &cell->x)));
    burl__metric_unlock(m, &cell->x, 0);
}

static void
forget_unit(struct burl_metric_thread *m, uintptr_t addr)
{
    const uint64_t *lanes = (const uint64_t *)burl_lanes(addr);
    uint64_t shared = 0;

    if (burl_metrics.avio) {
        for (uint32_t i = 0; i < 4; i++)
            shared |= __atomic_load_n(&lanes[i], __ATOMIC_RELAXED);
        clear_words((uint64_t *)burl_lanes(addr), 4);
        if (((shared | shared >> 32) & BURL_LANE_SHARED) != 0)
            forget_shared(m, addr);
    }
    if (burl_metrics.goldisc)
        forget_cell(m, burl_metric_cell(addr));
}

static void
forget_stripe(struct burl_metric_thread *m, uintptr_t stripe, uintptr_t lo, uintptr_t hi)
{
    uintptr_t end = stripe + (1u << BURL_STRIPE_SHIFT);

    if (lo <= stripe && hi >= end)
        __atomic_store_n(&burl_metric_touched[burl_metric_place(stripe) >> BURL_STRIPE_SHIFT], 0,
                         __ATOMIC_RELAXED);
    for (uintptr_t at = lo > stripe ? lo : stripe; at < hi && at < end; at += 8)
        forget_unit(m, at);
}

#define GIVE_BACK_B (1u << 20) /* from here on the pages go too */

static void
give_pages(uintptr_t from, uintptr_t to)
{
    from = (from + 4095) & ~(uintptr_t)4095;
    to &= ~(uintptr_t)4095;
    if (from < to)
        BURL_SYS3(SYS_madvise, from, to - from, MADV_DONTNEED);
}

void
burl__metrics_forget(struct burl_free_thread *f, uintptr_t addr, size_t n)
{
    struct burl_metric_thread *m = burl_metric_of(f);
    uintptr_t lo = addr & ~(uintptr_t)7;
    uintptr_t hi = (addr + n + 7) & ~(uintptr_t)7;
    uintptr_t stripe = lo & ~(uintptr_t)63;

    if (m == NULL || n == 0 || !burl__metrics_can_watch(addr, n))
        return;
    while (stripe < hi) {
        const uint8_t *t = &burl_metric_touched[burl_metric_place(stripe) >> BURL_STRIPE_SHIFT];

        if ((burl_metric_place(stripe) & 511) == 0 && hi - stripe >= 512 &&
            __atomic_load_n((const uint64_t *)t, __ATOMIC_RELAXED) == 0) {
            stripe += 512;
            continue;
        }
        if (__atomic_load_n(t, __ATOMIC_RELAXED) != 0)
            forget_stripe(m, stripe, lo, hi);
        stripe += 64;
    }
    if (n < GIVE_BACK_B)
        return;
    give_pages((uintptr_t)burl_lanes(lo), (uintptr_t)burl_lanes(hi - 1) + 4);
    give_pages((uintptr_t)burl_metric_cell(lo), (uintptr_t)(burl_metric_cell(hi - 1) + 1));
    give_pages((uintptr_t)burl_metric_unit(lo), (uintptr_t)(burl_metric_unit(hi - 1) + 1));
}
