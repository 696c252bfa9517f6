/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/goal/goal.h - what directed executions try to reach, and what came of it.
 *
 *   goal.c      one record per goal: state, attempts, hits, first seed; the most promising goals
 *   suspects.c  what observers saw or predicted, from the first occurrence to its end
 *   hunt.c      location pairs that the user gave
 *   firsts.c    executions that were the first to show a reads-from edge
 *
 * Each kind of goal has a file with its rules (struct burl_goal_rules): race.c, triple.c, cycle.c,
 * wakeup.c (suspects), pair.c and reads_from.c (what the profile says was not seen yet).
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
    BURL_VEC(struct burl_goal_pair_record) all; /* in the order of their arrival */
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

#define BURL_PROMISE_KEYS 4

/* How promising an attempt at a goal is: the least keys first. */
struct burl_promise {
    uint64_t keys[BURL_PROMISE_KEYS];
    size_t at; /* the goal: place in the list of its kind */
};

struct burl_promises {
    BURL_VEC_OF(struct burl_promise);
};

/* The classes of suspects, least first: what is likely to fail. The last one: what was reached
 * without harm. */
#define BURL_GOAL_CLASS_LAST 3u

/* The rules of one kind. `at` is a place in stats.suspects, goals.pairs or the edges of the profile
 * in force. */
struct burl_goal_rules {
    uint32_t class;       /* suspects: 0 .. BURL_GOAL_CLASS_LAST */
    bool may_be_harmless; /* suspects: reaching it is no failure by itself */
    /* The number of goals. NULL: suspects. */
    size_t (*count)(const struct burl_campaign *c);
    /* Is an attempt worth it now? *p says how promising it is; of suspects that is common. NULL:
     * always. */
    bool (*propose)(struct burl_campaign *c, size_t at, struct burl_promise *p);
    /* Fills what is of this kind in the work of an attempt of w->n executions. NULL: nothing. */
    void (*order)(struct burl_campaign *c, size_t at, struct burl_work *w);
    /* *shown: the failure of the work is what was predicted. NULL: the profile says. */
    enum burl_status (*judge)(struct burl_campaign *c, const struct burl_work *w,
                              const struct burl_wire_failure *f, bool *shown, struct burl_err *err);
    /* Should an attempt come before everything else? NULL: no. */
    bool (*is_urgent)(const struct burl_campaign *c, const struct burl_campaign_suspect *e);
};

/* NULL: no directed executions aim at it. */
extern const struct burl_goal_rules *const burl__goal_rules[BURL_GOAL_KIND__N];
extern const struct burl_goal_rules burl__race_rules;
extern const struct burl_goal_rules burl__triple_rules;
extern const struct burl_goal_rules burl__cycle_rules;
extern const struct burl_goal_rules burl__wakeup_rules;
extern const struct burl_goal_rules burl__pair_rules;
extern const struct burl_goal_rules burl__reads_from_rules;

/* Zero is empty. The records of suspects are in stats.suspects, those of hunted pairs in
 * cfg.hunt: their readers are outside. */
struct burl_goals {
    struct burl_map suspect_at; /* from keys to indices of stats.suspects, */
    size_t n_indexed;              /* of so many */
    struct burl_goal_pairs edges;  /* reads-from edges that were aimed at */
    uint64_t n_proposals;          /* works made for them: seeds are derived from it */
    struct burl_goal_pairs pairs;  /* location pairs and lock orders */
    BURL_VEC(struct burl_first) firsts;               /* of the running list */
    uint32_t n_firsts_kept;        /* schedules made of them */
    struct burl_promises promises; /* of the kind that was proposed last, best first */
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
/* Makes up to `max` works towards the most promising goals of the kind (PAIR, READS_FROM), of n
 * executions in all if the kind does not say otherwise; returns their number. The same for the same
 * profile and history. */
size_t burl__goal_propose(struct burl_campaign *c, enum burl_goal_kind kind, size_t max, uint64_t n,
                          struct burl_work *works);
/* For qsort(): struct burl_promise. */
int burl__goal_by_promise(const void *a, const void *b);
/* ALL_POINTS when a site of the goal is no scheduling point yet. */
uint32_t burl__goal_points_flag(const struct burl_campaign *c, const struct burl_wire_goal *g);
/* Adds a goal to what the next campaign gets. */
struct burl_goal_memory *burl__goal_remember(struct burl_campaign_memory *m,
                                             const struct burl_goal *g, const uint32_t *sites,
                                             uint32_t n_sites);
/* All goals for the next campaign, and the other way round. */
void burl__goals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__goals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);
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
void burl__suspects_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__suspects_recall(struct burl_campaign *c, const struct burl_goal_memory *x);
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
 * these kinds, as bits, that were hardly tried yet; 0 all). False: there is none. */
bool burl__suspects_next(struct burl_campaign *c, uint32_t urgent, struct burl_work *w);
/* The place of the suspect with this key; false: there is none. */
bool burl__suspects_find(struct burl_campaign *c, uint64_t key, uint64_t *at);
/* Is there a finding with this fingerprint? */
bool burl__suspects_has_finding(const struct burl_campaign *c, uint64_t fingerprint);
/* Ends the executions of the work where the suspect happens. */
void burl__suspects_stop_at(struct burl_work *w, const struct burl_wire_suspect *s);
/* A rule to judge: was the goal reached in the execution that failed? */
BURL_MUST_CHECK enum burl_status burl__suspects_judge_by_hit(struct burl_campaign *c,
                                                             const struct burl_work *w,
                                                             const struct burl_wire_failure *f,
                                                             bool *shown, struct burl_err *err);

/* race.c */
/* The fingerprint of a race on the memory of the suspect, 0 not known. */
uint64_t burl__race_of(const struct burl_campaign *c, const struct burl_wire_suspect *s);
/* Is it on memory whose race is known? Then its fingerprint is set without a rerun. */
bool burl__race_is_known(const struct burl_campaign *c, struct burl_campaign_suspect *e);
/* The next single execution of an opening that takes a race which was seen in the other order.
 * False: there is none. */
bool burl__race_flip(struct burl_campaign *c, struct burl_work *w);

/* triple.c */
/* Is it a region that is known to be broken between the same accesses, by another place? Then its
 * fingerprint is set. */
bool burl__region_is_known(const struct burl_campaign *c, struct burl_campaign_suspect *e);
/* Confirms the triple that a broken region was predicted as. */
void burl__region_settle_triple(struct burl_campaign *c, const struct burl_wire_suspect *region,
                                uint64_t fingerprint);

/* pair.c */
/* Merges what a process lists; it comes into force between rounds. */
void burl__pair_take(struct burl_campaign *c, const struct burl_wire_profile *from);
void burl__pair_adopt(struct burl_campaign *c);
/* Pairs seen for the first time since then, in no order: owned by the caller. The number. */
size_t burl__pair_new(const struct burl_campaign *c, struct burl_profile_pair **pairs);
void burl__pair_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__pair_recall(struct burl_campaign *c, const struct burl_goal_memory *from);

/* reads_from.c */
void burl__reads_from_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__reads_from_recall(struct burl_campaign *c, const struct burl_goal_memory *x);

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
