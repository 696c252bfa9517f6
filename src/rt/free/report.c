/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/report.c - races and crashes, written into the control block as they are found.
 *
 * The block is shared memory: whatever happens to the program afterwards, the host has them. A pair
 * of sites is one failure however often it is seen; pairs seen before are found in a small table
 * without a lock, because a race in a loop comes by millions of times.
 */
#include <signal.h>
#include <string.h>

#include "free_int.h"
#include "rt/core/module.h"
#include "rt/core/verdict.h"

#define N_SEEN 4096u

static uint64_t seen[N_SEEN];    /* keys; 0 free */
static uint32_t seen_as[N_SEEN]; /* index of the failure + 1; 0 not in the block */
static uint32_t report_lock;

void
burl_free_benign(uintptr_t addr, size_t n)
{
    burl_ob_benign(addr, n, burl__arena_alloc);
}

/* Where the key is or may be put; UINT32_MAX: no room. */
static uint32_t
place_of(uint64_t key)
{
    uint32_t at = (uint32_t)(key >> 20) % N_SEEN;

    for (uint32_t i = 0; i < N_SEEN; i++, at = (at + 1) % N_SEEN) {
        uint64_t k = __atomic_load_n(&seen[at], __ATOMIC_ACQUIRE);

        if (k == key || k == 0)
            return at;
    }
    return UINT32_MAX;
}

/* Is a race on this very address reported? */
static bool
is_reported(uintptr_t addr)
{
    const struct burl_wire_result *r = &burl_rt.ctl->result;
    /* relaxed: a race that is being added is found the next time */
    const uint32_t n = __atomic_load_n(&r->n_failures, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < n && i < BURL_WIRE_MAX_FAILURES; i++) {
        if (r->failures[i].verdict.addr == addr)
            return true;
    }
    return false;
}

/* One race may be behind several flags, for example elements of an array: it stays behind one of
 * them whose own race is reported. A single time without a flag makes it a finding of its own. */
static uintptr_t
merge_behind(uintptr_t was, uintptr_t now)
{
    if (was == 0 || now == 0)
        return 0;
    return was == now || is_reported(was) || !is_reported(now) ? was : now;
}

static void
count_again(uint32_t at, uintptr_t behind)
{
    uint32_t index = __atomic_load_n(&seen_as[at], __ATOMIC_RELAXED);
    struct burl_wire_failure *fail = &burl_rt.ctl->result.failures[index - 1];
    uintptr_t was;

    if (index == 0)
        return;
    __atomic_fetch_add(&fail->count, 1, __ATOMIC_RELAXED);
    /* relaxed: the host looks when the process is gone */
    was = __atomic_load_n(&fail->verdict.behind, __ATOMIC_RELAXED);
    behind = was == behind ? was : merge_behind(was, behind);
    /* Once 0 it stays 0, whichever thread is first. */
    while (was != behind && was != 0 &&
           !__atomic_compare_exchange_n(&fail->verdict.behind, &was, behind, false,
                                        __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* The next failure of the block, NULL when it is full. With the lock held. */
static struct burl_wire_failure *
next_failure(uint64_t key)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    struct burl_wire_failure *f;

    if (r->n_failures >= BURL_WIRE_MAX_FAILURES) {
        r->counters[BURL_COUNTER_VERDICTS_FULL]++;
        return NULL;
    }
    f = &r->failures[r->n_failures];
    memset(f, 0, sizeof *f);
    f->key = key;
    f->count = 1;
    return f;
}

static void
publish(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    /* The host looks when the process is gone; release keeps a debugger's view whole. */
    __atomic_store_n(&r->n_failures, r->n_failures + 1, __ATOMIC_RELEASE);
}

static uint8_t
side_op(uint64_t e, uint32_t site, uint32_t flags)
{
    const struct burl_wire_site *s = burl__module_site(site);

    if ((flags & BURL_SIDE_F_FREE) != 0)
        return BURL_OP_FREE;
    if ((e & BURL_ENTRY_PLAIN) != 0)
        return (e & BURL_ENTRY_WRITE) != 0 ? BURL_OP_WRITE : BURL_OP_READ;
    if (s != NULL && s->kind == BURL_SITE_ATOMIC_RMW)
        return BURL_OP_ATOMIC_RMW;
    if (s != NULL && s->kind == BURL_SITE_ATOMIC_CAS)
        return BURL_OP_ATOMIC_CAS;
    return (e & BURL_ENTRY_WRITE) != 0 ? BURL_OP_ATOMIC_STORE : BURL_OP_ATOMIC_LOAD;
}

static void
fill_side(struct burl_wire_side *side, uintptr_t cell, uint64_t e, uint32_t flags)
{
    uint32_t mask = (uint32_t)(e & BURL_ENTRY_MASK);
    const struct burl_wire_site *s;

    memset(side, 0, sizeof *side);
    side->site = burl__site_of(burl_entry_site(e));
    s = burl__module_site(side->site);
    /* Only freeing is remembered under the site of a call. */
    if (s != NULL && s->kind == BURL_SITE_CALL)
        flags |= BURL_SIDE_F_FREE;
    side->addr = cell + (uint32_t)__builtin_ctz(mask);
    side->size_b = s != NULL && s->size_b != 0 ? s->size_b : burl_entry_size(mask);
    side->op = side_op(e, side->site, flags);
    side->flags = (uint8_t)(flags | ((e & BURL_ENTRY_PLAIN) == 0 ? BURL_SIDE_F_ATOMIC : 0) |
                            ((e & BURL_ENTRY_NEAR) != 0 ? BURL_SIDE_F_NEAR : 0));
    side->tid = burl__slot_tid(burl_entry_slot(e), burl_entry_clock(e));
}

struct race {
    const struct burl_free_thread *f;
    uintptr_t cell;
    uint64_t old; /* entries */
    uint64_t now;
    uint32_t now_flags;
    uintptr_t behind; /* as in the verdict */
};

static uintptr_t
race_addr(const struct race *r)
{
    return r->cell + (uint32_t)__builtin_ctz((uint32_t)(r->old & r->now & BURL_ENTRY_MASK));
}

static void
race_verdict(struct burl_wire_verdict *v, const void *arg)
{
    const struct race *r = arg;

    v->kind = BURL_VERDICT_RACE_DATA;
    v->n_sides = 2;
    fill_side(&v->sides[0], r->cell, r->old, 0);
    burl__stack_past(&v->sides[0], burl_entry_slot(r->old), burl_entry_clock(r->old),
                     burl_entry_site(r->old));
    fill_side(&v->sides[1], r->cell, r->now, r->now_flags);
    burl__stack_now(&v->sides[1], r->f);
    v->op = v->sides[1].op;
    v->tid = r->f->tid;
    v->site = v->sides[1].site;
    v->addr = race_addr(r);
    v->behind = r->behind;
    memcpy(v->stack, v->sides[1].stack, sizeof v->stack);
    burl__memory_origin(v->addr, &v->origin);
}

/* Records the failure with that key, or counts it once more. fill: its verdict when it is new. */
static void
record(uint64_t key, void (*fill)(struct burl_wire_verdict *v, const void *arg), const void *arg,
       uintptr_t behind)
{
    struct burl_wire_failure *fail;
    uint64_t mask;
    uint32_t at;

    burl__signal_lock(&report_lock, &mask);
    at = place_of(key);
    if (at != UINT32_MAX && seen[at] == key) {
        count_again(at, behind);
    } else if (at != UINT32_MAX) {
        fail = next_failure(key);
        if (fail != NULL) {
            fill(&fail->verdict, arg);
            publish();
            seen_as[at] = burl_rt.ctl->result.n_failures;
        }
        /* pairs with the acquire in place_of(): seen_as */
        __atomic_store_n(&seen[at], key, __ATOMIC_RELEASE);
    }
    burl__signal_unlock(&report_lock, mask);
}

void
burl__report_race(struct burl_free_thread *f, uintptr_t addr, uint64_t old, uint64_t now,
                  uint32_t now_flags)
{
    const struct race race = { f,         addr & ~(uintptr_t)7,        old, now,
                               now_flags, burl__assumed_behind(f, old) };
    uint32_t sites[2] = { burl__site_of(burl_entry_site(old)),
                          burl__site_of(burl_entry_site(now)) };
    uint64_t key = burl_wire_suspect_key(BURL_SUSPECT_RACE, sites, 2);
    uint32_t at;

    if (f->in_report || !burl_free.on)
        return;
    at = place_of(key);
    if (at == UINT32_MAX)
        return;
    if (__atomic_load_n(&seen[at], __ATOMIC_RELAXED) == key) {
        count_again(at, race.behind);
        return;
    }
    if (burl_ob_is_benign(race_addr(&race), race.cell + 8))
        return;
    f->in_report = true;
    record(key, race_verdict, &race, race.behind);
    f->in_report = false;
}

void
burl_free_stack(struct burl_wire_side *side)
{
    if (burl_free_me != NULL)
        burl__stack_now(side, burl_free_me);
}

struct observed {
    enum burl_wire_verdict_kind kind;
    const struct burl_watch *w;
    uintptr_t addr;
    const struct burl_wire_side *sides;
};

static void
observed_verdict(struct burl_wire_verdict *v, const void *arg)
{
    const struct observed *o = arg;
    struct burl_wire_side now = { .site = o->w->last_site };

    burl_free_stack(&now);
    v->kind = (uint8_t)o->kind;
    v->n_sides = 2;
    memcpy(v->sides, o->sides, sizeof v->sides);
    v->op = o->w->last_op;
    v->tid = o->w->tid;
    v->site = o->w->last_site;
    v->addr = o->addr;
    memcpy(v->stack, now.stack, sizeof v->stack);
    burl__memory_origin(o->addr, &v->origin);
    if (o->w->region_name != NULL)
        strncpy(v->text, o->w->region_name, sizeof v->text - 1);
}

void
burl_free_verdict(enum burl_wire_verdict_kind kind, const struct burl_watch *w, uintptr_t addr,
                  const struct burl_wire_side sides[2])
{
    const struct observed o = { kind, w, addr, sides };
    const uint32_t sites[3] = { sides[0].site, sides[1].site, w->last_site };

    /* Races of this mode are found in the shadow. */
    record(burl_wire_suspect_key(BURL_SUSPECT_REGION, sites, 3), observed_verdict, &o, 0);
}

void
burl__report_crash(enum burl_wire_verdict_kind kind, int code, uintptr_t addr, uintptr_t pc,
                   const char *text)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_wire_verdict *v = &burl_rt.ctl->result.last;
    struct burl_wire_side side = { 0 };

    memset(v, 0, sizeof *v);
    v->kind = (uint8_t)kind;
    v->code = code;
    v->addr = addr;
    v->pc = pc;
    v->tid = f != NULL ? f->tid : BURL_TID_NONE;
    if (text != NULL)
        strncpy(v->text, text, sizeof v->text - 1);
    if (f == NULL)
        return;
    burl__stack_now(&side, f);
    memcpy(v->stack, side.stack, sizeof v->stack);
    /* A fault is somewhere in the innermost function; everything else is a call. */
    v->site = kind == BURL_VERDICT_CRASH_SIGNAL ? side.stack[0] : burl__site_of(f->call_site);
    if (pc != 0)
        v->other_site =
            code == SIGILL || code == SIGTRAP ? burl__top_now(f) : burl__site_of(f->call_site);
    if (kind == BURL_VERDICT_CRASH_SIGNAL || kind == BURL_VERDICT_CRASH_ABORT)
        burl__caller_fill(&v->origin, pc);
}
