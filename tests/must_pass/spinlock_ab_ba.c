/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The spinlocks are taken in the order of the node numbers.
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
    int first = from < to ? from : to;
    int second = from < to ? to : from;

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
