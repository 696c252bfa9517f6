/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/rt.h - what the files of the runtime share. Nothing outside src/rt includes it.
 *
 * The runtime lives inside the process of the user's program. Its rules:
 *
 *   R1 Of libc only what scripts/rt-libc.txt lists, with the reasons: no stdio, no malloc, no
 *      locale. System calls go through core/sys.h. Memory comes from burl_rt_alloc().
 *   R2 No function we interpose is called from here except as BURL_REAL(name).
 *   R3 Re-entry is counted per thread (`inside`); a nested call passes straight through.
 *   R4 TLS is initial-exec.
 *   R5 errno is the same after as before (raw system calls never touch it).
 *   R6 Running out of anything is a counter in the control page, never an abort.
 *   R7 Without a supervisor the program runs as if uninstrumented: `burl_self` is NULL.
 *   R8 The runtime takes no locks in controlled mode: exactly one thread runs at a time,
 *      and the hand-over (fiber switch or futex baton) orders everything.
 *   R9 A primitive we cannot model is reported by name at once: burl_rt_unsupported().
 *
 * Controlled mode in one paragraph. Every program thread has a struct burl_thread and a
 * pending operation. It announces the operation (burl_sched_point, burl_sched_wait), the
 * strategy picks among the threads whose operation can happen, and the call returns when it is
 * this thread's turn; the operation then happens before the next announcement of this
 * thread. A thread whose operation cannot happen (lock taken, nothing to join) is not
 * offered to the strategy. So the state of sync objects lives here, in struct burl_obj,
 * keyed by address, and the memory of the program's pthread_mutex_t is never touched
 * by us, nor are libc's own blocking functions ever reached.
 */
/* The comments are aligned by hand. */
/* clang-format off */
#ifndef BURL_RT_INT_H
#define BURL_RT_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/control.h"
#include "wire/site.h"

#define BURL_EXPORT __attribute__((visibility("default")))
#define BURL_NOINLINE __attribute__((noinline))
#define BURL_NORETURN __attribute__((noreturn))
#define BURL_LIKELY(x) __builtin_expect(!!(x), 1)
#define BURL_UNLIKELY(x) __builtin_expect(!!(x), 0)

#define BURL_MAX_THREADS 4096u     /* per execution; tids are not reused within one */
#define BURL_TIME_NEVER UINT64_MAX /* "no deadline" in virtual nanoseconds */

struct burl_thread;
struct burl_obj;
struct burl_watch;

/* ---- operations and waiting ------------------------------------------------------- */

/* One visible operation, as announced. */
struct burl_op {
    uint8_t   kind;   /* enum burl_wire_op */
    uint8_t   size_b; /* of a memory access, 255 for more */
    bool      tries;  /* does not wait, and may fail */
    bool      tears;  /* a memory access that the machine may do in several parts */
    bool      object; /* a memory access by which an interposed function stands for its object */
    bool      in_call; /* one access of a call or copy; all of these happen after the last hook */
    uint32_t  site;   /* process-wide number; burl_rt_site(t) inside an interposer */
    uintptr_t addr;   /* object or memory acted on */
    uint64_t  aux;    /* see BURL_WIRE_OPS */
};

enum burl_wait_result {
    BURL_WAIT_READY = 0, /* the predicate holds and it is this thread's turn */
    BURL_WAIT_TIMEOUT,   /* the deadline passed first */
    BURL_WAIT_CANCELED  /* cancellation was requested and is enabled (only if asked for) */
};

/* Can `t` perform its pending operation on `o` now? Pure: no side effects, no system calls
 * except in the I/O family. */
typedef bool (*burl_ready_fn)(const struct burl_obj *o, const struct burl_thread *t);

/* ---- sync objects ------------------------------------------------------------------ */

enum burl_obj_class {
    BURL_OBJ_MUTEX = 1, /* pthread_mutex_t, mtx_t */
    BURL_OBJ_COND,
    BURL_OBJ_RWLOCK,
    BURL_OBJ_SPIN,
    BURL_OBJ_BARRIER,
    BURL_OBJ_SEM,
    BURL_OBJ_ONCE,   /* pthread_once_t, once_flag, C++ guard variables */
    BURL_OBJ_FUTEX,
    BURL_OBJ_THREAD, /* join target; addr is the struct burl_thread */
    BURL_OBJ_IO      /* one for the whole process: burl_io_obj() */
};

/* burl_obj.destroyed of an object that was in use when its block of the heap was freed: only the
 * threads that wait for it still refer to it. */
#define BURL_OBJ_FREED 2

/* burl_obj.type of a BURL_OBJ_ONCE that is a C++ guard. Compiled code reads its first byte, which
 * is all of its state but for the thread that runs the initialization. */
#define BURL_ONCE_GUARD 1

/* State of one sync object of the program in this execution. Fields other than addr, cls,
 * waiters and n_waiters belong to the family that interposes the class. */
struct burl_obj {
    uintptr_t addr;
    uint8_t   cls;        /* enum burl_obj_class */
    uint8_t   type;       /* family's own: mutex type, robust bit, ... */
    uint8_t   destroyed;  /* after pthread_*_destroy; BURL_OBJ_FREED: its memory was freed */
    uint8_t   state;      /* family's own: once state, owner-died, ... */
    uint16_t  owner;      /* tid that holds it, BURL_TID_NONE */
    uint16_t  misuses;    /* core/misuse.c: kinds recorded of it in this execution */
    int32_t   count;      /* recursion depth, semaphore value, readers, arrivals */
    uint32_t  limit;      /* barrier: parties */
    uint32_t  generation; /* barrier: rounds completed */
    uint64_t  extra;      /* family's own */
    struct burl_thread *waiters; /* threads whose pending operation is on this object, in order of
                                    arrival; linked by wait_next and wait_before */
    struct burl_thread *last_waiter;
    uint32_t  n_waiters;
    struct burl_obj *hash_next;
};

/* ---- threads ----------------------------------------------------------------------- */

enum burl_thread_state {
    BURL_THREAD_FREE = 0,
    BURL_THREAD_RUNNABLE, /* its pending operation can happen */
    BURL_THREAD_BLOCKED,  /* it cannot, or waits for time */
    BURL_THREAD_FINISHED  /* start routine returned and destructors ran */
};

#define BURL_SHADOW_DEPTH 512u /* deeper frames are counted but not kept */
#define BURL_MAX_KEYS 1024u    /* as glibc's PTHREAD_KEYS_MAX */
#define BURL_SPIN_SLOTS 64u
#define BURL_CREATED_IN 4u

/* One entry of the spin detector: a read seen since the thread's last progress. */
struct burl_spin_slot {
    uintptr_t addr;
    uint64_t  value;
    uint32_t  site;
    uint32_t  epoch;
};

/* Waits of one thread, distinguished by call and object, that can be woken spuriously before one of
 * them is woken by a signal. */
#define BURL_MAX_SPURIOUS 16u

/* A call in progress. */
/* A live function. */
struct burl_shadow {
    const uint32_t *word; /* shadow.h; NULL none */
    uint32_t func;        /* FUNC site */
};

struct burl_frame {
    uintptr_t sp;   /* when it had begun */
    uint64_t  step; /* exec.steps then */
};

struct burl_thread {
    /* scheduling (sched/) */
    uint16_t tid;
    uint8_t  state;       /* enum burl_thread_state */
    uint8_t  inside;      /* R3 */
    uint32_t n_ops;       /* visible operations completed */
    uint32_t sync_epoch;  /* those of them that are not plain accesses */
    struct burl_op op;    /* pending */
    struct burl_obj *wait_obj;   /* object of the pending operation, or NULL */
    struct burl_thread *wait_next;
    struct burl_thread *wait_before;
    burl_ready_fn ready;         /* predicate of the pending operation, NULL: always */
    uint64_t deadline_ns;        /* virtual; BURL_TIME_NEVER */
    bool     woken;              /* families' flag: signaled, futex-woken */
    bool     time_ready;         /* runnable because its deadline may be taken as passed */
    bool     was_blocked;        /* the pending operation had to wait */
    bool     yield_asked;        /* pending: a yield, or a poll that found nothing */
    bool     yielding;           /* passed over until another thread makes progress */
    bool     parked;             /* in a search: passed over while others can run (await.c) */
    uint64_t yield_mark;         /* value of the progress counter when it yielded */
    uint64_t priority;           /* strategies' own */
    bool     cancellable;        /* the pending operation is a cancellation point */
    bool     stuck_by_misuse;    /* it blocks because of a recorded misuse */
    uint32_t soft_yields;        /* yields in a row without progress of its own */
    uint32_t spin_epoch;
    uint32_t spin_hits;
    uint32_t fresh_reads;        /* reads of other places since it was last taken to be polling */
    uint32_t long_reads;         /* reads of other places than those in `spin` */
    uint32_t long_epoch;         /* spin_epoch when they were last judged */
    uint32_t long_times;         /* how often in a row it was the same */
    uint32_t clock_epoch;        /* spin_epoch at the last read of a clock */
    uint32_t clock_polls;        /* reads of a clock since then */
    uint32_t poll_site;          /* of the repeated read at which poll_state was taken */
    uint32_t poll_skips;         /* repeats elsewhere since */
    uint32_t poll_calls;         /* lib_calls then */
    uint32_t poll_epoch;         /* spin_epoch + 1 when that was the same as before */
    uint64_t poll_state;         /* registers and stack of its frames */
    uint32_t n_locks;            /* mutexes, read-write and spin locks it holds */
    uint32_t outer_site;         /* with n_locks: where the first of them was taken */
    uint32_t lib_calls;          /* calls out of instrumented code that may change something */
    uint32_t state_calls;        /* lib_calls when state_hash was taken */
    uint32_t proof_calls;        /* and proof_hash */
    uint32_t same_state;         /* yields in a row at which state_hash was the same */
    uint32_t state_site;         /* pending site at which states are compared */
    uintptr_t state_addr;        /* and its address */
    uint32_t state_skips;        /* yields elsewhere since */
    uint64_t state_hash;         /* registers and stack of its frames at the last idle yield */
    uint64_t proof_hash;         /* the same at the first step of a period (livelock.c) */
    uint32_t choice_op;          /* n_ops at its last choice (choose.c) */
    uint32_t choice_nth;         /* choices at that count */
    uint32_t choice_at;          /* REPLAY: where its next choice is looked for in the schedule */
    uint32_t n_spurious;         /* valid entries of spurious */
    uint64_t spurious[BURL_MAX_SPURIOUS]; /* waits that woke up so since their last wakeup */
    uint64_t rmw_old;            /* what the last read-modify-write was about to change */

    /* sites and stack (hooks/hooks.c) */
    uint32_t call_site;          /* set by __burl_call: where the library was entered */
    uint32_t last_site;          /* last visible operation's site */
    uint8_t  last_op;            /* and its kind, enum burl_wire_op */
    uint32_t left_site;          /* last_site when a function was left, 0 after one is entered */
    uint32_t depth;              /* of the shadow stack, may exceed BURL_SHADOW_DEPTH */
    uint32_t open_event;         /* trace index + 1 of a write whose result is not known yet */

    /* life (interpose/thread.c) */
    uint64_t handle;             /* pthread_t as the program sees it */
    struct burl_obj *join_obj;
    void *(*start)(void *);      /* NULL for main */
    int  (*start_c11)(void *);   /* thrd_create */
    void *arg;
    void *result;
    uint64_t attr_sum;           /* of the attributes it was created with; 0: none */
    char name[16];               /* pthread_setname_np; empty: that of the process */
    uint16_t parent;
    uint32_t created_site;       /* the call that created it; 0: main */
    uint32_t created_in[BURL_CREATED_IN]; /* functions of that call, innermost first */
    bool detached;
    bool joined;
    bool exiting;                /* pthread_exit, cancellation or return has begun */
    void *exit_jmp;              /* struct burl_exit_frame of the trampoline, see thread.c */

    /* cancellation (interpose/cancel.c) */
    bool cancel_requested;
    uint8_t cancel_state;        /* PTHREAD_CANCEL_ENABLE / DISABLE */
    uint8_t cancel_type;
    void *cleanup;               /* registered __pthread_unwind_buf_t, innermost first */
    void *cleanup_old;           /* struct _pthread_cleanup_buffer of the old functions */
    void *unwind_exc;            /* the exception object of a forced unwinding */
    uint32_t poll_ops;           /* n_ops at the last call that only looked (testcancel, poll 0) */

    /* thread-specific data and thread_local destructors (interpose/keys.c) */
    void **keys;                 /* BURL_MAX_KEYS of them; NULL: it never had a value */
    uint32_t keys_used;          /* highest index used + 1 */
    void *tls_dtors;

    /* signals (interpose/signals.c) */
    uint64_t sig_blocked;
    uint64_t sig_pending;
    uint32_t sig_count;          /* handlers run; a wait that saw it change was interrupted */
    uint32_t sig_eintr;          /* of these, without SA_RESTART */
    void *sig_alt;               /* stack_t of sigaltstack, remembered only */
    void *wait_arg;              /* families' own: argument of the pending wait's predicate */

    struct burl_watch *watch;    /* detect/: NULL without observers */

    /* engine (fibers.c, threads.c) */
    void *engine_data;
    uintptr_t stack_lo;          /* its frames lie in [stack_lo, stack_hi); 0: main, or unknown */
    uintptr_t stack_hi;
    uintptr_t stack_least;       /* frames below: a stack overflow; 0: not known */
    uintptr_t tls_hi;            /* its thread-local variables in [stack_hi, tls_hi) */
    uintptr_t user_sp;           /* in the runtime: the program's stack pointer; 0 not known */
    uintptr_t live_sp;           /* when it last switched away: its frames begin here */
    uintptr_t foreign_lo;        /* in a search: what others access in its frames lies in */
    uintptr_t foreign_hi;        /* [foreign_lo, foreign_hi); both 0: nothing */
    uint64_t born;               /* exec.steps when it was created */
    uint32_t baton;              /* futex word of the OS-thread engine */
    uint32_t os_tid;             /* of the kernel, OS-thread engine only; 0 before it runs */
    void *fiber_sp;
    uintptr_t fs_base;
    uintptr_t gs_base;

    /* What a new thread need not find empty; behind the rest, so that few pages are touched */
    struct burl_spin_slot spin[BURL_SPIN_SLOTS]; /* valid: those with spin_epoch */
    struct burl_shadow stack[BURL_SHADOW_DEPTH]; /* outermost first, `depth` of them */
    struct burl_frame frames[BURL_SHADOW_DEPTH]; /* the same; only in a search */
};

/* Where burl_thread_unwind() jumps to when the stack of the thread is unwound: the trampoline of
 * interpose/thread.c, by __builtin_longjmp(frame->jmp, 1). Frames above its address are the
 * program's. */
struct burl_exit_frame {
    void *jmp[5];
};

/* True from the start of the process when a supervisor is there, before main too. */
extern bool burl_rt_supervised;

/* Sets it. Libraries that do not depend on the runtime are initialized before it: interposers of
 * what their constructors leave behind for every execution (keys, handlers, named semaphores) call
 * this first. Harmless at any time. */
void burl_rt_wake(void);
BURL_EXPORT int32_t __burl_is_alone(void); /* of objects that know two copies */
BURL_EXPORT int32_t __burl_which_copy(void);

/* The calling thread, NULL when it is not controlled (no supervisor, before main, in a child of
 * fork, in the harness). */
extern __thread struct burl_thread *burl_self __attribute__((tls_model("initial-exec")));

/* Begins an interposed call. NULL: pass straight through to BURL_REAL(name). Otherwise the
 * thread, with `inside` set; end with burl_rt_leave(t) on every path, and leave before calling
 * back into the program (start routines, once functions, destructors, handlers). */
static inline struct burl_thread *
burl_rt_enter(void)
{
    struct burl_thread *t = burl_self;

    if (BURL_LIKELY(t == NULL) || t->inside)
        return NULL;
    t->inside = 1;
    /* Of the interposed function, whose return address and saved register are not the program's. */
    t->user_sp = (uintptr_t)__builtin_frame_address(0) + 16;
    return t;
}

static inline void
burl_rt_leave(struct burl_thread *t)
{
    t->user_sp = 0;
    t->inside = 0;
}

/* Where the program called the interposed function from: the site of the call instruction. */
static inline uint32_t
burl_rt_site(const struct burl_thread *t)
{
    return t->call_site;
}

/* t has taken a lock. */
static inline void
burl_rt_took_lock(struct burl_thread *t)
{
    if (t->n_locks++ == 0)
        t->outer_site = burl_rt_site(t);
}

/* ---- memory of our own -------------------------------------------------------------------- */

void *burl_rt_alloc(size_t n);         /* zeroed, permanent; NULL never (ends the process) */
void *burl_exec_alloc(size_t n);       /* zeroed, until the end of this execution; NULL never */

#endif
