/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source.c - names as the source line spells them.
 *
 * Runs in the host. The site table has `table[].state` and `operator[]()`; the line has
 * `table[i].state` and `accounts_[who]`, and the user looks at the line. The line is searched for
 * text of that shape. If several different texts match, the one at the site's column is taken, and
 * if that is unclear none: an uncertain name is left as it was. For display only: fingerprints and
 * suppressions use the names of the table.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/mem.h"
#include "base/shortname.h"
#include "report/finding/walk.h"
#include "wire/site.h"

#define INDEX_MAX_B 24u /* a longer one hides the name */

struct piece {
    const char *start;
    const char *end;
};

static bool
is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The quote that closes the one at `p`; the last character when none does. */
static const char *
last_quote(const char *p)
{
    const char quote = *p;

    while (p[1] != '\0' && p[1] != quote)
        p += p[1] == '\\' && p[2] != '\0' ? 2 : 1;
    return p[1] != '\0' ? p + 1 : p;
}

/* Behind the bracket that closes the one at `p`; NULL when it does not, or is too far off. */
static const char *
behind_bracket(const char *p)
{
    const char *start = p;
    unsigned depth = 0;

    for (; *p != '\0' && (size_t)(p - start) <= INDEX_MAX_B; p++) {
        if (*p == '[')
            depth++;
        else if (*p == ']' && --depth == 0)
            return p + 1;
        else if (*p == '"' || *p == '\'')
            p = last_quote(p);
        else if (*p == '=' || *p == ';')
            return NULL;
    }
    return NULL;
}

/* The end of text at `p` that is `name` but for what stands between its brackets; NULL none. */
static const char *
match_shape(const char *p, const char *name)
{
    while (*name != '\0') {
        if (name[0] == '[' && name[1] == ']') {
            p = *p == '[' ? behind_bracket(p) : NULL;
            name += 2;
        } else {
            p = *p == *name ? p + 1 : NULL;
            name++;
        }
        if (p == NULL)
            return NULL;
    }
    return is_word(*p) || *p == '[' || *p == '.' || (p[0] == '-' && p[1] == '>') ? NULL : p;
}

/* `x[..]` at `p`, with members and namespaces before the bracket. */
static const char *
match_index(const char *p)
{
    const char *start = p;

    while (is_word(*p) || *p == '.' || *p == ':' || (p[0] == '-' && p[1] == '>') ||
           (p > start && p[-1] == '-' && *p == '>'))
        p++;
    return p > start && *p == '[' ? behind_bracket(p) : NULL;
}

/* `*x` at `p`. */
static const char *
match_star(const char *p)
{
    const char *start = p;

    if (*p++ != '*')
        return NULL;
    while (is_word(*p))
        p++;
    return p > start + 1 ? p : NULL;
}

/* `literal` at `p`, and no longer name. */
static const char *
match_text(const char *p, const char *literal)
{
    const size_t n = strlen(literal);

    return strncmp(p, literal, n) == 0 && !is_word(p[n]) ? p + n : NULL;
}

/* The result of an operator has no name of its own: "operator[]().taken" is `items_[i].taken` in
 * the source. */
static const char *
match_name(const char *p, const char *name)
{
    static const char index[] = "operator[]()";

    if (strncmp(name, index, sizeof index - 1) == 0) {
        const char *member = name + sizeof index - 1;
        const char *end = isdigit((unsigned char)*p) ? NULL : match_index(p);

        if (end == NULL || *member == '\0')
            return end;
        member += strspn(member, ".->");
        return *end == '.' ? match_text(end + 1, member) : NULL;
    }
    if (strcmp(name, "operator*()") == 0)
        return match_star(p);
    return match_shape(p, name);
}

/* A name begins where no other name continues. */
static bool
may_begin(const char *line, const char *p)
{
    if (p == line)
        return true;
    if (*p == '*') { /* no product, and no declaration */
        const char *before = p - 1;

        while (before > line && *before == ' ')
            before--;
        return strchr("(,=?:;{&|!<>+-", *before) != NULL ||
               (before - line >= 5 && strncmp(before - 5, "return", 6) == 0);
    }
    return !is_word(p[-1]) && p[-1] != '.' && p[-1] != ':' && p[-1] != '>';
}

/* =, +=, ++ and the like: where compilers place a write. */
static bool
is_assignment(const char *p)
{
    if (*p == '=')
        return p[1] != '=';
    return *p != '\0' && strchr("+-*/%&|^", *p) != NULL && (p[1] == '=' || p[1] == *p);
}

/* Does the site's column lie in the text, or on the assignment right behind it? */
static bool
is_at(const char *line, const struct piece *x, uint32_t column)
{
    const char *at = line + (column > 0 ? column - 1 : 0);

    if (at >= x->start && at < x->end)
        return true;
    for (const char *p = x->end; p < at; p++) {
        if (*p != ' ')
            return false;
    }
    return at >= x->end && is_assignment(at);
}

static bool
is_same(const struct piece *x, const struct piece *y)
{
    return x->end - x->start == y->end - y->start &&
           memcmp(x->start, y->start, (size_t)(x->end - x->start)) == 0;
}

static bool
find_name(const char *line, const char *name, uint32_t column, struct piece *out)
{
    struct piece here = { NULL, NULL };
    unsigned n = 0;
    unsigned n_here = 0;

    for (const char *p = line; *p != '\0'; p++) {
        struct piece x = { p, may_begin(line, p) ? match_name(p, name) : NULL };

        if (x.end == NULL)
            continue;
        if (n == 0 || !is_same(&x, out))
            n++;
        *out = x;
        if (is_at(line, &x, column)) {
            n_here++;
            here = x;
        }
        p = x.end - 1;
    }
    if (n > 1)
        *out = here;
    return n == 1 || n_here == 1;
}

/* "tls.n" for "_ZTW3tls()->n", and "tls" for "*_ZTW3tls()": C++ reaches a thread-local variable
 * through a function that the compiler adds. */
bool
burl__report_put_thread_local(const char *name, struct burl_buf *out)
{
    static const char says[] = "TLS wrapper function for ";
    const char *call = name + (name[0] == '*');
    const char *end = strstr(call, "()");
    char *symbol;
    char *text;
    bool found;

    if (strncmp(call, "_ZTW", 4) != 0 || end == NULL)
        return false;
    symbol = burl_xstrndup(call, (size_t)(end - call));
    text = burl_demangle_type(symbol);
    found = strncmp(text, says, sizeof says - 1) == 0;
    end += 2;
    if (found)
        burl_buf_printf(out, "%s%s%s", text + sizeof says - 1,
                        strncmp(end, "->", 2) == 0 ? "." : "",
                        end + (strncmp(end, "->", 2) == 0 ? 2 : 0));
    free(text);
    free(symbol);
    return found;
}

void
burl__report_put_spelled(const struct burl_sites *sites, uint32_t site, const char *name,
                         struct burl_buf *out)
{
    static const char self[] = "this->";
    const struct burl_site_info *info = burl_sites_get(sites, site);
    const bool member = strncmp(name, self, sizeof self - 1) == 0;
    const char *line;
    struct piece x;

    if (burl__report_put_thread_local(name, out))
        return;
    if (strstr(name, "[]") == NULL && strcmp(name, "operator*()") != 0) {
        burl_buf_str_append(out, name);
        return;
    }
    line = burl_site_is_system(info) ? NULL : burl_sites_source_line(sites, info, 0);
    if (line != NULL && strlen(line) < info->column)
        line = NULL;
    if (line != NULL && find_name(line, name, info->column, &x)) {
        burl_buf_append(out, x.start, (size_t)(x.end - x.start));
    } else if (line != NULL && member &&
               find_name(line, name + sizeof self - 1, info->column, &x)) {
        burl_buf_str_append(out, self);
        burl_buf_append(out, x.start, (size_t)(x.end - x.start));
    } else {
        burl_buf_str_append(out, name);
    }
}

/* ---- the object of a method -------------------------------------------------------- */

/* Where the expression before `end` begins: `q.c_` of `q.c_.wait(g)`. */
static const char *
receiver_start(const char *line, const char *end)
{
    const char *p = end;

    while (p > line) {
        if (p[-1] == ']') {
            const char *open = p - 1;

            while (open > line && *open != '[')
                open--;
            p = open;
        } else if (is_word(p[-1]) || p[-1] == '.' || p[-1] == ':') {
            p--;
        } else if (p - line >= 2 && p[-1] == '>' && p[-2] == '-') {
            p -= 2;
        } else {
            break;
        }
    }
    return p;
}

/* `wait` of std::condition_variable::wait; empty for what is no method. */
static void
last_component(const char *symbol, char *out, size_t out_b)
{
    char *name = burl_demangle(symbol);
    const char *colon = strrchr(name, ':');

    snprintf(out, out_b, "%s", colon != NULL ? colon + 1 : "");
    free(name);
}

bool
burl__report_receiver(const struct burl_sites *sites, const struct burl_site_info *site,
                      struct burl_buf *out)
{
    const char *line;
    struct piece found = { NULL, NULL };
    char method[128] = "";
    size_t n;

    if (site->kind == BURL_SITE_CALL && !burl_site_is_system(site))
        last_component(site->variable, method, sizeof method);
    if (method[0] == '\0')
        return false;
    n = strlen(method);
    line = burl_sites_source_line(sites, site, 0);
    for (const char *p = line; p != NULL && *p != '\0'; p++) {
        const char *end = p;

        if (strncmp(p, method, n) != 0 || p[n] != '(' || p == line)
            continue;
        if (p[-1] == '.')
            end = p - 1;
        else if (p - line >= 2 && p[-1] == '>' && p[-2] == '-')
            end = p - 2;
        if (end == p || found.start != NULL)
            return false; /* no method, or which one is not clear */
        found = (struct piece){ receiver_start(line, end), end };
    }
    if (found.start == NULL || found.start >= found.end)
        return false;
    burl_buf_append(out, found.start, (size_t)(found.end - found.start));
    return true;
}

/* ---- functions --------------------------------------------------------------------- */

char *
burl__report_func_name(const struct burl_sites *sites, const struct burl_site_info *site)
{
    return burl_name_shorten(site->func, burl_sites_get(sites, burl_site_function(site))->line);
}
