/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_key_create __pthread_key_create pthread_key_delete pthread_getspecific
 *   pthread_setspecific
 * BURL-WHY: destructors run when a program thread ends, in rounds while values are left; the
 *   carrier of a fiber does not end, so libc's own would never run.
 */
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

int __pthread_key_create(pthread_key_t *key, void (*dtor)(void *));

static pthread_key_t plain;
static pthread_key_t counted;
static pthread_key_t stubborn;
static pthread_key_t before_main;
static int n_counted;
static int n_stubborn;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void
count(void *value)
{
    pthread_mutex_lock(&m);
    n_counted += (int)(intptr_t)value;
    pthread_mutex_unlock(&m);
    assert(pthread_getspecific(counted) == NULL);
}

static void
set_again(void *value)
{
    pthread_mutex_lock(&m);
    n_stubborn++;
    pthread_mutex_unlock(&m);
    assert(pthread_setspecific(stubborn, value) == 0);
}

__attribute__((constructor)) static void
start(void)
{
    assert(pthread_key_create(&before_main, NULL) == 0);
    assert(pthread_setspecific(before_main, &before_main) == 0);
}

static void *
run(void *arg)
{
    assert(pthread_getspecific(plain) == NULL);
    assert(pthread_getspecific(before_main) == NULL);
    assert(pthread_setspecific(plain, arg) == 0);
    assert(pthread_setspecific(counted, arg) == 0);
    if ((intptr_t)arg == 1)
        assert(pthread_setspecific(stubborn, &n_stubborn) == 0);
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    assert(pthread_getspecific(plain) == arg);
    assert(pthread_getspecific(counted) == arg);
    return NULL;
}

int
main(void)
{
    pthread_t t[3];
    pthread_key_t again;

    /* Whatever an earlier execution in this process did to the key is undone. */
    assert(pthread_getspecific(before_main) == &before_main);
    assert(pthread_setspecific(before_main, NULL) == 0);
    assert(pthread_key_create(&plain, NULL) == 0);
    assert(pthread_key_create(&counted, count) == 0);
    assert(__pthread_key_create(&stubborn, set_again) == 0);
    assert(pthread_setspecific(plain, &plain) == 0);
    for (intptr_t i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, run, (void *)(i + 1)) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(n_counted == 6);
    assert(n_stubborn == PTHREAD_DESTRUCTOR_ITERATIONS);
    assert(pthread_getspecific(plain) == &plain);
    assert(pthread_key_delete(plain) == 0);
    assert(pthread_setspecific(plain, &plain) == EINVAL);
    assert(pthread_key_delete(plain) == EINVAL);
    assert(pthread_key_create(&again, NULL) == 0);
    assert(pthread_getspecific(again) == NULL);
    return 0;
}
