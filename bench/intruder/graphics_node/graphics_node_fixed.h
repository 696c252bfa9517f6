/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphics_node_fixed.h - structures and locks of graphics_node_fixed.c, and of no other file.
 *
 * One recursive mutex per node guards its own fields: list of children, parent, caches. A function
 * that needs more than one node locks the whole trees of its arguments, in the order of addresses,
 * so there is no lock-order cycle.
 */
#ifndef GRAPHICS_NODE_FIXED_H
#define GRAPHICS_NODE_FIXED_H

#include "graphics_node.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum kind { GEOMETRY, SENSITIVE, N_KINDS };

struct box { /* empty if the width or the height is zero */
    long long x;
    long long y;
    long long width;
    long long height;
};

struct graphics_region {
    pthread_mutex_t lock;
    struct box box;
};

struct graphics_node {
    pthread_mutex_t lock;
    struct graphics_node *parent;
    struct graphics_node **children;
    int n_children;
    int capacity;
    unsigned changes; /* of the list of children, for iterators */
    struct box primitive;
    long long offset_x;
    long long offset_y;
    bool visible;
    struct graphics_region *background;
    bool is_cached[N_KINDS];
    struct box bounds[N_KINDS];
};

struct graphics_iterator { /* guarded by the lock of the node */
    struct graphics_node *node;
    int cursor;
    int last; /* index of the child returned last, or -1 */
    unsigned changes;
};

static void
lock(struct graphics_node *n)
{
    pthread_mutex_lock(&n->lock);
}

static void
unlock(struct graphics_node *n)
{
    pthread_mutex_unlock(&n->lock);
}

/* ---- whole trees ---- */

struct family { /* the nodes of one tree or two, in the order of addresses */
    struct graphics_node **nodes;
    size_t count;
    size_t capacity;
};

static bool
family_has(const struct family *f, const struct graphics_node *n)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->nodes[i] == n)
            return true;
    return false;
}

static void
family_add(struct family *f, struct graphics_node *n)
{
    if (n == NULL || family_has(f, n))
        return;
    if (f->count == f->capacity) {
        f->capacity = 2 * f->capacity + 8;
        f->nodes = realloc(f->nodes, f->capacity * sizeof *f->nodes);
        if (f->nodes == NULL)
            abort();
    }
    f->nodes[f->count++] = n;
}

/* Adds all nodes that a node links to. Returns whether there was a new one. */
static bool
family_add_links(struct family *f, struct graphics_node *n)
{
    size_t count = f->count;

    lock(n);
    family_add(f, n->parent);
    for (int i = 0; i < n->n_children; i++)
        family_add(f, n->children[i]);
    unlock(n);
    return f->count > count;
}

static int
compare_addresses(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)*(struct graphics_node *const *)a;
    uintptr_t y = (uintptr_t)*(struct graphics_node *const *)b;

    return (x > y) - (x < y);
}

static void
unlock_family(struct family *f)
{
    for (size_t i = 0; i < f->count; i++)
        unlock(f->nodes[i]);
    free(f->nodes);
}

/*
 * Locks the trees of two nodes, the second of which may be NULL. Trees may change before all their
 * nodes are locked. If so, the loop starts again: another thread has made progress.
 */
static struct family
lock_family(struct graphics_node *a, struct graphics_node *b)
{
    struct family f;
    bool complete;

    do {
        size_t locked;

        memset(&f, 0, sizeof f);
        family_add(&f, a);
        family_add(&f, b);
        for (size_t i = 0; i < f.count; i++)
            family_add_links(&f, f.nodes[i]);
        qsort(f.nodes, f.count, sizeof f.nodes[0], compare_addresses);
        for (size_t i = 0; i < f.count; i++)
            lock(f.nodes[i]);
        locked = f.count;
        complete = true;
        for (size_t i = 0; i < locked && complete; i++)
            complete = !family_add_links(&f, f.nodes[i]);
        f.count = locked;
        if (!complete)
            unlock_family(&f);
    } while (!complete);
    return f;
}

#endif
