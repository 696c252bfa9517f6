/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/mem.h - allocation that cannot fail.
 *
 * Out of memory prints one line and ends the process with exit code 3. That is
 * safe for campaigns because every finding is committed before it is shown.
 * Sizes that come from outside must be bounded by the caller first.
 */
#ifndef BURL_BASE_MEM_H
#define BURL_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

#include "base/err.h"

/* The caller frees every result with free(). A size of 0 gives a unique pointer. */
void *burl_xmalloc(size_t size_b) __attribute__((malloc, returns_nonnull));
void *burl_xcalloc(size_t n, size_t size_b) __attribute__((malloc, returns_nonnull));
void *burl_xrealloc(void *p, size_t size_b) __attribute__((returns_nonnull));
/* As realloc(p, n * size_b), with the multiplication checked. */
void *burl_xreallocarray(void *p, size_t n, size_t size_b) __attribute__((returns_nonnull));
char *burl_xstrdup(const char *s) __attribute__((malloc, returns_nonnull));
/* At most `n` bytes of `s`, always NUL-terminated. */
char *burl_xstrndup(const char *s, size_t n) __attribute__((malloc, returns_nonnull));
void *burl_xmemdup(const void *p, size_t size_b) __attribute__((malloc, returns_nonnull));
char *burl_xasprintf(const char *fmt, ...) BURL_PRINTF(1, 2)
    __attribute__((malloc, returns_nonnull));
char *burl_xvasprintf(const char *fmt, va_list ap) BURL_PRINTF(1, 0)
    __attribute__((malloc, returns_nonnull));

#endif
