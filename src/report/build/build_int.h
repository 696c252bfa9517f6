/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/build/build_int.h - what the files that assemble a finding share.
 */
#ifndef BURL_REPORT_BUILD_INT_H
#define BURL_REPORT_BUILD_INT_H

#include "report/explain/explain.h"

/* ---- finding.c ---------------------------------------------------------------------- */

/* The lock at `addr`, acquired at `site`. */
struct burl_finding_lock burl__report_lock(struct burl_finding *f,
                                           const struct burl__report_walk *w, uint64_t addr,
                                           uint32_t site);

/* ---- race.c ------------------------------------------------------------------------- */

/* "atomically updates" */
const char *burl__report_verb(uint8_t op);
/* While the walk passes event `i`: stack and values of a side whose access it is. */
void burl__report_race_event(struct burl_finding *f, const struct burl__report_walk *w, size_t i);
/* After the walk and f->block: the rest of sides, memory, orders and pairs. */
void burl__report_race(struct burl_finding *f, const struct burl__report_walk *w,
                       const struct burl_report_facts *facts);

/* ---- title.c, title_race.c ---------------------------------------------------------- */

/* What was predicted, for f->predicted; "" for races, which say it themselves. */
void burl__report_put_predicted(const struct burl_wire_suspect *s, const struct burl_sites *sites,
                                struct burl_buf *out);
void burl__report_title_race(const struct burl_finding *f, struct burl_buf *out);
void burl__report_detail_race(const struct burl_finding *f, struct burl_buf *out);

/* Corrects the place and the stack of a crash by the instruction that failed. */
void burl__report_fault(struct burl_finding *f, const struct burl_wire_verdict *v,
                        const struct burl_sites *sites);

/* Control reached the end of a function that returns a value, or code that is declared unreachable:
 * v->other_site is the place. */
bool burl__report_lacks_return(const struct burl_wire_verdict *v, const struct burl_sites *sites);

/* Fills f->title and f->detail; everything else is there already. */
void burl__report_title(struct burl_finding *f, const struct burl__report_walk *w);

#endif
