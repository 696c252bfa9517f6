/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keys.c - thread-specific data (pthread_key_*, tss_*) and thread_local destructors.
 *
 * With a supervisor the keys are ours from the first call on, before main too, because a key's
 * number must mean the same before main and in every execution. A value is seen by its own thread
 * only. Which keys there are is seen by all: creating and deleting one while there are other
 * threads is a scheduling point, and so is the use of a key that was created so or does not exist.
 * Uses of other keys are none, so a search that sees one deleted claims nothing.
 *
 * Three times of life:
 *   before main    burl_self is NULL; values of the main thread are in `main_values`
 *   an execution   values are in struct burl_thread; thread 0 starts with a copy of main_values
 *   child of fork  the child is an ordinary process: every key of ours is given a key of libc
 *                  (`native`), so that threads made by the child have their own values
 *
 * Keys made during an execution are forgotten at the reset; keys made before main, and values and
 * thread_local objects from there, are the same at the start of every execution.
 */
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <threads.h>

#include "interpose_int.h"

struct key {
    void (*dtor)(void *);
    bool used;
    bool late; /* created while there were other threads */
};

/* One thread_local object with a destructor; newest first in its list. */
struct tls_dtor {
    struct tls_dtor *next;
    void (*fn)(void *);
    void *obj;
};

static struct key keys[BURL_MAX_KEYS];
static struct key start_keys[BURL_MAX_KEYS];
static void *main_values[BURL_MAX_KEYS];
static struct tls_dtor *main_dtors;
static uint32_t n_keys;       /* highest index used + 1 */
static uint32_t n_start_keys; /* the same at the start of main */
static bool marked;           /* main has begun */
static bool in_child;         /* a child of fork: keys are mapped onto libc's */
static pthread_key_t native[BURL_MAX_KEYS];

/* Ours or libc's? Decided by the supervisor alone, and kept in a child of fork, where
 * burl_rt_supervised is false but the numbers the program holds are still ours. */
static bool
keys_are_ours(void)
{
    return burl_rt_supervised || in_child;
}

static void
use_point(pthread_key_t k)
{
    if (BURL_UNLIKELY(k >= BURL_MAX_KEYS || !keys[k].used || keys[k].late))
        BURL_IN_CALL(burl__state_point(t, BURL__STATE_KEYS, false));
}

/* To write to. */
static void **
values_of(struct burl_thread *t)
{
    if (t == NULL)
        return main_values;
    if (t->keys == NULL)
        t->keys = burl_rt_alloc(BURL_MAX_KEYS * sizeof t->keys[0]);
    return t->keys;
}

static int
create_key(pthread_key_t *out, void (*dtor)(void *))
{
    burl__state_call(BURL__STATE_KEYS);
    for (uint32_t i = 0; i < BURL_MAX_KEYS; i++) {
        if (keys[i].used)
            continue;
        if (in_child && BURL_REAL(pthread_key_create)(&native[i], dtor) != 0)
            return EAGAIN;
        keys[i].used = true;
        keys[i].dtor = dtor;
        keys[i].late = burl_self != NULL && burl_thread_alive() > 1;
        if (i >= n_keys)
            n_keys = i + 1;
        *out = i;
        return 0;
    }
    return EAGAIN;
}

static int
delete_key(pthread_key_t k)
{
    burl__state_doubt_call(BURL__STATE_KEYS);
    if (k >= BURL_MAX_KEYS || !keys[k].used)
        return EINVAL;
    keys[k].used = false;
    keys[k].dtor = NULL;
    if (in_child)
        return BURL_REAL(pthread_key_delete)(native[k]);
    /* A later key with the same number must find no value in any thread. */
    if (burl_self != NULL) {
        for (uint32_t i = 0; i < burl_thread_count(); i++) {
            struct burl_thread *t = burl_thread_by_tid((uint16_t)i);

            if (t != NULL && k < t->keys_used)
                t->keys[k] = NULL;
        }
    } else {
        main_values[k] = NULL;
    }
    return 0;
}

static void *
get_value(pthread_key_t k)
{
    const struct burl_thread *t = burl_self;

    use_point(k);
    if (k >= BURL_MAX_KEYS || !keys[k].used)
        return NULL;
    if (in_child)
        return BURL_REAL(pthread_getspecific)(native[k]);
    if (t == NULL)
        return main_values[k];
    return k < t->keys_used ? t->keys[k] : NULL;
}

static int
set_value(pthread_key_t k, uintptr_t value)
{
    struct burl_thread *t = burl_self;

    use_point(k);
    if (k >= BURL_MAX_KEYS || !keys[k].used)
        return EINVAL;
    if (in_child)
        return BURL_REAL(pthread_setspecific)(native[k], (void *)value);
    values_of(t)[k] = (void *)value;
    if (t != NULL && k >= t->keys_used)
        t->keys_used = k + 1;
    return 0;
}

BURL_EXPORT int
pthread_key_create(pthread_key_t *key, void (*dtor)(void *))
{
    burl_rt_wake();
    if (!keys_are_ours())
        return BURL_REAL(pthread_key_create)(key, dtor);
    return create_key(key, dtor);
}

/* The name under which libgcc and older libstdc++ refer to it. */
BURL_DEFINE(int __pthread_key_create(pthread_key_t *key, void (*dtor)(void *)))
{
    return pthread_key_create(key, dtor);
}

BURL_EXPORT int
tss_create(tss_t *key, tss_dtor_t dtor)
{
    burl_rt_wake();
    if (!keys_are_ours())
        return BURL_REAL(tss_create)(key, dtor);
    return create_key(key, dtor) == 0 ? thrd_success : thrd_error;
}

BURL_EXPORT void
tss_delete(tss_t key)
{
    if (!keys_are_ours())
        BURL_REAL(tss_delete)(key);
    else
        (void)delete_key(key);
}

#define KEY_FUNCTION(prototype, original, own)       \
    BURL_DEFINE(prototype)                           \
    {                                                \
        return keys_are_ours() ? (own) : (original); \
    }

KEY_FUNCTION(int pthread_key_delete(pthread_key_t key), BURL_REAL(pthread_key_delete)(key),
             delete_key(key))
KEY_FUNCTION(void *pthread_getspecific(pthread_key_t key), BURL_REAL(pthread_getspecific)(key),
             get_value(key))
KEY_FUNCTION(int pthread_setspecific(pthread_key_t key, const void *value),
             BURL_REAL(pthread_setspecific)(key, value), set_value(key, (uintptr_t)value))
KEY_FUNCTION(void *tss_get(tss_t key), BURL_REAL(tss_get)(key), get_value(key))
KEY_FUNCTION(int tss_set(tss_t key, void *value), BURL_REAL(tss_set)(key, value),
             set_value(key, (uintptr_t)value) == 0 ? thrd_success : thrd_error)

/* C++ thread_local: the compiler registers a destructor with each object that it constructs. */
BURL_DEFINE(int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso))
{
    struct burl_thread *t = burl_self;
    struct tls_dtor **list;
    struct tls_dtor *d;

    burl_rt_wake();
    if (!burl_rt_supervised || (t == NULL && marked))
        return BURL_REAL(__cxa_thread_atexit_impl)(fn, obj, dso);
    d = t != NULL ? burl_exec_alloc(sizeof *d) : burl_rt_alloc(sizeof *d);
    list = t != NULL ? (struct tls_dtor **)&t->tls_dtors : &main_dtors;
    *d = (struct tls_dtor){ .next = *list, .fn = fn, .obj = obj };
    *list = d;
    return 0;
}

void
burl__keys_run_tls_dtors(struct burl_thread *t)
{
    uint8_t inside = t->inside;

    t->inside = 0;
    /* A destructor may construct further thread_local objects: take one at a time. */
    while (t->tls_dtors != NULL) {
        struct tls_dtor *d = t->tls_dtors;

        t->tls_dtors = d->next;
        d->fn(d->obj);
    }
    t->inside = inside;
}

/* One round over all keys; false when no value was left. */
static bool
run_key_dtors(struct burl_thread *t)
{
    bool any = false;

    for (uint32_t i = 0; i < t->keys_used; i++) {
        void *value = t->keys[i];

        if (value == NULL)
            continue;
        t->keys[i] = NULL;
        if (!keys[i].used || keys[i].dtor == NULL)
            continue;
        any = true;
        keys[i].dtor(value);
    }
    return any;
}

void
burl_keys_run_destructors(struct burl_thread *t)
{
    uint8_t inside = t->inside;

    burl__keys_run_tls_dtors(t);
    t->inside = 0;
    for (int round = 0; round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        if (!run_key_dtors(t))
            break;
    }
    t->inside = inside;
}

void
burl__keys_thread_init(struct burl_thread *t)
{
    if (t->keys_used != 0)
        memset(t->keys, 0, t->keys_used * sizeof t->keys[0]);
    t->keys_used = 0;
    t->tls_dtors = NULL;
    if (t->tid != 0)
        return;
    if (n_start_keys != 0)
        memcpy(values_of(t), main_values, n_start_keys * sizeof t->keys[0]);
    t->keys_used = n_start_keys;
    /* The nodes are never changed after main has begun, so they may be shared by executions. */
    t->tls_dtors = main_dtors;
}

void
burl__keys_mark_start(void)
{
    memcpy(start_keys, keys, sizeof keys);
    n_start_keys = n_keys;
    marked = true;
}

void
burl__keys_reset(void)
{
    uint32_t n = n_keys > n_start_keys ? n_keys : n_start_keys;

    if (n != 0)
        memcpy(keys, start_keys, n * sizeof keys[0]);
    if (n_keys != n_start_keys)
        n_keys = n_start_keys;
}

void
burl__keys_child(struct burl_thread *t)
{
    in_child = true;
    for (uint32_t i = 0; i < n_keys; i++) {
        if (!keys[i].used)
            continue;
        if (BURL_REAL(pthread_key_create)(&native[i], keys[i].dtor) != 0) {
            keys[i].used = false;
            continue;
        }
        if (i < t->keys_used && t->keys[i] != NULL)
            (void)BURL_REAL(pthread_setspecific)(native[i], t->keys[i]);
    }
    /* libc runs its list from the newest to the oldest: register the oldest first. */
    while (t->tls_dtors != NULL) {
        struct tls_dtor **p = (struct tls_dtor **)&t->tls_dtors;

        while ((*p)->next != NULL)
            p = &(*p)->next;
        /* The third argument names the object that owns the destructor, by an address in it; libc
         * does not survive NULL as the first one it sees. */
        (void)BURL_REAL(__cxa_thread_atexit_impl)((*p)->fn, (*p)->obj, (void *)(*p)->fn);
        *p = NULL;
    }
}
