/* SPDX-License-Identifier: Apache-2.0 */
/*
 * profile.c - how often each thread uses which shared variable, in one execution.
 *
 * Runs in the target, only with BURL_ORDER_F_PROFILE: every operation is counted per thread and
 * per variable or sync object, and at the end those that two threads used, one of them
 * changing it, go to profile_new.vars. SURW (strategy/surw.c) takes them as an estimate of the next
 * execution.
 *
 * A variable is an address at which accesses begin. Not a granule of memory: two neighbors that
 * are one variable here would be one in SURW, which is there to tell orders of one from orders of
 * both. Accesses of another size are missed where they begin elsewhere.
 *
 * Unlocks and the second halves of waits are not counted: what comes before them decides when they
 * happen. When there is no room the most used variables stay; a variable that is not listed is
 * not preferred by SURW and nothing else.
 */
#include <string.h>

#include "learn.h"
#include "rt/core/core.h"

#define SLOTS 4096u /* variables of one execution; power of two */
#define PROBES 16u

struct counted {
    uintptr_t key; /* where the accesses begin, or the object's address */
    uint32_t generation;
    uint32_t total;
    uint16_t first_tid;
    uint8_t kind; /* enum burl_profile_var_kind */
    bool several; /* threads */
    bool changed;
    uint16_t count[BURL_PROFILE_TIDS];
};

static struct counted *table;
static uint32_t generation;

void
burl__profile_reset(void)
{
    if (table == NULL)
        table = burl_rt_alloc(SLOTS * sizeof *table);
    generation++;
}

static struct counted *
counted_at(uintptr_t key, uint8_t kind)
{
    const uint32_t at = (uint32_t)burl_mix64(key);

    for (uint32_t i = 0; i < PROBES; i++) {
        struct counted *v = &table[(at + i) & (SLOTS - 1)];

        if (v->generation == generation && v->key == key && v->kind == kind)
            return v;
        if (v->generation == generation)
            continue;
        memset(v, 0, sizeof *v);
        v->generation = generation;
        v->key = key;
        v->kind = kind;
        v->first_tid = BURL_TID_NONE;
        return v;
    }
    return NULL;
}

static void
count(const struct burl_thread *t, uintptr_t key, uint8_t kind, bool change)
{
    struct counted *v = counted_at(key, kind);
    const uint32_t who = t->tid < BURL_PROFILE_TIDS ? t->tid : BURL_PROFILE_TIDS - 1;

    if (v == NULL)
        return;
    if (v->first_tid == BURL_TID_NONE)
        v->first_tid = t->tid;
    v->several |= v->first_tid != t->tid;
    v->changed |= change;
    v->total++;
    if (v->count[who] < UINT16_MAX)
        v->count[who]++;
}

void
burl__profile_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (burl_rt.exec.n_alive < 2 || !burl__profile_counts(op))
        return;
    if (burl__profile_is_memory(op))
        count(t, op->addr, BURL_PROFILE_MEMORY,
              op->kind != BURL_OP_READ && op->kind != BURL_OP_ATOMIC_LOAD);
    else
        count(t, op->addr, BURL_PROFILE_SYNC, true);
}

static void
put(struct burl_profile_var *to, const struct counted *v)
{
    to->addr = v->key;
    to->kind = v->kind;
    to->total = v->total;
    memcpy(to->count, v->count, sizeof to->count);
}

/* The least used variable that has been put, to make room. */
static struct burl_profile_var *
least(struct burl_wire_profile *p)
{
    struct burl_profile_var *best = &p->vars[0];

    for (uint32_t i = 1; i < p->n_vars; i++) {
        if (p->vars[i].total < best->total)
            best = &p->vars[i];
    }
    return best;
}

void
burl__profile_finish(void)
{
    struct burl_wire_profile *p = burl_rt.profile_new;
    const uint32_t n = burl_rt.exec.n_threads;

    p->n_vars = 0;
    p->n_threads = n < BURL_PROFILE_TIDS ? n : BURL_PROFILE_TIDS;
    memset(p->ops, 0, sizeof p->ops);
    for (uint32_t i = 0; i < p->n_threads; i++)
        p->parent[i] = burl_rt.threads[i]->parent;
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct counted *v = &table[i];
        struct burl_profile_var *to;

        if (v->generation != generation || !v->several || !v->changed)
            continue;
        for (uint32_t k = 0; k < BURL_PROFILE_TIDS; k++)
            p->ops[k] += v->count[k];
        if (p->n_vars < BURL_PROFILE_VARS) {
            put(&p->vars[p->n_vars++], v);
            continue;
        }
        to = least(p);
        if (to->total < v->total)
            put(to, v);
    }
}
