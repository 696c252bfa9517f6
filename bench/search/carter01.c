/* SPDX-License-Identifier: Apache-2.0 */
/*
 * carter01.c - SCTBench CS/carter01: two groups share a room, of which only one may be inside; the
 * first of a group locks it, the last unlocks it.
 *
 * Both counts are under one lock, held while waiting for the room: the one inside cannot get that
 * lock to leave. Two idle threads are part of the published program. FIXED: a lock per group.
 */
#include <pthread.h>
#include <stddef.h>

struct group {
    pthread_mutex_t *count_lock;
    int inside;
};

static pthread_mutex_t room = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t count_lock[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
#ifdef FIXED
static struct group groups[2] = { { &count_lock[0], 0 }, { &count_lock[1], 0 } };
#else
static struct group groups[2] = { { &count_lock[0], 0 }, { &count_lock[0], 0 } };
#endif

static void *
visit(void *arg)
{
    struct group *g = arg;

    pthread_mutex_lock(g->count_lock);
    g->inside++;
    if (g->inside == 1)
        pthread_mutex_lock(&room);
    pthread_mutex_unlock(g->count_lock);

    pthread_mutex_lock(g->count_lock);
    g->inside--;
    if (g->inside == 0)
        pthread_mutex_unlock(&room);
    pthread_mutex_unlock(g->count_lock);
    return NULL;
}

static void *
idle(void *arg)
{
    return arg;
}

int
main(void)
{
    pthread_t threads[4];

    pthread_create(&threads[0], NULL, visit, &groups[0]);
    pthread_create(&threads[1], NULL, visit, &groups[1]);
    pthread_create(&threads[2], NULL, idle, NULL);
    pthread_create(&threads[3], NULL, idle, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
