/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.c - a random program from a seed.
 *
 * Every program uses a few features only (swarm testing: A. Groce et al., ISSTA 2012), so that they
 * meet often although the program is small. Threads are lists of items (gen_items.c).
 */
#include <string.h>

#include "gen_int.h"

/* ---- threads --------------------------------------------------------------------------------- */

static void
begin_body(struct gen *g, uint8_t no)
{
    g->body = &g->p->bodies[no];
    g->body_no = no;
}

static void
gen_thread(struct gen *g, uint8_t no)
{
    const uint32_t items = 1 + gen_below(g, 3);
    const uint32_t barrier_at = g->on[F_BARRIER] && gen_chance(g, 90) ? gen_below(g, items) : items;

    begin_body(g, no);
    g->body->returns_regs = gen_chance(g, g->on[F_ALIKE] ? 35 : 70);
    for (uint32_t i = 0; i < items; i++) {
        gen_item(g);
        if (i == barrier_at)
            gen_add(g, OP_BARRIER, gen_chance(g, 50) ? gen_reg(g) : NO_REG, 0, 0);
        if (g->on[F_EXIT] && gen_chance(g, 25)) {
            const uint8_t at = g->body->n;

            gen_add(g, OP_IFNE, gen_reg(g), 0, (int)gen_below(g, 2));
            gen_add(g, OP_EXIT, NO_REG, 0, 0);
            gen_to_here(g, at);
        }
        if (g->on[F_CANCEL] && gen_chance(g, 30))
            gen_add(g, OP_TESTCANCEL, NO_REG, 0, 0);
    }
}

/* A routine of pthread_once or a destructor: memory accesses, no registers of the caller. */
static void
gen_routine(struct gen *g, uint8_t no, bool destructor)
{
    begin_body(g, no);
    if (destructor && gen_chance(g, 60))
        gen_add(g, OP_STORE, ARG_REG, gen_var(g), 0);
    else if (!destructor && g->p->n_mutexes > 0 && gen_chance(g, 40)) {
        gen_add(g, OP_LOCK, NO_REG, 0, 0);
        gen_memory(g);
        gen_add(g, OP_UNLOCK, NO_REG, 0, 0);
    } else {
        gen_memory_some(g);
    }
}

static void
pick_features(struct gen *g)
{
    const uint32_t n = 1 + gen_below(g, 3);

    g->on[F_PLAIN] = gen_chance(g, 60);
    g->on[F_ATOMIC] = gen_chance(g, 60) || !g->on[F_PLAIN];
    for (uint32_t i = 0; i < n; i++)
        g->on[F_MUTEX + gen_below(g, F__OBJECTS - F_MUTEX)] = true;
    g->on[F_MUTEX] |= g->on[F_KINDS] || g->on[F_LAZY];
    g->on[F_ALIKE] = gen_chance(g, 45);
    g->on[F_OTHER_JOINS] = gen_chance(g, 30);
    g->on[F_MAIN_LEAVES] = gen_chance(g, 5);
    g->on[F_UNJOINED] = gen_chance(g, 5);
    g->on[F_CROWD] = gen_chance(g, 8);
    g->on[F_DETACH] = gen_chance(g, 6);
    g->on[F_NESTED] = gen_chance(g, 12);
    g->on[F_SELF] = gen_chance(g, 6);
    g->on[F_EXIT] = gen_chance(g, 8);
    g->on[F_TRYJOIN] = gen_chance(g, 8);
    g->on[F_LATE_INIT] = gen_chance(g, 10);
    g->on[F_TIMED] = gen_chance(g, 4);
    g->on[F_CANCEL] = gen_chance(g, 3);
}

static void
pick_objects(struct gen *g)
{
    struct prog *p = g->p;

    p->c11 = gen_chance(g, 20);
    if (g->on[F_STRUCT]) {
        p->n_structs = (uint8_t)(1 + gen_below(g, MAX_STRUCTS));
        p->struct_size = (uint8_t)gen_below(g, 3);
        for (uint8_t i = 0; i < 2 * p->n_structs; i++) {
            p->var_kind[i] = VAR_FIELD;
            p->var_init[i] = (uint8_t)gen_below(g, 4);
        }
        p->n_vars = (uint8_t)(2 * p->n_structs);
    }
    for (uint32_t i = 1 + gen_below(g, 3); i > 0; i--) {
        const bool atomic = g->on[F_ATOMIC] && (!g->on[F_PLAIN] || gen_chance(g, 50));

        p->var_kind[p->n_vars++] =
            atomic              ? (gen_chance(g, 80) ? VAR_ATOMIC : VAR_BUILTIN)
            : gen_chance(g, 55) ? VAR_PLAIN
                                : (uint8_t)(VAR_VOLATILE + gen_below(g, VAR_FIELD - VAR_VOLATILE));
    }
    p->n_mutexes = g->on[F_MUTEX] ? (uint8_t)(1 + gen_below(g, 2)) : 0;
    for (uint8_t i = 0; g->on[F_KINDS] && i < p->n_mutexes; i++)
        p->mutex_kind[i] = (uint8_t)gen_below(g, 3);
    p->n_rwlocks = g->on[F_RWLOCK] ? (uint8_t)(1 + gen_chance(g, 25)) : 0;
    p->n_spins = g->on[F_SPIN];
    p->n_sems = g->on[F_SEM] ? (uint8_t)(1 + gen_chance(g, 35)) : 0;
    for (uint8_t i = 0; i < p->n_sems; i++)
        p->sem_init[i] = (uint8_t)gen_below(g, 3);
    p->n_onces = g->on[F_ONCE] ? (uint8_t)(1 + gen_chance(g, 30)) : 0;
    p->n_barriers = g->on[F_BARRIER];
    p->n_keys = g->on[F_KEY];
    p->has_lazy = g->on[F_LAZY];
    if (g->on[F_COND]) {
        p->n_conds = (uint8_t)(1 + gen_chance(g, 20));
        for (uint8_t i = 0; i < p->n_conds; i++)
            p->cond_mutex[i] = p->n_mutexes;
        p->mutex_kind[p->n_mutexes++] = MUTEX_NORMAL;
    }
}

/* ---- main ------------------------------------------------------------------------------------ */

/* The creator of each thread; 0 is main. */
static void
gen_creation(struct gen *g, const uint8_t *creator)
{
    struct prog *p = g->p;

    for (uint8_t t = 1; t < p->n_threads; t++) {
        if (creator[t] == 0) {
            if (gen_chance(g, 15))
                gen_item(g);
            gen_add(g, OP_CREATE, NO_REG, t, 0);
        }
    }
}

/* Thread t joins some that were created before it. */
static void
gen_other_joins(struct gen *g, const uint8_t *creator)
{
    struct prog *p = g->p;

    for (uint8_t t = 2; t < p->n_threads; t++) {
        for (uint8_t u = 1; u < t; u++) {
            if (g->joined[u] || p->body_of[u] == p->body_of[t] || creator[u] != 0 ||
                creator[t] != 0 || !gen_chance(g, 50))
                continue;
            begin_body(g, p->body_of[t]);
            for (uint8_t x = 1; x < p->n_threads; x++) /* each body that joins is one thread's */
                if (x != t && p->body_of[x] == p->body_of[t])
                    return;
            g->joined[u] = true;
            gen_add(g, OP_JOIN, gen_chance(g, 40) ? gen_reg(g) : NO_REG, u, 0);
            if (gen_chance(g, 60))
                gen_memory(g);
        }
    }
}

static void
gen_nested(struct gen *g, uint8_t *creator)
{
    struct prog *p = g->p;
    const uint8_t t = (uint8_t)(p->n_threads - 1);
    const uint8_t by = (uint8_t)(1 + gen_below(g, p->n_threads - 1));

    if (by == t || p->body_of[by] == p->body_of[t])
        return;
    for (uint8_t x = 1; x < p->n_threads; x++)
        if (x != by && p->body_of[x] == p->body_of[by])
            return;
    creator[t] = by;
    begin_body(g, p->body_of[by]);
    gen_add(g, OP_CREATE, NO_REG, t, 0);
    if (gen_chance(g, 60))
        gen_memory(g);
    if (gen_chance(g, 70))
        gen_add(g, OP_JOIN, gen_chance(g, 50) ? gen_reg(g) : NO_REG, t, 0);
    g->joined[t] = true;
}

static void
gen_joins(struct gen *g)
{
    struct prog *p = g->p;
    uint8_t order[MAX_THREADS];
    uint32_t n = 0;

    for (uint8_t t = 1; t < p->n_threads; t++) {
        if (!g->joined[t])
            order[n++] = t;
    }
    for (uint32_t i = n; i > 1 && gen_chance(g, 40); i--) {
        const uint32_t k = gen_below(g, i);
        const uint8_t x = order[k];

        order[k] = order[i - 1];
        order[i - 1] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        const bool folds = p->bodies[p->body_of[order[i]]].returns_regs;

        if (g->on[F_UNJOINED] && gen_chance(g, 40))
            continue;
        if (g->on[F_DETACH] && gen_chance(g, 40)) {
            gen_add(g, OP_DETACH, NO_REG, order[i], 0);
            continue;
        }
        if (g->on[F_CANCEL] && gen_chance(g, 60))
            gen_add(g, OP_CANCEL, NO_REG, order[i], 0);
        if (g->on[F_TRYJOIN] && gen_chance(g, 50)) {
            const uint8_t at = g->body->n;

            gen_add(g, OP_TRYJOIN, 0, order[i], 0);
            gen_add(g, OP_IFEQ, 0, 0, 0);
            gen_add(g, OP_JOIN, folds ? FOLD_REG : NO_REG, order[i], 0);
            gen_to_here(g, (uint8_t)(at + 1));
        } else {
            gen_add(g, OP_JOIN, folds ? FOLD_REG : NO_REG, order[i], 0);
        }
        if (i + 1 < n && gen_chance(g, 25))
            gen_item(g);
    }
}

static void
gen_folds(struct gen *g)
{
    for (uint8_t r = 0; r < N_REGS; r++) {
        if (gen_chance(g, 50))
            gen_add(g, OP_FOLD, r, NO_REG, 0);
    }
    for (uint8_t v = 0; v < g->p->n_vars; v++) {
        if (gen_chance(g, 85))
            gen_add(g, OP_FOLD, NO_REG, v, 0);
    }
    gen_add(g, OP_FINISH, NO_REG, 0, 0);
}

/* The last thread joins the others and computes the end; main only creates and leaves. */
static void
gen_main_leaves(struct gen *g)
{
    struct prog *p = g->p;

    for (uint8_t v = 0; v < p->n_vars; v++) { /* those of main are gone with it */
        if (p->var_kind[v] == VAR_STACK || p->var_kind[v] == VAR_TLS)
            p->var_kind[v] = VAR_PLAIN;
    }
    p->finisher = (uint8_t)(p->n_threads - 1);
    p->body_of[p->finisher] = p->n_bodies++;
    g->joined[p->finisher] = true;
    begin_body(g, p->body_of[p->finisher]);
    gen_item(g);
    gen_joins(g);
    gen_folds(g);
    begin_body(g, 0);
    for (uint8_t t = 1; t < p->n_threads; t++)
        gen_add(g, OP_CREATE, NO_REG, t, 0);
    if (gen_chance(g, 40))
        gen_item(g);
    gen_add(g, OP_EXIT, NO_REG, 0, 0);
}

/* To initialize a semaphore that a thread waits for is a misuse. */
static bool
has_sem_waits(const struct prog *p)
{
    for (uint8_t b = 0; b < p->n_bodies; b++) {
        for (uint8_t i = 0; i < p->bodies[b].n; i++) {
            const uint8_t op = p->bodies[b].ins[i].op;

            if (op == OP_SEMWAIT || op == OP_SEMTIMED)
                return true;
        }
    }
    return false;
}

static void
gen_main(struct gen *g, const uint8_t *creator)
{
    struct prog *p = g->p;

    begin_body(g, 0);
    if (gen_chance(g, 15))
        gen_item(g);
    gen_creation(g, creator);
    if (g->on[F_LATE_INIT] && p->n_sems > 0 && !has_sem_waits(p))
        gen_add(g, OP_SEMINIT, NO_REG, 0, (int)gen_below(g, 3));
    if (gen_chance(g, 40))
        gen_item(g);
    if (g->on[F_BARRIER] && p->barrier_n[0] == p->n_threads)
        gen_add(g, OP_BARRIER, NO_REG, 0, 0);
    gen_joins(g);
    gen_folds(g);
}

/* Threads 1..n-2 are alike; the last one joins some of them. */
static void
gen_crowd(struct gen *g)
{
    struct prog *p = g->p;
    const uint8_t last = (uint8_t)(p->n_threads - 1);

    for (uint8_t t = 1; t < last; t++) {
        p->body_of[t] = 1;
        p->arg_of[t] = 0;
    }
    p->bodies[1].returns_regs = false;
    p->body_of[last] = p->n_bodies++;
    begin_body(g, p->body_of[last]);
    g->body->returns_regs = true;
    if (gen_chance(g, 30))
        gen_memory(g);
    for (uint8_t t = 1; t < last; t++) {
        if (!gen_chance(g, 60))
            continue;
        g->joined[t] = true;
        gen_add(g, OP_JOIN, NO_REG, t, 0);
        if (gen_chance(g, 60))
            gen_memory(g);
    }
}

static void
add_selves(struct gen *g)
{
    struct prog *p = g->p;

    for (uint8_t t = 2; t < p->n_threads; t++) {
        if (!gen_chance(g, 50))
            continue;
        begin_body(g, p->body_of[t]);
        gen_add(g, OP_SELF, gen_reg(g), 1, 0);
    }
}

void
prog_generate(struct prog *p, uint64_t seed)
{
    struct gen g = { .p = p };
    uint8_t creator[MAX_THREADS] = { 0 };
    uint32_t extra;

    memset(p, 0, sizeof *p);
    p->seed = seed;
    burl_rng_init(&g.rng, seed);
    pick_features(&g);
    pick_objects(&g);
    extra = gen_below(&g, 100);
    p->n_threads = (uint8_t)(g.on[F_CROWD]                       ? 4
                             : extra < 20                        ? 2
                             : extra < (g.on[F_ALIKE] ? 60 : 75) ? 3
                                                                 : 4);
    p->n_bodies = 1;
    for (uint8_t t = 1; t < p->n_threads; t++) {
        const bool alike = g.on[F_ALIKE] && p->n_bodies > 1 && gen_chance(&g, 75);

        p->body_of[t] = alike ? (uint8_t)(1 + gen_below(&g, p->n_bodies - 1u)) : p->n_bodies++;
        p->arg_of[t] = g.on[F_ALIKE] && gen_chance(&g, 80) ? 0 : (uint8_t)gen_below(&g, 3);
    }
    if (p->n_barriers > 0)
        p->barrier_n[0] = (uint8_t)(p->n_threads - (gen_chance(&g, 50) ? 1 : 0));
    for (uint8_t b = 1, n = p->n_bodies; b < n; b++)
        gen_thread(&g, b);
    if (g.on[F_CLEANUP]) {
        p->cleanup_body = p->n_bodies++;
        gen_routine(&g, p->cleanup_body, true);
    }
    for (uint8_t o = 0; o < p->n_onces; o++) {
        p->once_body[o] = p->n_bodies++;
        gen_routine(&g, p->once_body[o], false);
    }
    for (uint8_t k = 0; k < p->n_keys; k++) {
        p->key_body[k] = p->n_bodies++;
        gen_routine(&g, p->key_body[k], true);
    }
    p->has_timed = g.on[F_TIMED];
    p->has_cancel = g.on[F_CANCEL];
    if (g.on[F_MAIN_LEAVES]) {
        gen_main_leaves(&g);
        return;
    }
    if (g.on[F_CROWD] && p->n_threads > 3)
        gen_crowd(&g);
    else if (g.on[F_NESTED] && p->n_threads > 2)
        gen_nested(&g, creator);
    if (g.on[F_OTHER_JOINS])
        gen_other_joins(&g, creator);
    /* A handle may be used again after the join or the end of its thread. */
    if (g.on[F_SELF] && !g.on[F_OTHER_JOINS] && !g.on[F_CROWD] && !g.on[F_NESTED] &&
        !g.on[F_DETACH])
        add_selves(&g);
    gen_main(&g, creator);
}
