/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_version.c - `burl version` and `burl --version`.
 *
 * Runs in the host. Prints the version of every format too: a report of a
 * problem should name them.
 */
#include <stdio.h>

#include "base/version.h"
#include "cli/command.h"
#include "store/store.h"
#include "wire/version.h"

int
burl_cmd_version(const struct burl_options *opts, int argc, char **argv)
{
    (void)opts;
    if (argc > 0)
        return burl_cli_usage("version", "%s: this command takes no words", argv[0]);
    printf("burl %s (wire %u, store %d)\n", BURL_VERSION, BURL_WIRE_VERSION,
           BURL_STORE_SCHEMA_VERSION);
    return BURL_EXIT_CLEAN;
}
