/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timesync_client.h - clock synchronization of a client, after TimesyncClientExtension of CometD.
 *
 * The client sends its time with a meta message; the server replies with that time (tc), its own
 * (ts) and the time it took (p). From each reply the client estimates the network lag and the
 * offset of the server's clock, and averages them with the previous estimates. All times are
 * milliseconds, given by the caller.
 *
 * Every function may be called by any thread at any time and is atomic, except
 * timesync_client_free, which needs exclusive use of the client.
 */
#ifndef TIMESYNC_CLIENT_H
#define TIMESYNC_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

struct timesync_client;

/* NULL if out of memory. */
struct timesync_client *timesync_client_new(void);
void timesync_client_free(struct timesync_client *c);

/* Messages that carry no times. True: the message is to be delivered. */
bool timesync_client_receive(struct timesync_client *c) __attribute__((nonnull));
bool timesync_client_send(struct timesync_client *c) __attribute__((nonnull));

/* Updates lag and offset from a reply that arrived at `now`. */
bool timesync_client_receive_meta(struct timesync_client *c, int now, int tc, int ts, int p)
    __attribute__((nonnull));
/* Writes the field that the message carries, cut to `size`; returns its whole length. */
int timesync_client_send_meta(struct timesync_client *c, int now, char *out, size_t size)
    __attribute__((nonnull));

long long timesync_client_get_lag(struct timesync_client *c) __attribute__((nonnull));
long long timesync_client_get_offset(struct timesync_client *c) __attribute__((nonnull));
/* The offset of the server's clock when a message that is sent now arrives: offset plus lag. */
long long timesync_client_get_time_offset(struct timesync_client *c) __attribute__((nonnull));
long long timesync_client_get_server_time(struct timesync_client *c, int now)
    __attribute__((nonnull));
/* The number of messages received and sent, meta messages included. */
long long timesync_client_get_messages(struct timesync_client *c) __attribute__((nonnull));

#endif
