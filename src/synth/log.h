/* SPDX-License-Identifier: Apache-2.0 */
/*
 * synth/log.h - what sequential seeds did: calls of the client, and the events inside each.
 *
 * A client call is a call of a public function by code outside the library; calls between functions
 * of the library are part of it. The recorder in the runtime writes the events (record.c reads
 * them); unit tests write them by hand. Everything after this file works on this data alone.
 */
#ifndef BURL_SYNTH_LOG_H
#define BURL_SYNTH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire/record.h"

#define BURL_SYNTH_MAX_PARAMS BURL_RECORD_MAX_PARAMS

enum burl_synth_access { BURL_SYNTH_NONE = 0, BURL_SYNTH_READ = 1, BURL_SYNTH_WRITE = 2 };
/* A read-modify-write operation is both. */
#define BURL_SYNTH_RMW (BURL_SYNTH_READ | BURL_SYNTH_WRITE)

enum burl_synth_event_kind {
    BURL_SYNTH_ACCESS = 0,
    BURL_SYNTH_LOCK,
    BURL_SYNTH_UNLOCK,
    BURL_SYNTH_ALLOC, /* addr, size, site */
    BURL_SYNTH_FREE
};

enum burl_synth_event_flag {
    BURL_SYNTH_F_ATOMIC = 1u << 0,
    BURL_SYNTH_F_SHARED = 1u << 1, /* LOCK: a reader's lock */
    BURL_SYNTH_F_POINTER = 1u << 2 /* ACCESS: `value` is the pointer that was read or written */
};

struct burl_synth_event {
    uint8_t kind;   /* enum burl_synth_event_kind */
    uint8_t access; /* ACCESS: READ, WRITE or both */
    uint16_t flags;
    uint32_t site;
    uint64_t addr;
    uint64_t size_b;
    uint64_t value;
};

/* An argument as the client passed it. */
struct burl_synth_arg {
    uint64_t bits;     /* value of a scalar; address of a pointer */
    uint64_t object_b; /* pointer to a complete type: its size; 0 not known */
    int type;          /* object of this type of the model; -1 none */
};

struct burl_synth_call {
    int fn;        /* of the model */
    int seed;      /* which program */
    unsigned nth;  /* client call of that seed, from 0 */
    bool is_life_cycle; /* a constructor or destructor: may give setters; races on static objects
                           only */
    bool is_end;        /* a destructor: no racing accesses at all */
    int result_type; /* object of this type of the model; -1 none */
    uint64_t result;
    unsigned n_args;
    struct burl_synth_arg args[BURL_SYNTH_MAX_PARAMS];
    size_t first; /* its events */
    size_t n_events;
};

/* A static object: a symbol of the library. */
struct burl_synth_static {
    uint64_t addr;
    uint64_t size_b;
    char *name; /* owned */
};

/* Zero is empty. Everything is in the order of execution, seed by seed. */
struct burl_synth_log {
    BURL_VEC(struct burl_synth_call) calls;
    BURL_VEC(struct burl_synth_event) events; /* with allocations between calls */
    BURL_VEC(struct burl_synth_static) statics; /* ascending by address */
    BURL_VEC(size_t) seeds; /* first event of each; the heap of one is gone when the next begins */
};

void burl_synth_log_deinit(struct burl_synth_log *l);

#endif
