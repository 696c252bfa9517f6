/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/suite.c - loading a test suite.
 */
#include "suite/suite.h"

enum burl_status
burl_suite_load(struct burl_suite *s, enum burl_suite_kind kind, const char *path,
                struct burl_err *err)
{
    (void)s;
    (void)kind;
    return burl_err_set(err, BURL_E_INTERNAL, 0, "%s: suites are not built yet", path);
}
