/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A canceled thread runs its cleanup handlers in reverse order and its result says
 *   that it was canceled; cancellation can be put off and asked for.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stddef.h>

static sem_t begun;
static sem_t never;
static atomic_int n_cleaned;

static void
clean(void *arg)
{
    assert(atomic_fetch_add(&n_cleaned, 1) == *(int *)arg);
}

static void *
sleep_for_ever(void *arg)
{
    int first = 1;
    int second = 0;
    int old;

    (void)arg;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    sem_post(&begun);
    pthread_testcancel();
    pthread_cleanup_push(clean, &first);
    pthread_cleanup_push(clean, &second);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
    sem_wait(&never);
    pthread_cleanup_pop(0);
    pthread_cleanup_pop(0);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    void *result = NULL;

    sem_init(&begun, 0, 0);
    sem_init(&never, 0, 0);
    pthread_create(&thread, NULL, sleep_for_ever, NULL);
    sem_wait(&begun);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    assert(result == PTHREAD_CANCELED);
    assert(atomic_load(&n_cleaned) == 2);
    return 0;
}
