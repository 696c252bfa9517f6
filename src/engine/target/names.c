/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/names.c - words for the numbers of wire/control.h.
 *
 * Made from the tables there, so that a new row has its name everywhere.
 */
#include "engine/target/target.h"

static const struct {
    const char *name;
    const char *text;
} counters[] = {
#define BURL_X(name, text) { #name, text },
    BURL_WIRE_COUNTERS(BURL_X)
#undef BURL_X
};

const char *
burl_engine_reset_name(uint32_t reset)
{
    return reset == BURL_RESET_SNAPSHOT ? "snapshot" : "fork";
}

const char *
burl_engine_counter_text(uint32_t counter)
{
    return counter < BURL_COUNTER__N ? counters[counter].text : "unknown";
}

const char *
burl_engine_counter_name(uint32_t counter)
{
    return counter < BURL_COUNTER__N ? counters[counter].name : "UNKNOWN";
}
