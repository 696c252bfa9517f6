/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.use-destroyed | misuse.destroy-busy
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The module is shut down, with its mutex, while a late caller is still on its way in.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct module {
    pthread_mutex_t mutex; /* guards n_calls */
    atomic_int open;
    int n_calls;
};

static struct module module;

static void *
caller(void *arg)
{
    struct module *m = arg;

    if (!atomic_load(&m->open))
        return NULL;
    pthread_mutex_lock(&m->mutex);
    m->n_calls++;
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

static void
module_shut_down(struct module *m)
{
    atomic_store(&m->open, 0);
    pthread_mutex_destroy(&m->mutex);
}

int
main(void)
{
    pthread_t threads[2];

    pthread_mutex_init(&module.mutex, NULL);
    atomic_store(&module.open, 1);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, caller, &module);
    module_shut_down(&module);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
