/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The next node is locked before the current one is released, so no thread can unlink it.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

enum { N_NODES = 4 };

struct node {
    pthread_mutex_t mutex; /* guards next, and the right to unlink the next node */
    struct node *next;
    int value;
};

static struct node *head; /* a sentinel, never removed */

static struct node *
node_new(int value, struct node *next)
{
    struct node *n = malloc(sizeof *n);

    pthread_mutex_init(&n->mutex, NULL);
    n->value = value;
    n->next = next;
    return n;
}

static void
node_free(struct node *n)
{
    pthread_mutex_destroy(&n->mutex);
    free(n);
}

static int
list_sum(void)
{
    struct node *n = head;
    int sum = 0;

    pthread_mutex_lock(&n->mutex);
    while (n->next != NULL) {
        struct node *next = n->next;

        pthread_mutex_lock(&next->mutex);
        pthread_mutex_unlock(&n->mutex);
        sum += next->value;
        n = next;
    }
    pthread_mutex_unlock(&n->mutex);
    return sum;
}

static void
list_remove_first(void)
{
    struct node *victim;

    pthread_mutex_lock(&head->mutex);
    victim = head->next;
    pthread_mutex_lock(&victim->mutex);
    head->next = victim->next;
    pthread_mutex_unlock(&victim->mutex);
    pthread_mutex_unlock(&head->mutex);
    node_free(victim);
}

static void *
reader(void *arg)
{
    *(int *)arg = list_sum();
    return NULL;
}

static void *
remover(void *arg)
{
    (void)arg;
    list_remove_first();
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;
    int sum = 0;

    for (int i = N_NODES - 1; i >= 0; i--)
        head = node_new(i, head);
    pthread_create(&a, NULL, reader, &sum);
    pthread_create(&b, NULL, remover, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    while (head != NULL) {
        struct node *next = head->next;

        node_free(head);
        head = next;
    }
    return sum == 6 || sum == 5 ? 0 : 1;
}
