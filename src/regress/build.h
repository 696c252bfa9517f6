/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/build.h - a program of the new build, and how it differs from its base version.
 *
 * Runs in the host. Reads the site tables of the executable and of the shared objects that it
 * loads; starts burl-analyze.
 */
#ifndef BURL_REGRESS_BUILD_H
#define BURL_REGRESS_BUILD_H

#include "base/sitetab.h"
#include "regress/select.h"
#include "regress/version.h"
#include "store/store.h"
#include "suite/suite.h"

struct burl_regress_build {
    char *path;
    struct burl_sitetab *sites;
    BURL_VEC(uint64_t) hashes; /* of its modules */
    BURL_VEC(char *) with;     /* instrumented shared objects that it loads while it runs */
};

/*
 * Opens the program `base` of the new build. Shared objects are found as the dynamic loader does,
 * and where the base version had them. BURL_E_USAGE: it is not there, or has no instrumented code;
 * BURL_E_FORMAT: it was built by another version of burl.
 */
BURL_MUST_CHECK enum burl_status burl_regress_build_open(struct burl_regress_build *b,
                                                         const struct burl_suite *suite,
                                                         const struct burl_regress_program *base,
                                                         struct burl_err *err);
void burl_regress_build_close(struct burl_regress_build *b);

/* Has the file instrumented code? False when it cannot be read. */
bool burl_regress_is_instrumented(const char *path);

/* Are all modules those of the base version? */
bool burl_regress_build_is_base(const struct burl_regress_build *b,
                                const struct burl_regress_program *base);

/* Fills target and changes of the subject, or its problem. May be called for several subjects at
 * the same time. */
void burl_regress_build_analyze(const struct burl_regress_build *b,
                                const struct burl_regress_program *base,
                                const struct burl_store *store, struct burl_regress_subject *x);

#endif
