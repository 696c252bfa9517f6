/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report/finding/codes.h - the words of finding.json for the enumerations of a finding.
 *
 * One table each for its writer (render/json.c) and its reader (build/from_json.c).
 */
#ifndef BURL_REPORT_CODES_H
#define BURL_REPORT_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct burl__report_codes {
    const char *const *words; /* by code */
    size_t n;
};

extern const struct burl__report_codes burl__report_states;   /* burl_finding_thread_state */
extern const struct burl__report_codes burl__report_whys;     /* burl_wire_switch_why */
extern const struct burl__report_codes burl__report_origins;  /* burl_wire_origin_kind */
extern const struct burl__report_codes burl__report_outcomes; /* burl_finding_outcome */

/* NULL when the code has no word. */
const char *burl__report_word(const struct burl__report_codes *c, uint8_t code);
/* False when there is no such word. */
bool burl__report_code(const struct burl__report_codes *c, const char *word, uint8_t *code);
/* The operation of burl_op_text(); false when there is none. */
bool burl__report_op(const char *word, uint8_t *op);

#endif
