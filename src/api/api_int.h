/* SPDX-License-Identifier: Apache-2.0 */
/*
 * api/api_int.h - the parts of burl-api, which prints the declarations of a header as JSON.
 *
 * Runs as a program of its own beside burl: libclang costs some 30 MB and 50 ms that other commands
 * should not pay, and a header that crashes it must not crash the search. Declarations are only
 * printed here; gen/model/guess.c interprets them.
 */
#ifndef BURL_API_API_INT_H
#define BURL_API_API_INT_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "base/vec.h"

/* Words for libclang, owned. */
struct burl__api_flags {
    BURL_VEC_OF(char *);
};

struct burl__api_options {
    const char *header;           /* as the user gave it */
    const char *compile_commands; /* NULL none */
    const char *const *words;     /* after "--" */
    size_t n_words;
    struct burl__api_flags includes; /* headers to include before: "<stdio.h>" */
};

/* ---- flags.c: what decides how the header is read -------------------------------------------- */

void burl__api_flags_deinit(struct burl__api_flags *f);
/* The -I, -D, -std... among the words of a command line, whose other words are not for us. Paths
 * are made absolute against `dir`. */
void burl__api_flags_take(struct burl__api_flags *out, const char *const *words, size_t n,
                          const char *dir);
/* Those of the database: of the sources named in words, else of any entry in the header's
 * directory, else of the first. */
BURL_MUST_CHECK enum burl_status burl__api_flags_database(struct burl__api_flags *out,
                                                          const struct burl__api_options *o,
                                                          struct burl_err *err);

/* ---- types.c --------------------------------------------------------------------------------- */

/* One type as an object; what it points to inside. `own`: the header that was given. */
void burl__api_write_type(struct burl_json_writer *w, CXType type, CXFile own);
/* The cursor is in this file. */
bool burl__api_is_in(CXCursor c, CXFile file);
/* The text of a string, which is released; caller frees. */
char *burl__api_text(CXString s);
/* Writes key and value, and releases the string. */
void burl__api_write_string(struct burl_json_writer *w, const char *key, CXString s);

/* ---- walk.c ---------------------------------------------------------------------------------- */

/* Everything the translation unit declares that belongs to the header's project. `header`: its
 * path as it was included; `dirs`: absolute directories whose trees belong to the project. */
void burl__api_write_unit(struct burl_json_writer *w, CXTranslationUnit unit, const char *header,
                          const struct burl__api_flags *dirs);

#endif
