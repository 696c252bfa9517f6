/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/report.h - from an execution to text and JSON.
 *
 * Runs in the host. burl_report_finding_new() builds the neutral model of report/finding/finding.h
 * from one traced execution; the renderers turn it into text and JSON. All of them write into a
 * burl_buf and never print. Nothing here changes a store or runs a program.
 *
 * The report must be useful with anything missing: no source files, no site tables, a trace that
 * lost its beginning. Each gap costs names or steps, never the report.
 */
#ifndef BURL_REPORT_REPORT_H
#define BURL_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/run.h"
#include "base/sites.h"
#include "finding/fingerprint.h"
#include "report/finding/finding.h"

/* What the engine knows beyond the execution itself. Zero or NULL: not known. Borrowed. */
struct burl_report_facts {
    struct burl_finding_facts facts;
    uint32_t number;         /* of the finding in the store */
    const char *const *argv; /* program and arguments */
    size_t n_argv;
    const char *build_id;
    const char *engine;   /* "fibers", "threads" */
    const char *strategy; /* "pct", ... */
    const char *replay;   /* "burl replay 3" */
    const char *schedule; /* path of the schedule file */
    const char *noise; /* of a free run: the setting under which it was first seen */
    const char *again; /* of a free run: the command that may show it again, for a shell */
    const char *check; /* check.failed: the user's command, */
    const char *check_output; /* and what it printed */
    size_t max_steps;     /* steps to show; 0: the default for a terminal; SIZE_MAX: all */
    /* How the attempt to reproduce it ended: the finding is BURL_KIND_NOT_REPRODUCIBLE. */
    const char *not_reproducible;
    /* race.data: what the engine learned beyond the execution. */
    uint8_t outcome;                       /* enum burl_finding_outcome */
    uint32_t order_sites[2];               /* ends[i]: when the access at this site goes first */
    const char *order_ends[2];             /* "exit 0"; NULL: this order was not reproduced */
    uint64_t order_failure;                /* fingerprint of the failure that follows, 0 none */
    const struct burl_wire_suspect *pairs; /* further pairs of sites on the same variable */
    size_t n_pairs;
    const struct burl_wire_suspect *suspect; /* the prediction that led to it: a triple or a lock
                                                cycle that was reproduced; NULL none */
    /* Runs the execution again with one operation moved. Without it, causes that only such an
     * execution can distinguish from coincidences are not stated. */
    enum burl_run_moved (*moved)(void *arg, const struct burl_run_move *move);
    void *moved_arg;
};

/* Never fails. `run` should have been traced; without events the report has no interleaving. */
struct burl_finding *burl_report_finding_new(const struct burl_run *run,
                                             const struct burl_sites *sites,
                                             const struct burl_report_facts *facts);

/* What is known of a free run beside the verdict. Borrowed. */
struct burl_report_free {
    const struct burl_wire_event *births; /* CREATE events, see wire/control.h */
    size_t n_births;
    const char *output; /* its last bytes, NULL when they were not kept */
    size_t output_b;
    const struct burl_wire_blocked *blocked; /* threads that were blocked in the end; of a hang all
                                                threads, also those that ran */
    size_t n_blocked;
};

/* The finding of a free run: the same model, with no interleaving, and without the last places of
 * threads that were not blocked. */
struct burl_finding *burl_report_finding_from_verdict(const struct burl_wire_verdict *verdict,
                                                      const struct burl_report_free *free_run,
                                                      const struct burl_sites *sites,
                                                      const struct burl_report_facts *facts);
void burl_report_finding_free(struct burl_finding *f);

/* "2 threads still blocked: T1 in lock at a.c:7, ..." and a line end; nothing when there are none.
 * all: however many. The document is an array. */
void burl_report_blocked(const struct burl_wire_blocked *v, size_t n, bool all,
                         const struct burl_sites *sites, struct burl_buf *out);
void burl_report_blocked_json(const struct burl_wire_blocked *v, size_t n,
                              const struct burl_sites *sites, struct burl_json_writer *w);

struct burl_report_style {
    unsigned width; /* columns of the terminal; 0: as if it had 100 */
    bool color;    /* escape sequences */
    bool unicode;   /* rules and arrows beyond ASCII */
    bool brief;     /* one line: see burl_report_doc_lines() */
    bool verbose;   /* also what does not explain the failure: provenance, threads that only
                       wait, all steps and pairs */
};

/* For the terminal: title, threads as columns, stacks, locks, output, how to replay. */
void burl_report_text(const struct burl_finding *f, const struct burl_report_style *style,
                      struct burl_buf *out);

/* Lines with aligned columns: "#3  deadlock.cycle  bank.c:40  41x  T1 and T2 wait for ...". */
void burl_report_lines(const struct burl_finding *const *v, size_t n,
                       const struct burl_report_style *style, unsigned indent,
                       struct burl_buf *out);
void burl_report_line(const struct burl_finding *f, const struct burl_report_style *style,
                      struct burl_buf *out);

/* finding.json; docs/formats/finding.md. */
#define BURL_REPORT_JSON_SCHEMA 1u
void burl_report_json(const struct burl_finding *f, struct burl_buf *out);
/* The same as a value of a larger document. */
void burl_report_json_value(const struct burl_finding *f, struct burl_json_writer *w);
/* Reads a finding.json back; what it lacks is unknown. Damaged, or of a newer version:
 * BURL_E_FORMAT. Names are as they were written: renderers escape them. */
BURL_MUST_CHECK enum burl_status burl_report_finding_read(struct burl_finding **out,
                                                          const char *json, size_t n,
                                                          struct burl_err *err);
/* The same, with other names of the files of places. `find` returns text that lives until its next
 * call. */
struct burl_report_files {
    const char *(*find)(void *arg, const char *file);
    void *arg;
};
BURL_MUST_CHECK enum burl_status
burl_report_finding_read_files(struct burl_finding **out, const char *json, size_t n,
                               const struct burl_report_files *files, struct burl_err *err);
/* A finding of which only this is known; `problem` says why. */
struct burl_finding *burl_report_finding_bare(uint32_t number, const char *kind, const char *title,
                                              uint64_t fingerprint, const char *problem);

/*
 * Documents of all findings of a store, for `burl report`. Names come from programs and from
 * stores of others: every renderer escapes them for its format, and what is not printable becomes
 * '?' in all but JSON, which escapes it.
 */
struct burl_report_program {
    const char *command; /* with its arguments */
    int exit_code;       /* of its newest campaign; -1: it has not ended */
};

struct burl_report_doc {
    struct burl_finding *const *v;
    size_t n;
    const char *cwd;     /* absolute; paths below it are written relative to it. "": none are */
    int64_t campaign;    /* the findings are those of this campaign; 0: of all */
    const char *version; /* of burl */
    const struct burl_report_program *programs; /* tested by these campaigns; each once */
    size_t n_programs;
    bool damaged; /* of a finding at least only the kind and the title are known */
};
typedef void burl_report_doc_fn(const struct burl_report_doc *d, struct burl_buf *out);

/* One line for editors: "bank.c:31: deadlock.cycle: T1 and T2 wait for each other". */
burl_report_doc_fn burl_report_doc_lines;
/* docs/formats/report-json.md */
#define BURL_REPORT_DOC_SCHEMA 1u
burl_report_doc_fn burl_report_doc_json;
/* A table, and the text of each finding folded below it. */
burl_report_doc_fn burl_report_doc_markdown;
/* A page in one file, for people. Reads the source files that are there. */
burl_report_doc_fn burl_report_doc_html;
/* SARIF 2.1.0; docs/formats/report-sarif.md */
burl_report_doc_fn burl_report_doc_sarif;
/* Test results: a suite for each program, a failed test case for each finding. */
burl_report_doc_fn burl_report_doc_junit;
/* Workflow commands of GitHub Actions. */
burl_report_doc_fn burl_report_doc_github;
/* A Code Quality report of GitLab. */
burl_report_doc_fn burl_report_doc_gitlab;

/* Every step of the execution, for `burl replay --trace`; docs/formats/trace.md. */
void burl_report_trace(const struct burl_run *run, const struct burl_sites *sites,
                       const struct burl_report_style *style, struct burl_buf *out);

#endif
