/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_names.c - abstract names for the metrics of free mode, and the items they put.
 *
 * The names are cover/names.c's. A cell keeps the name of its variable as the number of an origin
 * (an allocation site, or a file whose static storage it is) and a place in it, so that it is
 * looked up once in the life of the memory and compared without hashing. Origins are numbered as
 * they are met: a table that only grows, entered by compare-and-exchange.
 */
#include "metrics.h"

#define ORIGINS 65536u
#define OTHER 0u /* number of memory that is neither heap nor static */
#define BIRTHS 4096u

struct origin {
    uint64_t key; /* kind and base, 0: free */
};

struct birth {
    uint64_t hash; /* 0: free */
    uint32_t n;
};

uint32_t *burl_metric_thread_names;
uint8_t *burl_metric_ended;
static struct origin *origins;
static struct birth *births;
static uint32_t births_lock;

bool
burl__metric_names_map(void)
{
    burl_metric_thread_names = burl__free_map((UINT16_MAX + 1u) * sizeof(uint32_t));
    burl_metric_ended = burl__free_map(UINT16_MAX + 1u);
    origins = burl__free_map(ORIGINS * sizeof *origins);
    births = burl__free_map(BIRTHS * sizeof *births);
    return burl_metric_thread_names != NULL && burl_metric_ended != NULL && origins != NULL &&
           births != NULL;
}

/* ---- variables ------------------------------------------------------------------------------ */

static uint32_t
origin_number(const struct burl_cover_place *p)
{
    uint64_t key = (uint64_t)p->kind << 32 | p->base;
    uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 48);

    if (p->kind == BURL_PLACE_OTHER)
        return OTHER;
    for (uint32_t i = 0; i < ORIGINS; i++, at = (at + 1) % ORIGINS) {
        uint64_t was = 0;

        if (at == OTHER)
            continue;
        /* relaxed: the key is all there is */
        if (__atomic_load_n(&origins[at].key, __ATOMIC_RELAXED) == key ||
            __atomic_compare_exchange_n(&origins[at].key, &was, key, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED) ||
            was == key)
            return at;
    }
    burl__metrics_full("the places that allocate memory");
    return OTHER;
}

/* Most memory that is new to a thread is of the block in which it found something before. */
static void
place_of(const struct burl_free_thread *f, uintptr_t addr, struct burl_cover_place *p)
{
    struct burl_metric_thread *m = f->metric;
    uint32_t gone = burl__memory_gone();

    *p = (struct burl_cover_place){ .kind = BURL_PLACE_OTHER };
    if (addr - f->stack_lo < f->stack_hi - f->stack_lo)
        return;
    if (addr - m->block.lo < m->block.hi - m->block.lo && m->block.gone == gone) {
        p->kind = BURL_PLACE_HEAP;
        p->base = m->block.site;
        p->offset = addr - m->block.lo;
        return;
    }
    burl__cover_place(addr, p);
    if (p->kind != BURL_PLACE_HEAP)
        return;
    m->block.lo = addr - p->offset;
    m->block.hi = m->block.lo + burl__memory_size(m->block.lo);
    m->block.site = p->base;
    m->block.gone = gone;
}

uint64_t
burl__metric_name(const struct burl_free_thread *f, uintptr_t addr)
{
    struct burl_cover_place p;

    place_of(f, addr, &p);
    return BURL_X_NAMED | (uint64_t)origin_number(&p) << (BURL_X_NAME_SHIFT + 6) |
           (p.offset / 8 % BURL_FOLD_DATA) << BURL_X_NAME_SHIFT;
}

uint32_t
burl__metric_variable(uint64_t name)
{
    uint64_t key = origins[name >> (BURL_X_NAME_SHIFT + 6) & 0xffff].key;

    return burl__cover_place_name(
        (enum burl_place_kind)(key >> 32 != 0 ? key >> 32 : BURL_PLACE_OTHER), (uint32_t)key,
        name >> BURL_X_NAME_SHIFT & 63);
}

uint32_t
burl__metric_object_name(const struct burl_free_thread *f, uintptr_t addr)
{
    struct burl_cover_place p;

    place_of(f, addr, &p);
    return burl__cover_place_name(p.kind, p.base, p.offset / 8 % BURL_FOLD_OBJECT);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* How many threads were created so before. */
static uint32_t
birth_ordinal(uint64_t hash)
{
    uint32_t at = (uint32_t)(hash % BIRTHS);
    uint32_t n = 0;

    burl__spin_lock(&births_lock);
    for (uint32_t i = 0; i < BIRTHS; i++, at = (at + 1) % BIRTHS) {
        if (births[at].hash != hash && births[at].hash != 0)
            continue;
        births[at].hash = hash;
        n = births[at].n++;
        break;
    }
    burl__spin_unlock(&births_lock);
    return n;
}

uint64_t
burl__metric_birth(const struct burl_free_thread *me, uint32_t at)
{
    uint64_t h = burl__stack_hash(me, at, BURL_METRIC_FLOORS);
    uint32_t n;

    me->metric->busy = true;
    n = birth_ordinal(h);
    me->metric->busy = false;
    return burl_wire_mix(h, n);
}

/* ---- items ---------------------------------------------------------------------------------- */

void
burl__metric_put(struct burl_metric_thread *m, enum burl_wire_metric metric, uint32_t a, uint32_t b,
                 uint32_t c, uint32_t d, uint8_t flags)
{
    uint64_t h = burl_wire_mix(burl_wire_mix((uint64_t)a << 32 | b, (uint64_t)c << 32 | d), metric);
    uint64_t *at = &m->items[h % BURL_METRIC_ITEMS];

    if (*at == h || !burl_metrics.on)
        return;
    *at = h;
    (void)burl__cover_put(metric, a, b, c, d, flags);
}
