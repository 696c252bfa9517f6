/* SPDX-License-Identifier: Apache-2.0 */
/*
 * finding/facts.h - the numbers that go with a finding, from the campaign to the report.
 *
 * One struct, embedded where a finding is held: in the campaign, in the report's model, in the row
 * of the store and in the list of the command line. Names of engines and strategies differ by
 * layer (numbers below, words above) and stay there.
 */
#ifndef BURL_FINDING_FACTS_H
#define BURL_FINDING_FACTS_H

#include <stdbool.h>
#include <stdint.h>

/* When something was first seen. */
struct burl_found {
    uint64_t after;     /* schedules tried until then, including that one: all but exact repetitions
                           (self-check, confirming, minimizing); 0 not known */
    uint64_t execution; /* executions of the search until then, including that one; a kept schedule
                           may show it before the first */
    int64_t ms;         /* since the campaign began */
};

struct burl_finding_facts {
    uint64_t fingerprint;
    uint64_t seed;  /* of the execution that is replayed */
    uint64_t count; /* executions that showed it; 0 not known yet */
    uint64_t shown; /* burl tune: executions under noise that showed it, */
    uint64_t of;    /* of so many; 0 not known */
    struct burl_found found;
    bool sequential;    /* it also fails in the nonpreemptive run */
    bool always;        /* every execution of the campaign showed it; known at its end */
    uint32_t confirmed; /* of confirm_tries fresh processes */
    uint32_t confirm_tries;
    uint32_t n_preemptions_found; /* of the schedule before it was minimized */
    uint64_t minimize_execs;      /* 0: it was not minimized, or that is not known */
    bool minimized_fully;         /* the budget did not end it */
};

#endif
