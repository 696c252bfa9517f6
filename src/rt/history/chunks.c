/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history/chunks.c - where the bytes of a site are, for the calling thread.
 *
 * The sites of one executable or shared object lie contiguously in memory: a segment. Its modules
 * register before any other code of the object runs, as a rule; a segment has its final size when
 * the first chunk of it is made, and a module that comes later has a segment of its own. A copy of
 * `seen` is filled only if all sites of its object lie in the segment, so a hook never stores
 * outside of a chunk.
 */
#include "history_int.h"
#include "rt/core/core.h"
#include "rt/core/event.h"
#include "rt/core/module.h"
#include "rt/core/upcalls.h"

const struct burl_wire_site *burl__history_no_call;

/* Its first word points to itself. */
static uintptr_t
descriptor(void)
{
    uintptr_t fs;

    __asm__("movq %%fs:0, %0" : "=r"(fs));
    return fs;
}

/* ---- segments ----------------------------------------------------------------------------- */

static uint32_t
segment_of(const struct burl_wire_site *site)
{
    const struct burl_history *h = burl__history;
    /* acquire: pairs with the release store in segment_add() */
    const uint32_t n = __atomic_load_n(&h->n_segments, __ATOMIC_ACQUIRE);

    for (uint32_t i = 0; i < n; i++) {
        const struct segment *s = &h->segments[i];

        if (!s->unloaded && !s->marks && site >= s->first && site < s->end)
            return i;
    }
    return NONE;
}

/* The size in the record follows. */
static void
segment_extend(struct segment *s, const struct burl_wire_site *first,
               const struct burl_wire_site *end)
{
    struct burl_wire_hist_segment *rec = burl__history_record(s->off);

    if (first < s->first)
        s->first = first;
    if (end > s->end)
        s->end = end;
    rec->first = (uint64_t)(uintptr_t)s->first;
    rec->n_sites = (uint32_t)(s->end - s->first);
}

static struct segment *
segment_add(const struct burl_wire_site *first, const struct burl_wire_site *end,
            const struct burl__object *o, const struct burl_hot *hot)
{
    struct burl_history *h = burl__history;
    struct segment *s = &h->segments[h->n_segments];
    struct burl_wire_hist_segment *rec;

    if (h->n_segments == MAX_SEGMENTS) {
        burl__history_lose(BURL_HIST_LOST_MODULES);
        return NULL;
    }
    rec = burl__history_append(sizeof *rec, o->path, 0, BURL_HIST_LOST_MODULES);
    if (rec == NULL)
        return NULL;
    *s = (struct segment){ .first = first, .end = end, .bias = o->bias };
    if (hot != NULL) {
        s->marks = true;
        s->hot = (intptr_t)hot - (intptr_t)descriptor();
    }
    s->off = burl__history_publish(rec, BURL_HIST_SEGMENT);
    segment_extend(s, first, end);
    /* release: marks look through the segments without the lock */
    __atomic_store_n(&h->n_segments, h->n_segments + 1, __ATOMIC_RELEASE);
    return s;
}

/* Something else lies where an object was: that one is gone. */
static void
segments_forget(const struct burl_wire_site *first, const struct burl_wire_site *end)
{
    struct burl_history *h = burl__history;

    for (uint32_t i = 0; i < h->n_segments; i++) {
        struct segment *s = &h->segments[i];

        if (first < s->end && end > s->first && !s->unloaded && !s->marks)
            s->unloaded = true;
    }
}

static struct segment *
segment_for(const struct burl_wire_module *m, const struct burl__object *o)
{
    struct burl_history *h = burl__history;
    const struct burl_wire_site *end = m->sites + m->n_sites;

    for (uint32_t i = 0; i < h->n_segments; i++) {
        struct segment *s = &h->segments[i];

        if (s->unloaded || s->marks || s->bias != o->bias)
            continue;
        if (!s->frozen)
            segment_extend(s, m->sites, end);
        if (m->sites >= s->first && end <= s->end)
            return s;
    }
    segments_forget(m->sites, end);
    return segment_add(m->sites, end, o, NULL);
}

static void
module_add(const struct burl_wire_module *m, const struct segment *s, uint64_t sites)
{
    struct burl_wire_hist_module *rec =
        burl__history_append(sizeof *rec, m->name, 0, BURL_HIST_LOST_MODULES);

    if (rec == NULL)
        return;
    rec->hash = m->hash;
    rec->sites = sites;
    rec->n_sites = m->n_sites;
    rec->segment = s->off;
    burl__history_publish(rec, BURL_HIST_MODULE);
}

/* Where a module lies, in words for the file. */
static struct burl__object
object_of(const struct burl_wire_module *m, char path[BURL_WIRE_HIST_PATH_B])
{
    struct burl__object o;

    if (!burl__module_object((uintptr_t)m->sites, &o))
        o = (struct burl__object){ .path = "" };
    o.path = burl__history_absolute(o.path, path);
    return o;
}

void
burl_history_module(const struct burl_wire_module *m)
{
    char path[BURL_WIRE_HIST_PATH_B];
    struct burl__object o;
    struct segment *s;
    uint64_t mask;

    if (!burl_history_on || m->n_sites == 0)
        return;
    burl__history_compare_objects();
    o = object_of(m, path);
    burl__history_lock(&mask);
    s = segment_for(m, &o);
    if (s != NULL)
        module_add(m, s, (uint64_t)(uintptr_t)m->sites);
    burl__history_unlock(mask);
}

/* ---- objects that are unloaded ------------------------------------------------------------- */

/* A thread's copy in an object that is gone may be another object's memory by now. */
static void
drop_copies(struct burl_history_thread *t)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < t->n_copies; i++) {
        if (!burl__history->segments[t->copies[i].segment].unloaded)
            t->copies[n++] = t->copies[i];
    }
    t->n_copies = n;
    if (t->view != NULL && burl__history->segments[t->view->segment].unloaded)
        t->view = NULL;
}

static bool
is_loaded(uintptr_t addr, uintptr_t bias)
{
    struct burl__object o;

    return burl__module_object(addr, &o) && o.bias == bias;
}

static bool
is_gone(const struct role *r)
{
    return (r->create != NULL && segment_of(r->create) == NONE) ||
           (r->start != 0 && !is_loaded(r->start, r->start_bias));
}

/* The dynamic linker is asked without the lock: it may be calling back into the program, which may
 * be waiting for the lock in a hook. */
void
burl__history_compare_objects(void)
{
    struct burl_history *h = burl__history;
    const uint64_t n_unloads = burl__module_n_unloads();
    bool gone[BURL_WIRE_HIST_ROLES] = { false };
    uint32_t n;
    uint64_t mask;

    if (n_unloads == h->n_unloads)
        return;
    /* acquire: pairs with the release stores of segment_add() and role_add() */
    n = __atomic_load_n(&h->n_segments, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n; i++) {
        struct segment *s = &h->segments[i];

        if (!s->unloaded && !is_loaded((uintptr_t)s->first >> (s->marks ? 3 : 0), s->bias))
            s->unloaded = true;
    }
    n = __atomic_load_n(&h->n_roles, __ATOMIC_ACQUIRE);
    for (uint32_t i = 1; i < n; i++)
        gone[i] = is_gone(&h->roles[i]);
    burl__history_lock(&mask);
    h->n_unloads = n_unloads;
    for (uint32_t i = 1; i < n; i++)
        h->roles[i].retired = h->roles[i].retired || gone[i];
    for (struct burl_history_thread *t = h->running; t != NULL; t = t->next)
        drop_copies(t);
    burl__history_unlock(mask);
}

/* ---- chunks ------------------------------------------------------------------------------- */

/* With the lock. A chunk without room in the file is memory of our own, so that no hook has to ask.
 * NULL: there is not even that. */
static const struct chunk *
chunk_add(uint32_t role, uint32_t segment, bool alone)
{
    struct burl_history *h = burl__history;
    struct segment *s = &h->segments[segment];
    struct chunk *c = &h->chunks[h->n_chunks];
    size_t n = (size_t)(s->end - s->first);
    struct burl_wire_hist_chunk *rec;
    uintptr_t bytes;

    if (h->n_chunks == MAX_CHUNKS) {
        burl__history_lose(BURL_HIST_LOST_CHUNKS);
        return NULL;
    }
    s->frozen = true;
    rec = burl__history_append(sizeof *rec, NULL, n, BURL_HIST_LOST_CHUNKS);
    if (rec != NULL) {
        rec->role = h->roles[role].off;
        rec->segment = s->off;
        rec->alone = alone;
        rec->n_sites = (uint32_t)n;
        burl__history_publish(rec, BURL_HIST_CHUNK);
        bytes = (uintptr_t)(rec + 1);
    } else {
        bytes = (uintptr_t)burl__history_map(n);
        if (bytes == 0)
            return NULL;
    }
    *c = (struct chunk){
        .first = (uintptr_t)s->first,
        .end = (uintptr_t)s->end,
        .seen = bytes - ((uintptr_t)s->first >> 3),
        .segment = segment,
        .next = h->roles[role].chunks,
        .alone = alone,
    };
    h->roles[role].chunks = h->n_chunks++;
    return c;
}

static const struct chunk *
chunk_get(uint32_t role, uint32_t segment, bool alone)
{
    const struct burl_history *h = burl__history;

    for (uint32_t i = h->roles[role].chunks; i != NONE; i = h->chunks[i].next) {
        if (h->chunks[i].segment == segment && h->chunks[i].alone == alone)
            return &h->chunks[i];
    }
    return chunk_add(role, segment, alone);
}

static inline void
mark_in(const struct chunk *c, const struct burl_wire_site *site)
{
    /* relaxed: every thread of the role stores the same */
    __atomic_store_n((uint8_t *)(c->seen + ((uintptr_t)site >> 3)), 1, __ATOMIC_RELAXED);
}

static inline bool
is_of(const struct chunk *c, const struct burl_wire_site *site)
{
    return c != NULL && (uintptr_t)site - c->first < c->end - c->first;
}

/* ---- copies ------------------------------------------------------------------------------- */

static void
copy_set(struct burl_hot *copy, const struct chunk *c)
{
    if (c == NULL)
        return;
    /* relaxed: the owner stores into the old chunk or the new one */
    if (burl__history->segments[c->segment].marks)
        __atomic_store_n(&copy->delta, (intptr_t)c->seen, __ATOMIC_RELAXED);
    else
        __atomic_store_n(&copy->seen, c->seen, __ATOMIC_RELAXED);
}

static void
copy_add(struct burl_history_thread *t, struct burl_hot *copy, const struct chunk *c)
{
    for (uint32_t i = 0; i < t->n_copies; i++) {
        if (t->copies[i].copy == copy && t->copies[i].segment == c->segment)
            return;
    }
    if (t->n_copies == MAX_COPIES) {
        if (burl__history->segments[c->segment].marks)
            burl__history_lose(BURL_HIST_LOST_CHUNKS);
        return;
    }
    t->copies[t->n_copies].copy = copy;
    t->copies[t->n_copies++].segment = c->segment;
    copy->call = &t->call_site;
    copy_set(copy, c);
}

void
burl__history_switch(struct burl_history_thread *t)
{
    const bool alone = burl__history_is_alone();

    for (uint32_t i = 0; i < t->n_copies; i++)
        copy_set(t->copies[i].copy, chunk_get(t->role, t->copies[i].segment, alone));
    if (t->view != NULL)
        t->view = chunk_get(t->role, t->view->segment, alone);
}

static bool
has_all_of(const struct segment *s, const struct burl_hot *copy, const struct burl_wire_site *site)
{
    return copy != NULL && site >= copy->first && site < copy->end && copy->first >= s->first &&
           copy->end <= s->end;
}

/* ---- marks -------------------------------------------------------------------------------- */

/* A hook in a destructor that runs after ours. */
static void
mark_past(const struct burl_wire_site *site, uint32_t role)
{
    uint32_t segment = segment_of(site);
    const struct chunk *c;
    uint64_t mask;

    if (segment == NONE)
        return;
    burl__history_lock(&mask);
    c = chunk_get(role, segment, burl__history_is_alone());
    burl__history_unlock(mask);
    if (c != NULL)
        mark_in(c, site);
}

static BURL_NOINLINE void
mark_cold(struct burl_history_thread *t, const struct burl_wire_site *site, struct burl_hot *copy)
{
    uint32_t segment = segment_of(site);
    const struct chunk *c;
    struct segment *s;
    uint64_t mask;

    if (segment == NONE)
        return;
    s = &burl__history->segments[segment];
    burl__history_lock(&mask);
    if (copy != NULL && !s->frozen && site >= copy->first && site < copy->end)
        segment_extend(s, copy->first, copy->end);
    c = chunk_get(t->role, segment, burl__history_is_alone());
    t->view = c;
    if (c != NULL && has_all_of(s, copy, site))
        copy_add(t, copy, c);
    burl__history_unlock(mask);
    if (c != NULL)
        mark_in(c, site);
}

struct burl_history_thread *
burl__history_self(void)
{
    if (BURL_LIKELY(burl__history_me != NULL))
        return burl__history_me;
    return burl__history_past_role == 0 ? burl__history_adopt() : NULL;
}

void
burl_history_mark(const struct burl_wire_site *site, struct burl_hot *copy)
{
    struct burl_history_thread *t = burl__history_self();

    if (t == NULL) {
        if (burl__history_past_role != 0)
            mark_past(site, burl__history_past_role - 1);
        return;
    }
    t->entered = true;
    if ((copy == NULL || t->n_copies == MAX_COPIES) && is_of(t->view, site))
        mark_in(t->view, site);
    else
        mark_cold(t, site, copy);
}

void
burl_history_call(const struct burl_wire_site *site, struct burl_hot *copy)
{
    struct burl_history_thread *t = burl__history_self();

    if (t != NULL)
        t->call_site = site;
    burl_history_mark(site, copy);
}

/* The first function that a thread enters names its role when the start routine has no hooks. */
static void
note_first(const struct burl_history_thread *t, const struct burl_wire_site *site)
{
    struct burl_wire_hist_role *rec = burl__history_record(burl__history->roles[t->role].off);
    const struct burl_wire_module *m = burl__module_of(site->id);

    if (m == NULL || rec->first_module != 0 || (rec->flags & BURL_HIST_ROLE_MAIN) != 0)
        return;
    rec->first_site = site->id - m->base;
    /* release: a reader that sees the module sees the site */
    __atomic_store_n(&rec->first_module, m->hash, __ATOMIC_RELEASE);
}

void
burl_history_enter(const struct burl_wire_site *site, struct burl_hot *copy)
{
    struct burl_history_thread *t = burl__history_self();

    if (t != NULL && !t->entered)
        note_first(t, site);
    burl_history_mark(site, copy);
}

/* ---- marks of the record profile ---------------------------------------------------------- */

static void
lead_marks_of(struct burl_history_thread *t, uint32_t segment)
{
    const struct segment *s = &burl__history->segments[segment];
    const struct chunk *c;

    if (!s->marks || s->unloaded || t->self == 0)
        return;
    c = chunk_get(t->role, segment, burl__history_is_alone());
    if (c != NULL)
        copy_add(t, (struct burl_hot *)(t->self + (uintptr_t)s->hot), c);
}

void
burl__history_lead_marks(struct burl_history_thread *t)
{
    t->self = descriptor();
    for (uint32_t i = 0; i < burl__history->n_segments; i++)
        lead_marks_of(t, i);
}

static uint32_t
marks_of(const struct burl_hot *hot, const struct burl__object *o)
{
    struct burl_history *h = burl__history;
    const struct burl_wire_site *first =
        (const struct burl_wire_site *)((uintptr_t)hot->first_mark << 3);
    const struct burl_wire_site *end =
        (const struct burl_wire_site *)((uintptr_t)hot->end_mark << 3);

    for (uint32_t i = 0; i < h->n_segments; i++) {
        if (h->segments[i].marks && !h->segments[i].unloaded && h->segments[i].first == first)
            return i;
    }
    return segment_add(first, end, o, hot) != NULL ? h->n_segments - 1 : NONE;
}

/* Other threads may be running, but none in this object. */
BURL_EXPORT void
__burl_marks_init(struct burl_wire_module *m, uint8_t *seen, void *hot)
{
    char path[BURL_WIRE_HIST_PATH_B];
    struct burl__object o;
    uint32_t segment;
    uint64_t mask;

    if (burl_rt.ctl != NULL)
        burl_rt_refuse("the program was built with `burl-cc --record`, which only `burl regress "
                       "record` can use; build it without");
    if (m->registered)
        return;
    __burl_module_init(m);
    if (!burl_history_on || m->n_sites == 0)
        return;
    o = object_of(m, path);
    burl__history_lock(&mask);
    segment = marks_of(hot, &o);
    if (segment != NONE) {
        module_add(m, &burl__history->segments[segment], (uint64_t)(uintptr_t)seen << 3);
        for (struct burl_history_thread *t = burl__history->running; t != NULL; t = t->next)
            lead_marks_of(t, segment);
    }
    burl__history_unlock(mask);
}

/* ---- start -------------------------------------------------------------------------------- */

void
burl_history_start(const char *dir)
{
    const struct burl_wire_module *m;

    burl__history = burl__history_map(sizeof *burl__history);
    if (burl__history == NULL)
        return;
    if (!burl__history_create_file(dir) || !burl__history_init_main())
        return;
    burl__history->n_unloads = burl__module_n_unloads();
    burl_history_on = true;
    burl_ob_wants |= BURL_WANT_HISTORY;
    for (uint32_t i = 0; (m = burl__module_at(i)) != NULL; i++)
        burl_history_module(m);
}
