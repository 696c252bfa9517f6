/* SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier.c - pthread barriers.
 *
 * Arriving and leaving are two operations. `limit` is the number of parties, `count` how many
 * of the present round have arrived, `generation` the rounds completed, `extra` how many were
 * let go and have not left yet. The last to arrive is the serial thread, as in glibc (POSIX says
 * only "one of them").
 *
 * Destroying waits for the threads that were let go, as in glibc: a thread may destroy and free a
 * barrier as soon as it has left it itself. Threads that still wait for others are a misuse.
 *
 * A barrier initialized before main() is known by the word in which glibc keeps the parties.
 */
#define BURL_SYNC_FAMILY
#include "interpose_int.h"

/* Index of the parties in glibc's struct pthread_barrier, in words of 32 bits. */
#define WORD_PARTIES 2

static struct burl_obj *
get_barrier(pthread_barrier_t *b)
{
    bool fresh;
    struct burl_obj *o = burl_obj_get(b, BURL_OBJ_BARRIER, &fresh);

    if (fresh)
        __builtin_memcpy(&o->limit, (const uint32_t *)b + WORD_PARTIES, sizeof o->limit);
    if (BURL_UNLIKELY(o->destroyed))
        burl_rt_finding(BURL_VERDICT_MISUSE_USE_DESTROYED, o->addr,
                        "a barrier is used after pthread_barrier_destroy");
    if (BURL_UNLIKELY(o->limit == 0))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a barrier is used that was never initialized");
    return o;
}

static bool
is_let_go(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)o;
    return t->woken;
}

static bool
all_have_left(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->extra == 0;
}

static bool
is_empty(const struct burl_obj *o, const struct burl_thread *t)
{
    return o->count == 0 && all_have_left(o, t);
}

/* Order through a barrier goes round by round: a thread that arrives for the next round must not be
 * taken for a predecessor of one that still leaves this round. The struct is larger than two
 * bytes. */
static const char *
round_of(const struct burl_obj *o)
{
    return (const char *)o->addr + o->generation % 2;
}

static int
barrier_arrive(struct burl_thread *t, pthread_barrier_t *b)
{
    const char *order;
    struct burl_op leave;
    struct burl_obj *o;

    burl__point(t, BURL_OP_BARRIER_WAIT, b, 0);
    o = get_barrier(b);
    burl_trace_note(t, 0, (uint64_t)o->count + 1);
    order = round_of(o);
    if (burl__observed(t)) {
        if (o->count == 0)
            burl_ob_forget_object(order);
        burl_ob_send_order(t->watch, order);
    }
    burl__notify_outcome(
        t, b, (uint32_t)o->count + 1 == o->limit ? BURL_SYNCHRO_LAST : BURL_SYNCHRO_NOT_LAST);
    if ((uint32_t)++o->count == o->limit) {
        o->extra += (uint64_t)o->count - 1;
        o->count = 0;
        o->generation++;
        for (struct burl_thread *w = o->waiters; w != NULL; w = w->wait_next)
            w->woken = true;
        burl_obj_changed(o);
        burl__notify_receive_order(t, order);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    leave = burl__op(t, BURL_OP_BARRIER_LEAVE, b, o->generation);
    t->woken = false;
    burl__wait(t, &leave, o, is_let_go, BURL_TIME_NEVER, false);
    burl__notify_receive_order(t, order);
    o->extra--;
    burl_obj_changed(o);
    return 0;
}

/* The last to arrive is the one whose answer differs: glibc counts arrivals. */
static int
free_arrive(pthread_barrier_t *b)
{
    int r = burl_free_barrier_wait(b);

    if (burl_free_wants(BURL_WANT_SYNC) && (r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD))
        burl_free_outcome(b, r == 0 ? BURL_SYNCHRO_NOT_LAST : BURL_SYNCHRO_LAST);
    return r;
}

static void
barrier_inited(pthread_barrier_t *b, unsigned n)
{
    struct burl_obj *o = burl_obj_get(b, BURL_OBJ_BARRIER, NULL);

    if (burl__is_waited_for(o))
        burl_rt_finding(BURL_VERDICT_MISUSE_OTHER, o->addr,
                        "a barrier is initialized while threads wait at it");
    o->limit = n;
    o->count = 0;
    o->extra = 0;
    o->destroyed = 0;
    burl_obj_changed(o);
}

static int
destroy_barrier(struct burl_thread *t, pthread_barrier_t *b)
{
    struct burl_op op = burl__op(t, BURL_OP_DESTROY, b, 0);
    struct burl_obj *o = get_barrier(b);

    burl__wait(t, &op, o, all_have_left, BURL_TIME_NEVER, false);
    o = get_barrier(b); /* again: another thread may have destroyed it */
    if (o->count > 0) {
        burl_rt_misuse(BURL_VERDICT_MISUSE_DESTROY_BUSY, o,
                       "a barrier is destroyed while threads wait at it");
        burl__note_result(t, EBUSY);
        burl__wait_misused(t, &op, o, is_empty); /* glibc waits for all that have entered */
    }
    o->destroyed = 1;
    return 0;
}

BURL_INTERPOSE_INIT(int pthread_barrier_init(pthread_barrier_t *b,
                                             const pthread_barrierattr_t *attr, unsigned n),
                    b, burl__init_point(t, b, sizeof *b, n),
                    BURL_REAL(pthread_barrier_init)(b, attr, n), barrier_inited(b, n))
BURL_INTERPOSE(int pthread_barrier_destroy(pthread_barrier_t *b),
               BURL_FREE_OBJECT(b, BURL_REAL(pthread_barrier_destroy)(b)), destroy_barrier(t, b))
BURL_INTERPOSE(int pthread_barrier_wait(pthread_barrier_t *b), free_arrive(b), barrier_arrive(t, b))
