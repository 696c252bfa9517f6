/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The helper gives back only what it took.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex; /* error-checking; guards open_files */
static int open_files;

static void
note(int change)
{
    int err = pthread_mutex_lock(&mutex);

    open_files += change;
    if (err == 0)
        pthread_mutex_unlock(&mutex);
}

static void *
copy_file(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&mutex);
    note(1);
    open_files += 1;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
read_file(void *arg)
{
    (void)arg;
    note(1);
    return NULL;
}

int
main(void)
{
    pthread_mutexattr_t attr;
    pthread_t threads[2];

    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&mutex, &attr);
    pthread_create(&threads[0], NULL, copy_file, NULL);
    pthread_create(&threads[1], NULL, read_file, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return open_files <= 3 ? 0 : 1;
}
