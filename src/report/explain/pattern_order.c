/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_order.c - data that belong together, data used too early, checks that were not repeated.
 *
 * Runs in the host. All start from what the failing thread read last (causes.c). A write that did
 * not happen any more is known from the switch at which its thread was stopped: the site
 * of the operation, not its address, so the names must agree and be those of plain variables.
 */
#include "report/explain/pattern_int.h"
#include "wire/site.h"

static const struct burl_wire_event *
event(const struct burl__report_causes *c, size_t i)
{
    return &c->w->run->events[i];
}

static bool
is_done_write(const struct burl_wire_event *ev)
{
    return burl__report_is_write(ev->kind) && !(ev->flags & BURL_EV_F_FAILED);
}

/* The first write of thread `tid` to the address of `read`, after event `from`; SIZE_MAX none. */
static size_t
next_write(const struct burl__report_causes *c, size_t read, uint16_t tid, size_t from)
{
    const struct burl__report_place *p = burl__report_place_of(c, read);

    for (size_t i = 0; p != NULL && i < p->n; i++) {
        if (p->v[i] > from && event(c, p->v[i])->tid == tid && is_done_write(event(c, p->v[i])))
            return p->v[i];
    }
    return SIZE_MAX;
}

/* "x", "s.len": the same name is the same memory. Not so `p->len`, `a[i]`. */
static bool
is_plain_name(const char *name)
{
    return name[0] != '\0' && strpbrk(name, ">[*(") == NULL;
}

/* The thread's last operation before `at`, when it is stopped there at least until `at`. */
static size_t
stopped_at(const struct burl__report_causes *c, uint16_t tid, size_t at)
{
    const size_t last = burl__report_last_of(c, tid, at);

    if (last == SIZE_MAX || c->left[last].why != BURL_SWITCH_PREEMPT ||
        c->left[last].kind == BURL_OP_NONE || (c->next[last] != SIZE_MAX && c->next[last] < at))
        return SIZE_MAX;
    return last;
}

/* The site of the write to the memory of `read` that the thread is stopped before; 0 none. */
static uint32_t
pending_write(const struct burl__report_causes *c, uint16_t tid, size_t read)
{
    const size_t last = stopped_at(c, tid, read);
    const struct burl_site_info *mine = burl_sites_get(c->w->sites, event(c, read)->site);
    const struct burl_site_info *site;

    if (last == SIZE_MAX || !burl__report_is_write(c->left[last].kind))
        return 0;
    site = burl_sites_get(c->w->sites, c->left[last].site);
    return is_plain_name(mine->variable) && strcmp(mine->variable, site->variable) == 0 ? site->id
                                                                                        : 0;
}

/* ---- two that belong together ------------------------------------------------------ */

struct pair {
    size_t x, y;      /* reads of the failing thread */
    size_t wx, wy;    /* writes of the other; SIZE_MAX: wy only pending */
    uint32_t pending; /* its site */
};

/* x as the other thread left it, y as it was before. */
static bool
is_half_seen(const struct burl__report_causes *c, struct pair *p)
{
    uint16_t tid;
    size_t between;

    p->wx = burl__report_reads_from(c, p->x);
    if (p->wx == SIZE_MAX || event(c, p->wx)->tid == event(c, p->x)->tid)
        return false;
    tid = event(c, p->wx)->tid;
    between = next_write(c, p->y, tid, p->wx);
    if (between != SIZE_MAX && between < p->y)
        return false;
    p->wy = between;
    p->pending = between == SIZE_MAX ? pending_write(c, tid, p->y) : 0;
    return p->wy != SIZE_MAX || p->pending != 0;
}

/* x before the other thread wrote it, y as that thread left it since. */
static bool
is_torn_read(const struct burl__report_causes *c, struct pair *p)
{
    p->wy = burl__report_reads_from(c, p->y);
    p->pending = 0;
    if (p->wy == SIZE_MAX || p->wy < p->x || p->x > p->y ||
        event(c, p->wy)->tid == event(c, p->y)->tid)
        return false;
    p->wx = next_write(c, p->x, event(c, p->wy)->tid, p->x);
    return p->wx != SIZE_MAX && p->wx < p->y;
}

static void
say_read(struct burl__report_sentence *s, size_t read, const char *when, uint16_t whose)
{
    burl__report_say_what(s, read);
    burl__report_say_line(s, read);
    burl__report_say(s, when);
    if (whose != BURL_TID_NONE)
        burl__report_say_whose(s, whose);
    else
        burl__report_say(s, "its");
    burl__report_say(s, " write");
}

/* Either both before or both after would have been right. */
static void
blame_pair(struct burl__report_causes *c, struct burl__report_sentence *s, const struct pair *p,
           bool torn)
{
    if (torn) {
        const size_t y = next_write(c, p->y, event(c, p->wy)->tid, p->x);

        burl__report_blame_between(s, p->x, y < p->wx ? y : p->wx, p->wy, p->y);
        return;
    }
    burl__report_blame(s, p->wx, p->x);
    if (p->pending == 0)
        burl__report_blame(s, p->y, p->wy);
    else
        burl__report_blame_pending(s, p->y, stopped_at(c, event(c, p->wx)->tid, p->y));
}

static bool
say_pair(struct burl__report_causes *c, struct burl__report_sentence *s, const struct pair *p,
         bool torn)
{
    const uint16_t writer = s->w->run->events[p->wx].tid;

    burl__report_say_begin(s, torn ? "torn-read" : "half-updated");
    burl__report_say_event(s, p->x);
    burl__report_say_event(s, p->y);
    burl__report_say_event(s, p->wx);
    if (p->pending != 0)
        burl__report_say_site(s, p->pending);
    else
        burl__report_say_event(s, p->wy);
    blame_pair(c, s, p, torn);
    burl__report_say_thread(s, s->w->run->events[p->x].tid);
    burl__report_say(s, " reads ");
    say_read(s, p->x, torn ? " before " : " after ", writer);
    burl__report_say_line(s, p->wx);
    burl__report_say(s, " but ");
    say_read(s, p->y, torn ? " after " : " before ", BURL_TID_NONE);
    if (p->pending != 0)
        burl__report_say_line_of(s, p->pending);
    else
        burl__report_say_line(s, p->wy);
    return burl__report_said(c, s);
}

bool
burl__report_pattern_together(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        for (size_t k = 0; k < c->n_reads; k++) {
            struct pair p = { .x = c->reads[i], .y = c->reads[k] };

            if (i == k)
                continue;
            if (is_half_seen(c, &p) && say_pair(c, s, &p, false))
                return true;
            if (is_torn_read(c, &p) && say_pair(c, s, &p, true))
                return true;
        }
    }
    return false;
}

/* ---- too early --------------------------------------------------------------------- */

static bool
is_untouched(const struct burl__report_causes *c, size_t read)
{
    return c->w->run->events_dropped == 0 && burl__report_reads_from(c, read) == SIZE_MAX;
}

/* "x++" does not set x: it makes no less of a value that was there. */
static bool
is_update(const struct burl__report_causes *c, size_t write)
{
    const size_t before = burl__report_last_of(c, event(c, write)->tid, write);

    return burl__report_is_read(event(c, write)->kind) ||
           (before != SIZE_MAX && burl__report_is_read(event(c, before)->kind) &&
            event(c, before)->addr == event(c, write)->addr);
}

/* Who writes it first, later in the trace or as the operation it is stopped before. */
static bool
find_setter(const struct burl__report_causes *c, size_t read, size_t *write, uint32_t *pending,
            uint16_t *tid)
{
    const struct burl__report_place *p = burl__report_place_of(c, read);

    for (size_t i = 0; i < p->n; i++) {
        if (p->v[i] > read && is_done_write(event(c, p->v[i]))) {
            *write = p->v[i];
            *tid = event(c, p->v[i])->tid;
            return *tid != event(c, read)->tid && !is_update(c, p->v[i]);
        }
    }
    for (size_t t = 0; t < c->w->n_threads; t++) {
        *pending = t != event(c, read)->tid ? pending_write(c, (uint16_t)t, read) : 0;
        *tid = (uint16_t)t;
        if (*pending != 0)
            return true;
    }
    return false;
}

/*
 * A null pointer that nobody has set, while a thread is stopped before a write. Whether to the same
 * memory is not known: pending operations have no address. So both are said, and no more.
 */
static bool
say_unset_pointer(struct burl__report_causes *c, struct burl__report_sentence *s, size_t read)
{
    const struct burl_wire_event *ev = event(c, read);
    const size_t stop = c->stops.n > 0 ? c->stops.v[c->stops.n - 1] : SIZE_MAX;
    const struct burl_site_info *site;

    if (c->w->run->verdict.kind != BURL_VERDICT_CRASH_SIGNAL || stop == SIZE_MAX || stop > read ||
        !(ev->flags & BURL_EV_F_VALUE) || ev->value != 0 || ev->size_b != 8 ||
        event(c, stop)->tid == ev->tid || c->next[stop] != SIZE_MAX ||
        !burl__report_is_write(c->left[stop].kind))
        return false;
    site = burl_sites_get(c->w->sites, c->left[stop].site);
    if (site->variable[0] == '\0')
        return false;
    burl__report_say_begin(s, "used-too-early");
    burl__report_say_event(s, read);
    burl__report_say_site(s, site->id);
    burl__report_blame_pending(s, read, stop);
    burl__report_say_thread(s, ev->tid);
    burl__report_say(s, " uses a pointer");
    burl__report_say_line(s, read);
    burl__report_say(s, " that is not set yet, while ");
    burl__report_say_thread(s, event(c, stop)->tid);
    burl__report_say(s, " is preempted before it writes ");
    burl__report_say(s, site->variable);
    burl__report_say_line_of(s, site->id);
    return burl__report_said(c, s);
}

static bool
say_early(struct burl__report_causes *c, struct burl__report_sentence *s, size_t read, size_t write,
          uint32_t pending, uint16_t tid)
{
    const bool crash = c->w->run->verdict.kind == BURL_VERDICT_CRASH_SIGNAL;

    burl__report_say_begin(s, "used-too-early");
    burl__report_say_event(s, read);
    if (write != SIZE_MAX) {
        burl__report_say_event(s, write);
        burl__report_blame(s, read, write);
    } else {
        burl__report_say_site(s, pending);
        burl__report_blame_pending(s, read, stopped_at(c, tid, read));
    }
    burl__report_say_thread(s, event(c, read)->tid);
    burl__report_say(s, crash ? " uses " : " reads ");
    burl__report_say_what(s, read);
    burl__report_say_line(s, read);
    burl__report_say(s, " before ");
    burl__report_say_thread(s, tid);
    burl__report_say(s, " sets it");
    if (write != SIZE_MAX)
        burl__report_say_line(s, write);
    else
        burl__report_say_line_of(s, pending);
    return burl__report_said(c, s);
}

/* The failing thread saw what another made of such a value: that one's statement read it, while the
 * thread that sets it was stopped right before. */
static bool
say_early_source(struct burl__report_causes *c, struct burl__report_sentence *s, size_t seen)
{
    const size_t made = burl__report_reads_from(c, seen);
    size_t read = made;

    if (made == SIZE_MAX || event(c, made)->tid == event(c, seen)->tid)
        return false;
    for (unsigned left = 8; left > 0; left--) {
        size_t write = SIZE_MAX;
        uint32_t pending = 0;
        uint16_t tid;
        size_t last;

        read = burl__report_last_of(c, event(c, made)->tid, read);
        if (read == SIZE_MAX || !burl__report_same_line(s, read, made) ||
            !burl__report_is_read(event(c, read)->kind))
            return false;
        if (!is_untouched(c, read) || !find_setter(c, read, &write, &pending, &tid) ||
            write == SIZE_MAX)
            continue;
        last = stopped_at(c, tid, read);
        if (last != SIZE_MAX && c->next[last] == write &&
            say_early(c, s, read, write, pending, tid))
            return true;
    }
    return false;
}

bool
burl__report_pattern_early(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        const size_t read = c->reads[i];
        size_t write = SIZE_MAX;
        uint32_t pending = 0;
        uint16_t tid;

        if (!is_untouched(c, read))
            continue;
        if (find_setter(c, read, &write, &pending, &tid)
                ? say_early(c, s, read, write, pending, tid)
                : say_unset_pointer(c, s, read))
            return true;
    }
    for (size_t i = 0; i < c->n_reads; i++) {
        if (say_early_source(c, s, c->reads[i]))
            return true;
    }
    return false;
}

/* ---- half done --------------------------------------------------------------------- */

bool
burl__report_pattern_half_done(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        const size_t read = c->reads[i];
        const size_t write = burl__report_reads_from(c, read);
        uint16_t tid;
        size_t last;

        if (write == SIZE_MAX || event(c, write)->tid == event(c, read)->tid)
            continue;
        tid = event(c, write)->tid;
        last = stopped_at(c, tid, read);
        if (last == SIZE_MAX || burl__report_is_forced(c, write, read))
            continue;
        burl__report_say_begin(s, "half-done");
        burl__report_say_event(s, write);
        burl__report_say_event(s, read);
        burl__report_say_site(s, c->left[last].site);
        burl__report_blame(s, write, read);
        burl__report_blame_broadly(s);
        burl__report_blame_stop(s, read, last);
        burl__report_say_thread(s, event(c, read)->tid);
        burl__report_say(s, " reads ");
        burl__report_say_what(s, read);
        burl__report_say_line(s, read);
        burl__report_say(s, " after ");
        burl__report_say_whose(s, tid);
        burl__report_say(s, " write");
        burl__report_say_line(s, write);
        burl__report_say(s, ", while ");
        burl__report_say_thread(s, tid);
        burl__report_say(s, " is preempted");
        burl__report_say_line_of(s, c->left[last].site);
        if (burl__report_said(c, s))
            return true;
    }
    return false;
}

/* ---- not checked again ------------------------------------------------------------- */

struct recheck {
    size_t check, wait, signal, write, wake, use;
};

/* The thread's last read of shared data before it waited: what it waited for. */
static size_t
find_check(const struct burl__report_causes *c, size_t wait)
{
    size_t i = wait;

    for (unsigned left = 8; left > 0; left--) {
        const struct burl__report_place *p;

        i = burl__report_last_of(c, event(c, wait)->tid, i);
        if (i == SIZE_MAX)
            return SIZE_MAX;
        p = burl__report_is_read(event(c, i)->kind) ? burl__report_place_of(c, i) : NULL;
        for (size_t k = 0; p != NULL && k < p->n; k++) {
            if (event(c, p->v[k])->tid != event(c, i)->tid && is_done_write(event(c, p->v[k])))
                return i;
        }
    }
    return SIZE_MAX;
}

/* Did event `i` wake somebody who waits where r->wait does? A signal that nobody waited for comes
 * after the one that counts. */
static bool
is_waking(const struct burl__report_causes *c, const struct recheck *r, size_t i)
{
    return (event(c, i)->kind == BURL_OP_COND_SIGNAL ||
            event(c, i)->kind == BURL_OP_COND_BROADCAST) &&
           event(c, i)->addr == event(c, r->wait)->addr && event(c, i)->aux > 0;
}

/* The last write by a third thread to what was checked, after the signal and before the wake-up. */
static size_t
write_after(const struct burl__report_causes *c, const struct recheck *r)
{
    const struct burl__report_place *p = burl__report_place_of(c, r->check);
    size_t write = SIZE_MAX;

    for (size_t k = 0; k < p->n; k++) {
        const struct burl_wire_event *ev = event(c, p->v[k]);

        if (p->v[k] > r->signal && p->v[k] < r->wake && is_done_write(ev) &&
            ev->tid != event(c, r->wake)->tid && ev->tid != event(c, r->signal)->tid)
            write = p->v[k];
    }
    return write;
}

/* Somebody else wrote what was checked between the signal and the wake-up, and the next that the
 * woken thread does with it is not the check. */
static bool
fill_recheck(const struct burl__report_causes *c, struct recheck *r)
{
    const struct burl__report_place *p;

    r->write = SIZE_MAX;
    r->use = SIZE_MAX;
    r->check = find_check(c, r->wait);
    if (r->check == SIZE_MAX)
        return false;
    for (size_t i = r->wake; i > r->wait && r->write == SIZE_MAX; i--) {
        r->signal = i - 1;
        if (is_waking(c, r, i - 1))
            r->write = write_after(c, r);
    }
    p = burl__report_place_of(c, r->check);
    for (size_t k = 0; k < p->n && r->use == SIZE_MAX; k++) {
        if (p->v[k] > r->wake && event(c, p->v[k])->tid == event(c, r->wake)->tid)
            r->use = p->v[k];
    }
    return r->write != SIZE_MAX && r->use != SIZE_MAX &&
           event(c, r->use)->site != event(c, r->check)->site;
}

static bool
say_recheck(struct burl__report_causes *c, struct burl__report_sentence *s, const struct recheck *r)
{
    burl__report_say_begin(s, "no-recheck");
    burl__report_say_event(s, r->check);
    burl__report_say_event(s, r->wait);
    burl__report_say_event(s, r->signal);
    burl__report_say_event(s, r->write);
    burl__report_say_event(s, r->wake);
    burl__report_say_event(s, r->use);
    burl__report_blame(s, r->write, r->use);
    burl__report_say_thread(s, event(c, r->write)->tid);
    burl__report_say(s, " writes ");
    burl__report_say_what(s, r->write);
    burl__report_say_line(s, r->write);
    burl__report_say(s, " after ");
    burl__report_say_thread(s, event(c, r->signal)->tid);
    burl__report_say(s, " signals");
    burl__report_say_line(s, r->signal);
    burl__report_say(s, " and before ");
    burl__report_say_thread(s, event(c, r->wake)->tid);
    burl__report_say(s, ", woken");
    burl__report_say_line(s, r->wait);
    burl__report_say(s, ", uses it");
    burl__report_say_line(s, r->use);
    burl__report_say(s, " without repeating its check");
    burl__report_say_line(s, r->check);
    return burl__report_said(c, s);
}

bool
burl__report_pattern_recheck(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    const struct burl_run *run = c->w->run;

    for (size_t i = run->n_events; i > 0; i--) {
        struct recheck r = { .wake = i - 1 };

        if (run->events[i - 1].kind != BURL_OP_COND_WAKE ||
            (run->events[i - 1].flags & BURL_EV_F_TIMEOUT))
            continue;
        r.wait = burl__report_last_of(c, run->events[i - 1].tid, i - 1);
        if (r.wait != SIZE_MAX && event(c, r.wait)->kind == BURL_OP_COND_WAIT &&
            fill_recheck(c, &r) && say_recheck(c, s, &r))
            return true;
    }
    return false;
}
