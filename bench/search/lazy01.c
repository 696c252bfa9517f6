/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lazy01.c - SCTBench CS/lazy01: one thread adds 1, one adds 2, the third says that the sum is not
 * reached yet. Wrong only when it comes last. FIXED: it may be reached.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *
add_one(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    data += 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
add_two(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    data += 2;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *
look(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
#ifdef FIXED
    assert(data <= 3);
#else
    assert(data < 3);
#endif
    pthread_mutex_unlock(&lock);
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, look, NULL);
    pthread_create(&threads[1], NULL, add_one, NULL);
    pthread_create(&threads[2], NULL, add_two, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
