/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.c - what each instruction does: the semantics of POSIX and C11, sequentially consistent.
 *
 * One step is one visible operation of one thread; what only its own registers can tell is done
 * together with the step before it.
 */
#include <string.h>

#include "explore_int.h"

struct stepper proofs_stepper;
#define e proofs_stepper

/* ---- registers ------------------------------------------------------------------------------- */

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

/* ---- ends of threads ------------------------------------------------------------------------- */

/* The destructor of a key runs first, if the key is set; then the thread is gone, which is a
 * step. */
static void
leave(struct thread *t, uint8_t no, int ret)
{
    t->ret = (int8_t)ret;
    t->sub = NO_BODY;
    t->pc = e.p->bodies[e.p->body_of[no]].n;
    t->at = T_EXITING;
    t->micro = 0;
    t->exits = 0;
    t->local = 0;
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

/* It goes on in a routine: of pthread_once, or a cleanup handler. */
static void
enter(struct thread *t, uint8_t body)
{
    t->sub = body;
    t->sub_pc = 0;
    t->sub_arg = 0;
    memset(t->sub_reg, 0, sizeof t->sub_reg);
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
        case OP_KEYGET:
            r[i->a] = t->key[i->b];
            (*pc)++;
            break;
        case OP_LOCAL:
            t->local = (int8_t)((t->local + 1) & 7);
            r[i->a] = t->local;
            (*pc)++;
            break;
        case OP_OWN:
            (*pc)++;
            break;
        case OP_CLEANUP:
            t->exits = r[i->a] == i->k;
            enter(t, e.p->cleanup_body);
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

/* ---- successors ------------------------------------------------------------------------------ */

static void
append(const struct state *s)
{
    if (e.n_out == MAX_OUT) {
        e.overflow = true;
        return;
    }
    e.spurious[e.n_out] = false;
    e.out[e.n_out++] = *s;
}

static void
emit(struct state *s, uint8_t no)
{
    if (s->end == 0)
        settle(s, no);
    append(s);
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
    append(s);
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
            append(s);
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
        e.spurious[e.n_out - 1] = true;
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
        enter(t, e.p->once_body[i->b]);
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
        if (i->op == OP_ONCE)
            s->once[i->b] = ONCE_DONE;
        if (t->exits) {
            leave(t, no, result_of(t, no));
            emit(s, no);
        } else {
            done(s, no);
        }
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
void
step_thread_of(const struct state *from, uint8_t no)
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

/* ---- cycles of locks ------------------------------------------------------------------------- */

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

bool
step_has_cycle(const struct state *s)
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

struct state
step_start(const struct prog *p)
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
