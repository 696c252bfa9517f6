/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/decls_int.h - the declarations of a header as burl-api read them, and the passes that
 * guess a model of them.
 *
 * decls.c      runs burl-api, reads its JSON
 * handles.c    objects behind names for void * and for numbers
 * words.c      names and comments as words
 * guess.c      which type is shared; the order of the passes
 * guess_kind.c what each function is for: makes, ends, method, helper, skip
 * guess_role.c what each parameter is for
 * guess_more.c results, blocking, dumps
 * zeroed.c     plain structs that the test itself makes
 */
#ifndef BURL_GEN_DECLS_INT_H
#define BURL_GEN_DECLS_INT_H

#include "gen/model/model.h"

enum burl__gen_ckind {
    BURL__GEN_C_OTHER = 0, /* a type without values that tests can make */
    BURL__GEN_C_VOID,
    BURL__GEN_C_BOOL,
    BURL__GEN_C_CHAR,
    BURL__GEN_C_INT,
    BURL__GEN_C_REAL,
    BURL__GEN_C_ENUM,
    BURL__GEN_C_RECORD,
    BURL__GEN_C_POINTER,
    BURL__GEN_C_ARRAY,
    BURL__GEN_C_FUNCTION
};

struct burl__gen_ctype {
    enum burl__gen_ckind kind;
    const char *spelling;
    const char *canonical;
    const char *tag;  /* RECORD, ENUM: "struct q" however it was spelled; else NULL */
    int64_t size_b;   /* -1 unknown */
    int64_t elements; /* ARRAY; -1 unknown */
    int nullable;     /* 1 _Nullable, 0 _Nonnull, -1 not stated */
    bool is_const;
    bool is_unsigned;
    bool is_system; /* RECORD, ENUM: declared in a system header */
    bool is_unnamed;
    bool is_complete;
    bool is_own;   /* RECORD, ENUM: declared in the header that was given */
    bool is_alias; /* RECORD: behind "typedef void *queue_t"; `tag` is that name */
    bool is_number; /* such a record, behind "typedef int queue_t" */
    const char *alias; /* the name of the project's own that it is spelled with; NULL none */
    bool is_plain;     /* RECORD: a struct of numbers */
    struct burl_gen_gap *padding; /* of a plain one */
    size_t n_padding;
    bool is_variadic;                /* FUNCTION */
    struct burl__gen_ctype *pointee; /* POINTER, ARRAY: one; FUNCTION: its result */
    struct burl__gen_ctype *params;  /* FUNCTION */
    size_t n_params;
};

struct burl__gen_cparam {
    const char *name;
    struct burl__gen_ctype type;
    int nonnull; /* 1 by an attribute; 0 the function has a list without it; -1 not stated */
};

struct burl__gen_cfn {
    const char *name;
    const char *file;
    unsigned line;
    const char *type;
    const char *declaration; /* as it was declared, on one line; "" not known */
    const char *comment; /* in lower case, without stars and line ends */
    bool is_own; /* declared in the header that was given, not in one that it includes */
    bool is_static;
    bool is_defined;
    bool is_variadic;
    bool is_noreturn;
    bool is_pure;
    struct burl__gen_ctype result;
    struct burl__gen_cparam *params;
    size_t n_params;
};

struct burl__gen_cenum {
    const char *tag;
    struct burl_gen_value_name *constants;
    size_t n_constants;
};

struct burl__gen_decls {
    const char *header;
    BURL_VEC(struct burl__gen_cfn) fns;
    BURL_VEC(struct burl__gen_cenum) enums;
    struct burl_gen_strings flags;
    struct burl_gen_strings includes;
    struct burl_gen_strings left_out; /* sentences: files whose functions are not the project's */
    struct burl_json_value *json;     /* the texts are in it */
    struct burl_gen_memory memory;    /* of arrays */
};

/* ---- decls.c --------------------------------------------------------------------------------- */

BURL_MUST_CHECK enum burl_status burl__gen_decls_parse(struct burl__gen_decls **out,
                                                       const char *json, size_t n,
                                                       struct burl_err *err);
/* Runs burl-api. `includes`: headers to include first. */
BURL_MUST_CHECK enum burl_status burl__gen_decls_read(struct burl__gen_decls **out,
                                                      const struct burl_gen_sources *src,
                                                      const struct burl_gen_strings *includes,
                                                      struct burl_err *err);
void burl__gen_decls_free(struct burl__gen_decls *d);
/* Integers, characters, enumerations and truth values. */
bool burl__gen_is_integer(const struct burl__gen_ctype *t);
/* These and floating types. */
bool burl__gen_is_scalar(const struct burl__gen_ctype *t);

/* ---- handles.c ------------------------------------------------------------------------------- */

/* "typedef void *queue_t", and "typedef int queue_t", become pointers to a record queue_t where
 * functions treat them so. */
void burl__gen_find_handles(struct burl__gen_decls *d);

/* ---- words.c --------------------------------------------------------------------------------- */

/*
 * Is one of the words in `list` ("new create make") a word of the name? Names are cut at
 * underscores and at changes of case: "XML_ParserCreate" has xml, parser, create.
 */
bool burl__gen_has_word(const char *name, const char *list);
/* The last word of the name is one of them. */
bool burl__gen_ends_word(const char *name, const char *list);
/* One of the phrases, separated by '|', stands in the comment, at beginnings of words. */
bool burl__gen_says(const char *comment, const char *phrases);
/* The comment has the name as a word of its own. */
bool burl__gen_names(const char *comment, const char *name);
/* `candidate` takes the place of `*best`, NULL at first, if it is nearer to the name. */
void burl__gen_nearer(const char **best, const char *candidate, const char *name);
/* Letters in common beyond what stands in both: "struct queue", "queue_t", "Queue" are equal. */
bool burl__gen_same_noun(const char *type, const char *header);
/* How different two names are. */
size_t burl__gen_distance(const char *a, const char *b);

/* ---- guess.c --------------------------------------------------------------------------------- */

/* A text that lives as long as the model. */
const char *burl__gen_text(struct burl_gen_model *m, const char *fmt, ...) BURL_PRINTF(2, 3);
/* Adds a sentence to the notes. */
void burl__gen_note(struct burl_gen_model *m, const char *fmt, ...) BURL_PRINTF(2, 3);
/* The record behind "struct q *" or "const q_t *", else NULL. */
const struct burl__gen_ctype *burl__gen_handle(const struct burl__gen_ctype *t);
/* The record behind "struct q **", which a function can write. */
const struct burl__gen_ctype *burl__gen_handle_out(const struct burl__gen_ctype *t);
/* The record that functions take or return under this name: "queue", "queue_t *", "struct queue".
 * NULL: none. */
const struct burl__gen_ctype *burl__gen_named_record(const struct burl__gen_decls *d,
                                                     const char *name);
/* Guesses the whole model from m->decls. */
BURL_MUST_CHECK enum burl_status burl__gen_guess(struct burl_gen_model *m, const char *shared,
                                                 struct burl_err *err);
/* Index of the type, which is added when it is not there. */
int burl__gen_type_of(struct burl_gen_model *m, const struct burl__gen_ctype *record);

/* ---- the passes --------------------------------------------------------------------------- */

void burl__gen_guess_kinds(struct burl_gen_model *m);
void burl__gen_guess_roles(struct burl_gen_model *m);
void burl__gen_guess_results(struct burl_gen_model *m);
void burl__gen_guess_hints(struct burl_gen_model *m);

/* The role of a parameter and what follows from it; `note` NULL none. */
void burl__gen_set_role(struct burl_gen_param *p, enum burl_gen_role role, const char *note);
/* Can the parameter's type have the role? */
bool burl__gen_role_fits(const struct burl_gen_param *p, enum burl_gen_role role);
/* Sizes and signs that the role needs, out of the declaration. */
void burl__gen_refit(struct burl_gen_param *p);
/* A function makes objects of the type. */
bool burl__gen_type_is_made(const struct burl_gen_model *m, int type);
/* Objects of the type are parts of others: only methods that return one lead to it. */
bool burl__gen_type_is_part(const struct burl_gen_model *m, int type);

/* zeroed.c */
/* The function puts an element into the shared object, by its name. */
bool burl__gen_is_put(const char *fn);
/* After kinds, before roles: which types are the caller's own. */
void burl__gen_guess_zeroed(struct burl_gen_model *m);
/* Last, once: adds the functions that make them. They have no declaration. */
void burl__gen_add_zeroed(struct burl_gen_model *m);

#endif
