/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2017_15265.c - ConVul: a port of the sound sequencer is deleted before its creation is done.
 *
 * The creation puts the port on the client's list, unlocks, and fills in its name; deletion of the
 * port by its number in between leaves the creation with freed memory. FIXED: it is filled in
 * before it is on the list, and its number is remembered.
 */
#include <pthread.h>
#include <stdlib.h>

struct port {
    int number;
    char name[16];
};

static pthread_mutex_t ports_lock = PTHREAD_MUTEX_INITIALIZER;
static struct port *ports[2];

static void
name_port(struct port *p)
{
    p->name[0] = 'p';
    p->name[1] = (char)('0' + p->number);
    p->name[2] = '\0';
}

static void *
create(void *arg)
{
    struct port *p = calloc(1, sizeof *p);

    (void)arg;
    p->number = 1;
#ifdef FIXED
    name_port(p);
#endif
    pthread_mutex_lock(&ports_lock);
    ports[1] = p;
    pthread_mutex_unlock(&ports_lock);
#ifndef FIXED
    name_port(p);
#endif
    return NULL;
}

static void *delete(void *arg)
{
    struct port *p;

    (void)arg;
    pthread_mutex_lock(&ports_lock);
    p = ports[1];
    ports[1] = NULL;
    pthread_mutex_unlock(&ports_lock);
    free(p);
    return NULL;
}

int
main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, create, NULL);
    pthread_create(&threads[1], NULL, delete, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(ports[1]);
    return 0;
}
