/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/suppressed.h - the effect of the rules of --suppressions, as text and as JSON.
 */
#ifndef BURL_CLI_SUPPRESSED_H
#define BURL_CLI_SUPPRESSED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/json.h"
#include "report/finding/suppress.h"

/* One line per rule that matched something; `all`: those that matched nothing too. Nothing when
 * there are no rules. */
void burl__print_suppressed(const struct burl_suppress *rules, bool all, FILE *out);
/* The member "suppressed": an array with every rule; empty when there are none. */
void burl__json_suppressed(const struct burl_suppress *rules, struct burl_json_writer *w);

#endif
