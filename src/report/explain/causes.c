/* SPDX-License-Identifier: Apache-2.0 */
/*
 * causes.c - an index of the trace by memory location, and the last reads of the failing thread.
 *
 * Runs in the host. A trace does not say which reads a failed check depended on. The last reads of
 * shared data before the failure are taken; those on the failing line alone if there are any; and
 * for a crash at an address, the read that returned the pointer. In doubt a report has one line too
 * many.
 */
#include "base/path.h"
#include "report/explain/pattern_int.h"

/* Maximum distance from the failure, in operations of the failing thread, of a read that may have
 * caused it. */
#define LOOK_BACK 200u
/* A pointer and what is reached through it lie within a page. */
#define NEAR_B 4096u

bool
burl__report_is_read(uint8_t kind)
{
    return kind == BURL_OP_READ || kind == BURL_OP_ATOMIC_LOAD || kind == BURL_OP_ATOMIC_RMW ||
           kind == BURL_OP_ATOMIC_CAS;
}

bool
burl__report_is_done_write(const struct burl_wire_event *ev)
{
    return burl__report_is_write(ev->kind) && !(ev->flags & BURL_EV_F_FAILED);
}

static void
collect_places(struct burl__report_causes *c)
{
    const struct burl_run *run = c->w->run;

    for (size_t i = 0; i < run->n_events; i++) {
        const struct burl_wire_event *ev = &run->events[i];
        uint64_t *slot;

        if (ev->tid >= c->w->n_threads)
            continue;
        if (burl__report_is_op(ev->kind) && c->left[i].why == BURL_SWITCH_PREEMPT &&
            c->left[i].kind != BURL_OP_NONE)
            BURL_VEC_PUSH(&c->preemptions, i);
        if (!burl__report_is_access(ev->kind) || ev->addr == 0)
            continue;
        slot = burl_map_at(&c->map, ev->addr);
        if (*slot == 0) {
            (void)BURL_VEC_ADD(&c->places);
            *slot = c->places.n;
        }
        BURL_VEC_PUSH(&c->places.v[*slot - 1], i);
    }
}

const struct burl__report_place *
burl__report_place_of(const struct burl__report_causes *c, size_t event)
{
    const struct burl_wire_event *ev = &c->w->run->events[event];
    uint64_t i;

    if (!burl__report_is_access(ev->kind) || !burl_map_get(&c->map, ev->addr, &i))
        return NULL;
    return &c->places.v[i - 1];
}

static bool
is_shared(const struct burl__report_causes *c, size_t event)
{
    const struct burl__report_place *p = burl__report_place_of(c, event);
    const struct burl_wire_event *events = c->w->run->events;
    bool written = false;
    bool several = false;

    for (size_t i = 0; p != NULL && i < p->n && !(written && several); i++) {
        written = written || burl__report_is_write(events[p->v[i]].kind);
        several = several || events[p->v[i]].tid != events[event].tid;
    }
    return written && several;
}

size_t
burl__report_accesses_before(const struct burl__report_place *p, size_t event)
{
    size_t lo = 0;
    size_t hi = p->n;

    while (lo < hi) {
        const size_t mid = lo + (hi - lo) / 2;

        if (p->v[mid] < event)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

size_t
burl__report_reads_from(const struct burl__report_causes *c, size_t event)
{
    const struct burl__report_place *p = burl__report_place_of(c, event);

    for (size_t i = p != NULL ? burl__report_accesses_before(p, event) : 0; i > 0; i--) {
        if (burl__report_is_done_write(causes_event(c, p->v[i - 1])))
            return p->v[i - 1];
    }
    return SIZE_MAX;
}

size_t
burl__report_next_write(const struct burl__report_causes *c, size_t event, uint16_t tid,
                        size_t from)
{
    const struct burl__report_place *p = burl__report_place_of(c, event);

    for (size_t i = p != NULL ? burl__report_accesses_before(p, from) : 0; p != NULL && i < p->n;
         i++) {
        const struct burl_wire_event *ev = causes_event(c, p->v[i]);

        if (p->v[i] > from && (tid == BURL_TID_NONE || ev->tid == tid) &&
            burl__report_is_done_write(ev))
            return p->v[i];
    }
    return SIZE_MAX;
}

bool
burl__report_reads_shared(const struct burl__report_causes *c, size_t event)
{
    const struct burl_wire_event *read = causes_event(c, event);
    const struct burl__report_place *p =
        burl__report_is_read(read->kind) ? burl__report_place_of(c, event) : NULL;

    for (size_t i = 0; p != NULL && i < p->n; i++) {
        if (causes_event(c, p->v[i])->tid != read->tid &&
            burl__report_is_done_write(causes_event(c, p->v[i])))
            return true;
    }
    return false;
}

bool
burl__report_preempted_between(const struct burl__report_causes *c, size_t from, size_t to,
                               bool *pending)
{
    const uint16_t tid = c->w->run->events[from].tid;
    bool any = false;

    *pending = false;
    for (size_t i = 0; i < c->preemptions.n && c->preemptions.v[i] < to; i++) {
        if (c->preemptions.v[i] < from || c->w->run->events[c->preemptions.v[i]].tid != tid)
            continue;
        any = true;
        *pending = *pending || c->next[c->preemptions.v[i]] == to;
    }
    return any;
}

bool
burl__report_reused(const struct burl__report_causes *c, size_t from, size_t to)
{
    const uint64_t addr = c->w->run->events[from].addr;

    for (size_t i = from; i < to; i++) {
        const struct burl_wire_event *ev = &c->w->run->events[i];

        if ((ev->kind == BURL_OP_ALLOC || ev->kind == BURL_OP_FREE) && addr >= ev->addr &&
            addr - ev->addr < (ev->aux > 0 ? ev->aux : 1))
            return true;
    }
    return false;
}

size_t
burl__report_last_of(const struct burl__report_causes *c, uint16_t tid, size_t i)
{
    while (i-- > 0) {
        const struct burl_wire_event *ev = &c->w->run->events[i];

        if (ev->tid == tid && burl__report_is_op(ev->kind))
            return i;
    }
    return SIZE_MAX;
}

static bool
has_read(const struct burl__report_causes *c, size_t event)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        if (c->w->run->events[c->reads[i]].addr == c->w->run->events[event].addr)
            return true;
    }
    return false;
}

/* Is a thread preempted before a write to a variable of the same name? */
static bool
is_awaited(const struct burl__report_causes *c, size_t event)
{
    const struct burl_site_info *mine = burl_sites_get(c->w->sites, c->w->run->events[event].site);

    for (size_t i = 0; i < c->preemptions.n; i++) {
        const struct burl__report_left *l = &c->left[c->preemptions.v[i]];

        if (burl__report_is_write(l->kind) && mine->variable[0] != '\0' &&
            strcmp(mine->variable, burl_sites_get(c->w->sites, l->site)->variable) == 0)
            return true;
    }
    return false;
}

/* Did this read return the pointer of the crash? */
static bool
gave_pointer(const struct burl__report_causes *c, size_t event)
{
    const struct burl_wire_verdict *v = &c->w->run->verdict;
    const struct burl_wire_event *ev = &c->w->run->events[event];

    return v->kind == BURL_VERDICT_CRASH_SIGNAL && ev->size_b == 8 &&
           (ev->flags & BURL_EV_F_VALUE) && v->addr >= ev->value && v->addr - ev->value < NEAR_B;
}

static bool
is_on_line(const struct burl__report_causes *c, const struct burl_finding *f, size_t event)
{
    const struct burl_site_info *s = burl_sites_get(c->w->sites, c->w->user_site[event]);

    return f->where.line != 0 && s->line == f->where.line &&
           strcmp(burl_path_basename(s->file), burl_path_basename(f->where.file)) == 0;
}

static void
keep_only(struct burl__report_causes *c, const struct burl_finding *f)
{
    size_t n = 0;

    for (size_t i = 0; i < c->n_reads; i++) {
        if (is_on_line(c, f, c->reads[i]))
            c->reads[n++] = c->reads[i];
    }
    if (n > 0)
        c->n_reads = n;
}

static void
find_reads(struct burl__report_causes *c, const struct burl_finding *f)
{
    const struct burl_run *run = c->w->run;
    unsigned left = LOOK_BACK;

    for (size_t i = run->n_events; i > 0 && left > 0; i--) {
        const struct burl_wire_event *ev = &run->events[i - 1];

        if (ev->tid != run->verdict.tid || !burl__report_is_op(ev->kind))
            continue;
        left--;
        if (!burl__report_is_read(ev->kind))
            continue;
        if (gave_pointer(c, i - 1)) {
            c->reads[0] = i - 1;
            c->n_reads = 1;
            return;
        }
        if (!(is_shared(c, i - 1) || is_awaited(c, i - 1)) || has_read(c, i - 1))
            continue;
        if (c->n_reads < BURL__REPORT_MAX_READS)
            c->reads[c->n_reads++] = i - 1;
    }
    keep_only(c, f);
}

void
burl__report_causes_init(struct burl__report_causes *c, const struct burl__report_walk *w,
                         const struct burl_finding *f, const struct burl__report_left *left,
                         const size_t *next)
{
    *c = (struct burl__report_causes){ .w = w, .left = left, .next = next };
    collect_places(c);
    find_reads(c, f);
}

void
burl__report_causes_deinit(struct burl__report_causes *c)
{
    for (size_t i = 0; i < c->places.n; i++)
        BURL_VEC_FREE(&c->places.v[i]);
    BURL_VEC_FREE(&c->places);
    BURL_VEC_FREE(&c->preemptions);
    burl_map_deinit(&c->map);
}
