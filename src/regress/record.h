/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/record.h - runs a suite once, or more often, and keeps what each test executes.
 *
 * Runs in the host. One test at a time, because tests need not be made for parallel runs. Each test
 * is committed as soon as it was run. One that was interrupted stays pending, and the next
 * recording goes on with it.
 */
#ifndef BURL_REGRESS_RECORD_H
#define BURL_REGRESS_RECORD_H

#include <signal.h>

#include "store/regress.h"
#include "suite/suite.h"

/* A test for which the suite has no time limit. */
#define BURL_RECORD_LIMIT_MS 300000

/* Where a recording is. */
struct burl_record_at {
    size_t test; /* from 1, among the tests of this recording */
    size_t n;
    const char *name;
    int64_t elapsed_ms; /* of the recording */
    int64_t left_ms;    /* of --time; -1 no limit */
};

struct burl_record_config {
    const struct burl_suite *suite;
    const char *version; /* its name */
    const char *only;    /* shell pattern of names; NULL all */
    uint32_t repeat;     /* runs per test, at least 1 */
    uint64_t time_ms;    /* 0 no limit */
    bool fresh;          /* forget what was recorded under this name */
    bool show_output;    /* of the tests, on our standard error */
    const volatile sig_atomic_t *interrupts; /* nonzero: stop; NULL never */
    /* For people; each may be NULL. */
    void (*note)(void *arg, const char *text); /* continuing, starting over */
    void (*tick)(void *arg, const struct burl_record_at *at);
    void (*done)(void *arg, const struct burl_record_at *at, const struct burl_store_test *t);
    void *arg;
};

struct burl_record_result {
    BURL_VEC(struct burl_store_test) tests; /* of this recording, as they are in the store now */
    size_t n_suite;    /* tests of the whole suite */
    size_t n_before;   /* of `tests`, those that were complete before */
    size_t n_objects; /* executables and shared objects of the version */
    size_t n_modules;
    bool interrupted;
    bool out_of_time;
    int64_t wall_ms;
};

/* BURL_E_USAGE: `only` matches no test, or the version is of another suite; BURL_E_TARGET: a
 * program was built again meanwhile; BURL_E_IO: the store cannot be written. `result` is valid in
 * each case; free it. The store is locked from here until it is closed. */
BURL_MUST_CHECK enum burl_status burl_record(const struct burl_record_config *c,
                                             struct burl_store *s,
                                             struct burl_record_result *result,
                                             struct burl_err *err);
void burl_record_result_deinit(struct burl_record_result *r);

/* Does the test have a history that counts: recorded, failed or hung? */
bool burl_record_is_kept(const struct burl_store_test *t);
/* "recorded", "failed", "hung", "not instrumented", "skipped", "not started", "pending". */
const char *burl_record_state_name(int64_t state);

#endif
