/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/free_int.h - what `burl run` and `burl test --engine=free` share.
 *
 *   cmd_run.c     the command `burl run`: one run, with the user's own input and output
 *   test_free.c   `burl test --engine=free`: many runs within a budget
 *   free_keep.c   what runs found, merged, suppressed, and kept in the store
 *   free_report.c what is said at the end, as text and as JSON
 *   free_noise.c  --noise
 *   free_marks.c  what a search learned about places, in the file of --noise
 */
#ifndef BURL_CLI_FREE_INT_H
#define BURL_CLI_FREE_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/test_int.h"
#include "engine/free/free.h"

struct burl_json_writer;

/* In the directory of a finding of burl tune: the noise under which it was first seen. */
#define BURL__FILE_SETTING "setting.noise"

/* Where a finding of burl tune comes from; the caller frees the strings. */
struct burl_free_origin {
    char *noise; /* the setting in one line; NULL: a plain run */
    char *again; /* the command that may show it again */
    const char *check;
    const char *check_output;
};

struct burl_free_session {
    const struct burl_options *opts;
    int argc;
    char **argv;
    const char *command;  /* "run", "test" */
    uint32_t observers;
    struct burl_report_style style;
    struct burl_suppress *rules;
    struct burl_store *store;
    int64_t campaign;
    char build_id[17];
    char *args_json;
    char *options_json;
    struct burl_kept_list kept;
    bool counts_later; /* the counts of new findings are written by the caller */
    BURL_VEC(struct burl_wire_suspect) suspects; /* one per key, not suppressed; of `sites` */
    struct burl_sites *sites; /* of the first run, once it has ended */
    uint64_t n_runs;
    uint64_t n_failed;    /* runs with a finding */
    uint64_t n_cut;       /* runs that were stopped because their time was over */
    uint64_t n_cut_blocked; /* of these, runs with blocked threads */
    struct burl_wire_blocked *blocked; /* threads of the last run that were blocked when it was
                                          ended from outside and no deadlock was certain */
    size_t n_blocked;
    uint64_t n_other_modules; /* runs whose suspects are not listed: they had other sites */
    int64_t wall_ms;
    uint32_t max_threads;
    uint64_t counters[BURL_COUNTER__N];
    uint64_t n_unobserved; /* runs that were not observed to the end */
    char text[BURL_WIRE_TEXT_B]; /* why, or another note of a run */
    enum burl_free_end end;      /* of the last run */
    struct burl_proc_status status;
    const char *why_end;         /* for the store */
    bool has_noise;
    struct burl_wire_noise noise;            /* with has_noise */
    struct burl_wire_noise_counts injected;  /* in all runs */
    uint8_t *marks;       /* of the file of --noise, by site number; NULL none */
    uint32_t *variables;  /* the same: numbers of variables, 0 unknown */
    size_t n_marks;
    char marks_build[17]; /* the build that they belong to */
    /* A finding is about to be stored under the number `id`. NULL: nothing is known of its
     * origin. */
    enum burl_status (*origin)(void *arg, const struct burl_wire_verdict *v, int64_t id,
                               struct burl_free_origin *out, struct burl_err *err);
    void *origin_arg;
};

/* free_keep.c */
/* Reads --detect and --suppressions. */
BURL_MUST_CHECK enum burl_status burl__free_begin(struct burl_free_session *s,
                                                  struct burl_err *err);
/* Adds the findings of a run. New ones are in s->kept from index *first_new on. Empties `r`. */
BURL_MUST_CHECK enum burl_status burl__free_take(struct burl_free_session *s,
                                                 struct burl_free_result *r, size_t *first_new,
                                                 struct burl_err *err);
/* Records the end of the campaign. */
BURL_MUST_CHECK enum burl_status burl__free_end(struct burl_free_session *s, int exit_code,
                                                struct burl_err *err);
void burl__free_deinit(struct burl_free_session *s);
/* FINDINGS, also for suspects with --strict; PROMISE when it was `cut` or not observed to the
 * end. */
int burl__free_exit_code(const struct burl_free_session *s, bool cut);

/* free_report.c */
void burl__free_print_summary(const struct burl_free_session *s, FILE *out);
void burl__free_print_json(const struct burl_free_session *s, int exit_code,
                           const struct burl_err *err, FILE *out);

/* free_noise.c */
/* Reads --noise and --noise-seed. */
BURL_MUST_CHECK enum burl_status burl__free_noise_begin(struct burl_free_session *s,
                                                        struct burl_err *err);
void burl__free_noise_add(struct burl_free_session *s, const struct burl_free_result *r);
/* Nothing without noise. */
void burl__free_noise_print(const struct burl_free_session *s, FILE *out);
void burl__free_noise_json(const struct burl_free_session *s, struct burl_json_writer *w);

/* free_marks.c */
/* Lines for the file of a setting: the `wanted` marks of sites of a build, and the numbers of their
 * variables unless that is NULL. */
void burl__free_marks_write(struct burl_buf *out, const char *build_id, const uint8_t *marks,
                            const uint32_t *variables, size_t n, uint8_t wanted);
/* Reads them from the file of --noise, if it is one. */
BURL_MUST_CHECK enum burl_status burl__free_marks_read(struct burl_free_session *s,
                                                       struct burl_err *err);
/* After the run: a note when they are of another build. */
void burl__free_marks_print(const struct burl_free_session *s, FILE *out);

/* test_free.c */
/* Refuses options that only make sense when burl schedules the threads. */
BURL_MUST_CHECK enum burl_status burl__free_check_options(const struct burl_options *o,
                                                          struct burl_err *err);
int burl__test_free(const struct burl_options *opts, int argc, char **argv);

struct burl_free_hooks {
    void *arg;
    /* A run has ended. */
    enum burl_status (*take)(void *arg, struct burl_free_result *r, int64_t elapsed_ms,
                             struct burl_err *err);
    /* Why to end now; `limit`: "runs" or "time" when one is reached, else NULL. */
    const char *(*over)(void *arg, const char *limit);
};
/* Runs the program of `fo` within --runs and --time; *why_end is for the store. */
BURL_MUST_CHECK enum burl_status burl__free_loop(const struct burl_options *o,
                                                 struct burl_free_opts fo,
                                                 const struct burl_free_hooks *hooks,
                                                 const char **why_end, struct burl_err *err);

#endif
