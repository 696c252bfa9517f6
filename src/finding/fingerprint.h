/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/fingerprint.h - when two failures are the same bug.
 *
 * Runs in the host. Campaigns deduplicate by these functions, reports and stores name bugs by
 * them: the module lies below both. Everything is made of a verdict (or a suspect) and the site
 * tables; no trace is needed.
 */
#ifndef BURL_FINDING_FINGERPRINT_H
#define BURL_FINDING_FINGERPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/verdict.h"
#include "base/buf.h"
#include "base/sites.h"
#include "base/vec.h"
#include "wire/control.h"

/* fingerprint.c */
/* Same bug, same number, whatever the schedule, and stable against edits elsewhere in the program.
 * `cause` (may be NULL) receives the normalized text it was made of. */
uint64_t burl_fingerprint(const struct burl_wire_verdict *verdict, const struct burl_sites *sites,
                          struct burl_buf *cause);
/* Kind of a failure that executions showed and that no replay of their schedule reproduces: of
 * several executions together, so no verdict of one. */
#define BURL_KIND_NOT_REPRODUCIBLE "nondeterminism.not-reproducible"
/* The fingerprint of such a failure: one for all executions that failed this way. */
uint64_t burl_fingerprint_not_reproducible(const struct burl_wire_verdict *verdict,
                                           const struct burl_sites *sites, struct burl_buf *cause);
/* The fingerprint that a race on the memory of this suspect has; 0: unknown. */
uint64_t burl_fingerprint_suspect(const struct burl_wire_suspect *suspect,
                                  const struct burl_sites *sites);
/* Tids of the lock-order cycle of a deadlock, in order, from its waits; their number, 0 none. */
size_t burl_verdict_cycle(const struct burl_wire_verdict *v, uint16_t cycle[BURL_WIRE_MAX_CYCLE]);
/* Waits of the verdict, bounded: the count comes from another process. */
size_t burl_verdict_n_waits(const struct burl_wire_verdict *v);

/* variable.c */
/* Appends the memory a race is on, as its fingerprint sees it: all pairs of places on one variable
 * have the same text. Nothing for other kinds. */
void burl_variable_of(const struct burl_wire_verdict *verdict, const struct burl_sites *sites,
                      struct burl_buf *out);
/* The same for a suspect, which may not know the block around its address: good enough to tell
 * whether it is on a variable that has a finding. */
void burl_variable_of_suspect(const struct burl_wire_suspect *suspect,
                              const struct burl_sites *sites, struct burl_buf *out);
/* Appends what a person would call the memory at `addr` that the two sites (0: none) access. */
void burl_variable_name(const struct burl_sites *sites, uint8_t origin, uint64_t addr,
                        uint64_t size_b, uint32_t site_a, uint32_t site_b, struct burl_buf *out);
/* Is `name` (n bytes) the variable that the linker calls `symbol`? */
bool burl_variable_is_root(const char *symbol, const char *name, size_t n);
/* Where the memory that both accesses touch begins, and its size. */
uint64_t burl_variable_overlap(const struct burl_wire_side *a, const struct burl_wire_side *b,
                               uint64_t *size_b);
/* Appends a call without its line: function, callee, and which of such calls it is. */
void burl_variable_call(struct burl_buf *out, const struct burl_sites *sites,
                        const struct burl_site_info *call);
/* Where the memory of an origin lies in the process that the resolver knows. */
uint64_t burl_variable_address(const struct burl_sites *sites,
                               const struct burl_wire_origin *origin, uint64_t addr);

/* subject.c */
/* Appends what a failure is about, when that is one bug whatever the place it shows at: a thread
 * that is joined or detached twice, a block that was freed, a sync object that was destroyed.
 * False, and nothing appended: the place is all there is. */
bool burl_fingerprint_subject(const struct burl_wire_verdict *v, const struct burl_sites *sites,
                              struct burl_buf *out);
/* Appends the object that holds `addr`: the global variable, or the call of the program that
 * allocates the block. False, and nothing appended: it cannot be told from others of its sort. */
bool burl_finding_object(const struct burl_wire_verdict *v, uint64_t addr,
                         const struct burl_sites *sites, struct burl_buf *out);

/* cause.c */
/* What may be the cause of several races: the two functions, and the object that both access with
 * the same locks. */
struct burl_cause_pair {
    uint64_t f[2]; /* functions; 0 unknown */
};
struct burl_cause {
    char *object;      /* NULL: unlike that of any other race */
    uint64_t locks[2]; /* held at the two places of the first pair */
    BURL_VEC(struct burl_cause_pair) pairs;
};
/* The cause of a race; nothing for other kinds. burl_cause_deinit() it. */
struct burl_cause burl_cause_of(const struct burl_wire_verdict *v, const struct burl_sites *sites);
/* Adds further pairs of places on the same variable. */
void burl_cause_add(struct burl_cause *c, const struct burl_wire_suspect *pairs, size_t n,
                    const struct burl_sites *sites);
/* Is it one cause, though the variables differ? */
bool burl_cause_is_same(const struct burl_cause *a, const struct burl_cause *b);
void burl_cause_deinit(struct burl_cause *c);

/* argument.c */
/* Appends the text of argument `arg` of the call at `site`, without & and outer parentheses;
 * false when the source is not there or is not a call. */
bool burl_source_argument(const struct burl_sites *sites, const struct burl_site_info *site,
                          unsigned arg, struct burl_buf *out);

/* names.c */
/* "lock"; the word of reports for an operation. */
const char *burl_op_text(uint8_t kind);

#endif
