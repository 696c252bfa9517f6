/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The locks have ranks, and the last service takes the lower rank first, so there is
 *   no cycle.
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
    int low = self < other ? self : other;
    int high = self < other ? other : self;

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
