/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/faults.h - --faults and --no-spurious: the outcomes that the search may inject.
 */
#ifndef BURL_CLI_FAULTS_H
#define BURL_CLI_FAULTS_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "cli/options.h"

/* *inject: BURL_ORDER_F_INJECT bits. BURL_E_USAGE names the word that is none. */
BURL_MUST_CHECK enum burl_status burl_faults_parse(const struct burl_options *o, uint32_t *inject,
                                                   struct burl_err *err);

/* "create,malloc", or "none". */
void burl_faults_words(uint32_t inject, struct burl_buf *out);

#endif
