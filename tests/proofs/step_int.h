/* SPDX-License-Identifier: Apache-2.0 */
/* step_int.h - what step.c and step_sync.c share. `no` is the number of the thread that steps. */
#ifndef PROOFS_STEP_INT_H
#define PROOFS_STEP_INT_H

#include "explore_int.h"

const struct body *step_body_of(const struct thread *t, uint8_t no);
/* The thread enters a routine. */
void step_enter(struct thread *t, uint8_t body);
/* It leaves its routine, or begins to exit, with a result. */
void step_leave(struct thread *t, uint8_t no, int ret);

/* Successors: the state as it is; after the instruction; the same with a result; the end by misuse.
 * */
void step_emit(struct state *s, uint8_t no);
void step_done(struct state *s, uint8_t no);
void step_done_with(struct state *s, uint8_t no, const struct ins *i, int result);
void step_misuse(struct state *s);

/* The instruction, if it is one of step_sync.c. */
bool step_sync(struct state *s, uint8_t no, const struct ins *i);
/* A thread that waits for a condition: what ends its wait without another thread. */
void step_waiting(struct state *s, uint8_t no);
/* A thread whose wait has ended: it takes the mutex. */
void step_woken(struct state *s, uint8_t no);
bool step_holds_lock(const struct state *s, uint8_t no);

#endif
