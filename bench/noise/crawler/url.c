/* SPDX-License-Identifier: Apache-2.0 */
/*
 * url.c - addresses.
 */
#include "crawler.h"

/* False: too long. */
static bool
copy(char *out, const char *from, size_t length)
{
    if (length >= URL_LENGTH)
        return false;
    memset(out, 0, URL_LENGTH);
    memcpy(out, from, length);
    return true;
}

/* The path without "." and "..". */
static bool
set_path(struct url *u, const char *path)
{
    char kept[URL_LENGTH] = "";
    size_t n = 0;

    while (*path != '\0' && *path != '#' && *path != '?') {
        size_t length = strcspn(path, "/#?");

        if (length == 2 && strncmp(path, "..", 2) == 0) {
            while (n > 0 && kept[--n] != '/')
                ;
        } else if (length > 0 && !(length == 1 && *path == '.')) {
            if (n + length + 1 >= URL_LENGTH)
                return false;
            kept[n++] = '/';
            memcpy(kept + n, path, length);
            n += length;
        }
        path += length;
        if (*path == '/')
            path++;
    }
    if (n == 0)
        kept[n++] = '/';
    return copy(u->path, kept, n);
}

bool
url_parse(struct url *out, const char *text)
{
    size_t length;

    if (strncmp(text, "http://", 7) != 0)
        return false;
    text += 7;
    length = strcspn(text, "/#?");
    return length > 0 && copy(out->host, text, length) && set_path(out, text + length);
}

bool
url_resolve(struct url *out, const struct url *page, const char *link)
{
    char joined[2 * URL_LENGTH];
    const char *slash;

    if (strncmp(link, "http://", 7) == 0)
        return url_parse(out, link);
    if (strchr(link, ':') != NULL || strlen(link) >= URL_LENGTH)
        return false;
    memcpy(out->host, page->host, URL_LENGTH);
    if (link[0] == '/')
        return set_path(out, link);
    slash = strrchr(page->path, '/');
    snprintf(joined, sizeof joined, "%.*s/%s", slash != NULL ? (int)(slash - page->path) : 0,
             page->path, link);
    return set_path(out, joined);
}

bool
url_equal(const struct url *a, const struct url *b)
{
    return strcmp(a->host, b->host) == 0 && strcmp(a->path, b->path) == 0;
}

/* FNV-1a over host and path. */
uint32_t
url_hash(const struct url *u)
{
    uint32_t h = 2166136261u;

    for (const char *p = u->host; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    for (const char *p = u->path; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * 16777619u;
    return h;
}
