/* SPDX-License-Identifier: Apache-2.0 */
/*
 * learn/profile.c - how often each thread uses which shared variable, in one execution.
 *
 * Runs in the target, only with BURL_ORDER_F_PROFILE: every operation is counted per thread and
 * per variable or sync object, and at the end those that two threads used, one of them
 * changing it, go to profile_new.vars. SURW (strategy/surw.c) takes them as an estimate of the next
 * execution.
 *
 * A variable is an address at which accesses begin. Not a granule of memory: SURW must tell orders
 * of one variable from orders of its neighbor. Accesses of another size are missed where they begin
 * elsewhere.
 *
 * When there is no room the most used variables stay; SURW does not prefer one that is not listed,
 * that is all.
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
        *v = (struct counted){
            .key = key, .generation = generation, .first_tid = BURL_TID_NONE, .kind = kind
        };
        return v;
    }
    return NULL;
}

static void
count_use(const struct burl_thread *t, uintptr_t key, uint8_t kind, bool change)
{
    struct counted *v = counted_at(key, kind);
    const uint32_t slot = t->tid < BURL_PROFILE_TIDS ? t->tid : BURL_PROFILE_TIDS - 1;

    if (v == NULL)
        return;
    if (v->first_tid == BURL_TID_NONE)
        v->first_tid = t->tid;
    v->several |= v->first_tid != t->tid;
    v->changed |= change;
    v->total++;
    if (v->count[slot] < UINT16_MAX)
        v->count[slot]++;
}

void
burl__profile_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (burl_rt.exec.n_alive < 2 || !burl__profile_counts(op))
        return;
    count_use(t, op->addr, burl_is_access(op) ? BURL_PROFILE_MEMORY : BURL_PROFILE_SYNC,
              !burl_kind_in(op->kind, BURL_KINDS_ONLY_READ));
}

static void
copy_var(struct burl_profile_var *to, const struct counted *v)
{
    to->addr = v->key;
    to->kind = v->kind;
    to->total = v->total;
    memcpy(to->count, v->count, sizeof to->count);
}

/* The least used of the listed variables, to make room. */
static struct burl_profile_var *
least_used(struct burl_wire_profile *p)
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
            copy_var(&p->vars[p->n_vars++], v);
            continue;
        }
        to = least_used(p);
        if (to->total < v->total)
            copy_var(to, v);
    }
}
