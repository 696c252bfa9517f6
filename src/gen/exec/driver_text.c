/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/driver_text.c - the fixed part of the driver, inside burl as strings.
 */
#include "gen/exec/exec_int.h"

static const struct {
    const char *name;
    const char *text;
} files[] = {
#include "gen_driver.inc"
};

const char *
burl__gen_driver_text(const char *name)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        if (strcmp(files[i].name, name) == 0)
            return files[i].text;
    }
    return NULL;
}
