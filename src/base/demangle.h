/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/demangle.h - C++ symbols as a person writes them.
 */
#ifndef BURL_BASE_DEMANGLE_H
#define BURL_BASE_DEMANGLE_H

/* The scopes and the name, without template arguments, parameters, return type and inline
 * namespaces of the library: "std::string::append", "(anonymous)::total". A copy of a symbol that
 * is not a C++ name. Caller frees. */
char *burl_demangle(const char *symbol);
/* A type, by the name that a std::type_info has: "std::bad_alloc" for "St9bad_alloc". */
char *burl_demangle_type(const char *name);

#endif
