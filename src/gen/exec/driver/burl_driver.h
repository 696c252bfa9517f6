/* SPDX-License-Identifier: Apache-2.0 */
/*
 * burl_driver.h - what the generated part of a driver (one thunk per function of the API) uses of
 * the fixed part.
 *
 * Compiled without hooks together with the generated file, which has seen the user's headers
 * first: every name here begins with burl_d_ or burl_mail_.
 *
 * A thunk turns the arguments of a call into C, makes the call between burl_d_begin() and
 * burl_d_end(), and puts down what came of it. It is run by the thread whose call it is and writes
 * nothing that another thread's call writes.
 */
#ifndef BURL_DRIVER_H
#define BURL_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "burl_mail.h"

#define BURL_D_PAYLOADS 16

struct burl_d_call {
    const struct burl_mail_call *c;
    const struct burl_mail_arg *args;
    uint32_t number; /* in the record; above n_calls: not kept */
    uint32_t thread; /* of the test; BURL_MAIL_NONE: main */
};

/* A scalar that the API writes. */
union burl_d_out {
    int64_t i;
    double d;
    float f;
    long double ld;
    void *p;
    char b[16];
};

/* The generated part. */
typedef void burl_d_thunk(struct burl_d_call *c);
extern burl_d_thunk *const burl_d_thunks[];
extern const uint32_t burl_d_n_thunks;

void *burl_d_object(const struct burl_d_call *c, uint32_t arg);
int64_t burl_d_int(const struct burl_d_call *c, uint32_t arg);
double burl_d_real(const struct burl_d_call *c, uint32_t arg);
/* STRING, BYTES_IN, BYTES_OUT: memory of its own for each argument of the test. */
void *burl_d_bytes(const struct burl_d_call *c, uint32_t arg);
size_t burl_d_length(const struct burl_d_call *c, uint32_t arg); /* in bytes */
void *burl_d_payload(const struct burl_d_call *c, uint32_t arg);
/* -1: NULL is to be passed. */
int burl_d_variant(const struct burl_d_call *c, uint32_t arg);
int burl_d_is_null(const struct burl_d_call *c, uint32_t arg);
/* Where the argument lies that a stopped seed passes; NULL: the test has one of its own. */
const void *burl_d_stopped(const struct burl_d_call *c, uint32_t arg);
/* Memory for the stack of a seed. */
void *burl_d_stack(size_t n);
/* Zeroed memory that lasts until the end of the execution. */
void *burl_d_memory(size_t n);
void burl_d_free(void *p);
void burl_d_set(const struct burl_d_call *c, uint32_t arg, union burl_d_out *o, int size_b,
                int is_real);

void burl_d_begin(struct burl_d_call *c);
void burl_d_end(struct burl_d_call *c);

void burl_d_put_int(struct burl_d_call *c, int64_t v);
void burl_d_put_real(struct burl_d_call *c, double v);
void burl_d_put_string(struct burl_d_call *c, const char *s);
void burl_d_put_struct(struct burl_d_call *c, const void *p, size_t n);
/* Fields of a struct that the API returns and did not set have what lay on the stack. This writes
 * there, something else under a shift, so that such fields are found and left out. */
void burl_d_fill_stack(void);
/* A string that stays the API's. */
void burl_d_put_lent(struct burl_d_call *c, const char *s);
/* Of the result, or of a parameter. */
#define BURL_D_RESULT UINT32_MAX
void burl_d_put_pointer(struct burl_d_call *c, uint32_t arg, const void *p);
/* The object that the call made; NULL: it made none. */
void burl_d_made(struct burl_d_call *c, void *p);
/* The call consumed the object. */
void burl_d_consumed(struct burl_d_call *c, uint32_t arg);
void burl_d_put_out(struct burl_d_call *c, uint32_t arg, const union burl_d_out *o, int size_b,
                    int is_unsigned, int is_real);
void burl_d_put_buffer(struct burl_d_call *c, uint32_t arg);

/* Immortal objects for PAYLOAD, and the context of callbacks. */
struct burl_d_payload {
    int64_t words[8];
};
extern struct burl_d_payload burl_d_payloads[BURL_D_PAYLOADS];
extern struct burl_d_payload burl_d_context;

/*
 * A callback of function `fn`, parameter `arg`, was called. Returns the hash to extend: it begins
 * with 0, each call of the callback multiplies it by BURL_D_STEP and adds 1, and each argument that
 * is a number or a payload multiplies and adds its value.
 */
#define BURL_D_STEP 1000003u
uint64_t *burl_d_called(uint32_t fn, uint32_t arg);
enum burl_d_seen { BURL_D_NOT_SEEN, BURL_D_SIGNED, BURL_D_UNSIGNED, BURL_D_POINTER };
void burl_d_see(uint64_t *h, const void *p, size_t n, enum burl_d_seen kind);

#define BURL_D_SEE(h, x)                                                                 \
    burl_d_see(h, &(x), sizeof(x),                                                       \
               _Generic((x), _Bool: BURL_D_UNSIGNED, char: BURL_D_SIGNED,                \
                        signed char: BURL_D_SIGNED, short: BURL_D_SIGNED,                \
                        int: BURL_D_SIGNED, long: BURL_D_SIGNED,                         \
                        long long: BURL_D_SIGNED, unsigned char: BURL_D_UNSIGNED,        \
                        unsigned short: BURL_D_UNSIGNED, unsigned int: BURL_D_UNSIGNED,  \
                        unsigned long: BURL_D_UNSIGNED,                                  \
                        unsigned long long: BURL_D_UNSIGNED, float: BURL_D_UNSIGNED,     \
                        double: BURL_D_UNSIGNED, void *: BURL_D_POINTER,                 \
                        const void *: BURL_D_POINTER, default: BURL_D_NOT_SEEN))

#endif
