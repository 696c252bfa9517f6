/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bounded_buffer.c - Inspect boundedBuffer: producers and consumers share a buffer that is smaller
 * than what goes through it.
 *
 * There is one condition for "not full" and "not empty", and it is signaled, not broadcast: the
 * signal can wake one that waits for the other condition. Then all wait. FIXED: broadcast.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { CAPACITY = 1, THREADS = 2, EACH = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int slots[CAPACITY];
static int n_full;
static int put_at;
static int take_at;

static void
tell(void)
{
#ifdef FIXED
    pthread_cond_broadcast(&changed);
#else
    pthread_cond_signal(&changed);
#endif
}

static void
put(int x)
{
    pthread_mutex_lock(&lock);
    while (n_full == CAPACITY)
        pthread_cond_wait(&changed, &lock);
    slots[put_at] = x;
    put_at = (put_at + 1) % CAPACITY;
    n_full++;
    tell();
    pthread_mutex_unlock(&lock);
}

static int
take(void)
{
    int x;

    pthread_mutex_lock(&lock);
    while (n_full == 0)
        pthread_cond_wait(&changed, &lock);
    x = slots[take_at];
    take_at = (take_at + 1) % CAPACITY;
    n_full--;
    tell();
    pthread_mutex_unlock(&lock);
    return x;
}

static void *
produce(void *arg)
{
    (void)arg;
    for (int i = 1; i <= EACH; i++)
        put(i);
    return NULL;
}

static void *
consume(void *arg)
{
    (void)arg;
    for (int i = 0; i < EACH; i++)
        assert(take() > 0);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2 * THREADS];

    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[2 * i], NULL, produce, NULL);
        pthread_create(&threads[2 * i + 1], NULL, consume, NULL);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
