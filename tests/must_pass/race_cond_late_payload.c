/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The letter is finished before it is announced.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards n_letters */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int n_letters;
static int letter[2];

static void *
write_letter(void *arg)
{
    (void)arg;
    letter[0] = 1;
    letter[1] = 2;
    pthread_mutex_lock(&mutex);
    n_letters++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *
read_letter(void *arg)
{
    int *sum = arg;

    pthread_mutex_lock(&mutex);
    while (n_letters == 0)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    *sum = letter[0] + letter[1];
    return NULL;
}

int
main(void)
{
    pthread_t threads[3];
    int sums[2];

    pthread_create(&threads[0], NULL, read_letter, &sums[0]);
    pthread_create(&threads[1], NULL, read_letter, &sums[1]);
    pthread_create(&threads[2], NULL, write_letter, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return sums[0] >= 1 && sums[1] >= 1 ? 0 : 1;
}
