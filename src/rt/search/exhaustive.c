/* SPDX-License-Identifier: Apache-2.0 */
/*
 * search/exhaustive.c - explores every interleaving of a small test once.
 *
 * Runs in the target. An execution follows the choices on the stack and then the default; at its
 * end the last choice with an alternative that must be explored is changed. dpor.c finds these
 * alternatives: source sets. Sleep sets come on top (P. Godefroid, "Partial-Order Methods for
 * the Verification of Concurrent Systems", 1996): a thread is asleep where starting with it was
 * explored and nothing since depends on its pending operation; an execution in which all threads
 * are asleep is equivalent to an earlier one, ends at once, and counts as pruned.
 *
 * The stack lies in the search area of the control block: it outlives snapshots and children, and
 * the host may move it to another process (wire/search.h). args.exhaustive.begin: a new search, or
 * on from the stack as it is. result.search says whether it is complete.
 *
 * dpor_ops.c defines which operations depend on one another; symmetric threads wait for one
 * another, symmetry.c. With LOCPAIRS observed two reads of the same memory are dependent: location
 * pairs are about which of them directly follows a write. Accesses at sites that are no scheduling
 * points are taken to be private; the host checks that (LEARN finds nothing new).
 *
 * Direction of the error: never a proof too many. What the search cannot enumerate (time, I/O,
 * spinning threads that are passed over, signals, state of library functions, more than 64 threads)
 * is noted in result.search_unsure, and the host then claims nothing.
 */
#include <string.h>

#include "dpor.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/core/strategy.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"
#include "rt/learn/learn.h"
#include "rt/sched/sched.h"

#define bit burl__dpor_bit
#define NONE BURL_DPOR_NONE

static struct {
    struct burl_search_stack *stack;
    uint32_t max;      /* frames */
    uint32_t known;    /* frames that were there when this execution began */
    uint32_t next;     /* frame at which the next operation was chosen, NONE */
    uint64_t sleep;    /* now */
    uint64_t progress; /* value of the progress counter when parked threads were released */
    bool reads_depend; /* on reads */
    uint64_t freed_by; /* in this execution, while there were several threads */
    bool waiting;      /* only parked threads are left, await.c */
    bool missed;       /* ended at a signal that a spurious wakeup missed */
    /* What the program must not have changed in the block, see exhaustive_is_intact(). */
    uint32_t unsure; /* as on the stack, now */
    uint32_t n;
    uint32_t depth;
    uint64_t sum; /* over the frames */
    bool overwritten;
} x;

/* The head of the stack when this execution began. */
static struct burl_search_stack was;

void
burl__search_doubt(enum burl_wire_search_unsure why)
{
    x.unsure |= why;
    x.stack->unsure |= why;
}

/* ---- the position is ours alone -------------------------------------------------------------- */

/* A sum of these over all frames can be kept up to date frame by frame. */
static uint64_t
sum_of(uint32_t at, const struct burl_search_frame *f)
{
    uint64_t h = burl_mix64(at + 1);

    h = (h ^ f->enabled) * 0x9fb21c651e98df25ull;
    h = (h ^ f->sleep) * 0xbf58476d1ce4e5b9ull;
    h = (h ^ h >> 32 ^ f->todo) * 0x94d049bb133111ebull;
    h = (h ^ f->tried) * 0x9fb21c651e98df25ull;
    return burl_mix64(h ^ ((uint64_t)f->is_choice << 32 | f->chosen));
}

static uint64_t
sum_frames(const struct burl_search_stack *s)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < s->n && i < x.max; i++)
        sum += sum_of(i, &s->frames[i]);
    return sum;
}

static void
seal_position(void)
{
    memcpy(&was, x.stack, sizeof was);
    x.unsure = x.stack->unsure;
    x.n = x.stack->n;
    x.depth = x.stack->depth;
    x.sum = sum_frames(x.stack);
    x.overwritten = false;
}

/* What is only added to during an execution has all that it had. */
static bool
has_grown(const struct burl_search_stack *s)
{
    for (uint32_t i = 0; i < BURL_HIDDEN_STATES; i++) {
        if ((was.hidden_by[i] & ~s->hidden_by[i]) != 0)
            return false;
    }
    return s->apart >= was.apart && s->begun_apart == was.begun_apart &&
           s->loops.n >= was.loops.n && s->loops.n <= BURL_SEARCH_LOOPS &&
           memcmp(s->loops.sites, was.loops.sites, was.loops.n * sizeof s->loops.sites[0]) == 0 &&
           (was.hidden_changed & ~s->hidden_changed) == 0 && s->n_calls >= was.n_calls &&
           s->n_calls <= BURL_SEARCH_CALLS &&
           memcmp(s->calls, was.calls, was.n_calls * sizeof s->calls[0]) == 0 &&
           (was.compares & ~s->compares) == 0 && (was.allocated_by & ~s->allocated_by) == 0 &&
           (was.freed_by & ~s->freed_by) == 0 && s->reused >= was.reused &&
           (was.site == 0 || s->site == was.site);
}

/* A changed frame would be a schedule that is never tried, and the end of the search a wrong proof.
 * The frames and the doubts are followed write by write, the rest of the head can only grow. */
static bool
exhaustive_is_intact(void)
{
    const struct burl_search_stack *s = x.stack;

    if (s == NULL) /* in the fork server, whose child is lost */
        return true;
    x.overwritten = s->n != x.n || s->depth != x.depth || s->unsure != x.unsure || !has_grown(s) ||
                    sum_frames(s) != x.sum;
    return !x.overwritten;
}

/* ---- the tree of choices --------------------------------------------------------------------- */

/* Changes the last choice that has an alternative. False: there is none, all is explored. */
static bool
step_back(struct burl_search_stack *s)
{
    while (s->n > 0) {
        struct burl_search_frame *f = &s->frames[s->n - 1];
        uint64_t left;

        f->tried |= bit(f->chosen);
        left = f->todo & f->enabled & ~f->sleep & ~f->tried;
        if (left != 0) {
            f->chosen = (uint32_t)__builtin_ctzll(left);
            return true;
        }
        s->n--;
    }
    return false;
}

uint64_t
burl__search_enabled(uint32_t frame)
{
    return x.stack->frames[frame].enabled;
}

void
burl__search_want(uint32_t frame, uint64_t initials)
{
    struct burl_search_frame *f = &x.stack->frames[frame];
    uint64_t more = 0;

    initials &= f->enabled;
    if (initials == 0)
        more = f->enabled & ~f->todo;
    else if ((initials & (f->todo | f->sleep)) == 0)
        more = initials & -initials;
    if (more == 0)
        return;
    x.sum -= sum_of(frame, f);
    f->todo |= more;
    x.sum += sum_of(frame, f);
}

static struct burl_search_stack *
search_area(void)
{
    return (struct burl_search_stack *)(void *)((char *)burl_rt.ctl + burl_rt.ctl->search_off);
}

/* Frames get an eighth of the area; the rest has the events of the execution. */
static void
exhaustive_begin(const union burl_wire_args *args)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    const uint64_t frames_b = burl_search_stack_b(ctl->search_b);

    x.stack = search_area();
    x.max = burl_search_frames_max(ctl->search_b);
    x.sleep = 0;
    x.next = NONE;
    x.reads_depend = (ctl->order.observers & BURL_OB(LOCPAIRS)) != 0;
    x.waiting = false;
    x.missed = false;
    x.freed_by = 0;
    if (args->exhaustive.begin != 0 && ctl->result.n_done == 0) {
        memset(x.stack, 0, sizeof *x.stack);
        x.stack->apart = x.reads_depend;
        x.stack->begun_apart = x.stack->apart;
    }
    burl__dpor_begin_calls();
    burl__await_begin(&x.stack->loops);
    burl__symmetry_begin(&x.stack->apart);
    x.stack->depth = 0;
    x.stack->ended = 0;
    x.known = x.stack->n;
    seal_position();
    burl__dpor_begin((char *)x.stack + frames_b, ctl->search_b - frames_b);
}

/* The frame of this decision: the one on the stack, or a new one with `first` chosen. */
static struct burl_search_frame *
next_frame(uint64_t enabled, bool is_choice, uint32_t first)
{
    struct burl_search_stack *s = x.stack;
    struct burl_search_frame *f = &s->frames[s->depth];

    if (s->depth < s->n) {
        x.depth++;
        s->depth++;
        if (f->enabled != enabled || f->is_choice != is_choice) {
            burl__search_doubt(BURL_SEARCH_UNSURE_DIFFERS);
            x.sum -= sum_of(s->depth - 1, f);
            f->enabled = enabled;
            x.sum += sum_of(s->depth - 1, f);
        }
        return f;
    }
    if (s->n >= x.max) {
        burl__search_doubt(BURL_SEARCH_UNSURE_DEPTH);
        return NULL;
    }
    *f = (struct burl_search_frame){ .enabled = enabled,
                                     .sleep = is_choice ? 0 : x.sleep & enabled,
                                     .todo = is_choice ? enabled : bit(first),
                                     .chosen = first,
                                     .is_choice = is_choice };
    x.sum += sum_of(s->n, f);
    x.n++;
    x.depth++;
    s->n++;
    s->depth++;
    return f;
}

static uint64_t
runnable_mask(const struct burl_choice *c)
{
    uint64_t m = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] >= BURL_DPOR_TIDS)
            burl__search_doubt(BURL_SEARCH_UNSURE_THREADS);
        m |= bit(c->runnable[i]);
    }
    return m;
}

BURL_NORETURN static void
give_up(void)
{
    x.stack->ended = 1;
    burl_rt.ctl->result.search_pruned++;
    burl_rt_end(BURL_VERDICT_PASS, 0, 0, 0, NULL);
}

static uint16_t
exhaustive_pick(const struct burl_choice *c)
{
    const uint64_t can = runnable_mask(c);
    const uint64_t enabled = can & ~burl__symmetry_waiting(can);
    const uint64_t awake = enabled & ~x.sleep;
    uint16_t first = burl_pick_default(c);
    struct burl_search_frame *f;

    if (x.waiting) /* they take turns until one makes progress */
        return burl_choice_after(c, c->current);
    if (c->n_runnable + burl__await_parked() != burl_rt.exec.n_runnable)
        burl__search_doubt(BURL_SEARCH_UNSURE_LOOPS);
    if (enabled == 0) {
        if (can != 0)
            x.stack->apart = 1; /* symmetric threads are enabled together, so these are not */
        return first;
    }
    if (awake == 0 && x.stack->depth >= x.stack->n)
        give_up(); /* equivalent to an earlier execution */
    if ((bit(first) & awake) == 0 && awake != 0)
        first = (uint16_t)__builtin_ctzll(awake);
    f = next_frame(enabled, false, first);
    if (f == NULL)
        return first;
    if ((bit(f->chosen) & enabled) == 0) {
        burl__search_doubt(BURL_SEARCH_UNSURE_DIFFERS);
        return first;
    }
    x.sleep = (f->sleep | f->tried) & ~bit(f->chosen);
    x.next = x.stack->depth - 1;
    return (uint16_t)f->chosen;
}

static uint32_t
exhaustive_choose(struct burl_thread *t, uint32_t what, uint32_t n, uint16_t nth)
{
    const struct burl_search_frame *f;

    (void)t;
    (void)what;
    (void)nth;
    if (x.waiting)
        return 0; /* past what is explored */
    if (n > BURL_DPOR_TIDS) {
        burl__search_doubt(BURL_SEARCH_UNSURE_THREADS);
        return 0;
    }
    f = next_frame(n == BURL_DPOR_TIDS ? ~0ull : bit(n) - 1, true, 0);
    return f != NULL && f->chosen < n ? f->chosen : 0;
}

/* A thread that woke up spuriously and has not got its mutex yet missed this wakeup. In the
 * execution in which it did not wake up, which was explored before, the wakeup reaches it, and
 * nothing else differs. That the two are in this order is a race of its own (dpor_ops.c), so the
 * other order is explored, and this one ends here. To the search the signal is then like the end of
 * the process: what other threads would have done before it may keep it from being sent, so each of
 * them goes first in an execution of its own (ended_by). */
static void
exhaustive_signaled(uintptr_t cond, bool all)
{
    if (x.waiting || !all)
        return;
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];

        if (burl__dpor_is_spurious(&t->op) && t->op.aux == cond &&
            (t->state == BURL_THREAD_RUNNABLE || t->state == BURL_THREAD_BLOCKED) &&
            t != burl_rt.current) {
            x.missed = true;
            burl_rt.ctl->result.search_pruned++;
            burl_rt_end(BURL_VERDICT_PASS, 0, 0, 0, NULL);
        }
    }
}

/* ---- what happens ---------------------------------------------------------------------------- */

/* Bytes of one access that are learned; learn.c learns the first 256 itself. */
#define RANGE_MAX 65536u
#define RANGE_LEARNED 256u

static bool
is_memory(const struct burl_op *op)
{
    return burl_kind_in(op->kind, BURL_KINDS_ACCESS | BURL_KIND(FREE));
}

static void
note_unenumerable(const struct burl_thread *t, const struct burl_op *op)
{
    if (op->kind == BURL_OP_IO)
        burl__search_doubt(BURL_SEARCH_UNSURE_IO);
    if (burl_kind_in(op->kind, BURL_KIND(SIGNAL) | BURL_KIND(CANCEL) | BURL_KIND(FORK)))
        burl__search_doubt(BURL_SEARCH_UNSURE_SIGNALS);
    if (t->tid >= BURL_DPOR_TIDS)
        burl__search_doubt(BURL_SEARCH_UNSURE_THREADS);
    if (BURL_LIKELY(!is_memory(op) || op->aux <= RANGE_LEARNED))
        return;
    if (op->aux > RANGE_MAX)
        burl__search_doubt(BURL_SEARCH_UNSURE_RANGES);
    for (uint64_t at = RANGE_LEARNED; burl_rt.learn && at < op->aux && at < RANGE_MAX;
         at += RANGE_LEARNED)
        burl__learn_access(t, op->site, op->addr + at,
                           op->aux - at < RANGE_LEARNED ? (uint32_t)(op->aux - at) : RANGE_LEARNED,
                           op->kind == BURL_OP_READ ? BURL_LEARN_READ : BURL_LEARN_WRITE);
}

/* The state of sync objects is kept apart from their memory: a program that looks there, copies or
 * overwrites them sees another one. */
static void
note_objects(const struct burl_thread *t, const struct burl_op *op)
{
    if (is_memory(op)) {
        if (!op->object && op->kind != BURL_OP_FREE &&
            burl__objects_meet(op->addr, op->aux != 0 ? op->aux : 1))
            burl__search_doubt(BURL_SEARCH_UNSURE_OBJECT);
    } else if (burl_rt.learn && burl__dpor_is_object(op->kind) && burl_rt.exec.n_threads > 1) {
        burl__learn_object(t, op->addr, burl__object_b(op->addr));
    }
}

static bool
is_point(const struct burl_op *op)
{
    /* Calls that look at an object have no size. */
    return op->kind == BURL_OP_FREE || op->size_b == 0 || burl_rt.all_points ||
           (op->site < burl_rt.points_n && burl_rt.points[op->site] != 0);
}

/* Threads whose pending operation depends on this one must be tried after it. */
static void
wake_sleepers(const struct burl_thread *t, const struct burl_dpor_touch *touch)
{
    x.sleep &= ~bit(t->tid);
    for (uint64_t rest = x.sleep; rest != 0; rest &= rest - 1) {
        const uint32_t u = (uint32_t)__builtin_ctzll(rest);
        const struct burl_thread *s = burl_rt.threads[u];
        const struct burl_dpor_touch next = burl__dpor_touch(s, &s->op, x.reads_depend);

        if (burl__dpor_depend(&next, touch))
            x.sleep &= ~bit(u);
    }
}

static bool
is_quiet(void)
{
    return x.stack->depth < x.known;
}

static void
exhaustive_commit(const struct burl_thread *t, const struct burl_op *op)
{
    struct burl_dpor_touch touch;

    burl__await_commit(t, op);
    if (BURL_UNLIKELY(x.waiting)) {
        if (burl_rt.exec.progress != x.progress)
            give_up(); /* equivalent to one in which it waited without reading */
        return;
    }
    note_unenumerable(t, op);
    note_objects(t, op);
    if (is_memory(op) && x.next == NONE && !is_point(op)) {
        burl__dpor_note_call(t, op, false);
        return;
    }
    burl__symmetry_commit(t, op);
    touch = burl__dpor_touch(t, op, x.reads_depend);
    burl__dpor_note_call(t, op, is_memory(op));
    if (!burl__dpor_event(t->tid, &touch, x.next, is_quiet()))
        burl__search_doubt(BURL_SEARCH_UNSURE_DEPTH);
    x.next = NONE;
    wake_sleepers(t, &touch);
}

static void
exhaustive_access_along(const struct burl_thread *t, const struct burl_op *op)
{
    const struct burl_dpor_touch touch = burl__dpor_touch(t, op, x.reads_depend);

    if (x.waiting)
        return;
    if (burl__dpor_count(t->tid) < 2)
        burl__symmetry_named(t);
    if (!burl__dpor_glued(t->tid, &touch, is_quiet()))
        burl__search_doubt(BURL_SEARCH_UNSURE_DEPTH);
    wake_sleepers(t, &touch);
}

static void
exhaustive_frames_left(const struct burl_thread *t, uintptr_t lo, uintptr_t hi)
{
    const struct burl_dpor_touch touch = { .kind = BURL_OP_FREE,
                                           .n_feet = 1,
                                           .feet = { { .lo = lo, .hi = hi, .write = true } } };

    if (x.sleep != 0 && !x.waiting)
        wake_sleepers(t, &touch);
}

static void
exhaustive_woken(const struct burl_thread *w)
{
    burl__dpor_woken(w->tid, burl_rt.current->tid);
}

/* The heap gives one address for each order of allocations, and a freed block stays in quarantine:
 * neither is what other allocators do. Allocating and freeing are no operations of the search, so
 * one thread's free and another's allocation count as possible in either order. */
static void
doubt_addresses(void)
{
    const struct burl_search_stack *s = x.stack;
    const uint64_t both = s->allocated_by | s->freed_by;
    const bool reuses =
        s->reused != 0 || (s->allocated_by != 0 && s->freed_by != 0 && (both & (both - 1)) != 0);

    if (((s->allocated_by & (s->allocated_by - 1)) != 0 &&
         (s->compares & BURL_SITE_F_ADDRESSES) != 0) ||
        (reuses && s->compares != 0))
        burl__search_doubt(BURL_SEARCH_UNSURE_ADDRESSES);
}

static void
exhaustive_function_entered(uint32_t flags)
{
    const uint32_t which = flags & (BURL_SITE_F_ADDRESSES | BURL_SITE_F_IDENTITY);

    if ((which & ~x.stack->compares) == 0)
        return;
    x.stack->compares |= which;
    doubt_addresses();
}

static void
exhaustive_allocated(const struct burl_thread *t)
{
    if (burl_rt.exec.n_alive < 2)
        return;
    x.stack->allocated_by |= bit(t->tid);
    x.stack->reused |= (x.freed_by & bit(t->tid)) != 0;
    doubt_addresses();
}

static void
exhaustive_freed(const struct burl_thread *t)
{
    if (burl_rt.exec.n_alive < 2)
        return;
    x.freed_by |= bit(t->tid);
    x.stack->freed_by |= bit(t->tid);
    doubt_addresses();
}

/* Why a fact makes a complete search prove nothing. FRAME_GONE: a frame goes with the operation
 * before its return. When that operation enabled another thread, there is no execution in which
 * the other came first. */
static void
exhaustive_fact(enum burl_fact what)
{
    static const uint32_t unsure[BURL_FACT__N] = {
        [BURL_FACT_DEADLINE] = BURL_SEARCH_UNSURE_TIME,
        [BURL_FACT_FRAME_GONE] = BURL_SEARCH_UNSURE_ENDED,
        [BURL_FACT_FRAME_REUSED] = BURL_SEARCH_UNSURE_STACK,
        [BURL_FACT_MISUSE] = BURL_SEARCH_UNSURE_MISUSE,
        [BURL_FACT_ENDED_EARLY] = BURL_SEARCH_UNSURE_ENDED,
        [BURL_FACT_SHARED_MEMORY] = BURL_SEARCH_UNSURE_SHARED,
        [BURL_FACT_CHOICES_FULL] = BURL_SEARCH_UNSURE_DEPTH,
    };

    burl__search_doubt(unsure[what]);
}

static void
doubt_call(uint32_t site, enum burl_wire_search_unsure why)
{
    if (x.stack->site == 0)
        x.stack->site = site;
    burl__search_doubt(why);
}

/* The host knows which library the function is from. */
static void
note_call(const struct burl_wire_site *site)
{
    struct burl_search_stack *s = x.stack;

    for (uint32_t i = 0; i < s->n_calls; i++) {
        if (s->calls[i] == site->id)
            return;
    }
    if (s->n_calls < BURL_SEARCH_CALLS)
        s->calls[s->n_calls++] = site->id;
    else
        doubt_call(site->id, BURL_SEARCH_UNSURE_UNSEEN);
}

/* With one thread too: the next execution may read another value and run another way. */
static void
doubt_outside(uint32_t site)
{
    if (x.stack->outside == 0)
        x.stack->outside = site;
    burl__search_doubt(BURL_SEARCH_UNSURE_OUTSIDE);
}

static void
exhaustive_unmodeled_call(const struct burl_thread *t)
{
    doubt_call(t->call_site, BURL_SEARCH_UNSURE_HIDDEN);
}

/* The contents of files can be observed before and after the threads too: streams are buffered.
 * Random numbers are an operation and nothing else; what other states are read by (the environment
 * by localtime), or what else is touched (the text by strtok), is not. */
static void
exhaustive_library_call(const struct burl_thread *t, const struct burl_wire_site *site)
{
    const uint32_t what = site->size_b & BURL_HIDDEN_MASK;
    const bool unsafe = (site->size_b & BURL_HIDDEN_UNSAFE) != 0;
    const bool changes = (site->size_b & BURL_HIDDEN_CHANGES) != 0;
    const bool alone = burl_rt.exec.n_alive <= 1;
    struct burl_search_stack *s = x.stack;

    if (what >= BURL_HIDDEN__N)
        return;
    if (what == BURL_HIDDEN_OUTSIDE)
        doubt_outside(site->id);
    if (what >= BURL_HIDDEN_STATES) {
        if (!alone && changes && what != BURL_HIDDEN_RANDOM && what != BURL_HIDDEN_DRAND48)
            doubt_call(site->id, BURL_SEARCH_UNSURE_HIDDEN);
        return;
    }
    if (what == BURL_HIDDEN_STREAM || (!alone && (what == BURL_HIDDEN_UNSEEN || unsafe)))
        note_call(site);
    if (changes && (!alone || what == BURL_HIDDEN_FILES))
        s->hidden_changed |= 1u << what;
    if (!alone)
        s->hidden_by[what] |= bit(t->tid);
    if ((s->hidden_changed >> what & 1) != 0 &&
        (s->hidden_by[what] & (s->hidden_by[what] - 1)) != 0)
        doubt_call(site->id, BURL_SEARCH_UNSURE_HIDDEN);
}

/* A deadlock that follows from a misuse has the misuse as its verdict (sched/deadlock.c). */
static bool
is_stuck(const struct burl_wire_verdict *v)
{
    return v->kind == BURL_VERDICT_DEADLOCK_STUCK ||
           (burl_wire_is_misuse(v->kind) && burl_rt.exec.n_runnable == 0);
}

/* The thread that ended the execution for all others. */
static uint16_t
ended_by(const struct burl_wire_verdict *v)
{
    if (x.missed)
        return burl_rt.current->tid;
    if (v->kind == BURL_VERDICT_PASS || v->kind == BURL_VERDICT_LIVELOCK || is_stuck(v))
        return BURL_TID_NONE;
    return v->tid != BURL_TID_NONE ? v->tid : burl_rt.current->tid;
}

/* Races of the operations that are still pending when the execution ends. In an execution that is
 * given up, runnable threads have been at this place before; blocked ones perhaps not.
 *
 * A failure is no operation: nothing is explored between it and the last operation of its thread.
 * If that operation changed something (it created a thread, released a lock, wrote to a variable),
 * no other thread ever runs with the change. It might fail then, or show that memory is
 * shared. A missed signal is no failure: what follows it is explored where it is not missed. */
static void
race_with_pending(bool given_up)
{
    const struct burl_exec *e = &burl_rt.exec;

    for (uint32_t i = 0; i < e->n_threads && i < BURL_DPOR_TIDS; i++) {
        const struct burl_thread *t = burl_rt.threads[i];
        const struct burl_dpor_touch next = burl__dpor_touch(t, &t->op, x.reads_depend);

        /* The current thread has done what it was about to do, unless it had to wait. */
        if (t->state == BURL_THREAD_BLOCKED ||
            (t->state == BURL_THREAD_RUNNABLE && !given_up && !t->parked && t != burl_rt.current)) {
            const uint16_t by = ended_by(&e->verdict);
            const bool reversed = burl__dpor_pending(t->tid, &next, by);
            const bool follows =
                t->state == BURL_THREAD_RUNNABLE && t->tid != by && burl__dpor_ends_with_change(by);

            if (!x.missed && (!reversed || follows))
                burl__search_doubt(BURL_SEARCH_UNSURE_ENDED);
        }
    }
}

static bool
exhaustive_unpark(void)
{
    if (x.waiting)
        return false;
    if (burl__await_parked() == 0) {
        /* Time is about to move for threads that are passed over, not because one asked for it. */
        if (burl_rt.exec.n_runnable != 0)
            burl__search_doubt(BURL_SEARCH_UNSURE_LOOPS);
        return false;
    }
    if (burl_rt.exec.now_ns != BURL_EXEC_START_NS)
        burl__search_doubt(BURL_SEARCH_UNSURE_TIME);
    race_with_pending(true);
    x.waiting = true;
    x.progress = burl_rt.exec.progress;
    return burl__await_release();
}

/* What was explored so far did not know of a loop, or took threads for symmetric: starts over with
 * what is known now. */
static void
begin_again(struct burl_search_stack *s)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    s->loops.begin_again = 0;
    s->begun_apart = s->apart;
    s->n = 0;
    s->unsure = 0;
    s->site = 0;
    r->search_void = r->n_done;
    r->search_pruned = 0;
    r->search = BURL_SEARCH_MORE;
    r->search_unsure = 0;
    r->search_site = 0;
}

/* It ends here, and proves nothing. */
static void
abandon_position(struct burl_search_stack *s)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    memcpy(s, &was, sizeof was);
    s->n = 0;
    s->unsure = x.unsure | BURL_SEARCH_UNSURE_OVERWRITTEN;
    r->search = BURL_SEARCH_COMPLETE;
    r->search_unsure = s->unsure;
    r->search_site = s->site;
}

static void
exhaustive_finish(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    struct burl_search_stack *s = x.stack != NULL ? x.stack : search_area();

    if (BURL_UNLIKELY(x.overwritten)) {
        abandon_position(s);
        return;
    }
    /* A child that is lost has not looked whether the position is intact. */
    if (x.stack == NULL)
        s->unsure |= BURL_SEARCH_UNSURE_ENDED;
    if (x.stack != NULL && s->ended == 0 && !x.waiting)
        burl__symmetry_end();
    if (s->loops.begin_again != 0 || s->apart != s->begun_apart) {
        begin_again(s);
        return;
    }
    if (burl_rt.exec.now_ns != BURL_EXEC_START_NS && !x.waiting)
        s->unsure |= BURL_SEARCH_UNSURE_TIME;
    if (burl_rt.early_shared)
        s->unsure |= BURL_SEARCH_UNSURE_SHARED;
    if (s->depth < s->n) {
        /* It ended before its choices did: it differs from the last time. */
        s->unsure |= BURL_SEARCH_UNSURE_DIFFERS;
        s->n = s->depth;
    } else if (x.stack != NULL && !x.waiting) {
        race_with_pending(s->ended != 0);
    }
    r->search = step_back(s) ? BURL_SEARCH_MORE : BURL_SEARCH_COMPLETE;
    r->search_unsure = s->unsure;
    r->search_site = s->site;
}

static const struct burl_listener exhaustive_listener = {
    .fact = exhaustive_fact,
    .access_along = exhaustive_access_along,
    .frames_left = exhaustive_frames_left,
    .woken = exhaustive_woken,
    .signaled = exhaustive_signaled,
    .library_call = exhaustive_library_call,
    .unmodeled_call = exhaustive_unmodeled_call,
    .thread_id_read = burl__symmetry_named,
    .function_entered = exhaustive_function_entered,
    .allocated = exhaustive_allocated,
    .freed = exhaustive_freed,
    .unpark = exhaustive_unpark,
    .parks = burl__await_parks,
    .is_polling = burl__await_is_polling,
    .allows_yield = burl__await_allows_yield,
};

const struct burl_strategy_ops burl_strategy_exhaustive = {
    .begin = exhaustive_begin,
    .thread_new = burl__dpor_thread_new,
    .pick = exhaustive_pick,
    .commit = exhaustive_commit,
    .choose = exhaustive_choose,
    .finish = exhaustive_finish,
    .is_intact = exhaustive_is_intact,
    .listener = &exhaustive_listener,
};
