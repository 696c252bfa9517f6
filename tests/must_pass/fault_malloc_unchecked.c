/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500 --faults=malloc,create
 * BURL-WHY: The result of malloc is tested.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards list */
static struct node {
    struct node *next;
    int value;
} *list;

static void *
worker(void *arg)
{
    struct node *n = malloc(sizeof *n);

    (void)arg;
    if (n == NULL)
        return NULL;
    n->value = 1;
    pthread_mutex_lock(&mutex);
    n->next = list;
    list = n;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int
main(void)
{
    pthread_t t;

    if (pthread_create(&t, NULL, worker, NULL) != 0)
        return 0;
    worker(NULL);
    pthread_join(t, NULL);
    while (list != NULL) {
        struct node *n = list;

        list = n->next;
        free(n);
    }
    return 0;
}
