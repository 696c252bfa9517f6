/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool.c - the memory of one finding.
 *
 * Runs in the host. A finding is built once, read by several renderers and freed as
 * a whole, so its strings and arrays are only ever added to a list; nothing is freed
 * alone. A finding has at most a few hundred of them.
 */
#include "report/finding/walk.h"

void *
burl__report_alloc(struct burl_finding_pool *pool, size_t n, size_t size_b)
{
    void *p = burl_xcalloc(n > 0 ? n : 1, size_b);

    BURL_VEC_PUSH(pool, p);
    return p;
}

const char *
burl__report_str(struct burl_finding_pool *pool, const char *s)
{
    char *copy;

    if (s == NULL || s[0] == '\0')
        return "";
    copy = burl_xstrdup(s);
    BURL_VEC_PUSH(pool, copy);
    return copy;
}

const char *
burl__report_file(struct burl_finding_pool *pool, const char *name)
{
    char *copy;

    if (name == NULL || name[0] == '\0')
        return "";
    copy = burl_xstrdup(name);
    for (char *p = copy; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = '?';
    }
    BURL_VEC_PUSH(pool, copy);
    return copy;
}

const char *
burl__report_take(struct burl_finding_pool *pool, struct burl_buf *b)
{
    const char *s = burl__report_str(pool, burl_buf_str(b));

    burl_buf_deinit(b);
    return s;
}

const char *
burl__report_fmt(struct burl_finding_pool *pool, const char *fmt, ...)
{
    va_list ap;
    char *s;

    va_start(ap, fmt);
    s = burl_xvasprintf(fmt, ap);
    va_end(ap);
    BURL_VEC_PUSH(pool, s);
    return s;
}

const char *
burl__report_skip_text(struct burl_finding_pool *pool, uint64_t n)
{
    return n == 1 ? "1 operation"
                  : burl__report_fmt(pool, "%llu operations", (unsigned long long)n);
}
