/* SPDX-License-Identifier: Apache-2.0 */
/*
 * condition.c - comparisons of a value with a number.
 */
#include "rover.h"

static const char *const signs[COMPARISON__N] = { "<", "<=", "==", "!=", ">=", ">" };

bool
condition_parse(struct condition *out, const char *text)
{
    size_t length = strcspn(text, "<=!>");
    const char *sign = text + length;
    size_t sign_length = strspn(sign, "<=!>");
    char *end;
    long value;

    if (length == 0 || length >= NAME_LENGTH)
        return false;
    for (unsigned i = 0; i < COMPARISON__N; i++) {
        if (strlen(signs[i]) != sign_length || strncmp(signs[i], sign, sign_length) != 0)
            continue;
        value = strtol(sign + sign_length, &end, 10);
        if (end == sign + sign_length || *end != '\0')
            return false;
        memset(out, 0, sizeof *out);
        memcpy(out->name, text, length);
        out->comparison = (enum comparison)i;
        out->value = (int)value;
        return true;
    }
    return false;
}

bool
condition_holds(const struct condition *c, int value)
{
    switch (c->comparison) {
    case LESS:
        return value < c->value;
    case AT_MOST:
        return value <= c->value;
    case EQUAL:
        return value == c->value;
    case NOT_EQUAL:
        return value != c->value;
    case AT_LEAST:
        return value >= c->value;
    case MORE:
        return value > c->value;
    case COMPARISON__N:
        break;
    }
    return false;
}
