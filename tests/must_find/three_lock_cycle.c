/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Each of three services holds its own lock while it asks the next one; no two of them
 *   are in conflict, but the three together form a cycle.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { N_SERVICES = 3 };

struct service {
    pthread_mutex_t mutex; /* guards calls; its rank is the index in services[] */
    int calls;
};

static struct service services[N_SERVICES] = {
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
};

static void
ask(int self, int other)
{
    int low = self;
    int high = other;

    pthread_mutex_lock(&services[low].mutex);
    pthread_mutex_lock(&services[high].mutex);
    services[self].calls++;
    services[other].calls++;
    pthread_mutex_unlock(&services[high].mutex);
    pthread_mutex_unlock(&services[low].mutex);
}

static void *
run_service(void *arg)
{
    int self = (int)((struct service *)arg - services);

    ask(self, (self + 1) % N_SERVICES);
    return NULL;
}

int
main(void)
{
    pthread_t threads[N_SERVICES];

    for (int i = 0; i < N_SERVICES; i++)
        pthread_create(&threads[i], NULL, run_service, &services[i]);
    for (int i = 0; i < N_SERVICES; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N_SERVICES; i++)
        assert(services[i].calls == 2);
    return 0;
}
