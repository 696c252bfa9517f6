/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/replay_int.h - shared by cmd_replay.c, replay_program.c and replay_gdb.c.
 */
#ifndef BURL_CLI_REPLAY_INT_H
#define BURL_CLI_REPLAY_INT_H

#include "cli/test_int.h"
#include "engine/schedule/schedfile.h"

struct burl_replay {
    const struct burl_options *opts;
    int64_t number; /* of the finding, 0: a schedule file */
    char *path;     /* of the schedule */
    char *input;    /* that the finding was found with; NULL: none was kept */
    char **argv;    /* program and arguments; NULL-terminated, borrowed */
    size_t n_argv;
    char *dir;      /* its working directory; NULL: ours */
    char **env;     /* added to its environment; NULL-terminated */
    enum burl_wire_engine engine;
    enum burl_wire_reset reset;
    struct burl_schedfile file; /* resolved against the program when `sites` is there */
    struct burl_sites *sites;
    struct burl_campaign_image image; /* with code that is loaded while the program runs */
    char build_id[17];
    struct burl_store_finding known; /* the finding, when number is not 0 */
};

/* The order that follows the schedule once. */
struct burl_wire_order burl__replay_order(const struct burl_replay *r);
/* If the program of the schedule is not here but beside the store, changes to that directory:
 * sources and files of the program are then found too. BURL_E_USAGE: it is in neither. */
BURL_MUST_CHECK enum burl_status burl__replay_find_program(struct burl_replay *r,
                                                           struct burl_err *err);
/* Opens gdb on the program; run: the execution that gdb repeats, empty: not known. Returns the exit
 * code. */
int burl__replay_gdb(struct burl_replay *r, const struct burl_run *run);

#endif
