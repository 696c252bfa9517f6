/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/exec/words.h - the words after "--", sorted as a compiler driver sorts them.
 */
#ifndef BURL_GEN_WORDS_H
#define BURL_GEN_WORDS_H

#include "gen/model/model.h"

enum burl_gen_word_kind {
    BURL_GEN_WORD_SOURCE, /* to be compiled */
    BURL_GEN_WORD_FLAG,   /* for compiling */
    BURL_GEN_WORD_LINK    /* objects, libraries, flags of the linker */
};

struct burl_gen_word {
    enum burl_gen_word_kind kind;
    const char *text;
    const char *value; /* the next word, where it belongs to this one: "-I" "dir"; else NULL */
};

/* The next word; *at is 0 at first. False: there are no more. Words about the object of another
 * build ("-c", "-o x") are passed over. */
bool burl_gen_next_word(const struct burl_gen_sources *s, size_t *at, struct burl_gen_word *out);
/* The source is C++, by its suffix. */
bool burl_gen_is_cplusplus(const char *source);
/* A flag of one language for sources of the other: -std=. */
bool burl_gen_is_foreign(const char *flag, bool cplusplus);

#endif
