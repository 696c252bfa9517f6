/* SPDX-License-Identifier: Apache-2.0 */
/*
 * prim.c - a minimum spanning tree by Prim's algorithm, the vertices shared out among threads.
 *
 * In each round every thread looks for the nearest vertex outside the tree among its own, the
 * nearest of all wins under a lock, and all update distances to the tree. The weight must be
 * that of the sequential algorithm.
 */
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VERTICES 7
#define THREADS 3

static int weight[VERTICES][VERTICES];
static int distance[VERTICES]; /* to the tree; each is written by its owner only */
static bool in_tree[VERTICES];

static pthread_barrier_t barrier;
static struct {
    pthread_mutex_t lock;
    int vertex; /* -1 none yet in this round */
    int distance;
} nearest = { PTHREAD_MUTEX_INITIALIZER, -1, INT_MAX };
static int total;

static void
make_graph(void)
{
    uint32_t state = 7;

    for (int i = 0; i < VERTICES; i++) {
        for (int j = 0; j < i; j++) {
            state = state * 1664525u + 1013904223u;
            weight[i][j] = weight[j][i] = 1 + (int)(state >> 24);
        }
    }
}

static int
sequential(void)
{
    int dist[VERTICES];
    bool done[VERTICES] = { true };
    int sum = 0;

    for (int i = 0; i < VERTICES; i++)
        dist[i] = weight[0][i];
    for (int round = 1; round < VERTICES; round++) {
        int best = -1;

        for (int i = 0; i < VERTICES; i++) {
            if (!done[i] && (best < 0 || dist[i] < dist[best]))
                best = i;
        }
        done[best] = true;
        sum += dist[best];
        for (int i = 0; i < VERTICES; i++) {
            if (weight[best][i] < dist[i])
                dist[i] = weight[best][i];
        }
    }
    return sum;
}

static void
propose(int vertex, int dist)
{
    pthread_mutex_lock(&nearest.lock);
    if (dist < nearest.distance || (dist == nearest.distance && vertex < nearest.vertex)) {
        nearest.vertex = vertex;
        nearest.distance = dist;
    }
    pthread_mutex_unlock(&nearest.lock);
}

static void
look_for_nearest(int id)
{
    int best = -1;

    for (int i = id; i < VERTICES; i += THREADS) {
        if (!in_tree[i] && (best < 0 || distance[i] < distance[best]))
            best = i;
    }
    if (best >= 0)
        propose(best, distance[best]);
}

static void
update_distances(int id, int added)
{
    for (int i = id; i < VERTICES; i += THREADS) {
        if (i == added)
            in_tree[i] = true;
        if (weight[added][i] < distance[i])
            distance[i] = weight[added][i];
    }
}

static void *
grow_tree(void *arg)
{
    const int id = (int)(intptr_t)arg;

    for (int round = 1; round < VERTICES; round++) {
        look_for_nearest(id);
        pthread_barrier_wait(&barrier);
        update_distances(id, nearest.vertex);
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            total += nearest.distance;
            nearest.vertex = -1;
            nearest.distance = INT_MAX;
        }
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int
main(void)
{
    pthread_t threads[THREADS];
    int expected;

    make_graph();
    expected = sequential();
    for (int i = 0; i < VERTICES; i++)
        distance[i] = weight[0][i];
    in_tree[0] = true;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, grow_tree, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(total == expected);
    return 0;
}
