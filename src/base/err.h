/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/err.h - the one status type of the host code, and its assertion.
 *
 * Every host function that can fail returns `enum burl_status`; zero is success.
 * The detail (what was attempted, on what, why) goes into a `struct burl_err`
 * beside it. Library code never prints and never exits: cli/ turns a status into
 * an exit code with burl_err_exit_code().
 *
 * Passing NULL for the detail is always allowed.
 */
#ifndef BURL_BASE_ERR_H
#define BURL_BASE_ERR_H

#include <stdarg.h>

#define BURL_MUST_CHECK __attribute__((warn_unused_result))
#define BURL_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#define BURL_NORETURN __attribute__((noreturn))

enum burl_status {
    BURL_OK = 0,
    BURL_E_USAGE,   /* the user can fix it by changing the command */
    BURL_E_IO,      /* a system call failed; err->sys has errno */
    BURL_E_FORMAT,  /* bytes from outside do not decode */
    BURL_E_TARGET,  /* the tested program misbehaved in a way that stops us */
    BURL_E_LIMIT,   /* a declared bound was reached */
    BURL_E_TIME,    /* the time that the user gave is over (base/deadline.h) */
    BURL_E_INTERNAL /* our invariant failed; always worth a bug report */
};

/* Exit codes of every command; see docs/reference/options.md. */
enum burl_exit {
    BURL_EXIT_CLEAN = 0,    /* nothing found within the budget */
    BURL_EXIT_FINDINGS = 1,
    BURL_EXIT_USAGE = 2,
    BURL_EXIT_FAILURE = 3,  /* our own or the environment's failure */
    BURL_EXIT_PROMISE = 4   /* interrupted, or a search, check or floor asked for not reached */
};

struct burl_err {
    enum burl_status code;
    int              sys;      /* errno of the failed call, 0 when there was none */
    char             msg[512]; /* whole sentence without newline; ends with strerror if sys != 0 */
};

/*
 * Fills `err` (may be NULL) and returns `code`, so that a failure is one statement:
 *     return burl_err_set(err, BURL_E_IO, errno, "cannot open %s", path);
 * A nonzero `sys` appends ": <strerror>" to the message.
 */
enum burl_status burl_err_set(struct burl_err *err, enum burl_status code, int sys,
                              const char *fmt, ...) BURL_PRINTF(4, 5);
enum burl_status burl_err_vset(struct burl_err *err, enum burl_status code, int sys,
                               const char *fmt, va_list ap) BURL_PRINTF(4, 0);

/* Puts "<text>: " before the message already in `err`; returns err->code. */
enum burl_status burl_err_prefix(struct burl_err *err, const char *fmt, ...) BURL_PRINTF(2, 3);

/* A step at the end failed with `late` (or BURL_OK): the status of the whole, and *err with it. The
 * first failure is the one that matters. */
enum burl_status burl_err_first(enum burl_status st, struct burl_err *err,
                                enum burl_status late_st, const struct burl_err *late);

/* The exit code that belongs to a status: 2 for usage, 3 for every other failure. */
int burl_err_exit_code(enum burl_status st);

/* Prints the failed condition and ends the process with exit code 3. */
BURL_NORETURN void burl_assert_fail(const char *cond, const char *file, int line,
                                    const char *func);

/* On in release builds too: a wrong answer costs the user more than a stop. */
#define BURL_ASSERT(cond) \
    ((cond) ? (void)0 : burl_assert_fail(#cond, __FILE__, __LINE__, __func__))

#endif
