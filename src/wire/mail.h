/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/mail.h - what `burl gen` sends to its driver, and what each execution sends back.
 *
 * The driver is a program that the host writes, compiles without hooks and runs like any other. A
 * test for it lies as bytes in the control block's in-area from before the order on, the same for
 * every execution of the order. Each execution leaves one record in the out-area: the runtime's
 * head (how it ended), the driver's part (states and values of calls), and a log of public
 * functions entered and left. Neither area belongs to the snapshot.
 *
 * This file is also compiled into the driver, on its own: freestanding, no other header of ours.
 */
#ifndef BURL_WIRE_MAIL_H
#define BURL_WIRE_MAIL_H

#include <stdint.h>

#define BURL_MAIL_IN_B (1u << 20)
#define BURL_MAIL_OUT_B (32u << 20)
#define BURL_MAIL_MAGIC 0x314c4941u
#define BURL_MAIL_MAX_THREADS 8
#define BURL_MAIL_VALUE_BYTES 64
#define BURL_MAIL_NONE 0xffffu

/* ---- the out-area ------------------------------------------------------------------ */

struct burl_mail_out {
    uint32_t used_b;    /* of what follows this head */
    uint32_t n_records; /* begun */
    uint32_t n_lost;    /* executions without a whole record: the area was full */
    uint32_t last_off;  /* of the last one, from the end of this head */
};

/* Then, one after the other: head, driver's part (body_b), log (log_n of log_max events). Only the
 * last one may be incomplete. */
struct burl_mail_head {
    uint32_t bytes;    /* of head, body and log */
    uint32_t body_b;
    uint32_t log_max;
    uint32_t log_n;    /* events; more than log_max: the rest was dropped */
    uint64_t ordinal;  /* of the execution in its order */
    uint64_t seed;
    uint64_t hash;
    uint64_t steps;
    uint64_t key;      /* of the verdict: entry of result.failures; 0 passed */
    uint32_t done;     /* 1: the execution ended and the fields here are valid */
    uint32_t kind;     /* enum burl_wire_verdict_kind */
    int32_t  code;
    uint32_t tid;      /* thread that failed */
    uint64_t addr;
    uint32_t n_threads; /* ever, with main */
    uint32_t contended; /* 1: an operation of a thread gave up, as burl_exec.contended says */
};

enum burl_mail_event_flag {
    BURL_MAIL_F_LEAVE = 1u << 0,
    BURL_MAIL_F_WITHIN = 1u << 1 /* logged by the runtime, not by the driver */
};

struct burl_mail_event {
    uint16_t tid;
    uint16_t thread; /* of the test, as the driver says; BURL_MAIL_NONE: main or not said */
    uint16_t fn;     /* of the model */
    uint16_t flags;  /* BURL_MAIL_F_* */
};

/* ---- the in-area ------------------------------------------------------------------- */

enum burl_mail_mode {
    BURL_MAIL_SEQUENTIAL = 0, /* one call at a time, each by its thread, in the order given */
    BURL_MAIL_CONTROLLED,
    BURL_MAIL_FREE,           /* threads wait for each other before their first call */
    BURL_MAIL_SEED            /* no test: a seed is run and recorded (wire/record.h); its arguments
                                 lie where the order would, each with its NUL */
};

/* Offsets are from the start of the area. */
struct burl_mail_test {
    uint32_t magic;
    uint32_t mode;       /* enum burl_mail_mode */
    uint32_t total_b;
    uint32_t body_b;     /* of the record: n_calls states, then n_values values */
    uint32_t log_max;
    uint32_t n_calls;    /* prefix, threads, dumps; the calls that end objects follow */
    uint32_t n_values;
    uint32_t n_prefix;
    uint32_t n_args;     /* of all calls */
    uint32_t n_threads;
    uint32_t first[BURL_MAIL_MAX_THREADS + 1]; /* first call of each thread; of the dumps */
    uint32_t n_dumps;
    uint32_t n_slots;
    uint32_t n_order;    /* SEQUENTIAL: steps, uint8_t each: the thread that calls next */
    uint32_t order_off;
    uint32_t calls_off;  /* struct burl_mail_call[n_calls + n_slots]: the last ones end objects */
    uint32_t args_off;   /* struct burl_mail_arg[] */
    uint32_t n_sites;    /* struct burl_mail_site[], ascending: public functions to log */
    uint32_t sites_off;
    uint32_t seed;       /* SEED: which */
    uint32_t n_stops;    /* struct burl_mail_stop[], before the prefix */
    uint32_t stops_off;
    uint32_t kept_off;   /* struct burl_mail_kept[], of all stops */
    uint32_t words_off;  /* arguments of seeds that are stopped, each with its NUL */
    uint32_t words_b;
    uint32_t pad;
    uint64_t shift;      /* nonzero: other addresses */
};

/* A seed runs on a stack of its own up to one of its client calls, and stays there. */
struct burl_mail_stop {
    uint32_t seed;
    uint32_t nth;    /* client call, from 0 */
    uint32_t fn;     /* of the model, for a check */
    uint32_t kept;   /* first of its objects that the test uses */
    uint32_t n_kept;
};

struct burl_mail_kept {
    uint32_t nth;   /* client call */
    uint16_t param; /* BURL_MAIL_NONE: the result */
    uint16_t slot;  /* that gets it */
};

struct burl_mail_call {
    uint16_t fn;    /* BURL_MAIL_NONE: nothing to do (an object without a function that ends it) */
    uint16_t slot;  /* that is written; BURL_MAIL_NONE */
    uint16_t value; /* of the result, in the record; BURL_MAIL_NONE */
    uint16_t n_args;
    uint32_t arg;   /* first of its arguments */
    uint32_t flags; /* BURL_MAIL_CALL_* */
};

enum burl_mail_call_flag {
    BURL_MAIL_CALL_MAKES = 1u << 0, /* a constructor: the prefix stops if it fails */
    BURL_MAIL_CALL_FREES = 1u << 1  /* end of an object: by free(), after `fn` if there is one */
};

enum burl_mail_arg_kind {
    BURL_MAIL_ARG_NULL = 0,
    BURL_MAIL_ARG_SLOT,
    BURL_MAIL_ARG_INT,
    BURL_MAIL_ARG_REAL,
    BURL_MAIL_ARG_BYTES,   /* to read; bytes_off */
    BURL_MAIL_ARG_BUFFER,  /* to write, n_bytes */
    BURL_MAIL_ARG_PAYLOAD,
    BURL_MAIL_ARG_CALLBACK,
    BURL_MAIL_ARG_STOPPED, /* as stop `i` passes it */
    BURL_MAIL_ARG_OTHER    /* the thunk knows */
};

struct burl_mail_arg {
    uint8_t  kind; /* enum burl_mail_arg_kind */
    uint8_t  pad;
    uint16_t value; /* what came out of it, in the record; BURL_MAIL_NONE */
    uint32_t n_bytes;
    uint32_t bytes_off;
    uint32_t alloc_b;   /* memory it has: with the NUL of a string */
    int64_t  i;
    double   real;
};

struct burl_mail_site {
    uint32_t site;
    uint32_t fn;
};

/* ---- the driver's part of a record -------------------------------------------------- */

enum burl_mail_end { BURL_MAIL_END_NONE = 0, BURL_MAIL_END_MAKE, BURL_MAIL_END_ALL };

struct burl_mail_body {
    uint32_t end; /* enum burl_mail_end */
    uint32_t pad;
    /* then uint8_t state[n_calls], up to a multiple of 8; then the values */
};

struct burl_mail_value {
    uint16_t kind; /* enum burl_gen_value_kind */
    uint16_t n_bytes;
    uint32_t length;
    uint64_t bits;
    char     bytes[BURL_MAIL_VALUE_BYTES];
};

#endif
