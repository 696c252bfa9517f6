/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.overflow
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Two threads append their names to one list with strcat.
 */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards names */
static char names[64];

static void *
sign(void *arg)
{
    strcat(names, arg);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, sign, "ann ");
    pthread_create(&threads[1], NULL, sign, "bob ");
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return strlen(names) <= 8 ? 0 : 1;
}
