/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/model/model_int.h - what the printer, the reader and the checks of the model file share.
 */
#ifndef BURL_GEN_MODEL_INT_H
#define BURL_GEN_MODEL_INT_H

#include "base/linereader.h"
#include "gen/model/decls_int.h"

#define BURL__GEN_KINDS 5

extern const char *const burl__gen_role_words[BURL_GEN_ROLE__N];
extern const char *const burl__gen_result_words[BURL_GEN_RESULT__N];
extern const char *const burl__gen_kind_words[BURL__GEN_KINDS]; /* by enum burl_gen_kind */

/* Flags of functions that have a word of their own. */
struct burl__gen_mark {
    const char *word;
    size_t offset; /* of the flag in struct burl_gen_fn */
};
#define BURL__GEN_MARKS 5
extern const struct burl__gen_mark burl__gen_marks[BURL__GEN_MARKS];
/* The flag of mark i. */
bool *burl__gen_marked(const struct burl_gen_fn *f, size_t i);

/* The reader at one line. The first failure ends the reading: functions return false. */
struct burl__gen_line {
    struct burl_linereader in;
    struct burl_gen_model *m;
    struct burl_gen_fn *f; /* that lines with a parameter are about; NULL none */
    bool keep_shared;
    enum burl_status st;
    struct burl_err *err;
    char word[256]; /* taken last */
};

/* BURL_E_FORMAT with file and line; false. */
#define burl__gen_line_fail(l, ...) \
    ((l)->st = burl_linereader_fail(&(l)->in, BURL_E_FORMAT, (l)->err, __VA_ARGS__), false)
/* The next word into l->word: letters, digits, '_', '.', '-', or one other character. False at the
 * end of the line. */
bool burl__gen_line_word(struct burl__gen_line *l);
/* Takes the next word when it is this one. */
bool burl__gen_line_is(struct burl__gen_line *l, const char *word);
/* Nothing is left of the line. */
bool burl__gen_line_end(struct burl__gen_line *l);
/* "struct queue", "queue_t": its index into the model's types. */
bool burl__gen_line_type(struct burl__gen_line *l, int *type);
/* "capacity: int 0..10": the whole line. */
bool burl__gen_line_param(struct burl__gen_line *l);

/* Can the function's type be understood like that? */
bool burl__gen_result_fits(const struct burl_gen_fn *f);
/* Derives what the file implies: the type a function makes, the parameter that is the shared
 * object, the bytes that a length belongs to. */
BURL_MUST_CHECK enum burl_status burl__gen_model_finish(struct burl_gen_model *m, const char *path,
                                                        struct burl_err *err);

/* Corrects a model by the text of a model file. keep_shared: "shared" lines change nothing, because
 * the command line stated another type. Failures: BURL_E_FORMAT with file and line. */
BURL_MUST_CHECK enum burl_status burl__gen_model_decode(struct burl_gen_model *m, const char *text,
                                                        size_t n, const char *path,
                                                        bool keep_shared, struct burl_err *err);

#endif
