/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_data.c - an access of another thread where none should have come in between.
 *
 * Runs in the host. Two accesses of one thread to the same memory, neighbors in that thread, and
 * between them another thread's: the unserializable triples of Lu et al. ("AVIO: Detecting
 * Atomicity Violations via Access Interleaving Invariants", 2006), named by what they usually
 * are. Departures: values decide too (a write that left what was there explains nothing), and of
 * many triples the one is said that a preemption of the minimized schedule lies in and whose
 * memory the failing thread looked at last.
 */
#include <limits.h>

#include "report/explain/pattern_int.h"

/* Accesses looked back over, to the same memory: beyond lie other turns of the program. */
#define LOOK_BACK 4096u
/* Of these so many are tried, the best first. */
#define MAX_TRIPLES 4u

struct triple {
    size_t first;
    size_t early; /* the first of others that came between, a read too: its statement may write;
                     `other` is the last that wrote */
    size_t other;
    size_t second;
    unsigned score; /* 0: none */
};

static const struct burl_wire_event *
event(const struct burl__report_causes *c, size_t i)
{
    return &c->w->run->events[i];
}

static bool
succeeded_write(const struct burl_wire_event *ev)
{
    return burl__report_is_write(ev->kind) && !(ev->flags & BURL_EV_F_FAILED);
}

/* What the thread knew of the memory after the access. */
static bool
known_value(const struct burl_wire_event *ev, uint64_t *out)
{
    if (succeeded_write(ev)) {
        *out = ev->after;
        return (ev->flags & BURL_EV_F_AFTER) != 0;
    }
    *out = ev->value;
    return (ev->flags & BURL_EV_F_VALUE) != 0;
}

/* Is the second access one to which what came in between matters? */
static bool
is_disturbed(const struct burl_wire_event *first, const struct burl_wire_event *second)
{
    uint64_t before;

    /* An atomic update is right whatever it finds. */
    if (second->kind == BURL_OP_ATOMIC_RMW || second->kind == BURL_OP_ATOMIC_CAS)
        return false;
    if (first->size_b != second->size_b || !known_value(first, &before) ||
        !(second->flags & BURL_EV_F_VALUE))
        return false;
    /* Writing twice without a look in between loses nothing of one's own. */
    if (succeeded_write(first) && second->kind != BURL_OP_READ &&
        second->kind != BURL_OP_ATOMIC_LOAD)
        return false;
    return before != second->value;
}

static bool
is_looked_at(const struct burl__report_causes *c, uint64_t addr)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        if (event(c, c->reads[i])->addr == addr)
            return true;
    }
    return false;
}

static unsigned
score_of(const struct burl__report_causes *c, const struct triple *t)
{
    bool pending;
    const bool stopped = burl__report_stopped_between(c, t->first, t->second, &pending);
    const bool looked_at = is_looked_at(c, event(c, t->first)->addr);

    return (looked_at ? 4u : 0u) + (stopped ? 2u : 0u) + (pending ? 1u : 0u);
}

/* The triple whose second access is number `k` of the place. */
static bool
triple_at(const struct burl__report_causes *c, const struct burl__report_place *p, size_t k,
          struct triple *t)
{
    const struct burl_wire_event *second = event(c, p->v[k]);
    const size_t end = k > LOOK_BACK ? k - LOOK_BACK : 0;

    *t = (struct triple){ .other = SIZE_MAX, .second = p->v[k] };
    for (size_t i = k; i > end; i--) {
        const struct burl_wire_event *ev = event(c, p->v[i - 1]);

        if (ev->tid == second->tid) {
            t->first = p->v[i - 1];
            return t->other != SIZE_MAX && is_disturbed(ev, second);
        }
        t->early = p->v[i - 1];
        if (t->other == SIZE_MAX && succeeded_write(ev))
            t->other = p->v[i - 1];
    }
    return false;
}

/* Are both in the same function, and in two calls of it? What one call does is seldom meant to hold
 * until the next. */
static bool
in_two_calls(const struct burl__report_causes *c, size_t first, size_t second)
{
    const struct burl_site_info *a = burl_sites_get(c->w->sites, event(c, first)->site);
    const struct burl_site_info *b = burl_sites_get(c->w->sites, event(c, second)->site);
    long depth = 0;

    if (a->func_id != b->func_id || a->func_id == 0)
        return false;
    for (size_t i = first; i < second && depth >= 0; i++) {
        if (event(c, i)->tid == event(c, first)->tid)
            depth += (event(c, i)->kind == BURL_OP_ENTER) - (event(c, i)->kind == BURL_OP_LEAVE);
    }
    return depth < 0;
}

/* Could the other access not have come elsewhere? Then that is the course of things, and nothing is
 * between. */
static bool
is_forced_between(const struct burl__report_causes *c, const struct triple *t)
{
    return burl__report_is_forced(c, t->first, t->other) ||
           burl__report_is_forced(c, t->other, t->second);
}

/* Does `a` come after `b` in the order of what is said first? */
static bool
is_worse(const struct triple *a, const struct triple *b)
{
    return a->score != b->score ? a->score < b->score : a->second < b->second;
}

/* The best one that is worse than `bound`. */
static struct triple
best_triple(const struct burl__report_causes *c, const struct triple *bound)
{
    struct triple best = { 0 };

    for (size_t n = 0; n < c->places.n; n++) {
        const struct burl__report_place *p = &c->places.v[n];

        for (size_t k = 2; k < p->n; k++) {
            struct triple t;

            if (!triple_at(c, p, k, &t))
                continue;
            t.score = score_of(c, &t);
            if (t.score < 2 || is_worse(&t, &best) || !is_worse(&t, bound) ||
                burl__report_reused(c, t.first, t.second) || in_two_calls(c, t.first, t.second) ||
                is_forced_between(c, &t))
                continue;
            best = t;
        }
    }
    return best;
}

static const char *
access_word(const struct burl__report_sentence *s, size_t i)
{
    const struct burl_wire_event *ev = &s->w->run->events[i];

    return succeeded_write(ev) ? "write" : burl__report_read_word(s, i);
}

/* "thread 1's read at line 8 and its write at line 9" */
static void
say_both(struct burl__report_sentence *s, const struct triple *t, const char *first,
         const char *second)
{
    burl__report_say_whose(s, s->w->run->events[t->first].tid);
    burl__report_say(s, " ");
    if (burl__report_same_line(s, t->first, t->second) && strcmp(first, second) == 0) {
        burl__report_say(s, "two ");
        burl__report_say(s, first);
        burl__report_say(s, "s");
        burl__report_say_line(s, t->second);
        return;
    }
    burl__report_say(s, first);
    if (burl__report_same_line(s, t->first, t->second)) {
        burl__report_say(s, " and ");
        burl__report_say(s, second);
    } else {
        burl__report_say_line(s, t->first);
        burl__report_say(s, " and its ");
        burl__report_say(s, second);
    }
    burl__report_say_line(s, t->second);
}

static void
say_triple(struct burl__report_sentence *s, const struct triple *t)
{
    const struct burl_wire_event *first = &s->w->run->events[t->first];
    const struct burl_wire_event *second = &s->w->run->events[t->second];
    const char *word = access_word(s, t->first);
    const bool checked =
        strcmp(word, "check") == 0 && !burl__report_same_line(s, t->first, t->second);
    const bool update = !succeeded_write(first) && succeeded_write(second);

    burl__report_say_begin(s, update && !checked       ? "lost-update"
                              : succeeded_write(first) ? "overwritten"
                                                       : "check-then-act");
    if (!checked && !succeeded_write(first))
        word = "read";
    burl__report_say_event(s, t->first);
    burl__report_say_event(s, t->other);
    burl__report_say_event(s, t->second);
    burl__report_blame_between(s, t->first, t->early, t->other, t->second);
    burl__report_say_thread(s, s->w->run->events[t->other].tid);
    burl__report_say(s, " writes ");
    burl__report_say_what(s, t->other);
    burl__report_say_line(s, t->other);
    burl__report_say(s, " between ");
    if (update) {
        say_both(s, t, word, "write");
        burl__report_say(s, ", which overwrites it");
    } else {
        say_both(s, t, word, checked ? "use" : "read");
    }
}

/* ---- a value in the middle --------------------------------------------------------- */

/* The failing thread read what another wrote first and went on to write again. */
static bool
find_middle(const struct burl__report_causes *c, size_t read, struct triple *t)
{
    const struct burl__report_place *p = burl__report_place_of(c, read);

    *t = (struct triple){ .other = read };
    t->first = burl__report_reads_from(c, read);
    if (t->first == SIZE_MAX || event(c, t->first)->tid == event(c, read)->tid)
        return false;
    for (size_t i = 0; i < p->n; i++) {
        const struct burl_wire_event *ev = event(c, p->v[i]);

        if (p->v[i] > read && succeeded_write(ev)) {
            t->second = p->v[i];
            return ev->tid == event(c, t->first)->tid && ev->kind != BURL_OP_ATOMIC_RMW &&
                   ev->after != event(c, t->first)->after;
        }
    }
    return false;
}

static bool
say_middle(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        struct triple t;
        bool pending;

        if (!find_middle(c, c->reads[i], &t) ||
            !burl__report_stopped_between(c, t.first, t.second, &pending) ||
            burl__report_reused(c, t.first, t.second))
            continue;
        burl__report_say_begin(s, "intermediate-value");
        burl__report_say_event(s, t.first);
        burl__report_say_event(s, t.other);
        burl__report_say_event(s, t.second);
        burl__report_blame_between(s, t.first, t.other, t.other, t.second);
        burl__report_say_thread(s, event(c, t.other)->tid);
        burl__report_say(s, " reads ");
        burl__report_say_what(s, t.other);
        burl__report_say_line(s, t.other);
        burl__report_say(s, " between ");
        say_both(s, &t, "write", "write");
        if (burl__report_said(c, s))
            return true;
    }
    return false;
}

/* ---- a look that was overtaken ----------------------------------------------------- */

/* What the thread of a preemption had read of shared memory right before it; SIZE_MAX nothing. */
static size_t
last_look(const struct burl__report_causes *c, size_t stop)
{
    size_t i = stop;

    for (unsigned left = 6; left > 0 && i != SIZE_MAX; left--) {
        const struct burl__report_place *p = burl__report_place_of(c, i);

        if (burl__report_is_write(event(c, i)->kind))
            return SIZE_MAX;
        for (size_t k = 0; p != NULL && burl__report_is_read(event(c, i)->kind) && k < p->n; k++) {
            if (event(c, p->v[k])->tid != event(c, i)->tid && succeeded_write(event(c, p->v[k])))
                return i;
        }
        i = burl__report_last_of(c, event(c, stop)->tid, i);
    }
    return SIZE_MAX;
}

/* The first write that changed it while its thread stood still; SIZE_MAX none. */
static size_t
overtaken_by(const struct burl__report_causes *c, size_t look, size_t stop)
{
    const struct burl__report_place *p = burl__report_place_of(c, look);

    for (size_t k = 0; k < p->n; k++) {
        const struct burl_wire_event *ev = event(c, p->v[k]);

        if (p->v[k] > stop && p->v[k] < c->next[stop] && ev->tid != event(c, look)->tid &&
            succeeded_write(ev) && (ev->flags & BURL_EV_F_AFTER) &&
            (event(c, look)->flags & BURL_EV_F_VALUE) && ev->size_b == event(c, look)->size_b)
            return ev->after != event(c, look)->value ? p->v[k] : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* Is it the first that the thread does with it when it goes on? Then it has looked again. */
static bool
looks_again(const struct burl__report_causes *c, size_t look, size_t stop)
{
    return burl__report_is_access(event(c, c->next[stop])->kind) &&
           event(c, c->next[stop])->addr == event(c, look)->addr;
}

bool
burl__report_pattern_stale(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = c->stops.n; i > 0; i--) {
        const size_t stop = c->stops.v[i - 1];
        const size_t look = c->next[stop] != SIZE_MAX ? last_look(c, stop) : SIZE_MAX;
        const size_t write = look != SIZE_MAX ? overtaken_by(c, look, stop) : SIZE_MAX;

        if (write == SIZE_MAX || looks_again(c, look, stop))
            continue;
        burl__report_say_begin(s, "stale-check");
        burl__report_say_event(s, look);
        burl__report_say_event(s, write);
        burl__report_say_site(s, c->left[stop].site);
        burl__report_blame_between(s, look, write, write, c->next[stop]);
        burl__report_blame_broadly(s);
        burl__report_say_thread(s, event(c, write)->tid);
        burl__report_say(s, " writes ");
        burl__report_say_what(s, write);
        burl__report_say_line(s, write);
        burl__report_say(s, " after ");
        burl__report_say_whose(s, event(c, look)->tid);
        burl__report_say(s, " ");
        burl__report_say(s, burl__report_read_word(s, look));
        burl__report_say_line(s, look);
        burl__report_say(s, ", while ");
        burl__report_say_thread(s, event(c, look)->tid);
        burl__report_say(s, " is preempted");
        burl__report_say_line_of(s, c->left[stop].site);
        if (!s->nameless && burl__report_said(c, s))
            return true;
    }
    return false;
}

bool
burl__report_pattern_data(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    struct triple t = { .score = UINT_MAX };

    for (unsigned tried = 0; tried < MAX_TRIPLES; tried++) {
        t = best_triple(c, &t);
        if (t.score == 0)
            break;
        say_triple(s, &t);
        /* Neither what nor where: that helps nobody. */
        if (!(s->nameless && s->vague) && burl__report_said(c, s))
            return true;
    }
    return say_middle(c, s);
}

/* ---- there and back ---------------------------------------------------------------- */

/* The compare-exchange number `k` of the place found the value that its thread had read, after
 * others had changed it and changed it back. */
static bool
is_aba(const struct burl__report_causes *c, const struct burl__report_place *p, size_t k,
       size_t out[4])
{
    const struct burl_wire_event *cas = event(c, p->v[k]);
    size_t back = SIZE_MAX;

    if (cas->kind != BURL_OP_ATOMIC_CAS || (cas->flags & BURL_EV_F_FAILED) ||
        !(cas->flags & BURL_EV_F_VALUE))
        return false;
    for (size_t i = k; i > 0 && i + LOOK_BACK > k; i--) {
        const struct burl_wire_event *ev = event(c, p->v[i - 1]);
        uint64_t value;

        if (ev->tid == cas->tid) {
            out[0] = p->v[i - 1];
            out[3] = p->v[k];
            return out[1] != SIZE_MAX && known_value(ev, &value) && value == cas->value &&
                   ev->size_b == cas->size_b;
        }
        if (!succeeded_write(ev) || !(ev->flags & BURL_EV_F_AFTER))
            continue;
        if (back == SIZE_MAX && ev->after == cas->value) {
            back = p->v[i - 1];
            out[2] = back;
        } else if (back != SIZE_MAX && ev->after != cas->value) {
            out[1] = p->v[i - 1];
        }
    }
    return false;
}

bool
burl__report_pattern_aba(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t n = 0; n < c->places.n; n++) {
        const struct burl__report_place *p = &c->places.v[n];

        for (size_t k = p->n; k > 3; k--) {
            size_t e[4] = { SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX };
            bool pending;

            if (!is_aba(c, p, k - 1, e) || !burl__report_stopped_between(c, e[0], e[3], &pending))
                continue;
            burl__report_say_begin(s, "aba");
            for (unsigned i = 0; i < 4; i++)
                burl__report_say_event(s, e[i]);
            burl__report_blame_between(s, e[0], e[1], e[2], e[3]);
            burl__report_say_what(s, e[0]);
            burl__report_say(s, " is changed by ");
            burl__report_say_thread(s, event(c, e[1])->tid);
            burl__report_say_line(s, e[1]);
            burl__report_say(s, " and back by ");
            burl__report_say_thread(s, event(c, e[2])->tid);
            burl__report_say_line(s, e[2]);
            burl__report_say(s, " between ");
            burl__report_say_whose(s, event(c, e[0])->tid);
            burl__report_say(s, " read");
            burl__report_say_line(s, e[0]);
            burl__report_say(s, " and its compare-exchange");
            burl__report_say_line(s, e[3]);
            burl__report_say(s, ", which succeeds");
            if (burl__report_said(c, s))
                return true;
        }
    }
    return false;
}
