/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness/exec.c - the harness: takes orders from the host and runs executions.
 *
 * Runs in the target, before the program's main, on a stack of its own (fibers) or on the main
 * stack (threads). With a snapshot it runs execution after execution in this process; in fork mode
 * it is a fork server, and each execution has a child that writes into the same control block.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "rt/core/alias.h"
#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/heap.h"
#include "rt/core/module.h"
#include "rt/core/real.h"
#include "rt/core/seal.h"
#include "rt/core/strategy.h"
#include "rt/core/sys.h"
#include "rt/core/trace.h"
#include "rt/core/upcalls.h"
#include "rt/core/verdict.h"
#include "rt/cover/cover.h"
#include "rt/detect/observe.h"
#include "rt/hooks/mail.h"
#include "rt/interpose/interpose.h"
#include "rt/learn/learn.h"
#include "rt/learn/thin.h"
#include "rt/reset/reset.h"
#include "rt/sched/sched.h"

#define FIRST_DONORS 8u      /* at least FRESH_DONORS of engine/fibers.c */
#define LOG_STEPS (1u << 20) /* CHECK_TWICE: steps that are compared one by one */

struct burl_rt burl_rt;

/* What a forked child passes to its server besides the result. */
struct shared {
    uint32_t grow_to;
    uint32_t log_n;          /* steps logged by the first run */
    uint32_t log_mode;       /* 0 off, 1 writing, 2 comparing */
    uint32_t log_differs_at; /* step + 1 of the first difference, 0 none */
    uint32_t log_differs_site;
    uint8_t reals[BURL_REAL_ID__N]; /* see burl__real_share() */
    uint32_t log[LOG_STEPS];
};

static struct shared *shared;
static bool snapshot_ok;
/* The last execution left nothing to undo outside the pages that always change. */
static bool clean;

/* ---- one execution ------------------------------------------------------- */

/* Patient executions draw from a random stream of their own. Schedule files written before the
 * order had a flag for patience have this bit in their seed, and draw the same. */
#define PATIENT_STREAM (1ull << 52)

static void
clear_execution(uint64_t seed)
{
    memset(&burl_rt.exec, 0, sizeof burl_rt.exec);
    burl_rt.exec.seed = seed;
    burl_rt.exec.ordinal = burl_rt.ctl->result.n_done + 1;
    burl_rt.exec.diverged_at = UINT32_MAX;
}

static void
begin_execution(uint64_t seed)
{
    const struct burl_wire_order *o = &burl_rt.ctl->order;

    clear_execution(seed);
    burl_rt.exec.now_ns = BURL_EXEC_START_NS;
    burl_rt.exec.patient = (o->flags & BURL_ORDER_F_PATIENT) != 0;
    burl_rt.exec.draw_seed = burl_rt.exec.patient ? seed | PATIENT_STREAM : seed;
    burl_rt.exec.patience = burl__spin_patience();
    burl__choose_begin(o->flags);
    burl__exits_begin();
    burl_rt.current = NULL;
    burl__objects_reset();
    burl__mem_reset();
    burl__alias_rewind();
    if (burl_rt.learn)
        burl__learn_reset();
    if (burl_rt.profiling)
        burl__profile_reset();
    burl__thin_begin(o);
    burl_ob_begin(o->observers);
    burl_rt.has_commit_listeners = false BURL_ON_COMMIT(BURL_OR);
    burl_rt.has_thin_listeners = false BURL_ON_COMMIT_ALL(BURL_OR);
    burl_rt.has_access_listeners = false BURL_ON_ACCESS_RARE(BURL_OR);
    burl__mail_begin(seed);
    burl_rng_seed(burl_rt.exec.draw_seed);
    if (burl_rt.strategy->begin != NULL)
        burl_rt.strategy->begin(&o->args);
    burl_interpose_reset();
    burl__verdict_arm_timer(o->max_wall_ms);
}

static void
run_execution(uint64_t seed)
{
    const bool guarded = burl_rt.ctl->reset == BURL_RESET_SNAPSHOT && !burl_rt.no_fork;

    /* The output is a file, so stdio would keep the lines before a crash to itself; a report
     * wants them. Sets a flag of the stream and nothing else. */
    if (burl_rt.trace)
        setvbuf(stdout, NULL, _IOLBF, 0);
    __atomic_store_n(&burl_rt.ctl->live.seed, seed, __ATOMIC_RELAXED); /* progress only */
    begin_execution(seed);
    burl__seal_take();
    burl_rt.in_execution = true;
    burl_rt.current = burl_sched_thread_new(NULL);
    burl__process_thread_init(burl_rt.current, NULL);
    if (guarded)
        burl__guard_begin();
    burl_rt.engine->run(burl_rt.current);
    clean = guarded && burl__guard_end();
    burl_ob_end();
    burl_rt.in_execution = false;
}

void
burl__exec_log_step(uint32_t site)
{
    uint32_t at = (uint32_t)burl_rt.exec.steps;
    uint32_t step = (uint32_t)burl_rt.exec.hash;

    if (at >= LOG_STEPS)
        return;
    if (shared->log_mode == 1) {
        shared->log[at] = step;
        shared->log_n = at + 1;
    } else if (shared->log_mode == 2 && shared->log_differs_at == 0 &&
               (at >= shared->log_n || shared->log[at] != step)) {
        shared->log_differs_at = at + 1;
        shared->log_differs_site = site;
    }
}

static bool
was_cut(uint32_t kind)
{
    return kind == BURL_VERDICT_CUT_STEPS || kind == BURL_VERDICT_CUT_TIME;
}

/* Nothing else of an execution that has overwritten the block is to be trusted. */
static void
judge_overwriting(const char *what)
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    memset(v, 0, sizeof *v);
    v->kind = BURL_VERDICT_WILD_WRITE;
    v->tid = BURL_TID_NONE;
    strncpy(v->text, what, BURL_WIRE_TEXT_B - 1);
}

static void
check_block(void)
{
    const struct burl_strategy_ops *s = burl_rt.strategy;

    if (BURL_UNLIKELY(!burl__seal_check()))
        judge_overwriting("the counts of executions");
    if (BURL_UNLIKELY(s->is_intact != NULL && !s->is_intact()))
        judge_overwriting("the position of the search");
}

/* Adds the finished execution to the result. */
static void
account_execution(void)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    struct burl_exec *e = &burl_rt.exec;
    bool passed;
    uint64_t key;

    check_block();
    if (e->misused && e->verdict.kind == BURL_VERDICT_PASS)
        e->verdict = burl_rt.misuse;
    passed = e->verdict.kind == BURL_VERDICT_PASS;
    key = passed ? 0 : burl__verdict_key(&e->verdict);
    burl__mail_finish(e, key);
    r->n_done++;
    r->n_steps += e->steps;
    r->n_points += e->points;
    r->n_switches += e->switches;
    r->n_preemptions += e->preemptions;
    r->n_by_verdict[e->verdict.kind]++;
    r->last_trace_hash = e->hash;
    r->last_steps = e->steps;
    if (r->n_done == 1 || e->points < r->min_points)
        r->min_points = e->points;
    if (!was_cut(e->verdict.kind)) {
        r->sum_completed_points += e->points;
        r->n_completed++;
        if (e->points > r->max_points)
            r->max_points = e->points;
    }
    if (e->max_alive > r->max_threads)
        r->max_threads = e->max_alive;
    r->n_sched_out = e->n_sched_out;
    r->diverged_at = e->diverged_at;
    r->last = e->verdict;
    if (burl_rt.profiling)
        burl__profile_finish();
    if (burl_rt.strategy->finish != NULL)
        burl_rt.strategy->finish();
    r->last_goal_hit = e->goal_hit;
    if (e->goal_hit && r->goal_hits++ == 0)
        r->goal_seed = e->seed;
    burl__trace_finish();
    if (!passed)
        burl__verdict_add_failure(&e->verdict, key);
    __atomic_store_n(&burl_rt.ctl->live.execs, r->n_done, __ATOMIC_RELAXED); /* progress only */
}

/* ---- with a snapshot ----------------------------------------------------- */

static void
set_result_text(const char *text)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    if (r->irreversible == 0) {
        strncpy(r->text, text, BURL_WIRE_TEXT_B - 1);
        r->irreversible = 1;
    }
}

static bool
take_snapshot(uint32_t n_donors)
{
    burl__guard_down();
    burl_rt.engine->prepare(n_donors);
    burl__kernel_mark();
    snapshot_ok = burl__snapshot_take();
    return snapshot_ok;
}

static void
undo_execution(void)
{
    burl__snapshot_restore(clean);
    burl__heap_reset();
    if (!clean && !burl__kernel_restore())
        set_result_text("the program closed or replaced a descriptor it did not open");
}

static void
run_in_process(uint64_t seed)
{
    for (;;) {
        if (!clean)
            burl__kernel_reset_files();
        run_execution(seed);
        undo_execution();
        if (burl_rt.exec.grow_to == 0)
            break;
        if (!take_snapshot(burl_rt.exec.grow_to))
            break;
    }
    account_execution();
}

/* ---- with fork ----------------------------------------------------------- */

/* Fibers use the raw system call: glibc's fork would reclaim the stacks of the parked donors. Real
 * threads need glibc's, which puts its own idea of the main thread right. */
static long
fork_execution(void)
{
    return burl_rt.ctl->engine == BURL_ENGINE_FIBERS ? BURL_SYS0(SYS_fork) : BURL_REAL(fork)();
}

static void
give_turn_back(void)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    __atomic_store_n(&ctl->turn, BURL_TURN_HOST, __ATOMIC_RELEASE); /* publishes the result */
    BURL_SYS6(SYS_futex, &ctl->turn, 1 /* FUTEX_WAKE */, 1, 0, 0, 0);
}

void
burl__exec_finish_process(void)
{
    burl_ob_end();
    burl_rt.in_execution = false;
    if (burl_rt.exec.grow_to != 0)
        shared->grow_to = burl_rt.exec.grow_to;
    else
        account_execution();
    if (burl_rt.no_fork)
        give_turn_back();
    for (;;)
        BURL_SYS1(SYS_exit_group, 0);
}

static void
account_lost_child(uint64_t seed, int status)
{
    struct burl_wire_verdict *v = &burl_rt.exec.verdict;

    clear_execution(seed);
    v->tid = BURL_TID_NONE;
    if ((status & 0x7f) != 0) {
        v->kind = BURL_VERDICT_CRASH_SIGNAL;
        v->code = status & 0x7f;
    } else {
        v->kind = BURL_VERDICT_INTERNAL;
        strncpy(v->text, "the execution's process ended without a result", BURL_WIRE_TEXT_B - 1);
    }
    account_execution();
}

/* The program may signal its parent, which is the server: nothing that can be blocked reaches it.
 * The child gets the mask back. */
static uint64_t
block_signals(void)
{
    static uint64_t was;
    static bool blocked;
    const uint64_t all = UINT64_MAX;

    if (!blocked)
        BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &was, sizeof was);
    blocked = true;
    return was;
}

static void
run_in_child(uint64_t seed)
{
    const uint64_t mask = block_signals();

    for (;;) {
        uint64_t done = burl_rt.ctl->result.n_done;
        int status = 0;
        long pid;

        burl__kernel_reset_files();
        shared->grow_to = 0;
        burl__seal_take();
        pid = fork_execution();
        if (pid == 0) {
            BURL_SYS2(SYS_setpgid, 0, 0); /* what the program leaves running is ended with it */
            BURL_SYS2(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
            BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, 0, sizeof mask);
            run_execution(seed);
            burl__exec_finish_process();
        }
        if (pid < 0) {
            set_result_text("fork failed: too many processes, or out of memory");
            return;
        }
        BURL_SYS4(SYS_wait4, pid, &status, 0, 0);
        BURL_SYS2(SYS_kill, -pid, 9);
        burl__real_catch_up();
        if (shared->grow_to != 0) {
            burl_rt.engine->prepare(shared->grow_to);
            continue;
        }
        if (burl_rt.ctl->result.n_done == done)
            account_lost_child(seed, status);
        return;
    }
}

/* ---- orders -------------------------------------------------------------- */

static void
run_one(uint64_t seed)
{
    if (burl_rt.no_fork) {
        run_execution(seed);
        burl__exec_finish_process();
    }
    if (burl_rt.ctl->reset == BURL_RESET_SNAPSHOT)
        run_in_process(seed);
    else
        run_in_child(seed);
}

static void
run_twice(uint64_t seed)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;
    uint64_t first;
    uint8_t kind;

    shared->log_mode = 1;
    shared->log_n = 0;
    shared->log_differs_at = 0;
    run_one(seed);
    first = r->last_trace_hash;
    kind = r->last.kind;
    shared->log_mode = 2;
    run_one(seed);
    shared->log_mode = 0;
    if (r->unstable_seed == UINT64_MAX && (r->last_trace_hash != first || r->last.kind != kind)) {
        r->unstable_seed = seed;
        r->unstable_step =
            shared->log_differs_at != 0 ? shared->log_differs_at - 1 : (uint32_t)r->last_steps;
        r->unstable_site = shared->log_differs_site;
    }
}

/* The location pair that is the goal, or that a replay is watched for. */
static void
read_pair(const struct burl_wire_order *o)
{
    const struct burl_wire_goal *g = &o->args.goal;

    burl_rt.watches_pair = false;
    if (burl_wire_has_goal(o->strategy)) {
        burl_rt.watches_pair = g->kind == BURL_GOAL_PAIR;
        burl_rt.pair[0] = g->pair.first;
        burl_rt.pair[1] = g->pair.second;
    } else if (o->watch.kind == BURL_SUSPECT_PAIR && o->watch.n_sites >= 2) {
        burl_rt.watches_pair = true;
        burl_rt.pair[0] = o->watch.sites[0];
        burl_rt.pair[1] = o->watch.sites[1];
    }
}

static void
read_order(const struct burl_wire_order *o)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;

    burl_rt.strategy = burl_strategy_by_number(o->strategy);
    /* A replay chooses at every operation: its switches may be anywhere. */
    burl_rt.all_points =
        (o->flags & BURL_ORDER_F_ALL_POINTS) != 0 || o->strategy == BURL_STRATEGY_REPLAY;
    burl_rt.learn = (o->flags & BURL_ORDER_F_LEARN) != 0;
    burl_rt.trace = (o->flags & BURL_ORDER_F_TRACE) != 0;
    burl_rt.record = (o->flags & BURL_ORDER_F_RECORD) != 0;
    burl_rt.check_twice = (o->flags & BURL_ORDER_F_CHECK_TWICE) != 0;
    burl_rt.strict_time = (o->flags & BURL_ORDER_F_STRICT_TIME) != 0;
    burl_rt.no_fork = (o->flags & BURL_ORDER_F_NO_FORK) != 0;
    if (burl_rt.no_fork && o->args.replay.stop_at > 0)
        burl_step_wanted = o->args.replay.stop_at - 1;
    read_pair(o);
    if (o->strategy == BURL_STRATEGY_DIRECTED && burl_rt.watches_pair)
        burl_rt.strategy = &burl_strategy_pair;
    if (o->strategy == BURL_STRATEGY_POS && o->args.pos.windows != 0)
        burl_rt.strategy = &burl_strategy_window;
    burl_rt.listener = burl_rt.strategy->listener;
    burl_rt.max_steps = o->max_steps != 0 ? o->max_steps : UINT64_MAX;
    burl_rt.epoch_ns = o->epoch_ns;
    burl_rt.points = (uint8_t *)ctl + ctl->points_off;
    burl_rt.points_new = (uint8_t *)ctl + ctl->points_new_off;
    burl_rt.gates_new = (uint32_t *)(void *)((char *)ctl + ctl->gates_new_off);
    burl_rt.profile = (const void *)((char *)ctl + ctl->profile_off);
    burl_rt.profile_new = (void *)((char *)ctl + ctl->profile_new_off);
    burl_rt.profiling = burl_rt.learn && (o->flags & BURL_ORDER_F_PROFILE) != 0;
    burl_rt.points_n = ctl->points_n;
}

/* Has an execution of this order shown something that is a finding, although it went on? */
static bool
saw_finding(void)
{
    const struct burl_wire_ctl *ctl = burl_rt.ctl;

    for (uint32_t i = 0; i < ctl->result.n_suspects; i++) {
        if (ctl->suspects[i].kind == BURL_SUSPECT_RACE ||
            ctl->suspects[i].kind == BURL_SUSPECT_REGION)
            return true;
    }
    return false;
}

static bool
ends_batch(const struct burl_wire_order *o)
{
    const struct burl_wire_result *r = &burl_rt.ctl->result;

    if (r->irreversible != 0 && burl_rt.ctl->reset == BURL_RESET_SNAPSHOT)
        return true;
    if ((o->flags & BURL_ORDER_F_STOP_AT_FINDING) != 0 && r->n_failures != 0)
        return true;
    if ((o->flags & BURL_ORDER_F_STOP_AT_GOAL) != 0 && r->goal_hits != 0)
        return true;
    if (r->search == BURL_SEARCH_COMPLETE)
        return true;
    if ((o->flags & BURL_ORDER_F_STOP_AT_SUSPECT) != 0 && saw_finding())
        return true;
    return r->last.kind == BURL_VERDICT_UNSUPPORTED || r->last.kind == BURL_VERDICT_INTERNAL;
}

static void
perform_batch(void)
{
    const struct burl_wire_order *o = &burl_rt.ctl->order;
    struct burl_wire_result *r = &burl_rt.ctl->result;

    memset(r, 0, sizeof *r);
    r->unstable_seed = UINT64_MAX;
    r->diverged_at = UINT32_MAX;
    read_order(o);
    burl__cover_order();
    if (burl_rt.ctl->reset == BURL_RESET_SNAPSHOT && !snapshot_ok) {
        set_result_text("no snapshot: the program's writable memory is too large");
        return;
    }
    /* relaxed: a wish of the host, nothing is read through it */
    for (uint64_t i = 0; i < __atomic_load_n(&o->n_execs, __ATOMIC_RELAXED); i++) {
        if (burl_rt.check_twice)
            run_twice(o->first_seed + i);
        else
            run_one(o->first_seed + i);
        if (ends_batch(o))
            break;
    }
}

static void
check_host_alive(void)
{
    if ((uint32_t)BURL_SYS0(SYS_getppid) != burl_rt.ctl->host_pid)
        BURL_SYS1(SYS_exit_group, 3);
}

static void
await_order(void)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    const int64_t second[2] = { 1, 0 };

    /* pairs with the host's release store: the order is complete when we see our turn */
    while (__atomic_load_n(&ctl->turn, __ATOMIC_ACQUIRE) != BURL_TURN_TARGET) {
        BURL_SYS6(SYS_futex, &ctl->turn, 0 /* FUTEX_WAIT */, BURL_TURN_HOST, second, 0, 0);
        check_host_alive();
    }
}

/* What every child would have to do for itself, with a page fault for each page. */
static void
prepare_children(void)
{
    burl__sched_prepare(FIRST_DONORS + 1);
    burl__learn_prepare();
    burl__mem_prepare();
    burl__real_share(shared->reals);
}

static void
prepare_process(void)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    long p = BURL_SYS6(SYS_mmap, 0, sizeof *shared, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    shared = (struct shared *)p;
    burl_rt.engine = ctl->engine == BURL_ENGINE_FIBERS ? &burl_engine_fibers : &burl_engine_threads;
    burl__heap_init();
    burl__verdict_install_signals();
    burl_interpose_mark_start();
    burl__alias_mark();
    if (ctl->reset == BURL_RESET_SNAPSHOT) {
        take_snapshot(FIRST_DONORS);
    } else {
        burl_rt.engine->prepare(FIRST_DONORS);
        prepare_children();
        burl__kernel_mark();
    }
    ctl->rt_version = burl__module_version();
    ctl->rt_pid = (uint32_t)BURL_SYS0(SYS_getpid);
}

void
burl_harness(void)
{
    prepare_process();
    burl__module_publish();
    if (burl_rt.ctl->turn != BURL_TURN_TARGET || burl_rt.ctl->order.kind == BURL_ORDER_KIND_HELLO)
        give_turn_back();
    for (;;) {
        await_order();
        if (burl_rt.ctl->order.kind == BURL_ORDER_KIND_QUIT)
            BURL_SYS1(SYS_exit_group, 0);
        if (burl_rt.ctl->order.kind == BURL_ORDER_KIND_BATCH)
            perform_batch();
        give_turn_back();
    }
}
