/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/argument.c - an argument of a call, read from the source line.
 *
 * Runs in the host. The site of pthread_mutex_lock(&a->m) knows the callee only, so the expression
 * is taken from the source. A macro or a function with another name that makes the call has
 * arguments of its own: which of several is the one is not known.
 */
#include <ctype.h>
#include <string.h>

#include "finding/fingerprint.h"
#include "wire/site.h"

#define ARG_LINES 4u  /* a call rarely spans more before its first arguments */
#define ARG_MAX_B 40u /* a longer expression is no name */

static bool
is_callee_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '.' || c == '-' || c == '>' ||
           c == ' ' || c == '\t' || c == '\n';
}

/* The text from the site's column on, with the next lines. */
static void
take_text(const struct burl_sites *sites, const struct burl_site_info *site, struct burl_buf *out)
{
    for (uint32_t i = 0; i < ARG_LINES; i++) {
        const char *line = burl_sites_source_line(sites, site, i);

        if (line == NULL)
            return;
        if (i == 0) {
            size_t skip = site->column > 0 ? site->column - 1 : 0;

            if (skip >= strlen(line))
                return;
            line += skip;
        }
        burl_buf_str_append(out, line);
        burl_buf_char(out, '\n');
    }
}

/* From the opening parenthesis of a call to argument `arg`: its bounds. */
static bool
find_argument(const char *p, unsigned arg, const char **start, const char **end)
{
    unsigned depth = 0;
    unsigned at = 0;

    *start = p + 1;
    for (; *p != '\0'; p++) {
        if (*p == '"' || *p == '\'') {
            char q = *p++;

            while (*p != '\0' && *p != q)
                p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
            if (*p == '\0')
                return false;
        } else if (*p == '(' || *p == '[' || *p == '{') {
            depth++;
        } else if (*p == ')' || *p == ']' || *p == '}') {
            depth--;
            if (depth == 0) {
                *end = p;
                return at == arg;
            }
        } else if (*p == ',' && depth == 1) {
            if (at == arg) {
                *end = p;
                return true;
            }
            at++;
            *start = p + 1;
        }
    }
    return false;
}

static bool
has_several(const char *p)
{
    const char *start;
    const char *end;

    return find_argument(p, 1, &start, &end);
}

/* The parenthesis that closes the one at `p`, NULL when it is not before `end`. */
static const char *
closing(const char *p, const char *end)
{
    unsigned depth = 0;

    for (; p < end; p++) {
        if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p;
    }
    return NULL;
}

/* Cuts spaces, address-of, casts and outer parentheses. */
static void
strip(const char **start, const char **end)
{
    for (;;) {
        while (*start < *end && isspace((unsigned char)**start))
            ++*start;
        while (*end > *start && isspace((unsigned char)(*end)[-1]))
            --*end;
        if (*start == *end)
            return;
        if (**start == '&') {
            ++*start;
        } else if (**start == '(') {
            const char *close = closing(*start, *end);

            if (close == NULL)
                return;
            if (close + 1 == *end) {
                ++*start;
                --*end;
            } else if (isalnum((unsigned char)close[1]) || strchr("_&( *", close[1]) != NULL) {
                *start = close + 1;
            } else {
                return;
            }
        } else {
            return;
        }
    }
}

bool
burl_source_argument(const struct burl_sites *sites, const struct burl_site_info *site,
                     unsigned arg, struct burl_buf *out)
{
    struct burl_buf text = BURL_BUF_INIT;
    const char *p;
    const char *start = NULL;
    const char *end = NULL;
    bool is_hidden = site->variable[0] != '\0';
    bool ok = false;

    if (site->kind != BURL_SITE_CALL || burl_site_is_system(site))
        return false;
    take_text(sites, site, &text);
    p = burl_buf_str(&text);
    if (site->variable[0] != '\0') {
        const char *callee = strstr(p, site->variable);
        const char *nl = strchr(p, '\n');

        if (callee != NULL && (nl == NULL || callee < nl)) {
            p = callee + strlen(site->variable);
            is_hidden = false;
        }
    }
    while (*p != '\0' && is_callee_char(*p))
        p++;
    if (*p == '(' && !(is_hidden && has_several(p)) && find_argument(p, arg, &start, &end)) {
        strip(&start, &end);
        ok = end > start && (size_t)(end - start) <= ARG_MAX_B;
    }
    for (; ok && start < end; start++) {
        if (!isspace((unsigned char)*start))
            burl_buf_char(out, *start);
        else if (!isspace((unsigned char)start[-1]))
            burl_buf_char(out, ' ');
    }
    burl_buf_deinit(&text);
    return ok;
}
