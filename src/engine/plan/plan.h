/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/plan.h - what a campaign does next, and within which budget.
 *
 *   campaign.c   the phases: kept schedules, opening, rounds, the end
 *   opening.c    the first schedules, one at a time
 *   choose.c     engine and reset, and the self-check behind the choice
 *   rounds.c     works of a round: observers, and rounds of one strategy or a fixed mix
 *   portfolio.c  which strategy gets how much of the next round
 *   regress.c    schedules of earlier campaigns, run first
 *   nominal.c    budgets in counted cost, never in measured time
 *   speed.c      the faster of the two resets, measured
 *
 * Nothing outside src/engine includes it.
 */
#ifndef BURL_ENGINE_PLAN_H
#define BURL_ENGINE_PLAN_H

#include "base/vec.h"
#include "engine/plan/campaign.h"
#include "engine/target/batch.h"

struct burl_campaign;
struct burl_frontier;
struct burl_portfolio;

/* One entry of the work list: consecutive seeds under one strategy. */
struct burl_work {
    uint32_t strategy;
    uint32_t flags; /* BURL_ORDER_F_* */
    union burl_wire_args args;
    uint64_t first_seed;
    uint64_t n;
    uint32_t observers; /* BURL_OB() bits */
    uint64_t stop_key;           /* end where this suspect happens; 0: run to the end */
    struct burl_wire_watch stop; /* its sites */
    uint8_t stop_ops[BURL_WIRE_MAX_SITES];
    size_t suspect;                       /* DIRECTED: index into stats.suspects + 1, 0 none */
    size_t pair;                          /* DIRECTED: index into cfg.hunt->pairs + 1, 0 none */
    size_t arm;                           /* index of the portfolio's arm + 1, 0 none */
    const struct burl_wire_switch *sched; /* REPLAY: to follow, borrowed */
    size_t rerun;                     /* REPLAY: index into cfg.reruns + 1, 0 none */
    const struct burl_frontier *from; /* EXHAUSTIVE: where first_seed's execution begins; borrowed
                                         until the result of the order is committed */
    bool whole; /* one order: where it stops must not depend on how it is cut */
};

/* A process that is kept for many orders. Zero is none. */
struct burl_worker {
    struct burl_target *t;
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    uint32_t version; /* learned.version of its block */
};

/* What n executions took. */
struct burl_speed {
    uint64_t wall_us;
    uint64_t processor_us;
    uint32_t n;
};

struct burl_works {
    BURL_VEC_OF(struct burl_work);
};

struct burl_plan {
    bool fixed_opening;  /* one nonpreemptive run and random ones: coverage campaigns and hunts */
    bool learns_first;   /* a learning batch after the opening */
    bool uses_portfolio; /* rounds by the portfolio; else one strategy or the fixed mix */
    bool searches_all;   /* --strategy=exhaustive: a search of all schedules instead of rounds */
    int64_t started_ms;
    struct burl_deadline deadline;
    uint64_t max_steps; /* of one execution */
    bool has_short; /* an execution was much shorter than the limit on steps */
    int64_t fresh_ms; /* what a fresh process with one execution takes, 0: not known */
    int64_t last_progress_ms;
    bool stop;           /* end the campaign; stats.end says why */
    uint64_t n_works;    /* works made so far; seeds are derived from it */
    uint64_t n_directed; /* directed works; they have a seed stream of their own, so that goals do
                            not change what is explored */
    uint64_t directed_execs;
    uint64_t explored_ns;  /* nominal cost of exploring, */
    uint64_t confirmed_ns; /* and of confirming and minimizing */
    struct burl_portfolio *portfolio;
    struct burl_works opening_works; /* the work list of the opening, */
    struct burl_works round_works;   /* and of the last round */
};

/* Executions of which none completed before a program is said to be too long. */
#define TOO_LONG_AFTER 3u

/* The observers among BURL_OB() bits that measure coverage and do not look for bugs. */
#define BURL_ENGINE_COVER_OBS (~(BURL_OB(LOCPAIRS) - 1u))

/* campaign.c */
/* Arguments of a REPLAY of so many switches. */
union burl_wire_args burl__replay_args(size_t n_switches);
/* The order of one work, or of a part of it. */
struct burl_wire_order burl__campaign_order(const struct burl_campaign *c,
                                            const struct burl_work *w, uint64_t first, uint64_t n);
uint64_t burl__campaign_runs_left(const struct burl_campaign *c);
/* The execution of the work with this seed, and how to make it again. */
struct burl_campaign_covered burl__campaign_where(const struct burl_campaign *c,
                                                  const struct burl_work *w, uint64_t seed,
                                                  uint64_t execution);
/* The flags of BURL_ORDER_F_KEPT that its executions have. */
uint32_t burl__campaign_kept_flags(const struct burl_campaign *c, const struct burl_work *w);
/* The flags of works that explore. */
uint32_t burl__campaign_flags(const struct burl_campaign *c);
/* Flags of the faults that executions of a strategy may inject. */
uint32_t burl__campaign_inject(const struct burl_campaign *c, uint32_t strategy);
/* The first seed of the next work. */
uint64_t burl__campaign_seed(struct burl_campaign *c);
bool burl__campaign_interrupted(const struct burl_campaign *c);
/* Is the time to explore over? */
bool burl__campaign_time_over(const struct burl_campaign *c);
void burl__campaign_end(struct burl_campaign *c, enum burl_campaign_end end);
void burl__campaign_progress(struct burl_campaign *c);
/* Is it a failure that --stop-at-first or --stop-at-failure ends at? */
bool burl__campaign_ends_at(const struct burl_campaign *c, uint8_t verdict);
/* Adds a batch to the totals and turns its failures into findings; what observers saw happen
 * stays pending until burl__suspects_confirm(). */
BURL_MUST_CHECK enum burl_status burl__campaign_commit(struct burl_campaign *c,
                                                       const struct burl_work *w,
                                                       const struct burl_batch *b,
                                                       struct burl_err *err);

/* opening.c: the first schedules, which also choose engine and reset. On return all are committed
 * and what they saw happen is confirmed. */
BURL_MUST_CHECK enum burl_status burl__open(struct burl_campaign *c, struct burl_err *err);

/* choose.c */
/* Why there is no snapshot, when the runtime says no more. */
#define BURL__CHANGED_STATE "an execution changed state that the snapshot cannot restore"
/* The processes of an opening. Zero except for `c` at first. */
struct burl_choice_trial {
    struct burl_campaign *c;
    struct burl_worker worker; /* runs the schedules */
    struct burl_worker twin;   /* forks; its results must be the same */
    uint32_t n_checks;
    uint32_t n_runs;
    uint32_t n_cut;
};
/* Runs the one schedule of a work, changes engine or reset when it must, and commits. */
BURL_MUST_CHECK enum burl_status burl__choose_run(struct burl_choice_trial *tr,
                                                  const struct burl_work *w, struct burl_err *err);
void burl__choose_stop(struct burl_choice_trial *tr);
/* Gives up the snapshot, or fibers, for this reason, where the user left the choice. False: that
 * cannot be. */
bool burl__choose_fork(struct burl_campaign *c, const char *why);
bool burl__choose_threads(struct burl_campaign *c, const char *why);
/* Records how the nonpreemptive run failed. */
void burl__choose_note_clean(struct burl_campaign *c, const struct burl_batch *b);
/* Ends the campaign if at least `least` executions were made and none completed. */
void burl__stop_if_none_completes(struct burl_campaign *c, uint64_t least);

/* speed.c */
/* Now, and what n executions in the process took since then. */
struct burl_speed burl__speed_now(const struct burl_target *t);
struct burl_speed burl__speed_since(const struct burl_speed *before, const struct burl_target *t,
                                    uint32_t n);
/* The same schedule took so long with both resets: chooses the faster one, when that is clear. */
void burl__speed_note(struct burl_campaign *c, const struct burl_speed *snapshot,
                      const struct burl_speed *fork);
/* Between rounds: compares again, now and then, with executions of the round that was done. */
BURL_MUST_CHECK enum burl_status burl__speed_revise(struct burl_campaign *c, struct burl_err *err);
/* The reset that budgets count with: measured times must not change them. */
enum burl_wire_reset burl__speed_nominal(const struct burl_campaign *c);

/* rounds.c */
/* One execution in this many is watched for races. Watching one of a program that does little but
 * synchronize doubles its cost, so this is a quarter more in all; a race that is there shows in a
 * good part of the executions, whatever the order. */
#define BURL__RACE_SHARE 4u
/* Adds a work in up to three parts: n_all executions with all of `observers`, n_races watched for
 * races, and the rest of w.n with the observers of coverage alone. */
void burl__rounds_add(struct burl_works *works, struct burl_work w, uint32_t observers,
                      uint64_t n_all, uint64_t n_races);
/* Adds the works of a round without a portfolio. */
void burl__rounds_make(struct burl_campaign *c, uint32_t scale, struct burl_works *works);

/* portfolio.c */
struct burl_portfolio *burl__portfolio_new(struct burl_campaign *c);
void burl__portfolio_free(struct burl_portfolio *p);
/* Adds the works of the next round, within `left` executions. */
void burl__portfolio_round(struct burl_campaign *c, uint32_t scale, uint64_t left,
                           struct burl_works *works);
/* Credit a work's arm; no-ops for a work without one. */
void burl__portfolio_count(struct burl_campaign *c, const struct burl_work *w, uint64_t executions);
void burl__portfolio_suspect(struct burl_campaign *c, const struct burl_work *w);
void burl__portfolio_finding(struct burl_campaign *c, const struct burl_work *w);
/* The end of a round, before what it learned comes into force: rewards for edges, location
 * pairs and lock orders; earlier rewards decay. */
void burl__portfolio_reward(struct burl_campaign *c);

/* nominal.c */
/* A failure with more switches is no finding: 64 MB of schedule, with 128 bytes for each. */
#define BURL__KEPT_SWITCHES (1u << 19)
#define BURL__KEPT_SWITCHES_TEXT "524,288"
#define BURL__NOMINAL_START_NS 10000000ull /* of a process */
/* The cost of executions with these sums, by engine and reset. */
uint64_t burl__nominal_cost(enum burl_wire_engine engine, enum burl_wire_reset reset,
                            const struct burl_run *run);
uint64_t burl__nominal_explored(enum burl_wire_engine engine, enum burl_wire_reset reset,
                                const struct burl_campaign_totals *t);
/* What minimizing one finding may cost: a function of the options alone. */
uint64_t burl__nominal_minimize_ns(uint64_t time_ms);

/* regress.c */
/* Runs cfg.reruns again, each in a process of its own; failures become findings as usual. */
BURL_MUST_CHECK enum burl_status burl__regress(struct burl_campaign *c, struct burl_err *err);

#endif
