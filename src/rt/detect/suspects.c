/* SPDX-License-Identifier: Apache-2.0 */
/*
 * detect/suspects.c - what observers found, on its way into the control block.
 *
 * Runs in the target. A suspect is counted once per execution, however often it was seen; the table
 * lies in the shared block, so that it survives a crash and the end of a forked child.
 */
#include <string.h>

#include "detect.h"
#include "rt/core/core.h"
#include "rt/core/heap.h"
#include "rt/core/module.h"
#include "rt/core/shadow.h"
#include "rt/core/stacks.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"

/* Keys seen in this execution: a small direct-mapped cache in front of the table, which is searched
 * when the cache has lost an entry. */
#define CACHE 1024u

static struct {
    uint64_t key;
    uint64_t execution;
} cache[CACHE];

static uint64_t execution;

struct benign {
    struct benign *next;
    uintptr_t addr;
    uint64_t n;
};

static struct benign *benign;

void
burl__suspects_reset(void)
{
    execution++;
    benign = NULL;
}

void
burl_ob_benign(uintptr_t addr, uint64_t n, void *(*alloc)(size_t n))
{
    struct benign *b = alloc(sizeof *b);

    b->addr = addr;
    b->n = n;
    b->next = __atomic_load_n(&benign, __ATOMIC_RELAXED);
    /* pairs with the acquire in burl_ob_is_benign(): publishes the record */
    while (!__atomic_compare_exchange_n(&benign, &b->next, b, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED))
        ;
}

bool
burl_ob_is_benign(uintptr_t lo, uintptr_t hi)
{
    const struct benign *b = __atomic_load_n(&benign, __ATOMIC_ACQUIRE);

    for (; b != NULL; b = b->next) {
        if (lo < b->addr + b->n && b->addr < hi)
            return true;
    }
    return false;
}

static bool
seen_in_execution(uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 8) % CACHE;

    if (cache[at].key == key && cache[at].execution == execution)
        return true;
    cache[at].key = key;
    cache[at].execution = execution;
    return false;
}

/* Where a key is in the table, which this process may not have filled alone: children of a fork
 * add to it, and the host empties it for each order. So the index catches up before each search,
 * and what it says is checked. */
#define INDEX 2048u /* a power of two, more than twice BURL_WIRE_MAX_SUSPECTS */

static uint16_t table_index[INDEX]; /* number in the table + 1; 0 free */
static uint32_t n_indexed;
static uint64_t indexed_seed; /* of the order, */
static uint64_t indexed_last; /* and the last key: is it still that table? */

static uint32_t
index_slot(uint64_t key)
{
    return (uint32_t)(key >> 20) & (INDEX - 1);
}

static void
index_catch_up(void)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    if (ctl->result.n_suspects < n_indexed || ctl->order.first_seed != indexed_seed ||
        (n_indexed > 0 && ctl->suspects[n_indexed - 1].key != indexed_last)) {
        memset(table_index, 0, sizeof table_index);
        n_indexed = 0;
        indexed_seed = ctl->order.first_seed;
    }
    for (; n_indexed < ctl->result.n_suspects; n_indexed++) {
        uint32_t at = index_slot(ctl->suspects[n_indexed].key);

        while (table_index[at] != 0)
            at = (at + 1) & (INDEX - 1);
        table_index[at] = (uint16_t)(n_indexed + 1);
        indexed_last = ctl->suspects[n_indexed].key;
    }
}

static struct burl_wire_suspect *
suspect_find(uint64_t key)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    index_catch_up();
    for (uint32_t at = index_slot(key); table_index[at] != 0; at = (at + 1) & (INDEX - 1)) {
        struct burl_wire_suspect *s = &ctl->suspects[table_index[at] - 1];

        if (s->key == key)
            return s;
    }
    return NULL;
}

/* Is there nothing more to say of this memory? A search of all schedules must see every one. */
bool
burl_ob_is_settled(enum burl_wire_suspect_kind kind, uintptr_t addr, uint64_t key)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;
    const struct burl_wire_settled *e;
    struct burl_wire_origin o = { .kind = BURL_ORIGIN_GLOBAL };
    uint64_t where;

    if (ctl->n_settled == 0 || kind > BURL_SUSPECT_TRIPLE || burl_ob_stops_at(key) ||
        ctl->order.strategy == BURL_STRATEGY_EXHAUSTIVE)
        return false;
    if (burl__heap_owns(addr))
        burl__origin_fill(&o, addr);
    else
        (void)burl__module_is_late(addr, &o.addr, &o.site);
    if (!burl_wire_settled_place(o.kind, addr, o.addr, o.site, &where))
        return false;
    e = &ctl->settled[burl_wire_settled_slot(ctl->settled, where, o.site)];
    return (e->kinds >> kind & 1) != 0 && (key == 0 || e->key != key);
}

/* Fills the per-occurrence fields. */
static void
suspect_fill(struct burl_wire_suspect *s, enum burl_wire_suspect_kind kind,
             enum burl_wire_observer observer, const uint32_t *sites, const uint8_t *ops,
             const uint16_t *tids, uint32_t n, uintptr_t addr)
{
    s->seed = burl_rt.exec.seed;
    s->addr = addr;
    s->kind = (uint8_t)kind;
    s->observer = (uint8_t)observer;
    s->n_sites = (uint8_t)n;
    memcpy(s->sites, sites, n * sizeof *sites);
    memcpy(s->ops, ops, n * sizeof *ops);
    memcpy(s->tids, tids, n * sizeof *tids);
    if (kind <= BURL_SUSPECT_TRIPLE && burl_rt.in_execution) {
        struct burl_wire_origin o;

        burl__origin_fill(&o, addr);
        s->origin = o.kind;
        s->origin_addr = o.addr;
        s->origin_site = o.site;
        s->origin_tid = o.tid;
    }
}

uint64_t
burl_ob_suspect(enum burl_wire_suspect_kind kind, enum burl_wire_observer observer,
                const uint32_t *sites, const uint8_t *ops, const uint16_t *tids, uint32_t n,
                uintptr_t addr, uint32_t rank)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    uint64_t key = burl_wire_suspect_key(kind, sites, n);
    struct burl_wire_suspect *s;
    bool again;

    if (kind <= BURL_SUSPECT_POTENTIAL && burl_ob_is_benign(addr, addr + 1))
        return 0;
    if (burl_ob_is_settled(kind, addr, key))
        return 0;
    /* A race may have been suspected before it happened, in this very execution. */
    again = seen_in_execution(key);
    if (again && (kind != BURL_SUSPECT_RACE || seen_in_execution(~key)))
        return key;
    s = suspect_find(key);
    if (s != NULL) {
        s->count += !again;
        if (rank < s->rank)
            s->rank = rank;
        if (kind == BURL_SUSPECT_RACE && s->kind == BURL_SUSPECT_POTENTIAL)
            suspect_fill(s, kind, observer, sites, ops, tids, n, addr);
        return key;
    }
    if (ctl->result.n_suspects >= BURL_WIRE_MAX_SUSPECTS) {
        burl_rt_count(BURL_COUNTER_SUSPECTS_FULL);
        return key;
    }
    s = &ctl->suspects[ctl->result.n_suspects];
    memset(s, 0, sizeof *s);
    s->key = key;
    s->count = 1;
    s->rank = rank;
    suspect_fill(s, kind, observer, sites, ops, tids, n, addr);
    ctl->result.n_suspects++;
    return key;
}

void
burl_ob_behind(uint64_t key, enum burl_wire_behind behind)
{
    struct burl_wire_suspect *s = key != 0 ? suspect_find(key) : NULL;

    if (s != NULL && s->behind < behind)
        s->behind = (uint16_t)behind;
}

void
burl_ob_places(uint64_t key, const uint32_t *places, uint32_t n)
{
    struct burl_wire_suspect *s = suspect_find(key);

    if (s != NULL && s->places[0] == 0)
        memcpy(s->places, places, n * sizeof *places);
}

bool
burl_ob_stops_at(uint64_t key)
{
    return key != 0 && key == burl_rt.ctl->order.stop_key;
}

bool
burl_ob_aims_at(uint32_t site)
{
    const struct burl_wire_order *o = &burl_rt.ctl->order;
    uint32_t sites[BURL_WIRE_MAX_SITES];
    const uint32_t *list = o->watch.sites;
    uint32_t n = o->watch.n_sites;

    if (burl_wire_has_goal(o->strategy)) {
        list = sites;
        n = burl_wire_goal_sites(&o->args.goal, sites);
    }
    for (uint32_t i = 0; i < n && i < BURL_WIRE_MAX_SITES; i++) {
        if (list[i] == site)
            return true;
    }
    return false;
}

void
burl_ob_fill_side(struct burl_wire_side *side, const struct burl_watch *w,
                  const struct burl_access *a)
{
    const struct burl_past p = burl__past_without_side(w, a);
    const struct burl_thread *t = w->thread;

    burl__past_side(side, &p, a->addr);
    if (t != NULL)
        burl__shadow_fill(t, side->stack, BURL_WIRE_MAX_STACK);
    else
        burl_free_stack(side);
}

void
burl_ob_verdict(enum burl_wire_verdict_kind kind, struct burl_watch *w, uintptr_t addr,
                const struct burl_wire_side sides[2])
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    if (w->thread == NULL) {
        burl_free_verdict(kind, w, addr, sides);
        return;
    }
    v->n_sides = 2;
    v->sides[0] = sides[0];
    v->sides[1] = sides[1];
    burl__origin_fill(&v->origin, addr);
    /* A region is broken by another's access, and ends at one of its own. */
    if (sides[1].tid == w->tid) {
        w->thread->last_site = sides[1].site;
        w->thread->last_op = sides[1].op;
    }
    burl_rt_end(kind, 0, addr, kind == BURL_VERDICT_RACE_DATA ? w->behind : 0,
                kind == BURL_VERDICT_ATOMICITY_REGION ? w->region_name : NULL);
}
