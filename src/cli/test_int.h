/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_int.h - what the commands about findings share: test, replay, show, findings.
 *
 *   cmd_test.c      the command: configuration, signals, hooks, exit code
 *   test_keep.c     a finding becomes files and a row of the store
 *   test_summary.c  what is said at the end of a campaign, as text and as JSON
 *   test_suspects.c its part about suspects
 */
#ifndef BURL_CLI_TEST_INT_H
#define BURL_CLI_TEST_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/sites.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "engine/engine.h"
#include "report/report.h"
#include "report/suppress.h"
#include "store/store.h"

/* A finding of this campaign, as kept. */
struct burl_kept {
    uint64_t fingerprint;
    int64_t id;
    uint64_t stored;   /* executions already counted in the store */
    uint64_t count;    /* executions of this campaign that showed it */
    bool known_before; /* from an earlier campaign */
    bool sequential;
    uint64_t found_after; /* as in the engine's finding */
    int64_t found_ms;
    uint32_t confirmed;
    uint32_t confirm_tries;
    const char *kind;
    struct burl_finding *finding; /* for the line of the summary */
    char *variable; /* race.data: the memory it is on, as burl_report_variable() says it */
    char *json;     /* the whole finding */
};

struct burl_test {
    const struct burl_options *opts;
    const char *command; /* that runs it, for the store */
    bool judged; /* it is known that no order of the calls fails: a failure without a preemption is
                    one of concurrency too */
    int argc;
    char **argv;
    struct burl_store *store;
    struct burl_sites *sites; /* NULL before the first process is up */
    int64_t campaign;
    char build_id[17];
    char *args_json;
    char *options_json;
    struct burl_progress progress;
    struct burl_report_style style;
    struct burl_suppress *rules; /* NULL: none */
    struct {
        BURL_VEC_OF(struct burl_kept);
    } kept;
};

/* test_keep.c */
/* Writes findings/<n>/{finding.json,schedule.txt,report.txt,output.txt}, then the store. Nothing
 * is shown. *text (caller frees) is the report for the terminal. */
BURL_MUST_CHECK enum burl_status burl__test_keep(struct burl_test *t,
                                                 const struct burl_campaign_finding *f,
                                                 struct burl_kept *out, char **text,
                                                 struct burl_err *err);
void burl__test_kept_deinit(struct burl_kept *k);
/* A JSON array of strings; caller frees. */
char *burl__test_args_json(char *const *argv, int argc);

/* cmd_test.c */
/* Runs a campaign on t->argv. Each finding is kept and, unless --json, printed as it comes. */
BURL_MUST_CHECK enum burl_status burl__test_campaign(struct burl_test *t,
                                                     const struct burl_campaign_config *cfg,
                                                     struct burl_campaign_stats *stats,
                                                     struct burl_err *err);
/* Closes its row of the store, when there is one. */
BURL_MUST_CHECK enum burl_status burl__test_record_end(struct burl_test *t,
                                                       const struct burl_campaign_stats *s,
                                                       int exit_code, struct burl_err *err);
void burl__test_deinit(struct burl_test *t);
/* All options that apply to the commands `on`, as a JSON object; caller frees. */
char *burl__test_options_json(const struct burl_options *o, unsigned on);
/* What the options say about a campaign; interrupted by Ctrl-C (cli/interrupt.h). */
struct burl_campaign_config burl__test_config(const struct burl_options *o, uint32_t observers,
                                              char **argv);
/* The bound on one execution: --exec-timeout, or less when --time is short. */
uint32_t burl__test_exec_timeout_ms(const struct burl_options *o);

/* test_summary.c */
void burl__test_print_summary(const struct burl_test *t, const struct burl_campaign_stats *s);
/* Why this program cannot be tested; nothing when it can. --quiet says this too. */
void burl__test_print_refusal(const struct burl_test *t, const struct burl_campaign_stats *s,
                              FILE *out);
void burl__test_print_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                           int exit_code, const struct burl_err *err);

/* test_suspects.c */
void burl__test_suspects_print(const struct burl_test *t, const struct burl_campaign_stats *s);
void burl__test_suspects_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                              struct burl_json_writer *w);
/* Is it one that a rule hides? Counts it there. */
bool burl__test_suspect_hidden(const struct burl_test *t, const struct burl_wire_suspect *x);
/* Is there something that --strict counts? */
bool burl__test_suspects_open(const struct burl_test *t, const struct burl_campaign_stats *s);

/* test_summary.c */
/* Width, colour and alphabet of standard output. */
struct burl_report_style burl__test_style(const struct burl_options *opts);
/* 1,234,567 */
const char *burl__test_number(uint64_t n, char buf[32]);

#endif
