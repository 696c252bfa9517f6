/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/verdict.h - names of the kinds of verdicts, from the table BURL_WIRE_VERDICTS.
 */
#ifndef BURL_BASE_VERDICT_H
#define BURL_BASE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/control.h"

/* By enum burl_wire_verdict_kind: "deadlock.cycle". */
extern const char *const burl_verdict_names[BURL_VERDICT__N];

/* "unknown" when out of range. */
const char *burl_verdict_name(uint32_t kind);
bool burl_verdict_is_finding(uint32_t kind);

#endif
