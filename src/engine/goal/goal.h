/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/goal.h - what directed executions try to bring about, and what came of it.
 *
 *   goal.c       one record per goal: state, attempts, hits, first seed
 *   suspects.c   what observers saw or predicted: races, triples, lock cycles, wakeups
 *   proposals.c  which read should see which write next
 *   pairs.c      location pairs and lock orders that were seen, and which to aim at next
 *   hunt.c       location pairs that the user gave
 *   firsts.c     executions that were the first to show a reads-from edge
 *
 * Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_GOAL_H
#define BURL_ENGINE_GOAL_H

#include "base/map.h"
#include "engine/goal/hunt.h"
#include "engine/plan/plan.h"

/* A goal with two sites: a location pair, a lock order, or a reads-from edge. */
struct burl_goal_pair_record {
    struct burl_goal goal;
    uint32_t first; /* 0: the initial value of an edge */
    uint32_t second;
    uint32_t flags; /* PAIR, LOCK_ORDER: enum burl_profile_pair_flag */
    bool in_force;  /* known since before the running round, */
    bool known;     /* and seen */
};

/* Zero is empty and unlimited. */
struct burl_goal_pairs {
    struct {
        BURL_VEC_OF(struct burl_goal_pair_record);
    } all;                    /* in the order of their arrival */
    struct burl_map index; /* from sites to places in `all` */
    size_t max;               /* 0: no limit */
    bool full;
};

/* The first execution of a work list that showed an edge. */
struct burl_first {
    uint32_t write;
    uint32_t read;
    size_t work; /* in the list */
    uint64_t seed;
};

/* Zero is empty. The records of suspects are in stats.suspects, those of hunted pairs in
 * cfg.hunt: their readers are outside. */
struct burl_goals {
    struct burl_map suspect_at; /* from keys to indices of stats.suspects, */
    size_t n_indexed;              /* of so many */
    struct burl_goal_pairs edges;  /* reads-from edges that were aimed at */
    uint64_t n_proposals;          /* works made for them: seeds are derived from it */
    struct burl_goal_pairs pairs;  /* location pairs and lock orders */
    struct {
        BURL_VEC_OF(struct burl_first);
    } firsts;               /* of the running list */
    uint32_t n_firsts_kept; /* schedules made of them */
};

/* goal.c */
/* Adds executions that aimed at a goal; first_seed: of the first that reached it. */
void burl__goal_count(struct burl_goal *g, uint64_t attempts, uint64_t hits, uint64_t first_seed);
/* Is it worth an attempt: neither confirmed, covered, hidden nor impossible, and below the limit?
 * A goal that was reached without harm is: other executions through it may fail. */
bool burl__goal_is_open(const struct burl_goal *g, uint64_t max_attempts);
/* The n-th seed of a stream. */
uint64_t burl__goal_seed(uint64_t stream, uint64_t n);
/* NULL: there is none. Valid until the next burl__goal_pairs_at(). */
struct burl_goal_pair_record *burl__goal_pairs_find(const struct burl_goal_pairs *p, uint32_t first,
                                                    uint32_t second);
/* The same, made when there is none; NULL: there is no room. */
struct burl_goal_pair_record *burl__goal_pairs_at(struct burl_goal_pairs *p,
                                                  enum burl_goal_kind kind, uint32_t first,
                                                  uint32_t second);
void burl__goal_pairs_deinit(struct burl_goal_pairs *p);
/* Adds a goal to what the next campaign gets. */
struct burl_goal_memory *burl__goal_remember(struct burl_campaign_memory *m,
                                             const struct burl_goal *g, const uint32_t *sites,
                                             uint32_t n_sites);
void burl__goals_deinit(struct burl_goals *g);

/* suspects.c */
/* Sets the state of all suspects that led to the failure with this fingerprint. */
void burl__suspects_settle(struct burl_campaign *c, uint64_t fingerprint,
                           enum burl_goal_state state);
/* Is the time over that may be spent on races once exploring has ended? */
bool burl__suspects_out_of_time(const struct burl_campaign *c);
/* The next seed for a directed work: a stream of its own, so that goals do not change what is
 * explored. */
uint64_t burl__suspects_seed(struct burl_campaign *c);
/* For the next campaign, and the other way round. */
void burl__suspects_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__suspects_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);
/* Takes over what a batch saw; what has happened already (RACE, REGION) becomes a pending finding.
 * `first`: schedules of the campaign before the batch. */
BURL_MUST_CHECK enum burl_status burl__suspects_commit(struct burl_campaign *c,
                                                       const struct burl_work *w,
                                                       const struct burl_batch *b, uint64_t first,
                                                       struct burl_err *err);
/* Confirms the pending findings. The points must be those of the executions that showed them. */
BURL_MUST_CHECK enum burl_status burl__suspects_confirm(struct burl_campaign *c,
                                                        struct burl_err *err);
/* Directed executions for what is only predicted, within their share of the budget. */
BURL_MUST_CHECK enum burl_status burl__suspects_drive(struct burl_campaign *c,
                                                      struct burl_err *err);
/* The next single directed execution of an opening: the most promising prediction (urgent: only of
 * these kinds, as bits, that were hardly tried yet; 0 all); and a race that was seen, in the other
 * order. False: there is none. */
bool burl__suspects_next(struct burl_campaign *c, uint32_t urgent, struct burl_work *w);
bool burl__suspects_flip(struct burl_campaign *c, struct burl_work *w);
/* The sites of a suspect, to stop at. */
struct burl_wire_watch burl__suspects_watch(const struct burl_wire_suspect *s);

/* proposals.c */
/* Up to `max` works (each of a few executions) that aim at edges not seen yet, most promising
 * first; the number made. The same for the same profile and history. */
size_t burl__proposals_next(struct burl_campaign *c, struct burl_work *works, size_t max);
/* For the next campaign: what was tried; and the other way round. */
void burl__proposals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__proposals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);

/* pairs.c */
/* Merges what a process lists; it comes into force between rounds. */
void burl__pairs_take(struct burl_campaign *c, const struct burl_wire_profile *from);
void burl__pairs_adopt(struct burl_campaign *c);
/* Pairs seen for the first time since then, in no order: owned by the caller. The number. */
size_t burl__pairs_new(const struct burl_campaign *c, struct burl_profile_pair **pairs);
/* Pairs that were not seen and are worth aiming at. */
size_t burl__pairs_open(const struct burl_campaign *c);
/* Up to `max` of them to aim at, to be tried `each` times; the number. */
size_t burl__pairs_next(struct burl_campaign *c, struct burl_wire_goal *goals, size_t max,
                        uint64_t each);
/* For the next campaign, and the other way round. */
void burl__pairs_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__pairs_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);

/* hunt.c */
/* The rounds of a campaign with cfg.hunt. */
BURL_MUST_CHECK enum burl_status burl__hunt(struct burl_campaign *c, struct burl_err *err);
/* Is it one of the pairs that are hunted? */
bool burl__hunt_has(struct burl_campaign_hunt *h, const struct burl_wire_cover_item *x);
/* Frees the engine's own members; NULL is fine. */
void burl__hunt_deinit(struct burl_campaign_hunt *h);
/* Takes over the result of a batch; `first`: executions of the campaign before it. */
BURL_MUST_CHECK enum burl_status burl__hunt_commit(struct burl_campaign *c,
                                                   const struct burl_work *w,
                                                   const struct burl_batch *b, uint64_t first,
                                                   struct burl_err *err);

/* firsts.c */
/* Takes over which executions showed which edges; `work`: the order's, in the running list. */
void burl__firsts_take(struct burl_campaign *c, struct burl_target *t, size_t work);
/* At the end of a list, before what was learned comes into force: records a few schedules. */
BURL_MUST_CHECK enum burl_status burl__firsts_record(struct burl_campaign *c,
                                                     const struct burl_work *works,
                                                     struct burl_err *err);

#endif
