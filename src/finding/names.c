/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/names.c - names of operations, from the table of wire/event.h.
 */
#include "finding/fingerprint.h"
#include "wire/event.h"

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
