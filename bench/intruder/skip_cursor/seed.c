/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of skip_cursor.h once or more, in one thread. */
#include "skip_cursor.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <stddef.h>

int
main(void)
{
    struct skip_source *source = skip_source_new(10, 8);
    struct skip_source *second = skip_source_new(50, 3);
    struct skip_cursor *c = skip_cursor_new(source, 2);
    struct skip_cursor *d = skip_cursor_new(source, 0);

    assert(source != NULL && second != NULL && c != NULL && d != NULL);
    assert(skip_cursor_has_next(c));
    assert(skip_source_position(source) == 2);
    assert(skip_cursor_next(c) == 12);
    assert(skip_cursor_next(d) == 13);
    assert(skip_cursor_skip_next(d, 2) == 2);
    assert(skip_cursor_next(c) == 16);
    assert(skip_cursor_skip_next(c, 5) == 1);
    assert(!skip_cursor_has_next(d));
    assert(skip_cursor_next(d) == SKIP_CURSOR_END);
    skip_cursor_set_source(d, second);
    assert(skip_cursor_next(d) == 50);
    skip_cursor_close(d);
    assert(!skip_cursor_has_next(d));
    assert(skip_source_position(second) == 3);
    skip_cursor_free(d);
    skip_cursor_free(c);
    skip_source_free(second);
    skip_source_free(source);
    return 0;
}
