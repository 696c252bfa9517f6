/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of portal_statistic.h once or more, in one thread. */
#include "portal_statistic.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <string.h>

int
main(void)
{
    struct portal_statistic *p = portal_statistic_new("classic");
    char name[16];

    assert(p != NULL);
    assert(portal_statistic_get_name(p, name, sizeof name) == 7);
    assert(strcmp(name, "classic") == 0);
    assert(portal_statistic_max_time(p) == -1);
    assert(portal_statistic_log_time(p, 30) == 0);
    assert(portal_statistic_log_time(p, 10) == 0);
    assert(portal_statistic_throughput(p) == 2);
    assert(portal_statistic_log_time(p, 50) == 0);
    assert(portal_statistic_log_time(p, -1) == -1);
    assert(portal_statistic_max_time(p) == 50);
    assert(portal_statistic_min_time(p) == 10);
    assert(portal_statistic_average_time(p) > 29.9);
    assert(portal_statistic_average_time(p) < 30.1);
    assert(portal_statistic_views(p) == 3);
    assert(portal_statistic_throughput(p) == 1);
    portal_statistic_free(p);
    return 0;
}
