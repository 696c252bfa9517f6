/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/vec.h - a small typed growable array.
 *
 * Declare one as a named struct, or as a member or variable of a type without a name:
 *     struct burl_sites { BURL_VEC_OF(struct burl_site); };
 *     BURL_VEC(struct burl_site) sites;
 *     struct burl_sites s = { 0 };            zero is empty
 *     BURL_VEC_PUSH(&s, site);
 *     for (size_t i = 0; i < s.n; i++) use(&s.v[i]);
 *     BURL_VEC_FREE(&s);
 * A push may move the elements: pointers into `v` live until the next push.
 * Macros, because only they keep the element type. Arguments are evaluated once
 * except `vec`, which must be free of side effects.
 */
#ifndef BURL_BASE_VEC_H
#define BURL_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BURL_VEC_OF(type) \
    type  *v;             \
    size_t n;             \
    size_t cap

/* A type that nothing else needs to name. */
#define BURL_VEC(...)             \
    struct {                      \
        BURL_VEC_OF(__VA_ARGS__); \
    }

/* Ensures room for `extra` more elements. */
#define BURL_VEC_RESERVE(vec, extra) \
    ((vec)->v = burl_vec_grow((vec)->v, &(vec)->cap, (vec)->n, (extra), sizeof *(vec)->v))

#define BURL_VEC_PUSH(vec, ...)                \
    do {                                       \
        BURL_VEC_RESERVE(vec, 1);              \
        (vec)->v[(vec)->n++] = (__VA_ARGS__);  \
    } while (0)

/* Appends a zeroed element and gives its address. */
#define BURL_VEC_ADD(vec)                                                        \
    (BURL_VEC_RESERVE(vec, 1), memset(&(vec)->v[(vec)->n], 0, sizeof *(vec)->v), \
     &(vec)->v[(vec)->n++])

#define BURL_VEC_FREE(vec)  \
    do {                    \
        free((vec)->v);     \
        (vec)->v = NULL;    \
        (vec)->n = 0;       \
        (vec)->cap = 0;     \
    } while (0)

/* The growth behind the macros; call the macros instead. */
void *burl_vec_grow(void *v, size_t *cap, size_t n, size_t extra, size_t elem_b)
    __attribute__((returns_nonnull));

#endif
