/* SPDX-License-Identifier: Apache-2.0 */
/* gen_items.c - the items that threads are made of: a critical section, a wait and its loop. */
#include "gen_int.h"

uint32_t
gen_below(struct gen *g, uint32_t n)
{
    return (uint32_t)burl_rng_below(&g->rng, n);
}

bool
gen_chance(struct gen *g, uint32_t percent)
{
    return gen_below(g, 100) < percent;
}

/* ---- instructions ---------------------------------------------------------------------------- */

struct ins *
gen_add(struct gen *g, uint8_t op, uint8_t a, uint8_t b, int k)
{
    static struct ins spare;
    struct ins *i = &spare;

    if (g->body->n < MAX_INS - 12 || op == OP_FOLD || op == OP_FINISH)
        i = &g->body->ins[g->body->n++];
    *i = (struct ins){
        .op = op, .a = a, .b = b, .k = (int8_t)k, .flavor = (uint8_t)gen_below(g, 256)
    };
    return i;
}

static bool
has_room(const struct gen *g)
{
    return g->body->n < MAX_INS - 24;
}

uint8_t
gen_reg(struct gen *g)
{
    return (uint8_t)gen_below(g, N_REGS);
}

static uint8_t
a_value(struct gen *g)
{
    if (gen_chance(g, 60))
        return NO_REG;
    return gen_chance(g, 25) ? ARG_REG : gen_reg(g);
}

uint8_t
gen_var(struct gen *g)
{
    return (uint8_t)gen_below(g, g->p->n_vars);
}

void
gen_memory(struct gen *g)
{
    const uint8_t v = gen_var(g);
    const bool atomic = is_atomic(g->p->var_kind[v]);

    switch (gen_below(g, atomic ? 8 : 3)) {
    case 0:
        gen_add(g, OP_LOAD, gen_reg(g), v, 0);
        break;
    case 1:
        gen_add(g, OP_STORE, a_value(g), v, (int)gen_below(g, 4));
        break;
    case 2:
        gen_add(g, OP_ADD, NO_REG, v, 1 + (int)gen_below(g, 2));
        break;
    case 3:
        gen_add(g, OP_FADD, gen_chance(g, 60) ? gen_reg(g) : NO_REG, v, 1 + (int)gen_below(g, 3));
        break;
    case 4:
        gen_add(g, OP_FXOR, gen_chance(g, 60) ? gen_reg(g) : NO_REG, v, 1 + (int)gen_below(g, 3));
        break;
    case 5:
        gen_add(g, OP_XCHG, gen_chance(g, 60) ? gen_reg(g) : NO_REG, v, (int)gen_below(g, 4));
        break;
    case 6:
        gen_add(g, OP_CASLOOP, gen_chance(g, 50) ? gen_reg(g) : NO_REG, v,
                1 + (int)gen_below(g, 2));
        break;
    default:
        gen_add(g, OP_CAS, gen_reg(g), v, (int)gen_below(g, 2))->c = (uint8_t)(1 + gen_below(g, 3));
        break;
    }
}

void
gen_memory_some(struct gen *g)
{
    gen_memory(g);
    if (gen_chance(g, 30))
        gen_memory(g);
}

/* The next instruction's place, for a branch that was emitted before. */
void
gen_to_here(struct gen *g, uint8_t branch)
{
    g->body->ins[branch].to = g->body->n;
}

static void
gen_branch(struct gen *g)
{
    const uint8_t r = gen_reg(g);
    uint8_t at;

    gen_add(g, OP_LOAD, r, gen_var(g), 0);
    at = g->body->n;
    gen_add(g, gen_chance(g, 50) ? OP_IFEQ : OP_IFNE, r, 0, (int)gen_below(g, 3));
    gen_memory_some(g);
    gen_to_here(g, at);
}

static void
gen_repeat(struct gen *g)
{
    const uint8_t r = (uint8_t)(N_REGS - 1);
    uint8_t top;

    gen_add(g, OP_SET, r, 0, 2);
    top = g->body->n;
    switch (gen_below(g, 3)) {
    case 0: { /* a bounded wait: leave the loop when the variable is set */
        const uint8_t at = (uint8_t)(top + 1);

        gen_add(g, OP_LOAD, 0, gen_var(g), 0);
        gen_add(g, OP_IFNE, 0, 0, 0);
        gen_add(g, OP_AGAIN, r, 0, 0)->to = top;
        gen_to_here(g, at);
        return;
    }
    default:
        gen_add(g, OP_ADD, NO_REG, gen_var(g), 1);
        gen_add(g, OP_AGAIN, r, 0, 0)->to = top;
        return;
    }
}

/* ---- locks ----------------------------------------------------------------------------------- */

static void
gen_mutex(struct gen *g)
{
    const uint8_t m = (uint8_t)gen_below(g, g->p->n_mutexes);
    const uint8_t r = gen_chance(g, 50) ? gen_reg(g) : NO_REG;
    const bool checked = g->p->mutex_kind[m] != MUTEX_NORMAL;
    const uint32_t how = gen_below(g, 10);
    uint8_t at;

    if (how < 4) {
        gen_add(g, gen_chance(g, 8) && !checked ? OP_TRYLOOP : OP_LOCK, NO_REG, m, 0);
        gen_memory_some(g);
        gen_add(g, OP_UNLOCK, NO_REG, m, 0);
    } else if (how < 7 || (how == 7 && !g->on[F_TIMED])) {
        const uint8_t got = gen_reg(g);

        gen_add(g, OP_TRYLOCK, got, m, 0);
        at = g->body->n;
        gen_add(g, OP_IFNE, got, 0, 0);
        gen_memory_some(g);
        gen_add(g, OP_UNLOCK, NO_REG, m, 0);
        gen_to_here(g, at);
        if (gen_chance(g, 30))
            gen_memory(g);
    } else if (how == 7) {
        const uint8_t got = gen_reg(g);

        gen_add(g, OP_TIMEDLOCK, got, m, 0);
        at = g->body->n;
        gen_add(g, OP_IFNE, got, 0, 0);
        gen_memory(g);
        gen_add(g, OP_UNLOCK, NO_REG, m, 0);
        gen_to_here(g, at);
    } else if (checked) {
        gen_add(g, OP_LOCK, NO_REG, m, 0);
        gen_add(g, gen_chance(g, 50) ? OP_LOCK : OP_TRYLOCK, r, m, 0);
        gen_memory(g);
        if (g->p->mutex_kind[m] == MUTEX_RECURSIVE)
            gen_add(g, OP_UNLOCK, NO_REG, m, 0);
        gen_add(g, OP_UNLOCK, NO_REG, m, 0);
        if (gen_chance(g, 30))
            gen_add(g, OP_UNLOCK, gen_reg(g), m, 0); /* EPERM */
    } else if (g->p->n_mutexes > 1) {
        const uint8_t other = (uint8_t)((m + 1) % g->p->n_mutexes);

        gen_add(g, OP_LOCK, NO_REG, m, 0);
        gen_add(g, OP_LOCK, NO_REG, other, 0);
        gen_memory(g);
        gen_add(g, OP_UNLOCK, NO_REG, gen_chance(g, 50) ? m : other, 0);
        gen_add(g, OP_UNLOCK, NO_REG, g->body->ins[g->body->n - 1].b == m ? other : m, 0);
    } else {
        gen_add(g, OP_LOCK, NO_REG, m, 0);
        gen_memory(g);
        gen_add(g, OP_UNLOCK, NO_REG, m, 0);
        gen_memory(g);
    }
}

static void
gen_rwlock(struct gen *g)
{
    const uint8_t l = (uint8_t)gen_below(g, g->p->n_rwlocks);
    const bool tries = gen_chance(g, 45);
    const bool writes = gen_chance(g, 50);
    const uint8_t r = gen_reg(g);
    uint8_t at = 0;

    if (tries) {
        gen_add(g, writes ? OP_TRYWR : OP_TRYRD, r, l, 0);
        at = g->body->n;
        gen_add(g, OP_IFNE, r, 0, 0);
    } else {
        gen_add(g, writes ? OP_WRLOCK : OP_RDLOCK, NO_REG, l, 0);
    }
    if (!writes && gen_chance(g, 20)) { /* a second read lock */
        gen_add(g, OP_TRYRD, NO_REG, l, 0);
        gen_add(g, OP_RWUNLOCK, NO_REG, l, 0);
    }
    gen_memory_some(g);
    gen_add(g, OP_RWUNLOCK, NO_REG, l, 0);
    if (tries)
        gen_to_here(g, at);
}

static void
gen_spin(struct gen *g)
{
    const uint8_t r = gen_reg(g);
    uint8_t at;

    if (gen_chance(g, 50)) {
        gen_add(g, OP_SPINLOCK, NO_REG, 0, 0);
        gen_memory_some(g);
        gen_add(g, OP_SPINUNLOCK, NO_REG, 0, 0);
        return;
    }
    gen_add(g, OP_SPINTRY, r, 0, 0);
    at = g->body->n;
    gen_add(g, OP_IFNE, r, 0, 0);
    gen_memory_some(g);
    gen_add(g, OP_SPINUNLOCK, NO_REG, 0, 0);
    gen_to_here(g, at);
}

static void
gen_sem(struct gen *g)
{
    const uint8_t s = (uint8_t)gen_below(g, g->p->n_sems);
    const uint8_t r = gen_reg(g);
    uint8_t at;

    switch (gen_below(g, g->on[F_TIMED] ? 6 : 5)) {
    case 0:
        gen_add(g, OP_SEMWAIT, NO_REG, s, 0);
        gen_memory(g);
        if (gen_chance(g, 60))
            gen_add(g, OP_SEMPOST, NO_REG, s, 0);
        break;
    case 1:
    case 2:
        gen_memory(g);
        gen_add(g, OP_SEMPOST, NO_REG, s, 0);
        break;
    case 3:
        gen_add(g, OP_SEMTRY, r, s, 0);
        at = g->body->n;
        gen_add(g, OP_IFNE, r, 0, 0);
        gen_memory(g);
        if (gen_chance(g, 60))
            gen_add(g, OP_SEMPOST, NO_REG, s, 0);
        gen_to_here(g, at);
        break;
    case 4:
        gen_add(g, OP_SEMGET, r, s, 0);
        break;
    default:
        gen_add(g, OP_SEMTIMED, r, s, 0);
        break;
    }
}

static void
gen_cond_wait(struct gen *g, uint8_t c, uint8_t v)
{
    const uint8_t m = g->p->cond_mutex[c];
    const bool loops = gen_chance(g, 70);
    const uint8_t r = gen_reg(g);
    uint8_t top;

    gen_add(g, OP_LOCK, NO_REG, m, 0);
    top = g->body->n;
    gen_add(g, OP_LOAD, r, v, 0);
    gen_add(g, OP_IFNE, r, 0, 0);
    if (g->on[F_TIMED] && gen_chance(g, 50))
        gen_add(g, OP_CONDTIMED, loops ? NO_REG : r, c, 0);
    else
        gen_add(g, OP_CONDWAIT, NO_REG, c, 0);
    if (loops)
        gen_add(g, OP_GOTO, 0, 0, 0)->to = top;
    gen_to_here(g, (uint8_t)(top + 1));
    if (gen_chance(g, 50))
        gen_memory(g);
    if (gen_chance(g, 30))
        gen_add(g, OP_STORE, NO_REG, v, 0);
    gen_add(g, OP_UNLOCK, NO_REG, m, 0);
}

/* Whether it is sent at all may depend on what another thread did. */
static void
gen_send(struct gen *g, uint8_t op, uint8_t c)
{
    const bool perhaps = gen_chance(g, 35);
    const uint8_t r = gen_reg(g);
    uint8_t at = 0;

    if (perhaps) {
        gen_add(g, OP_LOAD, r, gen_var(g), 0);
        at = g->body->n;
        gen_add(g, gen_chance(g, 60) ? OP_IFNE : OP_IFEQ, r, 0, 0);
    }
    gen_add(g, op, NO_REG, c, 0);
    if (perhaps)
        gen_to_here(g, at);
}

static void
gen_cond_signal(struct gen *g, uint8_t c, uint8_t v)
{
    const uint8_t m = g->p->cond_mutex[c];
    const uint8_t op = gen_chance(g, 65) ? OP_SIGNAL : OP_BROADCAST;
    const uint32_t how = gen_below(g, 10);

    if (how == 0) { /* without the lock: may be lost */
        gen_add(g, OP_STORE, NO_REG, v, 1);
        gen_send(g, op, c);
        return;
    }
    gen_add(g, OP_LOCK, NO_REG, m, 0);
    if (how != 1)
        gen_add(g, OP_STORE, NO_REG, v, 1);
    if (how < 6)
        gen_send(g, op, c);
    gen_add(g, OP_UNLOCK, NO_REG, m, 0);
    if (how >= 6)
        gen_send(g, op, c);
}

static void
gen_cond(struct gen *g)
{
    const uint8_t c = (uint8_t)gen_below(g, g->p->n_conds);
    const uint8_t v = (uint8_t)(g->p->n_vars - 1 - c % g->p->n_vars);

    if (gen_chance(g, 45))
        gen_cond_wait(g, c, v);
    else
        gen_cond_signal(g, c, v);
}

/* The first thread initializes the lock that all use. */
static void
gen_lazy(struct gen *g)
{
    gen_add(g, OP_LOCK, NO_REG, 0, 0);
    gen_add(g, OP_LAZY, NO_REG, 0, 0);
    gen_add(g, OP_UNLOCK, NO_REG, 0, 0);
    gen_add(g, OP_LOCK, NO_REG, LAZY_MUTEX, 0);
    gen_memory_some(g);
    gen_add(g, OP_UNLOCK, NO_REG, LAZY_MUTEX, 0);
}

static void
gen_struct(struct gen *g)
{
    const uint8_t s = (uint8_t)gen_below(g, g->p->n_structs);

    switch (gen_below(g, 4)) {
    case 0:
        if (g->p->n_structs > 1) {
            gen_add(g, OP_SCOPY, NO_REG, s, 0)->c = (uint8_t)(1 - s);
            break;
        }
        /* fall through */
    case 1:
        gen_add(g, OP_SVAL, gen_reg(g), s, 0);
        break;
    default:
        gen_add(g, OP_SMAKE, a_value(g), s, (int)gen_below(g, 4));
        break;
    }
}

static void
gen_waitloop(struct gen *g)
{
    const uint8_t v = gen_var(g);

    if (is_atomic(g->p->var_kind[v]) && gen_chance(g, 25)) { /* a lock of the program's own */
        gen_add(g, OP_TAKE, NO_REG, v, 0)->c = 1;
        gen_memory(g);
        gen_add(g, OP_STORE, NO_REG, v, 0);
        return;
    }
    if (g->pending_flag[v] || gen_chance(g, 55) || g->body_no == 0) {
        gen_add(g, OP_STORE, NO_REG, v, 1);
        return;
    }
    g->pending_flag[v] = true;
    gen_add(g, OP_WAITEQ, NO_REG, v, 1);
}

void
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
    switch (can[gen_below(g, n)]) {
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
    case F_LOCAL:
        gen_add(g, OP_LOCAL, gen_reg(g), 0, 0);
        gen_memory(g);
        break;
    case F_OWN:
        gen_add(g, OP_OWN, NO_REG, 0, 0);
        gen_memory(g);
        break;
    case F_LAZY:
        gen_lazy(g);
        break;
    case F_CLEANUP:
        gen_memory(g);
        if (g->body_no != 0)
            gen_add(g, OP_CLEANUP, gen_reg(g), 0, g->p->c11 ? -1 : (int)gen_below(g, 3) - 1);
        break;
    case F_ONCE:
        gen_add(g, OP_ONCE, NO_REG, (uint8_t)gen_below(g, g->p->n_onces), 0);
        if (gen_chance(g, 60))
            gen_memory(g);
        break;
    case F_STRUCT:
        gen_struct(g);
        break;
    case F_WAITLOOP:
        gen_waitloop(g);
        break;
    case F_KEY:
        if (gen_chance(g, 30))
            gen_add(g, OP_KEYGET, gen_reg(g), 0, 0);
        else
            gen_add(g, OP_KEYSET, NO_REG, 0, 1 + (int)gen_below(g, 3));
        break;
    case F_BARRIER: /* once per thread, in gen_thread() */
    default:
        if (gen_chance(g, 12))
            gen_branch(g);
        else if (gen_chance(g, 8))
            gen_repeat(g);
        else
            gen_memory_some(g);
        break;
    }
}
