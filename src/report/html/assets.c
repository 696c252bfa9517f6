/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/html/assets.c - the style sheets and the script of src/report/html/assets, inside burl.
 *
 * Runs in the host. html_assets.inc is made by scripts/gen-strings.sh when burl is built: one row
 * { "name", "text" } per file.
 */
#include <string.h>

#include "base/err.h"
#include "report/html/html.h"

static const struct {
    const char *name;
    const char *text;
} assets[] = {
#include "html_assets.inc"
};

const char *
burl__html_asset(const char *name)
{
    size_t i = 0;

    while (i < sizeof assets / sizeof assets[0] && strcmp(assets[i].name, name) != 0)
        i++;
    BURL_ASSERT(i < sizeof assets / sizeof assets[0]);
    return assets[i].text;
}
