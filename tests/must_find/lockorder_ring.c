/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: Four stations, four tracks: each train holds its own track and asks for the next,
 *   all the way round.
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
