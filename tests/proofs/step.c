/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.c - what each instruction does: the semantics of POSIX and C11, sequentially consistent.
 * Locks and other objects that threads wait for are in step_sync.c.
 *
 * One step is one visible operation of one thread; what only its own registers can tell is done
 * together with the step before it.
 */
#include <string.h>

#include "step_int.h"

struct stepper proofs_stepper;
#define e proofs_stepper

/* ---- registers ------------------------------------------------------------------------------- */

const struct body *
step_body_of(const struct thread *t, uint8_t no)
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
void
step_leave(struct thread *t, uint8_t no, int ret)
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
void
step_enter(struct thread *t, uint8_t body)
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
        const struct body *b = step_body_of(t, no);
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
            step_enter(t, e.p->cleanup_body);
            break;
        case OP_SELF:
            r[i->a] = i->b == no;
            (*pc)++;
            break;
        case OP_EXIT:
            step_leave(t, no, result_of(t, no));
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

void
step_emit(struct state *s, uint8_t no)
{
    if (s->end == 0)
        settle(s, no);
    append(s);
}

/* The instruction is over. */
void
step_done(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];

    t->micro = 0;
    t->tmp[0] = t->tmp[1] = 0;
    (*pc_of(t))++;
    step_emit(s, no);
}

/* One access of the instruction, not the last. */
static void
part(struct state *s, uint8_t no)
{
    s->t[no].micro++;
    append(s);
}

void
step_done_with(struct state *s, uint8_t no, const struct ins *i, int result)
{
    set_reg(&s->t[no], i->a, result);
    step_done(s, no);
}

void
step_misuse(struct state *s)
{
    s->end = STUCK;
    step_emit(s, 0);
}

static void
step_memory(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];
    int8_t *v = &s->var[i->b];
    const int8_t old = *v;

    switch (i->op) {
    case OP_LOAD:
        step_done_with(s, no, i, old);
        break;
    case OP_STORE:
        *v = (int8_t)value_of(t, no, i);
        step_done(s, no);
        break;
    case OP_ADD:
        if (t->micro == 0 && !is_atomic(e.p->var_kind[i->b])) {
            t->tmp[0] = old;
            part(s, no);
            return;
        }
        *v = (int8_t)((is_atomic(e.p->var_kind[i->b]) ? old : t->tmp[0]) + i->k);
        step_done(s, no);
        break;
    case OP_FADD:
        *v = (int8_t)(old + i->k);
        step_done_with(s, no, i, old);
        break;
    case OP_FXOR:
        *v = (int8_t)(old ^ i->k);
        step_done_with(s, no, i, old);
        break;
    case OP_XCHG:
        *v = i->k;
        step_done_with(s, no, i, old);
        break;
    case OP_CAS:
        if (old == i->k)
            *v = (int8_t)i->c;
        step_done_with(s, no, i, old == i->k);
        break;
    case OP_CASLOOP:
        if (t->micro == 0) {
            t->tmp[0] = old;
            part(s, no);
        } else if (old == t->tmp[0]) {
            *v = (int8_t)(old + i->k);
            step_done_with(s, no, i, old);
        } else { /* the failed exchange has loaded it */
            t->tmp[0] = old;
            append(s);
        }
        break;
    case OP_TAKE:
        if (old == i->k) {
            *v = (int8_t)i->c;
            step_done(s, no);
        }
        break;
    case OP_WAITEQ: /* otherwise it looks again, which changes nothing */
        if (old == i->k)
            step_done(s, no);
        break;
    case OP_FOLD:
        s->fold = s->fold * 31 + (uint32_t)(int32_t)old;
        step_done(s, no);
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
            step_done_with(s, no, i, src[0] + 2 * src[1]);
            return;
        }
        if (i->op == OP_SCOPY) {
            dst[0] = src[0];
            dst[1] = src[1];
        } else {
            dst[0] = (int8_t)made;
            dst[1] = (int8_t)(made + 1);
        }
        step_done(s, no);
        return;
    }
    if (i->op == OP_SMAKE) {
        dst[t->micro] = (int8_t)(made + t->micro);
        if (t->micro == 1)
            step_done(s, no);
        else
            part(s, no);
        return;
    }
    if (t->micro < 2) {
        t->tmp[t->micro] = src[t->micro];
        if (t->micro == 1 && i->op == OP_SVAL)
            step_done_with(s, no, i, t->tmp[0] + 2 * t->tmp[1]);
        else
            part(s, no);
        return;
    }
    dst[t->micro - 2] = t->tmp[t->micro - 2];
    if (t->micro == 3)
        step_done(s, no);
    else
        part(s, no);
}

static void
step_thread(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *u = &s->t[i->b];

    switch (i->op) {
    case OP_CREATE:
        u->at = T_RUN;
        settle(s, i->b);
        step_done(s, no);
        break;
    case OP_JOIN:
        if (u->at != T_DONE)
            break;
        if (i->a == FOLD_REG)
            s->fold = s->fold * 31 + (uint32_t)(int32_t)u->ret;
        step_done_with(s, no, i, u->ret);
        break;
    case OP_TRYJOIN:
        step_done_with(s, no, i, u->at != T_DONE);
        break;
    case OP_CANCEL:
        if (u->at != T_DONE)
            u->cancel = 1;
        step_done(s, no);
        break;
    default:
        step_done(s, no);
        break;
    }
}

static bool
is_cancellation_point(uint8_t op)
{
    return op == OP_TESTCANCEL || op == OP_SEMWAIT || op == OP_SEMTIMED || op == OP_JOIN ||
           op == OP_CONDWAIT || op == OP_CONDTIMED;
}

/* The end of a body: of a routine, or of the thread. */
static void
step_end(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];

    if (t->at == T_EXITING) {
        if (t->sub != NO_BODY) {
            step_leave(t, no, t->ret); /* another key; else gone */
            if (t->sub != NO_BODY) {
                step_emit(s, no);
                return;
            }
        }
        if (step_holds_lock(s, no)) {
            step_misuse(s);
            return;
        }
        t->at = T_DONE;
        memset(t->reg, 0, sizeof t->reg);
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        step_emit(s, no);
    } else if (t->sub != NO_BODY) {
        const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];

        t->sub = NO_BODY;
        t->sub_pc = 0;
        memset(t->sub_reg, 0, sizeof t->sub_reg);
        if (i->op == OP_ONCE)
            s->once[i->b] = ONCE_DONE;
        if (t->exits) {
            step_leave(t, no, result_of(t, no));
            step_emit(s, no);
        } else {
            step_done(s, no);
        }
    } else {
        step_leave(t, no, result_of(t, no));
        if (t->sub != NO_BODY) {
            step_emit(s, no);
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
        step_leave(t, no, CANCELED);
        step_emit(s, no);
        return;
    }
    if (step_sync(s, no, i))
        return;
    if (i->op <= OP_WAITEQ || i->op == OP_FOLD)
        step_memory(s, no, i);
    else if (i->op >= OP_SCOPY && i->op <= OP_SMAKE)
        step_struct(s, no, i);
    else if (i->op == OP_FINISH) {
        s->end = FINISHED;
        step_emit(s, no);
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
        step_done_with(&s, no, &e.p->bodies[e.p->body_of[no]].ins[t->pc], 0);
        return;
    default:
        break;
    }
    b = step_body_of(t, no);
    if (*pc_of(t) >= b->n)
        step_end(&s, no);
    else
        step_instruction(&s, no, &b->ins[*pc_of(t)]);
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
    memset(s.owner, NO_THREAD, sizeof s.owner);
    memset(s.writer, NO_THREAD, sizeof s.writer);
    memset(s.spin, NO_THREAD, sizeof s.spin);
    for (uint8_t i = 0; i < p->n_sems; i++)
        s.sem[i] = (int8_t)p->sem_init[i];
    s.t[0].at = T_RUN;
    settle(&s, 0);
    return s;
}
