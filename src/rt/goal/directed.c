/* SPDX-License-Identifier: Apache-2.0 */
/*
 * directed.c - brings the sites of a goal together, and decides their order.
 *
 * Runs in the target. A random walk in which threads that stand at a site of the goal are passed
 * over ("held") until the others are there too:
 *   races    two threads at the two sites, on overlapping bytes, one of them writing (Sen: "Race
 *            Directed Random Testing of Concurrent Programs", PLDI 2008). the goal says
 *            which access comes first; the other follows directly.
 *   triples  p, r, c: a thread that did p is held at c until another thread did r on the same
 *            bytes, and a thread at r until somebody did p (Park, Lu, Zhou: "CTrigger", ASPLOS
 *            2009). Where c lies inside a critical section that r needs too, that is too late; so
 *            in one execution of two the thread is held before that, at its next lock.
 *   wake-ups a thread is held at its wait, or (goal.hold) where it takes the lock before
 *            that, until another has signaled: a wait that does not look first misses it. A thread
 *            that the parameter names runs until it is held: who signals may change what it looks
 *            at.
 *   cycles   a thread that holds a lock from the first site of a pair is held at the request of the
 *            second, until the others have theirs; the deadlock then happens by itself and
 *            sched.c reports it.
 *
 * Held threads stay runnable for everybody else: only pick() does not choose them. So nothing here
 * can deadlock. Who is needed by the others is let go: when all eligible threads are held, when
 * nothing but polling has happened for a while, or when a thread was held for longer than this
 * execution's patience. Each such stall at a site halves the chance of holding there again (the
 * first is free), so that a loop through a site whose partner never comes is soon left alone.
 *
 * Departures from the papers: no real time (patience is counted in decisions and drawn per
 * execution); the walk keeps to a thread as strategy/random.c does; one meeting per execution,
 * because what is to be seen is what follows from it.
 *
 * goal.race.calm: after the meeting no preemption any more, and the thread at the first
 * site goes on in either order. Two executions with the same seed and the two values of
 * goes_first then differ in nothing but the order of the two accesses.
 *
 * Direction of the error: sites that cannot meet within the patience are not met; never a false
 * meeting.
 */
#include <string.h>

#include "rt/core/core.h"
#include "rt/detect/observe.h"
#include "rt/sched/op.h"

/* Threads compared with each other at a decision; more are held but not matched. */
#define MAX_HELD 64u
/* Decisions without progress, besides a share for each thread, after which whoever runs is taken
 * to wait for a held thread. */
#define QUIET_PICKS 64u
#define MAX_HALVINGS 8u

enum { R = 1, C = 2 }; /* roles of a triple: at `remote`, at `local_second` */

/* What is known of one thread. */
struct mark {
    uint32_t decided; /* n_ops + 1 of the arrival that `hold` is for */
    bool hold;
    uint64_t since; /* picks then */
    bool armed;     /* triples: did p, not yet c */
    bool done;      /* and r came in between */
    uintptr_t addr; /* of p */
    uint64_t n;
};

static struct mark marks[BURL_MAX_THREADS];
static uint16_t at_large[BURL_MAX_THREADS]; /* eligible and not held */

static struct {
    const struct burl_wire_goal *goal;
    bool second_first; /* races: the access at the second site comes first */
    bool calm;
    bool early; /* triples, wake-ups: hold at the lock before c, or before the wait */
    bool met;
    uint16_t ahead;      /* wake-ups: runs first, BURL_TID_NONE nobody */
    uint32_t stay_shift; /* as in strategy/random.c */
    uint64_t patience;
    uint64_t picks;
    uint64_t progress; /* value of the progress counter at ... */
    uint64_t moved;    /* ... this pick */
    uint32_t stalls[BURL_WIRE_MAX_SITES];
    uint16_t follow[2]; /* who runs next, whatever the walk says */
} d;

static void
directed_begin(const union burl_wire_args *args)
{
    const struct burl_wire_goal *g = &args->goal;

    memset(&d, 0, sizeof d);
    d.goal = g;
    d.early = burl_rng_below(2) != 0;
    d.ahead = BURL_TID_NONE;
    if (g->kind == BURL_GOAL_RACE) {
        d.second_first = g->race.goes_first == BURL_RACE_BY_SEED
                             ? (burl_rt.exec.seed & 1) != 0
                             : g->race.goes_first == BURL_RACE_SECOND_SITE;
        d.calm = g->race.calm != 0;
    } else if (g->kind == BURL_GOAL_WAKEUP) {
        if (g->wakeup.hold != BURL_HOLD_BY_SEED)
            d.early = g->wakeup.hold == BURL_HOLD_AT_LOCK;
        d.ahead = (uint16_t)g->wakeup.runs_first;
    }
    d.stay_shift = burl_rng_below(5);
    d.patience = 256ull << burl_rng_below(9);
    d.follow[0] = BURL_TID_NONE;
    d.follow[1] = BURL_TID_NONE;
}

static void
directed_thread_new(uint16_t tid, uint16_t parent)
{
    (void)parent;
    memset(&marks[tid], 0, sizeof marks[tid]);
}

/* ---- operations ----------------------------------------------------------------------------- */

static bool
is_access(uint8_t kind)
{
    return (kind >= BURL_OP_READ && kind <= BURL_OP_ATOMIC_CAS) || kind == BURL_OP_FREE;
}

static bool
is_atomic(uint8_t kind)
{
    return kind >= BURL_OP_ATOMIC_LOAD && kind <= BURL_OP_ATOMIC_CAS;
}

static bool
only_reads(uint8_t kind)
{
    return kind == BURL_OP_READ || kind == BURL_OP_ATOMIC_LOAD;
}

static bool
is_lock_request(uint8_t kind)
{
    return kind == BURL_OP_LOCK || kind == BURL_OP_RDLOCK || kind == BURL_OP_WRLOCK ||
           kind == BURL_OP_TIMEDLOCK;
}

static bool
overlap(uintptr_t a, uint64_t a_n, uintptr_t b, uint64_t b_n)
{
    return a < b + b_n && b < a + a_n;
}

static bool
conflict(const struct burl_op *a, const struct burl_op *b)
{
    return overlap(a->addr, burl__op_length(a), b->addr, burl__op_length(b)) &&
           !(only_reads(a->kind) && only_reads(b->kind)) &&
           !(is_atomic(a->kind) && is_atomic(b->kind));
}

/* Does t hold a lock that it took at this site? Without observers nobody knows: then the request
 * alone decides, which only makes holding less precise. */
static bool
holds_from(const struct burl_thread *t, uint32_t site)
{
    const struct burl_watch *w = t->watch;

    if (w == NULL)
        return true;
    for (uint32_t i = 0; i < w->n_held && i < BURL_MAX_HELD; i++) {
        if (w->held[i].site == site)
            return true;
    }
    return false;
}

/* ---- who is to be held ---------------------------------------------------------------------- */

/* Is some other thread between its p and its c on these bytes, and r has not come yet? */
static bool
somebody_armed(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct mark *m = &marks[i];

        if (i != t->tid && m->armed && !m->done &&
            overlap(m->addr, m->n, t->op.addr, burl__op_length(&t->op)))
            return true;
    }
    return false;
}

static int
role_in_triple(const struct burl_thread *t)
{
    const struct mark *m = &marks[t->tid];
    const struct burl_goal_triple *g = &d.goal->triple;

    if (m->armed && !m->done && d.early && is_lock_request(t->op.kind))
        return C;
    if (!is_access(t->op.kind))
        return -1;
    if (t->op.site == g->local_second && m->armed && !m->done &&
        overlap(m->addr, m->n, t->op.addr, burl__op_length(&t->op)))
        return C;
    if (t->op.site == g->remote && !somebody_armed(t))
        return R;
    return -1;
}

static int
role_in_cycle(const struct burl_thread *t)
{
    if (!is_lock_request(t->op.kind))
        return -1;
    for (uint32_t i = 0; i < d.goal->cycle.n; i++) {
        if (t->op.site == d.goal->cycle.threads[i].requested_at &&
            holds_from(t, d.goal->cycle.threads[i].held_from))
            return (int)i;
    }
    return -1;
}

static int
role_in_wakeup(const struct burl_thread *t)
{
    const struct burl_goal_wakeup *g = &d.goal->wakeup;

    if (d.early && g->lock != 0)
        return is_lock_request(t->op.kind) && t->op.site == g->lock ? 2 : -1;
    return t->op.kind == BURL_OP_COND_WAIT && t->op.site == g->wait ? 1 : -1;
}

static int
role_in_race(const struct burl_thread *t)
{
    if (!is_access(t->op.kind))
        return -1;
    return t->op.site == d.goal->race.first ? 0 : t->op.site == d.goal->race.second ? 1 : -1;
}

/* The site of the goal at which t waits for the others, as a number, or -1. */
static int
role_of(const struct burl_thread *t)
{
    switch (d.goal->kind) {
    case BURL_GOAL_RACE:
        return role_in_race(t);
    case BURL_GOAL_TRIPLE:
        return role_in_triple(t);
    case BURL_GOAL_CYCLE:
        return role_in_cycle(t);
    case BURL_GOAL_WAKEUP:
        return role_in_wakeup(t);
    default:
        return -1;
    }
}

static bool
wants_to_hold(int role)
{
    uint32_t n = d.stalls[role];
    uint32_t halvings = n < 2 ? 0 : n - 1 < MAX_HALVINGS ? n - 1 : MAX_HALVINGS;

    return burl_rng_below(1u << halvings) == 0;
}

/* Decided once for each arrival at a site. */
static bool
is_held(const struct burl_thread *t, int role)
{
    struct mark *m = &marks[t->tid];

    if (role < 0)
        return false;
    if (m->decided != t->n_ops + 1) {
        m->decided = t->n_ops + 1;
        m->hold = wants_to_hold(role);
        m->since = d.picks;
    }
    if (m->hold && d.picks - m->since > d.patience) {
        m->hold = false;
        d.stalls[role]++;
    }
    return m->hold;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Whoever was told to run next; BURL_TID_NONE: nobody, or it cannot. */
static uint16_t
take_follower(const struct burl_choice *c)
{
    while (d.follow[0] != BURL_TID_NONE) {
        uint16_t tid = d.follow[0];

        d.follow[0] = d.follow[1];
        d.follow[1] = BURL_TID_NONE;
        if (burl_choice_has(c, tid))
            return tid;
    }
    return BURL_TID_NONE;
}

/* Races: two held threads that complete each other. */
static bool
meet(const uint16_t *held, uint32_t n, uint16_t *first)
{
    const uint32_t s[] = { d.goal->race.first, d.goal->race.second };

    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n; j++) {
            const struct burl_thread *a = burl_rt.threads[held[i]];
            const struct burl_thread *b = burl_rt.threads[held[j]];
            const struct burl_thread *t = a;

            if (a->op.site == s[1] && b->op.site == s[0] && s[0] != s[1]) {
                a = b;
                b = t;
            }
            if (a->op.site != s[0] || b->op.site != s[1] || !conflict(&a->op, &b->op))
                continue;
            d.met = true;
            burl_rt.exec.goal_hit = true;
            *first = d.second_first ? b->tid : a->tid;
            d.follow[0] = d.second_first ? a->tid : b->tid;
            d.follow[1] = d.calm ? a->tid : BURL_TID_NONE;
            return true;
        }
    }
    return false;
}

/* Has anything happened lately that a held thread is not needed for? */
static bool
is_quiet(void)
{
    if (d.progress != burl_rt.exec.progress) {
        d.progress = burl_rt.exec.progress;
        d.moved = d.picks;
    }
    return d.picks - d.moved > QUIET_PICKS + 8ull * burl_rt.exec.n_alive;
}

static uint16_t
release_one(const uint16_t *held, const int *roles, uint32_t n)
{
    uint32_t i = burl_rng_below(n);

    marks[held[i]].hold = false;
    d.stalls[roles[i]]++;
    d.moved = d.picks;
    return held[i];
}

static uint16_t
directed_pick(const struct burl_choice *c)
{
    uint16_t held[MAX_HELD];
    int roles[MAX_HELD];
    uint32_t n_held = 0;
    uint32_t n = 0;
    uint16_t tid = take_follower(c);

    d.picks++;
    if (tid != BURL_TID_NONE || c->n_runnable == 1)
        return tid != BURL_TID_NONE ? tid : c->runnable[0];
    if (d.met)
        return d.calm ? burl_pick_default(c)
                      : burl_walk(c, c->runnable, c->n_runnable, d.stay_shift);
    for (uint32_t i = 0; i < c->n_runnable; i++) {
        const struct burl_thread *t = burl_rt.threads[c->runnable[i]];
        int role = role_of(t);

        if (is_held(t, role) && n_held < MAX_HELD) {
            roles[n_held] = role;
            held[n_held++] = t->tid;
        } else {
            at_large[n++] = t->tid;
        }
    }
    if (d.goal->kind == BURL_GOAL_RACE && meet(held, n_held, &tid))
        return tid;
    if (n_held != 0 && (n == 0 || is_quiet()))
        return release_one(held, roles, n_held);
    if (d.ahead != BURL_TID_NONE && n_held == 0 && burl_choice_has(c, d.ahead) && !is_quiet())
        return d.ahead;
    return burl_walk(c, at_large, n, d.stay_shift);
}

/* ---- what happened -------------------------------------------------------------------------- */

static void
follow(uint16_t tid)
{
    d.follow[0] = tid;
    d.follow[1] = BURL_TID_NONE;
}

/* p was done: a thread that waits at r may come now, or while c is held: the seed decides. */
static void
call_remote(const struct burl_thread *t)
{
    const struct mark *m = &marks[t->tid];

    if (burl_rng_below(2) == 0)
        return;
    for (uint32_t i = 0; i < burl_rt.exec.n_runnable; i++) {
        const struct burl_thread *u = burl_rt.threads[burl_rt.runnable[i]];

        if (u != t && u->op.site == d.goal->triple.remote && is_access(u->op.kind) &&
            overlap(m->addr, m->n, u->op.addr, burl__op_length(&u->op))) {
            follow(u->tid);
            return;
        }
    }
}

/* r was done by t: for all threads between p and c on these bytes. */
static void
note_remote(const struct burl_thread *t, const struct burl_op *op)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        struct mark *m = &marks[i];

        if (i == t->tid || !m->armed || !overlap(m->addr, m->n, op->addr, burl__op_length(op)))
            continue;
        m->done = true;
        if (burl_rt.threads[i]->op.site == d.goal->triple.local_second)
            follow((uint16_t)i);
    }
}

/* The signal: met when it came while somebody was held, who then goes on; or stays, where nobody
 * was let ahead, for the signals that follow. */
static void
note_signal(const struct burl_thread *t)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        if (i != t->tid && marks[i].hold) {
            d.met = d.ahead != BURL_TID_NONE;
            burl_rt.exec.goal_hit = true;
        }
    }
}

static void
commit_triple(const struct burl_thread *t, const struct burl_op *op)
{
    const struct burl_goal_triple *g = &d.goal->triple;
    struct mark *m = &marks[t->tid];

    if (d.met || !is_access(op->kind))
        return;
    if (op->site == g->local_second && m->armed &&
        overlap(m->addr, m->n, op->addr, burl__op_length(op))) {
        if (m->done) {
            d.met = true;
            burl_rt.exec.goal_hit = true;
        }
        m->armed = false;
        m->done = false;
    }
    if (op->site == g->remote)
        note_remote(t, op);
    if (op->site == g->local_first) {
        m->armed = true;
        m->done = false;
        m->addr = op->addr;
        m->n = burl__op_length(op);
        call_remote(t);
    }
}

static void
directed_commit(const struct burl_thread *t, const struct burl_op *op)
{
    if (d.goal->kind == BURL_GOAL_TRIPLE)
        commit_triple(t, op);
    else if (d.goal->kind == BURL_GOAL_WAKEUP && !d.met && op->site == d.goal->wakeup.signal &&
             (op->kind == BURL_OP_COND_SIGNAL || op->kind == BURL_OP_COND_BROADCAST))
        note_signal(t);
}

/* A cycle of locks was met when the execution ended in it. */
static void
directed_finish(void)
{
    const struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    /* A fork server accounts for a child that was lost without having begun anything itself. */
    if (d.goal == NULL || d.goal->kind != BURL_GOAL_CYCLE || v->kind != BURL_VERDICT_DEADLOCK_CYCLE)
        return;
    for (uint32_t i = 0; i < v->n_waits; i++) {
        bool found = false;

        for (uint32_t k = 0; k < d.goal->cycle.n; k++)
            found |= d.goal->cycle.threads[k].requested_at == v->waits[i].site;
        if (!found)
            return;
    }
    burl_rt.exec.goal_hit = true;
}

const struct burl_strategy_ops burl_strategy_directed = {
    .name = "directed",
    .begin = directed_begin,
    .thread_new = directed_thread_new,
    .pick = directed_pick,
    .commit = directed_commit,
    .finish = directed_finish,
};
