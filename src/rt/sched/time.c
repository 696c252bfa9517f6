/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/time.c - virtual time.
 *
 * The clock stands still while threads compute. It moves when a thread reads it (a microsecond at
 * first, ever more while no thread is created or exits, so that loops with a deadline end), when
 * all threads wait (to the next deadline), and when a thread's deadline is taken as passed although
 * others could still run.
 *
 * The last is a random bit per timed operation: on a real machine a thread that sleeps 1 ms may
 * return before another has done its next step. Strict time (sleepers wait for all other threads)
 * would hide every bug of the kind "sleep long enough and it will be done". Executions with
 * strict_time, and half of the others' timed operations, keep to the strict rule. Deadlines of real
 * waits (a condition variable, a lock) are taken early less often than plain sleeps, and long ones
 * never: a watchdog that sleeps for half a minute, or a wait of ten seconds that "cannot" time out,
 * is not wrong, and its time-out would be an artifact.
 *
 * A loop that sleeps and checks a number of times needs the same outcome every time to reach
 * its end. In patient executions (spin.c) half of the threads have all their deadlines pass early,
 * as long as the execution is younger than the longest deadline that may.
 */
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/core/upcalls.h"
#include "sched.h"

#define CLOCK_READ_COSTS_NS 1000u
/* Each read costs twice as much after so many, up to the limit: a loop that works until a second
 * has passed goes round a few hundred times. More would let time pass in leaps that programs
 * take for a hang of their other threads. */
#define CLOCK_READS_PER_DOUBLING 8u
#define CLOCK_READ_MAX_NS 10000000u
#define NS_PER_S 1000000000ull
#define MAX_EAGER_SLEEP_NS (10 * NS_PER_S)
#define MAX_EAGER_WAIT_NS NS_PER_S

uint64_t
burl_time_peek_ns(void)
{
    return burl_rt.exec.now_ns;
}

static uint64_t
clock_read_cost(void)
{
    struct burl_exec *e = &burl_rt.exec;
    uint32_t doublings;

    if (e->clock_threads != e->n_threads + e->n_alive) {
        e->clock_threads = e->n_threads + e->n_alive;
        e->clock_reads = 0;
    }
    doublings = e->clock_reads++ / CLOCK_READS_PER_DOUBLING;
    if (doublings > 16 || CLOCK_READ_COSTS_NS << doublings > CLOCK_READ_MAX_NS)
        return CLOCK_READ_MAX_NS;
    return CLOCK_READ_COSTS_NS << doublings;
}

uint64_t
burl_time_mono_ns(void)
{
    burl_rt.exec.now_ns += clock_read_cost() + burl_rt.exec.slow_ns;
    return burl_rt.exec.now_ns;
}

uint64_t
burl_time_wall_ns(void)
{
    return burl_rt.epoch_ns + burl_time_mono_ns();
}

void
burl_time_advance(uint64_t ns)
{
    burl_rt.exec.now_ns += ns;
}

uint64_t
burl_time_after(uint64_t ns)
{
    uint64_t now = burl_rt.exec.now_ns;

    return ns > BURL_TIME_NEVER - 1 - now ? BURL_TIME_NEVER - 1 : now + ns;
}

uint64_t
burl_time_deadline(int clock, int64_t sec, int64_t nsec)
{
    /* 0 is CLOCK_REALTIME; TAI is not modeled. */
    uint64_t base = clock == 0 ? burl_rt.epoch_ns : 0;
    uint64_t at;

    if (sec < 0)
        return 0;
    if ((uint64_t)sec > (BURL_TIME_NEVER - 1) / NS_PER_S - 1)
        return BURL_TIME_NEVER - 1;
    at = (uint64_t)sec * NS_PER_S + (uint64_t)nsec;
    return at > base ? at - base : 0;
}

static uint64_t
coin(const struct burl_thread *t, uint64_t op)
{
    const uint64_t key = burl_rt.exec.draw_seed * 0xd6e8feb86659fd93ull + ((uint64_t)t->tid << 32);

    return burl_mix64(key + op);
}

/* Do all of t's deadlines pass early, up to this one? */
static bool
is_always_early(const struct burl_thread *t, uint64_t deadline_ns, uint64_t longest)
{
    return !burl_rt.strict_time && burl__spin_is_patient() &&
           deadline_ns - BURL_EXEC_START_NS <= longest && (coin(t, 0) & 1) == 0;
}

bool
burl__time_skips_sleep(const struct burl_thread *t, uint64_t deadline_ns)
{
    return burl__spin_skips_retries() && is_always_early(t, deadline_ns, MAX_EAGER_SLEEP_NS);
}

bool
burl__time_eager(const struct burl_thread *t)
{
    const bool sleeps = t->op.kind == BURL_OP_SLEEP;
    const uint64_t longest = sleeps ? MAX_EAGER_SLEEP_NS : MAX_EAGER_WAIT_NS;
    uint64_t key;

    BURL_TELL(fact, BURL_FACT_DEADLINE);
    if (burl_rt.strict_time || t->deadline_ns - burl_rt.exec.now_ns > longest)
        return false;
    if (is_always_early(t, t->deadline_ns, longest))
        return true;
    key = coin(t, t->n_ops);
    return sleeps ? (key & 1) == 0 : (key & 15) == 0;
}

bool
burl__time_wake_earliest(void)
{
    struct burl_thread *first = NULL;
    uint64_t timer = burl_timers_next();

    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        struct burl_thread *t = burl_rt.threads[i];

        if (t->state == BURL_THREAD_BLOCKED && t->deadline_ns != BURL_TIME_NEVER &&
            (first == NULL || t->deadline_ns < first->deadline_ns))
            first = t;
    }
    if (timer != BURL_TIME_NEVER && (first == NULL || timer <= first->deadline_ns)) {
        if (timer > burl_rt.exec.now_ns)
            burl_rt.exec.now_ns = timer;
        burl_timers_fire();
        return true;
    }
    if (first == NULL)
        return false;
    if (first->deadline_ns > burl_rt.exec.now_ns)
        burl_rt.exec.now_ns = first->deadline_ns;
    burl_sched_reevaluate(first);
    return true;
}

void
burl__time_wake_due(void)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        struct burl_thread *t = burl_rt.threads[i];

        if (t->state == BURL_THREAD_BLOCKED && t->deadline_ns <= burl_rt.exec.now_ns)
            burl_sched_reevaluate(t);
    }
}
