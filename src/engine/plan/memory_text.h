/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/plan/memory_text.h - what a campaign leaves for the next, as text for the store.
 */
#ifndef BURL_ENGINE_MEMORY_TEXT_H
#define BURL_ENGINE_MEMORY_TEXT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/sites.h"
#include "engine/plan/campaign.h"

/* Appends it; `sites` are those of the campaign's program. */
void burl_campaign_memory_write(const struct burl_campaign_memory *m,
                                const struct burl_sites *sites, struct burl_buf *out);
/* With the numbers of `sites`; entries whose sites are not there are left out. BURL_E_FORMAT when
 * it is not such a text; *m is then empty. Free with burl_campaign_memory_deinit(). */
BURL_MUST_CHECK enum burl_status burl_campaign_memory_read(struct burl_campaign_memory *m,
                                                           const char *text, size_t n,
                                                           const struct burl_sites *sites,
                                                           struct burl_err *err);

#endif
