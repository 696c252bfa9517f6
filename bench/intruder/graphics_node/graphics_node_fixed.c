/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphics_node_fixed.c - the repaired twin; see graphics_node.h.
 *
 * A function that needs one node locks it; a function that needs more locks whole trees (see
 * graphics_node_fixed.h). Functions named *_locked expect the caller to hold all locks they need. A
 * region has a mutex of its own, which is locked last.
 */
#define _GNU_SOURCE
#include "graphics_node_fixed.h"

enum { MAX_COORDINATE = 1000000, MAX_DEPTH = 64 };

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

    if (r == NULL)
        return NULL;
    r->box = make_box(x, y, width, height);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

void
graphics_region_free(struct graphics_region *r)
{
    if (r == NULL)
        return;
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static struct box
region_box(struct graphics_region *r)
{
    struct box box;

    pthread_mutex_lock(&r->lock);
    box = r->box;
    pthread_mutex_unlock(&r->lock);
    return box;
}

long long
graphics_region_left(struct graphics_region *r)
{
    return region_box(r).x;
}

long long
graphics_region_top(struct graphics_region *r)
{
    return region_box(r).y;
}

long long
graphics_region_width(struct graphics_region *r)
{
    return region_box(r).width;
}

long long
graphics_region_height(struct graphics_region *r)
{
    return region_box(r).height;
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

void
graphics_node_free(struct graphics_node *n)
{
    if (n == NULL)
        return;
    if (n->parent != NULL)
        graphics_node_remove(n->parent, n);
    for (int i = 0; i < n->n_children; i++)
        n->children[i]->parent = NULL;
    pthread_mutex_destroy(&n->lock);
    free(n->children);
    free(n);
}

static void
invalidate_locked(struct graphics_node *n)
{
    for (; n != NULL; n = n->parent)
        memset(n->is_cached, 0, sizeof n->is_cached);
}

void
graphics_node_invalidate(struct graphics_node *n)
{
    struct family f = lock_family(n, NULL);

    invalidate_locked(n);
    unlock_family(&f);
}

void
graphics_node_set_primitive(struct graphics_node *n, int x, int y, int width, int height)
{
    struct family f = lock_family(n, NULL);

    n->primitive = make_box(x, y, width, height);
    invalidate_locked(n);
    unlock_family(&f);
}

void
graphics_node_translate(struct graphics_node *n, int dx, int dy)
{
    struct family f = lock_family(n, NULL);

    n->offset_x += clamp(dx, -MAX_COORDINATE, MAX_COORDINATE);
    n->offset_y += clamp(dy, -MAX_COORDINATE, MAX_COORDINATE);
    invalidate_locked(n);
    unlock_family(&f);
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
    struct family f = lock_family(n, NULL);

    n->visible = visible;
    invalidate_locked(n);
    unlock_family(&f);
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
    if (n->background != NULL) {
        struct box box = region_box(n->background);

        area = box.width * box.height;
    }
    unlock(n);
    return area;
}

int
graphics_node_move_background(struct graphics_node *n, int dx, int dy)
{
    int result = GRAPHICS_ENONE;

    lock(n);
    if (n->background != NULL) {
        pthread_mutex_lock(&n->background->lock);
        n->background->box.x += clamp(dx, -MAX_COORDINATE, MAX_COORDINATE);
        n->background->box.y += clamp(dy, -MAX_COORDINATE, MAX_COORDINATE);
        pthread_mutex_unlock(&n->background->lock);
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
        pthread_mutex_lock(&n->background->lock);
        n->background->box.width += clamp(dx, 0, MAX_COORDINATE);
        n->background->box.height += clamp(dy, 0, MAX_COORDINATE);
        pthread_mutex_unlock(&n->background->lock);
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
    struct family f = lock_family(n, NULL);

    while (n->parent != NULL)
        n = n->parent;
    unlock_family(&f);
    return n;
}

static int
depth_locked(const struct graphics_node *n)
{
    int depth = 0;

    for (n = n->parent; n != NULL; n = n->parent)
        depth++;
    return depth;
}

int
graphics_node_depth(struct graphics_node *n)
{
    struct family f = lock_family(n, NULL);
    int depth = depth_locked(n);

    unlock_family(&f);
    return depth;
}

static bool
is_in_ancestry_locked(const struct graphics_node *n, const struct graphics_node *ancestor)
{
    while (n != NULL && n != ancestor)
        n = n->parent;
    return n != NULL;
}

static int
height_locked(const struct graphics_node *n)
{
    int height = 0;

    for (int i = 0; i < n->n_children; i++) {
        int h = 1 + height_locked(n->children[i]);

        height = h > height ? h : height;
    }
    return height;
}

static int
descendants_locked(const struct graphics_node *n)
{
    int total = n->n_children;

    for (int i = 0; i < n->n_children; i++)
        total += descendants_locked(n->children[i]);
    return total;
}

int
graphics_node_descendants(struct graphics_node *n)
{
    struct family f = lock_family(n, NULL);
    int total = descendants_locked(n);

    unlock_family(&f);
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
check_add_locked(const struct graphics_node *n, const struct graphics_node *child)
{
    if (is_in_ancestry_locked(n, child))
        return GRAPHICS_ECYCLE;
    if (depth_locked(n) + 1 + height_locked(child) > MAX_DEPTH)
        return GRAPHICS_EDEPTH;
    return 0;
}

static void
remove_locked(struct graphics_node *n, int index)
{
    take_locked(n, index)->parent = NULL;
    invalidate_locked(n);
}

static int
add_locked(struct graphics_node *n, int index, struct graphics_node *child)
{
    struct graphics_node *previous = child->parent;
    int error = check_add_locked(n, child);

    if (error != 0)
        return error;
    if (index < 0 || index > n->n_children - (previous == n))
        return GRAPHICS_EINDEX;
    if (previous != NULL)
        remove_locked(previous, graphics_node_index_of(previous, child));
    error = insert_locked(n, index, child);
    if (error != 0)
        return error;
    child->parent = n;
    invalidate_locked(n);
    return 0;
}

static int
append_locked(struct graphics_node *n, struct graphics_node *child)
{
    return add_locked(n, n->n_children - (child->parent == n), child);
}

int
graphics_node_add(struct graphics_node *n, struct graphics_node *child)
{
    struct family f = lock_family(n, child);
    int error = append_locked(n, child);

    unlock_family(&f);
    return error;
}

int
graphics_node_add_at(struct graphics_node *n, int index, struct graphics_node *child)
{
    struct family f = lock_family(n, child);
    int error = add_locked(n, index, child);

    unlock_family(&f);
    return error;
}

int
graphics_node_set(struct graphics_node *n, int index, struct graphics_node *child)
{
    struct family f = lock_family(n, child);
    int error = check_add_locked(n, child);

    if (error == 0 && (index < 0 || index >= n->n_children || child->parent == n))
        error = GRAPHICS_EINDEX;
    if (error == 0) {
        struct graphics_node *previous = child->parent;

        if (previous != NULL)
            remove_locked(previous, graphics_node_index_of(previous, child));
        n->children[index]->parent = NULL;
        n->children[index] = child;
        n->changes++;
        child->parent = n;
        invalidate_locked(n);
    }
    unlock_family(&f);
    return error;
}

int
graphics_node_remove(struct graphics_node *n, struct graphics_node *child)
{
    struct family f = lock_family(n, child);
    int index = graphics_node_index_of(n, child);

    if (index >= 0)
        remove_locked(n, index);
    unlock_family(&f);
    return index < 0 ? GRAPHICS_ENONE : 0;
}

int
graphics_node_remove_at(struct graphics_node *n, int index)
{
    struct family f = lock_family(n, NULL);
    bool valid = index >= 0 && index < n->n_children;

    if (valid)
        remove_locked(n, index);
    unlock_family(&f);
    return valid ? 0 : GRAPHICS_EINDEX;
}

int
graphics_node_clear(struct graphics_node *n)
{
    struct family f = lock_family(n, NULL);
    int removed = n->n_children;

    while (n->n_children > 0)
        remove_locked(n, n->n_children - 1);
    unlock_family(&f);
    return removed;
}

int
graphics_node_add_all(struct graphics_node *n, struct graphics_node *other)
{
    struct family f = lock_family(n, other);
    int size = other->n_children;
    int moved = 0;

    for (int i = 0, kept = 0; i < size; i++) {
        if (append_locked(n, other->children[kept]) == 0)
            moved++;
        else
            kept++;
    }
    unlock_family(&f);
    return moved;
}

/* ---- geometry ---- */

static struct box
bounds_locked(struct graphics_node *n, enum kind kind)
{
    struct box box = n->primitive;

    if (n->is_cached[kind])
        return n->bounds[kind];
    for (int i = 0; i < n->n_children; i++) {
        struct graphics_node *child = n->children[i];
        struct box b;

        if (kind == SENSITIVE && !child->visible)
            continue;
        b = bounds_locked(child, kind);
        b.x += child->offset_x;
        b.y += child->offset_y;
        box = box_union(box, b);
    }
    n->bounds[kind] = box;
    n->is_cached[kind] = true;
    return box;
}

static struct box
bounds_of(struct graphics_node *n, enum kind kind)
{
    struct family f = lock_family(n, NULL);
    struct box box = bounds_locked(n, kind);

    unlock_family(&f);
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
hit_locked(struct graphics_node *n, long long x, long long y)
{
    struct graphics_node *hit = NULL;

    if (!n->visible || !box_contains(bounds_locked(n, SENSITIVE), x, y))
        return NULL;
    for (int i = n->n_children - 1; i >= 0 && hit == NULL; i--) {
        struct graphics_node *child = n->children[i];

        hit = hit_locked(child, x - child->offset_x, y - child->offset_y);
    }
    return hit == NULL && box_contains(n->primitive, x, y) ? n : hit;
}

struct graphics_node *
graphics_node_hit(struct graphics_node *n, int x, int y)
{
    struct family f = lock_family(n, NULL);
    struct graphics_node *hit = hit_locked(n, x, y);

    unlock_family(&f);
    return hit;
}

static int
paint_locked(const struct graphics_node *n)
{
    int painted = 1;

    if (!n->visible)
        return 0;
    for (int i = 0; i < n->n_children; i++)
        painted += paint_locked(n->children[i]);
    return painted;
}

int
graphics_node_paint(struct graphics_node *n)
{
    struct family f = lock_family(n, NULL);
    int painted = paint_locked(n);

    unlock_family(&f);
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
    struct family f = lock_family(it->node, NULL);
    bool valid = it->changes == it->node->changes && it->last >= 0;

    if (valid) {
        remove_locked(it->node, it->last);
        it->cursor = it->last;
        it->last = -1;
        it->changes = it->node->changes;
    }
    unlock_family(&f);
    return valid ? 0 : GRAPHICS_ENONE;
}
