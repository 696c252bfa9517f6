/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/detect.h - the lists that --detect and --faults take: observers, and outcomes that the search
 * may inject.
 */
#ifndef BURL_CLI_DETECT_H
#define BURL_CLI_DETECT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/options.h"

/* "race,lockset" to BURL_OB() bits; "none" to 0. A word that is no observer is BURL_E_USAGE with
 * the nearest one. Coverage observers are not detectors and are refused too. */
BURL_MUST_CHECK enum burl_status burl_detect_parse(const char *list, uint32_t *mask,
                                                   struct burl_err *err);
/* The words of a mask, "none" when it is empty. */
void burl_detect_words(uint32_t mask, struct burl_buf *out);

/* --faults and --no-spurious as BURL_ORDER_F_INJECT bits. BURL_E_USAGE names the word that is
 * none. */
BURL_MUST_CHECK enum burl_status burl_faults_parse(const struct burl_options *o, uint32_t *inject,
                                                   struct burl_err *err);
/* "create,malloc", or "none". */
void burl_faults_words(uint32_t inject, struct burl_buf *out);

#endif
