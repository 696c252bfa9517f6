/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cover_int.h - what the files of `burl cover` share.
 *
 *   cmd_cover.c     the command and its sub-commands, campaigns under control
 *   cover_free.c    campaigns of free runs
 *   cover_hunt.c    `burl cover hunt`
 *   cover_prune.c   `burl cover prune`
 *   cover_metrics.c names of metrics, floors
 *   cover_options.c which options go with which sub-command
 *   cover_show.c    the end of each: model, renderers, exit code
 */
#ifndef BURL_CLI_COVER_INT_H
#define BURL_CLI_COVER_INT_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cover/cover.h"
#include "engine/plan/campaign.h"
#include "store/store.h"

#define BURL_COVER_FLOORS_MAX BURL_METRIC__N

struct burl_cover_floor {
    uint8_t metric;
    double percent;
};

struct burl_cover_session {
    const struct burl_options *opts;
    int argc; /* the program and its arguments */
    char **argv;
    uint32_t metrics; /* BURL_METRIC bits asked for */
    struct burl_cover_floor floors[BURL_COVER_FLOORS_MAX];
    size_t n_floors;

    struct burl_store *store; /* NULL until a process is up */
    struct burl_cover *cover;
    int64_t campaign; /* 0: none */
    char build_id[17];
    char *args_json;
    char *options_json;
    struct burl_progress progress;
    int64_t flushed_ms;

    /* Executions that failed. */
    uint64_t n_failed;
    char failure[160]; /* what the first was */
    const char *note;  /* why it ended early, NULL nothing to say */
    bool interrupted;
};

/* cmd_cover.c */
/* Opens the store for a campaign of the program and begins it. */
BURL_MUST_CHECK enum burl_status burl__cover_begin(struct burl_cover_session *s, uint32_t metrics,
                                                   const struct burl_store_cover_image *image,
                                                   struct burl_err *err);
/* Writes what is new when the last time is a while ago. */
BURL_MUST_CHECK enum burl_status burl__cover_flush_some(struct burl_cover_session *s,
                                                        uint64_t executions, int64_t wall_ms,
                                                        uint64_t lost, struct burl_err *err);
void burl__cover_note_failure(struct burl_cover_session *s, const struct burl_wire_verdict *v,
                              uint64_t count);
/* The absolute path of a program, by PATH when it has no slash; caller frees. */
BURL_MUST_CHECK enum burl_status burl__cover_program_path(char **out, const char *program,
                                                          struct burl_err *err);

/* Opens the stored coverage of a program (NULL: of the one covered last), for `report`, `hunt` and
 * `prune`. Creates nothing. */
BURL_MUST_CHECK enum burl_status burl__cover_open(struct burl_cover_session *s, const char *program,
                                                  bool writing, struct burl_err *err);
/* A process is up: begins the campaign. */
BURL_MUST_CHECK enum burl_status burl__cover_ready(struct burl_cover_session *s, uint32_t metrics,
                                                   const struct burl_wire_ctl *ctl,
                                                   struct burl_err *err);
/* More code was loaded. */
BURL_MUST_CHECK enum burl_status burl__cover_loaded(struct burl_cover_session *s,
                                                    const struct burl_campaign_image *loaded,
                                                    struct burl_err *err);
/* At the end: writes the rest, and how threads were run. */
BURL_MUST_CHECK enum burl_status burl__cover_flush_last(struct burl_cover_session *s,
                                                        uint64_t executions, int64_t wall_ms,
                                                        uint64_t lost, uint32_t engine,
                                                        struct burl_err *err);
/* Closes the row of the store, when there is one; the exit code. Prints the error of `st`. */
int burl__cover_end(struct burl_cover_session *s, const struct burl_store_totals *totals, int code,
                    const char *why_end, enum burl_status st, struct burl_err *err);
void burl__cover_say_failure(const struct burl_cover_session *s);

/* cover_options.c */
enum burl_cover_sub {
    BURL_COVER_SUB_RUN, /* a program, no sub-command */
    BURL_COVER_SUB_REPORT,
    BURL_COVER_SUB_HUNT,
    BURL_COVER_SUB_PRUNE
};
/* BURL_E_USAGE for an option on the command line that the sub-command does not use. */
BURL_MUST_CHECK enum burl_status burl__cover_check_options(const struct burl_options *o,
                                                           enum burl_cover_sub sub,
                                                           struct burl_err *err);

/* cover_free.c */
BURL_MUST_CHECK enum burl_status burl__cover_free_runs(struct burl_cover_session *s,
                                                       struct burl_store_totals *totals,
                                                       const char **why_end, struct burl_err *err);

/* cover_hunt.c, cover_prune.c: whole sub-commands; words without the sub-command's name */
int burl__cover_cmd_hunt(struct burl_cover_session *s);
int burl__cover_cmd_prune(struct burl_cover_session *s);

/* cover_prune.c */
/* "queue.c:18:9 read" */
void burl__cover_print_site(const struct burl_cover_site *s);

/* cover_metrics.c */
BURL_MUST_CHECK enum burl_status burl__cover_parse_metrics(const char *list, uint32_t *out,
                                                           struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__cover_parse_floors(struct burl_cover_session *s,
                                                          const char *list, struct burl_err *err);
void burl__cover_list_metrics(const struct burl_options *opts);
/* The observers that measure these. */
uint32_t burl__cover_observers(uint32_t metrics);

/* cover_show.c */
/* The model of what is in s->cover; `names` may be NULL. */
BURL_MUST_CHECK enum burl_status burl__cover_model(struct burl_cover_session *s,
                                                   struct burl_cover_model *m,
                                                   struct burl_cover_names *names,
                                                   struct burl_err *err);
struct burl_prune;
/* Makes an entry of every proposal; how many were new. */
size_t burl__cover_accept_all(const struct burl_cover_model *m, struct burl_prune *p);
/* --verbose: entries of other programs in the prune file. */
void burl__cover_say_foreign(const struct burl_cover_session *s, const struct burl_cover_model *m);
/* Renders the model in all requested forms; *code becomes PROMISE when a threshold was missed and
 * it was CLEAN. */
BURL_MUST_CHECK enum burl_status burl__cover_show(struct burl_cover_session *s, int *code,
                                                  struct burl_err *err);

#endif
