/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - the locks of streams that a program takes itself: flockfile and its relatives.
 *
 * They are recursive. The library waits for them in a futex of its own, which no scheduler sees, so
 * a controlled thread first takes a lock of ours and then finds the library's free, as in openmp.c.
 * The library's is taken too because printf() and the like wait for it: one that has to wait is
 * reported as a wait that burl does not control. In free mode only the edges are ours.
 */
#include <stdio.h>

#include "interpose_int.h"
#include "rt/core/core.h"

/* What the model and the reports take for the lock: not the stream itself, whose members macros
 * like putc_unlocked() access. */
static const void *
lock_of(const FILE *f)
{
    return f->_lock;
}

static bool
is_free(const struct burl_obj *o, const struct burl_thread *t)
{
    (void)t;
    return o->owner == BURL_TID_NONE;
}

static struct burl_obj *
lock_object(const void *lock)
{
    return burl_obj_get(lock, BURL_OBJ_SPIN, NULL);
}

static void
own(struct burl_thread *t, struct burl_obj *o, bool by_try)
{
    o->owner = t->tid;
    burl__lock_taken(t, o, BURL_LOCK_EXCLUSIVE, by_try);
    burl_obj_changed(o);
}

static void
model_take(struct burl_thread *t, const void *lock)
{
    const struct burl_op op = burl__op(t, BURL_OP_LOCK, lock, 0);
    struct burl_obj *o = lock_object(lock);

    burl__notify_request(t, (void *)o->addr, BURL_LOCK_EXCLUSIVE);
    burl__wait(t, &op, o, is_free, BURL_TIME_NEVER, false);
    own(t, lock_object(lock), false);
}

static int
model_try(struct burl_thread *t, const void *lock)
{
    const struct burl_op op = burl__op(t, BURL_OP_TRYLOCK, lock, 0);
    struct burl_obj *o;
    int r = EBUSY;

    burl__point_or_yield(t, &op);
    o = lock_object(lock);
    if (is_free(o, t)) {
        own(t, o, true);
        r = 0;
    } else {
        burl__try_failed(t);
        burl__gave_up(t);
    }
    burl__notify_tried(t, lock, r);
    burl__note_result(t, r);
    return r;
}

static void
model_drop(struct burl_thread *t, const void *lock)
{
    burl__point(t, BURL_OP_UNLOCK, lock, 0);
    burl__lock_dropped(t, lock_object(lock), "a thread unlocks a stream that no thread has locked",
                       "a thread unlocks a stream that another thread has locked");
}

/* ---- the outermost level takes and releases -------------------------------------------------- */

/* How often the calling thread has locked a stream. */
#define NESTED 16u

static __thread struct {
    const void *lock;
    uint32_t levels;
} nested[NESTED];

/* The entry of the lock, or one for it, or NULL: none is left, and each level counts as the only
 * one. */
static uint32_t *
levels_of(const void *lock)
{
    uint32_t *none = NULL;

    for (uint32_t i = 0; i < NESTED; i++) {
        if (nested[i].levels != 0 && nested[i].lock == lock)
            return &nested[i].levels;
        if (nested[i].levels == 0 && none == NULL) {
            nested[i].lock = lock;
            none = &nested[i].levels;
        }
    }
    return none;
}

static bool
is_nested(const void *lock)
{
    const uint32_t *levels = levels_of(lock);

    return levels != NULL && *levels != 0;
}

/* One level more is held. */
static void
taken(const void *lock, bool by_try)
{
    uint32_t *levels;

    if (!is_nested(lock)) {
        burl_free_acquired(lock, BURL_LOCK_EXCLUSIVE, by_try);
        burl_noise_call();
    }
    levels = levels_of(lock);
    if (levels != NULL)
        *levels += 1;
}

BURL_DEFINE(void flockfile(FILE *f))
{
    const void *lock = lock_of(f);

    if (!is_nested(lock)) {
        burl_noise_call();
        burl_free_requesting(lock, BURL_LOCK_EXCLUSIVE);
        BURL_IN_CALL(model_take(t, lock));
    }
    BURL_REAL(flockfile)(f);
    taken(lock, false);
}

BURL_DEFINE(int ftrylockfile(FILE *f))
{
    const void *lock = lock_of(f);
    int r = 0;

    if (!is_nested(lock)) {
        burl_noise_call();
        BURL_IN_CALL(r = model_try(t, lock));
    }
    if (r != 0)
        return r;
    r = BURL_REAL(ftrylockfile)(f);
    if (r == 0)
        taken(lock, true);
    return r;
}

BURL_DEFINE(void funlockfile(FILE *f))
{
    const void *lock = lock_of(f);
    uint32_t *levels = levels_of(lock);
    const bool outermost = levels == NULL || *levels <= 1;

    if (levels != NULL && *levels != 0)
        *levels -= 1;
    if (outermost) {
        burl_noise_call();
        burl_free_releasing(lock);
    }
    BURL_REAL(funlockfile)(f);
    if (outermost) {
        BURL_IN_CALL(model_drop(t, lock));
        burl_noise_call();
    }
}
