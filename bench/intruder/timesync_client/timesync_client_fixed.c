/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timesync_client_fixed.c - the repaired twin; see timesync_client.h.
 *
 * One mutex per client guards its fields. Each function has one critical section.
 */
#include "timesync_client.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct timesync_client {
    pthread_mutex_t lock;
    long long lag;    /* zero: no reply yet */
    long long offset; /* zero: no reply yet */
    long long messages;
};

static long long
get(struct timesync_client *c, const long long *field)
{
    long long value;

    pthread_mutex_lock(&c->lock);
    value = *field;
    pthread_mutex_unlock(&c->lock);
    return value;
}

static void
count_message(struct timesync_client *c)
{
    pthread_mutex_lock(&c->lock);
    c->messages++;
    pthread_mutex_unlock(&c->lock);
}

static long long
averaged(long long previous, long long value)
{
    return previous == 0 ? value : (previous + value) / 2;
}

struct timesync_client *
timesync_client_new(void)
{
    struct timesync_client *c = calloc(1, sizeof *c);

    if (c != NULL)
        pthread_mutex_init(&c->lock, NULL);
    return c;
}

void
timesync_client_free(struct timesync_client *c)
{
    if (c == NULL)
        return;
    pthread_mutex_destroy(&c->lock);
    free(c);
}

bool
timesync_client_receive(struct timesync_client *c)
{
    count_message(c);
    return true;
}

bool
timesync_client_send(struct timesync_client *c)
{
    count_message(c);
    return true;
}

bool
timesync_client_receive_meta(struct timesync_client *c, int now, int tc, int ts, int p)
{
    long long lag = ((long long)now - tc - p) / 2;
    long long offset = (long long)ts - tc - lag;

    pthread_mutex_lock(&c->lock);
    c->messages++;
    c->lag = averaged(c->lag, lag);
    c->offset = averaged(c->offset, offset);
    pthread_mutex_unlock(&c->lock);
    return true;
}

int
timesync_client_send_meta(struct timesync_client *c, int now, char *out, size_t size)
{
    long long lag;
    long long offset;

    pthread_mutex_lock(&c->lock);
    c->messages++;
    lag = c->lag;
    offset = c->offset;
    pthread_mutex_unlock(&c->lock);
    return snprintf(out, size, "{\"tc\":%d,\"l\":%lld,\"o\":%lld}", now, lag, offset);
}

long long
timesync_client_get_lag(struct timesync_client *c)
{
    return get(c, &c->lag);
}

long long
timesync_client_get_offset(struct timesync_client *c)
{
    return get(c, &c->offset);
}

long long
timesync_client_get_time_offset(struct timesync_client *c)
{
    long long sum;

    pthread_mutex_lock(&c->lock);
    sum = c->offset + c->lag;
    pthread_mutex_unlock(&c->lock);
    return sum;
}

long long
timesync_client_get_server_time(struct timesync_client *c, int now)
{
    return now + get(c, &c->offset);
}

long long
timesync_client_get_messages(struct timesync_client *c)
{
    return get(c, &c->messages);
}
