/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lfs.c - lfstack as a stack of numbers; see lfs.h. _LGPL_SOURCE has the inline versions, so that
 * they are compiled here and watched access by access.
 */
#define _LGPL_SOURCE
#include "lfs.h"

#include <stdlib.h>
#include <urcu/lfstack.h>

struct lfs {
    struct cds_lfs_stack stack;
};

struct item {
    struct cds_lfs_node node;
    int value;
};

static bool
take(struct cds_lfs_node *node, int *value)
{
    struct item *i = node != NULL ? caa_container_of(node, struct item, node) : NULL;

    *value = i != NULL ? i->value : 0;
    free(i);
    return i != NULL;
}

struct lfs *
lfs_new(void)
{
    struct lfs *s = malloc(sizeof *s);

    if (s != NULL)
        cds_lfs_init(&s->stack);
    return s;
}

void
lfs_free(struct lfs *s)
{
    int value;

    while (lfs_pop(s, &value))
        continue;
    cds_lfs_destroy(&s->stack);
    free(s);
}

bool
lfs_push(struct lfs *s, int value)
{
    struct item *i = malloc(sizeof *i);

    if (i == NULL)
        abort();
    cds_lfs_node_init(&i->node);
    i->value = value;
    return cds_lfs_push(&s->stack, &i->node) != 0;
}

bool
lfs_pop(struct lfs *s, int *value)
{
    return take(cds_lfs_pop_blocking(&s->stack), value);
}

bool
lfs_empty(struct lfs *s)
{
    return cds_lfs_empty(&s->stack);
}

int
lfs_pop_all(struct lfs *s, int *n)
{
    struct cds_lfs_head *all = cds_lfs_pop_all_blocking(&s->stack);
    int sum = 0;

    *n = 0;
    for (struct cds_lfs_node *node = all != NULL ? &all->node : NULL; node != NULL;) {
        struct cds_lfs_node *next = node->next;
        int value;

        take(node, &value);
        sum += value % 1000;
        ++*n;
        node = next;
    }
    return sum;
}

bool
lfs_pop_unlocked(struct lfs *s, int *value)
{
    return take(__cds_lfs_pop(&s->stack), value);
}
