/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/engine_int.h - what the files of a campaign share. Nothing outside src/engine includes it.
 *
 *   campaign.c  the plan: clean run, learning, rounds, budgets, the end
 *   opening.c   the first schedules, one at a time
 *   choose.c    engine and reset, and the self-check behind the choice
 *   pool.c      work over several processes; lost processes are replaced
 *   batch.c     results of executions, added up and checked
 *   confirm.c   from a failure to a finding
 *   settled.c   memory of which observers need not say more
 *   suspects.c  from what observers saw to directed executions, and what became of it
 *   outcome.c   how a race ends in either order
 *   covered.c   from items in shared memory to items of the campaign
 *   hunt.c      directed executions for location pairs
 *   search.c    all schedules of a small test
 *   frontier.c  where such a search stands, for another process or campaign
 *   enumerate.c all schedules with few delays or preemptions
 *   regress.c   schedules of earlier campaigns, run again first
 *   firsts.c    executions that were the first to show a reads-from edge
 *   foreign.c   code that nobody instrumented
 *   linked.c    and that was linked into a file that is
 *   image.c     code that is loaded while the program runs
 *   cxxname.c   names of C++ functions
 *   portfolio.c which strategy gets how much of the next round
 *   pairs.c     location pairs that were seen, and which to aim at next
 *   profile.c   what executions show of the program, handed to later ones
 *   proposals.c which read should see which write next
 *   memory.c    what one campaign leaves for the next
 *
 * INV-E1: points and horizon do not change while a round runs.
 * INV-E2: results are committed in the order of the work list.
 * Both together give the promise of campaign.h.
 */
#ifndef BURL_ENGINE_INT_H
#define BURL_ENGINE_INT_H

#include "base/ptrmap.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "engine/goal/hunt.h"

struct burl_profile_sum;

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
    size_t suspect;          /* DIRECTED: index into stats.suspects + 1, 0 none */
    size_t pair;             /* DIRECTED: index into cfg.hunt->pairs + 1, 0 none */
    size_t arm;              /* the portfolio's index of what this is a share of + 1, 0 none */
    const struct burl_wire_switch *sched; /* REPLAY: to follow, borrowed */
    size_t rerun;                     /* REPLAY: index into cfg.reruns + 1, 0 none */
    const struct burl_frontier *from; /* EXHAUSTIVE: where first_seed's execution begins; borrowed
                                         until what the order showed is committed */
    bool whole; /* one order: where it stops must not depend on how it is cut */
};

struct burl_failures {
    BURL_VEC_OF(struct burl_wire_failure);
};

struct burl_suspects {
    BURL_VEC_OF(struct burl_wire_suspect);
};

/* An item that a process put into its area, and the execution of the batch that did it. */
struct burl_batch_item {
    struct burl_wire_cover_item item;
    uint64_t execution; /* of the batch, from 0 */
};

/* The observers among BURL_OB() bits that cover and do not look for bugs. */
#define BURL_ENGINE_COVER_OBS (~(BURL_OB(LOCPAIRS) - 1u))

/* When something was first seen. */
struct burl_found {
    uint64_t after;     /* schedules tried until then, with that one */
    uint64_t execution; /* executions of the search until then, with that one */
    int64_t ms;         /* since the campaign began */
};

/* What a number of executions gave. Zero is empty. */
struct burl_batch {
    uint64_t first_seed; /* of its executions, which have ascending ones */
    struct burl_campaign_totals totals;
    uint64_t by_verdict[BURL_VERDICT__N];
    uint64_t counters[BURL_COUNTER__N];
    uint64_t sum_completed_points;
    uint64_t n_completed;
    uint64_t max_points;
    uint32_t max_threads;
    bool unstable; /* CHECK_TWICE found a difference: the three below */
    uint64_t unstable_seed;
    uint32_t unstable_step;
    uint32_t unstable_site;
    char unsupported[BURL_WIRE_TEXT_B];
    struct burl_failures failures; /* one per key, first seed first */
    struct burl_suspects suspects; /* the same */
    uint64_t goal_hits;             /* DIRECTED: executions whose sites met */
    uint64_t goal_seed;             /* of the first of these */
    uint64_t pair_visits[2];
    uint32_t pair_gates[2][BURL_GOAL_MAX_GATES];
    uint64_t goldilocks[4];
    struct {
        BURL_VEC_OF(struct burl_batch_item);
    } items; /* ascending by execution */
    uint64_t items_lost;
    struct burl_campaign_image loaded; /* with what was loaded since the start; n_modules 0: none */
};

/* Executions of which none came to its end before a program is said never to stop. */
#define NEVER_STOPS_AFTER 3u

/* Executions that came to an end of their own, well or in a failure: of n with these verdicts, and
 * of a batch. */
uint64_t burl__engine_completed(uint64_t n, const uint64_t by_verdict[BURL_VERDICT__N]);
uint64_t burl__batch_completed(const struct burl_batch *b);

/* A bug that was met. */
struct burl_known {
    uint64_t fingerprint;
    uint64_t count;
    uint64_t before_search;  /* count when the last search of all interleavings began */
    size_t unstable;         /* index into stats.unstable + 1; 0: a finding */
    uint32_t tries;          /* attempts to confirm it */
    uint64_t pair;           /* races: key of the pair of sites that is counted, 0 none */
    bool handed;             /* to the user: it is a finding */
    struct burl_found found; /* the execution that showed it first */
};

/*
 * Failures with one key of the runtime are one bug here, even where their fingerprints differ. A
 * batch shows only the first failure of each key, so which fingerprints are seen under a
 * key would otherwise depend on how the work was cut (INV-E2).
 */
struct burl_known_key {
    uint64_t key;
    size_t known; /* index into known */
};

/* A failure the user does not want to hear of, by its key, so that it is asked about once. */
struct burl_hidden_key {
    uint64_t key;
    bool hidden;
};

/* A failure that was made again and recorded in a fresh process, and waits for the rest. */
struct burl_waiting {
    struct burl_work work;
    struct burl_wire_failure failure;
    struct burl_run run; /* owned */
    size_t known;        /* index into known */
    bool goal_hit;
};

/* Something that has happened in an execution and is not confirmed yet. */
struct burl_news {
    size_t suspect; /* index into stats.suspects */
    struct burl_work work;
    uint64_t seed;
    struct burl_found found;
};

/* How far a bounded enumeration is. */
struct burl_enumeration {
    struct burl_enum places;
    uint64_t next;    /* number of the next schedule */
    uint64_t done_to; /* all before this one were tried */
    uint64_t total;   /* of this bound and span */
    uint64_t longest; /* decisions of an execution of its own */
    uint64_t n_given; /* schedules handed out, and of these done */
    uint64_t n_tried;
    uint64_t round;    /* stats.n_rounds when the last were handed out */
    uint32_t complete; /* all with so many deviations were tried */
    uint32_t extensions;
    uint32_t points_version;
    bool gap; /* something of an earlier part was not tried: no more is claimed */
    bool begun;
};

/* A position in a search of all schedules: a struct burl_search_stack. */
struct burl_frontier {
    uint64_t *words; /* owned; NULL: the start */
    uint64_t n;
};

/* The first execution of a work list that showed an edge. */
struct burl_first {
    uint32_t write;
    uint32_t read;
    size_t work; /* in the list */
    uint64_t seed;
};

struct burl_campaign {
    const struct burl_campaign_config *cfg;
    const struct burl_campaign_hooks *hooks;
    struct burl_campaign_stats *stats;
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    int64_t started_ms;
    int64_t deadline_ms; /* INT64_MAX: none */
    bool told_ready;
    struct burl_campaign_image image; /* what a look ahead showed; processes are given it */
    struct burl_campaign_image told;  /* to `loaded`, or the same */
    bool stop;                        /* end the campaign; stats.end says why */

    uint8_t *points;      /* map in force, INV-E1 */
    uint8_t *points_next; /* with what the running round learns */
    uint32_t n_sites;
    uint32_t points_version;
    uint32_t learned_version; /* of points and profile together: what blocks must have */
    uint64_t horizon;
    uint64_t sum_completed_points;
    uint64_t n_completed;
    uint64_t n_works;    /* works made so far; seeds are derived from it */
    uint64_t n_directed; /* directed works; a stream of seeds of their own, so that suspects do not
                             change what is explored */
    uint64_t directed_execs;
    struct burl_target *scout; /* single executions whose process need not be fresh */
    enum burl_wire_engine scout_engine;
    enum burl_wire_reset scout_reset;
    uint32_t scout_points;

    uint64_t max_points;               /* decisions of the longest execution that was not cut */
    struct burl_wire_profile *profile; /* in force, INV-E1 */
    struct burl_wire_profile *profile_next; /* with what the running round learns */
    struct {
        BURL_VEC_OF(struct burl_profile_sum);
    } sums;              /* of uses of variables, */
    uint64_t n_profiled; /* over so many executions */
    uint32_t *gates;     /* per site, the outermost lock seen held there; n_sites */
    struct burl_portfolio *portfolio;
    struct burl_proposals *proposals;
    struct burl_pairs *pairs;
    struct burl_enumeration delays;
    struct burl_enumeration preemptions;
    double ms_per_exec;     /* of the last orders; sizes of orders only, never results */
    uint64_t running_execs; /* of orders under way, for the progress line */
    uint32_t running_strategy;
    uint32_t running_param;
    const struct burl_work *works;               /* that the pool does, */
    size_t n_works_given;                        /* and how many */
    struct burl_campaign_memory_search searched; /* by the search so far, here and before */
    bool search_ours;                            /* this campaign has a part in it */
    uint64_t searched_here; /* executions that this campaign spent on searches */
    uint64_t program_hash;  /* burl__frontier_identify(); 0 not yet */
    uint64_t surroundings_hash;
    uint32_t n_learned;     /* sites seen shared that were no points */
    uint64_t next_search;   /* executions of the next search for a proof; 0 none yet */
    bool search_hopeless;   /* it can prove nothing, whatever the bound */
    bool clean_done; /* the nonpreemptive run was made, */
    struct {
        BURL_VEC_OF(uint64_t);
    } clean_failures; /* and failed with these fingerprints */
    int64_t progress_ms;
    struct burl_ptrmap suspect_at; /* from keys to indices of stats.suspects, */
    size_t n_indexed;              /* of so many */
    uint64_t explored_ns;  /* nominal cost of what explored, */
    uint64_t confirmed_ns; /* and of what confirmed and minimized */
    struct burl_wire_settled *settled; /* in force, INV-E1; BURL_WIRE_MAX_SETTLED, NULL none */
    uint32_t n_settled;

    struct {
        BURL_VEC_OF(struct burl_known);
    } known;
    struct {
        BURL_VEC_OF(struct burl_known_key);
    } keys;
    struct {
        BURL_VEC_OF(struct burl_news);
    } news;
    struct {
        BURL_VEC_OF(struct burl_waiting);
    } waiting; /* in the order in which they were found */
    struct {
        BURL_VEC_OF(struct burl_hidden_key);
    } hidden;
    struct {
        BURL_VEC_OF(struct burl_first);
    } firsts;               /* of the running list */
    uint32_t n_firsts_kept; /* schedules made of them */
    struct {
        BURL_VEC_OF(struct burl_work);
    } opened;                     /* the list of the opening */
    struct burl_covered *covered; /* NULL: no metric was asked for */
    struct {
        BURL_VEC_OF(uint64_t);
    } recorded; /* executions of the batch being committed whose schedule covered.c has made */
};

/* campaign.c */
/* Arguments of a REPLAY of so many switches. */
union burl_wire_args burl__replay_args(size_t n_switches);
/* The order of one work, or of a part of it. */
struct burl_wire_order burl__campaign_order(const struct burl_campaign *c,
                                            const struct burl_work *w, uint64_t first, uint64_t n);
/* Starts a target with the campaign's settings and the map in force; tells `ready` once. An
 * uninterruptible one ignores the user's wish to stop (confirmation of what was found). */
BURL_MUST_CHECK enum burl_status burl__campaign_start(struct burl_campaign *c,
                                                      enum burl_wire_engine engine,
                                                      enum burl_wire_reset reset,
                                                      bool interruptible, struct burl_target **out,
                                                      struct burl_err *err);
/* Tells `loaded` when names of this process would be other ones than those told before. */
BURL_MUST_CHECK enum burl_status burl__campaign_loaded(struct burl_campaign *c,
                                                       const struct burl_campaign_image *image,
                                                       struct burl_err *err);
/* The same of a process that may have loaded nothing. */
BURL_MUST_CHECK enum burl_status burl__campaign_see(struct burl_campaign *c,
                                                    const struct burl_target *t,
                                                    struct burl_err *err);
/* Puts the map in force into the target's block. */
void burl__campaign_load_points(const struct burl_campaign *c, struct burl_target *t);
/* Takes over what an order with LEARN found. */
void burl__campaign_learn(struct burl_campaign *c, struct burl_target *t);
/* Between rounds: what was learned comes into force. */
void burl__campaign_adopt_points(struct burl_campaign *c);
uint64_t burl__campaign_runs_left(const struct burl_campaign *c);
/* The flags of works that explore. */
uint32_t burl__campaign_flags(const struct burl_campaign *c);
/* And what executions of a strategy may inject. */
uint32_t burl__campaign_inject(const struct burl_campaign *c, uint32_t strategy);
/* The first seed of the next work. */
uint64_t burl__campaign_seed(struct burl_campaign *c);
bool burl__campaign_interrupted(const struct burl_campaign *c);
bool burl__campaign_time_over(const struct burl_campaign *c);
void burl__campaign_end(struct burl_campaign *c, enum burl_campaign_end end);
void burl__campaign_progress(struct burl_campaign *c);
/* When the execution with this seed of a batch that was added to the totals was tried; `first`:
 * schedules before the batch. */
struct burl_found burl__campaign_found(const struct burl_campaign *c, const struct burl_work *w,
                                       const struct burl_batch *b, uint64_t first, uint64_t seed);
/* Is it a failure that --stop-at-first or --stop-at-failure ends at? */
bool burl__campaign_ends_at(const struct burl_campaign *c, uint8_t verdict);
/* Adds a batch to the totals and turns its failures into findings; what observers saw happen
 * waits for burl__suspects_confirm(). */
BURL_MUST_CHECK enum burl_status burl__campaign_commit(struct burl_campaign *c,
                                                       const struct burl_work *w,
                                                       const struct burl_batch *b,
                                                       struct burl_err *err);

/* opening.c: the first schedules, which also choose engine and reset. All are committed, and what
 * they saw happen is confirmed, on return. */
BURL_MUST_CHECK enum burl_status burl__open(struct burl_campaign *c, struct burl_err *err);

/* Does it keep to the nonpreemptive run and random ones, because the executions themselves were
 * asked for? */
bool burl__open_is_classic(const struct burl_campaign *c);

/* choose.c */
/* The processes of an opening. Zero but for `c` at first. */
struct burl_choice_trial {
    struct burl_campaign *c;
    struct burl_target *t;    /* runs the schedules */
    uint32_t loaded;          /* learned_version of its block */
    struct burl_target *twin; /* forks; what it shows must be the same */
    uint32_t twin_loaded;
    uint32_t n_checks;
    uint32_t n_runs;
    uint32_t n_cut;
};
/* Runs the one schedule of a work, changes engine or reset when it must, and commits. */
BURL_MUST_CHECK enum burl_status burl__choose_run(struct burl_choice_trial *tr,
                                                  const struct burl_work *w, struct burl_err *err);
void burl__choose_stop(struct burl_choice_trial *tr);
/* Ends the campaign when at least `least` executions were made and none came to its end: nothing
 * that follows would be worth more. */
void burl__stop_if_none_completes(struct burl_campaign *c, uint64_t least);

/* pool.c */
struct burl_pool;
struct burl_pool *burl__pool_new(struct burl_campaign *c, uint32_t jobs);
void burl__pool_free(struct burl_pool *p);
/* Does all works, committing in order. Ends early when the campaign is to stop. */
BURL_MUST_CHECK enum burl_status burl__pool_run(struct burl_pool *p, const struct burl_work *works,
                                                size_t n_works, struct burl_err *err);

/* batch.c */
/* Adds a result the target left; numbers out of range are taken as zero. */
void burl__batch_add_result(struct burl_batch *b, const struct burl_wire_ctl *ctl);
/* Notes what the process has loaded since its start. */
void burl__batch_take_loaded(struct burl_batch *b, const struct burl_wire_ctl *ctl);
/* Makes one of two sights of a suspect; s: the later one. */
void burl__batch_merge_suspect(struct burl_wire_suspect *old, const struct burl_wire_suspect *s);
/* Adds the gates of a pair (0 ends) to those that are known, BURL_GOAL_MAX_GATES in all. */
void burl__batch_merge_gates(uint32_t *to, const uint32_t *from);
/* Has it what an order with these flags stops at? */
bool burl__batch_is_over(const struct burl_batch *b, uint32_t flags);
/* Adds one execution that the runtime could not report itself. */
void burl__batch_add_verdict(struct burl_batch *b, uint64_t seed,
                             const struct burl_wire_verdict *v);
/* Executions that were cut by a bound of the engine's own are no news to the user. */
void burl__batch_forget_cuts(struct burl_batch *b);
void burl__batch_deinit(struct burl_batch *b);
/* The verdict for a process that ended, or was killed, inside an execution. */
struct burl_wire_verdict burl__batch_lost_verdict(const struct burl_target *t);
bool burl__batch_sane(const struct burl_wire_result *r);

/* confirm.c */
BURL_MUST_CHECK enum burl_status burl__confirm(struct burl_campaign *c, const struct burl_work *w,
                                               const struct burl_wire_failure *f,
                                               const struct burl_found *when, struct burl_err *err);
/* Goes on with what waits: while confirming has its share of the budget, or to the end of it. */
BURL_MUST_CHECK enum burl_status burl__confirm_waiting(struct burl_campaign *c, bool all,
                                                       struct burl_err *err);
void burl__confirm_free(struct burl_campaign *c);
/* What is known of failures with this key: their fingerprint, and whether it is a finding. */
bool burl__confirm_known(const struct burl_campaign *c, uint64_t key, uint64_t *fingerprint);
/* One execution; a process that died or hung gives a run with the verdict of that. */
BURL_MUST_CHECK enum burl_status burl__confirm_exec(struct burl_target *t,
                                                    const struct burl_wire_order *order,
                                                    const struct burl_wire_switch *sched_in,
                                                    struct burl_run *run, struct burl_err *err);

/* nominal.c */
#define BURL__NOMINAL_START_NS 10000000ull /* of a process */
uint64_t burl__nominal_cost(const struct burl_campaign *c, const struct burl_run *run);
/* What minimizing one finding may cost: a function of the options alone. */
uint64_t burl__nominal_minimize_ns(const struct burl_campaign *c);
/* Adds executions to what exploring, or confirming, has cost. */
void burl__nominal_explored(struct burl_campaign *c, const struct burl_campaign_totals *t);
void burl__nominal_spent(struct burl_campaign *c, const struct burl_run *run);

/* prove_small.c */
/* Searches a test that looks small for a while, perhaps to the end. */
BURL_MUST_CHECK enum burl_status burl__prove_small(struct burl_campaign *c, struct burl_err *err);

/* plain.c */
/* Has nothing been injected? */
bool burl__plain_is(const struct burl_run *run);
/* Looks for the failure of `run` (work w, seed) in executions that inject nothing. True: *plain is
 * a work of one execution that shows it. */
bool burl__plain_find(struct burl_campaign *c, const struct burl_work *w, uint64_t seed,
                      uint64_t fingerprint, const struct burl_run *run, struct burl_work *plain);

/* move.c */
/* Is it an operation that schedules count? Not functions entered, nor blocks allocated. */
bool burl__engine_is_visible(uint8_t kind);

/* misuse.c */
/* Work w, which showed the misuse v, with its executions ended there. */
struct burl_work burl__stop_at_misuse(const struct burl_work *w, const struct burl_wire_verdict *v);

/* settled.c */
/* Between rounds: the table is made anew. */
void burl__settled_adopt(struct burl_campaign *c);
void burl__settled_load(const struct burl_campaign *c, struct burl_target *t);

/* suspects.c */
/* What became of the failure with this fingerprint: all that led to it share it. */
void burl__suspects_settle(struct burl_campaign *c, uint64_t fingerprint,
                           enum burl_campaign_suspect_state state);
/* Is the time over that may be spent on races once exploring is? */
bool burl__suspects_out_of_time(const struct burl_campaign *c);
/* Takes over what a batch saw; what has happened already (RACE, REGION) becomes news. `first`:
 * schedules of the campaign before the batch. */
BURL_MUST_CHECK enum burl_status burl__suspects_commit(struct burl_campaign *c,
                                                       const struct burl_work *w,
                                                       const struct burl_batch *b, uint64_t first,
                                                       struct burl_err *err);
/* Makes findings of the news. The points must be those of the executions that showed them. */
BURL_MUST_CHECK enum burl_status burl__suspects_confirm(struct burl_campaign *c,
                                                        struct burl_err *err);
/* Directed executions for what is only predicted, as far as their share of the budget goes. */
BURL_MUST_CHECK enum burl_status burl__suspects_drive(struct burl_campaign *c,
                                                      struct burl_pool *pool, struct burl_err *err);
/* The next single directed execution of an opening: the best of what is predicted (urgent: only of
 * these kinds, as bits, that were hardly tried yet; 0 all); and a race that was seen, in an order
 * that was not. False: there is none. */
bool burl__suspects_next(struct burl_campaign *c, uint32_t urgent, struct burl_work *w);
bool burl__suspects_flip(struct burl_campaign *c, struct burl_work *w);
/* The sites of a suspect, to stop at. */
struct burl_wire_watch burl__suspects_watch(const struct burl_wire_suspect *s);
/* One execution in a process that is kept for the next. *hit: the goal was reached. */
BURL_MUST_CHECK enum burl_status burl__suspects_scout(struct burl_campaign *c,
                                                      const struct burl_work *w, uint64_t seed,
                                                      struct burl_run *run, bool *hit,
                                                      struct burl_err *err);

/* covered.c */
struct burl_covered; /* the items of a campaign so far */
struct burl_covered *burl__covered_new(void);
void burl__covered_free(struct burl_covered *s);
/* Takes the items over that came since the last time; before burl__batch_add_result(), so that
 * their executions are counted from the right one. `n`: executions of the order. */
void burl__covered_take(struct burl_batch *b, struct burl_target *t, uint64_t n);
/* Hands the new ones over; `first`: executions of the campaign before this batch. */
BURL_MUST_CHECK enum burl_status burl__covered_commit(struct burl_campaign *c,
                                                      const struct burl_work *w,
                                                      const struct burl_batch *b, uint64_t first,
                                                      struct burl_err *err);
/* Was the schedule of this execution of the last batch made? */
bool burl__covered_is_recorded(const struct burl_campaign *c, uint64_t execution);

/* hunt.c */
/* The rounds of a campaign with cfg.hunt. */
BURL_MUST_CHECK enum burl_status burl__hunt(struct burl_campaign *c, struct burl_pool *pool,
                                            struct burl_err *err);
/* Is it one of the pairs that are hunted? */
bool burl__hunt_has(struct burl_campaign_hunt *h, const struct burl_wire_cover_item *x);
/* Frees what is the engine's own in it; NULL is fine. */
void burl__hunt_deinit(struct burl_campaign_hunt *h);
/* Takes over what a batch says of the pairs; `first`: executions of the campaign before it. */
BURL_MUST_CHECK enum burl_status burl__hunt_commit(struct burl_campaign *c,
                                                   const struct burl_work *w,
                                                   const struct burl_batch *b, uint64_t first,
                                                   struct burl_err *err);

/* profile.c */
/* Takes over what an order with LEARN left, and puts what is in force into a target's block. */
void burl__profile_take(struct burl_campaign *c, struct burl_target *t);
void burl__profile_load(const struct burl_campaign *c, struct burl_target *t);
/* One execution more that counted how often threads use what; whole: it came to its end. */
void burl__profile_uses(struct burl_campaign *c, const struct burl_wire_profile *from, bool whole);
/* Between rounds: what was learned comes into force. */
void burl__profile_adopt(struct burl_campaign *c);
void burl__profile_free(struct burl_campaign *c);
/* An edge of a profile (may be NULL), NULL when it is not there. */
const struct burl_profile_edge *burl__profile_find(const struct burl_wire_profile *p,
                                                   uint32_t write, uint32_t read);
/* Adds an edge to what is known. */
void burl__profile_put(struct burl_campaign *c, const struct burl_profile_edge *e);
/* Edges of the profile in force, and how many of them were seen. */
void burl__profile_count(const struct burl_campaign *c, uint64_t *candidates, uint64_t *seen);

/* Does the execution with seed a come before that of b in the works being done? */
bool burl__works_order(const struct burl_campaign *c, uint64_t a, uint64_t b);

/* pairs.c */
/* Takes over what a process lists; what was taken comes into force between rounds. */
void burl__pairs_take(struct burl_campaign *c, const struct burl_wire_profile *from);
void burl__pairs_adopt(struct burl_campaign *c);
/* What was seen for the first time since then, in no order: owned by the caller. The number. */
size_t burl__pairs_news(const struct burl_campaign *c, struct burl_profile_pair **news);
/* Pairs that nobody has seen and that are worth aiming at. */
size_t burl__pairs_open(const struct burl_campaign *c);
/* Up to `max` of them as goals, to be tried `each` times; the number. */
size_t burl__pairs_next(struct burl_campaign *c, struct burl_wire_goal *goals, size_t max,
                        uint64_t each);
/* For the next campaign: m->pairs; and the other way round. */
void burl__pairs_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__pairs_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);
void burl__pairs_free(struct burl_campaign *c);

/* portfolio.c */
struct burl_portfolio *burl__portfolio_new(struct burl_campaign *c);
void burl__portfolio_free(struct burl_portfolio *p);
/* The works of the next round, within `left` executions; borrowed until the next call. */
size_t burl__portfolio_round(struct burl_campaign *c, uint32_t scale, uint64_t left,
                             const struct burl_work **works);
/* What a work brought; nothing when it is no arm's. */
void burl__portfolio_count(struct burl_campaign *c, const struct burl_work *w, uint64_t executions);
void burl__portfolio_suspect(struct burl_campaign *c, const struct burl_work *w);
void burl__portfolio_finding(struct burl_campaign *c, const struct burl_work *w);
/* The end of a round, before what it learned comes into force: rewards for edges, location
 * pairs and orders of locks; what is past counts less. */
void burl__portfolio_reward(struct burl_campaign *c);

/* proposals.c */
/* Up to `max` works (each of a few executions) that drive towards edges not seen yet, most
 * promising first; the number made. The same for the same profile and history. */
size_t burl__proposals_next(struct burl_campaign *c, struct burl_work *works, size_t max);
void burl__proposals_free(struct burl_proposals *p);
/* What was tried, for the next campaign: m->proposals; and the other way round. */
void burl__proposals_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__proposals_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);

/* memory.c */
struct burl_campaign_memory *burl__memory_new(const struct burl_campaign *c);
/* Begins where cfg.recall ended; the number of sites must be known. Brings the points into
 * force. */
void burl__memory_recall(struct burl_campaign *c);
/* A hash of the points in force. */
uint64_t burl__memory_points(const struct burl_campaign *c);

/* frontier.c */
/* The position of a process between two orders; empty when it is none. */
void burl__frontier_take(struct burl_frontier *f, struct burl_target *t);
/* Sets a process to one that is not empty; its next order goes on from there. */
void burl__frontier_put(const struct burl_frontier *f, struct burl_target *t);
void burl__frontier_deinit(struct burl_frontier *f);
/* Looks at the program, once per campaign. */
void burl__frontier_identify(struct burl_campaign *c, const struct burl_wire_ctl *ctl);
/* Why what is kept is about something else, NULL: it is not. The campaign must be identified. */
const char *burl__frontier_differs(const struct burl_campaign *c,
                                   const struct burl_campaign_memory_search *k);
/* It is about this program, with the points in force. */
void burl__frontier_sign(const struct burl_campaign *c, struct burl_campaign_memory_search *k);
void burl__frontier_forget(struct burl_campaign_memory_search *k);
/* For the next campaign, and the other way round. */
void burl__frontier_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__frontier_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);

/* search.c */
/* Goes through all schedules, or through those that are left, within `max` executions of this
 * campaign; failures are committed as from any batch, stats.search says what came of it. May be
 * called again with a larger bound and goes on then. max_steps: of one execution, 0 as the
 * campaign says; one that is cut there ends the search for good. */
BURL_MUST_CHECK enum burl_status burl__search_whole(struct burl_campaign *c, uint64_t max,
                                                    uint64_t max_steps, struct burl_err *err);
/* Has an earlier campaign proven it, and does nothing in this one speak against that? stats.search
 * then says so. */
bool burl__search_proven(struct burl_campaign *c);
/* All schedules; what came of it is in cfg.hunt. */
BURL_MUST_CHECK enum burl_status burl__search(struct burl_campaign *c, struct burl_err *err);
/* Execution `ordinal` of the search w again, recorded. */
BURL_MUST_CHECK enum burl_status burl__search_record(struct burl_campaign *c,
                                                     const struct burl_work *w, uint64_t ordinal,
                                                     struct burl_run *run, struct burl_err *err);

/* enumerate.c */
/* Is it a strategy that goes through numbered schedules? */
bool burl__enumerate_is(uint32_t strategy);
/* Makes w (its strategy is one of these) the next schedules of the enumeration, `n` at most: fills
 * args. Returns how many: fewer at the end of a bound; none when the next bound
 * must wait for those handed out in this round. Seeds, flags and w->n are the caller's. Of a work
 * that is cut into several, each needs its own index. */
uint64_t burl__enumerate_next(struct burl_campaign *c, struct burl_work *w, uint64_t n);
/* Takes over what a batch says; any work. */
void burl__enumerate_commit(struct burl_campaign *c, const struct burl_work *w,
                            const struct burl_batch *b);
/* How far they are, for the next campaign; and the other way round, when what was learned before
 * is in force. */
void burl__enumerate_keep(const struct burl_campaign *c, struct burl_campaign_memory *m);
void burl__enumerate_recall(struct burl_campaign *c, const struct burl_campaign_memory *m);

/* firsts.c */
/* Takes over which executions showed which edges; `work`: the order's, in the running list. */
void burl__firsts_take(struct burl_campaign *c, struct burl_target *t, size_t work);
/* At the end of a list, before what was learned comes into force: makes schedules of a few. */
BURL_MUST_CHECK enum burl_status burl__firsts_record(struct burl_campaign *c,
                                                     const struct burl_work *works,
                                                     struct burl_err *err);

/* regress.c */
/* Runs cfg.reruns again, each in a process of its own; failures become findings as usual. */
BURL_MUST_CHECK enum burl_status burl__regress(struct burl_campaign *c, struct burl_err *err);

/* linked.c: functions of a file that burl did not build; `why` names one. */
struct burl_elf;
bool burl__linked_foreign(const struct burl_elf *e, char *why, size_t why_b);

/* foreign.c */
bool burl__foreign_is_libc(const char *path); /* of the C implementation, or the runtime */
/* Has the process code that nobody instrumented, beside the system's own? A clause that says so. */
bool burl__foreign_code(const struct burl_wire_ctl *ctl, char *why, size_t why_b);
/* Is the function that is called at this site in an instrumented object? */
bool burl__foreign_is_own(const struct burl_wire_ctl *ctl, uint32_t site);
/* The function that is called at this site, as a person would write it. */
void burl__foreign_callee(const struct burl_wire_ctl *ctl, uint32_t site, char *name,
                          size_t name_b);

/* cxxname.c */
void burl__cxx_name(const char *symbol, char *out, size_t out_b);

/* choose.c */
/* The nonpreemptive run was made: takes over how it failed. */
void burl__choose_note_clean(struct burl_campaign *c, const struct burl_batch *b);

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
