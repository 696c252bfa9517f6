/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ftp.h - the parts of the FTP server, and of the clients that test it.
 *
 * Server and clients are threads of one process that talk over sockets of 127.0.0.1 with ports
 * that the system chooses. A listener accepts; each connection has a thread of its own. Files
 * are in memory.
 *
 * Bugs, each at its place with the word "bug": a reply on a connection that is being closed
 * (connection.c), a connection that is accepted while the server stops (server.c), one login too
 * many (users.c), lost counts (stats.c).
 *
 * Locks: that of the server, of a connection, of the files, of the users, of the statistics. No
 * thread holds two of them.
 */
#ifndef FTP_H
#define FTP_H

#include "subject.h"

#define LINE_LENGTH 256
#define PATH_LENGTH 96
#define NAME_LENGTH 32
#define DATA_MAX 4096
#define FILES_MAX 128
#define CONNECTIONS_MAX 64
#define CLIENTS_MAX 32

/* ---- net.c: sockets */

/* Lines and bytes from a socket; of one thread. */
struct reader {
    int fd;
    size_t first, n;
    char bytes[512];
};

/* Listens at a free port of 127.0.0.1. */
int net_listen(unsigned short *port);
/* -1: the connection was refused or cut. */
int net_connect(unsigned short port);
/* -1: the socket is shut down. */
int net_accept(int fd);
/* Wakes every thread that waits for the socket. It stays open. */
void net_shut_down(int fd);
void net_close(int fd);
/* The same, after the other end has closed and everything was read: the port is free at once.
 * A search runs thousands of servers, and every port that is kept for a minute is missing. */
void net_close_at_end(int fd);
/* False: the other end is gone. */
bool net_send(int fd, const char *bytes, size_t length);
void reader_init(struct reader *r, int fd);
/* A line without its end. False: the other end is gone, or the line is too long. */
bool reader_line(struct reader *r, char *line, size_t size);
/* Until the end. The number of bytes; those that do not fit are counted and dropped. */
size_t reader_all(struct reader *r, char *bytes, size_t size);

/* ---- files.c: the tree of files */

struct files {
    pthread_rwlock_t lock; /* guards the rest */
    unsigned n;
    struct file *list[FILES_MAX];
};

void files_init(struct files *f);
void files_deinit(struct files *f);
/* An absolute path without "." and "..", from the working directory and what a client says. */
bool files_path(char *out, const char *directory, const char *name);
bool files_make_directory(struct files *f, const char *path);
bool files_is_directory(struct files *f, const char *path);
/* Makes or replaces. False: no such directory, or too large. */
bool files_write(struct files *f, const char *path, const char *bytes, size_t length);
/* The length, -1: there is no such file. */
long files_read(struct files *f, const char *path, char *bytes, size_t size);
long files_size(struct files *f, const char *path);
/* A directory must be empty. */
bool files_remove(struct files *f, const char *path);
bool files_rename(struct files *f, const char *from, const char *to);
/* A line per entry. The length. */
size_t files_list(struct files *f, const char *path, char *text, size_t size);

/* ---- users.c: accounts and logins */

struct users {
    pthread_mutex_t lock; /* guards the rest */
    unsigned limit;       /* of logins at the same time */
    unsigned active, peak;
    unsigned n_logins, n_refused;
};

enum login { LOGIN_DONE, LOGIN_WRONG, LOGIN_FULL };

void users_init(struct users *u, unsigned limit);
void users_deinit(struct users *u);
enum login users_login(struct users *u, const char *name, const char *password);
void users_logout(struct users *u);

/* ---- stats.c: counts */

enum count { COUNT_CONNECTIONS, COUNT_COMMANDS, COUNT_FILES_IN, COUNT_FILES_OUT, COUNT_BYTES_IN,
             COUNT_BYTES_OUT, COUNT__N };

struct stats {
    pthread_mutex_t lock; /* guards the rest */
    unsigned long counts[COUNT__N];
};

void stats_init(struct stats *s);
void stats_deinit(struct stats *s);
void stats_add(struct stats *s, enum count which, unsigned long n);
unsigned long stats_get(struct stats *s, enum count which);

/* ---- connection.c: a client, as the server sees it */

/* What a connection has while it is open. */
struct control {
    int fd;
    unsigned n_replies;
};

struct connection {
    struct server *server;
    pthread_t thread;
    unsigned number;
    pthread_mutex_t lock;    /* guards control */
    struct control *control; /* NULL: closed */
    int fd;                  /* closed by the thread when it ends */
    struct reader reader;    /* this and the rest: of the thread */
    bool quits, logged_in;
    char user[NAME_LENGTH];
    char directory[PATH_LENGTH];
    char from[PATH_LENGTH]; /* of a rename, "": none */
    int passive;            /* a listening socket, -1: none */
};

struct connection *connection_new(struct server *s, int fd, unsigned number);
void connection_free(struct connection *c);
/* By any thread: the connection's thread sees the end. */
void connection_close(struct connection *c);
bool connection_is_open(struct connection *c);
/* False: the connection is closed. */
bool connection_reply(struct connection *c, int code, const char *text);
void *connection_run(void *connection);

/* ---- commands.c: one function per command of the protocol */

/* False: the connection is closed. */
bool commands_do(struct connection *c, char *line);

/* ---- transfer.c: data connections */

bool transfer_passive(struct connection *c);
/* Accepts the client's data connection, and sends or receives. */
bool transfer_send(struct connection *c, const char *bytes, size_t length);
/* The number of bytes, -1: there is no data connection. */
long transfer_receive(struct connection *c, char *bytes, size_t size);
void transfer_end(struct connection *c);

/* ---- server.c */

struct server {
    struct files files;
    struct users users;
    struct stats stats;
    unsigned short port;
    int fd;
    pthread_t listener;
    pthread_mutex_t lock; /* guards the rest */
    bool running;
    unsigned n;
    struct connection *connections[CONNECTIONS_MAX];
};

void server_start(struct server *s, unsigned login_limit);
bool server_is_running(struct server *s);
/* Closes all connections. The number of connections that are open nevertheless; they are
 * closed then. */
unsigned server_stop(struct server *s);
void server_free(struct server *s);

/* ---- client.c: a client, as it sees itself */

struct client {
    unsigned short port;
    pthread_t thread;
    unsigned number;
    bool lingers; /* stays until the server closes the connection */
    bool is_late; /* connects when the server stops */
    struct reader reader;
    int fd;
    unsigned n_wrong; /* replies and files that are not as they must be */
    unsigned long bytes_out, bytes_in, files_out, files_in;
    pthread_mutex_t lock; /* guards settled */
    pthread_cond_t changed;
    bool settled; /* logged in and everything done but to linger */
};

void client_start(struct client *c, unsigned short port, unsigned number, bool lingers,
                  bool is_late);
/* Until it has settled or ended. */
void client_await(struct client *c);
void client_join(struct client *c);

#endif
