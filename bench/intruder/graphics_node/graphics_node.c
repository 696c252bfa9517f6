/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphics_node.c - see graphics_node.h.
 *
 * One recursive mutex per node guards its own fields: list of children, parent, caches. No function
 * holds the mutexes of two nodes. A region has no mutex; its node's mutex is held around accesses.
 */
#define _GNU_SOURCE
#include "graphics_node.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_COORDINATE = 1000000, MAX_DEPTH = 64 };

enum kind { GEOMETRY, SENSITIVE, N_KINDS };

struct box { /* empty if the width or the height is zero */
    long long x;
    long long y;
    long long width;
    long long height;
};

struct graphics_region {
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

/* ---- boxes ---- */

static long long
clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

static struct box
make_box(int x, int y, int width, int height)
{
    struct box b = {
        .x = clamp(x, -MAX_COORDINATE, MAX_COORDINATE),
        .y = clamp(y, -MAX_COORDINATE, MAX_COORDINATE),
        .width = clamp(width, 0, MAX_COORDINATE),
        .height = clamp(height, 0, MAX_COORDINATE),
    };

    return b;
}

static bool
box_is_empty(struct box b)
{
    return b.width == 0 || b.height == 0;
}

static struct box
box_union(struct box a, struct box b)
{
    struct box u;

    if (box_is_empty(a) || box_is_empty(b))
        return box_is_empty(a) ? b : a;
    u.x = a.x < b.x ? a.x : b.x;
    u.y = a.y < b.y ? a.y : b.y;
    u.width = (a.x + a.width > b.x + b.width ? a.x + a.width : b.x + b.width) - u.x;
    u.height = (a.y + a.height > b.y + b.height ? a.y + a.height : b.y + b.height) - u.y;
    return u;
}

static bool
box_contains(struct box b, long long x, long long y)
{
    return x >= b.x && x < b.x + b.width && y >= b.y && y < b.y + b.height;
}

/* ---- regions ---- */

struct graphics_region *
graphics_region_new(int x, int y, int width, int height)
{
    struct graphics_region *r = calloc(1, sizeof *r);

    if (r != NULL)
        r->box = make_box(x, y, width, height);
    return r;
}

void
graphics_region_free(struct graphics_region *r)
{
    free(r);
}

long long
graphics_region_left(struct graphics_region *r)
{
    return r->box.x;
}

long long
graphics_region_top(struct graphics_region *r)
{
    return r->box.y;
}

long long
graphics_region_width(struct graphics_region *r)
{
    return r->box.width;
}

long long
graphics_region_height(struct graphics_region *r)
{
    return r->box.height;
}

/* ---- nodes ---- */

struct graphics_node *
graphics_node_new(int x, int y, int width, int height)
{
    struct graphics_node *n = calloc(1, sizeof *n);
    pthread_mutexattr_t attr;

    if (n == NULL)
        return NULL;
    n->primitive = make_box(x, y, width, height);
    n->visible = true;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&n->lock, &attr);
    pthread_mutexattr_destroy(&attr);
    return n;
}

static void
set_parent(struct graphics_node *n, struct graphics_node *parent)
{
    lock(n);
    n->parent = parent;
    unlock(n);
}

void
graphics_node_free(struct graphics_node *n)
{
    if (n == NULL)
        return;
    if (n->parent != NULL)
        graphics_node_remove(n->parent, n);
    for (int i = 0; i < n->n_children; i++)
        set_parent(n->children[i], NULL);
    pthread_mutex_destroy(&n->lock);
    free(n->children);
    free(n);
}

void
graphics_node_invalidate(struct graphics_node *n)
{
    struct graphics_node *next = n;

    for (int depth = 0; next != NULL; depth++) {
        assert(depth <= MAX_DEPTH);
        n = next;
        lock(n);
        memset(n->is_cached, 0, sizeof n->is_cached);
        next = n->parent;
        unlock(n);
    }
}

void
graphics_node_set_primitive(struct graphics_node *n, int x, int y, int width, int height)
{
    lock(n);
    n->primitive = make_box(x, y, width, height);
    unlock(n);
    graphics_node_invalidate(n);
}

void
graphics_node_translate(struct graphics_node *n, int dx, int dy)
{
    lock(n);
    n->offset_x += clamp(dx, -MAX_COORDINATE, MAX_COORDINATE);
    n->offset_y += clamp(dy, -MAX_COORDINATE, MAX_COORDINATE);
    unlock(n);
    graphics_node_invalidate(n);
}

long long
graphics_node_offset_x(struct graphics_node *n)
{
    long long x;

    lock(n);
    x = n->offset_x;
    unlock(n);
    return x;
}

long long
graphics_node_offset_y(struct graphics_node *n)
{
    long long y;

    lock(n);
    y = n->offset_y;
    unlock(n);
    return y;
}

void
graphics_node_set_visible(struct graphics_node *n, bool visible)
{
    lock(n);
    n->visible = visible;
    unlock(n);
    graphics_node_invalidate(n);
}

bool
graphics_node_is_visible(struct graphics_node *n)
{
    bool visible;

    lock(n);
    visible = n->visible;
    unlock(n);
    return visible;
}

void
graphics_node_set_background(struct graphics_node *n, struct graphics_region *r)
{
    lock(n);
    n->background = r;
    unlock(n);
}

bool
graphics_node_has_background(struct graphics_node *n)
{
    bool result;

    lock(n);
    result = n->background != NULL;
    unlock(n);
    return result;
}

long long
graphics_node_background_area(struct graphics_node *n)
{
    long long area = GRAPHICS_ENONE;

    lock(n);
    if (n->background != NULL)
        area = n->background->box.width * n->background->box.height;
    unlock(n);
    return area;
}

int
graphics_node_move_background(struct graphics_node *n, int dx, int dy)
{
    int result = GRAPHICS_ENONE;

    lock(n);
    if (n->background != NULL) {
        n->background->box.x += clamp(dx, -MAX_COORDINATE, MAX_COORDINATE);
        n->background->box.y += clamp(dy, -MAX_COORDINATE, MAX_COORDINATE);
        result = 0;
    }
    unlock(n);
    return result;
}

int
graphics_node_grow_background(struct graphics_node *n, int dx, int dy)
{
    int result = GRAPHICS_ENONE;

    lock(n);
    if (n->background != NULL) {
        n->background->box.width += clamp(dx, 0, MAX_COORDINATE);
        n->background->box.height += clamp(dy, 0, MAX_COORDINATE);
        result = 0;
    }
    unlock(n);
    return result;
}

/* ---- the tree ---- */

struct graphics_node *
graphics_node_parent(struct graphics_node *n)
{
    struct graphics_node *parent;

    lock(n);
    parent = n->parent;
    unlock(n);
    return parent;
}

struct graphics_node *
graphics_node_root(struct graphics_node *n)
{
    struct graphics_node *parent = graphics_node_parent(n);

    for (int depth = 0; parent != NULL; depth++) {
        assert(depth <= MAX_DEPTH);
        n = parent;
        parent = graphics_node_parent(n);
    }
    return n;
}

int
graphics_node_depth(struct graphics_node *n)
{
    int depth = 0;

    for (n = graphics_node_parent(n); n != NULL; n = graphics_node_parent(n)) {
        depth++;
        assert(depth <= MAX_DEPTH);
    }
    return depth;
}

static bool
is_in_ancestry(struct graphics_node *n, const struct graphics_node *ancestor)
{
    for (int depth = 0; n != NULL; depth++) {
        assert(depth <= MAX_DEPTH);
        if (n == ancestor)
            return true;
        n = graphics_node_parent(n);
    }
    return false;
}

static int
height_of(struct graphics_node *n)
{
    int height = 0;

    for (int i = 0; i < graphics_node_size(n); i++) {
        struct graphics_node *child = graphics_node_get(n, i);
        int h = child != NULL ? 1 + height_of(child) : 0;

        height = h > height ? h : height;
    }
    return height;
}

int
graphics_node_descendants(struct graphics_node *n)
{
    int size = graphics_node_size(n);
    int total = size;

    for (int i = 0; i < size; i++) {
        struct graphics_node *child = graphics_node_get(n, i);

        total += child != NULL ? graphics_node_descendants(child) : 0;
    }
    return total;
}

int
graphics_node_size(struct graphics_node *n)
{
    int size;

    lock(n);
    size = n->n_children;
    unlock(n);
    return size;
}

struct graphics_node *
graphics_node_get(struct graphics_node *n, int index)
{
    struct graphics_node *child = NULL;

    lock(n);
    if (index >= 0 && index < n->n_children)
        child = n->children[index];
    unlock(n);
    return child;
}

int
graphics_node_index_of(struct graphics_node *n, struct graphics_node *child)
{
    int index = GRAPHICS_ENONE;

    lock(n);
    for (int i = 0; i < n->n_children && index < 0; i++)
        if (n->children[i] == child)
            index = i;
    unlock(n);
    return index;
}

bool
graphics_node_contains(struct graphics_node *n, struct graphics_node *child)
{
    return graphics_node_index_of(n, child) >= 0;
}

/* Puts a child into the list, without its parent pointer. */
static int
insert_locked(struct graphics_node *n, int index, struct graphics_node *child)
{
    if (index < 0 || index > n->n_children)
        return GRAPHICS_EINDEX;
    if (n->n_children == n->capacity) {
        int capacity = n->capacity > 0 ? 2 * n->capacity : 4;
        struct graphics_node **grown = realloc(n->children, (size_t)capacity * sizeof *grown);

        if (grown == NULL)
            return GRAPHICS_ENOMEM;
        n->children = grown;
        n->capacity = capacity;
    }
    memmove(n->children + index + 1, n->children + index,
            (size_t)(n->n_children - index) * sizeof *n->children);
    n->children[index] = child;
    n->n_children++;
    n->changes++;
    return 0;
}

/* Takes a child out of the list; returns it, with its parent pointer as it was. */
static struct graphics_node *
take_locked(struct graphics_node *n, int index)
{
    struct graphics_node *child = n->children[index];

    n->n_children--;
    memmove(n->children + index, n->children + index + 1,
            (size_t)(n->n_children - index) * sizeof *n->children);
    n->changes++;
    return child;
}

/* Whether the child may be added; the error, or zero. */
static int
check_add(struct graphics_node *n, struct graphics_node *child)
{
    if (is_in_ancestry(n, child))
        return GRAPHICS_ECYCLE;
    if (graphics_node_depth(n) + 1 + height_of(child) > MAX_DEPTH)
        return GRAPHICS_EDEPTH;
    return 0;
}

int
graphics_node_add(struct graphics_node *n, struct graphics_node *child)
{
    int index = graphics_node_size(n);

    if (graphics_node_parent(child) == n)
        index--;
    return graphics_node_add_at(n, index, child);
}

int
graphics_node_add_at(struct graphics_node *n, int index, struct graphics_node *child)
{
    struct graphics_node *previous = graphics_node_parent(child);
    int error = check_add(n, child);

    if (error != 0)
        return error;
    if (index < 0 || index > graphics_node_size(n) - (previous == n))
        return GRAPHICS_EINDEX;
    if (previous != NULL)
        graphics_node_remove(previous, child);
    lock(n);
    error = insert_locked(n, index, child);
    unlock(n);
    if (error != 0)
        return error;
    set_parent(child, n);
    graphics_node_invalidate(n);
    return 0;
}

int
graphics_node_set(struct graphics_node *n, int index, struct graphics_node *child)
{
    struct graphics_node *previous = graphics_node_parent(child);
    struct graphics_node *replaced;
    int error = check_add(n, child);

    if (error != 0)
        return error;
    replaced = graphics_node_get(n, index);
    if (replaced == NULL || previous == n)
        return GRAPHICS_EINDEX;
    if (previous != NULL)
        graphics_node_remove(previous, child);
    lock(n);
    n->children[index] = child;
    n->changes++;
    unlock(n);
    set_parent(replaced, NULL);
    set_parent(child, n);
    graphics_node_invalidate(n);
    return 0;
}

int
graphics_node_remove(struct graphics_node *n, struct graphics_node *child)
{
    int index = graphics_node_index_of(n, child);

    return index < 0 ? GRAPHICS_ENONE : graphics_node_remove_at(n, index);
}

int
graphics_node_remove_at(struct graphics_node *n, int index)
{
    struct graphics_node *child = NULL;

    lock(n);
    if (index >= 0 && index < n->n_children)
        child = take_locked(n, index);
    unlock(n);
    if (child == NULL)
        return GRAPHICS_EINDEX;
    set_parent(child, NULL);
    graphics_node_invalidate(n);
    return 0;
}

int
graphics_node_clear(struct graphics_node *n)
{
    int removed = 0;

    while (graphics_node_remove_at(n, graphics_node_size(n) - 1) == 0)
        removed++;
    return removed;
}

int
graphics_node_add_all(struct graphics_node *n, struct graphics_node *other)
{
    int size = graphics_node_size(other);
    int moved = 0;

    for (int i = 0, kept = 0; i < size; i++) {
        struct graphics_node *child = graphics_node_get(other, kept);

        if (child != NULL && graphics_node_add(n, child) == 0)
            moved++;
        else
            kept++;
    }
    return moved;
}

/* ---- geometry ---- */

static struct box
bounds_of(struct graphics_node *n, enum kind kind)
{
    struct box box;
    bool is_cached;

    lock(n);
    is_cached = n->is_cached[kind];
    box = is_cached ? n->bounds[kind] : n->primitive;
    unlock(n);
    if (is_cached)
        return box;
    for (int i = 0; i < graphics_node_size(n); i++) {
        struct graphics_node *child = graphics_node_get(n, i);
        struct box b;

        if (child == NULL || (kind == SENSITIVE && !graphics_node_is_visible(child)))
            continue;
        b = bounds_of(child, kind);
        b.x += graphics_node_offset_x(child);
        b.y += graphics_node_offset_y(child);
        box = box_union(box, b);
    }
    lock(n);
    n->bounds[kind] = box;
    n->is_cached[kind] = true;
    unlock(n);
    return box;
}

long long
graphics_node_bounds_left(struct graphics_node *n)
{
    return bounds_of(n, GEOMETRY).x;
}

long long
graphics_node_bounds_top(struct graphics_node *n)
{
    return bounds_of(n, GEOMETRY).y;
}

long long
graphics_node_bounds_width(struct graphics_node *n)
{
    return bounds_of(n, GEOMETRY).width;
}

long long
graphics_node_bounds_height(struct graphics_node *n)
{
    return bounds_of(n, GEOMETRY).height;
}

long long
graphics_node_sensitive_width(struct graphics_node *n)
{
    return bounds_of(n, SENSITIVE).width;
}

bool
graphics_node_contains_point(struct graphics_node *n, int x, int y)
{
    return box_contains(bounds_of(n, GEOMETRY), x, y);
}

static struct graphics_node *
hit_below(struct graphics_node *n, long long x, long long y)
{
    struct graphics_node *hit = NULL;
    bool inside;

    if (!graphics_node_is_visible(n) || !box_contains(bounds_of(n, SENSITIVE), x, y))
        return NULL;
    for (int i = graphics_node_size(n) - 1; i >= 0 && hit == NULL; i--) {
        struct graphics_node *child = graphics_node_get(n, i);

        if (child != NULL)
            hit = hit_below(child, x - graphics_node_offset_x(child),
                            y - graphics_node_offset_y(child));
    }
    lock(n);
    inside = box_contains(n->primitive, x, y);
    unlock(n);
    return hit == NULL && inside ? n : hit;
}

struct graphics_node *
graphics_node_hit(struct graphics_node *n, int x, int y)
{
    return hit_below(n, x, y);
}

int
graphics_node_paint(struct graphics_node *n)
{
    int painted = 1;

    if (!graphics_node_is_visible(n))
        return 0;
    for (int i = 0; i < graphics_node_size(n); i++) {
        struct graphics_node *child = graphics_node_get(n, i);

        painted += child != NULL ? graphics_node_paint(child) : 0;
    }
    return painted;
}

/* ---- iterators ---- */

struct graphics_iterator *
graphics_iterator_new(struct graphics_node *n)
{
    struct graphics_iterator *it = calloc(1, sizeof *it);

    if (it == NULL)
        return NULL;
    it->node = n;
    it->last = -1;
    lock(n);
    it->changes = n->changes;
    unlock(n);
    return it;
}

void
graphics_iterator_free(struct graphics_iterator *it)
{
    free(it);
}

bool
graphics_iterator_has_next(struct graphics_iterator *it)
{
    bool result;

    lock(it->node);
    result = it->cursor < it->node->n_children;
    unlock(it->node);
    return result;
}

static struct graphics_node *
step(struct graphics_iterator *it, int distance)
{
    struct graphics_node *child = NULL;
    int index;

    lock(it->node);
    index = distance > 0 ? it->cursor : it->cursor - 1;
    if (it->changes == it->node->changes && index >= 0 && index < it->node->n_children) {
        child = it->node->children[index];
        it->cursor += distance;
        it->last = index;
    }
    unlock(it->node);
    return child;
}

struct graphics_node *
graphics_iterator_next(struct graphics_iterator *it)
{
    return step(it, 1);
}

struct graphics_node *
graphics_iterator_previous(struct graphics_iterator *it)
{
    return step(it, -1);
}

int
graphics_iterator_remove(struct graphics_iterator *it)
{
    int index = -1;

    lock(it->node);
    if (it->changes == it->node->changes)
        index = it->last;
    unlock(it->node);
    if (index < 0 || graphics_node_remove_at(it->node, index) != 0)
        return GRAPHICS_ENONE;
    lock(it->node);
    it->cursor = index;
    it->last = -1;
    it->changes = it->node->changes;
    unlock(it->node);
    return 0;
}
