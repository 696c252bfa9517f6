/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The destructors take the lock.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_key_t key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards total */
static int total;

static void
add_to_total(void *value)
{
    int *count = value;

    pthread_mutex_lock(&mutex);
    total += *count;
    pthread_mutex_unlock(&mutex);
    free(count);
}

static int *
my_count(void)
{
    int *count = pthread_getspecific(key);

    if (count == NULL) {
        count = calloc(1, sizeof *count);
        pthread_setspecific(key, count);
    }
    return count;
}

static void *
work(void *arg)
{
    (void)arg;
    ++*my_count();
    ++*my_count();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_key_create(&key, add_to_total);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&mutex);
    total += 0;
    pthread_mutex_unlock(&mutex);
    return total <= 4 ? 0 : 1;
}
