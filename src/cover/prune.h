/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cover/prune.h - pairs that the user removed from the target, with a reason.
 *
 * Kept in a text file beside the source (default "burl.prune" in the current directory), one pair
 * per entry, reviewed like code: docs/formats/prune.md. An entry names both sites by file, line,
 * column, function, access and variable; it is matched first exactly and then, if nothing is at
 * that place, by function, access and variable if that is unambiguous. An entry that matches no
 * pair of the target is stale and is reported.
 *
 * Lock reasoning only proposes entries; the user or --auto-prune accepts them.
 */
#ifndef BURL_COVER_PRUNE_H
#define BURL_COVER_PRUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "report/cover/cover_model.h"

struct burl_sp; /* base/sp.h */


struct burl_prune; /* a prune file in memory; keeps comments, order and unknown white space */

/* A missing file is an empty one. BURL_E_FORMAT names file, line and cause. */
BURL_MUST_CHECK enum burl_status burl_prune_read(struct burl_prune **out, const char *path,
                                                 struct burl_err *err);
/* Replaces the file atomically. */
BURL_MUST_CHECK enum burl_status burl_prune_write(const struct burl_prune *p, const char *path,
                                                  struct burl_err *err);
void burl_prune_free(struct burl_prune *p);

/* UNCOVERED pairs that an entry matches become PRUNED with its reason; entries that match no pair
 * of the model are added to m->stale, unless one of their files is not part of the program: those
 * are of another that shares the file, and are counted. A COVERED pair that an entry matches stays
 * covered and the entry is reported as stale too ("covered after all"). */
void burl_prune_apply(const struct burl_prune *p, struct burl_cover_model *m);

/* UNCOVERED pairs that burl_sp_never_adjacent() excludes become PROPOSED; `reason` is the
 * argument in words (lock, witness access with its line). A covered pair gets that reason as well
 * and stays covered: the argument is wrong, and readers of the model say so. target_site[i]: the
 * target's number of m->sites.v[i], UINT32_MAX none. Returns how many became PROPOSED. */
size_t burl_prune_propose(const struct burl_sp *t, const uint32_t *target_site,
                          struct burl_cover_model *m);

/* Adds an entry for m->pairs.v[pair]; false when there is one already. The reason is one line. */
bool burl_prune_add(struct burl_prune *p, const struct burl_cover_model *m, size_t pair,
                    const char *reason);
/* Removes the entries that match the pair; returns how many. */
size_t burl_prune_remove(struct burl_prune *p, const struct burl_cover_model *m, size_t pair);

#endif
