/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/cxxname.c - how a person would write the name of a C++ function.
 *
 * Runs in the host. "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc" is
 * std::string::append: the scopes and the name, without template arguments, parameters and
 * inline namespaces of the library. Names that are more than that come out as they are: they are
 * for messages, nothing depends on them.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/target/foreign.h"

#define PARTS_MAX 16

struct name {
    const char *at;
    char *out;
    size_t room_b;
    size_t n;
    char last[64]; /* identifier, for constructors and destructors */
    int parts;
    bool bad;
};

static void
put(struct name *x, const char *text, size_t n)
{
    for (size_t i = 0; i < n && x->n + 1 < x->room_b; i++)
        x->out[x->n++] = text[i];
    x->out[x->n] = '\0';
}

static void
put_part(struct name *x, const char *text, size_t n)
{
    if (x->parts++ > 0)
        put(x, "::", 2);
    put(x, text, n);
}

/* The digits in front of an identifier; 0: there are none, or they lie. */
static size_t
take_length(struct name *x)
{
    size_t n = 0;

    while (isdigit((unsigned char)*x->at) && n < 1000)
        n = n * 10 + (size_t)(*x->at++ - '0');
    return memchr(x->at, '\0', n) == NULL ? n : 0;
}

/* S_, S0_, T_: something that was there before. */
static void
skip_reference(struct name *x)
{
    while (*x->at != '\0' && *x->at != '_')
        x->at++;
    if (*x->at == '_')
        x->at++;
}

/* Template arguments, of which the I has been read: to their E. */
static void
skip_arguments(struct name *x)
{
    for (int depth = 1; depth > 0 && *x->at != '\0';) {
        const char c = *x->at;

        if (isdigit((unsigned char)c)) {
            const size_t n = take_length(x);

            x->at += n;
            continue;
        }
        x->at++;
        if (c == 'E')
            depth--;
        else if (strchr("INXLJF", c))
            depth++;
        else if (c == 'S' && (*x->at == '_' || isdigit((unsigned char)*x->at) ||
                              isupper((unsigned char)*x->at)))
            skip_reference(x);
        else if (c == 'S' && *x->at != '\0')
            x->at++;
        else if (c == 'T')
            skip_reference(x);
    }
}

static void
take_identifier(struct name *x)
{
    const size_t n = take_length(x);
    const char *text = x->at;

    if (n == 0) {
        x->bad = true;
        return;
    }
    x->at += n;
    snprintf(x->last, sizeof x->last, "%.*s", (int)n, text);
    if (strcmp(x->last, "__cxx11") == 0 || strcmp(x->last, "_V2") == 0)
        return;
    if (strncmp(x->last, "basic_", 6) == 0 && x->parts > 0)
        memmove(x->last, x->last + 6, strlen(x->last + 6) + 1);
    put_part(x, x->last, strlen(x->last));
}

static void
take_abbreviation(struct name *x)
{
    static const char *const words[] = { "std",     "allocator", "basic_string", "string",
                                         "istream", "ostream",   "iostream" };
    static const char letters[] = "tabsiod";
    const char *letter = x->at[1] != '\0' ? strchr(letters, x->at[1]) : NULL;

    if (letter == NULL) {
        x->bad = true;
        return;
    }
    x->at += 2;
    put_part(x, "std", 3);
    if (letter != letters) {
        snprintf(x->last, sizeof x->last, "%s", words[letter - letters]);
        put_part(x, x->last, strlen(x->last));
    }
}

static void
take_part(struct name *x)
{
    const char *p = x->at;

    if (isdigit((unsigned char)*p)) {
        take_identifier(x);
    } else if (*p == 'S') {
        take_abbreviation(x);
    } else if (*p == 'I') {
        x->at++;
        skip_arguments(x);
    } else if ((*p == 'C' || *p == 'D') && isdigit((unsigned char)p[1]) && x->last[0] != '\0') {
        put(x, *p == 'C' ? "::" : "::~", *p == 'C' ? 2 : 3);
        put(x, x->last, strlen(x->last));
        x->at += 2;
    } else if (islower((unsigned char)p[0]) && isalpha((unsigned char)p[1])) {
        put_part(x, "operator", 8);
        x->at += 2;
    } else {
        x->bad = true;
    }
}

void
burl__cxx_name(const char *symbol, char *out, size_t out_b)
{
    struct name x = { .at = symbol + 2, .out = out, .room_b = out_b };
    bool nested;

    snprintf(out, out_b, "%s", symbol);
    if (strncmp(symbol, "_Z", 2) != 0)
        return;
    nested = *x.at == 'N';
    x.at += nested;
    while (nested && *x.at != '\0' && strchr("KVRO", *x.at))
        x.at++;
    for (int i = 0; i < PARTS_MAX && !x.bad; i++) {
        const bool is_name = *x.at != 'S';

        take_part(&x);
        if (nested ? *x.at == 'E' : is_name)
            return;
    }
    snprintf(out, out_b, "%s", symbol);
}
