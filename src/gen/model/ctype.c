/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/ctype.c - C types by their spelling: declarations, pointees, arithmetic types.
 *
 * Runs in the host. The model keeps types as libclang printed them; nothing here parses C beyond
 * what such a spelling needs.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gen/model/model.h"

/* Length of `s` without blanks and qualifiers at its end. */
static size_t
trimmed(const char *s, size_t n)
{
    static const char *const words[] = { "const", "volatile", "restrict", "__restrict" };

    for (bool more = true; more;) {
        more = false;
        while (n > 0 && s[n - 1] == ' ')
            n--;
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            const size_t len = strlen(words[i]);

            /* "struct x *const": a qualifier of the pointer, not of what it points to. */
            if (n > len && memcmp(s + n - len, words[i], len) == 0 &&
                (s[n - len - 1] == '*' || s[n - len - 1] == ' ')) {
                n -= len;
                more = true;
            }
        }
    }
    return n;
}

bool
burl_gen_pointee(const char *ctype, char *out, size_t n)
{
    size_t len = trimmed(ctype, strlen(ctype));
    const char *bracket = strchr(ctype, '[');

    if (strchr(ctype, '('))
        return false;
    if (bracket)
        len = (size_t)(bracket - ctype) + 1;
    else if (len == 0 || ctype[len - 1] != '*')
        return false;
    len--;
    while (len > 0 && ctype[len - 1] == ' ')
        len--;
    snprintf(out, n, "%.*s", (int)len, ctype);
    return len > 0;
}

bool
burl_gen_is_arithmetic(const char *ctype)
{
    static const char *const words[] = { "int",      "char",      "short",    "long",
                                         "unsigned", "signed",    "bool",     "_Bool",
                                         "size_t",   "ssize_t",   "float",    "double",
                                         "int8_t",   "int16_t",   "int32_t",  "int64_t",
                                         "uint8_t",  "uint16_t",  "uint32_t", "uint64_t",
                                         "intptr_t", "uintptr_t", "const" };
    const char *p = ctype;

    while (*p) {
        const size_t len = strcspn(p, " ");
        bool known = len == 0;

        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
            known |= strlen(words[i]) == len && strncmp(p, words[i], len) == 0;
        if (!known)
            return false;
        p += len;
        p += *p == ' ';
    }
    return ctype[0] != '\0';
}

/* Where the name goes in a type that has no name: "int (*)(int)", "int[8]", "void (int)". */
static size_t
place_of_name(const char *t)
{
    const char *p = strstr(t, "(*");

    if (!p) {
        size_t n = strcspn(t, "[(");
        while (n > 0 && isspace((unsigned char)t[n - 1]))
            n--;
        return t[n] ? n : strlen(t);
    }
    /* The innermost of "char *(*(*)(int))[3]": the first "(*" that holds no other. */
    for (;;) {
        const char *q = p + 1;
        while (*q == '*' || isspace((unsigned char)*q) || isalpha((unsigned char)*q) || *q == '_')
            q++;
        if (q[0] == '(' && q[1] == '*') {
            p = q;
            continue;
        }
        return (size_t)(q - t);
    }
}

void
burl_gen_declare(struct burl_buf *out, const char *ctype, const char *name)
{
    size_t n = place_of_name(ctype);

    burl_buf_append(out, ctype, n);
    if (name[0] && n > 0 && ctype[n - 1] != '*' && ctype[n - 1] != '(')
        burl_buf_char(out, ' ');
    burl_buf_str_append(out, name);
    while (name[0] && isspace((unsigned char)ctype[n]))
        n++;
    burl_buf_str_append(out, ctype + n);
}

/* ---- function types ---------------------------------------------------------------------- */

const char *
burl_gen_function_params(const char *ctype)
{
    int depth = 0;

    for (const char *p = strrchr(ctype, ')'); p && p >= ctype; p--) {
        depth += *p == ')' ? 1 : *p == '(' ? -1 : 0;
        if (depth == 0)
            return p;
    }
    return NULL;
}

const char *
burl_gen_next_param(const char *list, const char **type, size_t *n)
{
    const char *p;
    int depth = 0;

    while (isspace((unsigned char)*list))
        list++;
    for (p = list; *p && !(depth == 0 && (*p == ',' || *p == ')')); p++)
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
    *type = list;
    *n = (size_t)(p - list);
    if (*n == 0 || (*n == 4 && memcmp(list, "void", 4) == 0))
        return NULL;
    return *p == ',' ? p + 1 : p;
}
