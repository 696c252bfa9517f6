/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/err.c - status details and the assertion that stays on in release.
 *
 * Runs in the host. The assertion prints by itself, against the rule that only
 * cli/ prints, because after a broken invariant no caller can be trusted to.
 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum burl_status
burl_err_vset(struct burl_err *err, enum burl_status code, int sys, const char *fmt, va_list ap)
{
    size_t n;

    if (!err)
        return code;
    err->code = code;
    err->sys = sys;
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    n = strlen(err->msg);
    if (sys != 0)
        snprintf(err->msg + n, sizeof err->msg - n, ": %s%s", strerror(sys),
                 sys == EMFILE ? "; raise the limit, for example with `ulimit -n 1024`" : "");
    return code;
}

enum burl_status
burl_err_set(struct burl_err *err, enum burl_status code, int sys, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    burl_err_vset(err, code, sys, fmt, ap);
    va_end(ap);
    return code;
}

enum burl_status
burl_err_prefix(struct burl_err *err, const char *fmt, ...)
{
    char old[sizeof err->msg];
    va_list ap;
    size_t n;

    BURL_ASSERT(err != NULL);
    memcpy(old, err->msg, sizeof old);
    va_start(ap, fmt);
    vsnprintf(err->msg, sizeof err->msg, fmt, ap);
    va_end(ap);
    n = strlen(err->msg);
    snprintf(err->msg + n, sizeof err->msg - n, ": ");
    n = strlen(err->msg);
    old[sizeof old - 1 - n] = '\0'; /* what does not fit is cut at the end */
    memcpy(err->msg + n, old, sizeof old - n);
    return err->code;
}

enum burl_status
burl_err_first(enum burl_status st, struct burl_err *err, enum burl_status late_st,
               const struct burl_err *late)
{
    if (st != BURL_OK || late_st == BURL_OK)
        return st;
    *err = *late;
    return late_st;
}

int
burl_err_exit_code(enum burl_status st)
{
    if (st == BURL_OK)
        return BURL_EXIT_CLEAN;
    return st == BURL_E_USAGE ? BURL_EXIT_USAGE : BURL_EXIT_FAILURE;
}

void
burl_assert_fail(const char *cond, const char *file, int line, const char *func)
{
    fprintf(stderr,
            "burl: internal error: %s:%d: %s: \"%s\" does not hold.\n"
            "burl: this is a bug in burl; findings already shown are safe in the store.\n",
            file, line, func, cond);
    fflush(NULL);
    _Exit(BURL_EXIT_FAILURE);
}
