/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_cond_destroy
 * BURL-KIND: misuse.destroy-busy
 * BURL-NATIVE: no
 * Destroyed while a thread waits on it; libc would wait for that thread to leave.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_cond_t come_changed = PTHREAD_COND_INITIALIZER;
static int come;

static void *
wait_for_ever(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    come = 1;
    pthread_cond_signal(&come_changed);
    while (come != 0)
        pthread_cond_wait(&c, &m);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    assert(pthread_cond_destroy(&c) == 0);
    assert(pthread_cond_init(&c, NULL) == 0);
    assert(pthread_create(&t, NULL, wait_for_ever, NULL) == 0);
    pthread_mutex_lock(&m);
    while (come == 0)
        pthread_cond_wait(&come_changed, &m);
    pthread_cond_destroy(&c);
    return 0;
}
