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
#include "report/finding/finding.h"

/* What the engine knows beyond the execution itself. Zero or NULL: not known. Borrowed. */
struct burl_report_facts {
    uint32_t number;         /* of the finding in the store */
    const char *const *argv; /* program and arguments */
    size_t n_argv;
    const char *build_id;
    const char *engine;   /* "fibers", "threads" */
    const char *strategy; /* "pct", ... */
    uint64_t seed;
    uint64_t count;       /* executions that showed it */
    bool sequential;      /* it also fails in the nonpreemptive run */
    uint64_t found_after; /* schedules tried until the first that showed it, with that one */
    uint64_t found_execution; /* executions of the search until then, with that one */
    int64_t found_ms;     /* since the campaign began */
    uint32_t confirmed;
    uint32_t confirm_tries;
    const char *replay;   /* "burl replay 3" */
    const char *schedule; /* path of the schedule file */
    size_t max_steps;     /* steps to show; 0: the default for a terminal; SIZE_MAX: all */
    uint32_t preemptions_found; /* of the schedule before it was minimized */
    uint64_t minimize_execs;    /* 0: it was not minimized */
    bool minimized_fully;       /* the budget did not end it */
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

/* The fingerprint of a verdict: same bug, same number, whatever the schedule, and stable against
 * edits elsewhere in the program. Needs the verdict alone, so a campaign can sort failures before
 * it traces one. `cause` (may be NULL) receives the normalized text it was made of. */
uint64_t burl_report_fingerprint(const struct burl_wire_verdict *verdict,
                                 const struct burl_sites *sites, struct burl_buf *cause);

/* The memory a race is on, as its fingerprint sees it: all pairs of places on one variable have the
 * same text. "" for other kinds. */
void burl_report_variable(const struct burl_wire_verdict *verdict, const struct burl_sites *sites,
                          struct burl_buf *out);
/* The same for a suspect, which may not know the block around its address: good enough to tell
 * whether it is on a variable that has a finding. */
void burl_report_suspect_variable(const struct burl_wire_suspect *suspect,
                                  const struct burl_sites *sites, struct burl_buf *out);

/* The fingerprint that a race on the memory of this suspect has; 0: unknown. */
uint64_t burl_report_suspect_fingerprint(const struct burl_wire_suspect *suspect,
                                         const struct burl_sites *sites);

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
    const struct burl_wire_blocked *blocked; /* threads that were blocked in the end */
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
};

/* For the terminal: title, threads as columns, stacks, locks, output, how to replay. */
void burl_report_text(const struct burl_finding *f, const struct burl_report_style *style,
                      struct burl_buf *out);

/* One line: "#3 deadlock.cycle  T1 and T2 wait for ...  bank.c:40  41x". */
void burl_report_line(const struct burl_finding *f, const struct burl_report_style *style,
                      struct burl_buf *out);

/* finding.json; docs/formats/finding.md. */
#define BURL_REPORT_JSON_SCHEMA 1u
void burl_report_json(const struct burl_finding *f, struct burl_buf *out);

/* Every step of the execution, for `burl replay --trace`; docs/formats/trace.md. */
void burl_report_trace(const struct burl_run *run, const struct burl_sites *sites,
                       const struct burl_report_style *style, struct burl_buf *out);

/* "deadlock.cycle"; "unknown" when out of range. */
const char *burl_report_kind_name(uint8_t verdict);
bool burl_report_kind_is_finding(uint8_t verdict);

#endif
