/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/names.c - words for the numbers of wire/control.h.
 *
 * Made from the tables there, so that a new row has its name everywhere.
 */
#include "engine/engine.h"

#include "base/verdict.h"

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
burl_engine_verdict_name(uint32_t kind)
{
    return burl_verdict_name(kind);
}

bool
burl_engine_verdict_is_finding(uint32_t kind)
{
    return burl_verdict_is_finding(kind);
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

const char *
burl_campaign_end_name(enum burl_campaign_end end)
{
    static const char *const names[] = {
        [BURL_CAMPAIGN_END_RUNS] = "runs",
        [BURL_CAMPAIGN_END_TIME] = "time",
        [BURL_CAMPAIGN_END_FIRST] = "first finding",
        [BURL_CAMPAIGN_END_INTERRUPTED] = "interrupted",
        [BURL_CAMPAIGN_END_ONE_THREAD] = "one thread",
        [BURL_CAMPAIGN_END_NEVER_STOPS] = "never stops",
        [BURL_CAMPAIGN_END_SATURATED] = "saturated",
        [BURL_CAMPAIGN_END_EXPLORED] = "explored",
        [BURL_CAMPAIGN_END_UNSUPPORTED] = "unsupported",
    };

    return (unsigned)end < BURL_CAMPAIGN_END__N ? names[end] : "unknown";
}
