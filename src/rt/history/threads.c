/* SPDX-License-Identifier: Apache-2.0 */
/*
 * history/threads.c - roles, and the life of threads while their process records.
 *
 * A role is (start routine, creation site, ordinal among the threads of that routine and site). The
 * first BURL_WIRE_HIST_ORDINALS threads of a routine and site have roles of their own, the others
 * share the last one; when the process has no more roles, threads share its last.
 *
 * A thread is alive from before pthread_create() calls libc until it is joined, and not only until
 * it exits: how soon it exits is up to the schedule, and what may happen beside it in another one
 * must be known. The main thread, and a thread that nothing joins, is alive until the process ends.
 * Whenever the number of threads becomes or ceases to be one, those that run go on in other chunks.
 *
 * That a thread exits is seen in the last round of its key destructors; its memory and copies are
 * not valid any more then.
 */
#include <signal.h>
#include <string.h>

#include "history_int.h"
#include "rt/core/module.h"
#include "rt/core/real.h"
#include "rt/core/upcalls.h"

#define END_ROUNDS 4u /* PTHREAD_DESTRUCTOR_ITERATIONS of glibc */
#define THREADS_STEP 64u
/* Word of glibc's struct pthread_attr that points to an affinity and a signal mask, or is NULL. */
#define ATTR_EXTENSION 5

__thread struct burl_history_thread *burl__history_me;
__thread uint32_t burl__history_past_role;

static pthread_key_t end_key;
static bool has_end_key;

/* ---- roles -------------------------------------------------------------------------------- */

static bool
overlap_note(uint32_t a, uint32_t b)
{
    uint32_t lo = a < b ? a : b;
    uint32_t hi = a < b ? b : a;
    uint8_t *at = &burl__history->overlap[lo][hi / 8];
    bool known = (*at >> hi % 8 & 1) != 0;

    *at |= (uint8_t)(1u << hi % 8);
    return !known;
}

static void
overlap_add(uint32_t a, uint32_t b)
{
    const struct role *roles = burl__history->roles;
    struct burl_wire_hist_overlap *rec;

    if (!overlap_note(a, b))
        return;
    rec = burl__history_append(sizeof *rec, NULL, 0, BURL_HIST_LOST_ROLES);
    if (rec == NULL)
        return;
    rec->a = roles[a].off;
    rec->b = roles[b].off;
    burl__history_publish(rec, BURL_HIST_OVERLAP);
}

/* The first role of a key, NONE; *last: its last. */
static uint32_t
role_find(uintptr_t start, const struct burl_wire_site *create, uint32_t *last)
{
    const struct burl_history *h = burl__history;
    uint32_t first = NONE;

    for (uint32_t i = 1; i < h->n_roles; i++) { /* 0 is main */
        if (h->roles[i].retired || h->roles[i].start != start || h->roles[i].create != create)
            continue;
        first = first == NONE ? i : first;
        *last = i;
    }
    return first;
}

/* NONE: there is no room. */
static uint32_t
role_add(uintptr_t start, const struct burl_wire_site *create, uint32_t ordinal,
         const struct burl__object *o, uint32_t flags)
{
    struct burl_history *h = burl__history;
    struct role *r = &h->roles[h->n_roles];
    const struct burl_wire_module *m = create != NULL ? burl__module_of(create->id) : NULL;
    struct burl_wire_hist_role *rec =
        burl__history_append(sizeof *rec, o->path, 0, BURL_HIST_LOST_ROLES);

    if (rec == NULL)
        return NONE;
    rec->start = start != 0 ? start - o->bias : 0;
    rec->create_module = m != NULL ? m->hash : 0;
    rec->create_site = m != NULL ? create->id - m->base : NONE;
    rec->first_site = NONE;
    rec->ordinal = ordinal;
    rec->flags = flags;
    *r = (struct role){
        .start = start,
        .start_bias = o->bias,
        .create = create,
        .off = burl__history_publish(rec, BURL_HIST_ROLE),
        .ordinal = ordinal,
        .chunks = NONE,
    };
    /* release: roles are read without the lock when files were unloaded */
    __atomic_store_n(&h->n_roles, h->n_roles + 1, __ATOMIC_RELEASE);
    return h->n_roles - 1;
}

/* All threads for which there is no other role. */
static uint32_t
role_others(void)
{
    const struct burl_history *h = burl__history;
    const struct burl__object nothing = { .path = "" };

    burl__history_lose(BURL_HIST_LOST_ROLES);
    if (h->n_roles == BURL_WIRE_HIST_ROLES - 1) {
        uint32_t i = role_add(0, NULL, NONE, &nothing, BURL_HIST_ROLE_OTHERS);

        return i != NONE ? i : 0;
    }
    return h->n_roles - 1;
}

static uint32_t
role_for(uintptr_t start, const struct burl_wire_site *create, const struct burl__object *o)
{
    struct burl_history *h = burl__history;
    uint32_t last = NONE;
    uint32_t first = role_find(start, create, &last);
    uint32_t n = first != NONE ? h->roles[first].n_created : 0;
    uint32_t i = last;

    if (n < BURL_WIRE_HIST_ORDINALS && h->n_roles < BURL_WIRE_HIST_ROLES - 1)
        i = role_add(start, create, n, o, 0);
    if (i == NONE)
        i = last != NONE ? last : role_others();
    h->roles[first != NONE ? first : i].n_created++;
    return i;
}

/* Another thread of the role is alive. */
static void
role_enter(uint32_t role)
{
    struct burl_history *h = burl__history;
    struct burl_wire_hist_role *rec = burl__history_record(h->roles[role].off);

    __atomic_fetch_add(&rec->n_threads, 1, __ATOMIC_RELAXED);
    if (h->roles[role].alive++ > 0)
        __atomic_fetch_or(&rec->flags, BURL_HIST_ROLE_MANY, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < h->n_roles; i++) {
        if (i != role && h->roles[i].alive > 0)
            overlap_add(role, i);
    }
}

/* ---- threads ------------------------------------------------------------------------------ */

static void
switch_all(void)
{
    for (struct burl_history_thread *t = burl__history->running; t != NULL; t = t->next)
        burl__history_switch(t);
}

static struct burl_history_thread *
thread_alloc(void)
{
    struct burl_history *h = burl__history;
    struct burl_history_thread *t = h->unused;

    if (t == NULL) {
        t = burl__history_map(THREADS_STEP * sizeof *t);
        for (uint32_t i = 0; t != NULL && i < THREADS_STEP; i++) {
            t[i].next = h->unused;
            h->unused = &t[i];
        }
    }
    t = h->unused;
    if (t == NULL)
        return NULL;
    h->unused = t->next;
    memset(t, 0, sizeof *t);
    return t;
}

/* With the lock: it is alive from here on. NULL: no memory. */
static struct burl_history_thread *
thread_new(uintptr_t start, const struct burl_wire_site *create, const struct burl__object *o)
{
    struct burl_history *h = burl__history;
    struct burl_history_thread *t = thread_alloc();

    if (t == NULL)
        return NULL;
    t->number = ++h->n_threads;
    t->role = role_for(start, create, o);
    t->next = h->running;
    role_enter(t->role);
    h->n_alive++;
    if (h->n_alive == 2)
        switch_all(); /* the others: t has no copies yet */
    h->running = t;
    return t;
}

static struct burl_history_thread **
handle_bucket(uint64_t handle)
{
    return &burl__history->handles[(handle >> 12) % N_HANDLES];
}

/* With the lock. Creator and thread both come here; the first one does it. */
static void
handle_put(struct burl_history_thread *t, uint64_t handle)
{
    struct burl_history_thread **at = handle_bucket(handle);

    if (t->handle != 0)
        return;
    t->handle = handle;
    t->same_hash = *at;
    *at = t;
}

static void
handle_remove(struct burl_history_thread *t)
{
    for (struct burl_history_thread **p = handle_bucket(t->handle); *p != NULL;
         p = &(*p)->same_hash) {
        if (*p == t) {
            *p = t->same_hash;
            break;
        }
    }
    t->handle = 0;
}

/* With the lock: no hook uses its copies any more. */
static void
thread_stop(struct burl_history_thread *t)
{
    for (struct burl_history_thread **p = &burl__history->running; *p != NULL; p = &(*p)->next) {
        if (*p == t) {
            *p = t->next;
            break;
        }
    }
    t->exited = true;
}

static void
thread_recycle(struct burl_history_thread *t)
{
    if (t->handle != 0)
        handle_remove(t);
    t->number = 0;
    t->next = burl__history->unused;
    burl__history->unused = t;
}

/* With the lock: it was joined, or never began. */
static void
thread_leave(struct burl_history_thread *t)
{
    struct burl_history *h = burl__history;

    h->roles[t->role].alive--;
    h->n_alive--;
    if (h->n_alive == 1)
        switch_all();
}

static void
thread_end(struct burl_history_thread *t)
{
    uint64_t mask;

    burl__history_lock(&mask);
    /* Hooks of destructors that are still to come find their copies as they are. */
    for (uint32_t i = 0; i < t->n_copies; i++)
        t->copies[i].copy->call = &burl__history_no_call;
    burl__history_past_role = t->role + 1;
    burl__history_me = NULL;
    thread_stop(t);
    if (t->detached)
        thread_recycle(t);
    burl__history_unlock(mask);
}

/* Destructor of our key: puts it off until the last round. */
static void
end_key_destructor(void *arg)
{
    struct burl_history_thread *t = arg;

    if (t != burl__history_me || t->role == 0)
        return;
    if (++t->end_rounds < END_ROUNDS && BURL_REAL(pthread_setspecific)(end_key, t) == 0)
        return;
    thread_end(t);
}

static void
thread_begin(struct burl_history_thread *t)
{
    uint64_t mask;

    burl__history_me = t;
    burl__history_lock(&mask);
    if (!t->detached)
        handle_put(t, (uint64_t)pthread_self());
    burl__history_lead_marks(t);
    burl__history_unlock(mask);
    if (has_end_key)
        (void)BURL_REAL(pthread_setspecific)(end_key, t);
    if (t->masked)
        BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &t->mask, NULL, 8);
}

/* A thread whose end no key sees. */
static void
thread_returns(struct burl_history_thread *t)
{
    if (!has_end_key && t == burl__history_me)
        thread_end(t);
}

static void *
thread_run(void *arg)
{
    struct burl_history_thread *t = arg;
    void *r;

    thread_begin(t);
    r = t->start(t->arg);
    thread_returns(t);
    return r;
}

static int
thread_run_c11(void *arg)
{
    struct burl_history_thread *t = arg;
    int r;

    thread_begin(t);
    r = t->start_c11(t->arg);
    thread_returns(t);
    return r;
}

bool
burl__history_init_main(void)
{
    const struct burl__object nothing = { .path = "" };
    struct burl_history_thread *t = thread_alloc();

    if (t == NULL || role_add(0, NULL, 0, &nothing, BURL_HIST_ROLE_MAIN) != 0)
        return false;
    role_enter(0);
    burl__history->n_alive = 1;
    burl__history->running = t;
    burl__history_lead_marks(t);
    has_end_key = BURL_REAL(pthread_key_create)(&end_key, end_key_destructor) == 0;
    burl__history_me = t;
    return true;
}

struct burl_history_thread *
burl__history_adopt(void)
{
    const struct burl__object nothing = { .path = "" };
    struct burl_history_thread *t;
    uint64_t mask;

    burl__history_compare_objects();
    burl__history_lock(&mask);
    t = thread_new(0, NULL, &nothing);
    burl__history_unlock(mask);
    if (t != NULL)
        thread_begin(t);
    return t;
}

/* ---- create ------------------------------------------------------------------------------- */

static struct burl_history_thread *
create_begin(uintptr_t start)
{
    struct burl_history_thread *me = burl__history_self();
    struct burl_history_thread *t;
    char path[BURL_WIRE_HIST_PATH_B];
    struct burl__object o;
    uint64_t mask;

    burl__history_compare_objects();
    if (!burl__module_object(start, &o))
        o = (struct burl__object){ .path = "" };
    o.path = burl__history_absolute(o.path, path);
    burl__history_lock(&mask);
    t = thread_new(start, me != NULL ? me->call_site : NULL, &o);
    burl__history_unlock(mask);
    /* The rest of the block that creates a thread is not executed alone. */
    if (me != NULL && me->call_site != NULL)
        burl_history_mark(me->call_site, NULL);
    return t;
}

/* Signals are blocked from here until the thread begins: a handler that runs before would be taken
 * for a thread that is not known. A mask in the attributes is left alone. */
static void
block_signals(struct burl_history_thread *t, const pthread_attr_t *attr, uint64_t *mask)
{
    const uint64_t all = ~(3ull << 31); /* all but the two of libc's own, 32 and 33 */
    uint64_t words[sizeof *attr / sizeof(uint64_t)] = { 0 };

    if (attr != NULL)
        memcpy(words, attr, sizeof words);
    t->masked = words[ATTR_EXTENSION] == 0;
    BURL_SYS4(SYS_rt_sigprocmask, SIG_BLOCK, t->masked ? &all : NULL, mask, 8);
    t->mask = *mask;
}

static void
create_end(struct burl_history_thread *t, uint64_t number, uint64_t handle, bool ok)
{
    uint64_t mask;

    burl__history_lock(&mask);
    if (!ok) {
        thread_stop(t);
        thread_leave(t);
        thread_recycle(t);
    } else if (t->number == number) { /* else it is over, and its memory was used again */
        handle_put(t, handle);
    }
    burl__history_unlock(mask);
}

int
burl_history_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *), void *arg)
{
    struct burl_history_thread *t = create_begin((uintptr_t)start);
    int detach = PTHREAD_CREATE_JOINABLE;
    uint64_t number;
    uint64_t mask;
    int r;

    if (t == NULL)
        return BURL_REAL(pthread_create)(out, attr, start, arg);
    number = t->number;
    t->start = start;
    t->arg = arg;
    if (attr != NULL)
        pthread_attr_getdetachstate(attr, &detach);
    t->detached = detach == PTHREAD_CREATE_DETACHED;
    block_signals(t, attr, &mask);
    r = BURL_REAL(pthread_create)(out, attr, thread_run, t);
    BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
    if (r != 0 || detach != PTHREAD_CREATE_DETACHED)
        create_end(t, number, r == 0 ? (uint64_t)*out : 0, r == 0);
    return r;
}

int
burl_history_create_c11(thrd_t *out, thrd_start_t start, void *arg)
{
    struct burl_history_thread *t = create_begin((uintptr_t)start);
    uint64_t number;
    uint64_t mask;
    int r;

    if (t == NULL)
        return BURL_REAL(thrd_create)(out, start, arg);
    number = t->number;
    t->start_c11 = start;
    t->arg = arg;
    block_signals(t, NULL, &mask);
    r = BURL_REAL(thrd_create)(out, thread_run_c11, t);
    BURL_SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8);
    create_end(t, number, r == thrd_success ? (uint64_t)*out : 0, r == thrd_success);
    return r;
}

/* ---- join, detach ------------------------------------------------------------------------- */

struct burl_history_thread *
burl_history_find(uint64_t handle)
{
    struct burl_history_thread *t;
    uint64_t mask;

    burl__history_lock(&mask);
    for (t = *handle_bucket(handle); t != NULL && t->handle != handle; t = t->same_hash)
        ;
    burl__history_unlock(mask);
    return t;
}

void
burl_history_joined(struct burl_history_thread *t)
{
    uint64_t mask;

    burl__history_compare_objects();
    burl__history_lock(&mask);
    if (!t->exited) /* there was no key to see it */
        thread_stop(t);
    thread_leave(t);
    thread_recycle(t);
    burl__history_unlock(mask);
}

/* It stays alive for ever: nothing shows when it has exited. */
void
burl_history_detached(struct burl_history_thread *t)
{
    uint64_t mask;

    burl__history_lock(&mask);
    t->detached = true;
    handle_remove(t);
    if (t->exited)
        thread_recycle(t);
    burl__history_unlock(mask);
}

/* ---- fork --------------------------------------------------------------------------------- */

/* The child has one thread, which goes on in the role it has. What the other threads of the parent
 * do is no concern of this process. */
void
burl_history_child(void)
{
    struct burl_history *h = burl__history;
    struct burl_history_thread *me = burl__history_me;
    uint32_t pid = (uint32_t)BURL_SYS0(SYS_getpid);

    if (!burl_history_on || pid == h->pid)
        return;
    h->pid = pid;
    h->lock = 0; /* a thread that is not here may have held it */
    for (uint32_t i = 0; i < h->n_roles; i++)
        h->roles[i].alive = 0;
    h->running = me;
    h->n_alive = me != NULL;
    if (me == NULL)
        return;
    me->next = NULL;
    me->detached = me->role != 0; /* nothing can join it */
    h->roles[me->role].alive = 1;
    burl__history_switch(me);
}
