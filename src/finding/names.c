/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/names.c - names of verdicts and operations, from the tables of wire/.
 */
#include "finding/fingerprint.h"
#include "wire/event.h"

static const struct {
    const char *name;
    bool finding;
} verdicts[BURL_VERDICT__N] = {
#define BURL_X(name, text, finding) { text, finding },
    BURL_WIRE_VERDICTS(BURL_X)
#undef BURL_X
};

const char *
burl_verdict_name(uint32_t kind)
{
    return kind < BURL_VERDICT__N ? verdicts[kind].name : "unknown";
}

bool
burl_verdict_is_finding(uint32_t kind)
{
    return kind < BURL_VERDICT__N && verdicts[kind].finding;
}

const char *
burl_op_text(uint8_t kind)
{
    static const char *const texts[BURL_OP__N] = {
#define BURL_X(name, text, sync) text,
        BURL_WIRE_OPS(BURL_X)
#undef BURL_X
    };

    return kind < BURL_OP__N ? texts[kind] : "unknown operation";
}
