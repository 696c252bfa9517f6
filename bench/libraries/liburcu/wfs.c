/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wfs.c - wfstack as a stack of numbers; see wfs.h. _LGPL_SOURCE has the inline versions, so that
 * they are compiled here and watched access by access.
 */
#define _LGPL_SOURCE
#include "wfs.h"

#include <stdlib.h>
#include <urcu/wfstack.h>

struct wfs {
    struct cds_wfs_stack stack;
};

struct item {
    struct cds_wfs_node node;
    int value;
};

static bool
take(struct cds_wfs_node *node, int *value)
{
    struct item *i = node != NULL ? caa_container_of(node, struct item, node) : NULL;

    *value = i != NULL ? i->value : 0;
    free(i);
    return i != NULL;
}

struct wfs *
wfs_new(void)
{
    struct wfs *s = malloc(sizeof *s);

    if (s != NULL)
        cds_wfs_init(&s->stack);
    return s;
}

void
wfs_free(struct wfs *s)
{
    int value;

    while (wfs_pop(s, &value))
        continue;
    cds_wfs_destroy(&s->stack);
    free(s);
}

bool
wfs_push(struct wfs *s, int value)
{
    struct item *i = malloc(sizeof *i);

    if (i == NULL)
        abort();
    cds_wfs_node_init(&i->node);
    i->value = value;
    return cds_wfs_push(&s->stack, &i->node) != 0;
}

bool
wfs_pop(struct wfs *s, int *value)
{
    return take(cds_wfs_pop_blocking(&s->stack), value);
}

bool
wfs_empty(struct wfs *s)
{
    return cds_wfs_empty(&s->stack);
}

int
wfs_pop_all(struct wfs *s, int *n)
{
    struct cds_wfs_head *all = cds_wfs_pop_all_blocking(&s->stack);
    int sum = 0;

    *n = 0;
    for (struct cds_wfs_node *node = cds_wfs_first(all); node != NULL;) {
        struct cds_wfs_node *next = cds_wfs_next_blocking(node);
        int value;

        take(node, &value);
        sum += value % 1000;
        ++*n;
        node = next;
    }
    return sum;
}

bool
wfs_pop_with_state(struct wfs *s, int *value, int *last)
{
    *last = 0;
    return take(cds_wfs_pop_with_state_blocking(&s->stack, last), value);
}

bool
wfs_pop_unlocked(struct wfs *s, int *value)
{
    return take(__cds_wfs_pop_blocking(&s->stack), value);
}
