/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: The increment of the hit counter is a read and a write; two threads that read the
 *   same value lose an update.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_THREADS = 2, N_HITS = 3 };

struct page_stats {
    long hits;
    long bytes[N_THREADS]; /* one slot per thread: no sharing */
};

static struct page_stats stats;

static void *
serve(void *arg)
{
    long *bytes = arg;

    for (int i = 0; i < N_HITS; i++) {
        stats.hits++;
        *bytes += 512;
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_THREADS];

    for (int i = 0; i < N_THREADS; i++)
        pthread_create(&threads[i], NULL, serve, &stats.bytes[i]);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_THREADS; i++)
        assert(stats.bytes[i] == 512 * N_HITS);
    assert(stats.hits == (long)N_THREADS * N_HITS);
    return 0;
}
