/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/start.c - how free mode begins and ends.
 *
 * It begins in the constructor of the runtime, so that constructors of the program are observed
 * too and may create threads. What is needed is address space: where that cannot be had (ulimit -v,
 * strict overcommit) the program runs all the same, unobserved, and the result says why.
 */
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/module.h"
#include "rt/core/real.h"

bool burl_free_contended;

/* ---- begin ---------------------------------------------------------------------------------- */

static void
refuse(const char *why)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    strncpy(r->text, why, sizeof r->text - 1);
    r->irreversible = 1;
    burl_free.on = false;
}

void
burl_free_start(void)
{
    uint32_t mask = burl_rt.ctl->order.observers;
    uint32_t fast = BURL_OB(RACE); /* what has a way of its own */

    burl_rt.ctl->rt_version = BURL_WIRE_VERSION;
    burl_rt.ctl->rt_pid = (uint32_t)BURL_SYS0(SYS_getpid);
    burl_rt.ctl->result.last.kind = BURL_VERDICT_PASS;
    if (!burl__regions_fit()) {
        refuse("the program lies at addresses that free mode cannot watch (after `ulimit -s "
               "unlimited`? Set a limit, for example 8192); it ran unobserved");
        return;
    }
    /* With the calls of both accesses, pairs go the long way of the other observers. */
    if (burl_rt.ctl->order.context == 0)
        fast |= BURL_OB(LOCPAIRS);
    burl_noise_start();
    /* Before all other maps: it needs its place. */
    burl_free.locpairs = (mask & fast & BURL_OB(LOCPAIRS)) != 0;
    burl_free.pairs = (burl_free.locpairs || burl_noise_on) && burl__shadow_map_pairs();
    if (!burl__arena_init() || !burl__shadow_map() || !burl__clock_init() || !burl__memory_init()) {
        refuse("there is no address space for the shadow memory (ulimit -v, overcommit); the "
               "program ran unobserved");
        return;
    }
    burl_free.race = (mask & BURL_OB(RACE)) != 0;
    /* With mail the calls of each thread are logged, whatever else is asked for; noise needs the
     * last accesses. */
    burl_free.on =
        mask != 0 || (burl_rt.ctl->order.flags & BURL_ORDER_F_MAIL) != 0 || burl_noise_on;
    burl_free.unwatched = !burl_free.on;
    burl__observers_begin(mask & ~fast);
    burl__thread_init_main();
    burl__free_signals_init();
}

static void
look_at_modules(void)
{
    burl__module_publish();
    if ((burl_rt.ctl->order.flags & BURL_ORDER_F_VOLATILE) != 0)
        burl__module_volatile_atomic();
    burl__codes_changed();
    burl_rt.ctl->numbered = !burl_free_direct;
    burl_free.has_fences = burl__module_has_kind(BURL_SITE_FENCE);
    burl__metrics_modules();
    if (burl_rt.ctl->n_sites > BURL_ENTRY_SITES)
        burl__free_stop(BURL_COUNTER_SHADOW_FULL,
                        "the program has more sites than an entry of the shadow can name");
}

#define MAIN_STACK_B (64u << 20) /* less than what the kernel keeps free below it */

static bool in_main; /* modules that come later come by dlopen */

/* The frames of main and of what it calls, which lie below the caller's. */
static void
find_main_stack(struct burl_free_thread *f, uintptr_t top)
{
    f->stack_lo = top - MAIN_STACK_B;
    f->stack_hi = top;
}

void
burl_free_main(void)
{
    if (burl_free_me != NULL)
        find_main_stack(burl_free_me, (uintptr_t)__builtin_frame_address(0));
    in_main = true;
    look_at_modules();
    if (burl_free.metrics && burl_free_me != NULL)
        burl_free_special_changed(burl_free_me);
    if ((burl_free.pairs || burl_free.metrics) && burl_free_me != NULL)
        burl__thread_set_observed(burl_free_me, true);
}

void
burl_free_modules_changed(void)
{
    if (in_main && burl_free_me != NULL)
        look_at_modules();
}

/* ---- end ------------------------------------------------------------------------------------ */

void
burl_free_child(void)
{
    burl_free.on = false;
    burl_critical.is_orphan = true;
    burl__thread_become(NULL, NULL);
    burl__free_signals_child();
    burl_history_child();
}

pid_t
burl_free_forked(pid_t pid)
{
    if (pid == 0)
        burl_free_child();
    else if (pid > 0 && burl_free_me != NULL)
        __atomic_fetch_add(&burl_rt.ctl->result.counters[BURL_COUNTER_FORKS], 1, __ATOMIC_RELAXED);
    return pid;
}

/* What goes on is a child. */
int
burl_free_daemon(int nochdir, int noclose)
{
    int r = BURL_REAL(daemon)(nochdir, noclose);

    if (r == 0)
        burl_free_child();
    return r;
}

/* The process is about to end with this verdict; PASS: none. */
static void
process_ends(enum burl_wire_verdict_kind kind, int code, const char *text)
{
    if (burl_free_me == NULL)
        return;
    burl_free_me->noise_ended = true;
    burl__observers_finish();
    if (kind != BURL_VERDICT_PASS)
        burl__report_crash(kind, code, 0, 0, text);
}

void
burl_free_exit(int code)
{
    code &= 0xff;
    process_ends(code != 0 ? BURL_VERDICT_EXIT_NONZERO : BURL_VERDICT_PASS, code, NULL);
}

void
burl_free_main_returned(int code)
{
    struct burl_free_thread *f = burl_free_me;

    /* The frame of main, which has just been left; none when main is not instrumented. */
    if (f != NULL && f->depth == 0)
        f->call_site = f->stack[0];
    burl_free_exit(code);
}

void
burl_free_abort(const char *text)
{
    process_ends(BURL_VERDICT_CRASH_ABORT, SIGABRT, text);
}

void
burl_free_non_linearizable(const char *text)
{
    process_ends(BURL_VERDICT_NON_LINEARIZABLE, SIGABRT, text);
}
