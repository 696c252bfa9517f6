/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/demangle.c - see demangle.h. Host side.
 *
 * The demangler is that of the C++ run-time library (Itanium C++ ABI, 3.4), which is linked
 * statically and needs nothing but libc. Its text is as exact as a declaration; a message needs
 * less.
 */
#include "base/demangle.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/shortname.h"

/* <cxxabi.h>, which is for C++ only. */
char *__cxa_demangle(const char *symbol, char *out, size_t *out_b, int *status);

static bool
begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

/* After the bracket that closes the one at `s`; nesting is of this kind of bracket alone. */
static const char *
skip_brackets(const char *s)
{
    const char open = *s;
    const char close = open == '<' ? '>' : ')';
    int depth = 0;

    do {
        depth += *s == open;
        /* The > of an operator-> is not a bracket. */
        depth -= *s == close && !(open == '<' && s[-1] == '-');
        s++;
    } while (depth > 0 && *s != '\0');
    return s;
}

/* "operator<<", "operator()", "operator new"; after it. */
static const char *
put_operator(struct burl_buf *out, const char *s)
{
    const char *end = s + strlen("operator");

    if (begins(end, "()"))
        end += 2;
    else if (*end == ' ')
        end += strcspn(end, "(<");
    else
        end += strspn(end, "<>=-+*/%^&|~!,[]");
    burl_buf_append(out, s, (size_t)(end - s));
    return begins(end, " <") ? end + 1 : end;
}

/* Names of the library that a person does not write, at `s`; 0: none. */
static size_t
inner_name(const struct burl_buf *out, const char *s)
{
    static const char *const names[] = { "__cxx11::", "_V2::", "basic_" };
    const char last = out->n > 0 ? out->p[out->n - 1] : '\0';

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((last == ':' || last == '~') && begins(s, names[i]))
            return strlen(names[i]);
    }
    return 0;
}

/* What follows parameters: the qualifiers of a member function. */
static const char *
skip_qualifiers(const char *s)
{
    return begins(s, " const") ? s + 6 : s;
}

static char *
shorten(const char *s)
{
    struct burl_buf out = BURL_BUF_INIT;
    size_t name_at = 0; /* after a return type, if there is one */
    bool is_function = false;
    char *name;

    while (*s != '\0' && !is_function) {
        const char last = out.n > 0 ? out.p[out.n - 1] : ' ';

        if (begins(s, "(anonymous namespace)")) {
            burl_buf_str_append(&out, "(anonymous)");
            s += strlen("(anonymous namespace)");
        } else if (begins(s, "operator") && (last == ' ' || last == ':') &&
                   !isalnum((unsigned char)s[8]) && s[8] != '_') {
            s = put_operator(&out, s);
        } else if (*s == '<') {
            s = skip_brackets(s);
        } else if (*s == '(') {
            /* Of a function that has the rest in it, or the end. */
            s = skip_qualifiers(skip_brackets(s));
            is_function = *s != ':' && *s != '#';
        } else if (begins(s, "[abi:")) {
            s += strcspn(s, "]");
            s += *s == ']';
        } else if (inner_name(&out, s) > 0) {
            s += inner_name(&out, s);
        } else {
            if (*s == ' ')
                name_at = out.n + 1;
            burl_buf_char(&out, *s++);
        }
    }
    name = burl_xstrdup(burl_buf_str(&out) + (is_function ? name_at : 0));
    burl_buf_deinit(&out);
    return name;
}

/* The scopes and the name of a type whose template arguments were cut: "a::b<...>" for "N1a1bIiS";
 * NULL: it is none. */
static char *
cut_type(const char *s)
{
    struct burl_buf out = BURL_BUF_INIT;
    const bool is_nested = *s == 'N';
    size_t n = 0;

    s += is_nested;
    if (begins(s, "St")) {
        burl_buf_str_append(&out, "std");
        s += 2;
    }
    do {
        char *end;

        n = isdigit((unsigned char)*s) ? strtoul(s, &end, 10) : 0;
        if (n == 0 || n > strlen(end))
            break;
        burl_buf_printf(&out, "%s%.*s", out.n > 0 ? "::" : "", (int)n, end);
        s = end + n;
    } while (is_nested);
    if (out.n == 0 || *s != 'I') {
        burl_buf_deinit(&out);
        return NULL;
    }
    burl_buf_str_append(&out, "<...>");
    return burl_buf_take(&out, NULL);
}

char *
burl_demangle_type(const char *name)
{
    int status;
    char *text = __cxa_demangle(name, NULL, NULL, &status);
    char *type;

    if (!text)
        text = cut_type(name);
    type = burl_name_shorten(text ? text : name, 0);
    free(text);
    return type;
}

char *
burl_demangle(const char *symbol)
{
    int status;
    char *text = begins(symbol, "_Z") ? __cxa_demangle(symbol, NULL, NULL, &status) : NULL;
    char *name = text ? shorten(text) : burl_xstrdup(symbol);

    free(text);
    return name;
}
