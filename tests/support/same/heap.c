/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks that are freed and given out again: what was in them before is no history of the new ones.
 * And locks within blocks. */
#include <stdlib.h>
#include <string.h>

#include "turn.h"

struct node {
    pthread_mutex_t lock;
    struct node *next;
    int value;
    char name[20];
};

static struct node *head;

static void *
push(void *arg)
{
    for (int i = 0; i < 4; i++) {
        struct node *n = malloc(sizeof *n);

        n->lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        strcpy(n->name, "node");
        n->value = *(int *)arg;
        n->next = head;
        head = n;
    }
    return NULL;
}

static void *
bump(void *arg)
{
    for (struct node *n = head; n != NULL; n = n->next) {
        pthread_mutex_lock(&n->lock);
        n->value += *(int *)arg;
        n->name[n->value % 20] = 'x';
        pthread_mutex_unlock(&n->lock);
    }
    return NULL;
}

static void *
pop(void *arg)
{
    int left = *(int *)arg;

    while (head != NULL && left-- > 0) {
        struct node *n = head;

        head = n->next;
        pthread_mutex_destroy(&n->lock);
        free(n);
    }
    return NULL;
}

int
main(void)
{
    int two = 2;
    int all = 100;

    run_alone(push, &two);
    run_alone(bump, &two);
    run_alone(pop, &two);
    run_alone(push, &two);
    run_alone(bump, &two);
    head->value++;
    run_alone(bump, &two);
    head = realloc(head, sizeof *head + 4000);
    head->value++;
    run_alone(bump, &two);
    run_alone(pop, &all);
    return head != NULL;
}
