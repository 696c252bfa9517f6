/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/emit/emit_int.h - the parts of the writer of C tests.
 *
 *   emit.c        the file from top to bottom
 *   emit_calls.c  one call as statements
 *   emit_args.c   one argument as an expression, with the variables it needs
 *   emit_values.c the results: struct, table, comparison
 *   emit_callback.c functions that are handed to the API
 *   emit_stop.c   seeds that are stopped at a call
 *   emit_head.c   the comment at the head
 */
#ifndef BURL_GEN_EMIT_INT_H
#define BURL_GEN_EMIT_INT_H

#include "gen/emit/emit.h"

#define BURL__GEN_MAX_TABLE 64u /* distinct results that the test compares with */

/* The form of a value in the test. */
enum burl__gen_field_kind {
    BURL__GEN_FIELD_NONE = 0,
    BURL__GEN_FIELD_INT,     /* long long */
    BURL__GEN_FIELD_SEEN,    /* unsigned long long: what a callback was called with */
    BURL__GEN_FIELD_REAL,    /* double */
    BURL__GEN_FIELD_TEXT,    /* struct text */
    BURL__GEN_FIELD_POINTER, /* int: which payload or object */
    BURL__GEN_FIELD__N
};

struct burl__gen_field {
    unsigned call;
    unsigned param; /* as in burl_gen_value */
    enum burl__gen_field_kind kind;
    bool compared; /* in the table */
    bool is_lent;  /* TEXT: a string that a call of a thread returned and that stays the API's */
    char name[80];
};

#define BURL__GEN_IN_PREFIX (-1)
#define BURL__GEN_IN_DUMPS (-2)
#define BURL__GEN_IN_ENDS (-3)

struct burl__gen_emit_call {
    const struct burl_gen_call *c;
    const struct burl_gen_fn *f;
    int thread;    /* or one of the above */
    char name[24]; /* "a1" */
};

/* One argument of a call. */
struct burl__gen_emit_arg {
    const struct burl__gen_emit_call *call;
    size_t k; /* number of the parameter */
    const struct burl_gen_param *p;
    const struct burl_gen_arg *a;
    const struct burl__gen_field *field; /* NULL: its value is not kept */
    char name[80];                       /* of the variable that receives or holds it: "a1_value" */
    char type[160];                      /* what it points to; "" where the spelling shows none */
};

struct burl__gen_emitter {
    const struct burl_gen_emit *e;
    const struct burl_gen_model *m;
    const struct burl_gen_test *t;
    struct burl_buf body; /* everything after the helpers */
    struct burl_gen_calls dumps;
    BURL_VEC(struct burl__gen_emit_call) calls; /* as outcomes number them */
    BURL_VEC(struct burl__gen_field) fields;
    const char *indent; /* of the statements that are written */
    bool checked;       /* the results are compared */
    bool uses_payload;
    bool uses_context;
    bool uses_which;
    bool uses_string;
    bool uses_lent; /* strings of the API */
    bool uses_seen; /* callbacks */
    bool uses_see;  /* that have parameters */
};

/* emit_values.c */
void burl__gen_emit_find_fields(struct burl__gen_emitter *em);
/* NULL: the value is not kept. */
const struct burl__gen_field *burl__gen_emit_field(const struct burl__gen_emitter *em,
                                                   unsigned call, unsigned param);
void burl__gen_emit_struct(const struct burl__gen_emitter *em, struct burl_buf *out);
void burl__gen_emit_table(const struct burl__gen_emitter *em, struct burl_buf *out);
/* A value for people: 3, "ab", NULL. `size_b`: of the elements, of bytes. */
void burl__gen_emit_value(const struct burl__gen_emitter *em, const struct burl_gen_value *v,
                          unsigned size_b, struct burl_buf *out);
/* Number of the call that writes the slot; -1 none. */
int burl__gen_emit_writer(const struct burl__gen_emitter *em, int slot);

/* emit_calls.c, all into the body but the last */
/* A call with everything around it; `i` its number. */
void burl__gen_emit_call(struct burl__gen_emitter *em, unsigned i);
/* Ends the object of the slot, when there is one. */
void burl__gen_emit_end(struct burl__gen_emitter *em, int slot);
/* Variables of the slots. */
void burl__gen_emit_slots(const struct burl__gen_emitter *em, struct burl_buf *out);

/* emit_args.c */
/* Argument k of call i. */
struct burl__gen_emit_arg burl__gen_emit_arg_of(const struct burl__gen_emitter *em, unsigned i,
                                                size_t k);
/* The variable it needs, if any, into the body. */
void burl__gen_emit_local(struct burl__gen_emitter *em, const struct burl__gen_emit_arg *x);
/* The argument as an expression, into the body. */
void burl__gen_emit_arg(struct burl__gen_emitter *em, const struct burl__gen_emit_arg *x);

/* emit_callback.c */
/* All callbacks that the test uses. */
void burl__gen_emit_callbacks(struct burl__gen_emitter *em, struct burl_buf *out);
/* Declarations that they need, before the struct of the results. */
void burl__gen_emit_seeing(const struct burl__gen_emitter *em, struct burl_buf *out);

/* emit_stop.c */
/* Before the header: functions that get another symbol. */
void burl__gen_emit_labels(const struct burl__gen_emitter *em, struct burl_buf *out);
/* The seeds, and what runs them; nothing if the test stops none. */
void burl__gen_emit_stops(const struct burl__gen_emitter *em, struct burl_buf *out);
/* Statements that run them, into the body. */
void burl__gen_emit_run_stops(struct burl__gen_emitter *em);
/* For the comment, one line each. */
void burl__gen_emit_describe_stops(const struct burl__gen_emitter *em, struct burl_buf *out);
/* Type of the variable of a slot that a seed fills; "": none does. */
struct burl_gen_name burl__gen_emit_kept_ctype(const struct burl__gen_emitter *em, int slot);

/* emit_head.c */
void burl__gen_emit_head(const struct burl__gen_emitter *em, struct burl_buf *out);

#endif
