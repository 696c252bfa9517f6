/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_int.h - what the files of `burl regress` share. One file per sub-command.
 */
#ifndef BURL_CLI_REGRESS_INT_H
#define BURL_CLI_REGRESS_INT_H

#include "cli/command.h"
#include "suite/suite.h"

/* Loads the suite that --ctest, --meson or --suite names. */
BURL_MUST_CHECK enum burl_status burl__regress_suite(const struct burl_options *opts,
                                                     struct burl_suite *s, struct burl_err *err);

/* Each returns the exit code. */
int burl__regress_record(const struct burl_options *opts);
int burl__regress_select(const struct burl_options *opts);
int burl__regress_run(const struct burl_options *opts);
int burl__regress_show(const struct burl_options *opts);
int burl__regress_experiment(const struct burl_options *opts);

#endif
