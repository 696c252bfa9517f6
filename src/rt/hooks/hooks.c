/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/hooks.c - the functions the instrumenter injects (listed in wire/site.h).
 *
 * Runs in the target at every access: the first test, "is this thread controlled", is all that a
 * program without a supervisor pays. A hook runs before its access, with no other thread running.
 */
#include <string.h>

#include "hooks.h"
#include "mail.h"
#include "rt/core/alias.h"
#include "rt/core/core.h"
#include "rt/core/event.h"
#include "rt/core/listener.h"
#include "rt/core/shadow.h"
#include "rt/core/stacks.h"
#include "rt/core/trace.h"
#include "rt/core/verdict.h"
#include "rt/cover/cover.h"
#include "rt/detect/observe.h"
#include "rt/free/cover_events.h"
#include "rt/free/frames.h"
#include "rt/history/history.h"
#include "rt/learn/learn.h"
#include "rt/learn/thin.h"
#include "rt/noise/noise.h"
#include "rt/sched/hot.h"

/* Control reaches this site. */
static inline void
raise_executed(uint32_t site_id)
{
    BURL_ON_EXECUTED(BURL_RAISE)
}

/* Can observers be notified of what t does in a hook? */
static inline bool
is_observable(const struct burl_thread *t)
{
    return t->watch != NULL && !t->inside;
}

/* With its copy of the thread's pointers, an object's hooks take the short path, which reports no
 * functions and lines. */
static inline void
fill_copy(struct burl_hot *copy)
{
    if (BURL_LIKELY((burl_ob_wants & (BURL_WANT_CALLS | BURL_WANT_LINES)) == 0) &&
        (burl_rt.ctl->order.flags & BURL_ORDER_F_MAIL) == 0)
        burl_free_fill_copy(copy);
}

/* Are events of a thread of free mode reported while it is alone? */
static inline bool
reports_alone(void)
{
    return BURL_UNLIKELY((burl_ob_wants & (BURL_WANT_ALONE | BURL_WANT_LINES)) != 0) &&
           burl_free_me != NULL;
}

/* Reports or records a site for which no observer is asked otherwise. */
static BURL_NOINLINE void
note_executed_rare(const struct burl_wire_site *site)
{
    if (burl_free_me != NULL)
        raise_executed(site->id);
    else if (burl_history_on)
        burl_history_mark(site, NULL);
}

static inline void
note_executed(const struct burl_wire_site *site)
{
    if (BURL_WANTS(BURL_WANT_ALONE | BURL_WANT_LINES | BURL_WANT_HISTORY))
        note_executed_rare(site);
}

/* ---- memory -------------------------------------------------------------- */

static uint32_t
learn_how(uint8_t kind)
{
    switch (kind) {
    case BURL_OP_WRITE:
    case BURL_OP_ATOMIC_STORE:
        return BURL_LEARN_WRITE | BURL_LEARN_STORES;
    case BURL_OP_ATOMIC_RMW:
        return BURL_LEARN_READ | BURL_LEARN_WRITE | BURL_LEARN_STORES;
    case BURL_OP_ATOMIC_CAS:
        return BURL_LEARN_READ | BURL_LEARN_WRITE;
    default:
        return BURL_LEARN_READ;
    }
}

/* A scheduling point, or a read that polls. */
static BURL_NOINLINE void
access_point(struct burl_thread *t, const struct burl_op *op, bool polls, uintptr_t sp)
{
    t->inside = BURL_INSIDE_HOOK;
    t->user_sp = sp;
    if (polls)
        burl__sched_poll_point(t, op);
    else
        burl_sched_point(t, op);
    t->user_sp = 0;
    t->inside = 0;
}

/* An access has its turn and something rare listens. */
static BURL_NOINLINE void
raise_access(struct burl_thread *t, const struct burl_op *op)
{
    t->inside = BURL_INSIDE_HOOK;
    BURL_ON_ACCESS_RARE(BURL_RAISE)
    t->inside = 0;
}

/* The program is about to write into the control block. It ends before it does. */
BURL_NORETURN static BURL_NOINLINE void
wild_write(struct burl_thread *t, uintptr_t addr)
{
    t->inside = BURL_INSIDE_HOOK;
    burl_rt_finding(BURL_VERDICT_WILD_WRITE, addr, NULL);
}

static inline bool
is_in_block(uintptr_t addr, uint64_t n)
{
    return addr + n - 1 - (uintptr_t)burl_rt.ctl < burl_rt.ctl_b + n - 1;
}

/* What an access does, in one word: with a seventh argument the hooks could not jump to
 * access_hot(), and would leave a frame of theirs on the stack. */
enum access_how {
    ACCESS_READS = 0,
    ACCESS_WRITES = 1u << 0,
    ACCESS_TEARS = 1u << 1,  /* it may be done in parts: larger than a word, or across two */
    ACCESS_OBJECT = 1u << 3, /* of a sync object, by its own functions */
    ACCESS_CALL = 1u << 2,   /* what the hook stands for need not follow it at once; it tears too */
    ACCESS_LOAD = 1u << 4    /* one load instruction */
};

static inline uint32_t
shape_of(uintptr_t addr, uint64_t n, const struct burl_wire_site *site, bool write)
{
    uint32_t how = write ? ACCESS_WRITES : ACCESS_READS;

    if (site->kind == BURL_SITE_RANGE_READ || site->kind == BURL_SITE_RANGE_WRITE)
        return how | ACCESS_CALL;
    if ((site->flags & BURL_SITE_F_MERGED) != 0)
        return how | ACCESS_TEARS;
    if (n > 8 || (addr & 7) + n > 8)
        how |= ACCESS_TEARS;
    return write ? how : how | ACCESS_LOAD;
}

static inline bool
is_thinned(const struct burl_thread *t, const struct burl_op *op, bool plain, bool write)
{
    if (!plain || op->aux > 8 || op->in_call || op->object)
        return false;
    return burl__thin_skips(t, op->site, op->addr, (uint32_t)op->aux, write);
}

static inline void
access_hot(struct burl_thread *t, uintptr_t addr, uint64_t n, uint32_t site, uint8_t kind,
           uint32_t how)
{
    const bool write = (how & ACCESS_WRITES) != 0;
    struct burl_op op = {
        .kind = kind,
        .tears = (how & (ACCESS_TEARS | ACCESS_CALL)) != 0,
        .size_b = n < 255 ? (uint8_t)n : 255,
        .in_call = (how & ACCESS_CALL) != 0,
        .object = (how & ACCESS_OBJECT) != 0,
        .site = site,
        .addr = addr,
        .aux = n,
    };
    const bool several = burl_rt.exec.n_alive > 1; /* others may end meanwhile */
    const bool plain = kind == BURL_OP_READ || kind == BURL_OP_WRITE;
    /* The hooks jump here, and one that does not has a frame below the program's. */
    const uintptr_t sp = (uintptr_t)__builtin_frame_address(0) + 16;
    enum burl_spin_read spin = BURL_SPIN_NONE;
    bool point;

    if (BURL_UNLIKELY(t->inside))
        return;
    addr = op.addr = burl_alias(addr);
    raise_executed(site);
    t->last_site = site; /* where a fault of ours or of the program will be placed */
    t->last_op = kind;
    t->sync_epoch += !plain;
    if (write && BURL_UNLIKELY(is_in_block(addr, n)))
        wild_write(t, addr);
    if (BURL_UNLIKELY(burl_rt.trace))
        burl__trace_close(t);
    point =
        several && (burl_rt.all_points || (site < burl_rt.points_n && burl_rt.points[site] != 0));
    if (!write && n <= 8)
        spin = burl__spin_read(t, site, addr, (uint32_t)n);
    if (BURL_UNLIKELY(burl_rt.exec.steps >= burl_rt.thin_from) && several &&
        spin == BURL_SPIN_NONE && is_thinned(t, &op, plain, write)) {
        burl__commit_thinned(t, &op, write);
        BURL_ON_ACCESS_CHECK(BURL_RAISE)
        return;
    }
    if ((point && spin != BURL_SPIN_RETRY) || spin == BURL_SPIN_POLL)
        access_point(t, &op, spin == BURL_SPIN_POLL, sp);
    else
        burl__commit_access(t, &op, write);
    BURL_ON_ACCESS(BURL_RAISE)
}

static BURL_NOINLINE void
access_slow(struct burl_thread *t, uintptr_t addr, uint64_t n, uint32_t site, uint8_t kind,
            uint32_t how)
{
    access_hot(t, addr, n, site, kind, how);
}

/* From hooks/hot.c, in free mode. */
static BURL_NOINLINE void
access_cold(uintptr_t addr, uint64_t n, const struct burl_wire_site *site, struct burl_hot *copy,
            bool write)
{
    struct burl_free_thread *f = burl_free_me;

    if (f == NULL)
        return;
    fill_copy(copy);
    burl_noise_access(f, addr, n, site);
    raise_executed(site->id);
    if (burl_free_self != NULL) {
        burl_free_range(burl_free_self, addr, n, site, write ? BURL_ENTRY_KIND : BURL_ENTRY_PLAIN);
        return;
    }
    BURL_FREE_ON_ALONE(BURL_RAISE)
}

static inline void
access_any(uintptr_t addr, uint64_t n, const struct burl_wire_site *site, struct burl_hot *copy,
           bool write)
{
    struct burl_thread *t = burl_self;

    if (BURL_LIKELY(t != NULL))
        access_hot(t, addr, n, site->id, write ? BURL_OP_WRITE : BURL_OP_READ,
                   shape_of(addr, n, site, write));
    else if (burl_free_self != NULL || burl_noise_on || reports_alone())
        access_cold(addr, n, site, copy, write);
    else if (burl_history_on)
        burl_history_mark(site, copy);
    else if (burl_rt.ctl == NULL && copy != NULL)
        copy->seen = BURL_HOT_IDLE; /* started without burl: that object need not ask again */
}

BURL_EXPORT void
__burl_read_cold(uintptr_t addr, uint64_t n, const struct burl_wire_site *site,
                 struct burl_hot *copy)
{
    struct burl_free_thread *f = burl_free_self;

    if (f != NULL && f->metric_only != 0) {
        burl_free_metric_read(f, addr, n, site);
        return;
    }
    access_any(addr, n, site, copy, false);
}

BURL_EXPORT void
__burl_write_cold(uintptr_t addr, uint64_t n, const struct burl_wire_site *site,
                  struct burl_hot *copy)
{
    struct burl_free_thread *f = burl_free_self;

    if (f != NULL && f->metric_only != 0) {
        burl_free_metric_write(f, addr, n, site);
        return;
    }
    access_any(addr, n, site, copy, true);
}

BURL_EXPORT void
__burl_read_str(const char *s, const struct burl_wire_site *site)
{
    struct burl_thread *t = burl_self;

    note_executed(site);
    if (s != NULL)
        burl_noise_access(burl_free_me, (uintptr_t)s, 1, site);
    if (burl_free_self != NULL && s != NULL)
        burl_free_range(burl_free_self, (uintptr_t)s, strlen(s) + 1, site, BURL_ENTRY_PLAIN);
    if (BURL_UNLIKELY(t != NULL) && s != NULL)
        access_slow(t, (uintptr_t)s, strlen(s) + 1, site->id, BURL_OP_READ, ACCESS_CALL);
}

BURL_EXPORT uint64_t
__burl_strlen(const char *s)
{
    return (burl_self != NULL || burl_free_self != NULL) && s != NULL ? strlen(s) : 0;
}

/* libstdc++'s node of a tree. Its head is red and has the root as its parent. */
struct tree_node {
    int color; /* 0: red */
    const struct tree_node *parent;
    const struct tree_node *left;
    const struct tree_node *right;
};

static bool
is_head(const struct tree_node *x)
{
    return x->color == 0 && x->parent != NULL && x->parent->parent == x;
}

/* A tree that another thread is changing may have no way up: the bound is above the height of any
 * tree that fits into memory. */
BURL_EXPORT const void *
__burl_tree(const void *node)
{
    const struct tree_node *x = node;

    if ((burl_self == NULL && burl_free_self == NULL) || x == NULL)
        return node;
    for (int i = 0; i < 128 && x != NULL; i++) {
        if (is_head(x))
            return x;
        x = x->parent;
    }
    return node;
}

/* ---- atomics ------------------------------------------------------------- */

static BURL_NOINLINE void
observe_atomic(struct burl_thread *t, uintptr_t addr, const struct burl_wire_site *site,
               bool stored)
{
    t->inside = BURL_INSIDE_HOOK;
    burl_ob_atomic_post(t->watch, addr, site, stored);
    t->inside = 0;
}

/* ---- volatile accesses, which come with the hooks of atomic ones --------- */

static inline bool
is_volatile(const struct burl_wire_site *site)
{
    return site->kind <= BURL_SITE_WRITE;
}

static BURL_NOINLINE void
volatile_pre(uintptr_t at, const struct burl_wire_site *site)
{
    const uintptr_t addr = burl_alias(at);
    const bool write = site->kind == BURL_SITE_WRITE;
    struct burl_thread *t = burl_self;

    if (t != NULL) {
        access_slow(t, addr, site->size_b, site->id, write ? BURL_OP_WRITE : BURL_OP_READ,
                    shape_of(addr, site->size_b, site, write));
        return;
    }
    if (!write) {
        __burl_read_cold(addr, site->size_b, site, NULL);
        return;
    }
    __burl_write_cold(addr, site->size_b, site, NULL);
    if (burl_free_self != NULL)
        burl_free_volatile_store(burl_free_self, addr);
}

static BURL_NOINLINE void
volatile_post(uintptr_t at, const struct burl_wire_site *site)
{
    const uintptr_t addr = burl_alias(at);
    struct burl_thread *t = burl_self;

    if (burl_free_self != NULL && site->kind == BURL_SITE_READ)
        burl_free_volatile_load(burl_free_self, addr);
    if (t == NULL || !is_observable(t) || burl_ob_mask == 0)
        return;
    t->inside = BURL_INSIDE_HOOK;
    burl_ob_volatile(t->watch, addr, site->kind == BURL_SITE_WRITE);
    t->inside = 0;
}

/* With BURL_ORDER_F_VOLATILE, under control. In free mode the sites themselves say so. */
static struct burl_wire_site
as_atomic(const struct burl_wire_site *site)
{
    struct burl_wire_site s = *site;

    burl_rt_make_atomic(&s);
    return s;
}

static inline bool
takes_for_atomic(const struct burl_wire_site *site)
{
    return burl_self != NULL && is_volatile(site) &&
           (burl_rt.ctl->order.flags & BURL_ORDER_F_VOLATILE) != 0;
}

/* ---- atomics, continued --------------------------------------------------- */

/* A compare-exchange or another update counts as a read before it happens, because most
 * loops around one wait for it to succeed (a lock by test-and-set finds it free);
 * __burl_atomic_post() reports when it did. */
static void
atomic_pre(void *addr, const struct burl_wire_site *site)
{
    struct burl_thread *t = burl_self;
    uint8_t kind;

    addr = (void *)burl_alias((uintptr_t)addr);
    note_executed(site);
    burl_noise_access(burl_free_me, (uintptr_t)addr, site->size_b != 0 ? site->size_b : 8, site);
    if (burl_free_self != NULL)
        burl_free_atomic_pre(burl_free_self, (uintptr_t)addr, site);
    if (BURL_LIKELY(t == NULL))
        return;
    kind = burl_op_of_atomic(site->kind);
    if (kind != BURL_OP_ATOMIC_LOAD && !t->inside && is_in_block((uintptr_t)addr, 1)) {
        t->last_site = site->id;
        t->last_op = kind;
        wild_write(t, (uintptr_t)addr);
    }
    access_slow(t, (uintptr_t)addr, site->size_b != 0 ? site->size_b : 8, site->id, kind,
                kind == BURL_OP_ATOMIC_STORE ? ACCESS_WRITES : ACCESS_READS);
    if (kind == BURL_OP_ATOMIC_RMW)
        t->rmw_old = burl_load_value((uintptr_t)addr, site->size_b);
}

BURL_EXPORT void
__burl_atomic_pre(void *addr, const struct burl_wire_site *site)
{
    if (BURL_UNLIKELY(takes_for_atomic(site))) {
        const struct burl_wire_site s = as_atomic(site);

        atomic_pre(addr, &s);
    } else if (is_volatile(site)) {
        volatile_pre((uintptr_t)addr, site);
    } else {
        atomic_pre(addr, site);
    }
}

static void
atomic_post(void *addr, const struct burl_wire_site *site, int32_t stored)
{
    struct burl_thread *t = burl_self;

    addr = (void *)burl_alias((uintptr_t)addr);
    if (burl_free_self != NULL)
        burl_free_atomic_post(burl_free_self, (uintptr_t)addr, site, stored != 0);
    else if (burl_free_wants(BURL_WANT_ALONE) || burl_free_wants(BURL_WANT_SYNC))
        burl__free_notify_atomic(burl_free_me, (uintptr_t)addr, site, stored != 0);
    if (BURL_LIKELY(t == NULL) || t->inside)
        return;
    BURL_ON_ATOMIC(BURL_RAISE)
    if (site->kind == BURL_SITE_ATOMIC_RMW)
        stored = site->size_b > 8 || burl_load_value((uintptr_t)addr, site->size_b) != t->rmw_old;
    else if (site->kind != BURL_SITE_ATOMIC_CAS)
        return;
    if (stored) {
        if (burl_rt.learn && site->kind == BURL_SITE_ATOMIC_CAS && burl_rt.exec.n_alive > 1)
            burl__learn_access(t, site->id, (uintptr_t)addr, site->size_b,
                               BURL_LEARN_WRITE | BURL_LEARN_STORES);
        burl_rt.exec.progress++;
        burl__spin_progress(t);
    } else if (burl_rt.trace && site->kind == BURL_SITE_ATOMIC_CAS) {
        burl_trace_note(t, BURL_EV_F_FAILED, site->size_b);
    }
}

BURL_EXPORT void
__burl_atomic_post(void *addr, const struct burl_wire_site *site, int32_t stored)
{
    if (BURL_UNLIKELY(takes_for_atomic(site))) {
        const struct burl_wire_site s = as_atomic(site);

        atomic_post(addr, &s, stored);
    } else if (is_volatile(site)) {
        volatile_post((uintptr_t)addr, site);
    } else {
        atomic_post(addr, site, stored);
    }
}

BURL_EXPORT void
__burl_fence(const struct burl_wire_site *site)
{
    struct burl_thread *t = burl_self;
    struct burl_op op = { .kind = BURL_OP_FENCE };

    note_executed(site);
    burl_noise_access(burl_free_me, 0, 0, site);
    if (burl_free_self != NULL)
        burl_free_fence(burl_free_self, site);
    if (BURL_LIKELY(t == NULL) || t->inside)
        return;
    t->inside = BURL_INSIDE_HOOK;
    raise_executed(site->id);
    op.site = site->id;
    burl__sched_commit(t, &op);
    if (BURL_UNLIKELY(burl_ob_mask != 0) && t->watch != NULL &&
        (site->flags & BURL_SITE_F_SINGLE_THREAD) == 0) {
        t->watch->at = site->id;
        burl_ob_fence(t->watch, site->order);
    }
    t->inside = 0;
}

void
burl_rt_call_access(struct burl_thread *t, const volatile void *addr, uint64_t n, bool write)
{
    const uint8_t inside = t->inside;

    if (t->call_site == 0)
        return;
    t->inside = 0;
    access_slow(t, (uintptr_t)addr, n, t->call_site, write ? BURL_OP_WRITE : BURL_OP_READ,
                (write ? ACCESS_WRITES : ACCESS_READS) | (n > 8 ? ACCESS_TEARS : 0) |
                    ACCESS_OBJECT);
    t->inside = inside;
}

/* ---- calls and stacks ---------------------------------------------------- */

/* Stands for the state of library functions, by enum burl_wire_hidden. Nothing writes it. */
static uint8_t hidden_states[BURL_HIDDEN__N][8];

/* The state of a library function is memory like any other, and its call an access. A function that
 * two threads may call at a time synchronizes, but orders nothing else: an update that observers
 * are not notified of. */
static BURL_NOINLINE void
hidden_access(struct burl_thread *t, const struct burl_wire_site *site)
{
    const uint32_t what = site->size_b & BURL_HIDDEN_MASK;
    const bool write = (site->size_b & BURL_HIDDEN_CHANGES) != 0;
    const uint8_t plain = write ? BURL_OP_WRITE : BURL_OP_READ;

    BURL_TELL(library_call, t, site);
    if (what >= BURL_HIDDEN_STATES)
        access_slow(t, (uintptr_t)hidden_states[what], 1, site->id,
                    (site->size_b & BURL_HIDDEN_UNSAFE) != 0 ? plain : BURL_OP_ATOMIC_RMW,
                    write ? ACCESS_WRITES : ACCESS_READS);
}

BURL_EXPORT void
__burl_call_cold(const struct burl_wire_site *site, struct burl_hot *copy)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_thread *t = burl_self;

    if (f != NULL) {
        fill_copy(copy);
        raise_executed(site->id);
        f->call_site = burl_free_code(f, site);
    } else if (t != NULL) {
        raise_executed(site->id);
        t->call_site = site->id;
        t->lib_calls++;
        if (BURL_UNLIKELY(site->size_b != 0))
            hidden_access(t, site);
    } else if (burl_history_on) {
        burl_history_call(site, copy);
    }
}

static BURL_NOINLINE void
observe_enter(struct burl_thread *t, uint32_t depth, uint32_t site, uintptr_t sp)
{
    if (!is_observable(t))
        return;
    t->inside = BURL_INSIDE_HOOK;
    if (burl_rt.ctl->order.context != 0)
        t->watch->call_from = burl__cover_call_from(t->watch, depth, sp);
    burl_ob_enter(t->watch, depth, site, sp);
    t->inside = 0;
}

static BURL_NOINLINE void
observe_leave(struct burl_thread *t)
{
    if (!is_observable(t))
        return;
    t->inside = BURL_INSIDE_HOOK;
    burl_ob_leave(t->watch, t->depth);
    t->inside = 0;
}

static void *
free_enter(struct burl_free_thread *f, const struct burl_wire_site *site, const uint32_t *word,
           uintptr_t sp)
{
    void *mark = burl_free_enter(f, burl_free_code(f, site), word);
    const uint32_t depth = (uint32_t)((uintptr_t)mark - 1);

    raise_executed(site->id);
    BURL_FREE_ON_ENTER(BURL_RAISE)
    return mark;
}

static BURL_NOINLINE void *
enter_any(const struct burl_wire_site *site, const uint32_t *word, struct burl_hot *copy,
          uintptr_t sp)
{
    struct burl_thread *t = burl_self;
    uintptr_t depth;

    if (burl_free_me != NULL) {
        fill_copy(copy);
        return free_enter(burl_free_me, site, word, sp);
    }
    if (BURL_LIKELY(t == NULL)) {
        if (burl_history_on)
            burl_history_enter(site, copy);
        return NULL;
    }
    depth = t->depth++;
    t->left_site = 0;
    if (depth < BURL_SHADOW_DEPTH)
        t->stack[depth] = (struct burl_shadow){ .word = word, .func = site->id };
    raise_executed(site->id);
    BURL_ON_ENTER(BURL_RAISE)
    if (BURL_UNLIKELY(burl__stack_is_over(t, sp)))
        burl__stack_overflow(sp);
    return (void *)(depth + 1);
}

/* The mark is the depth before the call, plus one so that it is never NULL. The hot hook jumped
 * here, so our frame is next to that of the function. */
BURL_EXPORT void *
__burl_func_enter_cold(const struct burl_wire_site *site, const uint32_t *word,
                       struct burl_hot *copy)
{
    const uintptr_t sp = (uintptr_t)__builtin_frame_address(0) + 16;
    struct burl_free_thread *f = burl_free_me;

    if (f != NULL && f->metric_only != 0)
        return burl_free_metric_call(f, site, word, sp);
    return enter_any(site, word, copy, sp);
}

/* One or more functions of the calling thread have ended; `depth` are live. */
static inline void
leave_to(uint32_t depth)
{
    struct burl_free_thread *f = burl_free_me;
    struct burl_thread *t = burl_self;

    if (f != NULL) {
        if (BURL_UNLIKELY(burl_mail_logs))
            burl__mail_left_free(f, depth);
        f->depth = depth;
        if (BURL_UNLIKELY(depth < f->handler_floor))
            burl_free_handler_left(f);
        BURL_FREE_ON_LEAVE(BURL_RAISE)
    }
    if (BURL_LIKELY(t == NULL))
        return;
    if (BURL_UNLIKELY(burl_mail_logs))
        burl__mail_left(t, depth); /* needs the functions that have ended */
    t->depth = depth;
    t->left_site = t->last_site;
    BURL_ON_LEAVE(BURL_RAISE)
}

BURL_EXPORT void
__burl_func_exit_cold(void *mark)
{
    struct burl_free_thread *f = burl_free_me;

    if (f != NULL && f->metric_only != 0)
        f->depth = (uint32_t)((uintptr_t)mark - 1);
    else
        leave_to((uint32_t)((uintptr_t)mark - 1));
}

/* After an exception or a longjmp the callee's frames are gone; this function's own is still
 * there. */
BURL_EXPORT void
__burl_func_resync(void *mark)
{
    if (mark != NULL)
        leave_to((uint32_t)(uintptr_t)mark);
}

/* Only in programs built with --blocks. */
BURL_EXPORT void
__burl_block(const struct burl_wire_site *site)
{
    struct burl_thread *t = burl_self;

    if (BURL_LIKELY(burl_ob_wants == 0))
        return;
    if (burl_free_me != NULL) {
        raise_executed(site->id);
        burl__free_notify_block(burl_free_me, site);
        return;
    }
    if (t == NULL || t->inside) {
        if (burl_history_on)
            burl_history_mark(site, NULL);
        return;
    }
    raise_executed(site->id);
    if ((burl_ob_wants & BURL_WANT_BLOCKS) == 0 || !is_observable(t))
        return;
    t->inside = BURL_INSIDE_HOOK;
    burl_ob_block(t->watch, site->id);
    t->inside = 0;
}
