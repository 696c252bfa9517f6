/* SPDX-License-Identifier: Apache-2.0 */
/*
 * free/thread.c - threads of free mode, and the clock slots they live in.
 *
 * A slot is a component of every clock. There are 255; a new thread takes, in this order: the slot
 * of a thread whose end its creator knows of (nothing can be lost: whatever the old thread did is
 * ordered before the new one), a slot never used, the slot whose thread ended longest ago (a race
 * between these two threads would not be seen). A slot's clock goes on with the next owner, so
 * an epoch belongs to one thread for ever. A slot whose clock has run out is spent, and its thread
 * goes on in another.
 *
 * A thread ends in the last round of its key destructors: thread_local and key destructors of the
 * program are part of its life. The memory of a struct burl_free_thread is used again when the
 * thread was joined, or ended detached.
 */
#include <pthread.h>
#include <string.h>

#include "calls.h"
#include "free_int.h"
#include "rt/core/real.h"

#define N_HANDLES 1024u

struct burl_free burl_free;
BURL_EXPORT __thread struct burl_free_thread *burl_free_self;
BURL_EXPORT __thread struct burl_free_thread *burl_free_me;

static struct burl_free_thread *handles[N_HANDLES]; /* by pthread_t */
static struct burl_free_thread *unused;
static pthread_key_t end_key;
static bool has_end_key;

#define END_ROUNDS 4u /* PTHREAD_DESTRUCTOR_ITERATIONS of glibc */

/* ---- slots ---------------------------------------------------------------------------------- */

static struct burl_slot *
slot_choose(const struct burl_free_thread *parent)
{
    struct burl_slot *oldest = NULL;

    for (uint32_t i = 0; i < burl_free.n_slots; i++) {
        struct burl_slot *s = &burl_free.slots[i];

        if (s->used || s->clock >= BURL_ENTRY_CLOCK_MAX - 1)
            continue;
        if (parent != NULL && parent->hb[i] >= s->clock)
            return s;
        if (oldest == NULL || s->ended_at < oldest->ended_at)
            oldest = s;
    }
    if (burl_free.n_slots < BURL_ENTRY_SLOTS) {
        uint32_t n = burl_free.n_slots;

        burl_free.slots[n].ring = burl__arena_alloc(BURL_RING_N * sizeof(uint64_t));
        burl_free.slots[n].past =
            burl__arena_alloc(BURL_SLOT_PAST * sizeof burl_free.slots[n].past[0]);
        /* relaxed: a component of the new slot is known only by synchronization with its thread */
        __atomic_store_n(&burl_free.n_slots, n + 1, __ATOMIC_RELAXED);
        return &burl_free.slots[n];
    }
    return oldest;
}

static void
slot_enter(struct burl_free_thread *f, struct burl_slot *s)
{
    s->used = true;
    s->ended = false;
    s->owner = f;
    f->slot = (uint32_t)(s - burl_free.slots);
    f->clock = s->clock + 1;
    f->first_clock = f->clock;
    f->hb[f->slot] = f->clock;
    f->epoch = burl_entry_epoch(f->slot, f->clock);
    f->ring = s->ring;
    f->ring_at = s->ring_at;
    f->dirty = false;
    f->changed = true;
    s->past[s->n_past % BURL_SLOT_PAST].from = f->clock;
    s->past[s->n_past % BURL_SLOT_PAST].tid = f->tid;
    s->n_past++;
    burl_free_special_changed(f);
}

static void
slot_leave(struct burl_free_thread *f)
{
    struct burl_slot *s = &burl_free.slots[f->slot];

    s->clock = f->clock;
    s->ring_at = f->ring_at;
    s->ended = true;
    s->ended_at = ++burl_free.n_ended;
}

uint16_t
burl__slot_tid(uint32_t slot, uint32_t clock)
{
    const struct burl_slot *s = &burl_free.slots[slot];
    uint32_t n = s->n_past < BURL_SLOT_PAST ? s->n_past : BURL_SLOT_PAST;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = (s->n_past - 1 - i) % BURL_SLOT_PAST;

        if (s->past[k].from <= clock)
            return s->past[k].tid;
    }
    return BURL_TID_NONE;
}

bool
burl__slot_renew(struct burl_free_thread *f)
{
    struct burl_slot *s;
    uint64_t mask;

    burl__free_lock(&mask);
    s = slot_choose(f);
    if (s != NULL) {
        slot_leave(f); /* `used` stays set: it is spent */
        slot_enter(f, s);
    }
    burl__free_unlock(mask);
    if (s == NULL)
        burl__free_stop(BURL_COUNTER_CLOCKS_FULL,
                        "the program synchronized more often than there are clock values");
    return s != NULL;
}

/* ---- observing ------------------------------------------------------------------------------ */

void
burl_free_special_changed(struct burl_free_thread *f)
{
    f->special = burl_free.more || f->ignore_reads != 0 || f->ignore_writes != 0;
    f->pairs = burl_free.pairs && !f->special;
    f->race = burl_free.race;
    f->metric_only = burl__metrics_alone(f);
    f->direct = __atomic_load_n(&burl_free_direct, __ATOMIC_RELAXED);
    f->pair_slot = burl__pair_slot(f);
    /* No entry has slot 255 in its first word, so nothing is the same as this. */
    f->same = f->special ? UINT64_MAX : f->epoch | 0xffffffffull;
    if (f == burl_free_me)
        burl__thread_become(burl_free_self, f);
}

/* Of a thread that is not watched. */
static const struct burl_wire_scope *no_scope;

static void
copy_set(struct burl_hot *copy, struct burl_free_thread *self, struct burl_free_thread *me)
{
    bool pairs = self != NULL && self->pairs;

    if (burl_noise_on) /* every access takes the long way, on which the noise is */
        self = NULL;
    copy->self = pairs ? NULL : self;
    copy->me = me;
    copy->scope = me != NULL ? &me->scope : &no_scope;
    copy->pairs = pairs ? self : NULL;
}

void
burl__thread_become(struct burl_free_thread *self, struct burl_free_thread *me)
{
    struct burl_free_thread *f = me != NULL ? me : burl_free_me;

    burl_free_self = self;
    burl_free_me = me;
    for (uint32_t i = 0; f != NULL && i < f->n_copies; i++)
        copy_set(f->copies[i], self, me);
}

bool
burl_free_is_alone(void)
{
    /* relaxed: it changes while threads come and go, whatever the order */
    return __atomic_load_n(&burl_free.n_unjoined, __ATOMIC_RELAXED) <= 1;
}

uint32_t
burl_free_call_site(void)
{
    return burl__site_of(burl_free_me->call_site);
}

void
burl_free_fill_copy(struct burl_hot *copy)
{
    struct burl_free_thread *f = burl_free_me;

    if (copy == NULL || f == NULL)
        return;
    for (uint32_t i = 0; i < f->n_copies; i++) {
        if (f->copies[i] == copy)
            return;
    }
    if (f->n_copies == BURL_FREE_COPIES)
        return;
    f->copies[f->n_copies++] = copy;
    copy_set(copy, burl_free_self, f);
}

void
burl__thread_set_observed(struct burl_free_thread *f, bool on)
{
    f->observed = on && burl_free.on;
    burl__thread_become(f->observed ? f : NULL, f);
}

void
burl__free_stop(enum burl_wire_counter counter, const char *text)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    if (!burl_free.on)
        return;
    /* relaxed: threads that notice later observe a little longer */
    __atomic_store_n(&burl_free.on, false, __ATOMIC_RELAXED);
    r->counters[counter]++;
    strncpy(r->text, text, sizeof r->text - 1);
    if (r->irreversible == 0)
        r->irreversible = 1;
    burl__thread_become(NULL, burl_free_me);
}

void
burl__free_disturbed(const char *text)
{
    struct burl_wire_result *r = &burl_rt.ctl->result;

    burl__free_stop(BURL_COUNTER_SHADOW_FULL, text);
    r->irreversible = BURL_FREE_DISTURBED;
}

/* ---- life ----------------------------------------------------------------------------------- */

static struct burl_free_thread *
thread_new(const struct burl_free_thread *parent)
{
    struct burl_free_thread *f = unused;
    struct burl_slot *s = slot_choose(parent);

    if (s == NULL)
        return NULL;
    if (f != NULL) {
        unused = f->next;
        memset(f, 0, offsetof(struct burl_free_thread, metric));
    } else {
        f = burl__arena_alloc(sizeof *f);
    }
    f->tid = (uint16_t)burl_free.n_threads++;
    if (parent != NULL)
        memcpy(f->hb, parent->hb, sizeof f->hb);
    slot_enter(f, s);
    burl__ring_mark(f);
    burl__blocked_thread_new(f);
    burl_free.n_unjoined++;
    if (burl_free.n_unjoined > burl_rt.ctl->result.max_threads)
        burl_rt.ctl->result.max_threads = burl_free.n_unjoined;
    return f;
}

static struct burl_free_thread **
handle_bucket(uint64_t handle)
{
    return &handles[(handle >> 12) % N_HANDLES];
}

static void
handle_put(struct burl_free_thread *f, uint64_t handle)
{
    struct burl_free_thread **at = handle_bucket(handle);

    if (f->handle != 0)
        return; /* parent and child both come here; the first one does it */
    f->handle = handle;
    f->next = *at;
    *at = f;
}

static struct burl_free_thread *
handle_find(uint64_t handle, bool remove)
{
    for (struct burl_free_thread **p = handle_bucket(handle); *p != NULL; p = &(*p)->next) {
        struct burl_free_thread *f = *p;

        if (f->handle != handle)
            continue;
        if (remove)
            *p = f->next;
        return f;
    }
    return NULL;
}

/* No thread needs it any more. */
static void
thread_retire(struct burl_free_thread *f)
{
    burl_free.slots[f->slot].used = false;
    f->next = unused;
    unused = f;
}

static void
thread_end(struct burl_free_thread *f)
{
    uint64_t mask;

    burl_free_handler_left(
        f); /* canceled in the middle of an operation, or by an exit in a handler */
    burl__free_notify_thread_end(f);
    burl__locks_abandoned(f);
    burl__thread_become(NULL, NULL);
    burl__free_lock(&mask);
    burl__blocked_thread_end(f);
    f->ended = true;
    slot_leave(f);
    if (f->detached)
        thread_retire(f);
    burl__free_unlock(mask);
}

/* Destructor of our key: puts it off until the last round. */
static void
end_key_destructor(void *arg)
{
    struct burl_free_thread *f = arg;

    if (f != burl_free_me)
        return; /* the child of a fork */
    if (++f->end_rounds < END_ROUNDS && BURL_REAL(pthread_setspecific)(end_key, f) == 0)
        return;
    thread_end(f);
}

static void
thread_find_stack(struct burl_free_thread *f, uintptr_t frame)
{
    pthread_attr_t attr;
    void *lo;
    size_t n;

    /* For a thread other than main this reads the descriptor and allocates nothing. */
    if (pthread_getattr_np(pthread_self(), &attr) != 0)
        return;
    if (pthread_attr_getstack(&attr, &lo, &n) == 0) {
        f->stack_lo = (uintptr_t)lo;
        f->stack_hi = (uintptr_t)lo + n;
    }
    pthread_attr_destroy(&attr);
    /* glibc puts descriptor and TLS of a thread at the top of its stack, above the first frame. */
    f->tls_hi = f->stack_hi;
    f->tls_lo = frame;
}

static void
thread_begin(struct burl_free_thread *f)
{
    uint64_t mask;

    burl_free_me = f;
    burl__blocked_thread_begin(f);
    thread_find_stack(f, (uintptr_t)__builtin_frame_address(0));
    burl__free_lock(&mask);
    if (!f->detached)
        handle_put(f, (uint64_t)pthread_self());
    burl__free_unlock(mask);
    /* Whatever was in this memory before belonged to others. */
    if (f->stack_hi != 0 && burl_free.on) {
        burl__shadow_clear(f->stack_lo, f->stack_hi - f->stack_lo);
        burl__free_notify_forget(f, f->stack_lo, f->stack_hi - f->stack_lo);
    }
    if (has_end_key)
        (void)BURL_REAL(pthread_setspecific)(end_key, f);
    burl__free_signals_thread(f);
    burl__free_notify_thread_begin(f);
    burl_free_special_changed(f);
    burl__thread_set_observed(f, true);
}

static void *
thread_run(void *arg)
{
    struct burl_free_thread *f = arg;

    thread_begin(f);
    return f->start(f->arg);
}

static int
thread_run_c11(void *arg)
{
    struct burl_free_thread *f = arg;

    thread_begin(f);
    return f->start_c11(f->arg);
}

void
burl__thread_init_main(void)
{
    struct burl_free_thread *f = thread_new(NULL);

    handle_put(f, (uint64_t)pthread_self());
    burl_free_me = f;
    burl__blocked_thread_begin(f);
    burl__free_notify_create(NULL, f);
    has_end_key = BURL_REAL(pthread_key_create)(&end_key, end_key_destructor) == 0;
    if (has_end_key)
        (void)BURL_REAL(pthread_setspecific)(end_key, f);
}

/* ---- create, join, detach ------------------------------------------------------------------- */

/* The births of threads are in the trace area: wire/control.h. */
static void
thread_note_birth(const struct burl_free_thread *me, const struct burl_free_thread *f)
{
    struct burl_wire_ctl *ctl = burl_rt.ctl;
    struct burl_wire_event *e =
        (struct burl_wire_event *)(void *)((char *)ctl + ctl->trace_off) + ctl->result.n_events;

    if (ctl->result.n_events >= ctl->trace_n)
        return;
    memset(e, 0, sizeof *e);
    e->kind = BURL_OP_CREATE;
    e->tid = me->tid;
    e->aux = f->tid;
    e->site = burl__site_of(burl__user_code(me));
    ctl->result.n_events++;
}

static struct burl_free_thread *
thread_create_begin(struct burl_free_thread *me, uintptr_t start)
{
    struct burl_free_thread *f;
    uint64_t mask;

    if (!burl_free.on && !burl_free.unwatched)
        return NULL;
    burl_free.ever = burl_free.on;
    if (!me->observed)
        burl__thread_set_observed(me, true);
    burl__free_lock(&mask);
    f = thread_new(me);
    if (f != NULL) {
        thread_note_birth(me, f);
        if (burl_noise_on)
            f->role = burl_noise_birth(
                me, burl__stack_hash(me, burl__site_of(me->call_site), BURL_FREE_DEPTH), start);
    }
    burl__free_unlock(mask);
    if (f == NULL) {
        burl__free_stop(BURL_COUNTER_CLOCKS_FULL, "more than 255 threads at the same time");
        return NULL;
    }
    burl__free_notify_create(me, f);
    /* The child has our clock; what we do from now on is not part of it. */
    me->changed = true;
    if (burl_free.on)
        burl__tick(me);
    return f;
}

static void
thread_create_end(struct burl_free_thread *f, uint64_t handle, bool ok)
{
    uint64_t mask;

    burl__free_lock(&mask);
    if (!ok) { /* the kernel refused */
        burl__blocked_thread_end(f);
        slot_leave(f);
        burl_free.n_unjoined--;
        thread_retire(f);
    } else if (!f->detached) {
        handle_put(f, handle);
    }
    burl__free_unlock(mask);
}

int
burl_free_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    struct burl_free_thread *me = burl_free_me;
    struct burl_free_thread *f = me != NULL ? thread_create_begin(me, (uintptr_t)start) : NULL;
    int detach = PTHREAD_CREATE_JOINABLE;
    int r;

    if (f == NULL)
        return BURL_REAL(pthread_create)(out, attr, start, arg);
    f->start = start;
    f->arg = arg;
    if (attr != NULL)
        pthread_attr_getdetachstate(attr, &detach);
    f->detached = detach == PTHREAD_CREATE_DETACHED;
    r = BURL_REAL(pthread_create)(out, attr, thread_run, f);
    /* A detached thread may be over and its memory used again. */
    if (r != 0 || detach != PTHREAD_CREATE_DETACHED)
        thread_create_end(f, r == 0 ? (uint64_t)*out : 0, r == 0);
    return r;
}

int
burl_free_create_c11(thrd_t *out, thrd_start_t start, void *arg)
{
    struct burl_free_thread *me = burl_free_me;
    struct burl_free_thread *f = me != NULL ? thread_create_begin(me, (uintptr_t)start) : NULL;
    int r;

    if (f == NULL)
        return BURL_REAL(thrd_create)(out, start, arg);
    f->start_c11 = start;
    f->arg = arg;
    r = BURL_REAL(thrd_create)(out, thread_run_c11, f);
    thread_create_end(f, r == thrd_success ? (uint64_t)*out : 0, r == thrd_success);
    return r;
}

struct burl_free_thread *
burl_free_join_begin(uint64_t handle)
{
    struct burl_free_thread *f = NULL;
    uint64_t mask;

    if (burl_free_me == NULL)
        return NULL;
    burl__free_lock(&mask);
    f = handle_find(handle, false);
    burl__free_unlock(mask);
    return f;
}

void
burl_free_join_end(struct burl_free_thread *target, bool ok)
{
    struct burl_free_thread *me = burl_free_me;
    bool alone;
    uint64_t mask;

    if (me == NULL || target == NULL || !ok)
        return;
    burl__free_notify_join(me, target);
    (void)burl_clock_max(me->hb, target->hb, BURL_FREE_CLOCKS);
    me->changed = true;
    burl__free_lock(&mask);
    (void)handle_find(target->handle, true);
    if (target->ended)
        thread_retire(target);
    /* A thread whose end we did not see (no key left) keeps its slot. */
    alone = --burl_free.n_unjoined == 1;
    burl__free_unlock(mask);
    /* For coverage, accesses before and after count as well. */
    if (alone && !burl_free.pairs && !burl_free.metrics)
        burl__thread_set_observed(me, false);
}

void
burl_free_detached(struct burl_free_thread *target)
{
    uint64_t mask;

    if (burl_free_me == NULL || target == NULL)
        return;
    burl__free_lock(&mask);
    (void)handle_find(target->handle, true);
    target->detached = true;
    if (target->ended)
        thread_retire(target);
    burl__free_unlock(mask);
}
