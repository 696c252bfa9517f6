/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune/params.h - parameters of the test: further genes, used as {name} in its command.
 *
 * `threads=1..16` is a range; `size=10,100,1000` a list, ordinal when all of it are numbers.
 */
#ifndef BURL_TUNE_PARAMS_H
#define BURL_TUNE_PARAMS_H

#include "base/vec.h"
#include "tune/genes.h"

struct burl_param {
    char *name;
    bool is_range;
    int32_t min, max;
    BURL_VEC(char *) words; /* of a list */
};

struct burl_params {
    BURL_VEC_OF(struct burl_param);
};

/* Reads `name=1..16,other=a,b,c`: a word with = begins the next. BURL_E_USAGE: what is wrong. */
BURL_MUST_CHECK enum burl_status burl_params_parse(struct burl_params *p, const char *text,
                                                   struct burl_err *err);
void burl_params_deinit(struct burl_params *p);
/* One gene each. */
BURL_MUST_CHECK enum burl_status burl_params_genes(const struct burl_params *p,
                                                   struct burl_genome *g, struct burl_err *err);
/* BURL_E_USAGE: a parameter that no word of the command uses, or a {name} that is none. Without
 * parameters braces mean nothing, and the command is as it stands. */
BURL_MUST_CHECK enum burl_status burl_params_check(const struct burl_params *p,
                                                   const char *const *argv, struct burl_err *err);
/* The command with the values of a vector; free with burl_params_free_command(). */
char **burl_params_command(const struct burl_params *p, const struct burl_genome *g,
                           const struct burl_genes *x, const char *const *argv);
/* The first `{name}` in a word: the name and its length; NULL: there is none. */
const char *burl_params_find_braces(const char *word, size_t *n);
void burl_params_free_command(char **argv);
/* The value of a parameter in a vector, as the command has it, in `buf` of at least 16 bytes or in
 * the list. */
const char *burl_param_value(const struct burl_param *p, int32_t gene, char buf[16]);

#endif
