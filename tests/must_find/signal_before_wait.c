/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=60 --stop-at-failure
 * BURL-ENGINES: both
 * BURL-WHY: The flag is set and signaled without the mutex, so that both may come between the
 *   look under the mutex and the wait. Much else happens before and after.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static atomic_int ready;
static atomic_int noise;

static void
work(void)
{
    for (int i = 0; i < 30; i++)
        noise++;
}

static void *
wait_for_it(void *arg)
{
    work();
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&told, &lock);
    pthread_mutex_unlock(&lock);
    work();
    return arg;
}

static void *
tell(void *arg)
{
    work();
    ready = 1;
    pthread_cond_signal(&told);
    work();
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, wait_for_it, NULL);
    pthread_create(&t[1], NULL, tell, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
