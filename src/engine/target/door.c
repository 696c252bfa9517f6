/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/door.c - the only reader of the shared control block; contract in door.h.
 *
 * Runs in the host. Every function copies first, in one pass, and then looks at the copy only:
 * a second look at the shared bytes could see other bytes. fetch() is the only load of them,
 * apart from single words that are loaded once.
 */
#include "engine/target/door.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/printable.h"
#include "engine/target/process.h"

/* Threads of one execution (rt/core/rt.h); no controlled execution has a higher number. */
#define MAX_THREADS 4096u

/* ---- copying ------------------------------------------------------------------------ */

static void
fetch(void *to, const void *shared, size_t n)
{
    memcpy(to, shared, n);
    /* The compiler must not load the shared bytes again where it wants the copied ones. */
    __asm__ volatile("" ::: "memory");
}

static bool
damaged(struct burl_block *b, const char *what)
{
    if (b->damage[0] == '\0')
        snprintf(b->damage, sizeof b->damage, "%s", what);
    return false;
}

static const void *
shared_area(const struct burl_block *b, enum burl__area a)
{
    return burl__block_area(b->shared, a);
}

/* True once after each order: the area is to be copied now. */
static bool
is_first_look(struct burl_block *b, enum burl__area a)
{
    const bool first = (b->taken & 1u << a) == 0;

    b->taken |= 1u << a;
    return first;
}

/* ---- what the host wrote -------------------------------------------------------------- */

#define SAME(b, from, to)                                                     \
    (memcmp((const char *)(b)->shared + offsetof(struct burl_wire_ctl, from), \
            (const char *)(b)->copy + offsetof(struct burl_wire_ctl, from),   \
            offsetof(struct burl_wire_ctl, to) - offsetof(struct burl_wire_ctl, from)) == 0)

bool
burl_door_is_intact(struct burl_block *b)
{
    /* relaxed: whether the block is ours is decided elsewhere */
    if (__atomic_load_n(&b->shared->turn, __ATOMIC_RELAXED) > BURL_TURN_TARGET)
        return damaged(b, "the word that says whose turn it is");
    if (burl_door_live_execs(b) > b->max_done)
        return damaged(b, "the counter of executions");
    if (!SAME(b, magic, turn) || !SAME(b, size_b, rt_version) || !SAME(b, host_pid, n_modules))
        return damaged(b, "its head");
    if (!SAME(b, order, result))
        return damaged(b, "the order");
    if (!SAME(b, settled, objects))
        return damaged(b, "the list of settled memory");
    return true;
}

/* Without one of its points a search would miss schedules. Free runs add marks to them. */
static bool
has_its_points(struct burl_block *b)
{
    if (b->copy->engine == BURL_ENGINE_FREE ||
        memcmp(shared_area(b, BURL__AREA_POINTS), burl__block_area(b->copy, BURL__AREA_POINTS),
               b->copy->n_sites) == 0)
        return true;
    return damaged(b, "the scheduling points");
}

/* ---- verdicts and suspects -------------------------------------------------------------- */

static bool
is_tid(uint16_t tid)
{
    return tid < MAX_THREADS || tid == BURL_TID_NONE;
}

static bool
is_side(const struct burl_wire_side *s)
{
    const uint32_t n = s->n_locks < BURL_WIRE_MAX_LOCKS ? s->n_locks : BURL_WIRE_MAX_LOCKS;

    for (uint32_t i = 0; i < n; i++) {
        if (s->locks[i].mode > BURL_LOCK_SHARED)
            return false;
    }
    return s->op < BURL_OP__N;
}

/* In the copy. Also makes the text fit to be shown. */
static bool
is_verdict(struct burl_wire_verdict *v)
{
    if (v->kind >= BURL_VERDICT__N || v->op >= BURL_OP__N || v->n_waits > BURL_WIRE_MAX_CYCLE ||
        v->n_sides > 2 || v->origin.kind > BURL_ORIGIN_THREAD)
        return false;
    for (uint32_t i = 0; i < v->n_waits; i++) {
        if (v->waits[i].kind >= BURL_OP__N)
            return false;
    }
    for (uint32_t i = 0; i < v->n_sides; i++) {
        if (!is_side(&v->sides[i]))
            return false;
    }
    burl_printable_fix(v->text, sizeof v->text);
    return true;
}

/* Free runs count threads for as long as the program lives. */
static bool
has_tids(const struct burl_block *b, const struct burl_wire_verdict *v)
{
    if (b->copy->engine == BURL_ENGINE_FREE)
        return true;
    for (uint32_t i = 0; i < v->n_waits; i++) {
        if (!is_tid(v->waits[i].tid) || !is_tid(v->waits[i].owner))
            return false;
    }
    for (uint32_t i = 0; i < v->n_sides; i++) {
        if (!is_tid(v->sides[i].tid))
            return false;
    }
    return is_tid(v->tid);
}

static bool
is_suspect(const struct burl_wire_suspect *s)
{
    if (s->kind >= BURL_SUSPECT__N || s->observer >= BURL_OBSERVER__N ||
        s->n_sites > BURL_WIRE_MAX_SITES || s->origin > BURL_ORIGIN_TLS)
        return false;
    for (uint32_t i = 0; i < s->n_sites; i++) {
        if (s->ops[i] >= BURL_OP__N)
            return false;
    }
    return true;
}

/* ---- the result ------------------------------------------------------------------------- */

/* Of controlled executions: each has one verdict, and the numbers of all contain those of one. */
static bool
check_sums(struct burl_block *b, uint64_t judged)
{
    const struct burl_wire_result *r = &b->copy->result;

    if (judged != r->n_done)
        return damaged(b, "the numbers of verdicts");
    if (r->last_steps > r->n_steps || r->n_preemptions > r->n_switches ||
        r->min_points > r->n_points || r->max_points > r->sum_completed_points ||
        r->sum_completed_points > r->n_points || r->goal_hits > r->n_done ||
        r->search_pruned > r->n_done || r->search_void > r->n_done)
        return damaged(b, "the numbers of operations");
    return true;
}

static bool
check_counts(struct burl_block *b)
{
    const struct burl_wire_result *r = &b->copy->result;
    uint64_t judged = 0;

    if (r->n_done > b->max_done || r->n_completed > r->n_done)
        return damaged(b, "the number of executions");
    for (uint32_t k = 0; k < BURL_WIRE_VERDICTS_MAX; k++) {
        if (r->n_by_verdict[k] > r->n_done)
            return damaged(b, "the numbers of verdicts");
        judged += r->n_by_verdict[k];
    }
    return b->copy->engine == BURL_ENGINE_FREE || check_sums(b, judged);
}

static bool
check_failures(struct burl_block *b)
{
    struct burl_wire_result *r = &b->copy->result;

    for (uint32_t i = 0; i < r->n_failures; i++) {
        struct burl_wire_failure *f = &r->failures[i];

        if (!is_verdict(&f->verdict) || !has_tids(b, &f->verdict))
            return damaged(b, "the table of failures");
    }
    for (uint32_t i = 0; i < r->n_suspects; i++) {
        if (!is_suspect(&b->copy->suspects[i]))
            return damaged(b, "the table of suspects");
    }
    return true;
}

static bool
take_result(struct burl_block *b)
{
    struct burl_wire_result *r = &b->copy->result;
    const struct burl_wire_result *from = &b->shared->result;

    fetch(r, from, offsetof(struct burl_wire_result, failures));
    burl_printable_fix(r->text, sizeof r->text);
    if (r->n_failures > BURL_WIRE_MAX_FAILURES || r->n_suspects > BURL_WIRE_MAX_SUSPECTS ||
        r->n_sched_out > BURL__BLOCK_SWITCHES || r->n_events > BURL__BLOCK_EVENTS ||
        r->trace_start >= BURL__BLOCK_EVENTS || r->search > BURL_SEARCH_COMPLETE ||
        r->last_goal_hit > 1 || !is_verdict(&r->last) || !has_tids(b, &r->last))
        return damaged(b, "the result");
    fetch(r->failures, from->failures, r->n_failures * sizeof r->failures[0]);
    fetch(b->copy->suspects, b->shared->suspects, r->n_suspects * sizeof b->copy->suspects[0]);
    return check_counts(b) && check_failures(b);
}

/* ---- modules ---------------------------------------------------------------------------- */

static bool
is_module(const struct burl_wire_ctl *c, const struct burl_wire_module_entry *m)
{
    return m->base > 0 && (uint64_t)m->base + m->n_sites <= c->n_sites && m->object < c->n_objects;
}

/* Code that was loaded keeps its numbers, whatever is loaded later. */
static bool
take_modules(struct burl_block *b)
{
    struct burl_wire_ctl *c = b->copy;
    const uint32_t n_known = c->n_modules;
    struct burl_wire_module_entry *known = NULL;
    struct {
        uint32_t modules, objects, sites;
    } n;
    bool same = true;

    fetch(&n, &b->shared->n_modules, sizeof n);
    if (n.modules > BURL_WIRE_MAX_MODULES || n.objects > BURL_WIRE_MAX_OBJECTS ||
        n.sites > BURL__BLOCK_SITES || n.modules < c->n_modules || n.objects < c->n_objects ||
        n.sites < c->n_sites)
        return damaged(b, "the number of modules");
    if (n_known > 0)
        known = burl_xmemdup(c->modules, n_known * sizeof *known);
    c->n_modules = n.modules;
    c->n_objects = n.objects;
    c->n_sites = n.sites;
    fetch(c->modules, b->shared->modules, n.modules * sizeof c->modules[0]);
    fetch(c->objects, b->shared->objects, n.objects * sizeof c->objects[0]);
    for (uint32_t i = 0; i < n.objects; i++)
        c->objects[i].path[BURL_WIRE_PATH_B - 1] = '\0';
    for (uint32_t i = 0; i < n.modules && same; i++) {
        same = is_module(c, &c->modules[i]) &&
               (i >= n_known ||
                (known[i].hash == c->modules[i].hash && known[i].base == c->modules[i].base &&
                 known[i].n_sites == c->modules[i].n_sites));
    }
    if (!same && n_known > 0)
        memcpy(c->modules, known, n_known * sizeof *known);
    if (!same)
        c->n_modules = n_known;
    free(known);
    return same || damaged(b, "the table of modules");
}

static_assert(offsetof(struct burl_wire_ctl, n_sites) - offsetof(struct burl_wire_ctl, n_modules) ==
                  8,
              "the three numbers lie side by side");

/* ---- the whole ---------------------------------------------------------------------------- */

static void
empty_result(struct burl_block *b)
{
    memset(&b->copy->result, 0, offsetof(struct burl_wire_result, failures));
    b->copy->result.unstable_seed = UINT64_MAX;
    b->copy->result.diverged_at = UINT32_MAX;
    b->copy->result.last.kind = BURL_VERDICT_INTERNAL;
    b->copy->result.last.tid = BURL_TID_NONE;
}

bool
burl_door_take(struct burl_block *b, bool is_whole)
{
    struct burl_wire_ctl *c = b->copy;

    fetch(&c->live, &b->shared->live, sizeof c->live);
    fetch(&c->rt_version, &b->shared->rt_version, sizeof c->rt_version);
    fetch(&c->rt_pid, &b->shared->rt_pid, sizeof c->rt_pid);
    fetch(&c->snapshot_b, &b->shared->snapshot_b, sizeof c->snapshot_b);
    b->taken = 0;
    if (b->damage[0] != '\0' || !burl_door_is_intact(b) || !has_its_points(b)) {
        empty_result(b);
        return false;
    }
    /* What another version of the runtime writes is not for us to read. */
    if (c->rt_version != BURL_WIRE_VERSION) {
        empty_result(b);
        return true;
    }
    if (is_whole && take_modules(b) && take_result(b))
        return true;
    if (is_whole) {
        empty_result(b);
        return false;
    }
    /* Results without names are better than none. */
    (void)take_modules(b);
    if (!take_result(b))
        empty_result(b);
    b->damage[0] = '\0';
    return true;
}

uint64_t
burl_door_live_execs(const struct burl_block *b)
{
    /* relaxed is enough: a number for people and the watchdog */
    return __atomic_load_n(&b->shared->live.execs, __ATOMIC_RELAXED);
}

/* ---- areas of learning -------------------------------------------------------------------- */

const uint8_t *
burl_door_points_new(struct burl_block *b)
{
    uint8_t *to = burl__block_area(b->copy, BURL__AREA_POINTS_NEW);

    if (!is_first_look(b, BURL__AREA_POINTS_NEW))
        return to;
    fetch(to, shared_area(b, BURL__AREA_POINTS_NEW), b->copy->n_sites);
    for (uint32_t i = 0; i < b->copy->n_sites; i++) {
        if (to[i] > 1)
            (void)damaged(b, "the sites of shared memory");
        to[i] = to[i] != 0;
    }
    return to;
}

const uint32_t *
burl_door_gates_new(struct burl_block *b)
{
    uint32_t *to = burl__block_area(b->copy, BURL__AREA_GATES_NEW);

    if (!is_first_look(b, BURL__AREA_GATES_NEW))
        return to;
    fetch(to, shared_area(b, BURL__AREA_GATES_NEW), b->copy->n_sites * sizeof *to);
    for (uint32_t i = 0; i < b->copy->n_sites; i++) {
        if (to[i] >= b->copy->n_sites)
            to[i] = 0;
    }
    return to;
}

static void
take_edges(const struct burl_block *b, struct burl_wire_profile *to,
           const struct burl_wire_profile *from)
{
    fetch(to->edges, from->edges, sizeof to->edges);
    for (uint32_t i = 0; i < BURL_PROFILE_EDGES; i++) {
        if (to->edges[i].read >= b->copy->n_sites || to->edges[i].write >= b->copy->n_sites)
            to->edges[i] = (struct burl_profile_edge){ 0 };
    }
}

static void
take_pairs(const struct burl_block *b, struct burl_wire_profile *to,
           const struct burl_wire_profile *from)
{
    uint32_t n[2];
    uint32_t kept = 0;

    fetch(n, &from->n_pairs, sizeof n);
    if (n[0] > BURL_PROFILE_PAIRS)
        n[0] = BURL_PROFILE_PAIRS;
    to->pairs_lost = n[1];
    fetch(to->pairs, from->pairs, n[0] * sizeof to->pairs[0]);
    for (uint32_t i = 0; i < n[0]; i++) {
        if (to->pairs[i].earlier < b->copy->n_sites && to->pairs[i].later < b->copy->n_sites)
            to->pairs[kept++] = to->pairs[i];
    }
    to->n_pairs = kept;
}

const struct burl_wire_profile *
burl_door_profile_new(struct burl_block *b)
{
    const struct burl_wire_profile *from = shared_area(b, BURL__AREA_PROFILE_NEW);
    struct burl_wire_profile *to = burl__block_area(b->copy, BURL__AREA_PROFILE_NEW);

    if (!is_first_look(b, BURL__AREA_PROFILE_NEW))
        return to;
    fetch(to, from, offsetof(struct burl_wire_profile, vars));
    if (to->n_vars > BURL_PROFILE_VARS)
        to->n_vars = BURL_PROFILE_VARS;
    if (to->n_threads > MAX_THREADS)
        to->n_threads = MAX_THREADS;
    fetch(to->vars, from->vars, to->n_vars * sizeof to->vars[0]);
    if (to->n_edges > 0)
        take_edges(b, to, from);
    take_pairs(b, to, from);
    return to;
}

/* ---- one execution ------------------------------------------------------------------------ */

struct burl_wire_switch *
burl_door_switches(struct burl_block *b)
{
    const uint32_t n = b->copy->result.n_sched_out;
    struct burl_wire_switch *v = burl_xcalloc((size_t)n + 1, sizeof *v);

    fetch(v, shared_area(b, BURL__AREA_SCHED_OUT), n * sizeof *v);
    for (uint32_t i = 0; i < n; i++) {
        if (v[i].why >= BURL_SWITCH_WHY__N || v[i].kind >= BURL_OP__N || !is_tid(v[i].tid) ||
            v[i].site >= b->copy->n_sites) {
            free(v);
            (void)damaged(b, "the recorded schedule");
            return NULL;
        }
    }
    return v;
}

static bool
is_event(const struct burl_block *b, const struct burl_wire_event *e)
{
    const bool in_free = b->copy->engine == BURL_ENGINE_FREE;

    return e->kind < BURL_OP__N && e->site < b->copy->n_sites && (in_free || is_tid(e->tid));
}

struct burl_wire_event *
burl_door_events(struct burl_block *b)
{
    const struct burl_wire_event *ring = shared_area(b, BURL__AREA_TRACE);
    const uint32_t n = b->copy->result.n_events;
    const uint32_t start = b->copy->result.trace_start;
    const uint32_t first = n < BURL__BLOCK_EVENTS - start ? n : BURL__BLOCK_EVENTS - start;
    struct burl_wire_event *v = burl_xcalloc((size_t)n + 1, sizeof *v);

    fetch(v, ring + start, first * sizeof *v);
    fetch(v + first, ring, (n - first) * sizeof *v);
    for (uint32_t i = 0; i < n; i++) {
        if (!is_event(b, &v[i])) {
            free(v);
            (void)damaged(b, "the recorded trace");
            return NULL;
        }
    }
    return v;
}

/* ---- searches ----------------------------------------------------------------------------- */

bool
burl_door_is_search(const uint64_t *words, uint64_t n_words)
{
    const struct burl_search_stack *s = (const struct burl_search_stack *)(const void *)words;
    const uint64_t head = sizeof *s / 8;
    const uint64_t each = sizeof s->frames[0] / 8;

    if (n_words < head || s->n > burl_search_frames_max(BURL__BLOCK_SEARCH_B) ||
        n_words != head + s->n * each || s->loops.n > BURL_SEARCH_LOOPS)
        return false;
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->frames[i].chosen >= BURL_SEARCH_TIDS)
            return false;
    }
    return true;
}

const struct burl_search_stack *
burl_door_search_head(struct burl_block *b)
{
    struct burl_search_stack *to = burl__block_area(b->copy, BURL__AREA_SEARCH);

    if (is_first_look(b, BURL__AREA_SEARCH))
        fetch(to, shared_area(b, BURL__AREA_SEARCH), sizeof *to);
    return to;
}

uint64_t *
burl_door_search(struct burl_block *b, uint64_t *n)
{
    const struct burl_search_stack *s = shared_area(b, BURL__AREA_SEARCH);
    const uint32_t n_frames = __atomic_load_n(&s->n, __ATOMIC_RELAXED); /* ours: its only load */
    uint64_t *words;

    *n = 0;
    if (n_frames > burl_search_frames_max(BURL__BLOCK_SEARCH_B))
        return NULL;
    *n = (sizeof *s + n_frames * sizeof s->frames[0]) / 8;
    words = burl_xmalloc(*n * 8);
    fetch(words, s, *n * 8);
    if (!burl_door_is_search(words, *n)) {
        free(words);
        return NULL;
    }
    return words;
}

/* ---- coverage, mail, noise ------------------------------------------------------------------ */

const struct burl_wire_cover_item *
burl_door_items(struct burl_block *b, uint32_t *n)
{
    const struct burl_wire_cover *from = shared_area(b, BURL__AREA_COVER);
    struct burl_wire_cover *to = burl__block_area(b->copy, BURL__AREA_COVER);
    uint32_t written;

    *n = 0;
    if (!b->cover)
        return to->items;
    /* pairs with the release store of the runtime after it has filled an item */
    written = __atomic_load_n(&from->n, __ATOMIC_ACQUIRE);
    if (written > BURL_WIRE_COVER_ITEMS)
        written = BURL_WIRE_COVER_ITEMS;
    if (written > b->n_items) {
        fetch(to->items + b->n_items, from->items + b->n_items,
              (written - b->n_items) * sizeof to->items[0]);
        b->n_items = written;
    }
    *n = b->n_items;
    return to->items;
}

uint32_t
burl_door_items_lost(const struct burl_block *b)
{
    const struct burl_wire_cover *from = shared_area(b, BURL__AREA_COVER);

    /* relaxed is enough: a number for people */
    return __atomic_load_n(&from->n_lost, __ATOMIC_RELAXED);
}

const void *
burl_door_mail(struct burl_block *b)
{
    const struct burl_mail_out *from = shared_area(b, BURL__AREA_MAIL_OUT);
    struct burl_mail_out *to = burl__block_area(b->copy, BURL__AREA_MAIL_OUT);
    const size_t max = BURL_MAIL_OUT_B - sizeof *to;

    if (!is_first_look(b, BURL__AREA_MAIL_OUT))
        return to;
    fetch(to, from, sizeof *to);
    if (to->used_b > max)
        to->used_b = (uint32_t)max;
    fetch(to + 1, from + 1, to->used_b);
    return to;
}

uint8_t *
burl_door_marks(const struct burl_block *b, size_t n)
{
    uint8_t *v = burl_xcalloc(n + 1, 1);

    BURL_ASSERT(n <= BURL__BLOCK_SITES);
    fetch(v, shared_area(b, BURL__AREA_POINTS), n);
    return v;
}

struct burl_wire_noise_counts
burl_door_noise_counts(const struct burl_block *b)
{
    struct burl_wire_noise_counts sum = { 0 };
    struct burl_wire_noise_counts v[BURL_NOISE_SLOTS];

    fetch(v, b->shared->noise_counts, sizeof v);
    for (size_t i = 0; i < BURL_NOISE_SLOTS; i++) {
        sum.places += v[i].places;
        sum.injected += v[i].injected;
        sum.halted += v[i].halted;
        sum.tampered += v[i].tampered;
    }
    return sum;
}
