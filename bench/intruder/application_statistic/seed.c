/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of application_statistic.h once or more, in one thread. */
#include "application_statistic.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <string.h>

int
main(void)
{
    struct application_statistic *s = application_statistic_new("calendar");
    char name[16];

    assert(s != NULL);
    assert(application_statistic_get_app_id(s, name, sizeof name) == 8);
    assert(strcmp(name, "calendar") == 0);
    assert(application_statistic_average_time(s) < 0);
    assert(application_statistic_log_time(s, 40) == 0);
    assert(application_statistic_log_time(s, 20) == 0);
    assert(application_statistic_log_time(s, 60) == 0);
    assert(application_statistic_log_time(s, -5) == -1);
    assert(application_statistic_max_time(s) == 60);
    assert(application_statistic_min_time(s) == 20);
    assert(application_statistic_recent_time(s) == 120);
    assert(application_statistic_average_time(s) > 39.9);
    assert(application_statistic_average_time(s) < 40.1);
    assert(application_statistic_executions(s) == 3);
    application_statistic_free(s);
    return 0;
}
