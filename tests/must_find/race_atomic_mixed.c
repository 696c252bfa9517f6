/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The requests are counted with atomic additions, but the monitor reads the counter
 *   plainly.
 */
#include <pthread.h>
#include <stddef.h>

static unsigned long requests;

static void *
serve(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++)
        __atomic_fetch_add(&requests, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

int
main(void)
{
    pthread_t thread;
    unsigned long seen;

    pthread_create(&thread, NULL, serve, NULL);
    seen = requests;
    pthread_join(thread, NULL);
    return seen <= 3 ? 0 : 1;
}
