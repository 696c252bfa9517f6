/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/verdict.c - names of the kinds of verdicts.
 */
#include "base/verdict.h"

const char *const burl_verdict_names[BURL_VERDICT__N] = {
#define BURL_X(name, text, finding) text,
    BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
};

const char *
burl_verdict_name(uint32_t kind)
{
    return kind < BURL_VERDICT__N ? burl_verdict_names[kind] : "unknown";
}

bool
burl_verdict_is_finding(uint32_t kind)
{
    static const bool findings[] = {
#define BURL_X(name, text, finding) finding,
        BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
    };

    return kind < BURL_VERDICT__N && findings[kind];
}
