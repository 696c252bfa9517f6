/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/findings.h - failures of a campaign, from the first occurrence to the finding.
 *
 *   findings.c  which failures are one bug, and what is known of each
 *   confirm.c   from a failure to a finding: rerun, replay, minimize, replay
 *   outcome.c   how a race ends in either order
 *   plain.c     the same failure without spurious wakeups and faults
 *   misuse.c    executions that end at a misuse
 *   pace.c      how much care each finding gets within the time of the command
 *
 * Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_FINDINGS_H
#define BURL_ENGINE_FINDINGS_H

#include "base/sites.h"
#include "engine/confirm/minimize.h"
#include "engine/plan/plan.h"

/* A bug that was met. */
struct burl_known {
    struct burl_finding_facts facts; /* fingerprint, count, first occurrence; the rest comes with
                                        the report */
    uint64_t before_search;          /* count when the last search of all interleavings began */
    size_t unstable;                 /* index into stats.unstable + 1; 0: not unstable */
    uint32_t tries;                  /* attempts to confirm it */
    uint64_t pair;                   /* races: key of the pair of sites that is counted, 0 none */
    bool reported;                   /* given to `finding` */
};

/*
 * Failures with one key of the runtime are one bug, even if their fingerprints differ. A batch
 * shows only the first failure of each key, so which fingerprints are seen under a key would
 * otherwise depend on how the work was cut (INV-E2).
 */
struct burl_known_key {
    uint64_t key;
    size_t known; /* index into known */
};

/* Whether failures with this key are suppressed; `hidden` is called once per key. */
struct burl_hidden_key {
    uint64_t key;
    bool hidden;
};

/* A failure that was reproduced and recorded in a fresh process, and waits for the rest. */
struct burl_waiting_failure {
    struct burl_work work;
    struct burl_wire_failure failure;
    struct burl_run run; /* owned */
    size_t known;        /* index into known */
    bool goal_hit;
};

/* A race or broken region that was seen in an execution and is not confirmed yet. */
struct burl_pending_finding {
    size_t suspect; /* index into stats.suspects */
    struct burl_work work;
    uint64_t seed;
    struct burl_found found;
};

/* Zero is empty. */
struct burl_findings {
    struct burl_sites *sites; /* names that fingerprints are made of; owned */
    BURL_VEC(struct burl_known) known;
    BURL_VEC(struct burl_known_key) keys;
    BURL_VEC(struct burl_hidden_key) hidden;
    BURL_VEC(struct burl_pending_finding) pending;
    size_t n_unidentified; /* variables, as far as can be told, that those yet to identify are on */
    BURL_VEC(struct burl_waiting_failure) waiting; /* in the order in which they were found; */
    size_t n_concluded; /* the first of these wait no more */
    bool clean_done; /* the nonpreemptive run was made, */
    BURL_VEC(uint64_t) clean_failures; /* and failed with these fingerprints */
};

/* findings.c */
/* Same bug, same number; needs `sites`. */
uint64_t burl__findings_fingerprint(const struct burl_findings *f,
                                    const struct burl_wire_verdict *v);
/* The bug with this fingerprint, NULL none. */
struct burl_known *burl__findings_find(const struct burl_findings *f, uint64_t fingerprint);
/* The bug of a failure with this key, SIZE_MAX none yet. */
size_t burl__findings_of_key(const struct burl_findings *f, uint64_t key);
/* Adds a key to the bug with this fingerprint, which is made when there is none; its index. */
size_t burl__findings_add_key(struct burl_findings *f, uint64_t key, uint64_t fingerprint);
/* Adds `count` occurrences of a bug, the first of them at `found`. */
void burl__findings_count(struct burl_known *k, uint64_t count, const struct burl_found *found);
/* Is it confirmed, or being confirmed: neither untried nor unstable? NULL: no. */
bool burl__findings_is_finding(const struct burl_known *k);
/* The same for the bug of this key; *fingerprint is set when there is one. */
bool burl__findings_has_key(const struct burl_findings *f, uint64_t key, uint64_t *fingerprint);
/* Adds `count` occurrences of the counted pair of a race. */
void burl__findings_count_pair(struct burl_findings *f, uint64_t pair, uint64_t count);
/* Did the nonpreemptive run fail in this way too? */
bool burl__findings_fails_clean(const struct burl_findings *f, uint64_t fingerprint);
/* Is this suspect pending? */
bool burl__findings_is_pending(const struct burl_findings *f, size_t suspect);
void burl__findings_deinit(struct burl_findings *f);

/* confirm.c */
/* When the execution with this seed of a batch that was added to the totals was tried; `first`:
 * schedules before the batch. */
struct burl_found burl__campaign_found(const struct burl_campaign *c, const struct burl_work *w,
                                       const struct burl_batch *b, uint64_t first, uint64_t seed);
BURL_MUST_CHECK enum burl_status burl__confirm(struct burl_campaign *c, const struct burl_work *w,
                                               const struct burl_wire_failure *f,
                                               const struct burl_found *when, struct burl_err *err);
/* Continues with the waiting failures: while confirming has its share of the budget, or all. */
BURL_MUST_CHECK enum burl_status burl__confirm_waiting(struct burl_campaign *c, bool all,
                                                       struct burl_err *err);

/* pace.c */
/* A fresh process and one execution in it took so long. */
void burl__pace_note(struct burl_campaign *c, int64_t ms);
/* How long before the deadline exploring should end, for the failures that wait. */
int64_t burl__pace_reserve_ms(const struct burl_campaign *c);
/* Is there no time for more than one replay of the next finding? */
bool burl__pace_is_hasty(const struct burl_campaign *c);
/* Is there no time for any? */
bool burl__pace_is_over(const struct burl_campaign *c);
/* What minimizing the next finding may take, at most `most`. */
struct burl_minimize_budget burl__pace_minimize(const struct burl_campaign *c,
                                                const struct burl_minimize_budget *most);

/* plain.c */
/* Was nothing injected? */
bool burl__plain_is(const struct burl_run *run);
/* Looks for the failure of `run` (work w, seed) in executions that inject nothing. True: *plain is
 * a work of one execution that shows it. */
bool burl__plain_find(struct burl_campaign *c, const struct burl_work *w, uint64_t seed,
                      uint64_t fingerprint, const struct burl_run *run, struct burl_work *plain);

/* misuse.c */
/* Work w, which showed the misuse v, with its executions ended there. */
struct burl_work burl__stop_at_misuse(const struct burl_work *w, const struct burl_wire_verdict *v);

/* outcome.c */
/* A failure that followed a race when its accesses came in some order. */
struct burl_outcome_failure {
    struct burl_work work;
    struct burl_wire_failure failure;
    struct burl_found found;
    bool any;
};
BURL_MUST_CHECK enum burl_status burl__outcome(struct burl_campaign *c,
                                               const struct burl_wire_verdict *race,
                                               struct burl_campaign_race *out,
                                               struct burl_outcome_failure *failure,
                                               struct burl_err *err);

#endif
