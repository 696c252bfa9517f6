/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/stacks.c - accesses to stack memory of functions that have returned or threads that exited.
 *
 * Runs in the target, in a hook before its access. Frames of a thread lie between its stack pointer
 * and the top of its stack; below that is memory of functions that have returned. The stack pointer
 * of a thread that is not running is the one with which the program entered the runtime, since
 * our own frames lie where its last callee's were. The stack and the thread-local variables of a
 * thread that has exited are dead.
 *
 * Direction of the error: an access to a dead frame whose memory another call uses now is missed,
 * and a thread that runs, or last ran, on a stack that is not its own (coroutines, alternate
 * stacks) is not judged.
 *
 * Neither engine uses stacks that the program gives to pthread_attr_setstack(), so all stacks here
 * are memory of libc or of the kernel.
 */
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unwind.h>

#include "core.h"
#include "listener.h"
#include "stacks.h"
#include "sys.h"
#include "upcalls.h"
#include "verdict.h"

/* The kernel keeps at least that much free below the main stack. */
#define MAIN_STACK_B (64u << 20)

void
burl__stacks_add(uintptr_t lo, uintptr_t hi)
{
    uintptr_t end = burl_rt.stacks_lo + burl_rt.stacks_b;

    if (burl_rt.stacks_b == 0) {
        burl_rt.stacks_lo = burl_rt.main_stack_base - MAIN_STACK_B;
        end = burl_rt.main_stack_base;
    }
    if (lo < burl_rt.stacks_lo)
        burl_rt.stacks_lo = lo;
    burl_rt.stacks_b = (hi > end ? hi : end) - burl_rt.stacks_lo;
}

static uintptr_t
lowest_frame(const struct burl_thread *t)
{
    return t->tid == 0 ? burl_rt.main_stack_base - MAIN_STACK_B : t->stack_lo;
}

static uintptr_t
frames_end(const struct burl_thread *t)
{
    return t->tid == 0 ? burl_rt.main_stack_base : t->stack_hi;
}

void
burl__stack_bounds(const struct burl_thread *t, uintptr_t *lo, uintptr_t *hi)
{
    *lo = lowest_frame(t);
    *hi = t->tid == 0 ? burl_rt.main_stack_base : t->tls_hi;
}

bool
burl__stack_has(const struct burl_thread *t, uintptr_t addr)
{
    return addr >= lowest_frame(t) && addr < frames_end(t);
}

/* The last one first: the stack of an exited thread may be another's by now. */
struct burl_thread *
burl__stack_owner(uintptr_t addr)
{
    uintptr_t lo;
    uintptr_t hi;

    for (uint32_t i = burl_rt.exec.n_threads; i > 0; i--) {
        struct burl_thread *t = burl_rt.threads[i - 1];

        if (t == NULL)
            continue;
        burl__stack_bounds(t, &lo, &hi);
        if (addr >= lo && addr < hi)
            return t;
    }
    return NULL;
}

static _Unwind_Reason_Code
stacks_visit_frame(struct _Unwind_Context *context, void *arg)
{
    uintptr_t *outermost = arg;
    const uintptr_t cfa = _Unwind_GetCFA(context);

    if (cfa < *outermost)
        return _URC_END_OF_STACK;
    *outermost = cfa;
    return _URC_NO_REASON;
}

/* Do the frames of the calling thread reach up to where it began? The frames of a coroutine end in
 * the memory it was given, which may be an array in a frame. */
static bool
is_on_own_stack(struct burl_thread *t)
{
    const uint8_t inside = t->inside;
    uintptr_t outermost = 0;

    if (t->exit_jmp == NULL)
        return false;
    t->inside = 1; /* the unwinder takes locks that are not the program's (R3) */
    _Unwind_Backtrace(stacks_visit_frame, &outermost);
    t->inside = inside;
    return outermost >= (uintptr_t)t->exit_jmp;
}

static BURL_NORETURN void
stacks_report(enum burl_wire_verdict_kind kind, const struct burl_thread *owner, uintptr_t addr)
{
    struct burl_wire_origin *o = &burl_rt.exec.verdict.origin;

    o->kind = burl__stack_has(owner, addr) ? BURL_ORIGIN_STACK : BURL_ORIGIN_TLS;
    o->tid = owner->tid;
    if (owner != burl_rt.current)
        BURL_TELL(fact, BURL_FACT_FRAME_GONE);
    burl_rt_finding(kind, addr, NULL);
}

/* ---- overflows ----------------------------------------------------------------------- */

/* The kernel counts from the end of the mapping, where the strings that it put there are. */
uintptr_t
burl__stack_main_least(void)
{
    const char *last = (const char *)getauxval(AT_EXECFN);
    struct rlimit r;
    uintptr_t end;

    if (last == NULL || BURL_SYS4(SYS_prlimit64, 0, RLIMIT_STACK, NULL, &r) != 0 ||
        r.rlim_cur > MAIN_STACK_B || r.rlim_cur < 2 * BURL_STACK_RESERVE_B)
        return 0;
    end = ((uintptr_t)last + strlen(last) + sizeof(void *) + 4096) & ~(uintptr_t)4095;
    return end - (uintptr_t)r.rlim_cur + BURL_STACK_RESERVE_B;
}

/* Without this it would be the guard page that ends the execution, a call earlier or later: what
 * the runtime puts on the stack there depends on what it records. */
void
burl__stack_overflow(uintptr_t sp)
{
    /* The hook was called from the function that does not fit; its return address is below sp. */
    const uintptr_t pc = ((const uintptr_t *)sp)[-1] - 1;

    burl_rt_end(BURL_VERDICT_CRASH_SIGNAL, SIGSEGV, sp, pc, "stack overflow");
}

/* ---- notifying a listener ------------------------------------------------------------- */

/* A return ends the life of a frame: like free(), it depends on accesses of other threads to it. It
 * is noticed when the thread enters the runtime next, before any other thread has run, so it is
 * part of the thread's last operation. Thread exit is an operation of its own (dpor_ops.c). */
void
burl__stack_returned(struct burl_thread *t, uintptr_t sp, bool exact)
{
    const struct burl_op op = {
        .kind = BURL_OP_FREE,
        .addr = t->foreign_lo,
        .aux = sp - t->foreign_lo,
    };

    if (!burl__stack_has(t, sp))
        return;
    burl_rt.listener->frames_left(t, lowest_frame(t), sp);
    if (t->foreign_hi == 0 || t->foreign_lo >= sp)
        return;
    burl_rt.listener->access_along(t, &op);
    if (!exact)
        return;
    t->foreign_lo = sp;
    if (t->foreign_hi <= sp)
        t->foreign_lo = t->foreign_hi = 0;
}

void
burl__stack_call(struct burl_thread *t, uint32_t depth, uintptr_t sp)
{
    if (depth < BURL_SHADOW_DEPTH)
        t->frames[depth] = (struct burl_frame){ .sp = sp, .step = burl_rt.exec.steps };
}

/* Frames below the stack pointer of the innermost live call have returned, but for what that
 * call has allocated since (alloca, variable-length arrays). Noted now and not at the next
 * operation: another call may use the memory until then. */
void
burl__stack_cut(struct burl_thread *t, uint32_t depth)
{
    if (t->inside || depth > BURL_SHADOW_DEPTH)
        return;
    burl__stack_returned(t, depth == 0 ? frames_end(t) - 1 : t->frames[depth - 1].sp, false);
}

/* Did the call whose frame addr lies in begin when t existed already? Then it may be a later call
 * than the one that t was given the address of. */
static bool
is_younger(const struct burl_thread *owner, uintptr_t addr, const struct burl_thread *t)
{
    const uint32_t n = owner->depth;

    if (n == 0 || n > BURL_SHADOW_DEPTH)
        return true; /* not known */
    for (uint32_t d = 0; d < n; d++) {
        if (owner->frames[d].sp <= addr)
            return owner->frames[d].step >= t->born;
    }
    return owner->frames[n - 1].step >= t->born; /* allocated since it began */
}

/* The access must be an event of the search, although the memory may look private otherwise. Also
 * if it is a failure: where the owner lives on, other accesses follow. */
static void
note_point(const struct burl_thread *t)
{
    if (burl_rt.learn && t->last_site < burl_rt.points_n)
        burl_rt.points_new[t->last_site] = 1;
}

static void
note_foreign(struct burl_thread *owner, uintptr_t addr, const struct burl_thread *t)
{
    if (owner->foreign_hi == 0 || addr < owner->foreign_lo)
        owner->foreign_lo = addr;
    if (addr >= owner->foreign_hi)
        owner->foreign_hi = addr + 1;
    if (burl__stack_has(owner, addr) && is_younger(owner, addr, t))
        BURL_TELL(fact, BURL_FACT_FRAME_REUSED);
}

/* ---- the check --------------------------------------------------------------------------- */

void
burl__stack_check_slow(struct burl_thread *t, uintptr_t addr, uintptr_t sp)
{
    struct burl_thread *owner = burl__stack_owner(addr);

    if (owner == NULL)
        return;
    if (burl_has_listener() && owner != t)
        note_point(t);
    if (owner->state == BURL_THREAD_FINISHED)
        stacks_report(BURL_VERDICT_USE_AFTER_EXIT, owner, addr);
    if (owner != t)
        sp = owner->live_sp;
    if (addr >= sp || !burl__stack_has(owner, addr) || !burl__stack_has(owner, sp)) {
        if (burl_has_listener() && owner != t)
            note_foreign(owner, addr, t);
        return;
    }
    /* A thread without exit_jmp has left its start function and is about to exit. */
    if (owner != t || is_on_own_stack(t))
        stacks_report(owner->exit_jmp == NULL ? BURL_VERDICT_USE_AFTER_EXIT
                                              : BURL_VERDICT_USE_AFTER_RETURN,
                      owner, addr);
}
