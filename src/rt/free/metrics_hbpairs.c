/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/metrics_hbpairs.c - HBPAIRS in free mode; the definition is cover/hbpairs.c's. Everything
 * of an object happens in its locked bucket (metrics_objects.c).
 */
#include "metrics.h"

static struct burl_metric_source
source_of(const struct burl_free_thread *f, uint32_t site, uint32_t object)
{
    return (struct burl_metric_source){
        .site = site,
        .object = object,
        .thread_name = f->metric->name,
        .number = 1,
        .tid = f->tid,
    };
}

static void
cover(const struct burl_metric_source *from, const struct burl_free_thread *f, uint32_t site)
{
    uint64_t h;

    if (from->number == 0 || from->tid == f->tid || from->site == 0 || site == 0)
        return;
    h = burl_wire_mix(from->thread_name, f->metric->name);
    burl__metric_put(f->metric, BURL_METRIC_HBPAIRS, from->site, site, from->object,
                     (uint32_t)(h ^ h >> 32), 0);
}

/* What is not in the program's memory has no name. */
static uint32_t
name_of(const struct burl_free_thread *f, struct burl_metric_object *o)
{
    const uintptr_t user = (uintptr_t)1 << 63;
    uintptr_t addr = o->addr;

    if (addr == (uintptr_t)&burl_ob_channel_io || addr == (uintptr_t)&burl_ob_channel_signal ||
        addr == (uintptr_t)&f->metric->fence_release)
        return 0;
    if (!o->named) {
        o->name = burl__metric_object_name(f, addr & ~user);
        o->named = true;
    }
    return o->name;
}

void
burl__hbpairs_source(struct burl_free_thread *f, struct burl_metric_object *o, uint32_t at,
                     bool shared)
{
    struct burl_metric_source s = source_of(f, at, name_of(f, o));

    s.number = ++o->n_sources;
    if (shared)
        o->reader = s;
    else
        o->last = s;
}

void
burl__hbpairs_sink(struct burl_free_thread *f, const struct burl_metric_object *o, uint32_t at,
                   uint8_t taking)
{
    if (taking == 1 + BURL_LOCK_EXCLUSIVE && o->reader.number > o->last.number)
        cover(&o->reader, f, at);
    else
        cover(&o->last, f, at);
}

void
burl__hbpairs_create(struct burl_free_thread *me, struct burl_metric_thread *child, uint32_t at)
{
    child->born = source_of(me, at, 0);
}

/* The thread has started when its first function is entered. */
void
burl__hbpairs_enter(struct burl_free_thread *f, uint32_t site)
{
    cover(&f->metric->born, f, site);
}

void
burl__hbpairs_join(struct burl_free_thread *f, const struct burl_free_thread *ended, uint32_t at)
{
    struct burl_metric_source s = source_of(ended, ended->metric->root, 0);

    cover(&s, f, at);
}
