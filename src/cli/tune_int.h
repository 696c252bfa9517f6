/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/tune_int.h - `burl tune`: what its files share.
 *
 *   cmd_tune.c     the command: order of events, exit code
 *   tune_setup.c   options become genes, a search and a fitness
 *   tune_plain.c   runs without noise: what the program does by itself
 *   tune_known.c   places that burl knows: suspects, uncovered pairs
 *   tune_run.c     evaluations, one after the other; the search and the finals
 *   tune_jobs.c    several at a time, each in a process of its own
 *   tune_state.c   the search in the store
 *   tune_out.c     the file with the best setting
 *   tune_found.c   findings: under which setting they showed, and how often
 *   tune_report.c  what is said, as text
 *   tune_json.c    the same as JSON
 *   tune_html.c    the same as a page
 */
#ifndef BURL_CLI_TUNE_INT_H
#define BURL_CLI_TUNE_INT_H

#include <sys/stat.h>

#include "cli/free_int.h"
#include "tune/execute.h"
#include "tune/marks.h"
#include "tune/params.h"
#include "tune/tally.h"
#include "tune/tuner.h"

/* The program by itself. */
struct burl_tune_plain {
    uint32_t n;      /* plain runs */
    uint32_t failed; /* of these */
    uint32_t cut;    /* not ended at their limit */
    uint32_t killed; /* by a signal that is a request to end */
    uint32_t errors[BURL_TUNE_ERROR__N];
    int64_t slowest_ms;
    int64_t floor_ms; /* cost of one, the median */
    int64_t costs[64];
};

/* A finding of earlier processes. */
struct burl_tune_earlier {
    int64_t id;
    uint64_t shown; /* executions that showed it */
};

/* A finding of the whole search. */
struct burl_tune_finding {
    int64_t id;
    char *kind;
    char *title;
    char *json;
    uint64_t shown;    /* executions under noise that showed it */
    bool known_before; /* from before the search */
};

struct burl_tune_session {
    const struct burl_options *opts;
    int argc;
    char **argv; /* with {names} */
    char *path;  /* of the program, absolute */
    struct stat file; /* the program as it was at the start */
    uint64_t build;   /* of its first execution; 0: none yet */
    struct burl_free_session free; /* findings */
    struct burl_params params;
    struct burl_genome genome;
    struct burl_search_config search;
    BURL_VEC(struct burl_genes) start; /* first trials */
    struct burl_fitness fitness;
    uint32_t executions;
    uint32_t finalists; /* 0 or 1: no finals */
    uint32_t jobs;
    bool paper;
    bool has_tuner;
    struct burl_tuner tuner;
    struct burl_tune_seen seen;
    struct burl_marks marks;
    struct burl_execute exec;
    struct burl_tune_plain plain;
    int64_t run_ms; /* limit of an execution */
    bool no_places; /* the first run had no place for noise */
    bool no_shared; /* the program has no shared variables */
    bool has_suspects, has_pairs; /* places for the gene `known` */
    char *key_json; /* the options that decide what a search does */
    int64_t search_id;
    size_t n_resumed;  /* evaluations of earlier processes */
    BURL_VEC(struct burl_tune_earlier) earlier;
    BURL_VEC(struct burl_tune_finding) findings; /* at the end */
    uint64_t n_before;     /* executions under noise of earlier processes */
    uint64_t n_executions; /* the same of this one */
    uint64_t n_killed; /* executions that a request to end killed, as SIGTERM: neither failed nor
                        * passed */
    int killed_by;     /* the signal of the first of them */
    int64_t started_ms;
    uint64_t budget_ms; /* 0: none */
    int64_t first_error_ms; /* since the start of this process; -1: none */
    bool interrupted;
    bool in_finals;
    const char *end; /* why it ended: "time", "evaluations", "generations", "interrupted" */
    const struct burl_execution *taken; /* whose findings are being kept, */
    const struct burl_wire_noise *under; /* its setting; NULL: a plain run */
    char **command;                      /* and what was run */
    char *check_file;  /* output of the first execution that failed the check */
    char *out_path;    /* file with the best setting, once written */
    struct burl_progress progress;
};

/* tune_setup.c */
/* Reads all options and checks them; nothing is run. */
BURL_MUST_CHECK enum burl_status burl__tune_setup(struct burl_tune_session *t,
                                                  struct burl_err *err);
/* Of a new search: which genes make sense, by the marks. */
void burl__tune_shape(struct burl_tune_session *t);
/* The places that are known become a gene and first trials; then the search begins. */
void burl__tune_begin(struct burl_tune_session *t);
/* The command of a vector; burl_params_free_command() it. */
char **burl__tune_command(const struct burl_tune_session *t, const struct burl_genes *x);

/* tune_plain.c */
/* A first run that looks for suspects and shared variables; *build_id is known after it. */
BURL_MUST_CHECK enum burl_status burl__tune_look(struct burl_tune_session *t, struct burl_err *err);
/* BURL_E_USAGE: it always fails, or never ends. */
BURL_MUST_CHECK enum burl_status burl__tune_plain_runs(struct burl_tune_session *t,
                                                       struct burl_err *err);

/* tune_known.c */
/* Marks of the store: goals of campaigns, gaps of coverage. */
BURL_MUST_CHECK enum burl_status burl__tune_known(struct burl_tune_session *t,
                                                  struct burl_err *err);
/* Marks of a run: suspects and races. */
void burl__tune_known_run(struct burl_tune_session *t, const struct burl_free_result *r);

/* tune_run.c */
/* Evaluates until the budget or the search is over, and then the best settings once more. */
BURL_MUST_CHECK enum burl_status burl__tune_loop(struct burl_tune_session *t, struct burl_err *err);
/* How a trial is executed: finals are without metrics. */
struct burl_execute burl__tune_execute(const struct burl_tune_session *t,
                                       const struct burl_trial *trial);
/* The setting of an execution of a trial, with its seed and variable. */
void burl__tune_noise(const struct burl_tune_session *t, const struct burl_trial *trial, uint32_t i,
                      struct burl_wire_noise *out);
/* Keeps findings and marks of an execution of `command` under a setting, NULL for a plain run.
 * Empties x->r of its sites. */
BURL_MUST_CHECK enum burl_status burl__tune_take(struct burl_tune_session *t,
                                                 struct burl_execution *x, char **command,
                                                 const struct burl_wire_noise *noise,
                                                 struct burl_err *err);
/* Is the time over, or did the user interrupt? */
bool burl__tune_is_over(struct burl_tune_session *t);
/* The program could not be executed: says so if its file is no longer what it was. BURL_OK: the
 * time is over, and it was too short to start. */
BURL_MUST_CHECK enum burl_status burl__tune_no_execution(struct burl_tune_session *t,
                                                         enum burl_status st, struct burl_err *err);
/* Should the rest of an evaluation be left out after this execution? */
bool burl__tune_is_enough(const struct burl_tune_session *t, const struct burl_execution *x,
                          enum burl_tune_error error);
/* Does an evaluation count? All its executions were made, the rest is left out, or the time is over
 * and there is at least one. */
bool burl__tune_is_complete(struct burl_tune_session *t, const struct burl_trial *trial,
                            const struct burl_tally *tally, bool enough);
/* How many executions a trial has. */
uint32_t burl__tune_executions(const struct burl_tune_session *t, const struct burl_trial *trial);
/* Adds an execution to the tally of its evaluation. */
BURL_MUST_CHECK enum burl_status burl__tune_count(struct burl_tune_session *t,
                                                  struct burl_execution *x, char **command,
                                                  const struct burl_wire_noise *noise,
                                                  struct burl_tally *tally,
                                                  enum burl_tune_error *error,
                                                  struct burl_err *err);

/* tune_jobs.c */
/* Evaluates all trials at the same time. `tallies` has one for each; those of trials that were not
 * completed are left out at the end: *n_done. */
BURL_MUST_CHECK enum burl_status burl__tune_jobs(struct burl_tune_session *t,
                                                 const struct burl_trial *trials, size_t n,
                                                 struct burl_tally *tallies, size_t *n_done,
                                                 struct burl_err *err);

/* tune_state.c */
/* After the first run: looks for an earlier search. *found: the plain runs, the marks and what was
 * covered are there. */
BURL_MUST_CHECK enum burl_status burl__tune_recall(struct burl_tune_session *t, bool *found,
                                                   struct burl_err *err);
/* Feeds the evaluations of the earlier search to the tuner. */
BURL_MUST_CHECK enum burl_status burl__tune_replay(struct burl_tune_session *t,
                                                   struct burl_err *err);
/* Records a new search. */
BURL_MUST_CHECK enum burl_status burl__tune_record(struct burl_tune_session *t,
                                                   struct burl_err *err);
/* Writes an evaluation with all it brought. */
BURL_MUST_CHECK enum burl_status burl__tune_save(struct burl_tune_session *t,
                                                 const struct burl_evaluation *e,
                                                 const struct burl_tally *tally,
                                                 struct burl_err *err);
/* Writes how many executions showed each finding: to the search and to the finding at once. */
BURL_MUST_CHECK enum burl_status burl__tune_save_findings(struct burl_tune_session *t,
                                                          struct burl_err *err);
/* Executions of the whole search under noise that showed a finding of this process. */
uint64_t burl__tune_shown(const struct burl_tune_session *t, const struct burl_kept *k);
/* At the end: all findings of the search, in the order of their numbers. */
BURL_MUST_CHECK enum burl_status burl__tune_list_findings(struct burl_tune_session *t,
                                                          struct burl_err *err);
void burl__tune_drop_findings(struct burl_tune_session *t);

/* tune_found.c */
/* The hook of the session: writes the setting beside the finding. */
BURL_MUST_CHECK enum burl_status burl__tune_origin(void *arg, const struct burl_wire_verdict *v,
                                                   int64_t id, struct burl_free_origin *out,
                                                   struct burl_err *err);
/* At the end: writes to the findings of this process how many executions showed them. */
BURL_MUST_CHECK enum burl_status burl__tune_recount(struct burl_tune_session *t,
                                                    struct burl_err *err);

/* tune_out.c */
/* The best setting as it is written: with its best seed, 1 when none was tried. */
void burl__tune_best_noise(const struct burl_tune_session *t, const struct burl_setting *best,
                           struct burl_wire_noise *out);
/* A setting as the text of a file, with the marks that it looks at. */
void burl__tune_write_setting(const struct burl_tune_session *t, const struct burl_wire_noise *n,
                              struct burl_buf *out);
/* The file of the best setting; the caller frees it. */
char *burl__tune_out_file(const struct burl_tune_session *t);
/* Writes the best setting to its file. Nothing before the first evaluation. */
BURL_MUST_CHECK enum burl_status burl__tune_write_best(struct burl_tune_session *t,
                                                       struct burl_err *err);

/* tune_report.c */
void burl__tune_progress(struct burl_tune_session *t);
void burl__tune_print_new(struct burl_tune_session *t, size_t first_new);
void burl__tune_print_summary(const struct burl_tune_session *t, FILE *out);
/* "3 crashed, 1 deadlocked", "" without errors. */
void burl__tune_errors_words(const uint32_t errors[BURL_TUNE_ERROR__N], struct burl_buf *out);

/* tune_json.c */
void burl__tune_print_json(const struct burl_tune_session *t, int exit_code,
                           const struct burl_err *err, FILE *out);

/* tune_html.c */
BURL_MUST_CHECK enum burl_status burl__tune_write_html(const struct burl_tune_session *t,
                                                       struct burl_err *err);

#endif
