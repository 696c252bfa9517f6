/* SPDX-License-Identifier: Apache-2.0 */
/* emit_int.h - what emit.c and emit_ins.c share. */
#ifndef PROOFS_EMIT_INT_H
#define PROOFS_EMIT_INT_H

#include "prog.h"

struct emit {
    FILE *out;
    const struct prog *p;
    uint32_t id;  /* prefix of all names */
    uint8_t body; /* 0: main */
    bool routine; /* of pthread_once, or a destructor */
};

#define P(...) fprintf(x->out, __VA_ARGS__)

/* One instruction as statements, without the line break. */
void emit_ins(struct emit *x, const struct ins *i);
/* Is the mutex one of C11? */
bool emit_is_mtx(const struct emit *x, uint8_t m);

#endif
