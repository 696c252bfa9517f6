/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2016_9806.c - ConVul: a dump to a socket ends while the next one begins.
 *
 * The end of a dump marks that none is running, unlocks, and frees the buffer; the next begins in
 * between, stores a buffer of its own, and both free the same one. FIXED: the end takes the buffer
 * before it unlocks.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static struct {
    pthread_mutex_t lock;
    bool running;
    char *buffer;
} dump = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool
dump_begin(void)
{
    bool mine;

    pthread_mutex_lock(&dump.lock);
    mine = !dump.running;
    if (mine) {
        dump.running = true;
        dump.buffer = malloc(32);
    }
    pthread_mutex_unlock(&dump.lock);
    return mine;
}

static void
dump_end(void)
{
    char *buffer;

    pthread_mutex_lock(&dump.lock);
    dump.running = false;
#ifdef FIXED
    buffer = dump.buffer;
    pthread_mutex_unlock(&dump.lock);
#else
    pthread_mutex_unlock(&dump.lock);
    buffer = dump.buffer;
#endif
    free(buffer);
}

static void *
request(void *arg)
{
    (void)arg;
    if (dump_begin())
        dump_end();
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, request, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
