/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run.c - ownership of one execution's record.
 *
 * Runs in the host. The engine fills a struct burl_run; this file only takes it
 * apart again, so that every user frees the same members in the same way and a
 * second deinit of the same record is harmless.
 */
#include "base/run.h"

#include <stdlib.h>
#include <string.h>

void
burl_run_deinit(struct burl_run *run)
{
    if (run == NULL)
        return;
    free(run->events);
    free(run->switches);
    free(run->output);
    memset(run, 0, sizeof *run);
}
