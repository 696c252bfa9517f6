/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: The port is complete before it can be found.
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
    p->name[0] = 'p';
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_lock(&ports_lock);
    port = p;
    pthread_mutex_unlock(&ports_lock);
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
