/* SPDX-License-Identifier: Apache-2.0 */
/*
 * graphics_node.h - a tree of graphics nodes, after CompositeGraphicsNode of Batik.
 *
 * A node has a primitive (a rectangle), an offset in its parent, and children. A node has at most
 * one parent: adding it to a node removes it from its previous parent. Bounds are cached; a change
 * invalidates the caches of the node and of all its ancestors.
 *
 * Every function may be called by any thread at any time and is atomic. The *_free functions are
 * the exception: no other thread may use the object, or a node of the same tree, during the call.
 *
 * Nothing is owned: the caller frees nodes, regions and iterators. graphics_node_free detaches the
 * node from its parent and its children. A region must live as long as it is installed in a node,
 * and a node as long as its iterators.
 *
 * Coordinates of arguments are clamped to -1000000 .. 1000000.
 */
#ifndef GRAPHICS_NODE_H
#define GRAPHICS_NODE_H

#include <stdbool.h>

struct graphics_region;
struct graphics_node;
struct graphics_iterator;

enum graphics_error {
    GRAPHICS_EINDEX = -1, /* index out of range */
    GRAPHICS_ECYCLE = -2, /* a node would become its own ancestor */
    GRAPHICS_EDEPTH = -3, /* the tree would be too deep */
    GRAPHICS_ENOMEM = -4, /* out of memory */
    GRAPHICS_ENONE = -5   /* no such child, no background, or an invalid iterator */
};

/* ---- regions: rectangles that several nodes may share as their background ---- */

/* NULL if out of memory. A negative width or height counts as zero. */
struct graphics_region *graphics_region_new(int x, int y, int width, int height);
void graphics_region_free(struct graphics_region *r);
long long graphics_region_left(struct graphics_region *r) __attribute__((nonnull));
long long graphics_region_top(struct graphics_region *r) __attribute__((nonnull));
long long graphics_region_width(struct graphics_region *r) __attribute__((nonnull));
long long graphics_region_height(struct graphics_region *r) __attribute__((nonnull));

/* ---- nodes ---- */

/* A visible node without parent or children. NULL if out of memory. */
struct graphics_node *graphics_node_new(int x, int y, int width, int height);
void graphics_node_free(struct graphics_node *n);
void graphics_node_set_primitive(struct graphics_node *n, int x, int y, int width, int height)
    __attribute__((nonnull));
/* Moves the node in its parent. */
void graphics_node_translate(struct graphics_node *n, int dx, int dy) __attribute__((nonnull));
long long graphics_node_offset_x(struct graphics_node *n) __attribute__((nonnull));
long long graphics_node_offset_y(struct graphics_node *n) __attribute__((nonnull));
void graphics_node_set_visible(struct graphics_node *n, bool visible) __attribute__((nonnull));
bool graphics_node_is_visible(struct graphics_node *n) __attribute__((nonnull));

/* Installs a region, which the node does not own; NULL removes it. */
void graphics_node_set_background(struct graphics_node *n, struct graphics_region *r)
    __attribute__((nonnull(1)));
bool graphics_node_has_background(struct graphics_node *n) __attribute__((nonnull));
/* The area, or GRAPHICS_ENONE. */
long long graphics_node_background_area(struct graphics_node *n) __attribute__((nonnull));
/* Change the installed region. Zero or GRAPHICS_ENONE. */
int graphics_node_move_background(struct graphics_node *n, int dx, int dy) __attribute__((nonnull));
int graphics_node_grow_background(struct graphics_node *n, int dx, int dy) __attribute__((nonnull));

/* ---- the tree ---- */

struct graphics_node *graphics_node_parent(struct graphics_node *n) __attribute__((nonnull));
struct graphics_node *graphics_node_root(struct graphics_node *n) __attribute__((nonnull));
int graphics_node_depth(struct graphics_node *n) __attribute__((nonnull));
int graphics_node_descendants(struct graphics_node *n) __attribute__((nonnull));

int graphics_node_size(struct graphics_node *n) __attribute__((nonnull));
/* The child, or NULL. */
struct graphics_node *graphics_node_get(struct graphics_node *n, int index)
    __attribute__((nonnull));
/* The index of the child, or GRAPHICS_ENONE. */
int graphics_node_index_of(struct graphics_node *n, struct graphics_node *child)
    __attribute__((nonnull));
bool graphics_node_contains(struct graphics_node *n, struct graphics_node *child)
    __attribute__((nonnull));

/* Zero or an error. The index is that of the child after it has left its previous parent. */
int graphics_node_add(struct graphics_node *n, struct graphics_node *child)
    __attribute__((nonnull));
int graphics_node_add_at(struct graphics_node *n, int index, struct graphics_node *child)
    __attribute__((nonnull));
/* Replaces the child at the index by a node that is not yet a child of n. */
int graphics_node_set(struct graphics_node *n, int index, struct graphics_node *child)
    __attribute__((nonnull));
int graphics_node_remove(struct graphics_node *n, struct graphics_node *child)
    __attribute__((nonnull));
int graphics_node_remove_at(struct graphics_node *n, int index) __attribute__((nonnull));
/* Removes all children; returns how many. */
int graphics_node_clear(struct graphics_node *n) __attribute__((nonnull));
/* Moves all children of another node that can be moved; returns how many. */
int graphics_node_add_all(struct graphics_node *n, struct graphics_node *other)
    __attribute__((nonnull));

/* ---- geometry ---- */

/* Bounds of the primitive and of all descendants, in the coordinates of the node. */
long long graphics_node_bounds_left(struct graphics_node *n) __attribute__((nonnull));
long long graphics_node_bounds_top(struct graphics_node *n) __attribute__((nonnull));
long long graphics_node_bounds_width(struct graphics_node *n) __attribute__((nonnull));
long long graphics_node_bounds_height(struct graphics_node *n) __attribute__((nonnull));
/* The same for visible descendants only. */
long long graphics_node_sensitive_width(struct graphics_node *n) __attribute__((nonnull));
bool graphics_node_contains_point(struct graphics_node *n, int x, int y) __attribute__((nonnull));
/* The topmost visible node whose primitive contains the point, or NULL. */
struct graphics_node *graphics_node_hit(struct graphics_node *n, int x, int y)
    __attribute__((nonnull));
/* The number of nodes that are painted: visible, as all ancestors up to n. */
int graphics_node_paint(struct graphics_node *n) __attribute__((nonnull));
/* Drops the cached bounds of the node and its ancestors. */
void graphics_node_invalidate(struct graphics_node *n) __attribute__((nonnull));

/* ---- iterators: invalid after a change of the list of children by other means ---- */

/* NULL if out of memory. */
struct graphics_iterator *graphics_iterator_new(struct graphics_node *n) __attribute__((nonnull));
void graphics_iterator_free(struct graphics_iterator *it);
bool graphics_iterator_has_next(struct graphics_iterator *it) __attribute__((nonnull));
/* The child, or NULL at the end or if the iterator is invalid. */
struct graphics_node *graphics_iterator_next(struct graphics_iterator *it) __attribute__((nonnull));
struct graphics_node *graphics_iterator_previous(struct graphics_iterator *it)
    __attribute__((nonnull));
/* Removes the child that next or previous returned last. Zero or GRAPHICS_ENONE. */
int graphics_iterator_remove(struct graphics_iterator *it) __attribute__((nonnull));

#endif
