/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model.h - what `burl gen` understands of an API: types, functions, roles of parameters.
 *
 * A model is guessed from the declarations of a header (guess.c) and may be corrected in a text
 * file (model_file.c). Every guess a user may want to check is a note, printed by `burl gen
 * --model` as a comment. A wrong role makes poor tests, or tests that the sequential pre-run
 * rejects, never a false alarm.
 */
#ifndef BURL_GEN_MODEL_H
#define BURL_GEN_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/* What a parameter is for. X(NAME, "word in the model file") */
#define BURL_GEN_ROLES(X)                                                                       \
    X(OBJECT, "object")    /* T *: an object that was made; `type` */                           \
    X(STORAGE, "storage")  /* T *: memory for an object, which this call makes of it; `type` */ \
    X(OUT_OBJECT, "makes") /* T **: receives an object that this call makes; `type` */          \
    X(INT, "int")          /* integers, enumerations, characters; lo, hi, values */             \
    X(BOOL, "bool")                                                                             \
    X(REAL, "real")                                                                             \
    X(STRING, "string")     /* const char *, ends with NUL */                                   \
    X(BYTES_IN, "bytes")    /* read; `partner` is the parameter with the length, -1 none */     \
    X(BYTES_OUT, "buffer")  /* written; `partner` as above */                                   \
    X(LENGTH, "length")     /* of the bytes in `partner` */                                     \
    X(OUT_VALUE, "out")     /* scalar *: written */                                             \
    X(INOUT_VALUE, "inout") /* scalar *: read and written */                                    \
    X(PAYLOAD, "payload")   /* void *: kept and returned, never dereferenced */                 \
    X(CALLBACK, "callback") /* pointer to a function the driver has */                          \
    X(CONTEXT, "context")   /* void * handed to the callback */                                 \
    X(RECORD, "record")     /* pointer to a plain struct, all zero */                           \
    X(FIXED, "fixed")       /* always the C expression `expr` */                                \
    X(UNKNOWN, "unknown")   /* nothing can be made for it; `note` says why */

enum burl_gen_role {
#define BURL_X(name, text) BURL_GEN_ROLE_##name,
    BURL_GEN_ROLES(BURL_X)
#undef BURL_X
        BURL_GEN_ROLE__N
};

/* What a function returns. X(NAME, "word") */
#define BURL_GEN_RESULTS(X)                                                 \
    X(VOID, "nothing")                                                      \
    X(INT, "int") /* integers, enumerations, characters, bool */            \
    X(REAL, "real")                                                         \
    X(STRING, "string")         /* borrowed: its characters are compared */ \
    X(OWN_STRING, "own-string") /* as above, then freed with free() */      \
    X(PAYLOAD, "payload")       /* compared by which payload it is */       \
    X(OBJECT, "object")         /* a new object; `result_type` */           \
    X(STRUCT, "struct")         /* of numbers: its bytes are compared */    \
    X(IGNORED, "ignored")       /* an address, another struct: not compared */

enum burl_gen_result {
#define BURL_X(name, text) BURL_GEN_RESULT_##name,
    BURL_GEN_RESULTS(BURL_X)
#undef BURL_X
        BURL_GEN_RESULT__N
};

enum burl_gen_kind {
    BURL_GEN_MAKE = 0, /* makes an object: constructor */
    BURL_GEN_DESTROY,  /* ends one; called once, after everything else */
    BURL_GEN_METHOD,   /* takes the shared object: one of CovCon's M */
    BURL_GEN_HELPER,   /* takes no shared object: only to build arguments */
    BURL_GEN_SKIP      /* not called; `note` says why */
};

/* Texts of a model are literals, or belong to the declarations or to the model's memory. */
struct burl_gen_memory {
    BURL_VEC_OF(void *);
};
struct burl_gen_strings {
    BURL_VEC_OF(const char *);
};

struct burl__gen_cfn;
struct burl__gen_cparam;

/* Bytes of a struct that belong to no value. */
struct burl_gen_gap {
    uint32_t at;
    uint32_t n;
};

struct burl_gen_value_name {
    const char *name; /* enumerator, or the number as written */
    int64_t value;
};

struct burl_gen_param {
    const struct burl__gen_cparam *decl; /* private; NULL in a function that is ours */
    const char *name;                    /* "" when the header gives none */
    const char *ctype; /* as C spells it, usable in a declaration with burl_gen_declare() */
    enum burl_gen_role role;
    int type;    /* index into types; -1 none */
    int partner; /* index of a parameter; -1 none */
    bool nullable;
    bool is_unsigned;
    uint8_t size_b;  /* INT, OUT_VALUE, INOUT_VALUE: of the scalar; REAL: 4, 8 or 16; BYTES_IN,
                       BYTES_OUT: of one element, which is what LENGTH counts: 4 for "int *" */
    bool is_real;    /* OUT_VALUE, INOUT_VALUE: of a floating type */
    bool is_payload; /* OUT_VALUE, "void **": receives a payload, or NULL */
    bool consumes; /* OBJECT: ends with this call ("pool_put(p, item)"): a test hands it over once,
                        in the thread that made it, and does not use it or end it afterwards */
    bool ranged;   /* lo and hi were stated */
    int64_t lo;
    int64_t hi;
    BURL_VEC(struct burl_gen_value_name) values; /* not empty: one of these */
    const char *expr;                            /* FIXED; else NULL */
    const char
        *callback;    /* CALLBACK: ctype of the function pointed to, "int (const void *, void *)" */
    const char *note; /* why it is so; NULL when obvious */
};

struct burl_gen_fn {
    const struct burl__gen_cfn *decl; /* private; NULL: it is ours */
    const char *name;
    const char *ctype; /* of the function, for messages: "int (struct queue *, int)" */
    const char *file;  /* where it is declared, as the compiler named it */
    unsigned line;
    enum burl_gen_kind kind;
    enum burl_gen_result result;
    int result_type; /* OBJECT: index into types; else -1 */
    const char *result_ctype;
    const struct burl_gen_gap *gaps; /* STRUCT: its padding */
    size_t n_gaps;
    int self;  /* METHOD, DESTROY: parameter that is the shared (or ended) object; else -1 */
    int makes; /* MAKE: type it makes; else -1 */
    bool zero_is_success; /* MAKE by STORAGE or OUT_OBJECT with an int result: 0 means it worked;
                             otherwise nonzero does. Unused with other results */
    bool may_block;       /* waiting is part of its contract */
    bool read_only;       /* does not change the object, by its const parameter or as stated */
    bool dump;            /* called after the threads have ended: part of the final state */
    bool weak;            /* may fail although it could succeed, as a trylock does */
    bool strict;          /* never `weak`, as stated: compared even if a trylock in it gave up */
    bool in_header;       /* static, with its body: hooks come from a file of the driver's */
    bool has_body;        /* defined where it is declared, `inline` say */
    bool is_undefined;    /* SKIP: declared, and defined by nothing that was given */
    bool unneeded;        /* SKIP: has nothing to do with the shared type; reduce.c */
    bool is_ours;         /* MAKE: zeroed memory, written by us and not in the header; zeroed.c */
    const char *note;
    BURL_VEC(struct burl_gen_param) params;
};

struct burl_gen_type {
    const char *name; /* as spelled in a declaration: "struct queue", "queue_t" */
    bool is_pointer;  /* the name is one of a pointer: "typedef void *queue_t" */
    bool is_number;   /* or of a number: "typedef int queue_t"; negative ones are none */
    bool complete;    /* its size is known: STORAGE is possible */
    int destroy;      /* function that ends one; -1 none: kept until the process ends */
    bool free_it;     /* ended by free(), alone or after `destroy` */
    bool zeroed; /* the caller's own plain struct: made as zeroed memory that stays to the end */
};

struct burl_gen_model {
    const char *header; /* as the user gave it: what a test includes */
    int shared;         /* index into types; every_type: -1 when no function takes an object */
    bool every_type;    /* threads may share objects of every type, and static state */
    BURL_VEC(struct burl_gen_type) types;
    BURL_VEC(struct burl_gen_fn) fns;
    struct burl_gen_strings notes;    /* guesses, in order; sentences */
    struct burl_gen_strings includes; /* further headers a test needs: "<stdio.h>", "\"more.h\"" */
    struct burl_gen_strings flags;    /* -I, -D, -std... that the header was read with, of
                                         compile_commands.json too; paths are absolute */
    BURL_VEC(struct burl_gen_value_name)
    constants;                     /* every enumerator of the header, for "one of" */
    struct burl__gen_decls *decls; /* the output of burl-api; private */
    struct burl_gen_memory memory; /* of texts */
};

/* Zero is empty. */
void burl_gen_model_deinit(struct burl_gen_model *m);
/* Keeps a block until the memory is released; returns it. */
void *burl_gen_memory_keep(struct burl_gen_memory *memory, void *block);
void burl_gen_memory_release(struct burl_gen_memory *memory);
/* -1: none of that name. */
int burl_gen_model_fn(const struct burl_gen_model *m, const char *name);
int burl_gen_model_type(const struct burl_gen_model *m, const char *name);

/* How the compiler is to see header and sources. */
struct burl_gen_sources {
    const char *header;
    const char *const *words; /* after "--": sources, objects, -I, -D, -l...; NULL-terminated */
    size_t n_words;
    const char *compile_commands; /* compile_commands.json whose flags for these sources count as
                                     well; NULL none */
    const char *api_tool;         /* path of burl-api */
    bool every_type;              /* struct burl_gen_model */
};

/*
 * Reads the header through burl-api, guesses, and corrects the guesses by the user's model file:
 * what the file states holds, what it does not name stays as guessed. `path` NULL: no file. It is
 * looked into first, because its "shared" and "include" lines decide how the header is read.
 * `shared` names the type to test and wins over the file; NULL: the file's, or the type that most
 * functions take.
 *
 * Failures: BURL_E_USAGE with what is missing and how to state it: the header does not parse (the
 * compiler's first messages), no function shares a handle, several types are equally likely
 * (named); an error of the model file with its line, names that the header does not have included
 * (with the nearest name), so that a typing error is not silent.
 */
BURL_MUST_CHECK enum burl_status burl_gen_model_load(struct burl_gen_model *out,
                                                     const struct burl_gen_sources *src,
                                                     const char *shared, const char *path,
                                                     struct burl_err *err);
/*
 * Functions of the header that no test calls, one line each: which, why, and the line of the model
 * file that would change it. Nothing when all are called.
 */
void burl_gen_model_left_out(const struct burl_gen_model *m, struct burl_buf *out);
/* Every argument can be made, so that tests can call it. */
bool burl_gen_fn_is_callable(const struct burl_gen_model *m, const struct burl_gen_fn *f);
/* Not skipped, and the role of every parameter is known: the driver has a thunk for it. */
bool burl_gen_fn_has_thunk(const struct burl_gen_fn *f);
/* A dump that has a thunk. */
bool burl_gen_fn_is_dump(const struct burl_gen_fn *f);
/* The parameter that receives an object a call makes: STORAGE or OUT_OBJECT. */
bool burl_gen_param_receives(const struct burl_gen_param *p);
/* The first such parameter; -1 none. */
int burl_gen_fn_made_param(const struct burl_gen_fn *f);
/* Type of the object that a call makes, as its result or through a parameter; else `makes`. */
int burl_gen_fn_made_type(const struct burl_gen_fn *f);
/* `weak`: its result is a truth value, and false is its failure. */
bool burl_gen_fn_is_weak_bool(const struct burl_gen_fn *f);

/* The model as a text file with its notes as comments; burl_gen_model_load() reads it back. */
void burl_gen_model_print(struct burl_gen_model const *m, struct burl_buf *out);
/* One function of it, without comments, for a user to copy and change. */
void burl_gen_model_print_fn(const struct burl_gen_model *m, int fn, struct burl_buf *out);
/*
 * Is a test possible? Checks after guess and apply: the shared type can be made, at least one
 * METHOD has arguments that can be made. BURL_E_USAGE says what is missing, function by function,
 * and the line of the model file that would help.
 */
BURL_MUST_CHECK enum burl_status burl_gen_model_check(const struct burl_gen_model *m,
                                                      struct burl_err *err);

/* zeroed.c: the C of a function of kind MAKE that is_ours. */
void burl__gen_write_zeroed(const struct burl_gen_model *m, const struct burl_gen_fn *f,
                            struct burl_buf *out);

/* model.c: no test calls the function, because nothing defines it. */
void burl_gen_model_undefined(struct burl_gen_model *m, int fn);

/* reduce.c: functions that no test of the shared type needs become SKIP. */
void burl_gen_model_reduce(struct burl_gen_model *m);

/* ---- ctype.c: types as C spells them ----------------------------------------------------- */

/* "int x", "void (*cb)(int)", "char buf[8]": a declaration of `name` with type `ctype`. */
void burl_gen_declare(struct burl_buf *out, const char *ctype, const char *name);
/* "int *" -> "int", "const char *" -> "const char"; false: not a pointer as it stands. */
bool burl_gen_pointee(const char *ctype, char *out, size_t n);
/* One of C's own arithmetic types, by its name. */
bool burl_gen_is_arithmetic(const char *ctype);
/* The '(' that opens the parameters of a function type; NULL: not a function type. */
const char *burl_gen_function_params(const char *ctype);
/* The next type of a list of parameters, with its length; returns what follows, NULL: there is no
 * more. `list` begins after the '('. */
const char *burl_gen_next_param(const char *list, const char **type, size_t *n);

#endif
