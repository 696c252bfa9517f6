/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem.c - semaphores, unnamed and named.
 *
 * `count` is the value. sem_init goes through to libc, which writes the value into the program's
 * memory; it is read from there when an object is first met (a semaphore made before main), and
 * never written again by us.
 *
 * Named semaphores live in a table of our own. At the start of every execution it holds only what
 * constructors opened before main: one execution must not see what another left behind, and
 * /dev/shm would outlive them all. So they are not shared with other processes.
 *
 * The functions report errors through errno; it is set as the last thing before they return.
 */
#include <fcntl.h>
#include <limits.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>

#define BURL_SYNC_FAMILY
#include "interpose_int.h"

#define NAME_LIMIT 251 /* what NAME_MAX leaves when glibc has put "sem." before the name */

#define TYPE_NAMED 1 /* burl_obj.type */

struct named {
    struct named *next;
    uint32_t refs; /* sem_open calls without their sem_close */
    bool unlinked;
    bool start_unlinked; /* as it was when main began, for those opened before */
    uint32_t start_refs;
    sem_t sem;                 /* holds the first value; what the program gets is its address */
    char name[NAME_LIMIT + 1]; /* without leading slashes */
};

static struct named *named_kept; /* opened before main */
static struct named *named_exec; /* opened in this execution */

void
burl__sem_reset(void)
{
    named_exec = NULL;
    for (struct named *n = named_kept; n != NULL; n = n->next) {
        n->refs = n->start_refs;
        n->unlinked = n->start_unlinked;
    }
}

void
burl__sem_mark_start(void)
{
    for (struct named *n = named_kept; n != NULL; n = n->next) {
        n->start_refs = n->refs;
        n->start_unlinked = n->unlinked;
    }
}

/* Notes the result, 0 or an errno value, for reports; returns it as a system call would. */
static long
sem_result(struct burl_thread *t, int r)
{
    burl__note_result(t, r);
    return -r;
}

/* sem_destroy of glibc does nothing at all. Closing a named semaphore unmaps it. */
static void
use_destroyed(struct burl_obj *o)
{
    static const char text[] = "a semaphore is used after it was destroyed or closed";

    if (o->type == TYPE_NAMED)
        burl_rt_finding(BURL_VERDICT_MISUSE_USE_DESTROYED, o->addr, text);
    burl_rt_misuse(BURL_VERDICT_MISUSE_USE_DESTROYED, o, text);
}

static struct burl_obj *
get_sem(sem_t *s)
{
    bool fresh;
    struct burl_obj *o = burl_obj_get(s, BURL_OBJ_SEM, &fresh);

    if (fresh)
        memcpy(&o->count, s, sizeof o->count); /* glibc keeps the value in the first word */
    if (BURL_UNLIKELY(o->destroyed))
        use_destroyed(o);
    return o;
}

/* A signal handler that is due, or ran since the wait began, ends the wait as well. */
static bool
is_positive_or_interrupted(const struct burl_obj *o, const struct burl_thread *t)
{
    return o->count > 0 || burl__signal_wakes(t, (uint32_t)(uintptr_t)t->wait_arg);
}

static void
take_sem(struct burl_thread *t, struct burl_obj *o, enum burl_wire_synchro outcome)
{
    o->count--;
    burl__notify_receive(t, (void *)o->addr);
    burl__notify_outcome(t, (void *)o->addr, outcome);
    burl_obj_changed(o);
}

static int
wait_sem(struct burl_thread *t, sem_t *s, uint64_t deadline_ns)
{
    struct burl_op op = burl__op(t, BURL_OP_SEM_WAIT, s, 0);
    uint32_t eintr = t->sig_eintr;
    struct burl_obj *o;
    int r;

    for (;;) {
        t->wait_arg = (void *)(uintptr_t)t->sig_count;
        r = burl__wait(t, &op, get_sem(s), is_positive_or_interrupted, deadline_ns, true);
        if (r == ECANCELED)
            burl_thread_unwind(t, PTHREAD_CANCELED);
        burl__notify_tried(t, s, r);
        if (r == ETIMEDOUT)
            burl__gave_up(t);
        if (r != 0)
            return r;
        o = get_sem(s); /* again: it may have been destroyed just before our turn */
        if (o->count > 0)
            break;
        burl__signals_run(t);
        /* Linux starts a wait with a deadline anew for no handler, SA_RESTART or not. */
        if (t->sig_eintr != eintr || deadline_ns != BURL_TIME_NEVER)
            return EINTR;
    }
    take_sem(t, o, t->was_blocked ? BURL_SYNCHRO_BLOCKED : BURL_SYNCHRO_IMMEDIATE);
    return 0;
}

/* ---- free mode: how a wait went, for observers ---------------------------------------------- */

/* Tries to take the semaphore before a wait that may block; false: it must be waited for. */
static bool
free_attempt(sem_t *s)
{
    int saved = errno;
    bool taken;

    if (burl_free_me == NULL)
        return false;
    BURL_REAL(pthread_testcancel)(); /* a wait is a cancellation point, an attempt is none */
    taken = BURL_REAL(sem_trywait)(s) == 0;
    if (burl_free_wants(BURL_WANT_SYNC))
        burl_free_outcome(s, taken ? BURL_SYNCHRO_IMMEDIATE : BURL_SYNCHRO_BLOCKED);
    errno = saved;
    return taken;
}

static int
free_waited(int r, sem_t *s)
{
    if (burl_free_me == NULL)
        return r;
    if (r != 0 && errno == ETIMEDOUT)
        burl_free_give_up();
    if (r != 0 && errno == ETIMEDOUT && burl_free_wants(BURL_WANT_SYNC))
        burl_free_outcome(s, BURL_SYNCHRO_TIMED_OUT);
    return burl_free_received(r, s);
}

#define FREE_WAIT(s, call) free_waited(free_attempt(s) ? 0 : (call), s)

static int
free_trywait(sem_t *s)
{
    int r = BURL_REAL(sem_trywait)(s);

    if (r != 0)
        burl_free_give_up();
    if (burl_free_wants(BURL_WANT_SYNC))
        burl_free_outcome(s, r == 0 ? BURL_SYNCHRO_TRY_OK : BURL_SYNCHRO_TRY_BUSY);
    return burl_free_received(r, s);
}

/* glibc keeps the number of waiters in the second word. */
static void
free_post(const sem_t *s)
{
    uint32_t word[2];

    burl_free_send(s);
    if (!burl_free_wants(BURL_WANT_SYNC))
        return;
    memcpy(word, s, sizeof word);
    burl_free_outcome(s, burl__waiters(word[1]));
}

/* ---- unnamed ------------------------------------------------------------------------------- */

static const char destroyed_busy[] = "a semaphore is destroyed or closed while threads wait for it";

static void
sem_inited(sem_t *s, unsigned value)
{
    struct burl_obj *o = burl_obj_get(s, BURL_OBJ_SEM, NULL);

    if (burl__is_waited_for(o))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a semaphore is initialized while threads wait for it");
    o->count = (int32_t)value;
    o->type = 0;
    o->destroyed = 0;
    burl__notify_renewed(s);
    burl_obj_changed(o);
}

static int
destroy_sem(struct burl_thread *t, sem_t *s)
{
    struct burl_obj *o;

    burl__point(t, BURL_OP_DESTROY, s, 0);
    o = get_sem(s);
    if (o->n_waiters > 0)
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o, destroyed_busy);
    o->destroyed = 1;
    return 0;
}

static int
try_sem(struct burl_thread *t, sem_t *s)
{
    struct burl_obj *o;

    burl__try_point(t, BURL_OP_SEM_WAIT, s);
    o = get_sem(s);
    if (o->count <= 0) {
        burl__try_failed(t);
        burl__gave_up(t);
        burl__notify_tried(t, s, EAGAIN);
        return EAGAIN;
    }
    take_sem(t, o, BURL_SYNCHRO_TRY_OK);
    return 0;
}

/* glibc checks the time first here, unlike in its lock functions. */
static int
wait_until(struct burl_thread *t, sem_t *s, clockid_t clock, const struct timespec *abstime)
{
    uint64_t deadline_ns =
        burl__clock_ok(clock) ? burl__deadline(clock, abstime) : BURL__TIME_INVALID;

    return deadline_ns == BURL__TIME_INVALID ? EINVAL : wait_sem(t, s, deadline_ns);
}

static int
post_sem(struct burl_thread *t, sem_t *s)
{
    struct burl_obj *o;

    burl__point(t, BURL_OP_SEM_POST, s, 0);
    o = get_sem(s);
    if (o->count == SEM_VALUE_MAX)
        return EOVERFLOW;
    burl__notify_send(t, (void *)o->addr);
    burl__notify_outcome(t, (void *)o->addr, burl__waiters(o->count == 0 ? o->n_waiters : 0));
    o->count++;
    burl_obj_changed(o);
    return 0;
}

BURL_INTERPOSE_INIT(int sem_init(sem_t *s, int pshared, unsigned value), s,
                    burl__init_point(t, s, sizeof *s, value),
                    BURL_REAL(sem_init)(s, pshared, value), sem_inited(s, value))
BURL_INTERPOSE_SYS(int sem_destroy(sem_t *s), BURL_FREE_OBJECT(s, BURL_REAL(sem_destroy)(s)),
                   sem_result(t, destroy_sem(t, s)))
BURL_INTERPOSE_SYS(int sem_wait(sem_t *s),
                   FREE_WAIT(s, BURL_FREE_BLOCKING(BURL_OP_SEM_WAIT, s, BURL_REAL(sem_wait)(s))),
                   sem_result(t, wait_sem(t, s, BURL_TIME_NEVER)))
BURL_INTERPOSE_SYS(int sem_trywait(sem_t *s), free_trywait(s), sem_result(t, try_sem(t, s)))
BURL_INTERPOSE_SYS(int sem_timedwait(sem_t *restrict s, const struct timespec *restrict abstime),
                   FREE_WAIT(s, BURL_REAL(sem_timedwait)(s, abstime)),
                   sem_result(t, wait_until(t, s, CLOCK_REALTIME, abstime)))
BURL_INTERPOSE_SYS(int sem_clockwait(sem_t *restrict s, clockid_t clock,
                                     const struct timespec *restrict abstime),
                   FREE_WAIT(s, BURL_REAL(sem_clockwait)(s, clock, abstime)),
                   sem_result(t, wait_until(t, s, clock, abstime)))
BURL_INTERPOSE_SYS(int sem_post(sem_t *s), (free_post(s), BURL_REAL(sem_post)(s)),
                   sem_result(t, post_sem(t, s)))

BURL_EXPORT int
sem_getvalue(sem_t *restrict s, int *restrict value)
{
    struct burl_thread *t = burl_rt_enter();
    const struct burl_obj *o;
    int now;

    if (t == NULL)
        return BURL__AROUND(burl_free_received(BURL_REAL(sem_getvalue)(s, value), s));
    burl__point(t, BURL_OP_ATOMIC_LOAD, s, 0);
    o = get_sem(s);
    now = o->count;
    burl__notify_receive(t, (void *)o->addr);
    burl_rt_leave(t);
    *value = now; /* the program's memory; a bad pointer is its fault, outside */
    return 0;
}

/* ---- named ------------------------------------------------------------------------------- */

/* The name without leading slashes; NULL when it is none. */
static const char *
plain_name(const char *name)
{
    size_t n;

    while (*name == '/')
        name++;
    n = strlen(name);
    if (n == 0 || n > NAME_LIMIT)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (name[i] == '/')
            return NULL;
    return name;
}

static struct named *
find_in(struct named *n, const char *name, const sem_t *s)
{
    for (; n != NULL; n = n->next) {
        if (s != NULL ? &n->sem == s && n->refs > 0
                      : !n->unlinked && memcmp(n->name, name, strlen(name) + 1) == 0)
            break;
    }
    return n;
}

/* By name, or by address when s is not NULL. */
static struct named *
find_named(const char *name, const sem_t *s)
{
    struct named *n = find_in(named_exec, name, s);

    return n != NULL ? n : find_in(named_kept, name, s);
}

/* t is NULL before main. */
static int
open_named(struct burl_thread *t, const char *name, int flags, unsigned value, struct named **out)
{
    const char *plain = plain_name(name);
    struct named *n;
    struct burl_obj *o;

    if (plain == NULL)
        return EINVAL;
    n = find_named(plain, NULL);
    if (n == NULL) {
        if (!(flags & O_CREAT))
            return ENOENT;
        if (value > SEM_VALUE_MAX)
            return EINVAL;
        n = t != NULL ? burl_exec_alloc(sizeof *n) : burl_rt_alloc(sizeof *n);
        memcpy(n->name, plain, strlen(plain) + 1);
        BURL_REAL(sem_init)(&n->sem, 1, value);
        n->next = t != NULL ? named_exec : named_kept;
        *(t != NULL ? &named_exec : &named_kept) = n;
    } else if ((flags & O_CREAT) && (flags & O_EXCL)) {
        return EEXIST;
    }
    n->refs++;
    if (t != NULL) {
        o = burl_obj_find(&n->sem, BURL_OBJ_SEM);
        if (o != NULL)
            o->destroyed = 0; /* closed by all, and open again */
    }
    *out = n;
    return 0;
}

static int
close_named(struct burl_thread *t, sem_t *s)
{
    struct named *n = find_named(NULL, s);
    struct burl_obj *o;

    if (n == NULL)
        return EINVAL;
    if (--n->refs > 0 || t == NULL)
        return 0;
    burl__point(t, BURL_OP_DESTROY, s, 0);
    o = get_sem(s);
    if (o->n_waiters > 0)
        burl_rt_finding(BURL_VERDICT_MISUSE_DESTROY_BUSY, o->addr, destroyed_busy);
    o->type = TYPE_NAMED;
    o->destroyed = 1; /* until it is opened again: natively the memory is gone */
    return 0;
}

static int
unlink_named(const char *name)
{
    const char *plain = plain_name(name);
    struct named *n = plain != NULL ? find_named(plain, NULL) : NULL;

    if (n == NULL)
        return ENOENT;
    n->unlinked = true;
    return 0;
}

/* Before main, with a supervisor, the table serves too; an announcement needs a thread. */
static void
announce_named(struct burl_thread *t, enum burl_wire_op kind)
{
    if (t != NULL)
        burl__point(t, kind, &named_exec, 0);
}

static int
finish_named(struct burl_thread *t, int r)
{
    if (t != NULL) {
        burl__note_result(t, r);
        burl_rt_leave(t);
    }
    return (int)burl__result(-r);
}

BURL_EXPORT sem_t *
sem_open(const char *name, int flags, ...)
{
    struct burl_thread *t = burl_rt_enter();
    struct named *n = NULL;
    mode_t mode = 0;
    unsigned value = 0;
    va_list ap;

    if (flags & O_CREAT) {
        va_start(ap, flags);
        mode = va_arg(ap, mode_t);
        value = va_arg(ap, unsigned);
        va_end(ap);
    }
    burl_rt_wake();
    if (t == NULL && !burl_rt_supervised)
        return BURL__AROUND(BURL_REAL(sem_open)(name, flags, mode, value));
    announce_named(t, BURL_OP_INIT);
    if (finish_named(t, open_named(t, name, flags, value, &n)) != 0)
        return SEM_FAILED;
    return &n->sem;
}

/* A call on a named semaphore that is no longer wanted. */
#define NAMED_FUNCTION(prototype, original, own) \
    BURL_DEFINE(prototype)                       \
    {                                            \
        struct burl_thread *t = burl_rt_enter(); \
                                                 \
        if (t == NULL && !burl_rt_supervised)    \
            return BURL__AROUND(original);       \
        announce_named(t, BURL_OP_DESTROY);      \
        return finish_named(t, own);             \
    }
NAMED_FUNCTION(int sem_close(sem_t *s), BURL_REAL(sem_close)(s), close_named(t, s))
NAMED_FUNCTION(int sem_unlink(const char *name), BURL_REAL(sem_unlink)(name), unlink_named(name))
