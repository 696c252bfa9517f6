/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/memory_text.h - what a campaign leaves for the next, for the store: text, and rows
 * for its goals.
 */
#ifndef BURL_ENGINE_MEMORY_TEXT_H
#define BURL_ENGINE_MEMORY_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sites.h"
#include "engine/plan/campaign.h"
#include "store/memory.h"

/* Appends all but the goals as text; `sites` are those of the campaign's program. */
void burl_campaign_memory_write(const struct burl_campaign_memory *m,
                                const struct burl_sites *sites, struct burl_buf *out);
/* The goals as rows; free g->v alone: its strings are static. */
void burl_campaign_memory_write_goals(const struct burl_campaign_memory *m,
                                      const struct burl_sites *sites, struct burl_store_goals *g);
/* With the numbers of `sites`; entries whose sites are not there are left out. BURL_E_FORMAT when
 * it is not such a text; *m is then empty. Free with burl_campaign_memory_deinit(). */
BURL_MUST_CHECK enum burl_status burl_campaign_memory_read(struct burl_campaign_memory *m,
                                                           const char *text, size_t n,
                                                           const struct burl_sites *sites,
                                                           struct burl_err *err);
/* Adds the goals; rows that are not understood, or whose sites are not there, are left out. */
void burl_campaign_memory_read_goals(struct burl_campaign_memory *m,
                                     const struct burl_store_goals *g,
                                     const struct burl_sites *sites);

#endif
