/* SPDX-License-Identifier: Apache-2.0 */
/*
 * s_exhaustive.c - every schedule of a small test, once: depth-first search with sleep sets.
 *
 * Runs in the target. An execution follows the choices on the stack and then the default; at its
 * end the last choice that has an alternative is changed (Godefroid, "Partial-Order Methods for
 * the Verification of Concurrent Systems", 1996: stateless search, sleep sets). A thread is asleep
 * where starting with it was explored and nothing since depends on what it is about to do; an
 * execution in which everybody is asleep is the same as one before, and ends at once.
 *
 * The stack lies in the trace area of the control block, which such orders do not use otherwise: it
 * outlives snapshots and children. Order parameter 1 begins a search, 0 goes on where the last
 * order of this process stopped. result.search says whether it is complete.
 *
 * What counts as the same: two operations are independent when they are on different objects. Two
 * reads of the same memory are not, unlike in the literature: which of them is the one that
 * directly follows a write is what location pairs are about. Creating, joining and ending threads
 * depend on each other only; all else (condition variables, barriers, signals, free, ...) depends
 * on everything. Every access that happens is compared, also at sites that are no scheduling point;
 * that those are private is the host's to check (LEARN finds nothing new).
 *
 * Direction of the error: never a proof too many. What the search cannot enumerate (time, I/O,
 * threads that wait in loops and are passed over, signals, more than 64 threads) is noted in
 * result.search_unsure, and the host then claims nothing.
 */
#include <string.h>

#include "../rt_core.h"

#define MAX_TIDS 64u

struct frame {
    uint64_t options; /* threads that could run, or outcomes of a choice */
    uint64_t sleep;   /* of these, asleep when the frame was made */
    uint64_t tried;   /* and done with */
    uint32_t chosen;
    uint32_t is_choice; /* of the tool (burl_sched_choose), not of a thread */
};

struct stack {
    uint32_t n;
    uint32_t unsure;
    uint64_t pad;
    struct frame frames[];
};

static struct {
    struct stack *stack;
    uint32_t max;   /* frames */
    uint32_t depth; /* frames passed in this execution */
    uint64_t sleep; /* now */
} x;

static uint64_t
bit(uint32_t i)
{
    return i < MAX_TIDS ? 1ull << i : 0;
}

static void
note_unsure(enum burl_wire_search_unsure why)
{
    if (x.stack != NULL)
        x.stack->unsure |= why;
}

/* Changes the last choice that has an alternative. False: there is none, all is explored. */
static bool
step_back(struct stack *s)
{
    while (s->n > 0) {
        struct frame *f = &s->frames[s->n - 1];
        uint64_t left;

        f->tried |= bit(f->chosen);
        left = f->options & ~f->sleep & ~f->tried;
        if (left != 0) {
            f->chosen = (uint32_t)__builtin_ctzll(left);
            return true;
        }
        s->n--;
    }
    return false;
}

static void
begin(uint32_t param, uint64_t horizon)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    (void)horizon;
    x.stack = (struct stack *)(void *)((char *)ctl + ctl->trace_off);
    x.max = (uint32_t)((ctl->trace_n * sizeof(struct burl_wire_event) - sizeof *x.stack) /
                       sizeof(struct frame));
    x.depth = 0;
    x.sleep = 0;
    if (param == 1 && ctl->result.n_done == 0) {
        x.stack->n = 0;
        x.stack->unsure = 0;
    }
}

/* The frame of this decision: the one on the stack, or a new one with `first` chosen. */
static struct frame *
next_frame(uint64_t options, bool is_choice, uint32_t first)
{
    struct stack *s = x.stack;
    struct frame *f = &s->frames[x.depth];

    if (x.depth < s->n) {
        x.depth++;
        if (f->options != options || f->is_choice != is_choice) {
            note_unsure(BURL_SEARCH_UNSURE_DIFFERS);
            f->options = options;
        }
        return f;
    }
    if (s->n >= x.max) {
        note_unsure(BURL_SEARCH_UNSURE_DEPTH);
        return NULL;
    }
    *f = (struct frame){ .options = options,
                         .sleep = is_choice ? 0 : x.sleep & options,
                         .is_choice = is_choice };
    f->chosen = first;
    s->n++;
    x.depth++;
    return f;
}

static uint64_t
runnable_mask(const struct burl_choice *c)
{
    uint64_t m = 0;

    for (uint32_t i = 0; i < c->n_runnable; i++) {
        if (c->runnable[i] >= MAX_TIDS)
            note_unsure(BURL_SEARCH_UNSURE_THREADS);
        m |= bit(c->runnable[i]);
    }
    return m;
}

static uint16_t
pick(const struct burl_choice *c)
{
    const uint64_t options = runnable_mask(c);
    const uint64_t awake = options & ~x.sleep;
    uint16_t first = burl_pick_default(c);
    struct frame *f;

    if (c->yielding || c->n_runnable != burl_rt.exec.n_runnable)
        note_unsure(BURL_SEARCH_UNSURE_LOOPS);
    if (options == 0)
        return first;
    if (awake == 0 && x.depth >= x.stack->n) {
        burl_rt.ctl->result.search_pruned++;
        burl_rt_end(BURL_VERDICT_PASS, 0, 0, 0, NULL); /* the same as one before */
    }
    if ((bit(first) & awake) == 0 && awake != 0)
        first = (uint16_t)__builtin_ctzll(awake);
    f = next_frame(options, false, first);
    if (f == NULL)
        return first;
    if ((bit(f->chosen) & options) == 0) {
        note_unsure(BURL_SEARCH_UNSURE_DIFFERS);
        return first;
    }
    x.sleep = (f->sleep | f->tried) & ~bit(f->chosen);
    return (uint16_t)f->chosen;
}

uint32_t
burl__exhaustive_choose(uint32_t n)
{
    const struct frame *f;

    if (n > MAX_TIDS) {
        note_unsure(BURL_SEARCH_UNSURE_THREADS);
        return 0;
    }
    f = next_frame(n == MAX_TIDS ? ~0ull : bit(n) - 1, true, 0);
    return f != NULL && f->chosen < n ? f->chosen : 0;
}

/* ---- who depends on what -------------------------------------------------------------------- */

enum class { MEMORY, LOCKS, THREADS, START, ALL };

static enum class class_of(uint8_t kind) {
    switch (kind){
        case BURL_OP_READ : case BURL_OP_WRITE : case BURL_OP_ATOMIC_LOAD : case
        BURL_OP_ATOMIC_STORE : case BURL_OP_ATOMIC_RMW : case BURL_OP_ATOMIC_CAS : return MEMORY;
        case BURL_OP_LOCK : case BURL_OP_TRYLOCK : case BURL_OP_UNLOCK : case BURL_OP_RDLOCK : case
        BURL_OP_WRLOCK : case BURL_OP_RWUNLOCK : case BURL_OP_SEM_WAIT : case
        BURL_OP_SEM_POST : return LOCKS;
        case BURL_OP_CREATE : case BURL_OP_JOIN : case BURL_OP_EXIT_THREAD : return THREADS;
        case BURL_OP_START : case BURL_OP_FENCE : return START;
        default : return ALL;
    }
}

static uint64_t
length(const struct burl_op *op)
{
    return op->aux != 0 ? op->aux : op->size_b != 0 ? op->size_b : 1;
}

static bool
depend(const struct burl_op *a, const struct burl_op *b)
{
    const enum class ca = class_of(a->kind);
    const enum class cb = class_of(b->kind);

    if (ca == START || cb == START)
        return false;
    if (ca == ALL || cb == ALL)
        return true;
    if (ca != cb)
        return false;
    if (ca == THREADS)
        return true;
    if (ca == LOCKS)
        return a->addr == b->addr;
    return a->addr < b->addr + length(b) && b->addr < a->addr + length(a);
}

/* Whoever waits with something that depends on this operation must be tried after it. */
void
burl__exhaustive_commit(const struct burl_thread *t, const struct burl_op *op)
{
    uint64_t rest = x.sleep;

    switch (op->kind) {
    case BURL_OP_IO:
        note_unsure(BURL_SEARCH_UNSURE_IO);
        break;
    case BURL_OP_SIGNAL:
    case BURL_OP_CANCEL:
    case BURL_OP_FORK:
        note_unsure(BURL_SEARCH_UNSURE_SIGNALS);
        break;
    default:
        break;
    }
    /* Of longer ranges learn.c looks at the beginning only. */
    if (class_of(op->kind) == MEMORY && length(op) > 256)
        note_unsure(BURL_SEARCH_UNSURE_RANGES);
    x.sleep &= ~bit(t->tid);
    while (rest != 0) {
        const uint32_t u = (uint32_t)__builtin_ctzll(rest);

        rest &= rest - 1;
        if (u != t->tid && depend(&burl_rt.threads[u]->op, op))
            x.sleep &= ~bit(u);
    }
}

void
burl__exhaustive_timed(void)
{
    note_unsure(BURL_SEARCH_UNSURE_TIME);
}

void
burl__exhaustive_finish(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    if (x.stack == NULL)
        return;
    if (burl_rt.exec.now_ns != BURL_EXEC_START_NS)
        note_unsure(BURL_SEARCH_UNSURE_TIME);
    if (x.depth < x.stack->n) {
        /* It ended before its choices did: another run than last time. */
        note_unsure(BURL_SEARCH_UNSURE_DIFFERS);
        x.stack->n = x.depth;
    }
    r->search = step_back(x.stack) ? BURL_SEARCH_MORE : BURL_SEARCH_COMPLETE;
    r->search_unsure = x.stack->unsure;
}

const struct burl_strategy_ops burl_strategy_exhaustive = {
    .name = "exhaustive",
    .begin = begin,
    .pick = pick,
};
