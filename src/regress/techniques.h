/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/techniques.h - techniques of selecting and ordering tests, for comparison, and APFD.
 *
 * Runs in the host, for `burl regress experiment`. Pure: everything is computed from a selection
 * whose base and subjects are filled (regress/plan.h). Names as in the SimRT paper, section 4.9 of
 * its study: RTA, RTSC, SimRT_s, SimRT_n, Random_sp, SimRT_ap, ABC_ap, Random_ap.
 */
#ifndef BURL_REGRESS_TECHNIQUES_H
#define BURL_REGRESS_TECHNIQUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "regress/select.h"

enum burl_regress_technique {
    BURL_TECHNIQUE_RTA,      /* all tests as the suite lists them */
    BURL_TECHNIQUE_DEJAVU,   /* those that execute a changed block in any thread, as listed */
    BURL_TECHNIQUE_SIMRT,    /* ours: selected and ordered */
    BURL_TECHNIQUE_SIMRT_N,  /* the same without the condition of two threads */
    BURL_TECHNIQUE_RANDOM_S, /* our selection in random order */
    BURL_TECHNIQUE_SIMRT_A,  /* all tests: ours, then the tail */
    BURL_TECHNIQUE_ABC,      /* all tests by additional block coverage */
    BURL_TECHNIQUE_RANDOM,   /* all tests in random order */
    BURL_TECHNIQUE__N
};

/* "rta", "dejavu", "simrt", "simrt-n", "random-s", "simrt-a", "abc", "random". */
const char *burl_regress_technique_name(enum burl_regress_technique t);
/* False when there is no technique of this name. */
bool burl_regress_technique_find(const char *name, enum burl_regress_technique *t);

/* Tests, as indices into version.tests, in the order of a technique. */
struct burl_regress_order {
    BURL_VEC_OF(uint32_t);
};

/* Tests without instrumented programs are in no order; tests that could not be judged are in all.
 * `s`: base and subjects; the rest of it is not read. rules->same_thread and rules->with_tail are
 * set by the technique. The caller frees `out` with BURL_VEC_FREE(). */
void burl_regress_technique_order(const struct burl_regress_selection *s,
                                  const struct burl_regress_rules *rules,
                                  enum burl_regress_technique t, struct burl_regress_order *out);

/* 1 - (TR_1 + ... + TR_m) / (n m) + 1 / (2 n), between 0 and 1. `n`: tests in the order;
 * positions[i], from 1: the first test that reveals bug i, 0 for a bug that none of the order
 * reveals: it counts as revealed by test n + 1, and the result is not below 0. False: m is 0, there
 * is nothing to reveal. An order without tests reveals nothing: 0. */
bool burl_regress_apfd(const uint32_t *positions, size_t m, size_t n, double *out);

#endif
