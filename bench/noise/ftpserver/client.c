/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.c - a client that stores, reads back, renames and removes files of its own.
 */
#include "ftp.h"

/* The code of the reply, 0: the server has closed the connection. */
static int
reply(struct client *c, char *text)
{
    char line[LINE_LENGTH];

    if (!reader_line(&c->reader, line, sizeof line))
        return 0;
    if (text != NULL)
        strcpy(text, line);
    return (int)strtol(line, NULL, 10);
}

/* Sends a command; as reply. */
static int
ask(struct client *c, const char *command, const char *argument, char *text)
{
    char line[LINE_LENGTH];
    int length = snprintf(line, sizeof line, "%s%s%.200s\r\n", command,
                          *argument != '\0' ? " " : "", argument);

    return net_send(c->fd, line, (size_t)length) ? reply(c, text) : 0;
}

static void
expect(struct client *c, int code, int wanted, const char *what)
{
    if (code == wanted)
        return;
    printf("client %u: %s: %d instead of %d\n", c->number, what, code, wanted);
    c->n_wrong++;
}

/* Tries until there is room. False: the server is gone. */
static bool
log_in(struct client *c)
{
    static const char *const names[] = { "anonymous", "alice", "bob" };
    static const char *const passwords[] = { "guest", "wonder", "builder" };
    unsigned who = c->number % 3;
    int code;

    expect(c, ask(c, "USER", names[who], NULL), 331, "USER");
    while ((code = ask(c, "PASS", passwords[who], NULL)) == 421)
        pause_us(300);
    if (code == 0)
        return false;
    expect(c, code, 230, "PASS");
    return true;
}

/* -1: it cannot be had. */
static int
data_connection(struct client *c)
{
    char text[LINE_LENGTH];
    unsigned high, low;
    const char *numbers;

    if (ask(c, "PASV", "", text) != 227)
        return -1;
    numbers = strchr(text, '(');
    if (numbers == NULL || sscanf(numbers, "(127,0,0,1,%u,%u)", &high, &low) != 2)
        return -1;
    return net_connect((unsigned short)(high << 8 | low));
}

static void
fill_content(const struct client *c, char *bytes, size_t length)
{
    uint64_t random = c->number;

    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)random_in(&random, ' ', '~');
}

static void
store(struct client *c, const char *name, const char *bytes, size_t length)
{
    int fd = data_connection(c);
    int code;

    expect(c, fd >= 0 ? 0 : -1, 0, "PASV");
    if (fd < 0)
        return;
    code = ask(c, "STOR", name, NULL);
    expect(c, code, 150, "STOR");
    if (code != 150) {
        net_close(fd);
        return;
    }
    net_send(fd, bytes, length);
    net_close(fd);
    expect(c, reply(c, NULL), 226, "end of STOR");
    c->files_out++;
    c->bytes_out += length;
}

static void
retrieve(struct client *c, const char *command, const char *name, const char *bytes, size_t length)
{
    char got[DATA_MAX];
    struct reader r;
    int fd = data_connection(c);
    int code;
    size_t n;

    expect(c, fd >= 0 ? 0 : -1, 0, "PASV");
    if (fd < 0)
        return;
    code = ask(c, command, name, NULL);
    expect(c, code, 150, command);
    if (code != 150) {
        net_close(fd);
        return;
    }
    reader_init(&r, fd);
    n = reader_all(&r, got, sizeof got);
    net_close_at_end(fd);
    expect(c, reply(c, NULL), 226, "end of a transfer");
    if (strcmp(command, "RETR") != 0)
        return;
    if (n != length || memcmp(got, bytes, n) != 0) {
        printf("client %u: %s has %zu bytes, or others than were stored\n", c->number, name, n);
        c->n_wrong++;
    }
    c->files_in++;
    c->bytes_in += n;
}

/* A session with a directory of the client's own. */
static void
work(struct client *c)
{
    char directory[16], text[LINE_LENGTH], bytes[DATA_MAX];
    size_t length = 100 + 37 * c->number;

    snprintf(directory, sizeof directory, "d%u", c->number);
    fill_content(c, bytes, length);
    expect(c, ask(c, "SYST", "", NULL), 215, "SYST");
    expect(c, ask(c, "TYPE", "I", NULL), 200, "TYPE");
    expect(c, ask(c, "MKD", directory, NULL), 257, "MKD");
    expect(c, ask(c, "CWD", directory, NULL), 250, "CWD");
    store(c, "one", bytes, length);
    expect(c, ask(c, "SIZE", "one", text), 213, "SIZE");
    expect(c, (int)strtol(text + 4, NULL, 10), (int)length, "the size");
    expect(c, ask(c, "RNFR", "one", NULL), 350, "RNFR");
    expect(c, ask(c, "RNTO", "two", NULL), 250, "RNTO");
    retrieve(c, "LIST", "/", NULL, 0);
    retrieve(c, "RETR", "two", bytes, length);
    expect(c, ask(c, "DELE", "two", NULL), 250, "DELE");
    expect(c, ask(c, "CDUP", "", NULL), 250, "CDUP");
    expect(c, ask(c, "RMD", directory, NULL), 250, "RMD");
    expect(c, ask(c, "RETR", "nothing", NULL), 425, "RETR without PASV");
}

static void
settle(struct client *c)
{
    pthread_mutex_lock(&c->lock);
    c->settled = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* Until the server closes the connection. */
static void
linger(struct client *c)
{
    settle(c);
    while (ask(c, "NOOP", "", NULL) == 200)
        pause_us(60);
}

static void *
run(void *client)
{
    struct client *c = client;
    int code;

    c->fd = net_connect(c->port);
    if (c->fd >= 0) {
        reader_init(&c->reader, c->fd);
        code = reply(c, NULL);
        if (!c->is_late || code != 0)
            expect(c, code, 220, "greeting");
        if (!c->is_late && log_in(c)) {
            work(c);
            if (c->lingers)
                linger(c);
            else
                expect(c, ask(c, "QUIT", "", NULL), 221, "QUIT");
        }
        while (reply(c, NULL) != 0)
            ;
        net_close_at_end(c->fd);
    } else if (!c->is_late) {
        expect(c, -1, 0, "connect");
    }
    settle(c);
    return NULL;
}

void
client_start(struct client *c, unsigned short port, unsigned number, bool lingers, bool is_late)
{
    memset(c, 0, sizeof *c);
    c->port = port;
    c->number = number;
    c->lingers = lingers;
    c->is_late = is_late;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    start_thread(&c->thread, run, c);
}

void
client_await(struct client *c)
{
    pthread_mutex_lock(&c->lock);
    while (!c->settled)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void
client_join(struct client *c)
{
    pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
}
