/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - a server, clients, and a stop while some of them are still there.
 *
 *     ftpserver [CLIENTS]     10
 *
 * Three clients linger until the server stops, two more connect at that moment. At the end no
 * connection may be open, no more clients may have been logged in than the limit, and the
 * server's counts must be those of the clients.
 */
#include "ftp.h"

#define LINGERING 3
#define LATE 2

static unsigned
expect(unsigned long value, unsigned long wanted, const char *what)
{
    if (value == wanted)
        return 0;
    printf("%s: the server counts %lu, the clients %lu\n", what, value, wanted);
    return 1;
}

/* The number of mistakes. */
static unsigned
check(struct server *s, const struct client *clients, unsigned n, unsigned n_left)
{
    unsigned long bytes_in = 0, bytes_out = 0, files_in = 0, files_out = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < n; i++) {
        wrong += clients[i].n_wrong;
        bytes_in += clients[i].bytes_in;
        bytes_out += clients[i].bytes_out;
        files_in += clients[i].files_in;
        files_out += clients[i].files_out;
    }
    wrong += expect(stats_get(&s->stats, COUNT_FILES_IN), files_out, "files received");
    wrong += expect(stats_get(&s->stats, COUNT_FILES_OUT), files_in, "files sent");
    wrong += expect(stats_get(&s->stats, COUNT_BYTES_IN), bytes_out, "bytes received");
    wrong += expect(stats_get(&s->stats, COUNT_BYTES_OUT), bytes_in, "bytes sent");
    if (n_left != 0) {
        printf("%u connections were open after the stop\n", n_left);
        wrong++;
    }
    if (s->users.peak > s->users.limit) {
        printf("%u clients were logged in, the limit is %u\n", s->users.peak, s->users.limit);
        wrong++;
    }
    if (s->users.active != 0) {
        printf("%u clients are still logged in\n", s->users.active);
        wrong++;
    }
    return wrong;
}

int
main(int argc, char **argv)
{
    static struct server server;
    static struct client clients[CLIENTS_MAX + LATE];
    unsigned n = argument(argc, argv, 1, 10, CLIENTS_MAX);
    unsigned n_lingering = n < LINGERING ? n : LINGERING;
    unsigned n_left, wrong;

    server_start(&server, n > LINGERING + 2 ? n - 2 : n);
    for (unsigned i = 0; i < n; i++)
        client_start(&clients[i], server.port, i, i < n_lingering, false);
    for (unsigned i = 0; i < n; i++)
        client_await(&clients[i]);
    for (unsigned i = n; i < n + LATE; i++)
        client_start(&clients[i], server.port, i, false, true);
    pause_us(100);
    n_left = server_stop(&server);
    for (unsigned i = 0; i < n + LATE; i++)
        client_join(&clients[i]);
    wrong = check(&server, clients, n, n_left);
    server_free(&server);
    return wrong != 0;
}
