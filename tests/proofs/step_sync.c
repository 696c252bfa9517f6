/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step_sync.c - what the instructions of locks, semaphores, condition variables, barriers and
 * pthread_once do, and cycles of locks. See step.c.
 */
#include "step_int.h"

#define e proofs_stepper

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
            step_misuse(s);
        } else if (!mine) {
            step_done_with(s, no, i, 1);
        } else {
            if (--s->depth[m] == 0)
                s->owner[m] = NO_THREAD;
            step_done_with(s, no, i, 0);
        }
        return;
    }
    if (s->owner[m] == NO_THREAD || (mine && kind == MUTEX_RECURSIVE)) {
        take_mutex(s, no, m);
        step_done_with(s, no, i, 0);
    } else if (i->op == OP_TRYLOCK || (mine && kind == MUTEX_ERRORCHECK)) {
        step_done_with(s, no, i, 1);
    } else if (i->op == OP_TIMEDLOCK) {
        step_done_with(s, no, i, 1); /* time-out */
    } else if (mine && i->op == OP_LOCK) {
        step_misuse(s);
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
            s->writer[l] = NO_THREAD;
        } else if (readers[no] > 0) {
            readers[no]--;
        } else {
            step_misuse(s);
            return;
        }
        step_done_with(s, no, i, 0);
        return;
    case OP_RDLOCK:
    case OP_TRYRD:
        if (s->writer[l] == NO_THREAD) {
            readers[no]++;
            step_done_with(s, no, i, 0);
        } else if (i->op == OP_TRYRD || s->writer[l] == no) {
            step_done_with(s, no, i, 1);
        }
        return;
    default:
        if (s->writer[l] == NO_THREAD && !read) {
            s->writer[l] = no;
            step_done_with(s, no, i, 0);
        } else if (i->op == OP_TRYWR || s->writer[l] == no) {
            step_done_with(s, no, i, 1);
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
            step_misuse(s);
            return;
        }
        *owner = NO_THREAD;
        step_done(s, no);
    } else if (*owner == NO_THREAD) {
        *owner = no;
        step_done_with(s, no, i, 0);
    } else if (i->op == OP_SPINTRY) {
        step_done_with(s, no, i, 1);
    } else if (*owner == no) {
        step_misuse(s);
    }
}

static void
step_sem(struct state *s, uint8_t no, const struct ins *i)
{
    int8_t *v = &s->sem[i->b];

    switch (i->op) {
    case OP_SEMPOST:
        (*v)++;
        step_done(s, no);
        return;
    case OP_SEMGET:
        step_done_with(s, no, i, *v);
        return;
    case OP_SEMINIT:
        *v = i->k;
        step_done(s, no);
        return;
    default:
        if (*v > 0) {
            (*v)--;
            step_done_with(s, no, i, 0);
        } else if (i->op != OP_SEMWAIT) {
            step_done_with(s, no, i, 1);
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
            step_misuse(s);
            return;
        }
        if (--s->depth[m] == 0)
            s->owner[m] = NO_THREAD;
        t->at = T_WAITING;
        t->micro = 0;
        step_emit(s, no);
        return;
    }
    for (uint8_t w = 0; w < e.p->n_threads; w++) {
        if (!waits_for(s, w, i->b))
            continue;
        wake(&s->t[w]);
        if (i->op == OP_SIGNAL) {
            step_done(s, no);
            any = true;
            *s = before;
        }
    }
    if (!any)
        step_done(s, no);
}

/* A thread that waits: what can end its wait without another thread. */
void
step_waiting(struct state *s, uint8_t no)
{
    const struct state before = *s;
    struct thread *t = &s->t[no];
    const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];
    const uint8_t used = (uint8_t)(1u << (t->pc % 8));

    if (t->cancel) {
        wake(t);
        t->micro = 2;
        step_emit(s, no);
        return;
    }
    if (i->op == OP_CONDTIMED) {
        wake(t);
        t->micro = 1;
        step_emit(s, no);
        *s = before;
    }
    if (e.rules.spurious && !(e.rules.spurious_once && (t->spurious & used) != 0)) {
        if (e.rules.spurious_once)
            t->spurious |= used;
        wake(t);
        step_emit(s, no);
        e.spurious[e.n_out - 1] = true;
    }
}

void
step_woken(struct state *s, uint8_t no)
{
    struct thread *t = &s->t[no];
    const struct ins *i = &e.p->bodies[e.p->body_of[no]].ins[t->pc];
    const uint8_t m = e.p->cond_mutex[i->b];

    if (s->owner[m] != NO_THREAD)
        return;
    take_mutex(s, no, m);
    t->at = T_RUN;
    if (t->micro == 2) {
        step_leave(t, no, CANCELED);
        step_emit(s, no);
        return;
    }
    step_done_with(s, no, i, t->micro);
}

static void
step_barrier(struct state *s, uint8_t no, const struct ins *i)
{
    uint8_t *n = &s->arrived[i->b];

    if (++*n < e.p->barrier_n[i->b]) {
        s->t[no].at = T_AT_BARRIER;
        step_emit(s, no);
        return;
    }
    *n = 0;
    for (uint8_t x = 0; x < e.p->n_threads; x++) {
        if (s->t[x].at == T_AT_BARRIER)
            s->t[x].at = T_LEAVING;
    }
    step_done_with(s, no, i, 1);
}

static void
step_once(struct state *s, uint8_t no, const struct ins *i)
{
    struct thread *t = &s->t[no];

    if (s->once[i->b] == ONCE_DONE) {
        step_done(s, no);
    } else if (s->once[i->b] == ONCE_NEW) {
        s->once[i->b] = ONCE_RUNNING;
        step_enter(t, e.p->once_body[i->b]);
        step_emit(s, no);
    }
}

bool
step_sync(struct state *s, uint8_t no, const struct ins *i)
{
    if (i->op >= OP_LOCK && i->op <= OP_UNLOCK)
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
    else
        return false;
    return true;
}

bool
step_holds_lock(const struct state *s, uint8_t no)
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

/* The thread that holds what `no` is waiting for. */
static uint8_t
holder(const struct state *s, uint8_t no)
{
    const struct thread *t = &s->t[no];
    const struct body *b = step_body_of(t, no);
    const struct ins *i;

    if (t->at == T_WOKEN)
        return s->owner[e.p->cond_mutex[e.p->bodies[e.p->body_of[no]].ins[t->pc].b]];
    if (t->at != T_RUN || (t->sub != NO_BODY ? t->sub_pc : t->pc) >= b->n)
        return NO_THREAD;
    i = &b->ins[t->sub != NO_BODY ? t->sub_pc : t->pc];
    if (i->op == OP_LOCK)
        return s->owner[i->b];
    if (i->op == OP_SPINLOCK)
        return s->spin[i->b];
    if (i->op == OP_RDLOCK || i->op == OP_WRLOCK)
        return s->writer[i->b];
    return NO_THREAD;
}

bool
step_has_cycle(const struct state *s)
{
    for (uint8_t no = 0; no < e.p->n_threads; no++) {
        uint8_t at = holder(s, no);

        for (uint32_t i = 0; i < MAX_THREADS && at != NO_THREAD && at != no; i++)
            at = holder(s, at);
        if (at == no && holder(s, no) != no)
            return true;
    }
    return false;
}
