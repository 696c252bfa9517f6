/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hooks/number.c - how much of a string strtol and strtod read.
 *
 * Runs in the target, before the call. They read up to and including the first character that is
 * not part of the number; of a text that only begins like one ("0x", "1e+", "infi") also those they
 * give back. In the C locale.
 */
#include "rt/core/core.h"
#include "rt/free/free.h"
#include "rt/hooks/hooks.h"

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static uint32_t
digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    c |= 0x20;
    return c >= 'a' && c <= 'z' ? (uint32_t)(c - 'a') + 10u : 99u;
}

static const char *
skip_digits(const char *p, uint32_t base)
{
    while (digit(*p) < base)
        p++;
    return p;
}

static const char *
skip_sign(const char *p)
{
    while (is_space(*p))
        p++;
    return *p == '-' || *p == '+' ? p + 1 : p;
}

/* The first character that is not the word's, or what is behind it. */
static const char *
skip_word(const char *p, const char *word)
{
    while (*word != '\0' && (*p | 0x20) == *word) {
        p++;
        word++;
    }
    return p;
}

static const char *
end_of_int(const char *p, int32_t base)
{
    uint32_t b = base < 0 ? 10u : (uint32_t)base;

    p = skip_sign(p);
    if ((b == 0 || b == 16) && *p == '0') {
        p++;
        if ((*p | 0x20) == 'x')
            return skip_digits(p + 1, 16);
        if (b == 0)
            b = 8;
    }
    return skip_digits(p, b == 0 ? 10 : b);
}

static const char *
end_of_exponent(const char *p, char letter)
{
    if ((*p | 0x20) != letter)
        return p;
    p++;
    if (*p == '-' || *p == '+')
        p++;
    return skip_digits(p, 10);
}

static const char *
end_of_float(const char *p)
{
    uint32_t base = 10;

    p = skip_sign(p);
    if ((*p | 0x20) == 'i')
        return skip_word(p, "infinity");
    if ((*p | 0x20) == 'n') {
        p = skip_word(p, "nan");
        if (*p != '(')
            return p;
        do
            p++;
        while (digit(*p) != 99 || *p == '_');
        return p;
    }
    if (*p == '0' && (p[1] | 0x20) == 'x') {
        base = 16;
        p += 2;
    }
    p = skip_digits(p, base);
    if (*p == '.')
        p = skip_digits(p + 1, base);
    return end_of_exponent(p, base == 16 ? 'p' : 'e');
}

BURL_EXPORT uint64_t
__burl_number(const char *s, int32_t base)
{
    if ((burl_self == NULL && burl_free_self == NULL) || s == NULL)
        return 0;
    return (uint64_t)((base < 0 ? end_of_float(s) : end_of_int(s, base)) - s) + 1;
}
