/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/campaign.h - explore the schedules of one program: `burl test`, `burl cover`, hunts.
 *
 * A campaign runs kept schedules first, then an opening of single schedules, which also chooses
 * engine and reset, then rounds over a pool of target processes. Between rounds directed
 * executions aim at what was predicted. Each distinct failure is reproduced in fresh processes,
 * minimized, traced and passed to the `finding` hook; what is not reproduced is listed apart.
 *
 * Promise: with the same seed, program and limits on executions, the sequence of
 * (strategy, seed, verdict) and the findings are the same, whatever the number
 * of jobs and the speed of the machine. Hence: the point map and the PCT horizon change
 * only between rounds, rounds are lists fixed in advance, and results are
 * taken in the order of the list. A time limit only cuts that sequence short.
 */
#ifndef BURL_ENGINE_CAMPAIGN_H
#define BURL_ENGINE_CAMPAIGN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/deadline.h"
#include "base/err.h"
#include "base/run.h"
#include "base/vec.h"
#include "engine/plan/record.h"
#include "engine/target/batch.h"
#include "engine/target/image.h"
#include "finding/facts.h"
#include "wire/control.h"

struct burl_campaign_hunt;
struct burl_schedfile;

/* Schedules to run again before anything else. The hook `ready` knows the build and fills it. */
struct burl_campaign_reruns {
    const char *const *paths; /* schedule files; borrowed for the campaign */
    size_t n;
};

enum burl_campaign_rerun_end {
    BURL_CAMPAIGN_RERUN_SAME = 0,   /* the failure of the schedule was reproduced */
    BURL_CAMPAIGN_RERUN_OTHER,      /* another failure showed */
    BURL_CAMPAIGN_RERUN_PASSED,     /* it was followed to its end, and nothing failed */
    BURL_CAMPAIGN_RERUN_LEFT,       /* nothing failed, and the run left the schedule */
    BURL_CAMPAIGN_RERUN_CUT,        /* the run was cut, or could not be controlled */
    BURL_CAMPAIGN_RERUN_UNREADABLE, /* the file is gone or damaged */
    BURL_CAMPAIGN_RERUN__N
};

/* What came of one. Borrowed: valid during the hook. */
struct burl_campaign_reran {
    size_t index; /* in reruns.paths */
    enum burl_campaign_rerun_end end;
    uint64_t fingerprint; /* of the failure that showed, 0 none */
    bool finding;         /* it was confirmed and handed to `finding`, now or before */
    bool same_build;      /* as the file says */
    uint32_t engine;
    const struct burl_schedfile *file; /* as read, with this build's sites; NULL: UNREADABLE */
    const struct burl_run *run;        /* with its switches; NULL: UNREADABLE */
    const struct burl_wire_profile *profile; /* of this execution alone; NULL: none */
    const char *why;                         /* UNREADABLE */
};

/* What a limit on steps that the user did not give is multiplied by, once. */
#define BURL_CAMPAIGN_STEPS_RAISE 64u

#define BURL_CAMPAIGN_AUTO (-1) /* engine, reset: choose; strategy: the mix */

struct burl_campaign_config {
    const char *const *argv;
    const char *cwd;        /* of the program; NULL: ours */
    const char *const *env; /* "NAME=VALUE", added to our environment; NULL: none */
    int strategy; /* enum burl_wire_strategy or AUTO */
    int engine;   /* enum burl_wire_engine or AUTO */
    int reset;    /* enum burl_wire_reset or AUTO */
    uint32_t pct_depth;
    uint32_t jobs;    /* 0: one per CPU */
    uint64_t runs;    /* 0: no limit */
    uint64_t time_ms; /* 0: no limit */
    struct burl_deadline deadline; /* of the command, if that is earlier; zero: none */
    uint64_t seed;
    uint64_t max_steps;
    bool adapt_steps; /* the user gave no limit: the first execution that is longer raises it */
    uint32_t exec_timeout_ms;
    bool stop_at_first;
    bool stop_at_failure; /* the same, but a data race alone does not end it */
    bool stop_at_misuse;  /* a misuse ends its execution */
    bool volatile_atomic; /* volatile loads acquire, volatile stores release */
    bool check_determinism;
    bool no_minimize;
    uint32_t observers;     /* BURL_OB() bits; 0: failures only. Those of metrics hold in every
                               execution, those of detectors in a share of them */
    uint32_t inject;        /* BURL_ORDER_F_INJECT bits: what the search may inject */
    uint32_t confirm_tries; /* directed executions per suspect */
    uint32_t context;       /* LOCPAIRS: call sites that tell pairs apart */
    const struct burl_campaign_memory *recall; /* go on where this ended; NULL: from the start */
    bool remember;                             /* leave stats.memory */
    bool look_ahead; /* run a program that can load code once before, so that `ready` sees that
                        code too */
    bool verify_only; /* observe two executions, one without preemption and one with, aim at what
                         they predict, and end: no search (docs/internals/engine.md) */
    struct burl_campaign_hunt *hunt;        /* cover these pairs instead of exploring (goal/hunt.h);
                                        NULL: explore */
    struct burl_campaign_reruns *reruns;    /* NULL: none */
    const volatile sig_atomic_t *interrupt; /* nonzero: end soon, keep what was found */
};

/* How the two orders of a confirmed race end. */
enum burl_campaign_outcome {
    BURL_CAMPAIGN_OUTCOME_UNKNOWN = 0, /* not a race, or neither order could be reproduced */
    BURL_CAMPAIGN_OUTCOME_SAME,
    BURL_CAMPAIGN_OUTCOME_DIFFERS,
    BURL_CAMPAIGN_OUTCOME_ONE_ORDER /* only one of them was met */
};

/* What directed executions, which brought the two accesses together and then ran on to their
 * end, say of a race. Compared: verdict, exit code or fingerprint, and output. */
struct burl_campaign_race {
    enum burl_campaign_outcome outcome;
    uint32_t sites[2]; /* ends[i]: when the access at this site went first */
    char ends[2][160]; /* "exit 0", "crash.abort: assertion ..."; "" this order was not met */
    uint64_t failure;  /* fingerprint of a failure that followed, 0 none: "confirmed and failing"
                           or just "confirmed" */
};

struct burl_campaign_suspect {
    struct burl_wire_suspect suspect; /* count: of the whole campaign */
    struct burl_goal goal;
    uint32_t reruns;      /* RACE, REGION: times the execution that showed it was run again */
    uint32_t flips;       /* RACE: executions that aimed at one order of its sites */
    uint64_t fingerprint; /* of the finding, 0 none */
    uint64_t race;        /* RACE, POTENTIAL: fingerprint of a race on its memory, 0 not known */
    uint32_t strategy;    /* that showed it first */
    uint32_t turn;        /* of hooks.suspect_turn */
};

/* One confirmed failure. Borrowed: valid during the hook. */
struct burl_campaign_finding {
    const struct burl_run *run; /* traced, of the schedule to keep */
    struct burl_finding_facts facts;
    uint32_t strategy; /* that met it first */
    uint32_t param;
    uint32_t order_flags; /* BURL_ORDER_F_* the replay must repeat */
    uint32_t engine;
    uint32_t reset;
    /* RACE_DATA and ATOMICITY_REGION: what the replay needs to end where they ended. */
    uint32_t observers;
    struct burl_wire_watch stop; /* sites of order.stop_key; n_sites 0: none */
    uint8_t stop_ops[BURL_WIRE_MAX_SITES];
    struct burl_campaign_race race;        /* RACE_DATA */
    const struct burl_wire_suspect *pairs; /* RACE_DATA: further pairs of sites on the variable,
                                              as far as they are known by now; at the end see
                                              stats.suspects */
    size_t n_pairs;
    const struct burl_wire_suspect *suspect; /* the prediction that led here: a triple that
                                                happened in this execution, a completed lock
                                                cycle, a potential race; NULL none */
    size_t rerun; /* index into cfg.reruns + 1 when one of these schedules showed it; 0 none */
    /* Runs `run` again with one step moved (engine/confirm/move.h); valid while the hook runs. */
    enum burl_run_moved (*moved)(void *arg, const struct burl_run_move *move);
    void *moved_arg;
};

/* The execution that covered an item first, and how to repeat it. */
struct burl_campaign_covered {
    uint32_t strategy;
    uint32_t param;
    uint64_t seed;
    uint64_t execution;   /* of the campaign, from 0 */
    uint32_t order_flags; /* BURL_ORDER_F_* a replay must repeat */
    uint32_t engine;
    uint32_t reset;
};

/* A failure that was not reproduced, or not the same. */
struct burl_campaign_unstable {
    struct burl_wire_verdict verdict;
    uint64_t fingerprint;
    uint32_t strategy;
    uint64_t seed;
    uint64_t count;
    bool late; /* --time was over before it was confirmed */
    bool vast; /* it is reproduced, and its schedule has too many switches for a file */
    char why[200];
};

enum burl_campaign_end {
    BURL_CAMPAIGN_END_RUNS = 0, /* all executions were made */
    BURL_CAMPAIGN_END_TIME,
    BURL_CAMPAIGN_END_FIRST, /* --stop-at-first */
    BURL_CAMPAIGN_END_INTERRUPTED,
    BURL_CAMPAIGN_END_ONE_THREAD,  /* nothing to interleave */
    BURL_CAMPAIGN_END_TOO_LONG,    /* every execution was cut */
    BURL_CAMPAIGN_END_SATURATED,   /* hooks.enough said so */
    BURL_CAMPAIGN_END_EXPLORED,    /* every schedule was explored: stats.search */
    BURL_CAMPAIGN_END_UNSUPPORTED, /* no execution could be controlled; `why` says the primitive */
    BURL_CAMPAIGN_END_VERIFIED,    /* cfg.verify_only: every prediction was reached or tried */
    BURL_CAMPAIGN_END__N
};

/* One way of choosing schedules, and its results. */
struct burl_campaign_arm {
    uint32_t strategy;
    uint32_t param;
    uint64_t executions;
    uint64_t edges;    /* reads-from edges that it showed first */
    uint64_t pairs;    /* the same of location pairs */
    uint64_t orders;   /* the same of lock orders: one requested while another is held */
    uint64_t suspects; /* the same of suspects */
    uint64_t findings; /* the same of findings */
    double pulls;      /* executions, and */
    double reward;     /* results: older ones weigh less */
    bool exhausted;    /* it has nothing more to try */
};

#define BURL_CAMPAIGN_ARMS_MAX 32

/* How far a bounded enumeration came. Numbers of schedules mean something only with the same
 * points and bound on steps. */
struct burl_campaign_memory_enum {
    uint32_t strategy;
    uint64_t points; /* hash of the points that were in force */
    uint64_t max_steps;
    struct burl_enum places;
    uint64_t next;     /* all before this were tried */
    uint64_t longest;  /* decisions of an execution of its own */
    uint32_t complete; /* all with so many deviations were tried */
    uint32_t extensions;
    bool gap; /* something before this bound was not tried: no more is claimed */
};

#define BURL_CAMPAIGN_ENUMS 2

/* What a search of all interleavings is about, as hashes: see frontier.c. */
struct burl_search_identity {
    uint64_t program;
    uint64_t surroundings;
    uint64_t settings;
    uint64_t points;
};

/* How far the search of all interleavings came. */
struct burl_campaign_memory_search {
    bool any;
    bool proven;      /* all were explored, nothing was in doubt, none failed */
    bool failed;      /* an execution of it did */
    bool reads_files; /* of its own; then it is not kept */
    struct burl_search_identity id;
    uint64_t executions;
    uint64_t pruned;
    uint32_t campaigns; /* that had a part in it */
    int64_t when_ms;    /* since 1970: when it was left */
    char why[240];      /* what is in doubt, "" nothing */
    uint64_t *words;    /* its position (wire/search.h); none: too long to keep */
    size_t n_words;
    uint64_t *failures; /* fingerprints that it showed */
    size_t n_failures;
};

struct burl_campaign_memory_gate {
    uint32_t site;
    uint32_t gate; /* outermost lock held there, as the site that took it */
};

/*
 * What a campaign knows at its end, so that the next one goes on from there: by value, sites by
 * number. Numbers are those of one build; to keep it over builds, map them and leave out entries
 * whose sites are gone. The arrays are owned, see burl_campaign_memory_free().
 */
struct burl_campaign_memory {
    uint64_t executions; /* of all campaigns so far */
    uint64_t schedules;
    uint64_t n_works; /* streams of seeds: none is used twice */
    uint64_t n_directed;
    struct burl_campaign_arm arms[BURL_CAMPAIGN_ARMS_MAX];
    size_t n_arms;
    uint32_t *points; /* sites seen shared, ascending */
    size_t n_points;
    struct burl_profile_edge *edges;
    size_t n_edges;
    struct burl_campaign_memory_gate *gates;
    size_t n_gates;
    BURL_VEC(struct burl_goal_memory) goals;
    struct burl_campaign_memory_enum enums[BURL_CAMPAIGN_ENUMS];
    size_t n_enums;
    struct burl_campaign_memory_search search;
    bool search_damaged; /* there was something, and it cannot be used */
};

/* The result of the search of all schedules. */
struct burl_campaign_search {
    uint64_t executions; /* 0: it was not tried */
    uint64_t pruned;     /* of these, given up as the same as another */
    bool complete;       /* and nothing in doubt */
    bool failed;         /* one of these failed, in whatever campaign */
    bool earlier;        /* this campaign has not searched: an earlier one did, at when_ms */
    int64_t when_ms;     /* since 1970 */
    uint32_t campaigns;  /* that had a part in it; 0: it was not tried */
    uint32_t inject;     /* BURL_ORDER_F_INJECT bits that it was about */
    char why[240];       /* not complete: why not; "" otherwise */
    char anew[80];       /* why it did not go on where an earlier campaign left it; "" it did, or
                            there was none */
};

struct burl_campaign_stats {
    enum burl_campaign_end end;
    uint32_t engine;
    uint32_t reset;
    char why_engine[320]; /* "" when the default was taken and held */
    char why_reset[320];
    uint64_t reset_us[2]; /* time of an execution by reset, as last compared; 0: it was not */
    char why_end[320];
    struct burl_campaign_totals all;
    struct burl_campaign_totals by_strategy[BURL_STRATEGY__N];
    uint64_t by_verdict[BURL_VERDICT__N];
    bool is_thinned; /* executions were so long that decisions were left out (rt/learn/thin.c) */
    uint64_t counters[BURL_COUNTER__N];
    struct burl_campaign_search search;
    uint32_t delays_complete;      /* all schedules with so many delays, or fewer, were tried */
    uint32_t preemptions_complete; /* the same of places to preempt at */
    uint32_t reruns[BURL_CAMPAIGN_RERUN__N]; /* schedules that were run again, by how it ended */
    uint64_t edges;                          /* reads-from edges seen, of edge_candidates */
    uint64_t edge_candidates;
    uint64_t pairs; /* location pairs seen, of pair_candidates */
    uint64_t pair_candidates;
    uint64_t lock_orders;      /* pairs of requests: one lock requested while the other is held */
    uint64_t extra_executions; /* self-check, confirmation, minimizing, outcomes of races */
    uint64_t schedules; /* tried: executions but for exact repetitions, and outcomes of races */
    uint32_t max_threads;
    uint32_t n_sites;
    uint32_t n_shared; /* sites seen shared, */
    uint32_t n_points; /* and those of them that are scheduling points */
    uint64_t max_steps; /* in force at the end */
    uint64_t horizon;
    uint32_t n_rounds;
    uint32_t n_restarts; /* target processes lost and replaced */
    uint32_t n_findings; /* distinct and confirmed */
    int64_t wall_ms;
    uint64_t snapshot_b;
    /* --check-determinism */
    bool nondeterministic;
    uint64_t unstable_seed;
    uint32_t unstable_step;
    uint32_t unstable_site;
    char unsupported[BURL_WIRE_TEXT_B];      /* first primitive that was met and not modeled */
    struct burl_campaign_unstable *unstable; /* owned */
    size_t n_unstable;
    /* Executions that failed while other processes of the program ran, and did not when the
     * schedule was run alone; `schedules` when the campaign went on with one process at a time. */
    uint64_t n_crowded;
    uint64_t crowded_schedules;
    struct burl_campaign_suspect *suspects; /* owned; in the order of discovery, the same whatever
                                               the number of jobs */
    size_t n_suspects;
    uint64_t directed_hits; /* directed executions whose sites met */
    struct burl_campaign_arm arms[BURL_CAMPAIGN_ARMS_MAX]; /* the portfolio */
    size_t n_arms;
    struct burl_campaign_memory *memory; /* owned; NULL unless cfg.remember */
    uint64_t covered_lost;               /* items that found no room in the area of a process */
};

struct burl_campaign_progress {
    const struct burl_campaign_stats *stats; /* of completed orders */
    uint64_t executions;                     /* with those of running orders */
    int64_t elapsed_ms;
    uint32_t strategy;
    uint32_t param;
};

/* A turn that never comes. */
#define BURL_CAMPAIGN_TURN_NEVER UINT32_MAX

struct burl_campaign_hooks {
    void *arg;
    /* Once, when the first target process is up: what the program consists of. */
    enum burl_status (*ready)(void *arg, const struct burl_wire_ctl *ctl, struct burl_err *err);
    /* Is it suppressed? Then it is not confirmed, counted or handed over. Called for every pair of
     * places of a race. Both may be NULL, only together. */
    bool (*hidden)(void *arg, const struct burl_wire_verdict *v);
    bool (*hidden_suspect)(void *arg, const struct burl_wire_suspect *s);
    /* When directed executions aim at a suspect: those of turn 0 first, then 1, ...; NEVER: neither
     * aimed at nor confirmed. Called once per suspect. NULL: all have turn 0. */
    uint32_t (*suspect_turn)(void *arg, const struct burl_wire_suspect *s);
    /* A new confirmed failure; a status other than BURL_OK ends the campaign with it. */
    enum burl_status (*finding)(void *arg, const struct burl_campaign_finding *f,
                                struct burl_err *err);
    /* Once per finding at the end: how often it was met in all. May be NULL. */
    enum burl_status (*final_count)(void *arg, uint64_t fingerprint, uint64_t count,
                                    struct burl_err *err);
    /* The executions of the next items loaded shared objects while they ran: their modules come
     * after those of `ready`, and these numbers of sites hold for them only. Without metrics: the
     * next call is about a process with another module map than before. May be NULL. */
    enum burl_status (*loaded)(void *arg, const struct burl_campaign_image *image,
                               struct burl_err *err);
    /*
     * A new item, once per campaign, with the execution that covered it first: in the order of
     * executions, and within one in the order of events, whatever the number of jobs. Site numbers
     * are those of the process of the last `ready` or `loaded`. *keep (set to false before): the
     * schedule of this execution is wanted. May be NULL without metrics.
     */
    enum burl_status (*covered)(void *arg, const struct burl_wire_cover_item *item,
                                const struct burl_campaign_covered *where, bool *keep,
                                struct burl_err *err);
    /* The schedule of an execution that was wanted, recorded in a fresh process which covered the
     * same item again. What cannot be repeated is left out. May be NULL. */
    enum burl_status (*kept)(void *arg, const struct burl_campaign_covered *where,
                             const struct burl_run *run, struct burl_err *err);
    /* One of cfg.reruns was run; after `finding`, when it failed. May be NULL without reruns. */
    enum burl_status (*reran)(void *arg, const struct burl_campaign_reran *r, struct burl_err *err);
    /* The schedule of an execution that was the first to show n_new reads-from edges, recorded in a
     * fresh process; profile: all that it shows. A few per campaign. May be NULL. */
    enum burl_status (*kept_edges)(void *arg, const struct burl_campaign_covered *where,
                                   const struct burl_run *run,
                                   const struct burl_wire_profile *profile, size_t n_new,
                                   struct burl_err *err);
    /* Between rounds: is coverage saturated? May be NULL. */
    bool (*enough)(void *arg, const struct burl_campaign_stats *stats);
    /* A few times per second; may be NULL. */
    void (*progress)(void *arg, const struct burl_campaign_progress *p);
};

/*
 * Runs a campaign to its end. `stats` is filled in any case, so that a summary can be shown;
 * free with burl_campaign_stats_deinit(). Failures: BURL_E_USAGE (combinations that do not go
 * together, no such program), BURL_E_TARGET (the program cannot be tested, see
 * burl_target_start()), what a hook returned. Findings are not failures.
 */
BURL_MUST_CHECK enum burl_status burl_campaign_run(const struct burl_campaign_config *cfg,
                                                   const struct burl_campaign_hooks *hooks,
                                                   struct burl_campaign_stats *stats,
                                                   struct burl_err *err);
void burl_campaign_stats_deinit(struct burl_campaign_stats *stats);
/* NULL is fine. */
void burl_campaign_memory_free(struct burl_campaign_memory *m);
/* The same for one that was not allocated. */
void burl_campaign_memory_deinit(struct burl_campaign_memory *m);

/* "time", "runs", ...: for the store. */
const char *burl_campaign_end_name(enum burl_campaign_end end);

#endif
