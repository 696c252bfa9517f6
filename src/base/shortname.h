/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shortname.h - qualified names of C++ as a person writes them.
 *
 * Host side. Site tables have names as debug information spells them, which are exact and long.
 * Those stay the identity of a place; this is what a report shows.
 */
#ifndef BURL_BASE_SHORTNAME_H
#define BURL_BASE_SHORTNAME_H

#include <stdint.h>

#include "base/buf.h"

/*
 * `std::vector<int, std::allocator<int> >::push_back` as `std::vector<int>::push_back`: without the
 * arguments that are the library's defaults, without namespaces of versions and ABI tags; a long
 * list of arguments is `<...>`. The call operator and the class of a lambda are called
 * `lambda:37`, by the line where it begins (0 unknown: `lambda`).
 * Other names stay as they are. Caller frees.
 */
char *burl_name_shorten(const char *name, uint32_t line);

/* The name without any template arguments: `std::vector::push_back`. */
void burl_name_put_plain(const char *name, struct burl_buf *out);

#endif
