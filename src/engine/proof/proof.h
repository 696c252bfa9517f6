/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/proof/proof.h - searches that can claim to have tried everything.
 *
 *   search.c       all schedules of a small test
 *   frontier.c     position of such a search, for another process or campaign
 *   prove_small.c  the search as part of the default mix
 *   enumerate.c    all schedules with few delays or preemptions
 */
#ifndef BURL_ENGINE_PROOF_H
#define BURL_ENGINE_PROOF_H

#include "engine/plan/learned.h"
#include "engine/plan/plan.h"

/* A position in a search of all schedules: a struct burl_search_stack. */
struct burl_frontier {
    uint64_t *words; /* owned; NULL: the start */
    uint64_t n;
};

/* Position of a bounded enumeration. */
struct burl_enumeration {
    struct burl_campaign_memory_enum at; /* at.next: all before this one were tried */
    uint64_t next;                       /* number of the next schedule */
    uint64_t total;                      /* of this bound and span */
    uint64_t n_given;                    /* schedules handed out, and of these done */
    uint64_t n_tried;
    uint32_t round; /* when the last were handed out */
    uint32_t points_version;
    bool begun;
};

/* What the numbers of an enumeration depend on. */
struct burl_enumeration_facts {
    const struct burl_learned *learned;
    uint64_t seed;
    uint64_t max_steps;
    uint32_t max_threads;
    uint32_t round; /* so many came before */
};

struct burl_proof {
    struct burl_enumeration delays;
    struct burl_enumeration preemptions;
    struct burl_campaign_memory_search searched; /* by the search so far, here and before */
    bool joined;                                 /* this campaign has a part in it */
    bool hopeless;                               /* it can prove nothing, whatever the bound */
    uint64_t executions;                         /* that this campaign spent on searches */
    uint64_t next_bound;   /* executions of the next search for a proof; 0 none yet */
    struct burl_search_identity own; /* program and surroundings: burl__frontier_identify() */
};

/* prove_small.c */
/* Searches a test that looks small for a while, perhaps to the end. */
BURL_MUST_CHECK enum burl_status burl__prove_small(struct burl_campaign *c, struct burl_err *err);
/* Executions of the campaign after which a search with the bound `most` is worth its cost, when all
 * schedules are about `expected`, 0 not known; and the bound after that one. */
uint64_t burl__prove_after(uint64_t most, double expected);
uint64_t burl__prove_next(uint64_t most);

/* frontier.c */
/* Copies the position of a process between two orders; empty when it has none. */
void burl__frontier_take(struct burl_frontier *f, struct burl_target *t);
/* Sets a process to one that is not empty; its next order has the parameter 0. */
void burl__frontier_put(const struct burl_frontier *f, struct burl_target *t);
void burl__frontier_deinit(struct burl_frontier *f);
/* Hashes the program and its surroundings, once per campaign. */
void burl__frontier_identify(struct burl_proof *p, const struct burl_wire_ctl *ctl);
/* What a search of this campaign is about, with the points in force. It must be identified. */
struct burl_search_identity burl__frontier_identity(const struct burl_campaign *c);
/* Why a kept search does not apply, NULL: it does. */
const char *burl__frontier_differs(const struct burl_search_identity *now,
                                   const struct burl_search_identity *kept);
void burl__frontier_forget(struct burl_campaign_memory_search *k);
/* How many executions the whole search has, judging by the position it was left at; 0: unknown. */
double burl__frontier_expected(const struct burl_campaign_memory_search *k);
/* For the next campaign, and the other way round; `anew` (80 bytes) says why a search that is there
 * is of no use. */
void burl__frontier_keep(const struct burl_proof *p, const struct burl_learned *l,
                         struct burl_campaign_memory_search *out);
void burl__frontier_recall(struct burl_proof *p, struct burl_learned *l,
                           const struct burl_campaign_memory *m, char anew[80]);

/* search.c */
/* Goes through all schedules, or through those that are left, within `max` executions of this
 * campaign; failures are committed as from any batch, stats.search has the result. A further call
 * with a larger bound continues. max_steps: of one execution, 0 as the campaign says; one that is
 * cut there ends the search for good. */
BURL_MUST_CHECK enum burl_status burl__search_whole(struct burl_campaign *c, uint64_t max,
                                                    uint64_t max_steps, struct burl_err *err);
/* Has an earlier campaign proven it, and does nothing in this one contradict that? stats.search
 * then says so. */
bool burl__search_proven(struct burl_campaign *c);
/* All schedules; the result is in cfg.hunt. */
BURL_MUST_CHECK enum burl_status burl__search(struct burl_campaign *c, struct burl_err *err);
/* Repeats execution `ordinal` of the search w, recorded. */
BURL_MUST_CHECK enum burl_status burl__search_record(struct burl_campaign *c,
                                                     const struct burl_work *w, uint64_t ordinal,
                                                     struct burl_run *run, struct burl_err *err);

/* enumerate.c */
/* Is it a strategy that goes through numbered schedules? */
bool burl__enumerate_is(uint32_t strategy);
struct burl_enumeration_facts burl__enumerate_facts(const struct burl_campaign *c);
/* Makes w (its strategy is one of these) the next schedules of the enumeration, `n` at most: fills
 * param, places and index. Returns how many: fewer at the end of a bound; none when the next bound
 * has to wait for those handed out in this round. Seeds, flags and w->n are the caller's. Of a work
 * that is cut into several, each needs its own index. */
uint64_t burl__enumerate_next(struct burl_proof *p, const struct burl_enumeration_facts *f,
                              struct burl_work *w, uint64_t n);
/* Takes over the result of a batch of any work. */
void burl__enumerate_commit(struct burl_proof *p, const struct burl_work *w,
                            const struct burl_batch *b);
/* For the next campaign; and the other way round, when what was learned before is in force. */
void burl__enumerate_keep(const struct burl_proof *p, const struct burl_enumeration_facts *f,
                          struct burl_campaign_memory *m);
void burl__enumerate_recall(struct burl_proof *p, const struct burl_enumeration_facts *f,
                            const struct burl_campaign_memory *m);

#endif
