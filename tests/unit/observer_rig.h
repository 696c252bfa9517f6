/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/unit/observer_rig.h - drives the observers of the runtime with hand-made events.
 *
 * The objects of src/rt/detect are linked as they are in the runtime, with the event stream and
 * its clocks; only what reaches into the process is replaced here: memory, the suspects of the
 * control block, verdicts (recorded, and the events go on). Included by one file per test program.
 */
#ifndef BURL_TESTS_OBSERVER_RIG_H
#define BURL_TESTS_OBSERVER_RIG_H

#include "unit.h"

#include "rt/detect/detect.h"
#include "rt/core/core.h"
#include "rt/core/critical.h"
#include "rt/core/heap.h"
#include "rt/core/module.h"
#include "rt/core/shadow.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"

/* ---- what the runtime would give ------------------------------------------- */

struct burl_rt burl_rt;
__thread struct burl_thread *burl_self;
__thread struct burl_critical burl_critical;
static struct burl_wire_ctl rig_ctl;

#define RIG_MEMORY_B (256u << 20)
static char *rig_memory;
static size_t rig_used;
static uint64_t rig_counters[BURL_COUNTER__N];

void
burl_free_hold_cancel(void)
{
}

void
burl_free_critical_over(void)
{
}

void
burl_ob_places(uint64_t key, const uint32_t *places, uint32_t n)
{
    (void)key;
    (void)places;
    (void)n;
}

uint32_t
burl__shadow_user(const struct burl_thread *t)
{
    (void)t;
    return 0;
}

void
burl_ob_behind(uint64_t key, enum burl_wire_behind behind)
{
    (void)key;
    (void)behind;
}

void *
burl_ob_alloc(size_t n)
{
    void *p = rig_memory + rig_used;

    n = (n + 15) & ~(size_t)15;
    if (rig_used + n > RIG_MEMORY_B)
        abort();
    rig_used += n;
    return p;
}

void *
burl_rt_alloc(size_t n)
{
    return burl_xcalloc(1, n);
}

void
burl__ob_memory_reset(void)
{
    if (rig_memory == NULL)
        rig_memory = burl_xcalloc(1, RIG_MEMORY_B);
    memset(rig_memory, 0, rig_used);
    rig_used = 0;
}

void
burl_rt_count(enum burl_wire_counter c)
{
    rig_counters[c]++;
}

/* ---- the program: one module, some of whose sites are of assertions ---------------- */

#define RIG_SITES 4096u
static struct burl_wire_site rig_sites[RIG_SITES];
static struct burl_wire_module rig_module = { .sites = rig_sites, .n_sites = RIG_SITES };
static uintptr_t rig_data_lo; /* static storage of the program, for names */
static uintptr_t rig_data_hi;

const struct burl_wire_module *
burl__module_at(uint32_t i)
{
    return i == 0 ? &rig_module : NULL;
}

const struct burl_wire_site *
burl__module_site(uint32_t number)
{
    return number < RIG_SITES ? &rig_sites[number] : NULL;
}

bool
burl__module_is_data(uintptr_t addr)
{
    return addr - rig_data_lo < rig_data_hi - rig_data_lo;
}

bool
burl__heap_block(uintptr_t addr, uint64_t *start, uint64_t *size_b)
{
    *start = addr & ~(uint64_t)0xfff;
    *size_b = 0x1000;
    return true;
}

bool
burl__heap_is_late(uintptr_t addr)
{
    (void)addr;
    return false;
}

uint32_t
burl__heap_site(uintptr_t addr)
{
    return (uint32_t)(addr >> 12 & 0xff);
}

/* ---- what observers said ------------------------------------------------------ */

#define RIG_ORDERS 64u
static struct {
    uint32_t from;
    uint32_t to;
} rig_orders[RIG_ORDERS];
static uint32_t rig_n_orders;

void
burl__pairs_tell(uint32_t earlier, uint32_t later, uint32_t flags)
{
    if (flags != (BURL_PAIR_F_SEEN | BURL_PAIR_F_LOCKS))
        abort();
    rig_orders[rig_n_orders % RIG_ORDERS].from = earlier;
    rig_orders[rig_n_orders++ % RIG_ORDERS].to = later;
}

struct rig_suspect {
    uint64_t key;
    uintptr_t addr;
    uint32_t kind;
    uint32_t observer;
    uint32_t n;
    uint32_t rank;
    uint32_t sites[BURL_WIRE_MAX_SITES];
    uint16_t tids[BURL_WIRE_MAX_SITES];
};

#define RIG_MAX 4096u
static struct rig_suspect rig_seen[RIG_MAX];
static uint32_t rig_n_seen;
static uint32_t rig_n_verdicts;
static uint32_t rig_verdict_kind;
static struct burl_wire_side rig_sides[2];

void
burl__suspects_reset(void)
{
    rig_n_seen = 0;
    rig_n_verdicts = 0;
}

uint64_t
burl_ob_suspect(enum burl_wire_suspect_kind kind, enum burl_wire_observer observer,
                const uint32_t *sites, const uint8_t *ops, const uint16_t *tids, uint32_t n,
                uintptr_t addr, uint32_t rank)
{
    uint64_t key = burl_wire_suspect_key(kind, sites, n);
    struct rig_suspect *s = &rig_seen[rig_n_seen];

    (void)ops;
    for (uint32_t i = 0; i < rig_n_seen; i++) {
        if (rig_seen[i].key == key && rig_seen[i].observer == observer)
            return key;
    }
    if (rig_n_seen == RIG_MAX)
        abort();
    rig_n_seen++;
    s->key = key;
    s->addr = addr;
    s->kind = kind;
    s->observer = observer;
    s->n = n;
    s->rank = rank;
    memcpy(s->sites, sites, n * sizeof *sites);
    memcpy(s->tids, tids, n * sizeof *tids);
    return key;
}

bool
burl_ob_is_settled(enum burl_wire_suspect_kind kind, uintptr_t addr, uint64_t key)
{
    (void)kind;
    (void)addr;
    (void)key;
    return false;
}

bool
burl_ob_stops_at(uint64_t key)
{
    return key != 0 && key == rig_ctl.order.stop_key;
}

bool
burl_ob_aims_at(uint32_t site)
{
    for (uint32_t i = 0; i < rig_ctl.order.watch.n_sites; i++) {
        if (rig_ctl.order.watch.sites[i] == site)
            return true;
    }
    return false;
}

/* The stack stands for "filled when it happened". */
void
burl_ob_fill_side(struct burl_wire_side *side, const struct burl_watch *w,
                  const struct burl_access *a)
{
    memset(side, 0, sizeof *side);
    side->addr = a->addr;
    side->site = a->site;
    side->tid = w->tid;
    side->stack[0] = 4711;
}

void
burl_ob_verdict(enum burl_wire_verdict_kind kind, struct burl_watch *w, uintptr_t addr,
                const struct burl_wire_side sides[2])
{
    (void)w;
    (void)addr;
    rig_n_verdicts++;
    rig_verdict_kind = kind;
    memcpy(rig_sides, sides, sizeof rig_sides);
}

static inline bool
rig_has(enum burl_wire_suspect_kind kind, uint32_t n, const uint32_t *sites)
{
    uint64_t key = burl_wire_suspect_key(kind, sites, n);

    for (uint32_t i = 0; i < rig_n_seen; i++) {
        if (rig_seen[i].key == key && rig_seen[i].kind == (uint32_t)kind)
            return true;
    }
    return false;
}

#define RIG_HAS(kind, ...)                                                  \
    rig_has((kind), sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), \
            (uint32_t[]){ __VA_ARGS__ })

static inline uint32_t
rig_count(enum burl_wire_suspect_kind kind)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < rig_n_seen; i++)
        n += rig_seen[i].kind == (uint32_t)kind;
    return n;
}

/* Uniform enough for tests; splitmix64. The generator of base/ has its names in common with the
 * runtime's. */
static inline uint32_t
rig_random(uint64_t *state, uint32_t n)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;

    return (uint32_t)((burl_mix64(z) >> 32) * n >> 32);
}

/* ---- threads and what they do ---------------------------------------------------- */

static uint16_t rig_tids;
static struct burl_thread rig_thread; /* its being there says: controlled mode */

static inline struct burl_watch *
rig_begin(uint32_t observers)
{
    struct burl_watch *w;

    burl_rt.ctl = &rig_ctl;
    burl_rt.in_execution = true;
    burl_rt.exec.steps = 0;
    rig_tids = 0;
    memset(rig_counters, 0, sizeof rig_counters);
    burl_ob_begin(observers);
    w = burl_ob_thread_new(rig_tids++, NULL);
    w->thread = &rig_thread;
    return w;
}

static inline void
rig_end(void)
{
    burl_ob_end();
}

static inline struct burl_watch *
rig_create(struct burl_watch *parent)
{
    struct burl_watch *w = burl_ob_thread_new(rig_tids++, parent);

    burl_rt.exec.steps++;
    w->thread = &rig_thread;
    return w;
}

static inline void
rig_join(struct burl_watch *w, struct burl_watch *ended)
{
    burl_rt.exec.steps++;
    burl_ob_thread_end(ended);
    burl_ob_join(w, ended);
}

static inline void
rig_access(struct burl_watch *w, const void *p, uint64_t n, uint32_t site, uint8_t flags)
{
    struct burl_access a = { .addr = (uintptr_t)p, .n = n, .site = site, .flags = flags };

    a.op = flags & BURL_ACCESS_RMW     ? BURL_OP_ATOMIC_RMW
           : flags & BURL_ACCESS_WRITE ? BURL_OP_WRITE
                                       : BURL_OP_READ;
    burl_rt.exec.steps++;
    burl_ob_access(w, &a);
}

#define RD(w, x, site) rig_access((w), &(x), sizeof(x), (site), 0)
#define WR(w, x, site) rig_access((w), &(x), sizeof(x), (site), BURL_ACCESS_WRITE)
#define ARD(w, x, site) rig_access((w), &(x), sizeof(x), (site), BURL_ACCESS_ATOMIC)
#define AWR(w, x, site) \
    rig_access((w), &(x), sizeof(x), (site), BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE)
#define RMW(w, x, site)                      \
    rig_access((w), &(x), sizeof(x), (site), \
               BURL_ACCESS_ATOMIC | BURL_ACCESS_WRITE | BURL_ACCESS_RMW)

static inline void
rig_take(struct burl_watch *w, const void *lock, uint32_t site, uint8_t mode, bool by_try)
{
    burl_rt.exec.steps++;
    if (!by_try)
        burl_ob_request(w, lock, site, mode);
    burl_ob_acquire(w, lock, site, mode, by_try);
}

#define LOCK(w, m, site) rig_take((w), &(m), (site), BURL_LOCK_EXCLUSIVE, false)
#define TRYLOCK(w, m, site) rig_take((w), &(m), (site), BURL_LOCK_EXCLUSIVE, true)
#define RDLOCK(w, m, site) rig_take((w), &(m), (site), BURL_LOCK_SHARED, false)
#define UNLOCK(w, m) (burl_rt.exec.steps++, burl_ob_release((w), &(m)))

#endif
