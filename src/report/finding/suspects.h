/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/suspects.h - suspects that are not findings, as text and as JSON.
 *
 * Runs in the host. Observers record possible bugs in passing executions; directed runs confirm
 * some of them, which become findings. The others are listed separately, because they prove
 * nothing: potential races and lock cycles that were not reproduced, harmless triples, signals
 * without a waiter.
 */
#ifndef BURL_REPORT_SUSPECTS_H
#define BURL_REPORT_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "report/report.h"

/* The state of a suspect. */
enum burl_report_suspect_state {
    BURL_REPORT_SUSPECT_NOT_TRIED = 0,
    BURL_REPORT_SUSPECT_UNCONFIRMED, /* not in `tries` directed executions */
    BURL_REPORT_SUSPECT_HARMLESS,    /* triple: reproduced, and the execution passed */
    BURL_REPORT_SUSPECT_RULED_OUT,   /* an exhaustive search has not shown it */
    BURL_REPORT_SUSPECT_CONFIRMED,   /* a finding shows it: not listed */
    BURL_REPORT_SUSPECT__N
};

struct burl_report_suspect {
    const struct burl_wire_suspect *suspect;
    uint8_t state;  /* enum burl_report_suspect_state */
    uint32_t tries; /* directed executions */
};

struct burl_report_suspects {
    const struct burl_report_suspect *v; /* in any order: it is sorted by content */
    size_t n;
    /* Potential races on a variable of one of these are counted, not listed; cycles that one of
     * these shows are not listed. */
    const struct burl_finding *const *findings;
    size_t n_findings;
    bool strict; /* --strict: potential races and cycles change the exit code */
    bool all;    /* -v: also many of a kind, and unlikely ones */
    /* All interleavings were executed: a triple or a signal whose outcome is wrong is a finding, so
     * the others are listed only if all are requested. */
    bool complete;
};

/* The terminal shows those that may be bugs. It hides unlikely ones unless all are requested: those
 * that were reproduced and passed, that an exhaustive search ruled out, or that are all inside the
 * standard library (but not from --strict, which counts them). */
struct burl_suspect_count {
    size_t listed;
    size_t hidden;
};
struct burl_suspect_count burl_report_suspects_count(const struct burl_report_suspects *s,
                                                     const struct burl_sites *sites);

/* How many of them --strict counts: potential races and lock cycles that are neither confirmed nor
 * on the variable of a finding. */
size_t burl_report_suspects_open(const struct burl_report_suspects *s,
                                 const struct burl_sites *sites);

/* The list for the terminal; nothing when it is empty. */
void burl_report_suspects(const struct burl_report_suspects *s, const struct burl_sites *sites,
                          const struct burl_report_style *style, struct burl_buf *out);

/* The keys "suspects" and "suspects_left_out" of an object: docs/formats/finding.md. */
void burl_report_suspects_json(const struct burl_report_suspects *s, const struct burl_sites *sites,
                               struct burl_json_writer *w);

#endif
