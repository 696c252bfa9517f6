/* SPDX-License-Identifier: Apache-2.0 */
/* seed.c - calls every function of timesync_client.h once or more, in one thread. */
#include "timesync_client.h"

#undef NDEBUG /* the calls are in assertions */
#include <assert.h>
#include <string.h>

int
main(void)
{
    struct timesync_client *c = timesync_client_new();
    char field[64];

    assert(c != NULL);
    assert(timesync_client_send(c));
    assert(timesync_client_send_meta(c, 1000, field, sizeof field) > 0);
    assert(strcmp(field, "{\"tc\":1000,\"l\":0,\"o\":0}") == 0);
    assert(timesync_client_receive_meta(c, 1050, 1000, 5000, 10));
    assert(timesync_client_get_lag(c) == 20);
    assert(timesync_client_get_offset(c) == 3980);
    assert(timesync_client_receive_meta(c, 2090, 2000, 6000, 10));
    assert(timesync_client_get_lag(c) == 30);
    assert(timesync_client_get_offset(c) == 3970);
    assert(timesync_client_get_time_offset(c) == 4000);
    assert(timesync_client_get_server_time(c, 3000) == 6970);
    assert(timesync_client_receive(c));
    assert(timesync_client_get_messages(c) == 5);
    timesync_client_free(c);
    return 0;
}
