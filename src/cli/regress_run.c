/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_run.c - `burl regress run`.
 */
#include "cli/regress_int.h"

int
burl__regress_run(const struct burl_options *opts)
{
    struct burl_err err;

    (void)opts;
    (void)burl_err_set(&err, BURL_E_INTERNAL, 0, "burl regress run is not built yet");
    return burl_cli_fail(&err);
}
