/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_show.c - `burl regress show`.
 */
#include "cli/regress_int.h"

int
burl__regress_show(const struct burl_options *opts)
{
    struct burl_err err;

    (void)opts;
    (void)burl_err_set(&err, BURL_E_INTERNAL, 0, "burl regress show is not built yet");
    return burl_cli_fail(&err);
}
