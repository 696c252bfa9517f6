/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: The last train asks for its two tracks in the order of their numbers, which breaks
 *   the ring.
 */
#include <pthread.h>
#include <stddef.h>

enum { N = 4 };

static pthread_mutex_t tracks[N];
static int passed[N];

static void *
drive(void *arg)
{
    int me = *(int *)arg;
    int a = me;
    int b = (me + 1) % N;

    if (b < a) {
        a = b;
        b = me;
    }
    pthread_mutex_lock(&tracks[a]);
    pthread_mutex_lock(&tracks[b]);
    passed[me]++;
    pthread_mutex_unlock(&tracks[b]);
    pthread_mutex_unlock(&tracks[a]);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N];
    int ids[N] = { 0, 1, 2, 3 };

    for (int i = 0; i < N; i++)
        pthread_mutex_init(&tracks[i], NULL);
    for (int i = 0; i < N; i++)
        pthread_create(&threads[i], NULL, drive, &ids[i]);
    for (int i = 0; i < N; i++)
        pthread_join(threads[i], NULL);
    return passed[3] == 1 ? 0 : 1;
}
