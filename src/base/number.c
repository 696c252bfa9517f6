/* SPDX-License-Identifier: Apache-2.0 */
/*
 * number.c - see number.h. Runs in the host.
 */
#include "base/number.h"

#include <stdio.h>

const char *
burl_number(uint64_t n, char buf[BURL_NUMBER_B])
{
    char digits[24];
    const int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    int at = 0;

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buf[at++] = ',';
        buf[at++] = digits[i];
    }
    buf[at] = '\0';
    return buf;
}

const char *
burl_count(uint64_t n, const char *noun, char buf[BURL_COUNT_B])
{
    char number[BURL_NUMBER_B];

    snprintf(buf, BURL_COUNT_B, "%s %s%s", burl_number(n, number), noun, n == 1 ? "" : "s");
    return buf;
}
