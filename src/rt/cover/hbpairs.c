/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/hbpairs.c - HBPAIRS: HBPair* (PAPERS 5.6).
 *
 * Runs in the target. A synchronization of one thread directly lets that of another go on: unlock
 * and lock, signal and wakeup, post and wait, barrier, once, atomic release and acquire, create
 * and start, end and join. With the abstract object and threads.
 *
 * Directly: the last one that went into the object. A reader of a lock is let go on by the last
 * writer, a writer by the last reader or writer. The site of a start or an end is that of the
 * thread's outermost function, which is known when it is entered.
 */
#include "cover.h"
#include "rt/detect/detect.h"

struct source {
    uint64_t number; /* in order, of all executions; 0 none */
    uint32_t site;
    uint32_t object; /* abstract */
    uint32_t thread_name;
    uint16_t tid;
};

struct object {
    struct burl_chain chain; /* key: address */
    struct source last;      /* of writers and everything that is no lock */
    struct source reader;
};

struct own {
    struct source birth; /* until it has started */
    uint32_t root;       /* its outermost function */
};

static struct burl_chains objects;
static uint64_t n_sources;

static struct own *
hbpairs_own(struct burl_watch *w)
{
    return burl_ob_own(w, BURL_OBSERVER_HBPAIRS, sizeof(struct own));
}

static struct object *
object_get(uintptr_t addr)
{
    return burl_chains_get(&objects, addr, sizeof(struct object));
}

static void
hbpairs_cover(const struct source *from, struct burl_watch *w, uint32_t site)
{
    uint64_t h;

    if (from->number == 0 || from->tid == w->tid || from->site == 0 || site == 0)
        return;
    h = burl_wire_mix(from->thread_name, burl__cover_thread(w));
    burl__cover_put(BURL_METRIC_HBPAIRS, from->site, site, from->object, (uint32_t)(h ^ h >> 32),
                    0);
}

/* What is not in the program's memory (a thread's own channel, a fence) has no name of its own. */
static uint32_t
name_of(const struct burl_watch *w, uintptr_t addr)
{
    const uintptr_t user = (uintptr_t)1 << 63;

    if (addr == (uintptr_t)&burl_ob_channel_io || addr == (uintptr_t)&burl_ob_channel_signal ||
        addr == (uintptr_t)&w->fence_release)
        return 0;
    return burl__cover_object(w->wakes_by != 0 ? w->wakes_by : addr & ~user);
}

static struct source
source_of(struct burl_watch *w, uint32_t site, uint32_t object)
{
    return (struct source){ .number = ++n_sources,
                            .site = site,
                            .object = object,
                            .thread_name = burl__cover_thread(w),
                            .tid = w->tid };
}

static void
hbpairs_source(struct burl_watch *w, uintptr_t addr)
{
    struct object *o = object_get(addr);
    struct source s = source_of(w, w->at, name_of(w, addr));

    if (burl_held_shared(&w->held, addr))
        o->reader = s;
    else
        o->last = s;
}

static void
hbpairs_sink(struct burl_watch *w, uintptr_t addr)
{
    const struct object *o = (const struct object *)burl_chains_find(&objects, addr);

    if (o == NULL)
        return;
    if (w->taking == 1 + BURL_LOCK_EXCLUSIVE && o->reader.number > o->last.number)
        hbpairs_cover(&o->reader, w, w->at);
    else
        hbpairs_cover(&o->last, w, w->at);
}

static void
hbpairs_drop(uintptr_t addr)
{
    struct object *o = (struct object *)burl_chains_find(&objects, addr);

    if (o == NULL)
        return;
    o->last.number = 0;
    o->reader.number = 0;
}

static void
hbpairs_pass(uintptr_t from, uintptr_t to)
{
    const struct object *o = (const struct object *)burl_chains_find(&objects, from);

    if (o != NULL && o->last.number != 0)
        object_get(to)->last = o->last;
}

static void
hbpairs_create(struct burl_watch *parent, struct burl_watch *child)
{
    hbpairs_own(child)->birth = source_of(parent, parent->at, 0);
}

static void
hbpairs_enter(struct burl_watch *w, uint32_t site)
{
    struct own *own = hbpairs_own(w);

    if (own->root != 0)
        return;
    own->root = site;
    hbpairs_cover(&own->birth, w, site);
}

static void
hbpairs_join(struct burl_watch *w, struct burl_watch *ended)
{
    struct source s = source_of(ended, hbpairs_own(ended)->root, 0);

    hbpairs_cover(&s, w, w->at);
}

const struct burl_observer burl_observer_hbpairs = {
    .wants = BURL_WANT_CALLS | BURL_WANT_SYNC,
    .source = hbpairs_source,
    .sink = hbpairs_sink,
    .drop = hbpairs_drop,
    .pass = hbpairs_pass,
    .create = hbpairs_create,
    .join = hbpairs_join,
    .enter = hbpairs_enter,
};
