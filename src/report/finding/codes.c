/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codes.c - the words of finding.json for the enumerations of a finding.
 *
 * Runs in the host. These words are part of the format (docs/formats/finding.md).
 */
#include <string.h>

#include "finding/fingerprint.h"
#include "report/finding/codes.h"
#include "report/finding/finding.h"
#include "wire/event.h"
#include "wire/schedule.h"
#include "wire/verdict.h"

#define CODES(name, ...)                                           \
    static const char *const name##_words[] = __VA_ARGS__;         \
    const struct burl__report_codes burl__report_##name = {        \
        name##_words, sizeof name##_words / sizeof name##_words[0] \
    }

/* clang-format off */
CODES(states, {
    [BURL_FINDING_THREAD_READY] = "ready",
    [BURL_FINDING_THREAD_FAILED] = "failed",
    [BURL_FINDING_THREAD_WAITING] = "waiting",
    [BURL_FINDING_THREAD_FINISHED] = "finished",
    [BURL_FINDING_THREAD_UNKNOWN] = "unknown",
});
CODES(whys, {
    [BURL_SWITCH_PREEMPT] = "preempt",
    [BURL_SWITCH_BLOCKED] = "blocked",
    [BURL_SWITCH_FINISHED] = "finished",
    [BURL_SWITCH_YIELD] = "yield",
});
CODES(origins, {
    [BURL_ORIGIN_UNKNOWN] = "unknown",
    [BURL_ORIGIN_HEAP] = "heap",
    [BURL_ORIGIN_GLOBAL] = "global",
    [BURL_ORIGIN_STACK] = "stack",
    [BURL_ORIGIN_TLS] = "tls",
});
CODES(outcomes, {
    [BURL_FINDING_OUTCOME_UNKNOWN] = "unknown",
    [BURL_FINDING_OUTCOME_SAME] = "same",
    [BURL_FINDING_OUTCOME_DIFFERS] = "differs",
    [BURL_FINDING_OUTCOME_ONE_ORDER] = "one-order",
});
/* clang-format on */

const char *
burl__report_word(const struct burl__report_codes *c, uint8_t code)
{
    return code < c->n ? c->words[code] : NULL;
}

bool
burl__report_code(const struct burl__report_codes *c, const char *word, uint8_t *code)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->words[i] != NULL && strcmp(c->words[i], word) == 0) {
            *code = (uint8_t)i;
            return true;
        }
    }
    return false;
}

bool
burl__report_op(const char *word, uint8_t *op)
{
    for (unsigned i = 0; i < BURL_OP__N; i++) {
        if (strcmp(burl_op_text((uint8_t)i), word) == 0) {
            *op = (uint8_t)i;
            return true;
        }
    }
    return false;
}
