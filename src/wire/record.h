/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/record.h - what a sequential seed did, as the recorder writes it: client calls, and inside
 * each the accesses, locks and allocations.
 *
 * The recorder is the runtime's observer RECORD together with thunks of the driver around every
 * public function (gen/exec/record_source.c). Both append to one list, in the body of the
 * execution's record (wire/mail.h). A client call is a call of a public function by the seed's main
 * thread while no other one is running. Other threads and forked processes are not recorded.
 *
 * This file is also compiled into the driver, on its own: freestanding, no other header of ours.
 */
#ifndef BURL_WIRE_RECORD_H
#define BURL_WIRE_RECORD_H

#include <stdint.h>

#define BURL_RECORD_MAX_PARAMS 16        /* functions with more are not recorded */
#define BURL_RECORD_EVENTS_B (30u << 20) /* of the list, with its head */

enum burl_record_kind {
    BURL_RECORD_ENTER = 1, /* site: function of the model; size_b: arguments, which follow */
    BURL_RECORD_ARG,       /* site: parameter; value: its bytes; size_b: of what it points to */
    BURL_RECORD_BYTES,     /* site: parameter; size_b bytes that it points to follow in place of
                              events; addr: 1: a string, whose NUL is not among them */
    BURL_RECORD_OUT,       /* site: parameter; value: the pointer that the call left there */
    BURL_RECORD_LEAVE,     /* site: function; value: bytes of the result */
    BURL_RECORD_ACCESS,
    BURL_RECORD_LOCK,
    BURL_RECORD_UNLOCK,
    BURL_RECORD_ALLOC, /* site: hash of the call stack */
    BURL_RECORD_FREE,  /* site: the call of free() or realloc() */
    BURL_RECORD_THREAD, /* a thread was created, inside a client call or between two */
    BURL_RECORD_JUMP    /* the client call was left by longjmp() */
};

enum burl_record_flag {
    BURL_RECORD_F_READ = 1u << 0,
    BURL_RECORD_F_WRITE = 1u << 1,
    BURL_RECORD_F_ATOMIC = 1u << 2,
    BURL_RECORD_F_SHARED = 1u << 3, /* LOCK: for reading */
    BURL_RECORD_F_VALUE = 1u << 4   /* ACCESS: eight bytes, which are in `value` */
};

struct burl_record_event {
    uint16_t kind;
    uint16_t flags;
    uint32_t site;
    uint64_t addr;
    uint64_t size_b;
    uint64_t value;
};

struct burl_record_head {
    uint32_t n;      /* events, and places that bytes take */
    uint32_t n_lost; /* the list was full */
    uint64_t image;  /* address at which the program was loaded */
    uint32_t ended;  /* 1: the seed returned or called exit() */
    int32_t code;    /* its status */
    uint64_t data;   /* where variables of the program begin that can be written */
    uint64_t data_end;
};

/* Places of an event that n bytes take. */
#define BURL_RECORD_PLACES(n) \
    (((n) + sizeof(struct burl_record_event) - 1) / sizeof(struct burl_record_event))

#endif
