/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/cover/cover_assets.c - the scripts and the style sheet of src/report/cover/html, inside
 * burl.
 *
 * Runs in the host. cover_assets.inc is made by scripts/gen-strings.sh when burl is built: one row
 * { "name", "text" } per file.
 */
#include "report/cover/render_cover_int.h"

const struct burl__cover_asset burl__cover_assets[] = {
#include "cover_assets.inc"
    { NULL, NULL },
};
