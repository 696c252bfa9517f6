/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/record_int.h - one run of a test; shared by the files that record.
 */
#ifndef BURL_REGRESS_RECORD_INT_H
#define BURL_REGRESS_RECORD_INT_H

#include "base/history_file.h"
#include "regress/record.h"

struct burl__record_run {
    enum burl_store_test_state state; /* PENDING: it was stopped and does not count */
    char *why;                        /* NULL none */
    int64_t wall_ms;
    bool interrupted;
    bool out_of_time;
    struct burl_histories histories; /* one per program; paths as the processes had them */
};

/* Runs a test once. `deadline_ms` is that of the recording, of burl_now_ms(); -1 none. `tick` is
 * called several times a second. */
BURL_MUST_CHECK enum burl_status
burl__record_run(const struct burl_record_config *c, const struct burl_suite_test *t,
                 int64_t deadline_ms, void (*tick)(void *arg), void *arg,
                 struct burl__record_run *out, struct burl_err *err);
void burl__record_run_deinit(struct burl__record_run *r);

#endif
