/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/replay_program.c - where the program of a finding is.
 *
 * Runs in the host. A finding names its program as the user did. Where the user is in another
 * directory now, a relative name is looked for beside the store, which is where the program was run
 * unless --dir was given then.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/path.h"
#include "cli/replay_int.h"

/* The directory that has the store of this schedule of a finding; caller frees. */
static char *
home_of(const char *schedule)
{
    struct burl_err ignored;
    char *path;

    if (burl_path_absolute(&path, schedule, &ignored) != BURL_OK)
        return NULL;
    for (int i = 0; i < 4; i++) {
        char *above = burl_path_dirname(path);

        free(path);
        path = above;
    }
    return path;
}

static enum burl_status
fail_gone(const struct burl_replay *r, struct burl_err *err)
{
    char number[32] = "--schedule=FILE";

    if (r->number > 0)
        snprintf(number, sizeof number, "%" PRId64, r->number);
    return burl_err_set(err, BURL_E_USAGE, 0,
                        "cannot run %s: No such file or directory; build it, or say where it is: "
                        "burl replay %s PROGRAM",
                        r->argv[0], number);
}

enum burl_status
burl__replay_find_program(struct burl_replay *r, struct burl_err *err)
{
    const char *program = r->argv[0];
    char *there = NULL;
    char *home = NULL;
    char *schedule = NULL;
    enum burl_status st;

    if (strchr(program, '/') == NULL || burl_fs_exists(program))
        return BURL_OK;
    if (program[0] != '/' && strstr(r->path, "/findings/"))
        home = home_of(r->path);
    there = home ? burl_path_join(home, program) : NULL;
    if (!there || !burl_fs_exists(there)) {
        st = fail_gone(r, err);
    } else if ((st = burl_path_absolute(&schedule, r->path, err)) == BURL_OK) {
        fprintf(stderr, "burl: note: %s is not here; the program is run in %s\n", program, home);
        free(r->path);
        r->path = schedule;
        if (chdir(home) != 0)
            st = burl_err_set(err, BURL_E_IO, errno, "cannot change to %s", home);
    }
    free(there);
    free(home);
    return st;
}
