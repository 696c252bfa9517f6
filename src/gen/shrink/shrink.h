/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/shrink/shrink.h - a violation: reproduced, made small, confirmed in fresh processes.
 */
#ifndef BURL_GEN_SHRINK_H
#define BURL_GEN_SHRINK_H

#include "gen/oracle/oracle.h"

/* Hashes of what a front end knows of the bug behind a violation; 0 nothing. Violations with the
 * same one are reported once. */
struct burl_gen_bug_names {
    uint64_t deadlock; /* if it is one */
    uint64_t other;
};

struct burl_gen_violation {
    struct burl_gen_test test;   /* owned; minimized after burl_gen_minimize() */
    struct burl_gen_outcome run; /* owned; one execution that shows it */
    struct burl_gen_verdict verdict;
    struct burl_gen_bug_names names;
    bool is_race; /* a race inside the API; `race` */
    struct burl_wire_suspect race;
    unsigned confirmed; /* fresh processes that reproduced it */
    bool clean;         /* burl_gen_is_clean(); set by each function below */
};

/* What the front end did with a violation. */
enum burl_gen_fate {
    BURL_GEN_FATE_NEW = 0,       /* a new finding */
    BURL_GEN_FATE_KNOWN,         /* a duplicate of an earlier finding */
    BURL_GEN_FATE_NOT_REPRODUCED, /* its C test did not reproduce it */
    BURL_GEN_FATE_NOT_BUILT,      /* its C test does not compile */
    BURL_GEN_FATE_INTERRUPTED     /* the user ended the run before it was known: says nothing */
};

#define BURL_GEN_FRESH_PROCESSES 3u /* that must reproduce a violation */

void burl_gen_violation_deinit(struct burl_gen_violation *v);

/*
 * All of the steps below in order: shorten, shrink, and for a test that is not clean unblock and
 * shrink again. The violation stands if `clean` is true and `confirmed` is
 * BURL_GEN_FRESH_PROCESSES afterwards.
 */
void burl_gen_minimize(struct burl_gen_exec *x, struct burl_gen_violation *v);

/* ---- the steps --------------------------------------------------------------------------- */

/* reproduce.c: does the test show a violation of the same kind within `schedules` controlled
 * executions? *out then holds the run and the verdict. */
bool burl_gen_reproduce(struct burl_gen_exec *x, const struct burl_gen_test *t,
                        const struct burl_gen_violation *like, uint32_t schedules,
                        struct burl_gen_violation *out);
/*
 * shrink.c: fewest calls (whole threads, calls of threads, calls of the prefix), then the simplest
 * arguments, each step kept only if the violation is reproduced; then again in `fresh` new
 * processes. `confirmed` counts those that reproduced it.
 */
void burl_gen_shrink(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules,
                     unsigned fresh);
/* unblock.c: for tests that are not clean because calls may block forever. burl_gen_shorten() looks
 * for shorter lists of calls, burl_gen_unblock() adds a thread that unblocks the others; each keeps
 * the new test only if it is clean and reproduces the violation. */
void burl_gen_shorten(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules);
void burl_gen_unblock(struct burl_gen_exec *x, struct burl_gen_violation *v, uint32_t schedules);

#endif
