/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/suspects.h - what was suspected and is not a finding, as text and as JSON.
 *
 * Runs in the host. Observers see what may be a bug in executions that went well; directed runs
 * confirm some of it, and that becomes findings. The rest is listed apart, because it proves
 * nothing: a potential race that no run showed, a circle of locks that did not close, a triple that
 * was met and did no harm, a signal that reached nobody.
 */
#ifndef BURL_REPORT_SUSPECTS_H
#define BURL_REPORT_SUSPECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "report/report.h"

/* What became of a suspect. */
enum burl_report_suspect_state {
    BURL_REPORT_SUSPECT_NOT_TRIED = 0,
    BURL_REPORT_SUSPECT_UNCONFIRMED, /* not in `tries` directed executions */
    BURL_REPORT_SUSPECT_HARMLESS,    /* triple: it happened, and the execution went well */
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
    const struct burl_finding *const *findings; /* potential races on a variable of one of these
                                                   are counted, not listed; circles that one of
                                                   these closes are not listed */
    size_t n_findings;
    bool strict; /* --strict: potential races and circles change the exit code */
    bool all;    /* -v: also more than ten of a kind */
};

/* How many of them --strict counts: potential races and circles of locks that are neither
 * confirmed nor on the variable of a finding. */
size_t burl_report_suspects_open(const struct burl_report_suspects *s,
                                 const struct burl_sites *sites);

/* The list for the terminal; nothing when it is empty. */
void burl_report_suspects(const struct burl_report_suspects *s, const struct burl_sites *sites,
                          const struct burl_report_style *style, struct burl_buf *out);

/* The keys "suspects" and "suspects_left_out" of an object: docs/formats/finding.md. */
void burl_report_suspects_json(const struct burl_report_suspects *s, const struct burl_sites *sites,
                               struct burl_json_writer *w);

#endif
