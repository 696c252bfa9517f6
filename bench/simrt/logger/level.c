/* SPDX-License-Identifier: Apache-2.0 */
/*
 * level.c - names of levels.
 */
#include <string.h>

#include "logger.h"

static const char *const names[N_LEVELS] = {
    "all", "trace", "debug", "info", "warn", "error", "off"
};

const char *
level_name(enum level level)
{
    if (level < LV_ALL || level > LV_OFF)
        return "inherit";
    return names[level];
}

enum level
level_parse(const char *word, size_t length)
{
    for (int i = 0; i < N_LEVELS; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0)
            return (enum level)i;
    }
    return LV_INHERIT;
}
