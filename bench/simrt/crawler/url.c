/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - parses, normalizes and resolves URLs. Pure functions.
 *
 * Version 2 removes "." and ".." and treats a query as part of the path.
 */
#include <stdio.h>
#include <string.h>

#include "crawler.h"

#define SCHEME "http://"

/* Length up to the fragment. */
static size_t
without_fragment(const char *path)
{
    size_t n = strcspn(path, "#");

#if VERSION < 2
    size_t query = strcspn(path, "?");

    if (query < n)
        n = query;
#endif
    return n;
}

#if VERSION >= 2
/* Removes "/./" and "/name/.." in place. */
static void
normalize(char *path)
{
    char out[PATH_LENGTH];
    size_t n = 0;

    for (const char *p = path; *p != 0;) {
        size_t length = 1 + strcspn(p + 1, "/");

        if (length == 2 && p[1] == '.') {
            p += length;
            continue;
        }
        if (length == 3 && p[1] == '.' && p[2] == '.') {
            while (n > 0 && out[--n] != '/')
                ;
            p += length;
            continue;
        }
        memcpy(out + n, p, length);
        n += length;
        p += length;
    }
    if (n == 0)
        out[n++] = '/';
    out[n] = 0;
    memcpy(path, out, n + 1);
}
#endif

static bool
set_path(struct url *u, const char *path, size_t length)
{
    if (length >= sizeof u->path)
        return false;
    memcpy(u->path, path, length);
    u->path[length] = 0;
#if VERSION >= 2
    normalize(u->path);
#endif
    return true;
}

bool
url_parse(struct url *u, const char *text)
{
    const char *host = text + strlen(SCHEME);
    const char *path;

    memset(u, 0, sizeof *u);
    if (strncmp(text, SCHEME, strlen(SCHEME)) != 0)
        return false;
    path = host + strcspn(host, "/#?");
    if (path == host || (size_t)(path - host) >= sizeof u->host)
        return false;
    memcpy(u->host, host, (size_t)(path - host));
    if (*path != '/')
        return set_path(u, "/", 1);
    return set_path(u, path, without_fragment(path));
}

bool
url_resolve(struct url *u, const struct url *base, const char *link)
{
    char joined[2 * PATH_LENGTH];
    const char *slash;
    size_t length = without_fragment(link);

    if (strncmp(link, SCHEME, strlen(SCHEME)) == 0)
        return url_parse(u, link);
    if (strchr(link, ':') != NULL)
        return false;
    memset(u, 0, sizeof *u);
    memcpy(u->host, base->host, sizeof u->host);
    if (link[0] == '/')
        return set_path(u, link, length);
    if (length == 0)
        return set_path(u, base->path, strlen(base->path));
    slash = strrchr(base->path, '/');
    snprintf(joined, sizeof joined, "%.*s%.*s", (int)(slash - base->path + 1), base->path,
             (int)length, link);
    return set_path(u, joined, strlen(joined));
}

bool
url_equal(const struct url *a, const struct url *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->path, b->path) == 0;
}

unsigned
url_hash(const struct url *u)
{
    unsigned hash = 0;

    for (const char *p = u->host; *p != 0; p++)
        hash += (unsigned char)*p;
    for (const char *p = u->path; *p != 0; p++)
        hash += (unsigned char)*p;
    return hash;
}
