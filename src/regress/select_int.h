/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/select_int.h - what the files of matching, selection and ordering share.
 *
 *   tracks.c    which threads of which test executed an access, by the history
 *   pairs.c     I: pairs of accesses with an impacted one, and their cells
 *   select.c    which tests cover which cells, which are unknown; the order
 *   order.c     additional greedy with reset
 *   explain.c   reasons in words
 *   baselines.c techniques to compare with
 */
#ifndef BURL_REGRESS_SELECT_INT_H
#define BURL_REGRESS_SELECT_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "regress/select.h"

/* ---- tracks.c ---------------------------------------------------------------------------- */

/* A set of a history, found by its module. */
struct burl__set_ref {
    uint32_t role;
    bool alone;
    uint32_t n_sites;
    const uint8_t *bits;
};

/* One test's history of a subject. Roles are bits of masks of `words` words. */
struct burl__run {
    uint32_t test;
    const struct burl_history *history;
    uint32_t words;
    size_t at; /* of its part in a track: roles while others existed, all roles, the first without
                * looseness, new threads */
    uint64_t *overlapping; /* per role: roles with which it was alive at the same time */
    uint64_t *others;      /* per role: roles that are other threads, at whatever time */
    uint64_t *alike;       /* per role: itself, and roles of the same routine and creation site */
    size_t *first;         /* per module of the subject, and its end: into sets */
    BURL_VEC(struct burl__set_ref) sets;
};

/* A track says which threads of which tests executed any of some blocks. Accesses with equal tracks
 * cannot be told apart by the history: they share one number. Number 0: no test executed it. */
struct burl__tracks {
    BURL_VEC(struct burl__run) runs; /* ascending by test */
    struct burl_map modules;         /* hash to index */
    BURL_VEC(uint64_t) hashes;
    BURL_VEC(uint8_t *) seen; /* per module: union of all tests */
    BURL_VEC(uint32_t) n_sites;
    size_t words; /* of a track */
    BURL_VEC(uint64_t) bits;
    struct burl_map by_content;
    struct burl_map by_block;
    uint32_t n;
    uint64_t *scratch;
};

/* Did any thread of the history execute one of the blocks? */
bool burl__history_executes(const struct burl_history *h, const struct burl_changes_block *blocks,
                            size_t n);

void burl__tracks_open(struct burl__tracks *t, const struct burl_regress_version *base,
                       const char *key);
void burl__tracks_close(struct burl__tracks *t);
/* The track of an access: of any of its blocks. */
uint32_t burl__tracks_add(struct burl__tracks *t, const struct burl_changes_site *site);
/* Is the start routine of every recorded thread one of these? */
bool burl__tracks_know_threads(const struct burl__tracks *t, const struct burl_sp *target);
/* Did any thread of the test execute it? */
bool burl__tracks_executed(const struct burl__tracks *t, const struct burl__run *r, uint32_t track);

enum burl__meeting {
    BURL__MEET_APART,    /* different threads that were alive at the same time */
    BURL__MEET_ANY_TIME, /* different threads */
    BURL__MEET_SAME      /* any threads */
};
/* Did different threads of the test execute a and b, and which (may be NULL)? */
bool burl__tracks_meet(const struct burl__tracks *t, const struct burl__run *r, uint32_t a,
                       uint32_t b, enum burl__meeting how, uint32_t *role_a, uint32_t *role_b);

struct burl__cell;
/* Sets bit i of `row` for each of these cells that the test covers: burl__tracks_meet() for all of
 * them at once. Of `strict`: if the two threads of the recording executed both accesses while they
 * were alive at the same time, and no assumption about the new version is needed. */
void burl__tracks_cover(const struct burl__tracks *t, const struct burl__run *r,
                        const struct burl__cell *cells, size_t first, size_t end,
                        const struct burl_regress_rules *rules, uint64_t *row, uint64_t *strict);

/* ---- pairs.c ----------------------------------------------------------------------------- */

/* Pairs that the same tests cover: equal tracks. What is counted when tests are ordered. */
struct burl__cell {
    uint32_t subject;
    uint32_t a, b;    /* tracks */
    bool any_time;    /* the change moves lifetimes: those of the base version do not count */
    uint32_t pair;    /* the one to tell about */
    uint64_t n_pairs;
};

/* Shared accesses with one track, for the tail. */
struct burl__shared {
    uint32_t subject;
    uint32_t track;
    bool impacted;
    uint64_t n;
};

struct burl_regress_work {
    struct burl_regress_rules rules;
    BURL_VEC(struct burl__tracks) tracks; /* per subject */
    BURL_VEC(uint32_t) cell_of;           /* per pair; UINT32_MAX: no test executes both */
    BURL_VEC(struct burl__cell) cells;    /* ascending by subject */
    BURL_VEC(struct burl__shared) shared; /* ascending by subject */
    BURL_VEC(bool) overflow; /* per subject: not all cells are there; whatever executes an impacted
                              * access is selected */
    size_t words;     /* of a row of covers */
    uint64_t *covers; /* tests by cells: bit i of row t */
    uint64_t *strict; /* the same, of those that the recording shows: what the order goes by */
};

/* Adds the pairs, cells and shared accesses of a subject. */
void burl__pairs_match(struct burl_regress_selection *s, struct burl_regress_work *w,
                       uint32_t subject);
/* How good a pair is to tell about: a race, of a class that has a type, by a change of the access
 * or its lock, of two different places. */
int burl__pairs_telling(const struct burl_regress_selection *s, const struct burl_regress_pair *p);

/* ---- order.c ----------------------------------------------------------------------------- */

/* Elements that tests cover: bit e of row t, t * words words from rows. */
struct burl__table {
    size_t n_tests;
    size_t n_elements;
    size_t words;
    const uint64_t *rows;
    const uint64_t *weights; /* per element, best sorted; NULL: 1 */
};

/* Shuffles by seed. */
void burl__shuffle(uint32_t *v, size_t n, uint64_t seed);

/* A test of the order. `covered`: what the tests before it since the last reset covered. */
typedef void burl__order_each(void *arg, uint32_t test, uint64_t n_all, uint64_t n_new,
                              const uint64_t *covered);

/* Additional greedy with reset over the candidates, of which those that cover nothing are left out;
 * returns how many were ordered. Ties are broken by `seed`. */
size_t burl__order(const struct burl__table *t, const uint32_t *candidates, size_t n,
                   uint64_t seed, burl__order_each *each, void *arg);

/* ---- select.c ---------------------------------------------------------------------------- */

/* Does the test run no instrumented program? */
bool burl__select_is_plain(const struct burl_regress_test *t);
/* Why a test cannot be judged by its history; NULL: it can. The caller frees. */
char *burl__select_unknown(const struct burl_regress_selection *s, uint32_t test);
/* A test that executes nothing that differs behaves as in the base version: what it shows is not
 * new, even if it executes impacted accesses. */
bool burl__select_executes_change(const struct burl_regress_selection *s, uint32_t subject,
                                  const struct burl_history *h);
/* What two accesses have to be executed by. */
enum burl__meeting burl__select_meeting(const struct burl_regress_work *w, bool any_time);

#endif
