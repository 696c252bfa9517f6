/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/input.c - standard input of programs that are executed many times.
 *
 * Runs in the host. A file is opened anew for each execution. What comes through a pipe can be read
 * once: executions get an empty input instead, and a program that needs the data fails in all of
 * them.
 */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"

/* For a writer that has just been started. */
#define WRITER_MS 100

#define LOST "standard input is a pipe, which cannot be given to each execution"

/* A pipe that nothing was written to is harmless: many tools start commands with one. */
static bool
has_data(int wait_ms)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
    struct stat sb;
    char byte;

    if (fstat(STDIN_FILENO, &sb) != 0 || (!S_ISFIFO(sb.st_mode) && !S_ISSOCK(sb.st_mode)))
        return false;
    if (poll(&p, 1, wait_ms) <= 0 || !(p.revents & POLLIN))
        return false;
    /* The end of a socket is readable as well. */
    return !S_ISSOCK(sb.st_mode) || recv(STDIN_FILENO, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

enum burl_status
burl_cli_check_input(bool first, struct burl_err *err)
{
    if (!has_data(first ? WRITER_MS : 0))
        return BURL_OK;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        LOST "; give a file (< FILE), or < /dev/null if the program reads nothing");
}

void
burl_cli_note_input(const struct burl_options *opts)
{
    if (!opts->quiet && has_data(WRITER_MS))
        fprintf(stderr, "burl: note: " LOST ": the program reads an empty input; give a file "
                        "(< FILE)\n");
}
