/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/mem.c - allocation that cannot fail; see mem.h for why that is safe.
 *
 * Runs in the host. The message is written with write(2): when memory is gone,
 * stdio may want some.
 */
#include "base/mem.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

BURL_NORETURN static void
die_out_of_memory(void)
{
    static const char msg[] = "burl: out of memory; findings already shown are safe in the store\n";
    ssize_t n = write(STDERR_FILENO, msg, sizeof msg - 1);

    (void)n; /* Nothing is left to tell it to. */
    _exit(BURL_EXIT_FAILURE);
}

static void *
checked(void *p)
{
    if (!p)
        die_out_of_memory();
    return p;
}

void *
burl_xmalloc(size_t size_b)
{
    return checked(malloc(size_b ? size_b : 1));
}

void *
burl_xcalloc(size_t n, size_t size_b)
{
    return checked(calloc(n ? n : 1, size_b ? size_b : 1));
}

void *
burl_xrealloc(void *p, size_t size_b)
{
    return checked(realloc(p, size_b ? size_b : 1));
}

void *
burl_xreallocarray(void *p, size_t n, size_t size_b)
{
    if (size_b != 0 && n > SIZE_MAX / size_b)
        die_out_of_memory();
    return burl_xrealloc(p, n * size_b);
}

char *
burl_xstrdup(const char *s)
{
    return burl_xmemdup(s, strlen(s) + 1);
}

char *
burl_xstrndup(const char *s, size_t n)
{
    size_t len = strnlen(s, n);
    char *p = burl_xmalloc(len + 1);

    memcpy(p, s, len);
    p[len] = '\0';
    return p;
}

void *
burl_xmemdup(const void *p, size_t size_b)
{
    void *copy = burl_xmalloc(size_b);

    if (size_b != 0)
        memcpy(copy, p, size_b);
    return copy;
}

char *
burl_xvasprintf(const char *fmt, va_list ap)
{
    char *s;

    if (vasprintf(&s, fmt, ap) < 0)
        die_out_of_memory();
    return s;
}

char *
burl_xasprintf(const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = burl_xvasprintf(fmt, ap);
    va_end(ap);
    return s;
}
