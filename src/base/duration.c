/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/duration.c - lengths of time as users write them; contract in duration.h.
 */
#include "base/duration.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool
burl_duration_parse(const char *text, uint64_t *ms)
{
    double unit_ms = 1000;
    double x;
    char *end;

    if (!isdigit((unsigned char)text[0]) && text[0] != '.')
        return false;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return false;
    errno = 0;
    x = strtod(text, &end);
    if (errno != 0 || end == text)
        return false;
    if (strcmp(end, "ms") == 0)
        unit_ms = 1;
    else if (strcmp(end, "m") == 0 || strcmp(end, "min") == 0)
        unit_ms = 60000;
    else if (strcmp(end, "h") == 0)
        unit_ms = 3600000;
    else if (strcmp(end, "s") != 0 && *end != '\0')
        return false;
    x *= unit_ms;
    if (!(x >= 0 && x < 1e15))
        return false;
    *ms = (uint64_t)(x + 0.5);
    /* A positive time never becomes 0, which would mean "no limit". */
    if (*ms == 0 && x > 0)
        *ms = 1;
    return true;
}
