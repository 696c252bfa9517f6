/* SPDX-License-Identifier: Apache-2.0 */
/* explore_int.h - the states of a program, and the steps between them (step.c). */
#ifndef PROOFS_EXPLORE_INT_H
#define PROOFS_EXPLORE_INT_H

#include "prog.h"

enum { MAX_OUT = 32 };
enum { T_UNBORN, T_RUN, T_WAITING, T_WOKEN, T_AT_BARRIER, T_LEAVING, T_EXITING, T_DONE };
enum { NO_THREAD = 255, NO_BODY = 255 };
enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };
enum { CANCELED = -1 };

struct thread {
    uint8_t at; /* T_* */
    uint8_t pc;
    uint8_t sub; /* body of the routine it is in, NO_BODY */
    uint8_t sub_pc;
    uint8_t micro; /* accesses of this instruction done so far; or how a wait ended */
    int8_t tmp[2];
    int8_t reg[N_REGS];
    int8_t sub_reg[N_REGS];
    int8_t sub_arg;
    int8_t ret;
    int8_t key[MAX_KEYS];
    int8_t local;
    uint8_t exits;    /* after the routine it is in */
    uint8_t cancel;   /* pending */
    uint8_t spurious; /* wait instructions that have returned without a signal, by pc % 8 */
};

struct state {
    struct thread t[MAX_THREADS];
    int8_t var[MAX_VARS];
    uint8_t owner[MAX_MUTEXES];
    uint8_t depth[MAX_MUTEXES];
    uint8_t writer[MAX_RWLOCKS];
    uint8_t readers[MAX_RWLOCKS][MAX_THREADS];
    uint8_t spin[MAX_SPINS];
    int8_t sem[MAX_SEMS];
    uint8_t arrived[MAX_BARRIERS];
    uint8_t once[MAX_ONCES];
    uint8_t end; /* FINISHED, STUCK, or 0 */
    uint8_t pad[3];
    uint32_t fold;
};

enum { FINISHED = 1, STUCK = 2 };

/* The program that is explored, and the successors of the state that is expanded. */
struct stepper {
    const struct prog *p;
    struct rules rules;
    struct state out[MAX_OUT];
    bool spurious[MAX_OUT]; /* by a wakeup without a signal */
    uint32_t n_out;
    bool overflow;
};

extern struct stepper proofs_stepper;

struct state step_start(const struct prog *p);
/* Appends all successors of a state by a step of thread `no` to `out`. */
void step_thread_of(const struct state *from, uint8_t no);
/* Do threads wait for one another in a cycle of locks? */
bool step_has_cycle(const struct state *s);

#endif
