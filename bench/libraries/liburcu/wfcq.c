/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfcq.c - wfcqueue as a queue of numbers; see wfcq.h. _LGPL_SOURCE has the inline versions, so
 * that they are compiled here and watched access by access.
 */
#define _LGPL_SOURCE
#include "wfcq.h"

#include <stdlib.h>
#include <urcu/wfcqueue.h>

struct wfcq {
    struct cds_wfcq_head head;
    struct cds_wfcq_tail tail;
};

struct item {
    struct cds_wfcq_node node;
    int value;
};

static bool
take(struct cds_wfcq_node *node, int *value)
{
    struct item *i = node != NULL ? caa_container_of(node, struct item, node) : NULL;

    *value = i != NULL ? i->value : 0;
    free(i);
    return i != NULL;
}

struct wfcq *
wfcq_new(void)
{
    struct wfcq *q = malloc(sizeof *q);

    if (q != NULL)
        cds_wfcq_init(&q->head, &q->tail);
    return q;
}

void
wfcq_free(struct wfcq *q)
{
    int value;

    while (wfcq_dequeue(q, &value))
        continue;
    cds_wfcq_destroy(&q->head, &q->tail);
    free(q);
}

bool
wfcq_enqueue(struct wfcq *q, int value)
{
    struct item *i = malloc(sizeof *i);

    if (i == NULL)
        abort();
    cds_wfcq_node_init(&i->node);
    i->value = value;
    return cds_wfcq_enqueue(&q->head, &q->tail, &i->node);
}

bool
wfcq_dequeue(struct wfcq *q, int *value)
{
    return take(cds_wfcq_dequeue_blocking(&q->head, &q->tail), value);
}

bool
wfcq_dequeue_with_state(struct wfcq *q, int *value, int *last)
{
    struct cds_wfcq_node *node;

    *last = 0;
    node = cds_wfcq_dequeue_with_state_blocking(&q->head, &q->tail, last);
    return take(node, value);
}

bool
wfcq_empty(struct wfcq *q)
{
    return cds_wfcq_empty(&q->head, &q->tail);
}

int
wfcq_splice(struct wfcq *q, int *n)
{
    struct cds_wfcq_head head;
    struct cds_wfcq_tail tail;
    struct cds_wfcq_node *node;
    int sum = 0;

    *n = 0;
    cds_wfcq_init(&head, &tail);
    cds_wfcq_splice_blocking(&head, &tail, &q->head, &q->tail);
    for (;;) {
        int value;

        node = cds_wfcq_dequeue_blocking(&head, &tail);
        if (!take(node, &value))
            break;
        sum += value % 1000;
        ++*n;
    }
    cds_wfcq_destroy(&head, &tail);
    return sum;
}

int
wfcq_sum_unlocked(struct wfcq *q, int *n)
{
    struct cds_wfcq_node *node;
    int sum = 0;

    *n = 0;
    __cds_wfcq_for_each_blocking(&q->head, &q->tail, node)
    {
        sum += caa_container_of(node, struct item, node)->value % 1000;
        ++*n;
    }
    return sum;
}

int
wfcq_sum(struct wfcq *q, int *n)
{
    int sum;

    cds_wfcq_dequeue_lock(&q->head, &q->tail);
    sum = wfcq_sum_unlocked(q, n);
    cds_wfcq_dequeue_unlock(&q->head, &q->tail);
    return sum;
}

bool
wfcq_dequeue_unlocked(struct wfcq *q, int *value)
{
    return take(__cds_wfcq_dequeue_blocking(&q->head, &q->tail), value);
}
