/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parser.c - links and titles of pages. Pure functions.
 *
 * Version 2 accepts single quotes and skips links with rel="nofollow" before href.
 */
#include <stdio.h>
#include <string.h>

#include "crawler.h"

#define LINK_LENGTH 48

#if VERSION >= 2
/* Does the tag that ends at `href` say nofollow? */
static bool
nofollow(const char *body, const char *href)
{
    const char *open = href;

    while (open > body && *open != '<')
        open--;
    for (; open < href; open++) {
        if (strncmp(open, "nofollow", 8) == 0)
            return true;
    }
    return false;
}

unsigned
parse_links(const char *body, void (*each)(void *arg, const char *link), void *arg)
{
    unsigned n = 0;

    for (const char *p = strstr(body, "href="); p != NULL; p = strstr(p, "href=")) {
        char link[LINK_LENGTH];
        const char *start = p + 6;
        char quote = p[5];
        size_t length;
        bool skip = nofollow(body, p);

        if (quote != '"' && quote != '\'') {
            p += 5;
            continue;
        }
        length = strcspn(start, quote == '"' ? "\"" : "'");
        p = start + length;
        if (*p == 0)
            break;
        if (skip || length >= sizeof link)
            continue;
        memcpy(link, start, length);
        link[length] = 0;
        each(arg, link);
        n++;
    }
    return n;
}
#else
unsigned
parse_links(const char *body, void (*each)(void *arg, const char *link), void *arg)
{
#ifdef HARMLESS
#define opening first_character
#endif
    unsigned n = 0;

    for (const char *p = strstr(body, "href=\""); p != NULL; p = strstr(p, "href=\"")) {
        char link[LINK_LENGTH];
        const char *opening = p + 6;
        size_t length = strcspn(opening, "\"");

        p = opening + length;
        if (*p == 0)
            break;
        if (length >= sizeof link)
            continue;
        memcpy(link, opening, length);
        link[length] = 0;
        each(arg, link);
        n++;
    }
    return n;
}
#undef opening
#endif

bool
parse_title(const char *body, char *out, size_t size)
{
    const char *start = strstr(body, "<title>");
    const char *end = start == NULL ? NULL : strstr(start, "</title>");

    if (end == NULL)
        return false;
    snprintf(out, size, "%.*s", (int)(end - start - 7), start + 7);
    return true;
}
