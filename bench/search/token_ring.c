/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token_ring.c - SCTBench CS/token_ring: three stations hand a token on, each copying it from the
 * one before; a fourth thread compares when all have done so.
 *
 * Nothing makes the stations work in the order of the ring. FIXED: each waits for the one before.
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static int token[3] = { 1, 2, 1 };
static bool done[3];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;

static void *
station(void *arg)
{
    int me = (int)((bool *)arg - done);

    pthread_mutex_lock(&lock);
#ifdef FIXED
    while (me > 0 && !done[me - 1])
        pthread_cond_wait(&passed, &lock);
#endif
    token[me] = me == 0 ? (token[2] + 1) % 4 : token[me - 1];
    done[me] = true;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
compare(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    if (done[0] && done[1] && done[2])
        assert(token[0] == token[1] && token[1] == token[2]);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, station, &done[i]);
    pthread_create(&threads[3], NULL, compare, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
