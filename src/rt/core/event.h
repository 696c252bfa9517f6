/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/event.h - one table: the events of the program and what listens to each.
 *
 * Every row is L(condition, call): while the condition holds, the call is made. Rows of one event
 * are called in the order of the table. A new listener is one new row.
 *
 * The table is text. The file that raises an event expands its rows there, inline, with the
 * variables that the comment of the event names: sched/sched.c raises COMMIT, hooks/hooks.c the
 * others. Rare listeners share one test (burl_rt.has_commit_listeners, has_access_listeners), which
 * the harness derives from the same rows when an execution begins, so an access that nothing
 * listens to pays for one branch.
 *
 * What synchronization and memory events mean for clocks and locks is worked out once, for both
 * modes, by the stream of detect/observe.c, which then calls each active observer (struct
 * burl_observer). The rows by which interposed functions reach it are BURL_STREAM_EVENTS in
 * detect/observe.h.
 */
#ifndef BURL_RT_EVENT_H
#define BURL_RT_EVENT_H

#include "listener.h"
#include "rt.h"

/* Events that are costly to report and are reported only if an observer wants them. */
enum burl_want {
    BURL_WANT_CALLS = 1u << 0,
    BURL_WANT_BLOCKS = 1u << 1,
    BURL_WANT_SYNC = 1u << 2,  /* outcomes, and w->at */
    BURL_WANT_ALONE = 1u << 3, /* also accesses while there is no other thread */
    BURL_WANT_LINES = 1u << 4, /* every site that is executed (cover/lines.c) */
    BURL_WANT_ACTIONS = 1u << 5,
    BURL_WANT_HISTORY = 1u << 6 /* no observer: the process records its history (rt/history) */
};

/* Active observers, BURL_OB() bits; 0: none. */
extern uint32_t burl_ob_mask;
/* BURL_WANT_* of the active observers. */
extern uint32_t burl_ob_wants;
/* Those of them that are not the observers', and stay when these end. */
extern uint32_t burl_ob_keeps;

#define BURL_WANTS(what) BURL_UNLIKELY((burl_ob_wants & (uint32_t)(what)) != 0)

/* ---- both modes -------------------------------------------------------------------------- */

/* EXECUTED(site_id): control reaches a site. */
#define BURL_ON_EXECUTED(L) L(BURL_WANTS(BURL_WANT_LINES), burl__cover_line(site_id))

/* ---- controlled mode --------------------------------------------------------------------- */

/* COMMIT(t, op): an operation of t has its turn and is counted. Conditions do not depend on it. */
#define BURL_ON_COMMIT(L)                                                                         \
    L(burl_ob_mask != 0, burl__observe_channel(t, op))                                            \
    L(burl_rt.profiling, burl__profile_commit(t, op))                                             \
    BURL_ON_COMMIT_ALL(L)

/* The rows that thinned accesses need too (learn/thin.c). */
#define BURL_ON_COMMIT_ALL(L)                                                                     \
    L(burl_rt.strategy->commit != NULL, burl_rt.strategy->commit(t, op))                          \
    L(burl_rt.trace, burl__trace_commit(t, op))                                                   \
    L(burl_rt.check_twice, burl__exec_log_step(op->site))

/* ACCESS(t, op, sp, several, how): a memory access has had its COMMIT and is about to happen;
 * several: t was not alone; how: enum access_how. Checked now and not before the turn: another
 * thread may have freed the memory meanwhile. Learning comes first, since a check may end the
 * execution. A search also learns from threads that have exited. */
#define BURL_ON_ACCESS(L)                                                                         \
    L(burl_rt.learn && (several || burl_has_listener()),                                          \
      burl__learn_access(t, op.site, op.addr, (uint32_t)(op.aux < 4096 ? op.aux : 4096),          \
                         learn_how(op.kind)))                                                     \
    BURL_ON_ACCESS_CHECK(L)                                                                       \
    L(BURL_UNLIKELY(burl_rt.has_access_listeners), raise_access(t, &op))

/* The rows that thinned accesses need too. */
#define BURL_ON_ACCESS_CHECK(L)                                                                   \
    L(burl__heap_owns(op.addr),                                                                   \
      ((how & ACCESS_LOAD) != 0 ? burl__heap_check_load : burl__heap_check_slow)(op.addr, op.aux)) \
    L(burl__stack_is_suspect(t, op.addr, sp), burl__stack_check_slow(t, op.addr, sp))

/* ACCESS, rare(t, op): conditions do not depend on it. */
#define BURL_ON_ACCESS_RARE(L)                                                                    \
    L(burl_rt.watches_pair, burl__pair_access(t, op))                                             \
    L(burl_ob_mask != 0, burl__observe_access(t, op))

/* ATOMIC(t, addr, site, stored): an atomic operation has happened. */
#define BURL_ON_ATOMIC(L)                                                                         \
    L(BURL_UNLIKELY(burl_ob_mask != 0) && t->watch != NULL,                                       \
      observe_atomic(t, (uintptr_t)addr, site, stored != 0))

/* ENTER(t, depth, site, sp): a function begins; `depth` others of t are live. */
#define BURL_ON_ENTER(L)                                                                          \
    L(burl_has_listener(), burl__stack_call(t, (uint32_t)depth, sp))                              \
    L(burl_has_listener(), burl_rt.listener->function_entered(site->flags))                       \
    L(BURL_WANTS(BURL_WANT_CALLS), observe_enter(t, (uint32_t)depth, site->id, sp))               \
    L(BURL_UNLIKELY(burl_mail_logs), burl__mail_within(site->id, false))                          \
    L(BURL_UNLIKELY(burl_rt.trace) && !t->inside,                                                 \
      burl_trace_event(t, BURL_OP_ENTER, burl__shadow_caller(t, (uint32_t)depth), site->id))

/* LEAVE(t): functions have ended; t->depth are live. */
#define BURL_ON_LEAVE(L)                                                                          \
    L(burl_has_listener(), burl__stack_cut(t, t->depth))                                          \
    L(BURL_WANTS(BURL_WANT_CALLS), observe_leave(t))                                              \
    L(BURL_UNLIKELY(burl_rt.trace) && !t->inside,                                                 \
      burl_trace_event(t, BURL_OP_LEAVE, 0, t->depth))

/* ---- free mode --------------------------------------------------------------------------- */

/* The race detector and the location pairs follow accesses inline (free/free.h), synchronization
 * in free/sync.c. These are for everything else that may listen.
 *
 * ALONE(f, addr, n, site, write): an access of the only thread, which is not followed otherwise. */
#define BURL_FREE_ON_ALONE(L)                                                                     \
    L(burl_free_wants(BURL_WANT_ALONE),                                                           \
      burl__free_notify_access(f, addr, n, site->id,                                              \
                               write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN, false))

/* ENTER(f, depth, site, sp), LEAVE(f): as above. */
#define BURL_FREE_ON_ENTER(L)                                                                     \
    L(burl_free_wants(BURL_WANT_CALLS), burl__free_notify_enter(f, depth, site, sp))              \
    L(BURL_UNLIKELY(burl_mail_logs), burl__mail_within(site->id, false))

#define BURL_FREE_ON_LEAVE(L)                                                                     \
    L(burl_free_wants(BURL_WANT_CALLS) && burl_ob_mask != 0, burl__free_notify_leave(f))

/* How the file that raises an event expands its rows. */
#define BURL_RAISE(listening, call)                                                               \
    if (listening)                                                                                \
        call;
#define BURL_OR(listening, call) || (listening)

#endif
