/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/sched.c - the controlled scheduler: which threads can run, which runs next, what happened.
 *
 * Runs in the target, on the stack of the thread that announces an operation. Invariants:
 *   INV-S1 exactly one thread of control executes in the process while in_execution is set.
 *   INV-S2 burl_rt.runnable holds, ascending, exactly the threads whose state is RUNNABLE.
 *   INV-S3 a thread is among the waiters of wait_obj from its announcement until its turn.
 *   INV-S4 when burl_sched_wait returns READY the predicate holds and no other thread ran since.
 * All decisions depend only on the program, the order and the seed.
 */
#include <string.h>

#include "hot.h"
#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/event.h"
#include "rt/core/listener.h"
#include "rt/core/stacks.h"
#include "rt/core/strategy.h"
#include "rt/core/trace.h"
#include "rt/core/verdict.h"
#include "rt/detect/observe.h"
#include "rt/learn/learn.h"

/* ---- the runnable set ------------------------------------------------------------------- */

static uint32_t
runnable_lower_bound(uint16_t tid)
{
    uint32_t lo = 0;
    uint32_t hi = burl_rt.exec.n_runnable;

    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;

        if (burl_rt.runnable[mid] < tid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void
runnable_insert(uint16_t tid)
{
    uint32_t at = runnable_lower_bound(tid);
    uint32_t n = burl_rt.exec.n_runnable;

    for (uint32_t i = n; i > at; i--)
        burl_rt.runnable[i] = burl_rt.runnable[i - 1];
    burl_rt.runnable[at] = tid;
    burl_rt.exec.n_runnable = n + 1;
}

static void
runnable_remove(uint16_t tid)
{
    uint32_t at = runnable_lower_bound(tid);
    uint32_t n = burl_rt.exec.n_runnable - 1;

    for (uint32_t i = at; i < n; i++)
        burl_rt.runnable[i] = burl_rt.runnable[i + 1];
    burl_rt.exec.n_runnable = n;
}

static void
set_runnable(struct burl_thread *t, bool can)
{
    if (can == (t->state == BURL_THREAD_RUNNABLE))
        return;
    if (can) {
        t->state = BURL_THREAD_RUNNABLE;
        runnable_insert(t->tid);
    } else {
        t->state = BURL_THREAD_BLOCKED;
        runnable_remove(t->tid);
    }
}

static bool
cancel_due(const struct burl_thread *t)
{
    return t->cancel_requested && t->cancel_state == 0 && !t->exiting;
}

/* Decides whether t's pending operation can happen now. */
static bool
can_run(struct burl_thread *t)
{
    bool can;

    if (t->ready != NULL)
        can = t->ready(t->wait_obj, t);
    else
        can = t->deadline_ns == BURL_TIME_NEVER;
    t->time_ready = false;
    if (!can && t->cancellable && cancel_due(t))
        can = true;
    if (!can && t->deadline_ns != BURL_TIME_NEVER &&
        (t->deadline_ns <= burl_rt.exec.now_ns || burl__time_eager(t))) {
        t->time_ready = true;
        can = true;
    }
    return can;
}

static void
evaluate(struct burl_thread *t)
{
    set_runnable(t, can_run(t));
}

void
burl_sched_reevaluate(struct burl_thread *w)
{
    if (w->state == BURL_THREAD_RUNNABLE || w->state == BURL_THREAD_BLOCKED)
        evaluate(w);
}

/* With more waiters than this the set is made anew instead of moving its end for each. */
#define MANY_WAITERS 16u
#define SET_WORDS (BURL_MAX_THREADS / 64u)

/* The same as evaluate() for each, in time that does not grow with the square of their number: of a
 * thousand threads that wait for a mutex, each one that takes or releases it changes all. */
static BURL_NOINLINE void
evaluate_many(struct burl_thread *first)
{
    uint64_t set[SET_WORDS];
    const uint32_t n_words = (burl_rt.exec.n_threads + 63u) / 64u;
    uint32_t n = 0;

    memset(set, 0, n_words * sizeof set[0]);
    for (uint32_t i = 0; i < burl_rt.exec.n_runnable; i++)
        set[burl_rt.runnable[i] / 64u] |= 1ull << burl_rt.runnable[i] % 64u;
    for (struct burl_thread *w = first; w != NULL; w = w->wait_next) {
        const uint64_t bit = 1ull << w->tid % 64u;

        if (can_run(w)) {
            w->state = BURL_THREAD_RUNNABLE;
            set[w->tid / 64u] |= bit;
        } else {
            w->state = BURL_THREAD_BLOCKED;
            set[w->tid / 64u] &= ~bit;
        }
    }
    for (uint32_t k = 0; k < n_words; k++) {
        for (uint64_t rest = set[k]; rest != 0; rest &= rest - 1)
            burl_rt.runnable[n++] = (uint16_t)(k * 64u + (uint32_t)__builtin_ctzll(rest));
    }
    burl_rt.exec.n_runnable = n;
}

void
burl_obj_changed(struct burl_obj *o)
{
    if (BURL_UNLIKELY(o->n_waiters > MANY_WAITERS)) {
        evaluate_many(o->waiters);
        return;
    }
    for (struct burl_thread *w = o->waiters; w != NULL; w = w->wait_next)
        evaluate(w);
}

static void
waiters_add(struct burl_obj *o, struct burl_thread *t)
{
    t->wait_next = NULL;
    t->wait_before = o->last_waiter;
    if (o->last_waiter != NULL)
        o->last_waiter->wait_next = t;
    else
        o->waiters = t;
    o->last_waiter = t;
    o->n_waiters++;
}

static void
waiters_remove(struct burl_obj *o, struct burl_thread *t)
{
    if (t->wait_before != NULL)
        t->wait_before->wait_next = t->wait_next;
    else
        o->waiters = t->wait_next;
    if (t->wait_next != NULL)
        t->wait_next->wait_before = t->wait_before;
    else
        o->last_waiter = t->wait_before;
    t->wait_next = NULL;
    t->wait_before = NULL;
    o->n_waiters--;
}

/* ---- choosing ------------------------------------------------------------------------------ */

static uint16_t eligible[BURL_MAX_THREADS];

/* Runnable threads that are not being passed over: *list, in ascending order. Mostly all. */
static uint32_t
collect_eligible(const uint16_t **list)
{
    uint32_t n = 0;

    *list = burl_rt.runnable;
    if (BURL_LIKELY(!burl_rt.exec.any_yielding))
        return burl_rt.exec.n_runnable;
    *list = eligible;
    burl_rt.exec.any_yielding = false;

    for (uint32_t i = 0; i < burl_rt.exec.n_runnable; i++) {
        struct burl_thread *t = burl_rt.threads[burl_rt.runnable[i]];

        if (t->yielding && t->yield_mark != burl_rt.exec.progress && !t->parked)
            t->yielding = false;
        if (!t->yielding)
            eligible[n++] = t->tid;
        else
            burl_rt.exec.any_yielding = true;
    }
    return n;
}

/* No thread is eligible: all runnable ones wait in a loop, or none can run. Moves virtual time,
 * waits for I/O, or ends the execution as a hang. On return a thread is eligible, at least the next
 * of those that loop. */
static void
idle(const struct burl_thread *cur)
{
    struct burl_exec *e = &burl_rt.exec;

    if (e->idle_mark == e->progress) {
        e->idle_rounds++;
    } else {
        e->idle_mark = e->progress;
        e->idle_rounds = 0;
    }
    if (e->idle_rounds > 32 + 4 * e->n_runnable && burl__spin_all_stagnant())
        burl__sched_livelock();
    if (burl_io_obj()->n_waiters != 0) {
        const uint16_t *list;

        burl_obj_changed(burl_io_obj());
        if (collect_eligible(&list) != 0)
            return;
    }
    if (burl__time_wake_earliest())
        return;
    if (burl_has_listener() && burl_rt.listener->unpark())
        return;
    if (e->n_runnable != 0) {
        const struct burl_choice all = { .runnable = burl_rt.runnable,
                                         .n_runnable = e->n_runnable };

        burl_rt.threads[burl_choice_after(&all, cur->tid)]->yielding = false;
        burl_time_advance(1000ull << (e->idle_rounds < 24 ? e->idle_rounds : 24));
        return;
    }
    if (burl_io_obj()->n_waiters != 0 && burl_io_wait_external())
        return;
    burl__sched_deadlock();
}

/* After so many yields without progress an unfair strategy proves nothing: threads take turns, and
 * what then repeats forever is a livelock (livelock.c). A replay follows its list. */
#define FAIR_AFTER_YIELDS 2000u

static bool
must_be_fair(void)
{
    return burl_rt.exec.idle_yields > FAIR_AFTER_YIELDS &&
           burl_rt.exec.quiet_steps > BURL_QUIET_STEPS / 2 &&
           (burl_rt.strategy != &burl_strategy_replay ||
            burl_rt.exec.sched_in_at >= burl_rt.ctl->order.args.replay.n_sched_in);
}

static struct burl_thread *
choose_next(const struct burl_thread *cur)
{
    struct burl_choice c;
    uint16_t tid;

    c.yielding = cur->yield_asked;
    for (;;) {
        c.n_runnable = collect_eligible(&c.runnable);
        if (c.n_runnable != 0)
            break;
        idle(cur);
    }
    c.current = cur->tid;
    c.current_runnable = cur->state == BURL_THREAD_RUNNABLE && !cur->yielding;
    if (BURL_UNLIKELY(cur->op.kind == BURL_OP_EXIT_PROCESS))
        burl_rt.exec.any_exiting = true;
    if (BURL_UNLIKELY(burl_rt.exec.any_exiting)) {
        c.n_runnable = burl__exits_pass_over(&c.runnable, c.n_runnable);
        c.current_runnable = c.current_runnable && burl_choice_has(&c, c.current);
    }
    if (c.n_runnable == 1 && c.current_runnable)
        return burl_rt.threads[c.runnable[0]];
    if (c.n_runnable > 1)
        burl_rt.exec.points++;
    tid = BURL_UNLIKELY(must_be_fair()) ? burl_choice_after(&c, c.current)
                                        : burl_rt.strategy->pick(&c);
    return burl_rt.threads[tid];
}

static enum burl_wire_switch_why
reason_to_leave(const struct burl_thread *t)
{
    if (t->state == BURL_THREAD_FINISHED)
        return BURL_SWITCH_FINISHED;
    if (t->state == BURL_THREAD_BLOCKED)
        return BURL_SWITCH_BLOCKED;
    return t->yield_asked ? BURL_SWITCH_YIELD : BURL_SWITCH_PREEMPT;
}

static void
note_switch(const struct burl_thread *from, struct burl_thread *to)
{
    burl__sched_record(from, reason_to_leave(from), to->tid, 0);
    burl_rt.current = to;
}

/* t is passed over until the progress counter differs from `mark`. */
static void
pass_over(struct burl_thread *t, uint64_t mark)
{
    t->yield_asked = true;
    t->yielding = true;
    t->yield_mark = mark;
    burl_rt.exec.any_yielding = true;
}

/* t has announced; returns when it is its turn. */
static void
reschedule(struct burl_thread *t)
{
    struct burl_thread *next = choose_next(t);

    if (next != t) {
        note_switch(t, next);
        burl_rt.engine->switch_to(t, next);
    }
    t->yielding = false;
    t->yield_asked = false;
}

/* ---- announcing ------------------------------------------------------------------------------ */

/* Things that happen to a thread from outside are taken up here, before it announces, so that an
 * operation is never torn apart from its announcement. */
static void
before_announcement(struct burl_thread *t)
{
    uint8_t inside = t->inside;

    if (burl_has_listener() && t->user_sp != 0)
        burl__stack_returned(t, t->user_sp, true);
    if (BURL_LIKELY((t->sig_pending & ~t->sig_blocked) == 0 && !t->cancel_requested))
        return;
    if ((t->sig_pending & ~t->sig_blocked) != 0) {
        t->inside = 0;
        burl_signals_deliver(t);
        t->inside = inside;
    }
    if (cancel_due(t) && t->cancel_type != 0)
        burl_thread_unwind(t, (void *)-1); /* PTHREAD_CANCELED */
}

/* Operations that do not change what a polling loop may wait for. Taking and releasing locks does
 * not: blocked lockers are woken without it, and a loop that polls a flag under a lock would
 * otherwise look busy forever. Updates of memory report in __burl_atomic_post() whether they
 * changed something. */
#define KINDS_WITHOUT_PROGRESS                                                                   \
    (BURL_KINDS_READ | BURL_KINDS_LOCK | BURL_KIND(TRYLOCK) | BURL_KIND(UNLOCK) |                \
     BURL_KIND(RWUNLOCK) | BURL_KIND(SEM_WAIT) | BURL_KIND(COND_WAIT) | BURL_KIND(COND_WAKE) |   \
     BURL_KIND(FENCE) | BURL_KIND(YIELD) | BURL_KIND(SLEEP) | BURL_KIND(IO) | BURL_KIND(ALLOC) | \
     BURL_KIND(STATE))

/* Operations that create, end, wake or block a thread. */
#define KINDS_MOVING_THREADS                                                           \
    (BURL_KIND(START) | BURL_KIND(CREATE) | BURL_KIND(JOIN) | BURL_KIND(EXIT_THREAD) | \
     BURL_KIND(COND_WAKE) | BURL_KIND(COND_SIGNAL) | BURL_KIND(COND_BROADCAST) |       \
     BURL_KIND(BARRIER_LEAVE) | BURL_KIND(SEM_WAIT) | BURL_KIND(SEM_POST) |            \
     BURL_KIND(FUTEX_WOKEN) | BURL_KIND(FUTEX_WAKE) | BURL_KIND(IO) | BURL_KIND(SLEEP))

/* burl_rt.has_commit_listeners says whether there are any. */
static BURL_NOINLINE void
raise_commit(struct burl_thread *t, const struct burl_op *op)
{
    BURL_ON_COMMIT(BURL_RAISE)
}

void
burl__sched_commit(struct burl_thread *t, const struct burl_op *op)
{
    struct burl_exec *e = &burl_rt.exec;

    burl__hash_step(e, t, op->kind, op->site, op->addr);
    t->n_ops++;
    t->last_op = op->kind;
    if (op->site != 0)
        t->last_site = op->site;
    if (!burl_kind_in(op->kind, BURL_KIND(READ) | BURL_KIND(WRITE)))
        t->sync_epoch++;
    if (!burl_kind_in(op->kind, KINDS_WITHOUT_PROGRESS)) {
        e->progress++;
        burl__spin_progress(t);
    }
    if (burl_kind_in(op->kind, KINDS_MOVING_THREADS)) {
        e->idle_yields = 0;
        e->quiet_steps = 0;
    } else if (BURL_UNLIKELY(++e->quiet_steps >= BURL_QUIET_STEPS)) {
        burl__livelock_watch(t, op);
    }
    if (BURL_UNLIKELY(burl_rt.has_commit_listeners))
        raise_commit(t, op);
    if (BURL_UNLIKELY(++e->steps >= burl_rt.max_steps))
        burl_rt_end(BURL_VERDICT_CUT_STEPS, 0, 0, 0, NULL);
    if ((e->steps & 0xffff) == 0)
        __atomic_store_n(&burl_rt.ctl->live.steps, e->steps, __ATOMIC_RELAXED); /* progress only */
}

static void
announce(struct burl_thread *t, const struct burl_op *op)
{
    if (BURL_UNLIKELY(burl_rt.trace))
        burl__trace_close(t); /* while no other thread has run since its last write */
    t->op = *op;
    t->wait_obj = NULL;
    t->ready = NULL;
    t->deadline_ns = BURL_TIME_NEVER;
    t->cancellable = false;
    t->was_blocked = false;
}

void
burl__sched_poll_point(struct burl_thread *t, const struct burl_op *op)
{
    before_announcement(t);
    announce(t, op);
    pass_over(t, burl_rt.exec.progress);
    burl__spin_note_state(t);
    burl__livelock_yield();
    t->fresh_reads = 0;
    reschedule(t);
    burl__sched_commit(t, op);
}

void
burl_sched_point(struct burl_thread *t, const struct burl_op *op)
{
    enum burl_spin_read spin = BURL_SPIN_NONE;

    if (op->kind == BURL_OP_TRYLOCK)
        spin = burl__spin_read(t, op->site, op->addr, 8);
    if (spin == BURL_SPIN_POLL) {
        t->lib_calls--;
        burl__sched_poll_point(t, op);
        return;
    }
    before_announcement(t);
    if (burl_rt.exec.n_alive > 1 && spin != BURL_SPIN_RETRY) {
        announce(t, op);
        reschedule(t);
    }
    burl__sched_commit(t, op);
}

enum burl_wait_result
burl_sched_wait(struct burl_thread *t, const struct burl_op *op, struct burl_obj *o,
                burl_ready_fn ready, uint64_t deadline_ns, bool cancellable)
{
    enum burl_wait_result result = BURL_WAIT_READY;

    before_announcement(t);
    announce(t, op);
    if (op->kind == BURL_OP_SLEEP && burl__time_skips_sleep(t, deadline_ns)) {
        burl_rt.exec.now_ns = deadline_ns + burl_rt.exec.late_ns;
        burl__sched_commit(t, op);
        return BURL_WAIT_TIMEOUT;
    }
    t->wait_obj = o;
    t->ready = ready;
    t->deadline_ns = deadline_ns;
    t->cancellable = cancellable;
    if (o != NULL)
        waiters_add(o, t);
    evaluate(t);
    t->was_blocked = t->state == BURL_THREAD_BLOCKED;
    if (deadline_ns != BURL_TIME_NEVER)
        burl__spin_note_state(t);
    else if (t->was_blocked)
        burl__sched_check_cycle(t);
    /* A deadline that was over before the wait began: a loop around it must not starve others. */
    if (t->time_ready && deadline_ns <= burl_rt.exec.now_ns)
        pass_over(t, burl_rt.exec.progress);
    reschedule(t);
    /* o and ready may have been exchanged meanwhile by burl_sched_requeue. */
    if (t->wait_obj != NULL)
        waiters_remove(t->wait_obj, t);
    if (t->ready == NULL || !t->ready(t->wait_obj, t)) {
        result = t->ready == NULL && t->deadline_ns == BURL_TIME_NEVER ? BURL_WAIT_READY
                                                                       : BURL_WAIT_TIMEOUT;
        if (t->cancellable && cancel_due(t))
            result = BURL_WAIT_CANCELED;
    }
    if (result == BURL_WAIT_TIMEOUT) {
        if (t->deadline_ns > burl_rt.exec.now_ns)
            burl_rt.exec.now_ns = t->deadline_ns;
        burl_rt.exec.now_ns += burl_rt.exec.late_ns;
    }
    t->wait_obj = NULL;
    t->ready = NULL;
    t->deadline_ns = BURL_TIME_NEVER;
    burl__sched_commit(t, &t->op);
    return result;
}

void
burl_sched_requeue(struct burl_thread *w, struct burl_obj *o, burl_ready_fn ready,
                   enum burl_wire_op kind, uintptr_t addr)
{
    BURL_TELL(woken, w);
    if (w->wait_obj != NULL)
        waiters_remove(w->wait_obj, w);
    w->wait_obj = o;
    w->ready = ready;
    w->deadline_ns = BURL_TIME_NEVER;
    w->cancellable = false;
    w->op.kind = (uint8_t)kind;
    w->op.addr = addr;
    if (o != NULL)
        waiters_add(o, w);
    evaluate(w);
}

void
burl_sched_yield(struct burl_thread *t, const struct burl_op *op)
{
    enum burl_yield_kind kind;

    before_announcement(t);
    t->lib_calls--; /* a yield is no sign of progress, whichever function asked for it */
    burl__livelock_yield();
    kind = burl__spin_yield_kind(t, op->site);
    t->soft_yields++;
    if (kind != BURL_YIELD_NONE &&
        (burl_rt.exec.n_alive > 1 || burl_rt.exec.idle_rounds != 0 || kind == BURL_YIELD_HARD)) {
        announce(t, op);
        if (kind != BURL_YIELD_POINT)
            pass_over(t, burl_rt.exec.progress - (kind == BURL_YIELD_SOFT));
        burl__spin_note_state(t);
        reschedule(t);
    }
    burl__sched_commit(t, op);
}

/* ---- threads ------------------------------------------------------------- */

struct burl_thread *
burl_thread_by_tid(uint16_t tid)
{
    return tid < burl_rt.exec.n_threads ? burl_rt.threads[tid] : NULL;
}

/* Newest first: a handle may be used again after a join. */
struct burl_thread *
burl_thread_to_join(uint64_t handle)
{
    for (uint32_t i = burl_rt.exec.n_threads; i > 0; i--) {
        if (burl_rt.threads[i - 1]->handle == handle)
            return burl_rt.threads[i - 1];
    }
    return NULL;
}

struct burl_thread *
burl_thread_by_handle(uint64_t handle)
{
    struct burl_thread *t = burl_thread_to_join(handle);

    if (t != NULL)
        BURL_TELL(thread_id_read, t);
    return t;
}

uint32_t
burl_thread_count(void)
{
    return burl_rt.exec.n_threads;
}

uint32_t
burl_thread_alive(void)
{
    return burl_rt.exec.n_alive;
}

/* Not inline: for a length it knows, the compiler takes an instruction that is slow to begin. */
static BURL_NOINLINE void
clear(void *from, const void *to)
{
    memset(from, 0, (size_t)((const char *)to - (char *)from));
}

/* The parts that must be zero in a new thread. The shadow stack, spin slots and keys are guarded by
 * counts and epochs, and clearing them each time would dominate small executions. */
static void
thread_clear(struct burl_thread *t)
{
    uint32_t spin_epoch = t->spin_epoch;
    void **keys = t->keys;
    void *engine_data = t->engine_data;

    for (uint32_t i = 0; i < t->keys_used; i++)
        keys[i] = NULL;
    clear(t, t->spin);
    t->spin_epoch = spin_epoch + 1;
    t->keys = keys;
    t->engine_data = engine_data;
}

void
burl__sched_prepare(uint32_t n_threads)
{
    for (uint32_t i = 0; i < n_threads && i < BURL_MAX_THREADS; i++) {
        if (burl_rt.threads[i] == NULL)
            burl_rt.threads[i] = burl_rt_alloc(sizeof *burl_rt.threads[i]);
        thread_clear(burl_rt.threads[i]);
    }
}

struct burl_thread *
burl_sched_thread_new(struct burl_thread *parent)
{
    struct burl_exec *e = &burl_rt.exec;
    struct burl_thread *t;

    if (e->n_threads >= BURL_MAX_THREADS) {
        burl_rt_count(BURL_COUNTER_THREADS_FULL);
        return NULL;
    }
    t = burl_rt.threads[e->n_threads];
    if (t == NULL) {
        t = burl_rt_alloc(sizeof *t);
        burl_rt.threads[e->n_threads] = t;
    }
    thread_clear(t);
    t->tid = (uint16_t)e->n_threads++;
    t->parent = parent != NULL ? parent->tid : BURL_TID_NONE;
    t->born = e->steps;
    t->deadline_ns = BURL_TIME_NEVER;
    t->op.kind = BURL_OP_START;
    t->op.site = parent != NULL ? parent->call_site : 0;
    t->state = BURL_THREAD_BLOCKED;
    if (BURL_UNLIKELY(burl_ob_mask != 0)) {
        t->watch = burl_ob_thread_new(t->tid, parent != NULL ? parent->watch : NULL);
        t->watch->thread = t;
    }
    if (++e->n_alive > e->max_alive)
        e->max_alive = e->n_alive;
    t->join_obj = burl_obj_get(t, BURL_OBJ_THREAD, NULL);
    if (burl_rt.strategy->thread_new != NULL)
        burl_rt.strategy->thread_new(t);
    set_runnable(t, true);
    return t;
}

void
burl_sched_thread_exit(struct burl_thread *t)
{
    struct burl_op op = { .kind = BURL_OP_EXIT_THREAD };
    struct burl_thread *next;

    burl_sched_point(t, &op);
    if (t->watch != NULL)
        burl_ob_thread_end(t->watch);
    if (burl_rt.exec.n_alive == 1)
        burl_process_exit(t, 0); /* the last thread: main ended by pthread_exit */
    set_runnable(t, false);
    t->state = BURL_THREAD_FINISHED;
    burl_rt.exec.n_alive--;
    burl_obj_changed(t->join_obj);
    if (t->detached)
        burl_rt.engine->release(t);
    next = choose_next(t);
    note_switch(t, next);
    burl_rt.engine->switch_final(t, next);
}
