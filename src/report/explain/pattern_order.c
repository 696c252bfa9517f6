/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_order.c - inconsistent pairs of data, data used too early, checks that were not repeated.
 *
 * Runs in the host. All start from the last reads of the failing thread (causes.c). A write that
 * did not happen is known from the switch at which its thread was preempted: the site of the
 * operation, not its address, so the names must match and be those of plain variables.
 */
#include "report/explain/pattern_int.h"
#include "wire/site.h"

/* "x", "s.len": the same name is the same memory. Not so `p->len`, `a[i]`. */
static bool
is_plain_name(const char *name)
{
    return name[0] != '\0' && strpbrk(name, ">[*(") == NULL;
}

/* The thread's last operation before `at`, if it is preempted there at least until `at`. */
static size_t
preempted_at(const struct burl__report_causes *c, uint16_t tid, size_t at)
{
    const size_t last = burl__report_last_of(c, tid, at);

    if (last == SIZE_MAX || c->left[last].why != BURL_SWITCH_PREEMPT ||
        c->left[last].kind == BURL_OP_NONE || (c->next[last] != SIZE_MAX && c->next[last] < at))
        return SIZE_MAX;
    return last;
}

/* The site of the pending write to the memory of `read` of a preempted thread; 0 none. */
static uint32_t
pending_write(const struct burl__report_causes *c, uint16_t tid, size_t read)
{
    const size_t last = preempted_at(c, tid, read);
    const struct burl_site_info *mine = burl_sites_get(c->w->sites, causes_event(c, read)->site);
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

/* x after the write of the other thread, y before. */
static bool
is_half_seen(const struct burl__report_causes *c, struct pair *p)
{
    uint16_t tid;
    size_t between;

    p->wx = burl__report_reads_from(c, p->x);
    if (p->wx == SIZE_MAX || causes_event(c, p->wx)->tid == causes_event(c, p->x)->tid)
        return false;
    tid = causes_event(c, p->wx)->tid;
    between = burl__report_next_write(c, p->y, tid, p->wx);
    if (between != SIZE_MAX && between < p->y)
        return false;
    p->wy = between;
    p->pending = between == SIZE_MAX ? pending_write(c, tid, p->y) : 0;
    return p->wy != SIZE_MAX || p->pending != 0;
}

/* x before the write of the other thread, y after. */
static bool
is_torn_read(const struct burl__report_causes *c, struct pair *p)
{
    p->wy = burl__report_reads_from(c, p->y);
    p->pending = 0;
    if (p->wy == SIZE_MAX || p->wy < p->x || p->x > p->y ||
        causes_event(c, p->wy)->tid == causes_event(c, p->y)->tid)
        return false;
    p->wx = burl__report_next_write(c, p->x, causes_event(c, p->wy)->tid, p->x);
    return p->wx != SIZE_MAX && p->wx < p->y;
}

/* Both reads before the writes, or both after, would have been consistent. */
static void
blame_pair(struct burl__report_causes *c, struct burl__report_sentence *s, const struct pair *p,
           bool torn)
{
    if (torn) {
        const size_t y = burl__report_next_write(c, p->y, causes_event(c, p->wy)->tid, p->x);

        burl__sentence_blame_between(s, p->x, y < p->wx ? y : p->wx, p->wy, p->y);
        return;
    }
    burl__sentence_blame(s, p->wx, p->x);
    if (p->pending == 0)
        burl__sentence_blame(s, p->y, p->wy);
    else
        burl__sentence_blame_pending(s, p->y, preempted_at(c, causes_event(c, p->wx)->tid, p->y),
                                     false);
}

static bool
match_pair(struct burl__report_causes *c, struct burl__report_sentence *s, const struct pair *p,
           bool torn)
{
    burl__sentence_begin(s, torn ? "torn-read" : "half-updated", 3, p->x, p->y, p->wx);
    if (p->pending != 0)
        burl__sentence_use_site(s, p->pending);
    else
        burl__sentence_use_event(s, p->wy);
    blame_pair(c, s, p, torn);
    burl__sentence_add(s, "%T reads %O%L %s %T's write%L but %O%L %s its write", p->x, p->x, p->x,
                       torn ? "before" : "after", p->wx, p->wx, p->y, p->y,
                       torn ? "after" : "before");
    if (p->pending != 0)
        burl__sentence_add(s, "%S", p->pending);
    else
        burl__sentence_add(s, "%L", p->wy);
    return burl__sentence_confirm(c, s);
}

bool
burl__report_pattern_together(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        for (size_t k = 0; k < c->n_reads; k++) {
            struct pair p = { .x = c->reads[i], .y = c->reads[k] };

            if (i == k)
                continue;
            if (is_half_seen(c, &p) && match_pair(c, s, &p, false))
                return true;
            if (is_torn_read(c, &p) && match_pair(c, s, &p, true))
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

/* "x++" does not initialize x. */
static bool
is_update(const struct burl__report_causes *c, size_t write)
{
    const size_t before = burl__report_last_of(c, causes_event(c, write)->tid, write);

    return burl__report_is_read(causes_event(c, write)->kind) ||
           (before != SIZE_MAX && burl__report_is_read(causes_event(c, before)->kind) &&
            causes_event(c, before)->addr == causes_event(c, write)->addr);
}

/* Finds the first write of another thread, later in the trace or pending. */
static bool
find_setter(const struct burl__report_causes *c, size_t read, size_t *write, uint32_t *pending,
            uint16_t *tid)
{
    *write = burl__report_next_write(c, read, BURL_TID_NONE, read);
    if (*write != SIZE_MAX) {
        *tid = causes_event(c, *write)->tid;
        return *tid != causes_event(c, read)->tid && !is_update(c, *write);
    }
    for (size_t t = 0; t < c->w->n_threads; t++) {
        *pending = t != causes_event(c, read)->tid ? pending_write(c, (uint16_t)t, read) : 0;
        *tid = (uint16_t)t;
        if (*pending != 0)
            return true;
    }
    return false;
}

/*
 * A null pointer that is not set yet, while a thread is preempted before a write. Whether that
 * write is to the same memory is not known: pending operations have no address. So the sentence
 * states both facts, and no more.
 */
static bool
match_unset_pointer(struct burl__report_causes *c, struct burl__report_sentence *s, size_t read)
{
    const struct burl_wire_event *ev = causes_event(c, read);
    const size_t preemption =
        c->preemptions.n > 0 ? c->preemptions.v[c->preemptions.n - 1] : SIZE_MAX;
    const struct burl_site_info *site;

    if (c->w->run->verdict.kind != BURL_VERDICT_CRASH_SIGNAL || preemption == SIZE_MAX ||
        preemption > read || !(ev->flags & BURL_EV_F_VALUE) || ev->value != 0 || ev->size_b != 8 ||
        causes_event(c, preemption)->tid == ev->tid || c->next[preemption] != SIZE_MAX ||
        !burl__report_is_write(c->left[preemption].kind))
        return false;
    site = burl_sites_get(c->w->sites, c->left[preemption].site);
    if (site->variable[0] == '\0')
        return false;
    burl__sentence_begin(s, "used-too-early", 1, read);
    burl__sentence_use_site(s, site->id);
    burl__sentence_blame_pending(s, read, preemption, false);
    burl__sentence_add(s,
                       "%T uses a pointer%L that is not set yet, while %T is preempted before it "
                       "writes %s%S",
                       read, read, preemption, site->variable, site->id);
    return burl__sentence_confirm(c, s);
}

static bool
match_early(struct burl__report_causes *c, struct burl__report_sentence *s, size_t read,
            size_t write, uint32_t pending, uint16_t tid)
{
    const bool crash = c->w->run->verdict.kind == BURL_VERDICT_CRASH_SIGNAL;

    burl__sentence_begin(s, "used-too-early", 1, read);
    if (write != SIZE_MAX) {
        burl__sentence_use_event(s, write);
        burl__sentence_blame(s, read, write);
    } else {
        burl__sentence_use_site(s, pending);
        burl__sentence_blame_pending(s, read, preempted_at(c, tid, read), false);
    }
    burl__sentence_add(s, "%T %s %O%L before %I sets it", read, crash ? "uses" : "reads", read,
                       read, tid);
    if (write != SIZE_MAX)
        burl__sentence_add(s, "%L", write);
    else
        burl__sentence_add(s, "%S", pending);
    return burl__sentence_confirm(c, s);
}

/* The failing thread read a value computed from an uninitialized one: the statement of another
 * thread read it while the thread that initializes it was preempted right before. */
static bool
match_early_source(struct burl__report_causes *c, struct burl__report_sentence *s, size_t seen)
{
    const size_t made = burl__report_reads_from(c, seen);
    size_t read = made;

    if (made == SIZE_MAX || causes_event(c, made)->tid == causes_event(c, seen)->tid)
        return false;
    for (unsigned left = 8; left > 0; left--) {
        size_t write = SIZE_MAX;
        uint32_t pending = 0;
        uint16_t tid;
        size_t last;

        read = burl__report_last_of(c, causes_event(c, made)->tid, read);
        if (read == SIZE_MAX || !burl__report_same_line(s, read, made) ||
            !burl__report_is_read(causes_event(c, read)->kind))
            return false;
        if (!is_untouched(c, read) || !find_setter(c, read, &write, &pending, &tid) ||
            write == SIZE_MAX)
            continue;
        last = preempted_at(c, tid, read);
        if (last != SIZE_MAX && c->next[last] == write &&
            match_early(c, s, read, write, pending, tid))
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
                ? match_early(c, s, read, write, pending, tid)
                : match_unset_pointer(c, s, read))
            return true;
    }
    for (size_t i = 0; i < c->n_reads; i++) {
        if (match_early_source(c, s, c->reads[i]))
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
        size_t last;

        if (write == SIZE_MAX || causes_event(c, write)->tid == causes_event(c, read)->tid)
            continue;
        last = preempted_at(c, causes_event(c, write)->tid, read);
        if (last == SIZE_MAX || burl__report_is_forced(c, write, read))
            continue;
        burl__sentence_begin(s, "half-done", 2, write, read);
        burl__sentence_use_site(s, c->left[last].site);
        burl__sentence_blame(s, write, read);
        burl__sentence_blame_broadly(s);
        burl__sentence_blame_pending(s, read, last, true);
        burl__sentence_add(s, "%T reads %O%L after %T's write%L, while %T is preempted%S", read,
                           read, read, write, write, write, c->left[last].site);
        if (burl__sentence_confirm(c, s))
            return true;
    }
    return false;
}

/* ---- not checked again ------------------------------------------------------------- */

struct recheck {
    size_t check, wait, signal, write, wake, use;
};

/* The thread's last read of shared data before it waited: the condition it waited for. */
static size_t
find_check(const struct burl__report_causes *c, size_t wait)
{
    size_t i = wait;

    for (unsigned left = 8; left > 0 && i != SIZE_MAX; left--) {
        i = burl__report_last_of(c, causes_event(c, wait)->tid, i);
        if (i != SIZE_MAX && burl__report_reads_shared(c, i))
            return i;
    }
    return SIZE_MAX;
}

/* Did event `i` wake a thread that waits where r->wait does? A signal without a waiter does not
 * count. */
static bool
is_waking(const struct burl__report_causes *c, const struct recheck *r, size_t i)
{
    return (causes_event(c, i)->kind == BURL_OP_COND_SIGNAL ||
            causes_event(c, i)->kind == BURL_OP_COND_BROADCAST) &&
           causes_event(c, i)->addr == causes_event(c, r->wait)->addr &&
           causes_event(c, i)->aux > 0;
}

/* The last write by a third thread to the checked data, after the signal and before the wakeup. */
static size_t
write_after(const struct burl__report_causes *c, const struct recheck *r)
{
    const struct burl__report_place *p = burl__report_place_of(c, r->check);
    size_t write = SIZE_MAX;

    for (size_t k = 0; k < p->n; k++) {
        const struct burl_wire_event *ev = causes_event(c, p->v[k]);

        if (p->v[k] > r->signal && p->v[k] < r->wake && burl__report_is_done_write(ev) &&
            ev->tid != causes_event(c, r->wake)->tid && ev->tid != causes_event(c, r->signal)->tid)
            write = p->v[k];
    }
    return write;
}

/* A third thread wrote the checked data between the signal and the wakeup, and the next access of
 * the woken thread to it is not the check. */
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
        if (p->v[k] > r->wake && causes_event(c, p->v[k])->tid == causes_event(c, r->wake)->tid)
            r->use = p->v[k];
    }
    return r->write != SIZE_MAX && r->use != SIZE_MAX &&
           causes_event(c, r->use)->site != causes_event(c, r->check)->site;
}

static bool
match_recheck(struct burl__report_causes *c, struct burl__report_sentence *s,
              const struct recheck *r)
{
    burl__sentence_begin(s, "no-recheck", 6, r->check, r->wait, r->signal, r->write, r->wake,
                         r->use);
    burl__sentence_blame(s, r->write, r->use);
    burl__sentence_add(s,
                       "%T writes %O%L after %T signals%L and before %T, woken%L, uses it%L "
                       "without repeating its check%L",
                       r->write, r->write, r->write, r->signal, r->signal, r->wake, r->wait, r->use,
                       r->check);
    return burl__sentence_confirm(c, s);
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
        if (r.wait != SIZE_MAX && causes_event(c, r.wait)->kind == BURL_OP_COND_WAIT &&
            fill_recheck(c, &r) && match_recheck(c, s, &r))
            return true;
    }
    return false;
}
