/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/select.h - which tests can reveal a bug that a change brought, in which order, and why.
 *
 * Runs in the host. Pure: it works on the recorded version (regress/version.h), the static target
 * (base/sp.h) and the changes (base/changes.h) of each program of the new build, and starts no
 * process. SimRT's matching, selection and prioritization (PAPERS 4.4 to 4.6).
 */
#ifndef BURL_REGRESS_SELECT_H
#define BURL_REGRESS_SELECT_H

#include "base/changes.h"
#include "base/sitetab.h"
#include "base/sp.h"
#include "regress/version.h"

/* What is looked for: --for. Bits. */
enum burl_regress_for {
    BURL_REGRESS_RACES = 1u << 0,
    BURL_REGRESS_ATOMICITY = 1u << 1,
    BURL_REGRESS_DEADLOCKS = 1u << 2,
    BURL_REGRESS_ALL = (1u << 3) - 1
};

struct burl_regress_rules {
    uint32_t wanted;     /* BURL_REGRESS_* bits */
    bool same_thread;    /* SimRT-n: two blocks of one test are enough */
    bool any_lifetime;   /* the paper's rule: lifetimes of threads are ignored */
    bool with_tail;      /* order the tests that were not selected, too */
    uint64_t seed;       /* breaks ties */
};

/* A program of the new build that differs from its base version. */
struct burl_regress_subject {
    char *key;                  /* in the suite */
    char *path;                 /* of the new build */
    char *problem;              /* the change could not be analyzed: every test that ran the program
                                 * is selected; NULL: target and changes are there */
    struct burl_sp target;
    struct burl_changes changes;
    struct burl_sitetab *sites; /* of the new build, owned; NULL: places have no names */
};

/* A pair of I: an impacted access and one that may touch the same memory, or two acquisitions. In
 * large programs it stands for many that no test tells apart: equal classes, locks and threads,
 * and blocks that the same threads of the same tests executed. */
struct burl_regress_pair {
    uint32_t subject;
    uint32_t a, b;  /* into changes.sites; a is impacted; a == b: two threads at one access */
    uint32_t class; /* of the target; a cycle: into changes.cycles */
    uint32_t kinds; /* BURL_REGRESS_* bits that it can show */
    uint64_t n;     /* pairs that it stands for */
};

/* A thread that the base version did not have, as a role. */
#define BURL_REGRESS_NEW_THREAD (UINT32_MAX - 1)

/* A test that can execute a pair in two threads. */
struct burl_regress_chosen {
    uint32_t test;    /* into version.tests */
    uint64_t n_pairs; /* of I that it covers; in the tail: shared variables that it executes */
    uint64_t n_new;   /* of these, covered by no test before it since the last reset */
    uint32_t pair;    /* the pair to tell about: the first new one; UINT32_MAX none */
    uint32_t role_a, role_b; /* in which it was executed, into the roles of the test's history of
                              * the subject; or BURL_REGRESS_NEW_THREAD */
    bool unknown;     /* not judged, so selected: it was not recorded, or is new in the suite */
    char *why;        /* unknown: the reason; else NULL */
};

struct burl_regress_selection {
    const struct burl_regress_version *base;
    BURL_VEC(struct burl_regress_subject) subjects;
    BURL_VEC(struct burl_regress_pair) pairs; /* I */
    uint64_t n_pairs;                         /* that they stand for */
    BURL_VEC(struct burl_regress_chosen) chosen; /* in order: selected, unknown, then the tail */
    size_t n_selected; /* the first of chosen; the rest is the tail */
    BURL_VEC(uint32_t) uninstrumented; /* tests that run no instrumented program */
    struct burl_regress_work *work;    /* of select.c, for explaining */
};

/* Fills pairs, chosen and uninstrumented; base and subjects are given. */
void burl_regress_select(struct burl_regress_selection *s, const struct burl_regress_rules *rules);
void burl_regress_selection_deinit(struct burl_regress_selection *s);

/* The history of a test in a subject; NULL: it did not run this program. */
const struct burl_history *burl_regress_history_of(const struct burl_regress_selection *s,
                                                   uint32_t test, uint32_t subject);

/* Tests that cover the pair. */
size_t burl_regress_n_tests_of(const struct burl_regress_selection *s, uint32_t pair);

/* "put.c:41 writes q->head (changed: lock removed) in worker; take.c:20 reads it in main". */
void burl_regress_explain(const struct burl_regress_selection *s,
                          const struct burl_regress_chosen *c, struct burl_buf *out);
/* Why a test was not selected. */
void burl_regress_explain_not(const struct burl_regress_selection *s, uint32_t test,
                              struct burl_buf *out);

#endif
