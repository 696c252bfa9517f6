/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: _pthread_cleanup_push _pthread_cleanup_pop _pthread_cleanup_push_defer
 *   _pthread_cleanup_pop_restore
 * BURL-WHY: the functions behind the cleanup macros of older compilers and headers. Today's
 *   linker does not bind to all of them, so they are looked up.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>

typedef void (*push_fn)(struct _pthread_cleanup_buffer *, void (*)(void *), void *);
typedef void (*pop_fn)(struct _pthread_cleanup_buffer *, int);

static push_fn push;
static pop_fn pop;
static push_fn push_defer;
static pop_fn pop_restore;
static int order;

static void *
find(const char *name)
{
    void *p = dlsym(RTLD_DEFAULT, name);

    if (p == NULL)
        p = dlvsym(RTLD_DEFAULT, name, "GLIBC_2.2.5");
    assert(p != NULL);
    return p;
}

static void
digit(void *arg)
{
    order = order * 10 + (int)(intptr_t)arg;
}

static void *
run(void *arg)
{
    struct _pthread_cleanup_buffer a;
    struct _pthread_cleanup_buffer b;
    struct _pthread_cleanup_buffer d;
    int old;

    push(&a, digit, (void *)1);
    push(&b, digit, (void *)2);
    pop(&b, 1);
    push(&b, digit, (void *)3);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL) == 0);
    push_defer(&d, digit, (void *)4);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
    assert(old == PTHREAD_CANCEL_DEFERRED);
    pop_restore(&d, 1);
    assert(pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old) == 0);
    assert(old == PTHREAD_CANCEL_ASYNCHRONOUS);
    pthread_cleanup_push(digit, (void *)5);
    pthread_exit(arg);
    pthread_cleanup_pop(0);
    return NULL;
}

int
main(void)
{
    pthread_t t;
    void *result;

    push = (push_fn)find("_pthread_cleanup_push");
    pop = (pop_fn)find("_pthread_cleanup_pop");
    push_defer = (push_fn)find("_pthread_cleanup_push_defer");
    pop_restore = (pop_fn)find("_pthread_cleanup_pop_restore");
    assert(pthread_create(&t, NULL, run, &order) == 0);
    assert(pthread_join(t, &result) == 0);
    assert(result == &order);
    assert(order == 24531 || order == 24315); /* libc runs its two lists one after the other */
    return 0;
}
