/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore.c - every reachable end state of a program, by visiting every reachable state.
 *
 * A plain search over states with a table of those visited: no partial-order reduction, no
 * symmetry, no code shared with burl. One step is one visible operation of one thread; what only
 * its own registers can tell is done together with the step before it. Sequentially consistent.
 *
 * Where POSIX or the compiler leave a choice, struct rules says whether it is included. The program
 * is explored twice: `may` with all of them, `must` with those that burl promises to explore. A
 * claim of burl is wrong when it misses an end of `must`; a finding is wrong outside of `may`.
 */
#include <stdlib.h>
#include <string.h>

#include "prog.h"

enum { MAX_STATES = 1 << 16, TABLE = 1 << 18, MAX_EDGES = 1 << 20, MAX_OUT = 32 };
enum { T_UNBORN, T_RUN, T_WAITING, T_WOKEN, T_AT_BARRIER, T_LEAVING, T_EXITING, T_DONE };
enum { NOBODY = 255, NO_BODY = 255 };
enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };
enum { CANCELED = -1 };

struct thread {
    uint8_t at; /* T_* */
    uint8_t pc;
    uint8_t sub; /* body of the routine it is in, NO_BODY */
    uint8_t sub_pc;
    uint8_t micro; /* accesses of this instruction done so far; or how a wait ended */
    int8_t tmp[2];
    int8_t reg[N_REGS];
    int8_t sub_reg[N_REGS];
    int8_t sub_arg;
    int8_t ret;
    int8_t key[MAX_KEYS];
    uint8_t cancel;   /* pending */
    uint8_t spurious; /* wait instructions that have returned without a signal, by pc % 8 */
};

struct state {
    struct thread t[MAX_THREADS];
    int8_t var[MAX_VARS];
    uint8_t owner[MAX_MUTEXES];
    uint8_t depth[MAX_MUTEXES];
    uint8_t writer[MAX_RWLOCKS];
    uint8_t readers[MAX_RWLOCKS][MAX_THREADS];
    uint8_t spin[MAX_SPINS];
    int8_t sem[MAX_SEMS];
    uint8_t arrived[MAX_BARRIERS];
    uint8_t once[MAX_ONCES];
    uint8_t end; /* FINISHED, STUCK, or 0 */
    uint8_t pad[3];
    uint32_t fold;
};

enum { FINISHED = 1, STUCK = 2 };

struct edge {
    uint32_t from, to;
    uint8_t by; /* thread */
};

static struct {
    const struct prog *p;
    struct rules rules;
    struct state *states;
    uint32_t *table; /* state + 1 */
    struct edge *edges;
    uint32_t n_states, n_edges;
    bool overflow;
    bool cycle; /* of locks, seen */
    /* successors of the state that is expanded */
    struct state out[MAX_OUT];
    uint32_t n_out;
} e;

/* ---- registers -------------------------------------------------------------------------------- */

static const struct body *
body_of(const struct thread *t, uint8_t no)
{
    return &e.p->bodies[t->sub != NO_BODY ? t->sub : e.p->body_of[no]];
}

static int8_t *
regs(struct thread *t)
{
    return t->sub != NO_BODY ? t->sub_reg : t->reg;
}

static uint8_t *
pc_of(struct thread *t)
{
    return t->sub != NO_BODY ? &t->sub_pc : &t->pc;
}

static void
set_reg(struct thread *t, uint8_t a, int v)
{
    if (a < N_REGS)
        regs(t)[a] = (int8_t)(v & 7);
}

static int
value_of(struct thread *t, uint8_t no, const struct ins *i)
{
    if (i->a == NO_REG)
        return i->k;
    if (i->a == ARG_REG)
        return ((t->sub != NO_BODY ? t->sub_arg : e.p->arg_of[no]) + i->k) & 7;
    return (regs(t)[i->a] + i->k) & 7;
}

/* ---- ends of threads ---------------------------------------------------------------------------- */

/* The destructor of a key runs first, if the key is set; then the thread is gone, which is a step. */
static void
leave(struct thread *t, uint8_t no, int ret)
{
    t->ret = (int8_t)ret;
    t->sub = NO_BODY;
    t->pc = e.p->bodies[e.p->body_of[no]].n;
    t->at = T_EXITING;
    t->micro = 0;
    for (uint8_t k = 0; k < e.p->n_keys; k++) {
        if (t->key[k] == 0)
            continue;
        t->sub = e.p->key_body[k];
        t->sub_pc = 0;
        t->sub_arg = t->key[k];
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        t->key[k] = 0;
        return;
    }
}

static int
result_of(const struct thread *t, uint8_t no)
{
    return e.p->bodies[e.p->body_of[no]].returns_regs ? t->reg[0] + 8 * t->reg[1] : 0;
}

/* What only the thread itself can tell. Stops before the next visible operation. */
static void
settle(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];

    if (t->at != T_RUN && t->at != T_EXITING)
        return;
    for (;;) {
        const struct body *b = body_of(t, no);
        uint8_t *pc = pc_of(t);
        int8_t *r = regs(t);
        const struct ins *i;

        if (*pc >= b->n)
            return; /* to return from here is a step: a thread ends, or a routine is done */
        i = &b->ins[*pc];
        switch (i->op) {
        case OP_NOP:
        case OP_YIELD:
            (*pc)++;
            break;
        case OP_SET:
            r[i->a] = (int8_t)(i->k & 7);
            (*pc)++;
            break;
        case OP_MIX:
            r[i->a] = (int8_t)((r[i->a] + r[i->c] + i->k) & 7);
            (*pc)++;
            break;
        case OP_IFEQ:
            *pc = r[i->a] == i->k ? i->to : (uint8_t)(*pc + 1);
            break;
        case OP_IFNE:
            *pc = r[i->a] != i->k ? i->to : (uint8_t)(*pc + 1);
            break;
        case OP_GOTO:
            *pc = i->to;
            break;
        case OP_AGAIN:
            r[i->a] = (int8_t)((r[i->a] - 1) & 7);
            *pc = r[i->a] != 0 ? i->to : (uint8_t)(*pc + 1);
            break;
        case OP_KEYSET:
            t->key[i->b] = i->k;
            (*pc)++;
            break;
        case OP_SELF:
            r[i->a] = i->b == no;
            (*pc)++;
            break;
        case OP_EXIT:
            leave(t, no, result_of(t, no));
            break;
        case OP_FOLD:
            if (i->b != NO_REG)
                return;
            s->fold = s->fold * 31 + (uint32_t)(int32_t)r[i->a];
            (*pc)++;
            break;
        default:
            return;
        }
    }
}

/* ---- successors ----------------------------------------------------------------------------------- */

static void
emit(struct state *s, uint8_t no)
{
    if (s->end == 0)
        settle(s, no);
    if (e.n_out < MAX_OUT)
        e.out[e.n_out++] = *s;
    else
        e.overflow = true;
}

/* The instruction is over. */
static void
done(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];

    t->micro = 0;
    t->tmp[0] = t->tmp[1] = 0;
    (*pc_of(t))++;
    emit(s, no);
}

/* One access of the instruction, not the last. */
static void
part(struct state *s, uint8_t no)
{
    s->t[no].micro++;
    if (e.n_out < MAX_OUT)
        e.out[e.n_out++] = *s;
}

static void
done_with(struct state *s, uint8_t no, const struct ins *i, int result)
{
    set_reg(&s->t[no], i->a, result);
    done(s, no);
}

static void
misuse(struct state *s)
{
    s->end = STUCK;
    emit(s, 0);
}

static void
step_memory(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];
    int8_t *v = &s->var[i->b];
    const int8_t old = *v;

    switch (i->op) {
    case OP_LOAD:
        done_with(s, no, i, old);
        break;
    case OP_STORE:
        *v = (int8_t)value_of(t, no, i);
        done(s, no);
        break;
    case OP_ADD:
        if (t->micro == 0 && !is_atomic(e.p->var_kind[i->b])) {
            t->tmp[0] = old;
            part(s, no);
            return;
        }
        *v = (int8_t)((is_atomic(e.p->var_kind[i->b]) ? old : t->tmp[0]) + i->k);
        done(s, no);
        break;
    case OP_FADD:
        *v = (int8_t)(old + i->k);
        done_with(s, no, i, old);
        break;
    case OP_FXOR:
        *v = (int8_t)(old ^ i->k);
        done_with(s, no, i, old);
        break;
    case OP_XCHG:
        *v = i->k;
        done_with(s, no, i, old);
        break;
    case OP_CAS:
        if (old == i->k)
            *v = (int8_t)i->c;
        done_with(s, no, i, old == i->k);
        break;
    case OP_CASLOOP:
        if (t->micro == 0) {
            t->tmp[0] = old;
            part(s, no);
        } else if (old == t->tmp[0]) {
            *v = (int8_t)(old + i->k);
            done_with(s, no, i, old);
        } else { /* the failed exchange has loaded it */
            t->tmp[0] = old;
            if (e.n_out < MAX_OUT)
                e.out[e.n_out++] = *s;
        }
        break;
    case OP_TAKE:
        if (old == i->k) {
            *v = (int8_t)i->c;
            done(s, no);
        }
        break;
    case OP_WAITEQ: /* otherwise it looks again, which changes nothing */
        if (old == i->k)
            done(s, no);
        break;
    case OP_FOLD:
        s->fold = s->fold * 31 + (uint32_t)(int32_t)old;
        done(s, no);
        break;
    default:
        break;
    }
}

static void
step_struct(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];
    int8_t *dst = &s->var[2 * i->b];
    int8_t *src = &s->var[2 * (i->op == OP_SCOPY ? i->c : i->b)];
    const int made = value_of(t, no, i);

    if (!e.rules.fine) {
        if (i->op == OP_SVAL) {
            done_with(s, no, i, src[0] + 2 * src[1]);
            return;
        }
        if (i->op == OP_SCOPY) {
            dst[0] = src[0];
            dst[1] = src[1];
        } else {
            dst[0] = (int8_t)made;
            dst[1] = (int8_t)(made + 1);
        }
        done(s, no);
        return;
    }
    if (i->op == OP_SMAKE) {
        dst[t->micro] = (int8_t)(made + t->micro);
        if (t->micro == 1)
            done(s, no);
        else
            part(s, no);
        return;
    }
    if (t->micro < 2) {
        t->tmp[t->micro] = src[t->micro];
        if (t->micro == 1 && i->op == OP_SVAL)
            done_with(s, no, i, t->tmp[0] + 2 * t->tmp[1]);
        else
            part(s, no);
        return;
    }
    dst[t->micro - 2] = t->tmp[t->micro - 2];
    if (t->micro == 3)
        done(s, no);
    else
        part(s, no);
}

static void
take_mutex(struct state *s, uint8_t no, uint8_t m)
{
    s->owner[m] = no;
    s->depth[m]++;
}

static void
step_mutex(struct state *s, uint8_t no, const struct ins *i)
{
    const uint8_t m = i->b;
    const uint8_t kind = e.p->mutex_kind[m];
    const bool mine = s->owner[m] == no;

    if (i->op == OP_UNLOCK) {
        if (!mine && kind == MUTEX_NORMAL) {
            misuse(s);
        } else if (!mine) {
            done_with(s, no, i, 1);
        } else {
            if (--s->depth[m] == 0)
                s->owner[m] = NOBODY;
            done_with(s, no, i, 0);
        }
        return;
    }
    if (s->owner[m] == NOBODY || (mine && kind == MUTEX_RECURSIVE)) {
        take_mutex(s, no, m);
        done_with(s, no, i, 0);
    } else if (i->op == OP_TRYLOCK || (mine && kind == MUTEX_ERRORCHECK)) {
        done_with(s, no, i, 1);
    } else if (i->op == OP_TIMEDLOCK) {
        done_with(s, no, i, 1); /* time-out */
    } else if (mine && i->op == OP_LOCK) {
        misuse(s);
    }
}

static void
step_rwlock(struct state *s, uint8_t no, const struct ins *i)
{
    const uint8_t l = i->b;
    uint8_t *readers = s->readers[l];
    bool read = false;

    for (uint8_t x = 0; x < MAX_THREADS; x++)
        read |= readers[x] != 0;
    switch (i->op) {
    case OP_RWUNLOCK:
        if (s->writer[l] == no) {
            s->writer[l] = NOBODY;
        } else if (readers[no] > 0) {
            readers[no]--;
        } else {
            misuse(s);
            return;
        }
        done_with(s, no, i, 0);
        return;
    case OP_RDLOCK:
    case OP_TRYRD:
        if (s->writer[l] == NOBODY) {
            readers[no]++;
            done_with(s, no, i, 0);
        } else if (i->op == OP_TRYRD || s->writer[l] == no) {
            done_with(s, no, i, 1);
        }
        return;
    default:
        if (s->writer[l] == NOBODY && !read) {
            s->writer[l] = no;
            done_with(s, no, i, 0);
        } else if (i->op == OP_TRYWR || s->writer[l] == no) {
            done_with(s, no, i, 1);
        }
        return;
    }
}

static void
step_spin(struct state *s, uint8_t no, const struct ins *i)
{
    uint8_t *owner = &s->spin[i->b];

    if (i->op == OP_SPINUNLOCK) {
        if (*owner != no) {
            misuse(s);
            return;
        }
        *owner = NOBODY;
        done(s, no);
    } else if (*owner == NOBODY) {
        *owner = no;
        done_with(s, no, i, 0);
    } else if (i->op == OP_SPINTRY) {
        done_with(s, no, i, 1);
    } else if (*owner == no) {
        misuse(s);
    }
}

static void
step_sem(struct state *s, uint8_t no, const struct ins *i)
{
    int8_t *v = &s->sem[i->b];

    switch (i->op) {
    case OP_SEMPOST:
        (*v)++;
        done(s, no);
        return;
    case OP_SEMGET:
        done_with(s, no, i, *v);
        return;
    case OP_SEMINIT:
        *v = i->k;
        done(s, no);
        return;
    default:
        if (*v > 0) {
            (*v)--;
            done_with(s, no, i, 0);
        } else if (i->op != OP_SEMWAIT) {
            done_with(s, no, i, 1);
        }
        return;
    }
}

/* t[w], which waits for the condition, is woken and competes for the mutex. */
static void
wake(struct thread *w)
{
    w->at = T_WOKEN;
}

static bool
waits_for(const struct state *s, uint8_t w, uint8_t cond)
{
    const struct thread *t = &s->t[w];

    return t->at == T_WAITING && e.p->bodies[e.p->body_of[w]].ins[t->pc].b == cond;
}

static void
step_cond(struct state *s, uint8_t no, const struct ins *i)
{
    const struct state before = *s;
    struct thread *t = &s->t[no];
    bool any = false;

    if (i->op == OP_CONDWAIT || i->op == OP_CONDTIMED) {
        const uint8_t m = e.p->cond_mutex[i->b];

        if (s->owner[m] != no) {
            misuse(s);
            return;
        }
        if (--s->depth[m] == 0)
            s->owner[m] = NOBODY;
        t->at = T_WAITING;
        t->micro = 0;
        emit(s, no);
        return;
    }
    for (uint8_t w = 0; w < e.p->n_threads; w++) {
        if (!waits_for(s, w, i->b))
            continue;
        wake(&s->t[w]);
        if (i->op == OP_SIGNAL) {
            done(s, no);
            any = true;
            *s = before;
        }
    }
    if (!any)
        done(s, no);
}

/* A thread that waits: what can end its wait without another thread. */
static void
step_waiting(struct state *s, uint8_t no)
{
    const struct state before = *s;
    struct thread *t = &s->t[no];
    const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];
    const uint8_t used = (uint8_t)(1u << (t->pc % 8));

    if (t->cancel) {
        wake(t);
        t->micro = 2;
        emit(s, no);
        return;
    }
    if (i->op == OP_CONDTIMED) {
        wake(t);
        t->micro = 1;
        emit(s, no);
        *s = before;
    }
    if (e.rules.spurious && !(e.rules.spurious_once && (t->spurious & used) != 0)) {
        if (e.rules.spurious_once)
            t->spurious |= used;
        wake(t);
        emit(s, no);
    }
}

static void
step_woken(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];
    const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];
    const uint8_t m = e.p->cond_mutex[i->b];

    if (s->owner[m] != NOBODY)
        return;
    take_mutex(s, no, m);
    t->at = T_RUN;
    if (t->micro == 2) {
        leave(t, no, CANCELED);
        emit(s, no);
        return;
    }
    done_with(s, no, i, t->micro);
}

static void
step_barrier(struct state *s, uint8_t no, const struct ins *i)
{
    uint8_t *n = &s->arrived[i->b];

    if (++*n < e.p->barrier_n[i->b]) {
        s->t[no].at = T_AT_BARRIER;
        emit(s, no);
        return;
    }
    *n = 0;
    for (uint8_t x = 0; x < e.p->n_threads; x++) {
        if (s->t[x].at == T_AT_BARRIER)
            s->t[x].at = T_LEAVING;
    }
    done_with(s, no, i, 1);
}

static void
step_once(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];

    if (s->once[i->b] == ONCE_DONE) {
        done(s, no);
    } else if (s->once[i->b] == ONCE_NEW) {
        s->once[i->b] = ONCE_RUNNING;
        t->sub = e.p->once_body[i->b];
        t->sub_pc = 0;
        t->sub_arg = 0;
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        emit(s, no);
    }
}

static void
step_thread(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *u = &s->t[i->b];

    switch (i->op) {
    case OP_CREATE:
        u->at = T_RUN;
        settle(s, i->b);
        done(s, no);
        break;
    case OP_JOIN:
        if (u->at != T_DONE)
            break;
        if (i->a == FOLD_REG)
            s->fold = s->fold * 31 + (uint32_t)(int32_t)u->ret;
        done_with(s, no, i, u->ret);
        break;
    case OP_TRYJOIN:
        done_with(s, no, i, u->at != T_DONE);
        break;
    case OP_CANCEL:
        if (u->at != T_DONE)
            u->cancel = 1;
        done(s, no);
        break;
    default:
        done(s, no);
        break;
    }
}

static bool
is_cancellation_point(uint8_t op)
{
    return op == OP_TESTCANCEL || op == OP_SEMWAIT || op == OP_SEMTIMED || op == OP_JOIN ||
           op == OP_CONDWAIT || op == OP_CONDTIMED;
}

static bool
holds_a_lock(const struct state *s, uint8_t no)
{
    bool any = false;

    for (uint8_t m = 0; m < MAX_MUTEXES; m++)
        any |= s->owner[m] == no;
    for (uint8_t l = 0; l < MAX_RWLOCKS; l++)
        any |= s->writer[l] == no || s->readers[l][no] > 0;
    for (uint8_t l = 0; l < MAX_SPINS; l++)
        any |= s->spin[l] == no;
    return any;
}

/* The end of a body: of a routine, or of the thread. */
static void
step_end(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];

    if (t->at == T_EXITING) {
        if (t->sub != NO_BODY) {
            leave(t, no, t->ret); /* another key; else gone */
            if (t->sub != NO_BODY) {
                emit(s, no);
                return;
            }
        }
        if (holds_a_lock(s, no)) {
            misuse(s);
            return;
        }
        t->at = T_DONE;
        memset(t->reg, 0, sizeof t->reg);
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        emit(s, no);
    } else if (t->sub != NO_BODY) {
        const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];

        t->sub = NO_BODY;
        t->sub_pc = 0;
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        s->once[i->b] = ONCE_DONE;
        done(s, no);
    } else {
        leave(t, no, result_of(t, no));
        if (t->sub != NO_BODY) {
            emit(s, no);
            return;
        }
        step_end(s, no);
    }
}

static void
step_instruction(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];

    if (t->cancel && is_cancellation_point(i->op)) {
        leave(t, no, CANCELED);
        emit(s, no);
        return;
    }
    if (i->op <= OP_WAITEQ || i->op == OP_FOLD)
        step_memory(s, no, i);
    else if (i->op >= OP_LOCK && i->op <= OP_UNLOCK)
        step_mutex(s, no, i);
    else if (i->op >= OP_RDLOCK && i->op <= OP_RWUNLOCK)
        step_rwlock(s, no, i);
    else if (i->op >= OP_SPINLOCK && i->op <= OP_SPINUNLOCK)
        step_spin(s, no, i);
    else if (i->op >= OP_SEMWAIT && i->op <= OP_SEMINIT)
        step_sem(s, no, i);
    else if (i->op >= OP_CONDWAIT && i->op <= OP_BROADCAST)
        step_cond(s, no, i);
    else if (i->op == OP_BARRIER)
        step_barrier(s, no, i);
    else if (i->op == OP_ONCE)
        step_once(s, no, i);
    else if (i->op >= OP_SCOPY && i->op <= OP_SMAKE)
        step_struct(s, no, i);
    else if (i->op == OP_FINISH) {
        s->end = FINISHED;
        emit(s, no);
    } else {
        step_thread(s, no, i);
    }
}

/* All successors of s by a step of thread `no`. */
static void
step(const struct state *from, uint8_t no)
{
    struct state s = *from;
    struct thread *t = &s.t[no];
    const struct body *b;

    switch (t->at) {
    case T_UNBORN:
    case T_DONE:
    case T_AT_BARRIER:
        return;
    case T_WAITING:
        step_waiting(&s, no);
        return;
    case T_WOKEN:
        step_woken(&s, no);
        return;
    case T_LEAVING:
        t->at = T_RUN;
        done_with(&s, no, &e.p->bodies[e.p->body_of[no]].ins[t->pc], 0);
        return;
    default:
        break;
    }
    b = body_of(t, no);
    if (*pc_of(t) >= b->n)
        step_end(&s, no);
    else
        step_instruction(&s, no, &b->ins[*pc_of(t)]);
}

/* ---- cycles of locks --------------------------------------------------------------------------- */

/* The thread that holds what `no` is waiting for. */
static uint8_t
holder(const struct state *s, uint8_t no)
{
    const struct thread *t = &s->t[no];
    const struct body *b = body_of(t, no);
    const struct ins *i;

    if (t->at == T_WOKEN)
        return s->owner[e.p->cond_mutex[e.p->bodies[e.p->body_of[no]].ins[t->pc].b]];
    if (t->at != T_RUN || (t->sub != NO_BODY ? t->sub_pc : t->pc) >= b->n)
        return NOBODY;
    i = &b->ins[t->sub != NO_BODY ? t->sub_pc : t->pc];
    if (i->op == OP_LOCK)
        return s->owner[i->b];
    if (i->op == OP_SPINLOCK)
        return s->spin[i->b];
    if (i->op == OP_RDLOCK || i->op == OP_WRLOCK)
        return s->writer[i->b];
    return NOBODY;
}

static bool
has_cycle(const struct state *s)
{
    for (uint8_t no = 0; no < e.p->n_threads; no++) {
        uint8_t at = holder(s, no);

        for (uint32_t i = 0; i < MAX_THREADS && at != NOBODY && at != no; i++)
            at = holder(s, at);
        if (at == no && holder(s, no) != no)
            return true;
    }
    return false;
}

/* ---- the search ---------------------------------------------------------------------------------- */

static uint64_t
hash(const struct state *s)
{
    const uint8_t *p = (const uint8_t *)s;
    uint64_t h = 1469598103934665603ull;

    for (size_t i = 0; i < sizeof *s; i++)
        h = (h ^ p[i]) * 1099511628211ull;
    return h ^ h >> 29;
}

/* The number of the state, which is new or known. */
static uint32_t
number_of(const struct state *s)
{
    uint32_t at = (uint32_t)(hash(s) % TABLE);

    for (; e.table[at] != 0; at = (at + 1) % TABLE) {
        if (memcmp(&e.states[e.table[at] - 1], s, sizeof *s) == 0)
            return e.table[at] - 1;
    }
    if (e.n_states >= MAX_STATES) {
        e.overflow = true;
        return 0;
    }
    e.states[e.n_states] = *s;
    e.table[at] = ++e.n_states;
    return e.n_states - 1;
}

static struct state
start(const struct prog *p)
{
    struct state s;

    memset(&s, 0, sizeof s);
    for (uint8_t i = 0; i < MAX_THREADS; i++)
        s.t[i].sub = NO_BODY;
    for (uint8_t i = 0; i < p->n_vars; i++)
        s.var[i] = (int8_t)p->var_init[i];
    memset(s.owner, NOBODY, sizeof s.owner);
    memset(s.writer, NOBODY, sizeof s.writer);
    memset(s.spin, NOBODY, sizeof s.spin);
    for (uint8_t i = 0; i < p->n_sems; i++)
        s.sem[i] = (int8_t)p->sem_init[i];
    s.t[0].at = T_RUN;
    settle(&s, 0);
    return s;
}

static void
expand(uint32_t from)
{
    if (has_cycle(&e.states[from])) {
        e.cycle = true;
        if (e.rules.cycles_stop)
            return;
    }
    for (uint8_t no = 0; no < e.p->n_threads; no++) {
        e.n_out = 0;
        step(&e.states[from], no);
        for (uint32_t i = 0; i < e.n_out && !e.overflow; i++) {
            const uint32_t to = number_of(&e.out[i]);

            if (e.n_edges < MAX_EDGES)
                e.edges[e.n_edges++] = (struct edge){ from, to, no };
            else
                e.overflow = true;
        }
    }
}

/* The fewest switches between threads to each state, by the thread of the last step. Edges are in
 * the order in which states were found, so that few passes do. */
static void
count_switches(struct ends *x)
{
    const uint32_t width = MAX_THREADS;
    uint8_t *least = malloc((size_t)e.n_states * width);
    bool changed = true;

    memset(least, 255, (size_t)e.n_states * width);
    least[0] = 0; /* main begins */
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < e.n_edges; i++) {
            const struct edge *d = &e.edges[i];

            for (uint32_t t = 0; t < width; t++) {
                const uint8_t at = least[d->from * width + t];
                const uint8_t cost = (uint8_t)(at + (t != d->by));
                uint8_t *to = &least[d->to * width + d->by];

                if (at < 250 && cost < *to) {
                    *to = cost;
                    changed = true;
                }
            }
        }
    }
    for (uint32_t i = 0; i < e.n_states; i++) {
        for (uint32_t k = 0; k < x->n && e.states[i].end == FINISHED; k++) {
            for (uint32_t t = 0; t < width && x->value[k] == e.states[i].fold; t++) {
                if (least[i * width + t] < x->switches[k])
                    x->switches[k] = least[i * width + t];
            }
        }
    }
    free(least);
}

/* Is there a state from which main cannot finish? Deadlocks and livelocks. */
static bool
can_get_stuck(void)
{
    uint8_t *finishes = calloc(e.n_states, 1);
    bool changed = true;
    bool stuck = e.rules.cycles_stop && e.cycle;

    for (uint32_t i = 0; i < e.n_states; i++) {
        finishes[i] = e.states[i].end == FINISHED;
        stuck |= e.states[i].end == STUCK;
    }
    while (changed && !stuck) {
        changed = false;
        for (uint32_t i = e.n_edges; i > 0; i--) {
            const struct edge *d = &e.edges[i - 1];

            if (finishes[d->to] && !finishes[d->from]) {
                finishes[d->from] = 1;
                changed = true;
            }
        }
    }
    for (uint32_t i = 0; i < e.n_states; i++)
        stuck |= !finishes[i];
    free(finishes);
    return stuck;
}

static void
explore(const struct prog *p, struct rules rules)
{
    struct state s;

    if (!e.states) {
        e.states = malloc(MAX_STATES * sizeof *e.states);
        e.table = malloc(TABLE * sizeof *e.table);
        e.edges = malloc(MAX_EDGES * sizeof *e.edges);
    }
    memset(e.table, 0, TABLE * sizeof *e.table);
    e.p = p;
    e.rules = rules;
    e.n_states = 0;
    e.n_edges = 0;
    e.overflow = false;
    e.cycle = false;
    s = start(p);
    number_of(&s);
    for (uint32_t i = 0; i < e.n_states && !e.overflow; i++) {
        if (e.states[i].end == 0)
            expand(i);
    }
}

static void
note_end(struct ends *x, uint32_t value, bool must)
{
    uint32_t i = 0;

    while (i < x->n && x->value[i] != value)
        i++;
    if (i == MAX_ENDS) {
        x->too_many = true;
        return;
    }
    if (i == x->n) {
        x->value[x->n++] = value;
        x->must[i] = false;
    }
    x->must[i] |= must;
}

static void
note_ends(struct ends *x, bool must)
{
    x->too_many |= e.overflow;
    for (uint32_t i = 0; i < e.n_states && !x->too_many; i++) {
        if (e.states[i].end == FINISHED)
            note_end(x, e.states[i].fold, must);
    }
}

void
prog_explore(const struct prog *p, bool spurious, struct ends *ends)
{
    memset(ends, 0, sizeof *ends);
    explore(p, (struct rules){ .spurious = spurious, .fine = true });
    ends->n_states = e.n_states;
    note_ends(ends, false);
    if (ends->too_many)
        return;
    ends->stuck_may = can_get_stuck() || e.cycle;
    explore(p, (struct rules){ .spurious = spurious, .spurious_once = true, .cycles_stop = true });
    note_ends(ends, true);
    if (ends->too_many)
        return;
    ends->stuck_must = can_get_stuck();
    for (uint32_t i = 0; i < MAX_ENDS; i++)
        ends->switches[i] = UINT32_MAX;
    if (e.n_states < 2000)
        count_switches(ends);
}
