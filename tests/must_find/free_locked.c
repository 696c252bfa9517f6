/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.destroy-busy
 * BURL-ALSO: memory.use-after-free
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: After CVE-2017-15265: a port is deleted while its creation holds the lock in it.
 *   The free of a locked mutex is not all: the creation goes on in freed memory.
 */
#include <pthread.h>
#include <stdlib.h>

struct port {
    pthread_mutex_t lock;
    char name[16];
};

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER;
static struct port *port;

static void *
create(void *arg)
{
    struct port *p = calloc(1, sizeof *p);

    pthread_mutex_init(&p->lock, NULL);
    pthread_mutex_lock(&p->lock);
    pthread_mutex_lock(&ports_lock);
    port = p;
    pthread_mutex_unlock(&ports_lock);
    p->name[0] = 'p';
    pthread_mutex_unlock(&p->lock);
    return arg;
}

static void *
delete (void *arg)
{
    struct port *p;

    pthread_mutex_lock(&ports_lock);
    p = port;
    port = NULL;
    pthread_mutex_unlock(&ports_lock);
    free(p);
    return arg;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, create, NULL);
    pthread_create(&t[1], NULL, delete, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    free(port);
    return 0;
}
