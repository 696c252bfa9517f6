/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sched/spin.c - threads that wait in a loop, and the proof that all of them wait forever.
 *
 * Polling (hot.h). A thread polls when it performs the same read (site, address) again, sees the
 * same value, and has changed nothing itself in between; a failed compare-exchange or trylock
 * counts as such a read, and so does an update that leaves what it found (a test-and-set that finds
 * it set). A polling thread is passed over until another thread makes progress. The price of a
 * wrong guess (a loop that re-reads a setting) is a schedule that is a little less arbitrary, never
 * a wrong verdict. After many such guesses without effect a loop that also reads other places is no
 * longer taken for one (burl__spin_fresh).
 *
 * Bounded retry loops do not count as polling: the bug may be in what follows the last attempt (an
 * adaptive lock that spins or yields a number of times and then blocks). Telling them apart costs a
 * hash of the stack, so only some executions are patient: there a thread that repeats a read, or
 * yields again, is passed over only if its state (see below) is unchanged, or after
 * PATIENT_REPEATS. Sleeps of a patient execution: time.c. The seed decides which executions are
 * patient, so that a replay does the same; the order may ask for it (BURL_ORDER_F_PATIENT).
 *
 * Livelock. When no thread makes progress for long, each polling or sleeping thread notes a hash of
 * its callee-saved registers and of its stack, from the program's innermost frame upwards. Across a
 * call everything live is in those (x86-64 ABI). The same hash twice, no memory written by any
 * thread, no call of a library function that may have changed hidden state: the thread will repeat
 * this forever. If that holds for all threads that could run, the program hangs. So a false alarm
 * would need a loop driven by state that lives in libc alone and is reached without a call.
 */
#include <unwind.h>

#include "hot.h"
#include "rt/core/core.h"
#include "rt/core/listener.h"
#include "rt/core/module.h"

/* Idle rounds before states are compared: hashing stacks is slow and most idling ends sooner. */
#define NOTE_AFTER 8u
/* The first yields in a row are ordinary scheduling points in every execution: on a real machine
 * sched_yield often returns at once, and some bugs need that. */
#define SOFT_YIELDS 2u
/* Yields at other places between two at the same one, in one turn of a loop. */
#define MAIN_STACK_B (64u << 20) /* less than what the kernel keeps free below it */
#define OTHER_PLACES 16u
/* The same for the proof that all threads wait: the reads of a loop that are remembered. */
#define LOOP_PLACES BURL_SPIN_SLOTS

/* One execution in this many is patient, and for how long: larger reaches the end of longer loops
 * and costs a hash of the stack per repeat. An enumeration has a scheduling point at each repeat
 * and can afford fewer. */
#define PATIENT_SHARE 4u
#define PATIENT_REPEATS 1024u
#define ENUMERATED_REPEATS 256u
/* Reads of other places that start the count of repeats again. Larger lets a loop over many flags
 * run longer before it is passed over; smaller costs long computations more switches. */
#define FRESH_READS 4096u
/* After so many times BURL_LONG_READS without a change of its own a thread is taken to wait.
 * Smaller costs computations that only read more switches; larger makes loops over many flags
 * slow. */
#define LONG_TIMES 8u
/* Where guesses have had no effect, every so many repeats are worth a hash. */
#define HASH_EVERY 16u

/* ---- the state of the program's frames ----------------------------------- */

struct state_walk {
    uint64_t hash;
    uintptr_t sp; /* of the innermost frame that is not ours; 0 not found yet */
};

static uint64_t
mix_in(uint64_t h, uint64_t x)
{
    return burl_mix64(h ^ x) + h * 3;
}

/* DWARF numbers of rbx, rbp, r12-r15: what a call preserves. */
static const int preserved[] = { 3, 6, 12, 13, 14, 15 };

static _Unwind_Reason_Code
visit_frame(struct _Unwind_Context *context, void *arg)
{
    struct state_walk *walk = arg;
    uintptr_t ip = _Unwind_GetIP(context);

    if (burl__module_is_runtime(ip))
        return _URC_NO_REASON;
    walk->sp = _Unwind_GetCFA(context);
    walk->hash = mix_in(walk->hash, ip);
    for (size_t i = 0; i < sizeof preserved / sizeof preserved[0]; i++)
        walk->hash = mix_in(walk->hash, _Unwind_GetGR(context, preserved[i]));
    return _URC_END_OF_STACK;
}

/* A loop may yield at several places, or read an array of flags at one; states are comparable at
 * one of them only. Which one is given up when the loop seems to have left it. */
static bool
is_place_to_compare(struct burl_thread *t)
{
    if (t->op.site == t->state_site && t->op.addr == t->state_addr) {
        t->state_skips = 0;
        return true;
    }
    if (t->state_skips++ < LOOP_PLACES)
        return false;
    t->state_site = t->op.site;
    t->state_addr = t->op.addr;
    t->state_skips = 0;
    t->same_state = 0;
    return true;
}

/* Not on one that the program made for itself: where that one ends is not known. */
static bool
is_on_own_stack(const struct burl_thread *t, uintptr_t sp)
{
    const uintptr_t end = (uintptr_t)t->exit_jmp;

    if (t->stack_lo != 0)
        return sp >= t->stack_lo && sp <= end && end <= t->stack_hi;
    return sp <= end && end - sp < MAIN_STACK_B;
}

/* The unwinder takes locks that are not the program's (R3). */
uint64_t
burl__spin_state(struct burl_thread *t)
{
    struct state_walk walk = { .hash = 1 };
    const uint8_t inside = t->inside;

    if (t->exit_jmp == NULL)
        return 0;
    t->inside = 1;
    _Unwind_Backtrace(visit_frame, &walk);
    t->inside = inside;
    if (walk.sp == 0 || !is_on_own_stack(t, walk.sp))
        return 0;
    for (uintptr_t p = walk.sp & ~(uintptr_t)7; p < (uintptr_t)t->exit_jmp; p += 8)
        walk.hash = mix_in(walk.hash, *(const uint64_t *)p);
    return walk.hash | 1;
}

/* ---- passing over -------------------------------------------------- */

uint32_t
burl__spin_patience(void)
{
    if (burl_rt.exec.patient)
        return ENUMERATED_REPEATS;
    return burl_mix64(burl_rt.exec.seed) % PATIENT_SHARE == 0 ? PATIENT_REPEATS : BURL_POLL_REPEATS;
}

/* A merge compares one element with many others and moves them by memcpy(), which no hook sees: a
 * million repeated reads, each of which would end in a switch. A loop that waits repeats all of its
 * reads, so a read of another place starts the count again. A loop over more flags than there are
 * slots reads other places for ever, hence the limit. */
void
burl__spin_fresh(struct burl_thread *t)
{
    if (t->fresh_reads >= FRESH_READS)
        return;
    t->fresh_reads++;
    t->spin_hits = 0;
}

/* The price for a long computation that only reads is a switch at every BURL_LONG_READS. */
enum burl_spin_read
burl__spin_judge_long(struct burl_thread *t)
{
    if (t->long_epoch != t->spin_epoch) {
        t->long_epoch = t->spin_epoch;
        t->long_times = 0;
        return BURL_SPIN_NONE;
    }
    return ++t->long_times >= LONG_TIMES && !burl_has_listener() ? BURL_SPIN_POLL : BURL_SPIN_NONE;
}

/* Is t at the same place in the same state as before? */
static bool
repeats_state(struct burl_thread *t, uint32_t site)
{
    uint64_t state;
    bool same;

    if (site != t->poll_site && t->poll_skips++ < OTHER_PLACES)
        return false;
    if (site == t->poll_site && t->poll_epoch == t->spin_epoch + 1)
        return true; /* and will be, whichever other thread runs */
    state = burl__spin_state(t);
    same = state != 0 && state == t->poll_state && site == t->poll_site &&
           t->lib_calls == t->poll_calls;
    t->poll_site = site;
    t->poll_skips = 0;
    t->poll_calls = t->lib_calls;
    t->poll_state = state;
    t->poll_epoch = same ? t->spin_epoch + 1 : 0;
    return same;
}

bool
burl__spin_is_patient(void)
{
    return burl_rt.exec.patience > BURL_POLL_REPEATS;
}

/* A thread that counts its attempts does the same in each of them, so random executions spend no
 * decision on the later ones: otherwise a long loop would hold nearly all of an execution's
 * scheduling points, and strategies that place a few preemptions would place them there.
 * Enumerations claim to have tried everything and keep the points. */
bool
burl__spin_skips_retries(void)
{
    return burl__spin_is_patient() && !burl_rt.exec.patient;
}

enum burl_spin_read
burl__spin_judge_repeat(struct burl_thread *t, uint32_t site)
{
    if (t->spin_hits >= burl_rt.exec.patience)
        return BURL_SPIN_POLL;
    if ((burl_rt.exec.idle_yields < BURL_POLL_TRUST || t->spin_hits % HASH_EVERY == 0) &&
        repeats_state(t, site))
        return BURL_SPIN_POLL;
    return burl__spin_skips_retries() ? BURL_SPIN_RETRY : BURL_SPIN_NONE;
}

enum burl_yield_kind
burl__spin_yield_kind(struct burl_thread *t, uint32_t site)
{
    if (burl_has_listener())
        return burl_rt.listener->allows_yield(t->soft_yields) ? BURL_YIELD_POINT : BURL_YIELD_HARD;
    /* In the clean run a yield lets others run, as it mostly does. */
    if (!burl_rt.strict_time && burl__spin_is_patient() && t->soft_yields < burl_rt.exec.patience &&
        !repeats_state(t, site))
        return burl__spin_skips_retries() ? BURL_YIELD_NONE : BURL_YIELD_POINT;
    return t->soft_yields < SOFT_YIELDS ? BURL_YIELD_SOFT : BURL_YIELD_HARD;
}

/* ---- all threads --------------------------------------------------------- */

void
burl__spin_note_state(struct burl_thread *t)
{
    uint64_t state;

    if (burl_rt.exec.idle_rounds < NOTE_AFTER || !is_place_to_compare(t))
        return;
    state = burl__spin_state(t);
    if (state != 0 && state == t->state_hash && t->lib_calls == t->state_calls)
        t->same_state++;
    else
        t->same_state = 0;
    t->state_hash = state;
    t->state_calls = t->lib_calls;
}

static bool
could_still_run(const struct burl_thread *t)
{
    return t->state == BURL_THREAD_RUNNABLE ||
           (t->state == BURL_THREAD_BLOCKED && t->deadline_ns != BURL_TIME_NEVER);
}

bool
burl__spin_all_stagnant(void)
{
    for (uint32_t i = 0; i < burl_rt.exec.n_threads; i++) {
        const struct burl_thread *t = burl_rt.threads[i];

        if (could_still_run(t) && t->same_state < 3)
            return false;
    }
    return burl_io_obj()->n_waiters == 0;
}
