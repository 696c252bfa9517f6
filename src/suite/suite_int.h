/* SPDX-License-Identifier: Apache-2.0 */
/*
 * suite/suite_int.h - shared by the files of suite/ only.
 *
 * One importer per file; each has a part that only reads text, so that it can be tested without
 * CTest or Meson.
 */
#ifndef BURL_SUITE_SUITE_INT_H
#define BURL_SUITE_SUITE_INT_H

#include "base/json.h"
#include "suite/suite.h"

/* A list of strings that ends with NULL once it is taken. */
struct burl__suite_words {
    BURL_VEC_OF(char *);
};

/* Moves the words out as a NULL-terminated array; never NULL. */
char **burl__suite_take_words(struct burl__suite_words *w);
void burl__suite_words_deinit(struct burl__suite_words *w);
/* Adds the strings of a JSON array. */
void burl__suite_add_strings(struct burl__suite_words *w, const struct burl_json_value *array);

/* Adds "NAME=VALUE" or "NAME" (removed), replacing an entry of that name. */
void burl__suite_set_env(struct burl__suite_words *env, const char *entry);
/* The value that `name` has with these entries over our environment; NULL none. */
const char *burl__suite_get_env(const struct burl__suite_words *env, const char *name);

/* A new test with the defaults, in the root; the caller sets argv and env. */
struct burl_suite_test *burl__suite_add(struct burl_suite *s, const char *name);
/* Removes the last one. */
void burl__suite_drop(struct burl_suite *s);
/* Sets argv, env and (NULL: root) dir; words are taken. A relative argv[0] with a slash becomes
 * absolute. */
void burl__suite_set_command(struct burl_suite *s, struct burl_suite_test *t, const char *dir,
                             struct burl__suite_words *argv, struct burl__suite_words *env);

/* Runs a tool that prints JSON in the directory `dir`; `package` provides it. */
BURL_MUST_CHECK enum burl_status burl__suite_run_tool(const char *const *argv, const char *dir,
                                                      const char *package, char **out, size_t *n,
                                                      struct burl_err *err);

/* The importers. source and root are set. */
BURL_MUST_CHECK enum burl_status burl__suite_load_file(struct burl_suite *s, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__suite_load_ctest(struct burl_suite *s, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__suite_load_meson(struct burl_suite *s, struct burl_err *err);

BURL_MUST_CHECK enum burl_status burl__suite_parse_file(struct burl_suite *s, const char *text,
                                                        size_t n, struct burl_err *err);
/* *n_commands: tests that have a command. */
BURL_MUST_CHECK enum burl_status burl__suite_parse_ctest(struct burl_suite *s, const char *text,
                                                         size_t n, size_t *n_commands,
                                                         struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl__suite_parse_meson(struct burl_suite *s, const char *text,
                                                         size_t n, struct burl_err *err);
/* At least one test, and no two of one name. */
BURL_MUST_CHECK enum burl_status burl__suite_check(const struct burl_suite *s,
                                                   struct burl_err *err);

#endif
