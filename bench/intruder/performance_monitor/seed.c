/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of performance_monitor.h once or more, in one thread. */
#include "performance_monitor.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <string.h>

static void
seed_quiet(void)
{
    struct performance_monitor *m = performance_monitor_new("sent");

    assert(m != NULL);
    assert(performance_monitor_increment(m) == PERFORMANCE_MONITOR_ESTATE);
    assert(performance_monitor_start(m, 1000) == 0);
    assert(performance_monitor_start(m, 1001) == PERFORMANCE_MONITOR_ESTATE);
    assert(performance_monitor_is_started(m));
    assert(performance_monitor_increment(m) == 0);
    assert(performance_monitor_increment_by(m, 9) == 0);
    assert(performance_monitor_counter(m) == 10);
    assert(performance_monitor_rate(m, 3000) > 4.9);
    assert(performance_monitor_rate(m, 3000) < 5.1);
    assert(performance_monitor_print(m, 3000) == PERFORMANCE_MONITOR_ESTATE);
    assert(performance_monitor_end_and_print(m, 3000) == 0);
    assert(!performance_monitor_is_started(m));
    performance_monitor_free(m);
}

static void
seed_printing(void)
{
    struct performance_monitor *m = performance_monitor_new("doc");
    char report[64];

    assert(m != NULL);
    assert(performance_monitor_start_and_print(m, 0) == 0);
    assert(performance_monitor_increment_by(m, 4) == 0);
    assert(performance_monitor_print(m, 1000) == 0);
    assert(performance_monitor_increment_by(m, 2) == 0);
    assert(performance_monitor_print(m, 2000) == 0);
    assert(performance_monitor_last_report(m, report, sizeof report) > 0);
    assert(strcmp(report, "current: 2.0 doc/s, total 6") == 0);
    assert(performance_monitor_end_and_print(m, 3000) == 0);
    assert(performance_monitor_last_report(m, report, sizeof report) > 0);
    assert(strcmp(report, "average: 2.0 doc/s, total 6") == 0);
    assert(performance_monitor_reports(m) == 3);
    performance_monitor_free(m);
}

int
main(void)
{
    seed_quiet();
    seed_printing();
    return 0;
}
