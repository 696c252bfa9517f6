/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/doctor_int.h - the checks of `burl doctor`, shared by its files.
 *
 * A check is one line for the user: its subject, its state, and for every problem the command that
 * fixes it.
 */
#ifndef BURL_CLI_DOCTOR_INT_H
#define BURL_CLI_DOCTOR_INT_H

#include "base/err.h"
#include "base/vec.h"

enum burl_doctor_state {
    BURL_DOCTOR_OK = 0,
    BURL_DOCTOR_NOTE,   /* works, but slower or with less */
    BURL_DOCTOR_MISSING /* burl cannot do its work without */
};

struct burl_doctor_check {
    const char *name;
    enum burl_doctor_state state;
    char *detail; /* owned */
    char *fix;    /* owned; "" when there is no problem */
};

struct burl_doctor {
    BURL_VEC_OF(struct burl_doctor_check);
};

/* `fix` may be NULL. */
void burl__doctor_add(struct burl_doctor *d, const char *name, enum burl_doctor_state state,
                      const char *fix, const char *fmt, ...) BURL_PRINTF(5, 6);
/* Checks this machine (doctor_machine.c). */
void burl__doctor_machine(struct burl_doctor *d);
/* Checks one program (doctor_program.c). */
void burl__doctor_program(struct burl_doctor *d, const char *path);

#endif
