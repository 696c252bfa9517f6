/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regress/words.h - accesses, threads and variables of a selection in words, for messages and JSON.
 *
 * Runs in the host.
 */
#ifndef BURL_REGRESS_WORDS_H
#define BURL_REGRESS_WORDS_H

#include "base/buf.h"
#include "base/sitetab.h"
#include "regress/select.h"

/* Where a site of changes.sites is in the source; empty strings when it is not known. */
struct burl_site_info burl_regress_place(const struct burl_regress_subject *x, uint32_t site);
/* "put.c:41". */
void burl_regress_put_place(const struct burl_regress_subject *x, uint32_t site,
                            struct burl_buf *out);
/* "reads", "writes", "updates". */
const char *burl_regress_verb(const struct burl_regress_subject *x, uint32_t site);
/* "q->head" as the impacted access names it, else the class; of a cycle the two locks. */
const char *burl_regress_variable(const struct burl_regress_subject *x,
                                  const struct burl_regress_pair *p);
/* "worker", "main", "lambda:14", "std::thread", "a new thread". The text is in `room`, or lives as
 * long as `h`. */
#define BURL_REGRESS_ROLE_ROOM 32
const char *burl_regress_role_name(const struct burl_history *h, uint32_t role,
                                   char room[BURL_REGRESS_ROLE_ROOM]);

#endif
