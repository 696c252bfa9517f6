/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.c - the process-side families together: beginning of executions and threads.
 */
#include "interpose_int.h"
#include "process_int.h"

void
burl__process_reset(void)
{
    burl__timers_reset();
    burl__signals_reset();
    burl__keys_reset();
    burl__exit_reset();
    burl__fork_reset();
    burl__io_reset();
}

void
burl__process_mark_start(void)
{
    burl__signals_mark_start();
    burl__keys_mark_start();
    burl__exit_mark_start();
    burl__fork_mark_start();
}

void
burl__process_thread_init(struct burl_thread *t, const struct burl_thread *parent)
{
    burl__keys_thread_init(t);
    burl__signals_thread_init(t, parent);
}
