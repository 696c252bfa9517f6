/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen.c - a random program from a seed.
 *
 * Every program uses a few features only (swarm testing: A. Groce et al., ISSTA 2012), so that they
 * meet often although the program is small. Threads are lists of items, an item is a few
 * instructions that belong together: a critical section, a wait with its loop.
 */
#include <string.h>

#include "base/rng.h"
#include "prog.h"

enum feature {
    F_PLAIN,
    F_ATOMIC,
    F_MUTEX,
    F_KINDS, /* recursive and error-checking mutexes */
    F_RWLOCK,
    F_SPIN,
    F_SEM,
    F_COND,
    F_BARRIER,
    F_ONCE,
    F_STRUCT,
    F_WAITLOOP,
    F_KEY,
    F__OBJECTS,
    /* how threads are created and joined */
    F_ALIKE = F__OBJECTS,
    F_OTHER_JOINS,
    F_DETACH,
    F_NESTED,
    F_SELF,
    F_EXIT,
    F_TRYJOIN,
    F_LATE_INIT,
    F_MAIN_LEAVES,
    F_CROWD, /* alike threads, some of them joined by a thread that is none of them */
    F_UNJOINED,
    F_TIMED,
    F_CANCEL,
    F__N
};

struct gen {
    struct prog *p;
    struct burl_rng rng;
    bool on[F__N];
    struct body *body;
    uint8_t body_no;
    bool pending_flag[MAX_VARS]; /* a thread waits for it in a loop: another one must set it */
    bool joined[MAX_THREADS];    /* or detached */
};

static uint32_t
below(struct gen *g, uint32_t n)
{
    return (uint32_t)burl_rng_below(&g->rng, n);
}

static bool
chance(struct gen *g, uint32_t percent)
{
    return below(g, 100) < percent;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static struct ins *
add(struct gen *g, uint8_t op, uint8_t a, uint8_t b, int k)
{
    static struct ins spare;
    struct ins *i = &spare;

    if (g->body->n < MAX_INS - 12 || op == OP_FOLD || op == OP_FINISH)
        i = &g->body->ins[g->body->n++];
    *i = (struct ins){ .op = op, .a = a, .b = b, .k = (int8_t)k, .flavor = (uint8_t)below(g, 256) };
    return i;
}

static bool
has_room(const struct gen *g)
{
    return g->body->n < MAX_INS - 24;
}

static uint8_t
a_reg(struct gen *g)
{
    return (uint8_t)below(g, N_REGS);
}

static uint8_t
a_value(struct gen *g)
{
    if (chance(g, 60))
        return NO_REG;
    return chance(g, 25) ? ARG_REG : a_reg(g);
}

static uint8_t
a_var(struct gen *g)
{
    return (uint8_t)below(g, g->p->n_vars);
}

static void
gen_memory(struct gen *g)
{
    const uint8_t v = a_var(g);
    const bool atomic = is_atomic(g->p->var_kind[v]);

    switch (below(g, atomic ? 8 : 3)) {
    case 0:
        add(g, OP_LOAD, a_reg(g), v, 0);
        break;
    case 1:
        add(g, OP_STORE, a_value(g), v, (int)below(g, 4));
        break;
    case 2:
        add(g, OP_ADD, NO_REG, v, 1 + (int)below(g, 2));
        break;
    case 3:
        add(g, OP_FADD, chance(g, 60) ? a_reg(g) : NO_REG, v, 1 + (int)below(g, 3));
        break;
    case 4:
        add(g, OP_FXOR, chance(g, 60) ? a_reg(g) : NO_REG, v, 1 + (int)below(g, 3));
        break;
    case 5:
        add(g, OP_XCHG, chance(g, 60) ? a_reg(g) : NO_REG, v, (int)below(g, 4));
        break;
    case 6:
        add(g, OP_CASLOOP, chance(g, 50) ? a_reg(g) : NO_REG, v, 1 + (int)below(g, 2));
        break;
    default:
        add(g, OP_CAS, a_reg(g), v, (int)below(g, 2))->c = (uint8_t)(1 + below(g, 3));
        break;
    }
}

static void
gen_memory_some(struct gen *g)
{
    gen_memory(g);
    if (chance(g, 30))
        gen_memory(g);
}

/* The next instruction's place, for a branch that was emitted before. */
static void
to_here(struct gen *g, uint8_t branch)
{
    g->body->ins[branch].to = g->body->n;
}

static void
gen_branch(struct gen *g)
{
    const uint8_t r = a_reg(g);
    uint8_t at;

    add(g, OP_LOAD, r, a_var(g), 0);
    at = g->body->n;
    add(g, chance(g, 50) ? OP_IFEQ : OP_IFNE, r, 0, (int)below(g, 3));
    gen_memory_some(g);
    to_here(g, at);
}

static void
gen_repeat(struct gen *g)
{
    const uint8_t r = (uint8_t)(N_REGS - 1);
    uint8_t top;

    add(g, OP_SET, r, 0, 2);
    top = g->body->n;
    switch (below(g, 3)) {
    case 0: { /* a bounded wait: leave the loop when the variable is set */
        const uint8_t at = (uint8_t)(top + 1);

        add(g, OP_LOAD, 0, a_var(g), 0);
        add(g, OP_IFNE, 0, 0, 0);
        add(g, OP_AGAIN, r, 0, 0)->to = top;
        to_here(g, at);
        return;
    }
    default:
        add(g, OP_ADD, NO_REG, a_var(g), 1);
        add(g, OP_AGAIN, r, 0, 0)->to = top;
        return;
    }
}

/* ---- locks ------------------------------------------------------------------------------------ */

static void
gen_mutex(struct gen *g)
{
    const uint8_t m = (uint8_t)below(g, g->p->n_mutexes);
    const uint8_t r = chance(g, 50) ? a_reg(g) : NO_REG;
    const bool checked = g->p->mutex_kind[m] != MUTEX_NORMAL;
    const uint32_t how = below(g, 10);
    uint8_t at;

    if (how < 4) {
        add(g, chance(g, 8) && !checked ? OP_TRYLOOP : OP_LOCK, NO_REG, m, 0);
        gen_memory_some(g);
        add(g, OP_UNLOCK, NO_REG, m, 0);
    } else if (how < 7 || (how == 7 && !g->on[F_TIMED])) {
        const uint8_t got = a_reg(g);

        add(g, OP_TRYLOCK, got, m, 0);
        at = g->body->n;
        add(g, OP_IFNE, got, 0, 0);
        gen_memory_some(g);
        add(g, OP_UNLOCK, NO_REG, m, 0);
        to_here(g, at);
        if (chance(g, 30))
            gen_memory(g);
    } else if (how == 7) {
        const uint8_t got = a_reg(g);

        add(g, OP_TIMEDLOCK, got, m, 0);
        at = g->body->n;
        add(g, OP_IFNE, got, 0, 0);
        gen_memory(g);
        add(g, OP_UNLOCK, NO_REG, m, 0);
        to_here(g, at);
    } else if (checked) {
        add(g, OP_LOCK, NO_REG, m, 0);
        add(g, chance(g, 50) ? OP_LOCK : OP_TRYLOCK, r, m, 0);
        gen_memory(g);
        if (g->p->mutex_kind[m] == MUTEX_RECURSIVE)
            add(g, OP_UNLOCK, NO_REG, m, 0);
        add(g, OP_UNLOCK, NO_REG, m, 0);
        if (chance(g, 30))
            add(g, OP_UNLOCK, a_reg(g), m, 0); /* EPERM */
    } else if (g->p->n_mutexes > 1) {
        const uint8_t other = (uint8_t)((m + 1) % g->p->n_mutexes);

        add(g, OP_LOCK, NO_REG, m, 0);
        add(g, OP_LOCK, NO_REG, other, 0);
        gen_memory(g);
        add(g, OP_UNLOCK, NO_REG, chance(g, 50) ? m : other, 0);
        add(g, OP_UNLOCK, NO_REG, g->body->ins[g->body->n - 1].b == m ? other : m, 0);
    } else {
        add(g, OP_LOCK, NO_REG, m, 0);
        gen_memory(g);
        add(g, OP_UNLOCK, NO_REG, m, 0);
        gen_memory(g);
    }
}

static void
gen_rwlock(struct gen *g)
{
    const uint8_t l = (uint8_t)below(g, g->p->n_rwlocks);
    const bool tries = chance(g, 45);
    const bool writes = chance(g, 50);
    const uint8_t r = a_reg(g);
    uint8_t at = 0;

    if (tries) {
        add(g, writes ? OP_TRYWR : OP_TRYRD, r, l, 0);
        at = g->body->n;
        add(g, OP_IFNE, r, 0, 0);
    } else {
        add(g, writes ? OP_WRLOCK : OP_RDLOCK, NO_REG, l, 0);
    }
    if (!writes && chance(g, 20)) { /* a second read lock */
        add(g, OP_TRYRD, NO_REG, l, 0);
        add(g, OP_RWUNLOCK, NO_REG, l, 0);
    }
    gen_memory_some(g);
    add(g, OP_RWUNLOCK, NO_REG, l, 0);
    if (tries)
        to_here(g, at);
}

static void
gen_spin(struct gen *g)
{
    const uint8_t r = a_reg(g);
    uint8_t at;

    if (chance(g, 50)) {
        add(g, OP_SPINLOCK, NO_REG, 0, 0);
        gen_memory_some(g);
        add(g, OP_SPINUNLOCK, NO_REG, 0, 0);
        return;
    }
    add(g, OP_SPINTRY, r, 0, 0);
    at = g->body->n;
    add(g, OP_IFNE, r, 0, 0);
    gen_memory_some(g);
    add(g, OP_SPINUNLOCK, NO_REG, 0, 0);
    to_here(g, at);
}

static void
gen_sem(struct gen *g)
{
    const uint8_t s = (uint8_t)below(g, g->p->n_sems);
    const uint8_t r = a_reg(g);
    uint8_t at;

    switch (below(g, g->on[F_TIMED] ? 6 : 5)) {
    case 0:
        add(g, OP_SEMWAIT, NO_REG, s, 0);
        gen_memory(g);
        if (chance(g, 60))
            add(g, OP_SEMPOST, NO_REG, s, 0);
        break;
    case 1:
    case 2:
        gen_memory(g);
        add(g, OP_SEMPOST, NO_REG, s, 0);
        break;
    case 3:
        add(g, OP_SEMTRY, r, s, 0);
        at = g->body->n;
        add(g, OP_IFNE, r, 0, 0);
        gen_memory(g);
        if (chance(g, 60))
            add(g, OP_SEMPOST, NO_REG, s, 0);
        to_here(g, at);
        break;
    case 4:
        add(g, OP_SEMGET, r, s, 0);
        break;
    default:
        add(g, OP_SEMTIMED, r, s, 0);
        break;
    }
}

static void
gen_cond_wait(struct gen *g, uint8_t c, uint8_t v)
{
    const uint8_t m = g->p->cond_mutex[c];
    const bool loops = chance(g, 70);
    const uint8_t r = a_reg(g);
    uint8_t top;

    add(g, OP_LOCK, NO_REG, m, 0);
    top = g->body->n;
    add(g, OP_LOAD, r, v, 0);
    add(g, OP_IFNE, r, 0, 0);
    if (g->on[F_TIMED] && chance(g, 50))
        add(g, OP_CONDTIMED, loops ? NO_REG : r, c, 0);
    else
        add(g, OP_CONDWAIT, NO_REG, c, 0);
    if (loops)
        add(g, OP_GOTO, 0, 0, 0)->to = top;
    to_here(g, (uint8_t)(top + 1));
    if (chance(g, 50))
        gen_memory(g);
    if (chance(g, 30))
        add(g, OP_STORE, NO_REG, v, 0);
    add(g, OP_UNLOCK, NO_REG, m, 0);
}

static void
gen_cond_signal(struct gen *g, uint8_t c, uint8_t v)
{
    const uint8_t m = g->p->cond_mutex[c];
    const uint8_t op = chance(g, 65) ? OP_SIGNAL : OP_BROADCAST;
    const uint32_t how = below(g, 10);

    if (how == 0) { /* without the lock: may be lost */
        add(g, OP_STORE, NO_REG, v, 1);
        add(g, op, NO_REG, c, 0);
        return;
    }
    add(g, OP_LOCK, NO_REG, m, 0);
    if (how != 1)
        add(g, OP_STORE, NO_REG, v, 1);
    if (how < 6)
        add(g, op, NO_REG, c, 0);
    add(g, OP_UNLOCK, NO_REG, m, 0);
    if (how >= 6)
        add(g, op, NO_REG, c, 0);
}

static void
gen_cond(struct gen *g)
{
    const uint8_t c = (uint8_t)below(g, g->p->n_conds);
    const uint8_t v = (uint8_t)(g->p->n_vars - 1 - c % g->p->n_vars);

    if (chance(g, 45))
        gen_cond_wait(g, c, v);
    else
        gen_cond_signal(g, c, v);
}

static void
gen_struct(struct gen *g)
{
    const uint8_t s = (uint8_t)below(g, g->p->n_structs);

    switch (below(g, 4)) {
    case 0:
        if (g->p->n_structs > 1) {
            add(g, OP_SCOPY, NO_REG, s, 0)->c = (uint8_t)(1 - s);
            break;
        }
        /* fall through */
    case 1:
        add(g, OP_SVAL, a_reg(g), s, 0);
        break;
    default:
        add(g, OP_SMAKE, a_value(g), s, (int)below(g, 4));
        break;
    }
}

static void
gen_waitloop(struct gen *g)
{
    const uint8_t v = a_var(g);

    if (is_atomic(g->p->var_kind[v]) && chance(g, 25)) { /* a lock of the program's own */
        add(g, OP_TAKE, NO_REG, v, 0)->c = 1;
        gen_memory(g);
        add(g, OP_STORE, NO_REG, v, 0);
        return;
    }
    if (g->pending_flag[v] || chance(g, 55) || g->body_no == 0) {
        add(g, OP_STORE, NO_REG, v, 1);
        return;
    }
    g->pending_flag[v] = true;
    add(g, OP_WAITEQ, NO_REG, v, 1);
}

static void
gen_item(struct gen *g)
{
    uint8_t can[F__OBJECTS];
    uint32_t n = 0;

    if (!has_room(g))
        return;
    for (uint8_t f = 0; f < F__OBJECTS; f++) {
        if (g->on[f])
            can[n++] = f;
    }
    switch (can[below(g, n)]) {
    case F_MUTEX:
    case F_KINDS:
        gen_mutex(g);
        break;
    case F_RWLOCK:
        gen_rwlock(g);
        break;
    case F_SPIN:
        gen_spin(g);
        break;
    case F_SEM:
        gen_sem(g);
        break;
    case F_COND:
        gen_cond(g);
        break;
    case F_ONCE:
        add(g, OP_ONCE, NO_REG, (uint8_t)below(g, g->p->n_onces), 0);
        if (chance(g, 60))
            gen_memory(g);
        break;
    case F_STRUCT:
        gen_struct(g);
        break;
    case F_WAITLOOP:
        gen_waitloop(g);
        break;
    case F_KEY:
        add(g, OP_KEYSET, NO_REG, 0, 1 + (int)below(g, 3));
        break;
    case F_BARRIER: /* once per thread, in gen_thread() */
    default:
        if (chance(g, 12))
            gen_branch(g);
        else if (chance(g, 8))
            gen_repeat(g);
        else
            gen_memory_some(g);
        break;
    }
}

/* ---- threads ---------------------------------------------------------------------------------- */

static void
begin_body(struct gen *g, uint8_t no)
{
    g->body = &g->p->bodies[no];
    g->body_no = no;
}

static void
gen_thread(struct gen *g, uint8_t no)
{
    const uint32_t items = 1 + below(g, 3);
    const uint32_t barrier_at = g->on[F_BARRIER] && chance(g, 90) ? below(g, items) : items;

    begin_body(g, no);
    g->body->returns_regs = chance(g, g->on[F_ALIKE] ? 35 : 70);
    for (uint32_t i = 0; i < items; i++) {
        gen_item(g);
        if (i == barrier_at)
            add(g, OP_BARRIER, chance(g, 50) ? a_reg(g) : NO_REG, 0, 0);
        if (g->on[F_EXIT] && chance(g, 25)) {
            const uint8_t at = g->body->n;

            add(g, OP_IFNE, a_reg(g), 0, (int)below(g, 2));
            add(g, OP_EXIT, NO_REG, 0, 0);
            to_here(g, at);
        }
        if (g->on[F_CANCEL] && chance(g, 30))
            add(g, OP_TESTCANCEL, NO_REG, 0, 0);
    }
}

/* A routine of pthread_once or a destructor: memory accesses, no registers of the caller. */
static void
gen_routine(struct gen *g, uint8_t no, bool destructor)
{
    begin_body(g, no);
    if (destructor && chance(g, 60))
        add(g, OP_STORE, ARG_REG, a_var(g), 0);
    else if (!destructor && g->p->n_mutexes > 0 && chance(g, 40)) {
        add(g, OP_LOCK, NO_REG, 0, 0);
        gen_memory(g);
        add(g, OP_UNLOCK, NO_REG, 0, 0);
    } else {
        gen_memory_some(g);
    }
}

static void
pick_features(struct gen *g)
{
    const uint32_t n = 1 + below(g, 3);

    g->on[F_PLAIN] = chance(g, 60);
    g->on[F_ATOMIC] = chance(g, 60) || !g->on[F_PLAIN];
    for (uint32_t i = 0; i < n; i++)
        g->on[F_MUTEX + below(g, F__OBJECTS - F_MUTEX)] = true;
    g->on[F_MUTEX] |= g->on[F_KINDS];
    g->on[F_ALIKE] = chance(g, 45);
    g->on[F_OTHER_JOINS] = chance(g, 30);
    g->on[F_MAIN_LEAVES] = chance(g, 5);
    g->on[F_UNJOINED] = chance(g, 5);
    g->on[F_CROWD] = chance(g, 8);
    g->on[F_DETACH] = chance(g, 6);
    g->on[F_NESTED] = chance(g, 12);
    g->on[F_SELF] = chance(g, 6);
    g->on[F_EXIT] = chance(g, 8);
    g->on[F_TRYJOIN] = chance(g, 8);
    g->on[F_LATE_INIT] = chance(g, 10);
    g->on[F_TIMED] = chance(g, 4);
    g->on[F_CANCEL] = chance(g, 3);
}

static void
pick_objects(struct gen *g)
{
    struct prog *p = g->p;

    p->c11 = chance(g, 20);
    if (g->on[F_STRUCT]) {
        p->n_structs = (uint8_t)(1 + below(g, MAX_STRUCTS));
        p->struct_size = (uint8_t)below(g, 3);
        for (uint8_t i = 0; i < 2 * p->n_structs; i++) {
            p->var_kind[i] = VAR_FIELD;
            p->var_init[i] = (uint8_t)below(g, 4);
        }
        p->n_vars = (uint8_t)(2 * p->n_structs);
    }
    for (uint32_t i = 1 + below(g, 3); i > 0; i--) {
        const bool atomic = g->on[F_ATOMIC] && (!g->on[F_PLAIN] || chance(g, 50));

        p->var_kind[p->n_vars++] =
            atomic          ? (chance(g, 80) ? VAR_ATOMIC : VAR_BUILTIN)
            : chance(g, 55) ? VAR_PLAIN
                            : (uint8_t)(VAR_VOLATILE + below(g, VAR_FIELD - VAR_VOLATILE));
    }
    p->n_mutexes = g->on[F_MUTEX] ? (uint8_t)(1 + below(g, 2)) : 0;
    for (uint8_t i = 0; g->on[F_KINDS] && i < p->n_mutexes; i++)
        p->mutex_kind[i] = (uint8_t)below(g, 3);
    p->n_rwlocks = g->on[F_RWLOCK] ? (uint8_t)(1 + chance(g, 25)) : 0;
    p->n_spins = g->on[F_SPIN];
    p->n_sems = g->on[F_SEM] ? (uint8_t)(1 + chance(g, 35)) : 0;
    for (uint8_t i = 0; i < p->n_sems; i++)
        p->sem_init[i] = (uint8_t)below(g, 3);
    p->n_onces = g->on[F_ONCE] ? (uint8_t)(1 + chance(g, 30)) : 0;
    p->n_barriers = g->on[F_BARRIER];
    p->n_keys = g->on[F_KEY];
    if (g->on[F_COND]) {
        p->n_conds = (uint8_t)(1 + chance(g, 20));
        for (uint8_t i = 0; i < p->n_conds; i++)
            p->cond_mutex[i] = p->n_mutexes;
        p->mutex_kind[p->n_mutexes++] = MUTEX_NORMAL;
    }
}

/* ---- main ------------------------------------------------------------------------------------- */

/* The creator of each thread; 0 is main. */
static void
gen_creation(struct gen *g, const uint8_t *creator)
{
    struct prog *p = g->p;

    for (uint8_t t = 1; t < p->n_threads; t++) {
        if (creator[t] == 0) {
            if (chance(g, 15))
                gen_item(g);
            add(g, OP_CREATE, NO_REG, t, 0);
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
                creator[t] != 0 || !chance(g, 50))
                continue;
            begin_body(g, p->body_of[t]);
            for (uint8_t x = 1; x < p->n_threads; x++) /* each body that joins is one thread's */
                if (x != t && p->body_of[x] == p->body_of[t])
                    return;
            g->joined[u] = true;
            add(g, OP_JOIN, chance(g, 40) ? a_reg(g) : NO_REG, u, 0);
            if (chance(g, 60))
                gen_memory(g);
        }
    }
}

static void
gen_nested(struct gen *g, uint8_t *creator)
{
    struct prog *p = g->p;
    const uint8_t t = (uint8_t)(p->n_threads - 1);
    const uint8_t by = (uint8_t)(1 + below(g, p->n_threads - 1));

    if (by == t || p->body_of[by] == p->body_of[t])
        return;
    for (uint8_t x = 1; x < p->n_threads; x++)
        if (x != by && p->body_of[x] == p->body_of[by])
            return;
    creator[t] = by;
    begin_body(g, p->body_of[by]);
    add(g, OP_CREATE, NO_REG, t, 0);
    if (chance(g, 60))
        gen_memory(g);
    if (chance(g, 70))
        add(g, OP_JOIN, chance(g, 50) ? a_reg(g) : NO_REG, t, 0);
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
    for (uint32_t i = n; i > 1 && chance(g, 40); i--) {
        const uint32_t k = below(g, i);
        const uint8_t x = order[k];

        order[k] = order[i - 1];
        order[i - 1] = x;
    }
    for (uint32_t i = 0; i < n; i++) {
        const bool folds = p->bodies[p->body_of[order[i]]].returns_regs;

        if (g->on[F_UNJOINED] && chance(g, 40))
            continue;
        if (g->on[F_DETACH] && chance(g, 40)) {
            add(g, OP_DETACH, NO_REG, order[i], 0);
            continue;
        }
        if (g->on[F_CANCEL] && chance(g, 60))
            add(g, OP_CANCEL, NO_REG, order[i], 0);
        if (g->on[F_TRYJOIN] && chance(g, 50)) {
            const uint8_t at = g->body->n;

            add(g, OP_TRYJOIN, 0, order[i], 0);
            add(g, OP_IFEQ, 0, 0, 0);
            add(g, OP_JOIN, folds ? FOLD_REG : NO_REG, order[i], 0);
            to_here(g, (uint8_t)(at + 1));
        } else {
            add(g, OP_JOIN, folds ? FOLD_REG : NO_REG, order[i], 0);
        }
        if (i + 1 < n && chance(g, 25))
            gen_item(g);
    }
}

static void
gen_folds(struct gen *g)
{
    for (uint8_t r = 0; r < N_REGS; r++) {
        if (chance(g, 50))
            add(g, OP_FOLD, r, NO_REG, 0);
    }
    for (uint8_t v = 0; v < g->p->n_vars; v++) {
        if (chance(g, 85))
            add(g, OP_FOLD, NO_REG, v, 0);
    }
    add(g, OP_FINISH, NO_REG, 0, 0);
}

/* The last thread joins the others and computes the end; main only creates and leaves. */
static void
gen_main_leaves(struct gen *g)
{
    struct prog *p = g->p;

    p->finisher = (uint8_t)(p->n_threads - 1);
    p->body_of[p->finisher] = p->n_bodies++;
    g->joined[p->finisher] = true;
    begin_body(g, p->body_of[p->finisher]);
    gen_item(g);
    gen_joins(g);
    gen_folds(g);
    begin_body(g, 0);
    for (uint8_t t = 1; t < p->n_threads; t++)
        add(g, OP_CREATE, NO_REG, t, 0);
    if (chance(g, 40))
        gen_item(g);
    add(g, OP_EXIT, NO_REG, 0, 0);
}

static void
gen_main(struct gen *g, const uint8_t *creator)
{
    struct prog *p = g->p;

    begin_body(g, 0);
    if (chance(g, 15))
        gen_item(g);
    gen_creation(g, creator);
    if (g->on[F_LATE_INIT] && p->n_sems > 0)
        add(g, OP_SEMINIT, NO_REG, 0, (int)below(g, 3));
    if (chance(g, 40))
        gen_item(g);
    if (g->on[F_BARRIER] && p->barrier_n[0] == p->n_threads)
        add(g, OP_BARRIER, NO_REG, 0, 0);
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
    if (chance(g, 30))
        gen_memory(g);
    for (uint8_t t = 1; t < last; t++) {
        if (!chance(g, 60))
            continue;
        g->joined[t] = true;
        add(g, OP_JOIN, NO_REG, t, 0);
        if (chance(g, 60))
            gen_memory(g);
    }
}

static void
add_selves(struct gen *g)
{
    struct prog *p = g->p;

    for (uint8_t t = 2; t < p->n_threads; t++) {
        if (!chance(g, 50))
            continue;
        begin_body(g, p->body_of[t]);
        add(g, OP_SELF, a_reg(g), 1, 0);
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
    extra = below(&g, 100);
    p->n_threads = (uint8_t)(g.on[F_CROWD]                       ? 4
                             : extra < 20                        ? 2
                             : extra < (g.on[F_ALIKE] ? 60 : 75) ? 3
                                                                 : 4);
    p->n_bodies = 1;
    for (uint8_t t = 1; t < p->n_threads; t++) {
        const bool alike = g.on[F_ALIKE] && p->n_bodies > 1 && chance(&g, 75);

        p->body_of[t] = alike ? (uint8_t)(1 + below(&g, p->n_bodies - 1u)) : p->n_bodies++;
        p->arg_of[t] = g.on[F_ALIKE] && chance(&g, 80) ? 0 : (uint8_t)below(&g, 3);
    }
    if (p->n_barriers > 0)
        p->barrier_n[0] = (uint8_t)(p->n_threads - (chance(&g, 50) ? 1 : 0));
    for (uint8_t b = 1, n = p->n_bodies; b < n; b++)
        gen_thread(&g, b);
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
    if (g.on[F_SELF])
        add_selves(&g);
    gen_main(&g, creator);
}
