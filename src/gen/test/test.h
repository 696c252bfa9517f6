/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test/test.h - one concurrent test as data: a sequential prefix, then one list of calls per
 * thread.
 *
 * Objects live in slots, each written by one call. Slots of the prefix are visible to every thread,
 * those that a thread writes only to itself; slot `self` holds the shared object. Every other
 * argument is a literal, so that a test can be printed, compared, cached and shrunk without running
 * it.
 *
 * What has no literal, because a sequential program (a seed) made it by code of its own, is taken
 * from that program: it runs before the prefix, up to one of its calls of the API, and stays there.
 */
#ifndef BURL_GEN_TEST_H
#define BURL_GEN_TEST_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"
#include "gen/model/model.h"

#define BURL_GEN_MAX_THREADS 8
#define BURL_GEN_MAX_CALLS 256 /* of a whole test, dumps included */
#define BURL_GEN_MAX_SLOTS 64
#define BURL_GEN_MAX_BYTES 256 /* of one string or buffer */
#define BURL_GEN_PAYLOADS 16   /* immortal objects for PAYLOAD */
#define BURL_GEN_MAX_STOPS 8

enum burl_gen_arg_kind {
    BURL_GEN_ARG_ROLE = 0, /* nothing to choose: LENGTH, OUT_VALUE, CONTEXT, RECORD, FIXED; and
                              BYTES_OUT, whose length in bytes is `i` */
    BURL_GEN_ARG_NULL,
    BURL_GEN_ARG_SLOT, /* OBJECT: slot `i`; STORAGE, OUT_OBJECT: slot that is written */
    BURL_GEN_ARG_INT,  /* INT, BOOL, INOUT_VALUE */
    BURL_GEN_ARG_REAL,
    BURL_GEN_ARG_BYTES,   /* STRING (without the NUL), BYTES_IN */
    BURL_GEN_ARG_PAYLOAD, /* payload number `i` */
    BURL_GEN_ARG_CALLBACK, /* variant `i` of the driver's callbacks for this parameter */
    BURL_GEN_ARG_STOPPED   /* as stop `i` of the test passes it, which is at the same function */
};

struct burl_gen_arg {
    enum burl_gen_arg_kind kind;
    int64_t i;
    double real;
    uint16_t n_bytes;
    char bytes[BURL_GEN_MAX_BYTES]; /* compared over n_bytes only */
};

struct burl_gen_call {
    int fn;
    int slot; /* that the call writes: result OBJECT, STORAGE or OUT_OBJECT; -1 none */
    BURL_VEC(struct burl_gen_arg) args; /* one per parameter */
};

struct burl_gen_calls {
    BURL_VEC_OF(struct burl_gen_call);
};

/* An object of a seed: what one of its client calls was given, or gave back. */
struct burl_gen_kept {
    unsigned nth; /* client call of the seed, from 0 */
    int fn;       /* that it calls */
    int param;    /* -1: the result */
    int slot;     /* where it goes */
};

/*
 * A seed that runs on a stack of its own until it is about to make a call, and is never resumed: so
 * everything that it made stays alive, and nothing else touches it. Each stop is an execution of
 * its own, with objects of its own.
 */
struct burl_gen_stopped {
    int seed;
    unsigned nth; /* client call that it does not make any more */
    int fn;       /* its function */
    BURL_VEC(struct burl_gen_kept) kept;
};

static_assert(BURL_GEN_MAX_SLOTS <= 64, "burl_gen_test.unended has a bit for each slot");

struct burl_gen_test {
    BURL_VEC(struct burl_gen_stopped) stops; /* before the prefix, in order */
    uint64_t unended; /* slots, as bits, whose objects are not ended after the test: other objects,
                         or a stopped seed, still refer to them */
    struct burl_gen_calls prefix;
    struct burl_gen_calls threads[BURL_GEN_MAX_THREADS];
    unsigned n_threads;
    int n_slots;
    int self; /* slot of the shared object; -1 none */
    uint64_t no_dumps; /* bit n: dump function n of the model fails on objects of this test */
};

void burl_gen_call_deinit(struct burl_gen_call *c);
void burl_gen_calls_deinit(struct burl_gen_calls *c);
void burl_gen_test_deinit(struct burl_gen_test *t);
struct burl_gen_call burl_gen_call_copy(const struct burl_gen_call *c);
/* Appends copies of all calls of `from`. */
void burl_gen_calls_append(struct burl_gen_calls *to, const struct burl_gen_calls *from);
struct burl_gen_test burl_gen_test_copy(const struct burl_gen_test *t);
/* The stops of `from`, for a test that has none. */
void burl_gen_stops_copy(struct burl_gen_test *to, const struct burl_gen_test *from);
/* Removes all calls but the first n. */
void burl_gen_calls_cut(struct burl_gen_calls *c, size_t n);
/* A list of a test by its number: -1 is the prefix, else the thread. */
const struct burl_gen_calls *burl_gen_test_list(const struct burl_gen_test *t, int list);

/*
 * Calls have numbers, in outcomes and in the driver: those of the prefix, of thread 0, thread
 * 1..., then the dumps.
 */
unsigned burl_gen_test_first_call(const struct burl_gen_test *t, unsigned thread);
/* The calls made after the threads have ended: the model's dump functions, but for `no_dumps`, on
 * the shared object; if objects of every type may be shared, on all that the prefix made. Owned by
 * the caller. */
struct burl_gen_calls burl_gen_test_dumps(const struct burl_gen_test *t,
                                          const struct burl_gen_model *m);
/* Leaves out the dump function in this test. */
void burl_gen_test_leave_out_dump(struct burl_gen_test *t, const struct burl_gen_model *m, int fn);
/* A call of the function on the object in slot `self`, with the plainest value for every other
 * argument: a dump, or the end of an object. Owned by the caller. */
struct burl_gen_call burl_gen_call_on(const struct burl_gen_model *m, int fn, int self);

/* The kind that arguments of a role have, ROLE where there is nothing to choose. */
enum burl_gen_arg_kind burl_gen_arg_kind_of(enum burl_gen_role role);
/* BYTES_OUT: bytes of the buffer. */
int64_t burl_gen_buffer_b(const struct burl_gen_arg *a);
/* LENGTH: parameter k of the call, in elements of its partner. */
int64_t burl_gen_call_length(const struct burl_gen_model *m, const struct burl_gen_call *c,
                             size_t k);

/* The call that writes a slot; NULL when none does. */
const struct burl_gen_call *burl_gen_test_writer(const struct burl_gen_test *t, int slot);
/* The object of a stopped seed that a slot holds; NULL: none. */
const struct burl_gen_kept *burl_gen_test_kept(const struct burl_gen_test *t, int slot);
/* A call writes the slot, or a stopped seed does. */
bool burl_gen_test_has_slot(const struct burl_gen_test *t, int slot);
/* The object of the slot is ended after the test, if its type says how. */
bool burl_gen_test_ends(const struct burl_gen_test *t, int slot);
/* Type of slot `slot`, by what writes it; -1 when nothing does. */
int burl_gen_test_slot_type(const struct burl_gen_test *t, const struct burl_gen_model *m,
                            int slot);
/* Equal tests have equal hashes; of prefix and threads. */
uint64_t burl_gen_test_hash(const struct burl_gen_test *t);
uint64_t burl_gen_calls_hash(const struct burl_gen_calls *c, uint64_t h);

/* "queue_push(q, 3)": as a person would write it; slots are named by their types ("q", "q2"...).
 * With `var`, "struct queue *q = queue_new(2)". */
void burl_gen_call_print(const struct burl_gen_model *m, const struct burl_gen_test *t,
                         const struct burl_gen_call *c, bool var, struct burl_buf *out);
/* A name, by value so that it can stand in an expression. */
struct burl_gen_name {
    char s[160];
};
/* The threads call a `strict` function: results are compared even if a trylock gave up. */
bool burl_gen_test_is_strict(const struct burl_gen_model *m, const struct burl_gen_test *t);
/* The name of a slot as burl_gen_call_print() uses it. */
struct burl_gen_name burl_gen_slot_name(const struct burl_gen_model *m,
                                        const struct burl_gen_test *t, int slot);
/* A string literal; every byte is representable. */
void burl_gen_literal_print(const char *bytes, size_t n, struct burl_buf *out);
/* Name of a callback in emitted tests: "on_queue_each_1_0". */
struct burl_gen_name burl_gen_callback_name(const struct burl_gen_fn *f, size_t param,
                                            int64_t variant);
/* C source of a literal argument: 3, "ab\n", NULL, QUEUE_OPEN. */
void burl_gen_arg_print(const struct burl_gen_fn *f, size_t param, const struct burl_gen_arg *a,
                        struct burl_buf *out);

/*
 * A linearization: the thread of each next call. The prefix comes first, the dumps last.
 */
struct burl_gen_order {
    uint8_t thread[BURL_GEN_MAX_CALLS];
    unsigned n;
};

#endif
