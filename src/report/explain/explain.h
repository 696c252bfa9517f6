/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/explain/explain.h - why threads switched, and the steps and the sentence of a finding.
 */
#ifndef BURL_REPORT_EXPLAIN_H
#define BURL_REPORT_EXPLAIN_H

#include "report/finding/words.h"

/* ---- needs.c ----------------------------------------------------------------------- */

/* Fills n_spurious, n_faults and needs. */
void burl__report_needs(struct burl_finding *f, const struct burl_run *run,
                        const struct burl_sites *sites);

/* ---- switches.c --------------------------------------------------------------------- */

#define BURL__REPORT_WHY_UNKNOWN 0xffu

/* Why the execution switched from the thread of event `a` to that of event `b`, the next one of
 * another thread. */
struct burl__report_left {
    uint8_t why;   /* enum burl_wire_switch_why or BURL__REPORT_WHY_UNKNOWN */
    uint8_t kind;  /* pending operation, BURL_OP_NONE unknown */
    uint32_t site; /* of the pending operation */
};

/* One entry per event: filled where the next operation is another thread's. Caller frees. */
struct burl__report_left *burl__report_find_switches(const struct burl__report_walk *w);
/* One entry per event: the same thread's next operation, or the one before; SIZE_MAX none. Caller
 * frees. */
size_t *burl__report_find_neighbors(const struct burl__report_walk *w, bool next);
/* "preempt T1 before write of balance; run T2": after event `from`, whose thread has `next_event`
 * as its next operation. */
void burl__report_put_switch(const struct burl__report_walk *w, const struct burl__report_left *l,
                             size_t from, size_t next_event, uint16_t next, struct burl_buf *out);

/* ---- steps.c ------------------------------------------------------------------------ */

/* Fills f->pattern, f->steps, n_steps, n_ops_shown. */
void burl__report_choose(struct burl_finding *f, const struct burl__report_walk *w,
                         const struct burl_report_facts *facts);

#endif
