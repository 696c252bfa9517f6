/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transfer.c - passive data connections.
 */
#include "ftp.h"

bool
transfer_passive(struct connection *c)
{
    char text[64];
    unsigned short port;

    transfer_end(c);
    c->passive = net_listen(&port);
    snprintf(text, sizeof text, "Entering Passive Mode (127,0,0,1,%u,%u)", port >> 8, port & 255u);
    return connection_reply(c, 227, text);
}

static int
accept_data(struct connection *c)
{
    int fd;

    if (c->passive < 0)
        return -1;
    fd = net_accept(c->passive);
    transfer_end(c);
    return fd;
}

bool
transfer_send(struct connection *c, const char *bytes, size_t length)
{
    int fd = accept_data(c);
    bool sent;

    if (fd < 0)
        return false;
    sent = net_send(fd, bytes, length);
    net_close(fd);
    return sent;
}

long
transfer_receive(struct connection *c, char *bytes, size_t size)
{
    struct reader r;
    int fd = accept_data(c);
    size_t length;

    if (fd < 0)
        return -1;
    reader_init(&r, fd);
    length = reader_all(&r, bytes, size);
    net_close_at_end(fd);
    return length <= size ? (long)length : -1;
}

void
transfer_end(struct connection *c)
{
    if (c->passive >= 0)
        net_close(c->passive);
    c->passive = -1;
}
