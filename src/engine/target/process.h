/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/target/process.h - how a process of the tested program is surrounded: what controlled
 * runs (target.c) and free ones (free.c) share, and the areas of the control block (block.c).
 */
#ifndef BURL_ENGINE_PROCESS_H
#define BURL_ENGINE_PROCESS_H

#include <stddef.h>

#include "base/err.h"
#include "base/proc.h"
#include "engine/target/door.h"
#include "wire/control.h"

/* Sizes of areas, in entries. */
#define BURL__BLOCK_SITES (1u << 20)
#define BURL__BLOCK_SWITCHES (1u << 20)
#define BURL__BLOCK_EVENTS (1u << 20)
#define BURL__BLOCK_SEARCH_B (56ull << 20) /* bytes */

enum burl__area {
    BURL__AREA_POINTS,
    BURL__AREA_POINTS_NEW,
    BURL__AREA_GATES_NEW,
    BURL__AREA_PROFILE,
    BURL__AREA_PROFILE_NEW,
    BURL__AREA_SCHED_IN,
    BURL__AREA_SCHED_OUT,
    BURL__AREA_TRACE,
    BURL__AREA_SEARCH,
    BURL__AREA_COVER,
    BURL__AREA_MAIL_IN,
    BURL__AREA_MAIL_OUT,
    BURL__AREA__N
};

void *burl__block_area(struct burl_wire_ctl *ctl, enum burl__area a);
/* Writes the first n bytes of an area. */
void burl__block_put(struct burl_block *b, enum burl__area a, const void *bytes, size_t n);
/* Writes an order, into both blocks. */
void burl__block_order(struct burl_block *b, const struct burl_wire_order *order);

/* The user's standard input when it is a file, opened again for an offset of its own; else -1. */
int burl__target_open_input(void);
/* A file in memory for all that the program prints; appending. */
BURL_MUST_CHECK enum burl_status burl__target_open_output(int *fd, struct burl_err *err);
/* Throws the middle away when there is too much. */
void burl__target_limit_output(int fd);
/* Its last BURL_TARGET_TAIL_B bytes, NUL-terminated; caller frees. */
char *burl__target_tail(int fd, size_t *n);
/* Of a program that ended before main: what to do when it may have had too little stack; "". */
const char *burl__target_stack_hint(const struct burl_proc_status *status);
/* Orphans of what we start become our children. */
void burl__target_adopt_orphans(void);
/* Ends every child of ours that is not a live target. */
void burl__target_end_orphans(void);

#endif
