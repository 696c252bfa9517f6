/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/regress_doc.h - the document of a selection: made once, kept in the store, printed as text.
 *
 * Runs in the host.
 */
#ifndef BURL_CLI_REGRESS_DOC_H
#define BURL_CLI_REGRESS_DOC_H

#include "base/json.h"
#include "cli/options.h"
#include "regress/plan.h"

/* The JSON text; the caller frees. */
char *burl__regress_doc(const struct burl_regress_plan *p, const struct burl_regress_rules *rules);

/* Prints the message, with --json also the document of a failure; returns the exit code. */
int burl__regress_fail(const struct burl_options *opts, const char *command,
                       const struct burl_err *err);

/* The document as text: the summary; the selected tests with reasons, and the tail; with `explain`
 * (--explain: BURL_OPTION_ALL, or a list of names) the tests that were not selected. BURL_E_USAGE:
 * a name is not that of a test. */
BURL_MUST_CHECK enum burl_status burl__regress_put_selection(struct burl_buf *out,
                                                             const struct burl_json_value *doc,
                                                             const char *explain,
                                                             struct burl_err *err);
/* Changed functions with what they impact, variables, pairs; a few of each unless `all`. */
void burl__regress_put_changes(struct burl_buf *out, const struct burl_json_value *doc, bool all);

#endif
