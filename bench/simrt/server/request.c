/* SPDX-License-Identifier: Apache-2.0 */
/*
 * request.c - the text of requests and responses. Pure functions.
 *
 * Version 2 knows HEAD and cuts bodies that are too long instead of refusing them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

static const char *const names[] = { "GET", "HEAD", "PUT", "DELETE" };

const char *
method_name(enum method m)
{
    return m >= METHOD_UNKNOWN ? "?" : names[m];
}

static enum method
parse_method(const char *text, size_t length)
{
    for (int i = 0; i < METHOD_UNKNOWN; i++) {
#if VERSION < 2
        if (i == METHOD_HEAD)
            continue;
#endif
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0)
            return (enum method)i;
    }
    return METHOD_UNKNOWN;
}

/* What follows the path: "?session=N" and " keep". Returns its end; NULL for a syntax error. */
static const char *
parse_attributes(struct request *r, const char *p)
{
    char *end;

    if (*p == '?') {
        if (strncmp(p, "?session=", 9) != 0)
            return NULL;
        r->session = (unsigned)strtoul(p + 9, &end, 10);
        if (end == p + 9)
            return NULL;
        p = end;
    }
    if (strncmp(p, " keep", 5) == 0) {
        r->keep = true;
        p += 5;
    }
    return p;
}

static bool
fail(struct request *r)
{
    r->method = METHOD_UNKNOWN;
    return false;
}

bool
request_parse(struct request *r, const char *text)
{
    size_t length = strcspn(text, " ");
    const char *p = text + length;

    memset(r, 0, sizeof *r);
    r->method = parse_method(text, length);
    if (r->method == METHOD_UNKNOWN || p[0] != ' ' || p[1] != '/')
        return fail(r);
    p++;
    length = strcspn(p, " ?\n");
    if (length >= sizeof r->path)
        return fail(r);
    memcpy(r->path, p, length);
    p = parse_attributes(r, p + length);
    if (p == NULL || (*p != 0 && *p != '\n'))
        return fail(r);
    if (*p == '\n') {
#if VERSION < 2
        if (strlen(p + 1) >= sizeof r->body)
            return fail(r);
#endif
        snprintf(r->body, sizeof r->body, "%s", p + 1);
    }
    return true;
}

size_t
response_format(const struct response *r, char *out, size_t size)
{
    int n;

    if (r->session != 0)
        n = snprintf(out, size, "%d session=%u %s", r->status, r->session, r->body);
    else
        n = snprintf(out, size, "%d %s", r->status, r->body);
    return (size_t)n < size ? (size_t)n : size - 1;
}
