/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.c - the commands of the protocol.
 */
#include <ctype.h>

#include "ftp.h"

static bool
do_user(struct connection *c, const char *argument)
{
    if (c->logged_in)
        return connection_reply(c, 503, "already logged in");
    if (*argument == '\0' || strlen(argument) >= NAME_LENGTH)
        return connection_reply(c, 501, "a name is needed");
    strcpy(c->user, argument);
    return connection_reply(c, 331, "password, please");
}

static bool
do_pass(struct connection *c, const char *argument)
{
    if (c->logged_in || c->user[0] == '\0')
        return connection_reply(c, 503, "USER comes first");
    switch (users_login(&c->server->users, c->user, argument)) {
    case LOGIN_DONE:
        c->logged_in = true;
        return connection_reply(c, 230, "logged in");
    case LOGIN_WRONG:
        c->user[0] = '\0';
        return connection_reply(c, 530, "wrong name or password");
    case LOGIN_FULL:
        break;
    }
    return connection_reply(c, 421, "too many users");
}

static bool
do_quit(struct connection *c, const char *argument)
{
    (void)argument;
    c->quits = true;
    return connection_reply(c, 221, "goodbye");
}

static bool
do_noop(struct connection *c, const char *argument)
{
    (void)argument;
    return connection_reply(c, 200, "done");
}

static bool
do_syst(struct connection *c, const char *argument)
{
    (void)argument;
    return connection_reply(c, 215, "UNIX Type: L8");
}

static bool
do_type(struct connection *c, const char *argument)
{
    if (strcmp(argument, "I") != 0 && strcmp(argument, "A") != 0)
        return connection_reply(c, 504, "no such type");
    return connection_reply(c, 200, "done");
}

static bool
do_pwd(struct connection *c, const char *argument)
{
    char text[PATH_LENGTH + 2];

    (void)argument;
    snprintf(text, sizeof text, "\"%s\"", c->directory);
    return connection_reply(c, 257, text);
}

static bool
do_cwd(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH];

    if (!files_path(path, c->directory, argument) || !files_is_directory(&c->server->files, path))
        return connection_reply(c, 550, "no such directory");
    strcpy(c->directory, path);
    return connection_reply(c, 250, "done");
}

static bool
do_cdup(struct connection *c, const char *argument)
{
    (void)argument;
    return do_cwd(c, "..");
}

static bool
do_mkd(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], text[PATH_LENGTH + 2];

    if (!files_path(path, c->directory, argument) || !files_make_directory(&c->server->files, path))
        return connection_reply(c, 550, "it cannot be made");
    snprintf(text, sizeof text, "\"%s\"", path);
    return connection_reply(c, 257, text);
}

static bool
do_dele(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH];

    if (!files_path(path, c->directory, argument) || !files_remove(&c->server->files, path))
        return connection_reply(c, 550, "it cannot be removed");
    return connection_reply(c, 250, "done");
}

static bool
do_size(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], text[24];
    long length =
        files_path(path, c->directory, argument) ? files_size(&c->server->files, path) : -1;

    if (length < 0)
        return connection_reply(c, 550, "no such file");
    snprintf(text, sizeof text, "%ld", length);
    return connection_reply(c, 213, text);
}

static bool
do_rnfr(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH];

    if (!files_path(path, c->directory, argument) || files_size(&c->server->files, path) < 0)
        return connection_reply(c, 550, "no such file");
    strcpy(c->from, path);
    return connection_reply(c, 350, "RNTO, please");
}

static bool
do_rnto(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], from[PATH_LENGTH];

    strcpy(from, c->from);
    c->from[0] = '\0';
    if (from[0] == '\0')
        return connection_reply(c, 503, "RNFR comes first");
    if (!files_path(path, c->directory, argument) || !files_rename(&c->server->files, from, path))
        return connection_reply(c, 550, "it cannot be renamed");
    return connection_reply(c, 250, "done");
}

static bool
do_pasv(struct connection *c, const char *argument)
{
    (void)argument;
    return transfer_passive(c);
}

static bool
do_list(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], text[DATA_MAX];
    size_t length;

    if (c->passive < 0)
        return connection_reply(c, 425, "PASV comes first");
    if (!files_path(path, c->directory, argument) || !files_is_directory(&c->server->files, path))
        return connection_reply(c, 550, "no such directory");
    length = files_list(&c->server->files, path, text, sizeof text);
    if (!connection_reply(c, 150, "here it comes"))
        return false;
    if (!transfer_send(c, text, length))
        return connection_reply(c, 426, "cut");
    return connection_reply(c, 226, "done");
}

static bool
do_retr(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], bytes[DATA_MAX];
    long length;

    if (c->passive < 0)
        return connection_reply(c, 425, "PASV comes first");
    length = files_path(path, c->directory, argument)
                 ? files_read(&c->server->files, path, bytes, sizeof bytes)
                 : -1;
    if (length < 0)
        return connection_reply(c, 550, "no such file");
    if (!connection_reply(c, 150, "here it comes"))
        return false;
    if (!transfer_send(c, bytes, (size_t)length))
        return connection_reply(c, 426, "cut");
    stats_add(&c->server->stats, COUNT_FILES_OUT, 1);
    stats_add(&c->server->stats, COUNT_BYTES_OUT, (unsigned long)length);
    return connection_reply(c, 226, "done");
}

static bool
do_stor(struct connection *c, const char *argument)
{
    char path[PATH_LENGTH], bytes[DATA_MAX];
    long length;

    if (c->passive < 0)
        return connection_reply(c, 425, "PASV comes first");
    if (!files_path(path, c->directory, argument))
        return connection_reply(c, 553, "no such name");
    if (!connection_reply(c, 150, "send it"))
        return false;
    length = transfer_receive(c, bytes, sizeof bytes);
    if (length < 0 || !files_write(&c->server->files, path, bytes, (size_t)length))
        return connection_reply(c, 552, "not stored");
    stats_add(&c->server->stats, COUNT_FILES_IN, 1);
    stats_add(&c->server->stats, COUNT_BYTES_IN, (unsigned long)length);
    return connection_reply(c, 226, "done");
}

static const struct {
    const char *name;
    bool (*run)(struct connection *c, const char *argument);
    bool needs_login;
} commands[] = {
    { "USER", do_user, false }, { "PASS", do_pass, false }, { "QUIT", do_quit, false },
    { "NOOP", do_noop, false }, { "SYST", do_syst, false }, { "TYPE", do_type, true },
    { "PWD", do_pwd, true },    { "CWD", do_cwd, true },    { "CDUP", do_cdup, true },
    { "MKD", do_mkd, true },    { "DELE", do_dele, true },  { "RMD", do_dele, true },
    { "SIZE", do_size, true },  { "RNFR", do_rnfr, true },  { "RNTO", do_rnto, true },
    { "PASV", do_pasv, true },  { "LIST", do_list, true },  { "RETR", do_retr, true },
    { "STOR", do_stor, true },
};

bool
commands_do(struct connection *c, char *line)
{
    size_t length = strcspn(line, " ");
    const char *argument = line[length] == ' ' ? line + length + 1 : line + length;

    for (size_t i = 0; i < length; i++)
        line[i] = (char)toupper((unsigned char)line[i]);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        if (strlen(commands[i].name) == length && strncmp(commands[i].name, line, length) == 0) {
            if (commands[i].needs_login && !c->logged_in)
                return connection_reply(c, 530, "log in first");
            return commands[i].run(c, argument);
        }
    return connection_reply(c, 502, "no such command");
}
