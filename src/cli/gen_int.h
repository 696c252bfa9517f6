/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_int.h - the parts of `burl gen`, some of which `burl synth` uses.
 *
 *   cmd_gen.c      the command: model, executor, search, exit code
 *   gen_setup.c    before and after the search: tools, model, folder, executor
 *   gen_keep.c     a violation becomes a C test, a campaign on it, a finding
 *   gen_suite.c    --emit-suite
 *   gen_summary.c  what is said at the end, as text, JSON and HTML
 *   gen_findings.c the parts of it that both commands have
 *
 * and of `burl synth`:
 *
 *   cmd_synth.c     the command: seeds, phases, exit code
 *   synth_summary.c what is said at the end as text; --explain
 *   synth_json.c    the same as JSON
 */
#ifndef BURL_CLI_GEN_INT_H
#define BURL_CLI_GEN_INT_H

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/test_int.h"
#include "gen/emit/emit.h"
#include "gen/model/model.h"
#include "gen/search/search.h"

/* A finding of this command. */
struct burl_gen_found {
    int64_t id;
    const char *kind;
    char *title;
    char *test; /* path of its test.c */
    char *source; /* of the generated test that it is a copy of */
    char *json; /* the whole finding */
    char *origin; /* synth: " (test 3, pairs 4, 9)"; NULL none */
    BURL_VEC(char *) also; /* other generated tests that showed it: paths */
};

struct burl_gen_run {
    const struct burl_options *opts;
    const char *command; /* "gen" or "synth" */
    struct burl_gen_sources sources;
    struct burl_gen_model model;
    struct burl_gen_exec *exec;
    struct burl_gen_config cfg;
    struct burl_gen_pairs pairs;
    struct burl_gen_curve curve;
    struct burl_gen_stats stats;
    struct burl_progress progress;
    char *burl; /* our own path */
    char *api_tool;
    char *dir;        /* of driver and tests: <store>/gen */
    int lock;         /* file that says that dir is in use; -1 none */
    int64_t start_ms; /* of the search */
    BURL_VEC(struct burl_gen_found) found;
    BURL_VEC(struct burl_gen_test) kept; /* --emit-suite */
    BURL_VEC(char *) stories; /* synth: why each of `kept` was written; owned */
    BURL_VEC(char *) not_built; /* reasons why tests with seeds do not compile; owned */
    size_t n_suite;
    /* synth, for the violation that burl__gen_keep() is given: */
    const char *story;   /* why its test was written */
    const char *origin;  /* which test it is */
    BURL_VEC(int64_t) shown; /* out: its findings, new or not */
};

/* gen_setup.c */
BURL_MUST_CHECK enum burl_status burl__gen_find_tools(struct burl_gen_run *g, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__gen_make_model(struct burl_gen_run *g, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__gen_open(struct burl_gen_run *g, bool with_seeds,
                                                struct burl_err *err);
/* In the same folder, with other sources and with seeds; the executor was closed. */
BURL_MUST_CHECK enum burl_status burl__gen_reopen(struct burl_gen_run *g, struct burl_err *err);
/* Functions that no test calls, and why: nothing is skipped silently. */
void burl__gen_say_left_out(const struct burl_gen_run *g);
void burl__gen_deinit(struct burl_gen_run *g);

/* gen_keep.c */
/* Hook of the search. */
BURL_MUST_CHECK enum burl_status burl__gen_keep(void *arg, const struct burl_gen_violation *v,
                                                struct burl_gen_oracle *oracle,
                                                enum burl_gen_fate *fate, struct burl_err *err);
/* The words to compile a test with: those of the sources, and the parts of seeds that a test with
 * stopped seeds needs. Freed by the caller. */
const char **burl__gen_words(const struct burl_gen_run *g, const struct burl_gen_test *t,
                             size_t *n);

/* gen_suite.c */
BURL_MUST_CHECK enum burl_status burl__gen_suite(struct burl_gen_run *g, struct burl_err *err);

/* gen_findings.c */
void burl__gen_put_set_apart(uint64_t unclean, uint64_t unconfirmed, uint64_t cut,
                             struct burl_buf *b);
/* Two lines for each finding. */
void burl__gen_put_findings(const struct burl_gen_run *g, struct burl_buf *b);
/* Where the suite and the page are. */
void burl__gen_put_files(const struct burl_gen_run *g, struct burl_buf *b);
/* The first members of the document. */
void burl__gen_json_head(struct burl_json_writer *w, const struct burl_gen_run *g, int exit_code,
                         const struct burl_err *err);
/* The member "findings". */
void burl__gen_json_findings(struct burl_json_writer *w, const struct burl_gen_run *g);

/* gen_summary.c */
void burl__gen_print_summary(const struct burl_gen_run *g);
void burl__gen_print_json(const struct burl_gen_run *g, int exit_code, const struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__gen_write_html(const struct burl_gen_run *g,
                                                      struct burl_err *err);

/* synth_seeds.c */
struct burl_synth;
/* On stderr, after recording: seeds that are not used, and what the user should know. */
void burl__synth_say_seeds(const struct burl_synth *s);
/* Lines of the summary. */
void burl__synth_put_seeds(const struct burl_synth *s, struct burl_buf *b);

/* synth_summary.c */
/* What --explain asks for. */
struct burl_synth_asked {
    BURL_VEC(size_t) pairs; /* numbers, from 1: in full */
    bool all;               /* every pair in one line */
};
BURL_MUST_CHECK enum burl_status burl__synth_parse_pairs(const struct burl_synth *s,
                                                         const char *list,
                                                         struct burl_synth_asked *out,
                                                         struct burl_err *err);
/* Those of the header. */
size_t burl__synth_n_functions(const struct burl_synth *s);
void burl__synth_print_summary(const struct burl_gen_run *g, const struct burl_synth *s,
                               const struct burl_gen_violations *v,
                               const struct burl_synth_asked *asked);

/* synth_json.c */
void burl__synth_print_json(const struct burl_gen_run *g, const struct burl_synth *s,
                            const struct burl_gen_violations *v,
                            const struct burl_synth_asked *asked, int exit_code,
                            const struct burl_err *err);

#endif
