/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/input.c - standard input of programs that are executed many times.
 *
 * Runs in the host. A file is opened anew for each execution. What comes through a pipe can be read
 * once, so it is copied into memory first, and the copy becomes our standard input. A finding keeps
 * the input of its program, for `burl replay`.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/command.h"

/* For a writer that has just been started. */
#define WRITER_MS 100
/* For more data of one that has written some. A program that pauses longer needs a file. */
#define PAUSE_MS 5000
#define INPUT_MAX_B (64u << 20) /* in memory, for the time of the command */
#define KEPT_MAX_B (16u << 20)  /* on the disk, for each finding */
#define KEPT_NAME "input"

#define GIVE_FILE "give a file (< FILE), or < /dev/null if the program reads nothing"

static bool
is_pipe(void)
{
    struct stat sb;

    return fstat(STDIN_FILENO, &sb) == 0 && (S_ISFIFO(sb.st_mode) || S_ISSOCK(sb.st_mode));
}

/* A pipe that nothing was written to is harmless: many tools start commands with one. */
static bool
has_data(int wait_ms)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
    struct stat sb;
    char byte;

    if (!is_pipe() || poll(&p, 1, wait_ms) <= 0 || !(p.revents & POLLIN))
        return false;
    /* The end of a socket is readable as well. */
    return fstat(STDIN_FILENO, &sb) == 0 &&
           (!S_ISSOCK(sb.st_mode) || recv(STDIN_FILENO, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0);
}

static enum burl_status
copy_input(int to, struct burl_err *err)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
    char buf[1u << 16];
    size_t all = 0;

    for (;;) {
        ssize_t n;

        if (poll(&p, 1, PAUSE_MS) == 0)
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "standard input is a pipe that is not closed, and each execution "
                                "needs the whole input; " GIVE_FILE);
        n = read(STDIN_FILENO, buf, sizeof buf);
        if (n < 0 && (errno == EINTR || errno == EAGAIN))
            continue;
        if (n < 0)
            return burl_err_set(err, BURL_E_IO, errno, "cannot read standard input; " GIVE_FILE);
        if (n == 0)
            return BURL_OK;
        all += (size_t)n;
        if (all > INPUT_MAX_B)
            return burl_err_set(err, BURL_E_USAGE, 0,
                                "standard input is a pipe with more than %u MB, which burl does "
                                "not copy for each execution; " GIVE_FILE,
                                INPUT_MAX_B >> 20);
        if (burl_fs_write_all(to, buf, (size_t)n, err) != BURL_OK)
            return burl_err_prefix(err, "cannot copy standard input");
    }
}

/* Takes fd. */
static enum burl_status
replace_input(int fd, struct burl_err *err)
{
    const int sys = dup2(fd, STDIN_FILENO) < 0 ? errno : 0;

    close(fd);
    return sys == 0 ? BURL_OK : burl_err_set(err, BURL_E_IO, sys, "cannot replace standard input");
}

enum burl_status
burl_cli_keep_input(struct burl_err *err)
{
    enum burl_status st;
    int fd;

    if (!has_data(WRITER_MS))
        return BURL_OK;
    fd = memfd_create("burl-input", MFD_CLOEXEC);
    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot copy standard input");
    st = copy_input(fd, err);
    if (st == BURL_OK)
        return replace_input(fd, err);
    close(fd);
    return st;
}

enum burl_status
burl_cli_check_late_input(struct burl_err *err)
{
    if (!has_data(0))
        return BURL_OK;
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "data came through standard input after the start, and executions did not "
                        "get it; " GIVE_FILE);
}

bool
burl_cli_awaits_input(void)
{
    struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };

    return is_pipe() && poll(&p, 1, 0) == 0;
}

void
burl_cli_note_late_input(const struct burl_options *opts)
{
    struct burl_err err;

    if (!opts->quiet && burl_cli_check_late_input(&err) != BURL_OK)
        fprintf(stderr, "burl: note: %s\n", err.msg);
}

/* ---- the input of findings --------------------------------------------------------------- */

enum burl_status
burl_cli_store_input(const char *dir, struct burl_err *err)
{
    struct stat sb;
    char *data = NULL;
    size_t n = 0;
    enum burl_status st;
    char *path = burl_path_join(dir, KEPT_NAME);

    unlink(path); /* of an earlier campaign, with another input */
    free(path);
    if (fstat(STDIN_FILENO, &sb) != 0 || !S_ISREG(sb.st_mode) || sb.st_size == 0)
        return BURL_OK;
    if (sb.st_size > (off_t)KEPT_MAX_B) {
        static bool noted;

        if (!noted)
            fprintf(stderr,
                    "burl: note: the input has more than %u MB and is not kept with the findings; "
                    "replay them with < FILE\n",
                    KEPT_MAX_B >> 20);
        noted = true;
        return BURL_OK;
    }
    st = burl_fs_read_file("/proc/self/fd/0", KEPT_MAX_B, &data, &n, err);
    if (st == BURL_OK)
        st = burl_fs_write_in(dir, KEPT_NAME, data, n, err);
    free(data);
    return st;
}

char *
burl_cli_stored_input(const char *schedule)
{
    char *dir = burl_path_dirname(schedule);
    char *path = burl_path_join(dir, KEPT_NAME);
    struct burl_err ignored;
    char *absolute = NULL;

    free(dir);
    if (!burl_fs_exists(path) || burl_path_absolute(&absolute, path, &ignored) != BURL_OK)
        absolute = NULL;
    free(path);
    return absolute;
}

enum burl_status
burl_cli_take_input(const char *path, struct burl_err *err)
{
    int fd;
    enum burl_status st = burl_fs_open_input(&fd, path, err);

    return st == BURL_OK ? replace_input(fd, err) : st;
}

enum burl_status
burl_cli_no_input(struct burl_err *err)
{
    const int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return burl_err_set(err, BURL_E_IO, errno, "cannot open /dev/null");
    return replace_input(fd, err);
}

bool
burl_cli_has_input(void)
{
    struct stat sb;

    return fstat(STDIN_FILENO, &sb) == 0 && S_ISREG(sb.st_mode);
}
