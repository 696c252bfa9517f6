/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/test_int.h - what the commands about findings share: test, replay, show, findings.
 *
 *   cmd_test.c      the command: configuration, signals, hooks, exit code
 *   kept_list.c     the list of findings, one line for each cause
 *   test_keep.c     a finding becomes files and a row of the store
 *   test_summary.c  what is said at the end of a campaign, as text and as JSON
 *   test_suspects.c its part about suspects
 *   test_memory.c   what earlier campaigns left, what this one leaves, and what is new
 *   test_corpus.c   the schedules worth keeping: keeping, choosing, listing
 */
#ifndef BURL_CLI_TEST_INT_H
#define BURL_CLI_TEST_INT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/number.h"
#include "base/sites.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "engine/engine.h"
#include "engine/schedule/schedfile.h"
#include "finding/fingerprint.h"
#include "report/report.h"
#include "report/finding/suppress.h"
#include "report/finding/suspects.h"
#include "store/memory.h"
#include "store/store.h"

/* In the directory of a finding of burl gen or burl synth: its test, and why that was written. */
#define BURL_FILE_TEST "test.c"
#define BURL_FILE_STORY "story.txt"
/* The same of every finding: ids of the builds that have shown it, one per line. */
#define BURL_FILE_BUILDS "builds.txt"

/* A finding of this command, as kept. */
struct burl_kept {
    struct burl_finding_facts facts;
    int64_t id;
    uint64_t stored;   /* executions already counted in the store */
    bool counted_later; /* the count is written together with something else */
    uint64_t shown;    /* of free runs: how many showed it */
    bool known_before; /* from an earlier campaign */
    bool regression;   /* a schedule of an earlier build showed it */
    bool replayable;   /* of free runs: an earlier burl test left a schedule for it */
    bool has_setting;  /* of free runs: an earlier burl tune of this build left its noise for it */
    const char *kind;
    struct burl_finding *finding; /* for the end, when its count is known */
    char *variable; /* race.data: the memory it is on, as burl_variable_of() says it */
    uint64_t addr;   /* race.data: of the memory, */
    uint64_t behind; /* and of the volatile variable that would order all of it; 0 none */
    struct burl_cause cause; /* race.data: why it is one */
    uint32_t block;  /* site that allocated the heap block that was freed too early, or whose
                        freeing races; 0 none */
    uint32_t freed[2]; /* sites that freed it */
    bool withheld;   /* its report was not printed: it was behind another finding */
    char *text;     /* the report for the terminal, without the count */
    char *json;     /* the whole finding */
};

struct burl_kept_list {
    BURL_VEC_OF(struct burl_kept);
};

/* A schedule of the corpus that was run again. */
struct burl_reran {
    int64_t entry;
    int64_t finding; /* it is the schedule of; 0 none */
    int64_t shown;   /* the finding that showed, 0 none */
    enum burl_campaign_rerun_end end;
    char *file;
};

/* The memory of a program from campaign to campaign. Zero is empty. */
struct burl_memory {
    char *path;                       /* of the program, absolute */
    struct burl_store_program before; /* as it was found */
    int64_t program;                  /* its number in the store, 0 none */
    bool known;                       /* there was a campaign before */
    bool rebuilt;                     /* with another build */
    bool continued;                   /* its state is used */
    struct burl_store_corpus corpus;  /* as it was found */
    BURL_VEC(size_t) order; /* of corpus: those to run again */
    BURL_VEC(const char *) paths; /* the same as files */
    struct burl_campaign_reruns reruns;
    struct burl_campaign_memory recall; /* its state; empty: none */
    BURL_VEC(struct burl_reran) reran;
    size_t n_corpus; /* at the end */
};

struct burl_test {
    const struct burl_options *opts;
    const char *command; /* that runs it, for the store */
    /* No sequential order of the calls fails: a failure without preemption is a concurrency bug. */
    bool judged;
    int argc;
    char **argv;
    const char *dir;  /* working directory of the program; NULL: ours */
    char *const *env; /* added to its environment, NULL-terminated; NULL: nothing */
    struct burl_store *store;
    struct burl_sites *sites; /* NULL before the first process is up */
    /* Of processes that had loaded less code: findings still refer to them. */
    BURL_VEC(struct burl_sites *) older_sites;
    int64_t campaign;
    char build_id[17];
    char *args_json;
    char *options_json;
    struct burl_progress progress;
    struct burl_report_style style;
    struct burl_suppress *rules; /* NULL: none */
    struct burl_memory *memory;  /* NULL: each campaign is the first */
    struct burl_kept_list kept;
    /* An earlier campaign of the command has shown this finding: its report is not printed again,
     * its schedule not run again. NULL: no. */
    bool (*is_repeated)(void *arg, int64_t id);
    /* Not what the campaign is for: neither confirmed nor kept. NULL: everything is. */
    bool (*is_unwanted)(void *arg, const struct burl_wire_verdict *v);
    /* A finding was kept. NULL: its report is printed. */
    void (*found)(void *arg, const struct burl_campaign_finding *f, const struct burl_kept *k);
    /* Hooks of the campaign. NULL: all suspects have their turn; the usual progress line. */
    uint32_t (*suspect_turn)(void *arg, const struct burl_wire_suspect *s);
    void (*on_progress)(void *arg, const struct burl_campaign_progress *p);
    void *arg;
};

/* test_keep.c */
/* Writes findings/<n>/{finding.json,schedule.txt,report.txt,output.txt}, then the store. Prints
 * nothing. */
BURL_MUST_CHECK enum burl_status burl__test_keep(struct burl_test *t,
                                                 const struct burl_campaign_finding *f,
                                                 struct burl_kept *out, struct burl_err *err);
/* Makes text and JSON of k->finding. */
void burl__keep_render(struct burl_kept *k, const struct burl_report_style *style);
/* "file:line: kind: text", without the line end. */
void burl__keep_brief(struct burl_finding *f, struct burl_buf *out);
/* Renders k->finding, writes the files of the output (NULL: none) and of the report, and completes
 * the row of the store, which has its number already. */
BURL_MUST_CHECK enum burl_status
burl__keep_finding(struct burl_store *store, struct burl_store_finding *row, struct burl_kept *k,
                   const struct burl_report_style *style, const char *output, size_t output_b,
                   struct burl_err *err);
/* Adds a build to those that have shown the finding. */
BURL_MUST_CHECK enum burl_status burl__keep_build(struct burl_store *store, int64_t id,
                                                  const char *build_id, struct burl_err *err);
/* Has a build of this id shown it? */
bool burl__keep_has_build(struct burl_store *store, int64_t id, const char *build_id);
/* At the end: writes the final count to the model, the JSON and the store. `files`: also to the
 * report beside the schedule. */
BURL_MUST_CHECK enum burl_status burl__keep_recount(struct burl_store *store, struct burl_kept *k,
                                                    bool files, struct burl_err *err);
/* Of a finding of burl tune: the command that may show it again, as in its report; NULL none. */
char *burl__keep_again(const struct burl_store_finding *f);

/* kept_list.c */
/* The finding that explains l->v[i] too; NULL: it is one by itself. */
const struct burl_kept *burl__kept_root(const struct burl_kept_list *l, size_t i);
/* How many are findings by themselves. */
size_t burl__kept_count(const struct burl_kept_list *l);
/* "behind": the number of that finding, or null. */
void burl__kept_json_behind(const struct burl_kept_list *l, size_t i, struct burl_json_writer *w);
/* "2 findings:" and a line for each; `known`: what is said of those that are not new. */
void burl__kept_print(const struct burl_kept_list *l, const struct burl_report_style *style,
                      const char *known, FILE *out);
void burl__kept_deinit(struct burl_kept *k);
void burl__kept_list_deinit(struct burl_kept_list *l);
/* The schedule of a run with what it showed; engine, strategy, seed and flags are the caller's. */
struct burl_schedfile burl__test_schedfile(const struct burl_test *t, const struct burl_run *run);
/* The schedule of a finding, as it is written to a file. */
struct burl_schedfile burl__test_finding_schedfile(const struct burl_test *t,
                                                   const struct burl_campaign_finding *f);
/* A JSON array of strings; caller frees. */
char *burl__test_args_json(char *const *argv, int argc);

/* cmd_show.c */
/* A file of the finding, at most 64 MB. The caller frees *out. */
BURL_MUST_CHECK enum burl_status burl__show_read(struct burl_store *store, int64_t id,
                                                 const char *name, char **out,
                                                 struct burl_err *err);

/* cmd_test.c */
/* The limit of wall time, 0 none: --runs alone lifts it. */
uint64_t burl__test_time_ms(const struct burl_options *o);
/* Runs a campaign on t->argv. Each finding is kept and, unless --json, printed as it comes. */
BURL_MUST_CHECK enum burl_status burl__test_campaign(struct burl_test *t,
                                                     const struct burl_campaign_config *cfg,
                                                     struct burl_campaign_stats *stats,
                                                     struct burl_err *err);
struct burl_store_totals burl__test_totals(const struct burl_campaign_totals *t, int64_t wall_ms);
/* Closes its row of the store, when there is one. */
BURL_MUST_CHECK enum burl_status burl__test_record_end(struct burl_test *t,
                                                       const struct burl_campaign_stats *s,
                                                       int exit_code, struct burl_err *err);
void burl__test_deinit(struct burl_test *t);
/* All options that apply to the commands `on`, as a JSON object; caller frees. */
char *burl__test_options_json(const struct burl_options *o, unsigned on);
/* The configuration of a campaign by the options; interrupted by Ctrl-C (cli/interrupt.h). */
struct burl_campaign_config burl__test_config(const struct burl_options *o, uint32_t observers,
                                              char **argv);
/* The bound on one execution: --exec-timeout, or less when --time is short. */
uint32_t burl__test_exec_timeout_ms(const struct burl_options *o);

/* test_summary.c */
void burl__test_print_summary(const struct burl_test *t, const struct burl_campaign_stats *s);
/* Did --time end the only executions, or the start of the first one, before any other limit? */
bool burl__test_is_out_of_time(const struct burl_test *t, const struct burl_campaign_stats *s);
/* Prints why this program cannot be tested; nothing when it can. Also with --quiet. */
/* Executions that failed and that no replay reproduced; what is known of them. */
uint64_t burl__test_n_unstable(const struct burl_campaign_stats *s);
void burl__test_print_unstable(const struct burl_campaign_stats *s, FILE *out);

/* test_unstable.c */
/* Did executions fail in a way that no replay reproduced? Not if there was no time for one. */
bool burl__test_is_irreproducible(const struct burl_campaign_unstable *u);
/* Did executions fail only beside other processes of the program, and too few run alone since to
 * tell why? */
bool burl__test_is_crowd_undecided(const struct burl_campaign_stats *s);
/* A line about executions that failed only beside other processes; nothing if there are none. */
void burl__test_print_crowd(const struct burl_campaign_stats *s, FILE *out);
/* Stores, prints and lists such failures: once, after the campaign. */
BURL_MUST_CHECK enum burl_status burl__test_keep_unstable(struct burl_test *t,
                                                          const struct burl_campaign_stats *s,
                                                          struct burl_err *err);
void burl__test_print_refusal(const struct burl_test *t, const struct burl_campaign_stats *s,
                              FILE *out);
void burl__test_print_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                           int exit_code, const struct burl_err *err);

/* test_suspects.c */
/* A list of suspects for the report, with everything it borrows. */
struct burl_suspect_list {
    struct burl_report_suspects all;
    struct burl_report_suspect *v; /* room for `most`; all.n are used */
    const struct burl_finding **findings;
};
struct burl_suspect_list burl__suspect_list(const struct burl_options *opts,
                                            const struct burl_kept_list *kept, size_t most);
void burl__suspect_list_deinit(struct burl_suspect_list *l);
void burl__test_suspects_print(const struct burl_test *t, const struct burl_campaign_stats *s);
struct burl_suspect_count burl__test_suspects_count(const struct burl_test *t,
                                                    const struct burl_campaign_stats *s);
void burl__test_suspects_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                              struct burl_json_writer *w);
/* Does a rule hide the suspect? Counts it there. */
bool burl__test_suspect_hidden(const struct burl_test *t, const struct burl_wire_suspect *x);
/* Is there a suspect that --strict counts? */
bool burl__test_suspects_open(const struct burl_test *t, const struct burl_campaign_stats *s);

/* test_memory.c */
/* Once the build is known: loads the memory of earlier campaigns, and lists the schedules to rerun
 * first. */
BURL_MUST_CHECK enum burl_status burl__memory_ready(struct burl_test *t, struct burl_err *err);
/* Hook of the campaign. */
BURL_MUST_CHECK enum burl_status
burl__memory_reran(void *arg, const struct burl_campaign_reran *r, struct burl_err *err);
/* The first line of a finding that a stored schedule reproduced; "" otherwise. */
void burl__memory_name(struct burl_test *t, const struct burl_campaign_finding *f,
                       struct burl_kept *k, struct burl_buf *out);
/* The strategy of the stored schedule that reproduced the finding; NULL: none did. */
const char *burl__memory_strategy(const struct burl_test *t, const struct burl_campaign_finding *f);
/* At the end of a campaign that ran. */
BURL_MUST_CHECK enum burl_status burl__memory_end(struct burl_test *t,
                                                  const struct burl_campaign_stats *s,
                                                  struct burl_err *err);
void burl__memory_print(const struct burl_test *t, const struct burl_campaign_stats *s, FILE *out);
void burl__memory_json(const struct burl_test *t, const struct burl_campaign_stats *s,
                       struct burl_json_writer *w);
void burl__memory_deinit(struct burl_memory *m);

/* test_corpus.c */
/* Stores the schedule of a finding, replacing an older one. */
BURL_MUST_CHECK enum burl_status burl__corpus_keep_finding(struct burl_test *t,
                                                           const struct burl_campaign_finding *f,
                                                           const struct burl_kept *k,
                                                           struct burl_err *err);
/* Replaces an entry that this build has followed to the end. */
BURL_MUST_CHECK enum burl_status burl__corpus_renew(struct burl_test *t,
                                                    const struct burl_store_entry *old,
                                                    const struct burl_campaign_reran *r,
                                                    struct burl_err *err);
/* Hook: stores the schedule of an execution that was the first to cover some edges. */
BURL_MUST_CHECK enum burl_status burl__corpus_keep_edges(void *arg,
                                                         const struct burl_campaign_covered *where,
                                                         const struct burl_run *run,
                                                         const struct burl_wire_profile *profile,
                                                         size_t n_new, struct burl_err *err);
/* Drops entries that add nothing, and beyond the limit those that add least; *left remain. */
BURL_MUST_CHECK enum burl_status burl__corpus_choose(struct burl_test *t, size_t *left,
                                                     struct burl_err *err);
/* `burl test --corpus`: the exit code. */
int burl__corpus_list(const struct burl_options *opts, int argc, char **argv);

/* test_summary.c */
/* Width, color and alphabet of a stream. */
struct burl_report_style burl__test_style(const struct burl_options *opts, FILE *out);
/* What the runtime had no room for, or could not control: notes, and the member "counters". */
void burl__test_print_counters(const uint64_t counters[BURL_COUNTER__N], FILE *out);
void burl__test_json_counters(const uint64_t counters[BURL_COUNTER__N], struct burl_json_writer *w);
/* The search was complete and nothing has failed. */
bool burl__test_is_proven(const struct burl_campaign_stats *s);

/* test_outcome.c: three to five lines, with -v more; and the first of them alone. */
void burl__test_print_outcome(const struct burl_test *t, const struct burl_campaign_stats *s,
                              FILE *out);
void burl__test_print_done(const struct burl_test *t, const struct burl_campaign_stats *s,
                           FILE *out);

#endif
