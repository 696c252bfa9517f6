/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/free/free_watch.h - is the program of a free run deadlocked? Asked while it runs.
 */
#ifndef BURL_ENGINE_FREE_WATCH_H
#define BURL_ENGINE_FREE_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/free/waitfor.h"

/* Zero-initialize, then set pid and table. */
struct burl_free_watch {
    pid_t pid;
    const struct burl_wire_blocked_table *table;
    uint64_t cycle; /* what the last look found, 0 nothing: a second look must find the same */
    uint64_t stuck;
    /* Failed attempts of spinning threads when it was found first: each must fail once more. */
    uint64_t cycle_attempts[BURL_WIRE_MAX_CYCLE];   /* in the order of the cycle */
    uint64_t stuck_attempts[BURL_WIRE_MAX_BLOCKED]; /* in the order of the threads */
    uint64_t cancelable; /* a cycle that a cancellation could end */
};

/* One look, to be repeated at intervals. True: the program is deadlocked for certain; *g is the
 * state and *v the verdict. Never true at the first look. */
bool burl_free_watch_look(struct burl_free_watch *w, struct burl_waitfor *g,
                          struct burl_wire_verdict *v);

/* Of a thread in /proc: its state ('R', 'S', ...; 0 unknown), and how often it was switched out. */
void burl_free_watch_task(pid_t pid, unsigned kernel_tid, char *state, uint64_t *switches);

#endif
