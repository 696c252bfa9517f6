/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of graphics_node.h once or more, in one thread. */
#include "graphics_node.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <stddef.h>

static void
seed_background(void)
{
    struct graphics_region *r = graphics_region_new(1, 2, 10, 20);
    struct graphics_node *n = graphics_node_new(0, 0, 5, 5);

    assert(r != NULL && n != NULL);
    assert(graphics_node_move_background(n, 1, 1) == GRAPHICS_ENONE);
    graphics_node_set_background(n, r);
    assert(graphics_node_has_background(n));
    assert(graphics_node_background_area(n) == 200);
    assert(graphics_node_move_background(n, 3, 4) == 0);
    assert(graphics_node_grow_background(n, 5, 6) == 0);
    assert(graphics_region_left(r) == 4);
    assert(graphics_region_top(r) == 6);
    assert(graphics_region_width(r) == 15);
    assert(graphics_region_height(r) == 26);
    graphics_node_free(n);
    graphics_region_free(r);
}

static void
seed_tree(void)
{
    struct graphics_node *root = graphics_node_new(0, 0, 0, 0);
    struct graphics_node *group = graphics_node_new(0, 0, 0, 0);
    struct graphics_node *a = graphics_node_new(0, 0, 2, 2);
    struct graphics_node *b = graphics_node_new(0, 0, 3, 3);

    assert(graphics_node_add(root, group) == 0);
    assert(graphics_node_add(group, a) == 0);
    assert(graphics_node_add_at(group, 0, b) == 0);
    assert(graphics_node_add(group, root) == GRAPHICS_ECYCLE);
    assert(graphics_node_size(group) == 2);
    assert(graphics_node_get(group, 0) == b);
    assert(graphics_node_index_of(group, a) == 1);
    assert(graphics_node_contains(group, b));
    assert(graphics_node_parent(a) == group);
    assert(graphics_node_root(a) == root);
    assert(graphics_node_depth(a) == 2);
    assert(graphics_node_descendants(root) == 3);
    assert(graphics_node_remove(group, b) == 0);
    assert(graphics_node_set(group, 0, b) == 0);
    assert(graphics_node_parent(a) == NULL);
    assert(graphics_node_add(group, a) == 0);
    assert(graphics_node_remove_at(group, 0) == 0);
    assert(graphics_node_add(group, b) == 0);
    assert(graphics_node_add_all(root, group) == 2);
    assert(graphics_node_size(root) == 3);
    assert(graphics_node_clear(root) == 3);
    graphics_node_free(b);
    graphics_node_free(a);
    graphics_node_free(group);
    graphics_node_free(root);
}

static void
seed_geometry(void)
{
    struct graphics_node *root = graphics_node_new(0, 0, 10, 10);
    struct graphics_node *child = graphics_node_new(0, 0, 4, 4);

    assert(graphics_node_add(root, child) == 0);
    assert(graphics_node_bounds_width(root) == 10);
    graphics_node_translate(child, 8, -2);
    assert(graphics_node_offset_x(child) == 8);
    assert(graphics_node_offset_y(child) == -2);
    assert(graphics_node_bounds_left(root) == 0);
    assert(graphics_node_bounds_top(root) == -2);
    assert(graphics_node_bounds_width(root) == 12);
    assert(graphics_node_bounds_height(root) == 12);
    assert(graphics_node_contains_point(root, 11, 1));
    assert(graphics_node_hit(root, 9, 0) == child);
    assert(graphics_node_hit(root, 1, 1) == root);
    assert(graphics_node_paint(root) == 2);
    graphics_node_set_visible(child, false);
    assert(!graphics_node_is_visible(child));
    assert(graphics_node_sensitive_width(root) == 10);
    assert(graphics_node_paint(root) == 1);
    graphics_node_set_primitive(child, 0, 0, 1, 1);
    graphics_node_invalidate(child);
    assert(graphics_node_bounds_width(root) == 10);
    graphics_node_free(child);
    graphics_node_free(root);
}

static void
seed_iterator(void)
{
    struct graphics_node *root = graphics_node_new(0, 0, 1, 1);
    struct graphics_node *a = graphics_node_new(0, 0, 1, 1);
    struct graphics_node *b = graphics_node_new(0, 0, 1, 1);
    struct graphics_iterator *it;

    assert(graphics_node_add(root, a) == 0);
    assert(graphics_node_add(root, b) == 0);
    it = graphics_iterator_new(root);
    assert(it != NULL);
    assert(graphics_iterator_next(it) == a);
    assert(graphics_iterator_next(it) == b);
    assert(!graphics_iterator_has_next(it));
    assert(graphics_iterator_previous(it) == b);
    assert(graphics_iterator_remove(it) == 0);
    assert(graphics_iterator_remove(it) == GRAPHICS_ENONE);
    assert(graphics_node_size(root) == 1);
    assert(graphics_iterator_previous(it) == a);
    graphics_iterator_free(it);
    graphics_node_free(root);
    graphics_node_free(a);
    graphics_node_free(b);
}

int
main(void)
{
    seed_background();
    seed_tree();
    seed_geometry();
    seed_iterator();
    return 0;
}
