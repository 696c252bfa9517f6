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

/* A program of the new build that has a base version. */
struct burl_regress_subject {
    const char *key;            /* in the suite */
    char *path;                 /* of the new build */
    struct burl_sp target;
    struct burl_changes changes;
};

/* A pair of I: an impacted access and one that may touch the same memory, or two acquisitions. */
struct burl_regress_pair {
    uint32_t subject;
    uint32_t a, b;  /* into changes.sites; a is impacted; a == b: two threads at one access */
    uint32_t class; /* of the target; a cycle: into changes.cycles */
    uint32_t kinds; /* BURL_REGRESS_* bits that it can show */
};

/* A test that can execute a pair in two threads. */
struct burl_regress_chosen {
    uint32_t test;    /* into version.tests */
    uint32_t n_pairs; /* of I that it covers */
    uint32_t n_new;   /* of these, covered by no test before it since the last reset */
    uint32_t pair;    /* the pair to tell about: the first new one; UINT32_MAX in the tail */
    uint32_t role_a, role_b; /* in which it was executed, into the roles of the history */
    bool unknown;     /* not judged, so selected: it was not recorded, or is new in the suite */
};

struct burl_regress_selection {
    const struct burl_regress_version *base;
    BURL_VEC(struct burl_regress_subject) subjects;
    BURL_VEC(struct burl_regress_pair) pairs; /* I */
    BURL_VEC(struct burl_regress_chosen) chosen; /* in order */
    size_t n_selected; /* the first of chosen; the rest is the tail */
};

/* Fills pairs and chosen; base and subjects are given. */
void burl_regress_select(struct burl_regress_selection *s, const struct burl_regress_rules *rules);
void burl_regress_selection_deinit(struct burl_regress_selection *s);

/* "put.c:41 writes q->head (changed: lock removed) in worker; take.c:20 reads it in main". */
void burl_regress_explain(const struct burl_regress_selection *s,
                          const struct burl_regress_chosen *c, struct burl_buf *out);
/* Why a test was not selected. */
void burl_regress_explain_not(const struct burl_regress_selection *s, uint32_t test,
                              struct burl_buf *out);

#endif
