/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/align.h - the tests of a recorded version, brought in line with the suite of today.
 *
 * Runs in the host.
 */
#ifndef BURL_REGRESS_ALIGN_H
#define BURL_REGRESS_ALIGN_H

#include "regress/version.h"
#include "store/store.h"
#include "suite/suite.h"

/* Removes the tests that the pattern does not match. BURL_E_USAGE: none is left. */
BURL_MUST_CHECK enum burl_status burl_regress_align_only(struct burl_suite *suite,
                                                         const char *only, struct burl_err *err);

/*
 * Makes v->tests those of the suite, in its order. Tests that were recorded and are gone are
 * removed. What cannot be judged by its history is set to PENDING, with the reason in `why`: a test
 * that is new, has another command, or runs an instrumented program that it did not run.
 * BURL_E_USAGE: the version is of another suite.
 */
BURL_MUST_CHECK enum burl_status burl_regress_align(struct burl_regress_version *v,
                                                    struct burl_store *store,
                                                    const struct burl_suite *suite,
                                                    struct burl_err *err);

#endif
