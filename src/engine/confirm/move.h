/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine/confirm/move.h - a failing execution again, with one step moved to the other side of
 * another.
 *
 * The reports blame an order of two operations only when the failure is gone with that order turned
 * round. Everything else is kept: the executions follow the order of the trace, leniently, as
 * schedules are followed while they are minimized.
 */
#ifndef BURL_ENGINE_MOVE_H
#define BURL_ENGINE_MOVE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/run.h"

/*
 * Follows the switches in a traced execution and leaves it in *out (owned by the caller, empty on
 * false). *same: it failed as the execution that is examined. False: it could not be run.
 */
typedef bool burl_move_try_fn(void *arg, const struct burl_wire_switch *switches, size_t n,
                              struct burl_run *out, bool *same);

/* `failing` must have been traced from its beginning; otherwise nothing can be moved in it. */
enum burl_run_moved burl_move_try(const struct burl_run *failing, const struct burl_run_move *move,
                                  burl_move_try_fn *try_one, void *arg);

/* Is it an operation that schedules count? Not functions entered, nor blocks allocated. */
bool burl__engine_is_visible(uint8_t kind);

#endif
