/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/shortname.c - see shortname.h. Host side.
 *
 * Names come from the program: they may be of any form. One that is not understood is copied.
 */
#include "base/shortname.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define MAX_ARGS 64u
#define MAX_ARGS_W 40u /* longer lists tell a person less than where they are */
#define MAX_NESTED 32u /* deeper brackets are copied */

static bool
begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* An operator is not followed by brackets of its own: "operator<", "operator->", "operator()". */
static size_t
operator_length(const char *s)
{
    const char *end = s + strlen("operator");

    if (!begins(s, "operator"))
        return 0;
    if (begins(end, "()") || begins(end, "[]"))
        return (size_t)(end - s) + 2;
    return (size_t)(end - s) + strspn(end, "<>=-+*/%^&|~!,");
}

static bool
is_start(const char *name, const char *s)
{
    return s == name || strchr(" :<,(*&", s[-1]) != NULL;
}

/* Parts that no one writes. */
static size_t
silent_length(const char *name, const char *s)
{
    static const char *const scopes[] = { "__cxx11::", "_V2::", "__1::", "__debug::",
                                          "__cxx1998::" };

    if (begins(s, "[abi:"))
        return strcspn(s, "]") + (strchr(s, ']') != NULL);
    for (size_t i = 0; i < sizeof scopes / sizeof scopes[0] && s >= name + 5; i++) {
        if (begins(s, scopes[i]) && strncmp(s - 5, "std::", 5) == 0)
            return strlen(scopes[i]);
    }
    return 0;
}

/* What the library takes when the program does not say. */
static bool
is_default(const char *arg)
{
    static const char *const names[] = { "std::allocator<", "std::char_traits<",
                                         "std::less<",      "std::hash<",
                                         "std::equal_to<",  "std::default_delete<" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (begins(arg, names[i]))
            return true;
    }
    return false;
}

/* std::basic_string<char> is std::string. */
static bool
put_alias(struct burl_buf *out, const char *args)
{
    static const char basic[] = "std::basic_";
    const size_t n = strlen(basic);
    struct burl_buf word = BURL_BUF_INIT;
    size_t at = out->n;

    if (strcmp(args, "char") != 0 && strcmp(args, "wchar_t") != 0)
        return false;
    while (at > 0 && strchr(" <,(*&", out->p[at - 1]) == NULL)
        at--;
    if (out->n - at <= n || strncmp(out->p + at, basic, n) != 0)
        return false;
    burl_buf_append(&word, out->p + at + n, out->n - at - n);
    burl_buf_truncate(out, at);
    burl_buf_printf(out, "std::%s%s", args[0] == 'w' ? "w" : "", burl_buf_str(&word));
    burl_buf_deinit(&word);
    return true;
}

struct args {
    char *v[MAX_ARGS];
    size_t n;
};

static const char *shorten(struct burl_buf *out, const char *name, const char *s, unsigned depth,
                           const char *stop);

/* The template arguments that begin at `s`, shortened; returns what is after the last bracket, NULL
 * when they have no end. */
static const char *
read_args(struct args *a, const char *name, const char *s, unsigned depth)
{
    do {
        struct burl_buf arg = BURL_BUF_INIT;

        s += 1 + strspn(s + 1, " ");
        s = shorten(&arg, name, s, depth, ",>");
        while (arg.n > 0 && arg.p[arg.n - 1] == ' ')
            burl_buf_truncate(&arg, arg.n - 1);
        if (a->n < MAX_ARGS)
            a->v[a->n++] = burl_buf_take(&arg, NULL);
        burl_buf_deinit(&arg);
    } while (*s == ',');
    return *s == '>' ? s + 1 : NULL;
}

static const char *
put_args(struct burl_buf *out, const char *name, const char *s, unsigned depth)
{
    struct args a = { .n = 0 };
    const char *end = depth < MAX_NESTED ? read_args(&a, name, s, depth + 1) : NULL;
    size_t n = a.n;

    while (n > 1 && is_default(a.v[n - 1]))
        n--;
    if (end == NULL) {
        burl_buf_str_append(out, s);
        end = s + strlen(s);
    } else if (n != 1 || !put_alias(out, a.v[0])) {
        const size_t mark = out->n;

        for (size_t i = 0; i < n; i++)
            burl_buf_printf(out, "%s%s", i == 0 ? "<" : ", ", a.v[i]);
        if (out->n - mark > MAX_ARGS_W) {
            burl_buf_truncate(out, mark);
            burl_buf_str_append(out, "<...");
        }
        burl_buf_char(out, '>');
    }
    for (size_t i = 0; i < a.n; i++)
        free(a.v[i]);
    return end;
}

/* "lambda:25" for "(lambda at events.cpp:25:29)". */
static void
put_lambda(struct burl_buf *out, const char *s, const char *end)
{
    const char *column = end;
    const char *line;

    while (column > s && *column != ':')
        column--;
    for (line = column; line > s && line[-1] != ':';)
        line--;
    burl_buf_str_append(out, "lambda");
    if (line > s)
        burl_buf_printf(out, ":%.*s", (int)(column - line), line);
}

/* Parentheses within an argument: a type of functions, "(anonymous namespace)", a lambda. */
static const char *
put_parentheses(struct burl_buf *out, const char *name, const char *s, unsigned depth)
{
    static const char lambda[] = "(lambda at ";
    const char *end;

    if (begins(s, "(anonymous namespace)")) {
        burl_buf_str_append(out, "(anonymous)");
        return s + strlen("(anonymous namespace)");
    }
    if (begins(s, lambda) && (end = strchr(s, ')')) != NULL) {
        put_lambda(out, s, end);
        return end + 1;
    }
    burl_buf_char(out, *s);
    if (depth >= MAX_NESTED)
        return s + 1;
    s = shorten(out, name, s + 1, depth + 1, ")");
    if (*s != ')')
        return s;
    burl_buf_char(out, ')');
    return s + 1;
}

/* Up to one of the characters `stop` that is in no brackets, or to the end. */
static const char *
shorten(struct burl_buf *out, const char *name, const char *s, unsigned depth, const char *stop)
{
    while (*s != '\0' && strchr(stop, *s) == NULL) {
        const size_t op = is_start(name, s) ? operator_length(s) : 0;
        const size_t silent = silent_length(name, s);

        if (op > 0) {
            burl_buf_append(out, s, op);
            s += op;
        } else if (silent > 0) {
            s += silent;
        } else if (*s == '<') {
            s = put_args(out, name, s, depth);
        } else if (*s == '(') {
            s = put_parentheses(out, name, s, depth);
        } else {
            burl_buf_char(out, *s++);
        }
    }
    return s;
}

/* The class of a lambda has no name. */
static bool
cut_lambda(struct burl_buf *name)
{
    static const char *const ends[] = { "(anonymous)::operator()", "{lambda}::operator()" };

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t n = strlen(ends[i]);

        if (name->n >= n && strcmp(burl_buf_str(name) + name->n - n, ends[i]) == 0) {
            burl_buf_truncate(name, name->n - n);
            return true;
        }
    }
    return false;
}

char *
burl_name_shorten(const char *name, uint32_t line)
{
    struct burl_buf out = BURL_BUF_INIT;

    (void)shorten(&out, name, name, 0, "");
    if (cut_lambda(&out)) {
        burl_buf_str_append(&out, "lambda");
        if (line != 0)
            burl_buf_printf(&out, ":%u", line);
    }
    return burl_buf_take(&out, NULL);
}

void
burl_name_put_plain(const char *name, struct burl_buf *out)
{
    unsigned depth = 0;

    for (const char *s = name; *s != '\0';) {
        const size_t op = is_start(name, s) ? operator_length(s) : 0;

        if (op > 0 && depth == 0)
            burl_buf_append(out, s, op);
        else if (op == 0 && *s == '>' && depth > 0)
            depth--;
        else if (op == 0 && *s == '<')
            depth++;
        else if (op == 0 && depth == 0)
            burl_buf_char(out, *s);
        s += op > 0 ? op : 1;
    }
}
