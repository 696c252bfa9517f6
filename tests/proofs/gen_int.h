/* SPDX-License-Identifier: Apache-2.0 */
/* gen_int.h - a program that is being generated; its items are in gen_items.c. */
#ifndef PROOFS_GEN_INT_H
#define PROOFS_GEN_INT_H

#include "base/rng.h"
#include "prog.h"

enum feature {
    F_PLAIN,
    F_ATOMIC,
    F_MUTEX,
    F_KINDS, /* recursive and error-checking mutexes */
    F_RWLOCK,
    F_SPIN,
    F_SEM,
    F_COND,
    F_BARRIER,
    F_ONCE,
    F_STRUCT,
    F_WAITLOOP,
    F_KEY,
    F_LOCAL,
    F_LAZY, /* needs a mutex */
    F_OWN,
    F_CLEANUP,
    F__OBJECTS,
    /* how threads are created and joined */
    F_ALIKE = F__OBJECTS,
    F_OTHER_JOINS,
    F_DETACH,
    F_NESTED,
    F_SELF,
    F_EXIT,
    F_TRYJOIN,
    F_LATE_INIT,
    F_MAIN_LEAVES,
    F_CROWD, /* alike threads, some of them joined by a thread that is none of them */
    F_UNJOINED,
    F_TIMED,
    F_CANCEL,
    F__N
};

struct gen {
    struct prog *p;
    struct burl_rng rng;
    bool on[F__N];
    struct body *body;
    uint8_t body_no;
    bool pending_flag[MAX_VARS]; /* a thread waits for it in a loop: another one must set it */
    bool joined[MAX_THREADS];    /* or detached */
};

/* Uniform in [0, n). */
uint32_t gen_below(struct gen *g, uint32_t n);
bool gen_chance(struct gen *g, uint32_t percent);
uint8_t gen_reg(struct gen *g);
uint8_t gen_var(struct gen *g);
/* Appends an instruction to the body. */
struct ins *gen_add(struct gen *g, uint8_t op, uint8_t a, uint8_t b, int k);
/* The next instruction is where the one at `branch` goes to. */
void gen_to_here(struct gen *g, uint8_t branch);
/* One access, or one or two. */
void gen_memory(struct gen *g);
void gen_memory_some(struct gen *g);
/* A few instructions that belong together, of a feature that is on. */
void gen_item(struct gen *g);

#endif
