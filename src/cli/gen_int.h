/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/gen_int.h - the parts of `burl gen`.
 *
 *   cmd_gen.c      the command: model, executor, search, exit code
 *   gen_keep.c     a violation becomes a C test, a campaign on it, a finding
 *   gen_suite.c    --emit-suite
 *   gen_summary.c  what is said at the end, as text, JSON and HTML
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
    char *json; /* the whole finding */
};

struct burl_gen_run {
    const struct burl_options *opts;
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
    size_t n_suite;
};

/* gen_keep.c */
/* Hook of the search. */
BURL_MUST_CHECK enum burl_status burl__gen_keep(void *arg, const struct burl_gen_violation *v,
                                                struct burl_gen_oracle *oracle,
                                                enum burl_gen_fate *fate, struct burl_err *err);

/* gen_suite.c */
BURL_MUST_CHECK enum burl_status burl__gen_suite(struct burl_gen_run *g, struct burl_err *err);

/* gen_summary.c */
void burl__gen_print_summary(const struct burl_gen_run *g);
void burl__gen_print_json(const struct burl_gen_run *g, int exit_code, const struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__gen_write_html(const struct burl_gen_run *g,
                                                      struct burl_err *err);

#endif
