/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2016_1973.c - ConVul: a media track with a count of references that is not atomic is released
 * by two threads.
 *
 * Both decrement and then look: both see zero, and the track is freed twice
 * or used after its end. FIXED: an atomic count.
 */
#include <pthread.h>
#include <stdlib.h>

struct track {
#ifdef FIXED
    _Atomic int references;
#else
    int references;
#endif
    int samples;
};

static void
release(struct track *t)
{
#ifdef FIXED
    if (--t->references == 0)
        free(t);
#else
    t->references--;
    if (t->references == 0)
        free(t);
#endif
}

static void *
stop(void *arg)
{
    release(arg);
    return NULL;
}

int
main(void)
{
    struct track *t = calloc(1, sizeof *t);
    pthread_t threads[2];

    t->references = 2;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, stop, t);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
