/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: hang.livelock | deadlock.cycle | deadlock.stuck
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Two threads take the two spinlocks of a graph edge in opposite orders and spin for
 *   ever.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_NODES = 2 };

struct node {
    pthread_spinlock_t lock; /* guards degree */
    int degree;
};

static struct node nodes[N_NODES];

static void
connect_nodes(int from, int to)
{
    int first = from;
    int second = to;

    pthread_spin_lock(&nodes[first].lock);
    pthread_spin_lock(&nodes[second].lock);
    nodes[from].degree++;
    nodes[to].degree++;
    pthread_spin_unlock(&nodes[second].lock);
    pthread_spin_unlock(&nodes[first].lock);
}

static void *
forth(void *arg)
{
    (void)arg;
    connect_nodes(0, 1);
    return NULL;
}

static void *
back(void *arg)
{
    (void)arg;
    connect_nodes(1, 0);
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    for (int i = 0; i < N_NODES; i++)
        pthread_spin_init(&nodes[i].lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&a, NULL, forth, NULL);
    pthread_create(&b, NULL, back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (int i = 0; i < N_NODES; i++) {
        assert(nodes[i].degree == 2);
        pthread_spin_destroy(&nodes[i].lock);
    }
    return 0;
}
