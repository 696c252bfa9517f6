/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core/trace.h - the ring of events of an execution (trace.c).
 */
#ifndef BURL_RT_TRACE_H
#define BURL_RT_TRACE_H

#include "rt.h"

/* Adds detail to the operation just performed by t: result flags and aux (shown in reports). */
void burl_trace_note(struct burl_thread *t, uint8_t flags, uint64_t aux);
/* Records an operation that is no scheduling point (alloc, init, ...). */
void burl_trace_event(struct burl_thread *t, enum burl_wire_op kind, uintptr_t addr, uint64_t aux);

/* The debugger's: burl_step_stop() is called before the first operation whose step is not smaller.
 * Only with a trace. */
extern uint64_t burl_step_wanted;
BURL_EXPORT void burl_step_stop(uint64_t step); /* breakpoint anchor for debuggers */

void burl__trace_commit(struct burl_thread *t, const struct burl_op *op);
void burl__trace_close(struct burl_thread *t); /* fills what an earlier write left behind */
void burl__trace_finish(void);

#endif
