/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/batch.c - results of executions, added up; contract in batch.h.
 *
 * Runs in the host, on results that came through the door (door.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/target/batch.h"

static bool
sane_suspect(const struct burl_wire_suspect *s)
{
    return s->n_sites >= 2 && s->key == burl_wire_suspect_key(s->kind, s->sites, s->n_sites);
}

static void
add_failure(struct burl_batch *b, const struct burl_wire_failure *f)
{
    for (size_t i = 0; i < b->failures.n; i++) {
        if (b->failures.v[i].key == f->key) {
            b->failures.v[i].count += f->count;
            return;
        }
    }
    BURL_VEC_PUSH(&b->failures, *f);
}

/* What was only possible and then happened is a thing that happened, where it did. */
static bool
outdoes(const struct burl_wire_suspect *s, const struct burl_wire_suspect *old)
{
    return s->kind == BURL_SUSPECT_RACE && old->kind == BURL_SUSPECT_POTENTIAL;
}

void
burl__batch_merge_suspect(struct burl_wire_suspect *old, const struct burl_wire_suspect *s)
{
    const uint64_t count = old->count + s->count;
    const uint32_t rank = s->rank < old->rank ? s->rank : old->rank;
    const uint16_t behind = s->behind > old->behind ? s->behind : old->behind;

    if (outdoes(s, old))
        *old = *s;
    old->count = count;
    old->rank = rank;
    old->behind = behind;
}

void
burl__batch_merge_gates(uint32_t *to, const uint32_t *from)
{
    for (uint32_t i = 0; i < BURL_GOAL_MAX_GATES && from[i] != 0; i++) {
        uint32_t k = 0;

        while (k < BURL_GOAL_MAX_GATES && to[k] != 0 && to[k] != from[i])
            k++;
        if (k < BURL_GOAL_MAX_GATES)
            to[k] = from[i];
    }
}

static void
add_suspect(struct burl_batch *b, const struct burl_wire_suspect *s)
{
    if (!sane_suspect(s))
        return;
    for (size_t i = 0; i < b->suspects.n; i++) {
        if (b->suspects.v[i].key == s->key) {
            burl__batch_merge_suspect(&b->suspects.v[i], s);
            return;
        }
    }
    BURL_VEC_PUSH(&b->suspects, *s);
}

bool
burl__batch_is_over(const struct burl_batch *b, uint32_t flags)
{
    for (size_t i = 0; i < b->suspects.n && (flags & BURL_ORDER_F_STOP_AT_SUSPECT); i++) {
        if (b->suspects.v[i].kind == BURL_SUSPECT_RACE ||
            b->suspects.v[i].kind == BURL_SUSPECT_REGION)
            return true;
    }
    if (b->goal_hits > 0 && (flags & BURL_ORDER_F_STOP_AT_GOAL))
        return true;
    return b->failures.n > 0 && (flags & BURL_ORDER_F_STOP_AT_FINDING);
}

static void
add_goal(struct burl_batch *b, const struct burl_wire_result *r)
{
    if (b->goal_hits == 0)
        b->goal_seed = r->goal_seed;
    b->goal_hits += r->goal_hits;
    for (uint32_t i = 0; i < 2; i++) {
        b->pair_visits[i] += r->pair_visits[i];
        burl__batch_merge_gates(b->pair_gates[i], r->pair_gates[i]);
    }
}

static void
add_observed(struct burl_batch *b, const struct burl_wire_ctl *ctl)
{
    add_goal(b, &ctl->result);
    for (uint32_t i = 0; i < ctl->result.n_suspects; i++)
        add_suspect(b, &ctl->suspects[i]);
}

/* The process may be gone when the batch is committed. */
void
burl__batch_take_loaded(struct burl_batch *b, const struct burl_wire_ctl *ctl)
{
    if (burl_image_has_late(ctl) && b->loaded.n_modules != ctl->n_modules)
        burl_image_take(&b->loaded, ctl);
}

void
burl__batch_add_result(struct burl_batch *b, const struct burl_wire_ctl *ctl)
{
    const struct burl_wire_result *r = &ctl->result;

    add_observed(b, ctl);
    burl__batch_take_loaded(b, ctl);
    b->totals.executions += r->n_done;
    b->totals.steps += r->n_steps;
    b->totals.points += r->n_points;
    b->totals.switches += r->n_switches;
    b->totals.preemptions += r->n_preemptions;
    for (uint32_t k = 0; k < BURL_VERDICT__N; k++) {
        b->by_verdict[k] += r->n_by_verdict[k];
        if (burl_verdict_is_finding(k))
            b->totals.failures += r->n_by_verdict[k];
    }
    b->totals.cut +=
        r->n_by_verdict[BURL_VERDICT_CUT_STEPS] + r->n_by_verdict[BURL_VERDICT_CUT_TIME];
    for (uint32_t k = 0; k < BURL_COUNTER__N; k++)
        b->counters[k] += r->counters[k];
    b->sum_completed_points += r->sum_completed_points;
    if (r->max_points > b->max_points)
        b->max_points = r->max_points;
    b->n_completed += r->n_completed;
    if (r->max_threads > b->max_threads)
        b->max_threads = r->max_threads;
    if (r->unstable_seed != UINT64_MAX && !b->unstable) {
        b->unstable = true;
        b->unstable_seed = r->unstable_seed;
        b->unstable_step = r->unstable_step;
        b->unstable_site = r->unstable_site;
    }
    if ((r->n_by_verdict[BURL_VERDICT_UNSUPPORTED] || r->n_by_verdict[BURL_VERDICT_INTERNAL]) &&
        b->unsupported[0] == '\0') {
        const bool last =
            r->last.kind == BURL_VERDICT_UNSUPPORTED || r->last.kind == BURL_VERDICT_INTERNAL;

        snprintf(b->unsupported, sizeof b->unsupported, "%.*s", BURL_WIRE_TEXT_B - 1,
                 last ? r->last.text : r->text);
    }
    for (uint32_t i = 0; i < r->n_failures; i++) {
        /* The table tells cut and unsupported executions apart too. */
        if (burl_verdict_is_finding(r->failures[i].verdict.kind))
            add_failure(b, &r->failures[i]);
    }
}

uint64_t
burl__engine_completed(uint64_t n, const uint64_t by_verdict[BURL_VERDICT__N])
{
    const uint64_t cut = by_verdict[BURL_VERDICT_CUT_STEPS] + by_verdict[BURL_VERDICT_CUT_TIME] +
                         by_verdict[BURL_VERDICT_DIVERGED] + by_verdict[BURL_VERDICT_UNSUPPORTED] +
                         by_verdict[BURL_VERDICT_INTERNAL];

    return n > cut ? n - cut : 0;
}

void
burl__batch_forget_cuts(struct burl_batch *b)
{
    b->totals.cut = 0;
    b->by_verdict[BURL_VERDICT_CUT_STEPS] = 0;
    b->by_verdict[BURL_VERDICT_CUT_TIME] = 0;
}

uint64_t
burl__batch_completed(const struct burl_batch *b)
{
    return burl__engine_completed(b->totals.executions, b->by_verdict);
}

void
burl__batch_add_verdict(struct burl_batch *b, uint64_t seed, const struct burl_wire_verdict *v)
{
    b->totals.executions++;
    b->by_verdict[v->kind]++;
    if (v->kind == BURL_VERDICT_CUT_STEPS || v->kind == BURL_VERDICT_CUT_TIME)
        b->totals.cut++;
    if (burl_verdict_is_finding(v->kind)) {
        uint64_t h = burl_hash_u64(BURL_HASH_BEGIN, v->kind);
        struct burl_wire_failure f = { .seed = seed, .count = 1, .verdict = *v };

        h = burl_hash_u64(h, (uint64_t)v->code);
        f.key = burl_hash_end(h);
        b->totals.failures++;
        add_failure(b, &f);
    }
}

void
burl__batch_deinit(struct burl_batch *b)
{
    BURL_VEC_FREE(&b->failures);
    BURL_VEC_FREE(&b->suspects);
    BURL_VEC_FREE(&b->items);
    burl_image_deinit(&b->loaded);
    memset(b, 0, sizeof *b);
}
