/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lfq.c - rculfqueue as a queue of numbers; see lfq.h. _LGPL_SOURCE has the inline versions, so
 * that they are compiled here and watched access by access.
 */
#define _LGPL_SOURCE
#include "lfq.h"

#include <stdlib.h>
#include <urcu/rculfqueue.h>
#include <urcu/urcu-bp.h>

struct lfq {
    struct cds_lfq_queue_rcu queue;
};

struct item {
    struct cds_lfq_node_rcu node;
    int value;
};

/* A grace period that does not end. */
static void
keep(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
    (void)head;
    (void)func;
}

struct lfq *
lfq_new(void)
{
    struct lfq *q = malloc(sizeof *q);

    if (q != NULL)
        cds_lfq_init_rcu(&q->queue, keep);
    return q;
}

void
lfq_free(struct lfq *q)
{
    while (cds_lfq_dequeue_rcu(&q->queue) != NULL)
        continue;
    if (cds_lfq_destroy_rcu(&q->queue) != 0)
        abort();
    free(q);
}

void
lfq_enqueue(struct lfq *q, int value)
{
    struct item *i = malloc(sizeof *i);

    if (i == NULL)
        abort();
    cds_lfq_node_init_rcu(&i->node);
    i->value = value;
    cds_lfq_enqueue_rcu(&q->queue, &i->node);
}

static struct item *
dequeue(struct lfq *q, int *value)
{
    struct cds_lfq_node_rcu *node = cds_lfq_dequeue_rcu(&q->queue);
    struct item *i = node != NULL ? caa_container_of(node, struct item, node) : NULL;

    *value = i != NULL ? i->value : 0;
    return i;
}

bool
lfq_dequeue(struct lfq *q, int *value)
{
    return dequeue(q, value) != NULL;
}

bool
lfq_dequeue_and_free(struct lfq *q, int *value)
{
    struct item *i = dequeue(q, value);
    const bool got = i != NULL;

    free(i);
    return got;
}
