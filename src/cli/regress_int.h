/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_int.h - what the files of `burl regress` share. One file per sub-command.
 */
#ifndef BURL_CLI_REGRESS_INT_H
#define BURL_CLI_REGRESS_INT_H

#include "cli/command.h"
#include "store/store.h"
#include "suite/suite.h"

/* Loads the suite that --ctest, --meson or --suite names. */
BURL_MUST_CHECK enum burl_status burl__regress_suite(const struct burl_options *opts,
                                                     struct burl_suite *s, struct burl_err *err);

/* Opens the store of an earlier recording. BURL_E_USAGE: there is none. */
BURL_MUST_CHECK enum burl_status burl__regress_open_store(const struct burl_options *opts,
                                                          struct burl_store **store,
                                                          struct burl_err *err);

/* Until the selection is made, a signal ends the command, with a message and exit code 4. */
void burl__regress_quit_on_signals(const struct burl_options *opts, const char *command);

/* Each returns the exit code. */
int burl__regress_record(const struct burl_options *opts);
int burl__regress_select(const struct burl_options *opts);
int burl__regress_run(const struct burl_options *opts);
int burl__regress_show(const struct burl_options *opts);
int burl__regress_experiment(const struct burl_options *opts);

#endif
