/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fibers.c - program threads as fibers on the process's first kernel thread.
 *
 * Each fiber borrows the stack and the thread pointer of a *donor*: a real pthread, made before the
 * snapshot, that parks for ever. So pthread_self, errno, __thread, thread_local and C++ exceptions
 * work as in a real thread, although the kernel never runs the donor. The main thread's
 * fiber runs on the process's own stack; the harness has a stack of its own.
 *
 * A donor's stack, from the top down: struct pthread and static TLS (glibc puts them there), frames
 * of glibc's start routine and of our parking loop, a gap, and then the fiber's frames. Everything
 * from the gap upwards is saved with the snapshot; what lies below is cleared before the donor is
 * used again, so that even uninitialized locals repeat.
 *
 * When an execution wants more threads than there are donors it is abandoned, donors are added, a
 * new snapshot is taken, and it runs again: making a pthread in mid-run would allocate in the
 * program's heap.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "fibers.h"
#include "rt/arch/fiber.h"
#include "rt/core/core.h"
#include "rt/core/engine.h"
#include "rt/core/real.h"
#include "rt/core/stacks.h"
#include "rt/core/sys.h"
#include "rt/core/upcalls.h"
#include "rt/detect/observe.h"

#define HARNESS_STACK_B (256u << 10)
#define DONOR_STACK_B ((8u << 20) + BURL_STACK_RESERVE_B)
/* Tells the main stack from other memory: the kernel keeps at least 128 MB free below it. */
#define MAIN_STACK_B (64u << 20)
#define DONORS_AT_ONCE 16u
#define FRESH_DONORS 8u     /* as many as every process has */
#define PARK_GAP_B 512u     /* below the donor's parked frame: its red zone, and room to be sure */
#define CLEAR_SLACK_B 4096u /* below the lowest stack pointer seen at a switch */

struct donor {
    uint64_t handle;
    uintptr_t fs_base;
    uintptr_t top;    /* fibers start here and grow down */
    uintptr_t end;    /* of the mapping: TLS and struct pthread lie in [top, end) */
    uintptr_t floor;  /* lowest address that is surely no guard page */
    uintptr_t lowest; /* lowest stack pointer seen since it was cleared */
    char *saved;      /* copy of [top, end) */
    uint32_t parked;  /* futex word */
    bool in_use;
    bool dirty; /* used since the last restore */
};

static struct donor *donors[BURL_MAX_THREADS];
static uint32_t n_donors;
static uint32_t n_taken; /* donors below this index may be in use */
static void *harness_sp;
static uintptr_t main_fs;
static uintptr_t main_gs;
static uint64_t main_fp;
static uintptr_t main_lowest;
static uintptr_t main_least;

uint8_t burl_fiber_fsgsbase;

/* ---- donors ---------------------------------------------------------------------------------- */

static void *
donor_park(void *arg)
{
    struct donor *d = arg;
    const uint64_t all = UINT64_MAX;

    /* Signals to the process are for the kernel thread that carries the fibers. */
    BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &all, 0, sizeof all);
    d->fs_base = burl_fiber_fs_base();
    d->top = ((uintptr_t)__builtin_frame_address(0) - PARK_GAP_B) & ~(uintptr_t)63;
    __atomic_store_n(&d->parked, 1, __ATOMIC_RELEASE); /* pairs with the acquire in donor_new() */
    BURL_SYS6(SYS_futex, &d->parked, 1 /* FUTEX_WAKE */, 1, 0, 0, 0);
    for (;;)
        BURL_SYS6(SYS_futex, &d->parked, 0 /* FUTEX_WAIT */, 1, 0, 0, 0);
    return NULL;
}

static void
donor_locate_end(struct donor *d)
{
    pthread_attr_t attr;
    void *addr;
    size_t size;

    pthread_getattr_np((pthread_t)d->handle, &attr);
    pthread_attr_getstack(&attr, &addr, &size);
    pthread_attr_destroy(&attr);
    d->end = (uintptr_t)addr + size;
    d->floor = (uintptr_t)addr + BURL_STACK_RESERVE_B;
    burl__snapshot_exclude((uintptr_t)addr, d->end);
    burl__stacks_add(d->floor, d->end);
}

/* Several at once, side by side: executions write to all of theirs. */
static struct donor *
donor_alloc(void)
{
    static struct donor *spare;
    static uint32_t n_spare;

    if (n_spare == 0) {
        n_spare = DONORS_AT_ONCE;
        spare = burl_rt_alloc(n_spare * sizeof *spare);
    }
    n_spare--;
    return spare++;
}

static bool
donor_new(void)
{
    struct donor *d = donor_alloc();
    pthread_attr_t attr;
    uint64_t all = ~0ull;
    uint64_t old;
    pthread_t handle;
    int r;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, DONOR_STACK_B);
    /* Donors must never be the thread that a signal picks: they inherit a full mask. */
    BURL_SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &all, &old, 8);
    r = BURL_REAL(pthread_create)(&handle, &attr, donor_park, d);
    BURL_SYS4(SYS_rt_sigprocmask, 2, &old, 0, 8);
    pthread_attr_destroy(&attr);
    if (r != 0)
        return false;
    while (__atomic_load_n(&d->parked, __ATOMIC_ACQUIRE) == 0)
        BURL_SYS6(SYS_futex, &d->parked, 0, 0, 0, 0, 0);
    d->handle = (uint64_t)handle;
    donor_locate_end(d);
    d->saved = burl_rt_alloc(d->end - d->top);
    /* Without a snapshot this is the only copy. */
    memcpy(d->saved, (void *)d->top, d->end - d->top);
    d->lowest = d->top;
    donors[n_donors++] = d;
    return true;
}

static void
fibers_prepare(uint32_t n_threads)
{
    while (n_donors < n_threads && n_donors < BURL_MAX_THREADS && donor_new())
        continue;
}

/* `floor`: nothing below may be touched (guard pages). */
static void
clear_below(uintptr_t lowest, uintptr_t top, uintptr_t floor)
{
    uintptr_t from = lowest - CLEAR_SLACK_B;

    if (from < floor)
        from = floor;
    memset((void *)from, 0, top - from);
}

static void
donor_refresh(struct donor *d)
{
    memcpy((void *)d->top, d->saved, d->end - d->top);
    clear_below(d->lowest, d->top, d->floor);
    d->lowest = d->top;
    d->dirty = false;
}

void
burl__fibers_save(void)
{
    for (uint32_t i = 0; i < n_donors; i++)
        memcpy(donors[i]->saved, (void *)donors[i]->top, donors[i]->end - donors[i]->top);
}

void
burl__fibers_restore(void)
{
    for (uint32_t i = 0; i < n_taken; i++) {
        if (donors[i]->dirty)
            donor_refresh(donors[i]);
        donors[i]->in_use = false;
    }
    n_taken = 0;
    if (main_lowest != 0)
        clear_below(main_lowest, burl_rt.main_stack_base - PARK_GAP_B, main_lowest);
    main_lowest = 0;
}

/* ---- running ------------------------------------------------------------- */

static void
fiber_main(void *arg)
{
    struct burl_thread *t = arg;

    burl_self = t;
    burl_thread_main(t);
}

/* The first threads of an execution get handles that no other thread of it had: a handle that is
 * joined twice still names the thread it was made for. How many does not depend on the number of
 * donors, which differs between processes. */
static bool
has_fresh_donor(void)
{
    for (uint32_t i = 0; i < n_donors && i < FRESH_DONORS; i++) {
        if (!donors[i]->in_use && !donors[i]->dirty)
            return true;
    }
    return false;
}

static struct donor *
free_donor(void)
{
    const bool fresh = has_fresh_donor();

    for (uint32_t i = 0; i < n_donors; i++) {
        struct donor *d = donors[i];

        if (d->in_use || (fresh && d->dirty))
            continue;
        if (d->dirty)
            donor_refresh(d); /* its last thread ended and was joined in this execution */
        d->in_use = true;
        d->dirty = true;
        if (i >= n_taken)
            n_taken = i + 1;
        return d;
    }
    return NULL;
}

static bool
fibers_spawn(struct burl_thread *t)
{
    struct donor *d = free_donor();

    if (d == NULL)
        return false;
    t->engine_data = d;
    t->handle = d->handle;
    t->fs_base = d->fs_base;
    t->gs_base = burl_fiber_gs_base(); /* a thread inherits its creator's */
    t->stack_lo = d->floor;
    t->stack_hi = d->top;
    t->stack_least = d->floor;
    t->tls_hi = d->end;
    t->fiber_sp = burl_fiber_make(d->top, fiber_main, t, burl_fiber_fp_words()); /* inherited */
    burl__thin_forget(d->floor, d->end - d->floor);
    if (burl_ob_mask != 0) /* stack and TLS may have been another thread's in this execution */
        burl_ob_forget(d->floor, d->end - d->floor);
    return true;
}

/* sp is the thread's own only when it is on its stack: a signal handler's is not. */
static void
note_lowest(const struct burl_thread *t, uintptr_t sp)
{
    struct donor *d = t->engine_data;

    if (d != NULL) {
        if (sp < d->lowest && sp >= d->floor - BURL_STACK_RESERVE_B)
            d->lowest = sp < d->floor ? d->floor : sp;
    } else if (burl_rt.main_stack_base - sp < MAIN_STACK_B &&
               (main_lowest == 0 || sp < main_lowest)) {
        main_lowest = sp;
    }
}

static void
fibers_switch_to(struct burl_thread *from, struct burl_thread *to)
{
    note_lowest(from, (uintptr_t)__builtin_frame_address(0));
    burl__stack_park(from);
    from->gs_base = burl_fiber_gs_base();
    burl_fiber_set_gs_base(to->gs_base);
    burl_fiber_switch(&from->fiber_sp, to->fiber_sp, to->fs_base);
}

static BURL_NORETURN void
fibers_switch_final(struct burl_thread *from, struct burl_thread *to)
{
    fibers_switch_to(from, to);
    __builtin_unreachable();
}

static void
fibers_run(struct burl_thread *main_thread)
{
    main_thread->engine_data = NULL;
    main_thread->handle = main_fs;
    main_thread->stack_least = main_least;
    main_thread->fs_base = main_fs;
    main_thread->gs_base = main_gs;
    main_thread->fiber_sp =
        burl_fiber_make(burl_rt.main_stack_base - PARK_GAP_B, fiber_main, main_thread, main_fp);
    burl_fiber_switch(&harness_sp, main_thread->fiber_sp, main_fs);
}

static BURL_NORETURN void
fibers_leave(void)
{
    void *abandoned;

    if (burl_rt.current != NULL) {
        note_lowest(burl_rt.current, (uintptr_t)__builtin_frame_address(0));
        note_lowest(burl_rt.current, burl_rt.fault_sp);
    }
    burl_fiber_set_gs_base(main_gs);
    burl_fiber_switch(&abandoned, harness_sp, main_fs);
    __builtin_unreachable();
}

/* An ended thread still occupies its stack while it switches away for the last time, so a donor
 * becomes free only through the next thread's action (join), or at the end. A detached thread's
 * donor is kept. */
static void
fibers_release(struct burl_thread *t)
{
    struct donor *d = t->engine_data;

    if (d != NULL && t->state == BURL_THREAD_FINISHED && t != burl_rt.current)
        d->in_use = false;
}

const struct burl_engine_ops burl_engine_fibers = {
    .prepare = fibers_prepare,
    .spawn = fibers_spawn,
    .switch_to = fibers_switch_to,
    .switch_final = fibers_switch_final,
    .run = fibers_run,
    .leave = fibers_leave,
    .release = fibers_release,
};

/* ---- the harness's stack ------------------------------------------------- */

static void
harness_on_own_stack(void *arg)
{
    (void)arg;
    burl_harness();
}

void
burl__fibers_enter_harness(void)
{
    char *stack = burl__mem_map(HARNESS_STACK_B);
    void *abandoned;

    main_fs = burl_fiber_fs_base();
    main_least = burl__stack_main_least();
    burl_fiber_fsgsbase = (getauxval(AT_HWCAP2) & 2) != 0;
    main_gs = burl_fiber_gs_base();
    main_fp = burl_fiber_fp_words();
    burl_fiber_switch(
        &abandoned,
        burl_fiber_make((uintptr_t)stack + HARNESS_STACK_B, harness_on_own_stack, NULL, main_fp),
        main_fs);
    __builtin_unreachable();
}
