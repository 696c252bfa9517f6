/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pattern_data.c - an access of another thread that interrupts two accesses of one thread.
 *
 * Runs in the host. Two consecutive accesses of one thread to the same memory, and another thread's
 * access between them: the unserializable triples of Lu et al. ("AVIO: Detecting Atomicity
 * Violations via Access Interleaving Invariants", 2006), named after the usual bug. Departures:
 * values count too (a write that did not change the value explains nothing), and of many triples
 * the one is chosen that a preemption of the minimized schedule lies in and whose memory the
 * failing thread read last.
 */
#include <limits.h>

#include "report/explain/pattern_int.h"

/* Accesses to the same memory that are examined, backwards: older ones belong to earlier
 * iterations. */
#define LOOK_BACK 4096u
/* Triples that are tried, the best first. */
#define MAX_TRIPLES 4u

struct triple {
    size_t first;
    size_t early; /* the first access in between; `other` is the last write */
    size_t other;
    size_t second;
    unsigned score; /* 0: none */
};

/* The value of the memory after the access, as the thread knows it. */
static bool
known_value(const struct burl_wire_event *ev, uint64_t *out)
{
    if (burl__report_is_done_write(ev)) {
        *out = ev->after;
        return (ev->flags & BURL_EV_F_AFTER) != 0;
    }
    *out = ev->value;
    return (ev->flags & BURL_EV_F_VALUE) != 0;
}

/* Does the access in between matter to the second access? */
static bool
is_disturbed(const struct burl_wire_event *first, const struct burl_wire_event *second)
{
    uint64_t before;

    /* An atomic update is correct for any value. */
    if (second->kind == BURL_OP_ATOMIC_RMW || second->kind == BURL_OP_ATOMIC_CAS)
        return false;
    if (first->size_b != second->size_b || !known_value(first, &before) ||
        !(second->flags & BURL_EV_F_VALUE))
        return false;
    /* Two writes without a read in between lose nothing of the thread's own. */
    if (burl__report_is_done_write(first) && second->kind != BURL_OP_READ &&
        second->kind != BURL_OP_ATOMIC_LOAD)
        return false;
    return before != second->value;
}

static bool
is_read_last(const struct burl__report_causes *c, uint64_t addr)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        if (causes_event(c, c->reads[i])->addr == addr)
            return true;
    }
    return false;
}

static unsigned
score_of(const struct burl__report_causes *c, const struct triple *t)
{
    bool pending;
    const bool preempted = burl__report_preempted_between(c, t->first, t->second, &pending);
    const bool read_last = is_read_last(c, causes_event(c, t->first)->addr);

    return (read_last ? 4u : 0u) + (preempted ? 2u : 0u) + (pending ? 1u : 0u);
}

/* The triple whose second access is number `k` of the place. */
static bool
triple_at(const struct burl__report_causes *c, const struct burl__report_place *p, size_t k,
          struct triple *t)
{
    const struct burl_wire_event *second = causes_event(c, p->v[k]);
    const size_t end = k > LOOK_BACK ? k - LOOK_BACK : 0;

    *t = (struct triple){ .other = SIZE_MAX, .second = p->v[k] };
    for (size_t i = k; i > end; i--) {
        const struct burl_wire_event *ev = causes_event(c, p->v[i - 1]);

        if (ev->tid == second->tid) {
            t->first = p->v[i - 1];
            return t->other != SIZE_MAX && is_disturbed(ev, second);
        }
        t->early = p->v[i - 1];
        if (t->other == SIZE_MAX && burl__report_is_done_write(ev))
            t->other = p->v[i - 1];
    }
    return false;
}

/* Are the two in different calls of the same function? A value is rarely meant to stay the same
 * from one call to the next. */
static bool
in_two_calls(const struct burl__report_causes *c, size_t first, size_t second)
{
    const struct burl_site_info *a = burl_sites_get(c->w->sites, causes_event(c, first)->site);
    const struct burl_site_info *b = burl_sites_get(c->w->sites, causes_event(c, second)->site);
    long depth = 0;

    if (a->func_id != b->func_id || a->func_id == 0)
        return false;
    for (size_t i = first; i < second && depth >= 0; i++) {
        if (causes_event(c, i)->tid == causes_event(c, first)->tid)
            depth += (causes_event(c, i)->kind == BURL_OP_ENTER) -
                     (causes_event(c, i)->kind == BURL_OP_LEAVE);
    }
    return depth < 0;
}

/* Is the position of the other access forced by create or join? Then it does not interrupt
 * anything. */
static bool
is_forced_between(const struct burl__report_causes *c, const struct triple *t)
{
    return burl__report_is_forced(c, t->first, t->other) ||
           burl__report_is_forced(c, t->other, t->second);
}

/* Does `a` rank below `b`? */
static bool
is_worse(const struct triple *a, const struct triple *b)
{
    return a->score != b->score ? a->score < b->score : a->second < b->second;
}

/* The best triple that ranks below `bound`. */
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

/* "T1's read at line 8 and its write at line 9" */
static void
add_both(struct burl__report_sentence *s, const struct triple *t, const char *first,
         const char *second)
{
    const bool one_line = burl__report_same_line(s, t->first, t->second);

    burl__sentence_add(s, "%T's ", t->first);
    if (one_line && strcmp(first, second) == 0)
        burl__sentence_add(s, "two %ss", first);
    else if (one_line)
        burl__sentence_add(s, "%s and %s", first, second);
    else
        burl__sentence_add(s, "%s%L and its %s", first, t->first, second);
    burl__sentence_add(s, "%L", t->second);
}

static void
add_triple(struct burl__report_sentence *s, const struct triple *t)
{
    const bool write_first = burl__report_is_done_write(sentence_event(s, t->first));
    const char *word = write_first ? "write" : burl__report_read_word(s, t->first);
    const bool checked =
        strcmp(word, "check") == 0 && !burl__report_same_line(s, t->first, t->second);
    const bool update = !write_first && burl__report_is_done_write(sentence_event(s, t->second));

    burl__sentence_begin(s,
                         update && !checked ? "lost-update"
                         : write_first      ? "overwritten"
                                            : "check-then-act",
                         3, t->first, t->other, t->second);
    if (!checked && !write_first)
        word = "read";
    burl__sentence_blame_between(s, t->first, t->early, t->other, t->second);
    burl__sentence_add(s, "%T writes %O%L between ", t->other, t->other, t->other);
    add_both(s, t, word, update ? "write" : checked ? "use" : "read");
    if (update)
        burl__sentence_add(s, ", which overwrites it");
}

/* ---- a value in the middle --------------------------------------------------------- */

/* The failing thread read the first of two writes of another thread. */
static bool
find_middle(const struct burl__report_causes *c, size_t read, struct triple *t)
{
    const struct burl_wire_event *second;

    *t = (struct triple){ .other = read };
    t->first = burl__report_reads_from(c, read);
    if (t->first == SIZE_MAX || causes_event(c, t->first)->tid == causes_event(c, read)->tid)
        return false;
    t->second = burl__report_next_write(c, read, BURL_TID_NONE, read);
    if (t->second == SIZE_MAX)
        return false;
    second = causes_event(c, t->second);
    return second->tid == causes_event(c, t->first)->tid && second->kind != BURL_OP_ATOMIC_RMW &&
           second->after != causes_event(c, t->first)->after;
}

static bool
match_middle(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = 0; i < c->n_reads; i++) {
        struct triple t;
        bool pending;

        if (!find_middle(c, c->reads[i], &t) ||
            !burl__report_preempted_between(c, t.first, t.second, &pending) ||
            burl__report_reused(c, t.first, t.second))
            continue;
        burl__sentence_begin(s, "intermediate-value", 3, t.first, t.other, t.second);
        burl__sentence_blame_between(s, t.first, t.other, t.other, t.second);
        burl__sentence_add(s, "%T reads %O%L between ", t.other, t.other, t.other);
        add_both(s, &t, "write", "write");
        if (burl__sentence_confirm(c, s))
            return true;
    }
    return false;
}

/* ---- a look that was overtaken ----------------------------------------------------- */

/* The last read of shared memory right before a preemption; SIZE_MAX none. */
static size_t
last_shared_read(const struct burl__report_causes *c, size_t preemption)
{
    size_t i = preemption;

    for (unsigned left = 6; left > 0 && i != SIZE_MAX; left--) {
        if (burl__report_is_write(causes_event(c, i)->kind))
            return SIZE_MAX;
        if (burl__report_reads_shared(c, i))
            return i;
        i = burl__report_last_of(c, causes_event(c, preemption)->tid, i);
    }
    return SIZE_MAX;
}

/* The first write that changed the value during the preemption; SIZE_MAX none. */
static size_t
overwritten_by(const struct burl__report_causes *c, size_t read, size_t preemption)
{
    const struct burl__report_place *p = burl__report_place_of(c, read);

    for (size_t k = 0; k < p->n; k++) {
        const struct burl_wire_event *ev = causes_event(c, p->v[k]);

        if (p->v[k] > preemption && p->v[k] < c->next[preemption] &&
            ev->tid != causes_event(c, read)->tid && burl__report_is_done_write(ev) &&
            (ev->flags & BURL_EV_F_AFTER) && (causes_event(c, read)->flags & BURL_EV_F_VALUE) &&
            ev->size_b == causes_event(c, read)->size_b)
            return ev->after != causes_event(c, read)->value ? p->v[k] : SIZE_MAX;
    }
    return SIZE_MAX;
}

/* Does the thread read the memory again when it continues? */
static bool
rereads(const struct burl__report_causes *c, size_t read, size_t preemption)
{
    return burl__report_is_access(causes_event(c, c->next[preemption])->kind) &&
           causes_event(c, c->next[preemption])->addr == causes_event(c, read)->addr;
}

bool
burl__report_pattern_stale(struct burl__report_causes *c, struct burl__report_sentence *s)
{
    for (size_t i = c->preemptions.n; i > 0; i--) {
        const size_t preemption = c->preemptions.v[i - 1];
        const size_t read =
            c->next[preemption] != SIZE_MAX ? last_shared_read(c, preemption) : SIZE_MAX;
        const size_t write = read != SIZE_MAX ? overwritten_by(c, read, preemption) : SIZE_MAX;

        if (write == SIZE_MAX || rereads(c, read, preemption))
            continue;
        burl__sentence_begin(s, "stale-check", 2, read, write);
        burl__sentence_use_site(s, c->left[preemption].site);
        burl__sentence_blame_between(s, read, write, write, c->next[preemption]);
        burl__sentence_blame_broadly(s);
        burl__sentence_add(s, "%T writes %O%L after %T's %s%L, while %T is preempted%S", write,
                           write, write, read, burl__report_read_word(s, read), read, read,
                           c->left[preemption].site);
        if (!s->nameless && burl__sentence_confirm(c, s))
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
        add_triple(s, &t);
        /* A sentence without a name and without a line is useless. */
        if (!(s->nameless && s->vague) && burl__sentence_confirm(c, s))
            return true;
    }
    return match_middle(c, s);
}

/* ---- there and back ---------------------------------------------------------------- */

/* The compare-exchange number `k` of the place found the value that its thread had read, although
 * others had changed it and changed it back. */
static bool
is_aba(const struct burl__report_causes *c, const struct burl__report_place *p, size_t k,
       size_t out[4])
{
    const struct burl_wire_event *cas = causes_event(c, p->v[k]);
    size_t back = SIZE_MAX;

    if (cas->kind != BURL_OP_ATOMIC_CAS || (cas->flags & BURL_EV_F_FAILED) ||
        !(cas->flags & BURL_EV_F_VALUE))
        return false;
    for (size_t i = k; i > 0 && i + LOOK_BACK > k; i--) {
        const struct burl_wire_event *ev = causes_event(c, p->v[i - 1]);
        uint64_t value;

        if (ev->tid == cas->tid) {
            out[0] = p->v[i - 1];
            out[3] = p->v[k];
            return out[1] != SIZE_MAX && known_value(ev, &value) && value == cas->value &&
                   ev->size_b == cas->size_b;
        }
        if (!burl__report_is_done_write(ev) || !(ev->flags & BURL_EV_F_AFTER))
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

            if (!is_aba(c, p, k - 1, e) || !burl__report_preempted_between(c, e[0], e[3], &pending))
                continue;
            burl__sentence_begin(s, "aba", 4, e[0], e[1], e[2], e[3]);
            burl__sentence_blame_between(s, e[0], e[1], e[2], e[3]);
            burl__sentence_add(s,
                               "%O is changed by %T%L and back by %T%L between %T's read%L and its "
                               "compare-exchange%L, which succeeds",
                               e[0], e[1], e[1], e[2], e[2], e[0], e[0], e[3]);
            if (burl__sentence_confirm(c, s))
                return true;
        }
    }
    return false;
}
