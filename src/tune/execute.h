/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/execute.h - one execution of the program under a setting, and the user's check of it.
 */
#ifndef BURL_TUNE_EXECUTE_H
#define BURL_TUNE_EXECUTE_H

#include "engine/free/free.h"
#include "tune/fitness.h"

/* The same for all executions of a search. */
struct burl_execute {
    uint32_t observers;
    const char *check; /* a command for the shell; NULL none */
    bool check_works;  /* it was run before: exit codes 126 and 127 are its own */
    int64_t check_ms;   /* the longest of the checks before */
    bool is_plain;      /* executions that do not end are no hangs: their limit is a guess */
    int64_t stop_at_ms; /* of burl_now_ms(): the search ends; 0 never */
    const volatile sig_atomic_t *interrupt;
};

struct burl_execution {
    struct burl_free_result r; /* its verdict is also that of a hang and of a failed check */
    bool unfinished; /* ended because the search did: nothing follows from it */
    bool checked;
    int check_code; /* exit code of the check, 128 + signal */
    int64_t check_ms; /* how long it took */
    char *check_output; /* what it printed; NULL: not checked */
    size_t check_output_b;
};

/* `noise` NULL: a plain run. BURL_E_USAGE: the check is not a command. BURL_E_TARGET: the check did
 * not end. Other failures are those of burl_free_run(). */
BURL_MUST_CHECK enum burl_status
burl_execute(struct burl_execution *out, const struct burl_execute *e, const char *const *argv,
             const struct burl_wire_noise *noise, const uint8_t *marks, const uint32_t *variables,
             size_t n_marks, uint64_t time_ms, struct burl_err *err);
void burl_execution_deinit(struct burl_execution *x);

/* BURL_E_USAGE when the shell knows no command of this name, or cannot read the command. */
BURL_MUST_CHECK enum burl_status burl_check_exists(const char *check, struct burl_err *err);

/* A check was ended after limit_ms, because the search ends: may it have lacked time only? False:
 * it took so much longer than the longest one before that it hangs. */
bool burl_check_lacked_time(int limit_ms, int64_t longest_ms);

/* Why the execution failed; ERROR__N: it did not. */
enum burl_tune_error burl_execution_error(const struct burl_execution *x);

#endif
