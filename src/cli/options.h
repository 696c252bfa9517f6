/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/options.h - the options of a command, as options.def lists them.
 *
 * Precedence: command line, then environment (BURL_UPPER_CASE), then default.
 * Unknown names and values that do not parse are BURL_E_USAGE with the nearest
 * match. Parsing stops after "--", or at the word that begins a program and its
 * arguments; a command says how many words of its own may come before that.
 */
#ifndef BURL_CLI_OPTIONS_H
#define BURL_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* Commands that take options, as a set. */
enum burl_on {
    BURL_ON_NONE = 0,
    BURL_ON_TEST = 1u << 0,
    BURL_ON_REPLAY = 1u << 1,
    BURL_ON_FINDINGS = 1u << 2,
    BURL_ON_SHOW = 1u << 3,
    BURL_ON_DOCTOR = 1u << 4,
    BURL_ON_RUN = 1u << 5,
    BURL_ON_COVER = 1u << 6,
    BURL_ON_GEN = 1u << 7,
    BURL_ON_SYNTH = 1u << 8,
    BURL_ON_REGRESS = 1u << 9,
    BURL_ON_TUNE = 1u << 10,
    BURL_ON_REPORT = 1u << 11,
    BURL_ON_CC = 1u << 12 /* its options are those of cc/flags.def */
};

/* Words of a command's own: every word after its name, untouched (burl cc); as its sub-command
 * says; all. */
enum { BURL_WORDS_RAW = -1, BURL_WORDS_SUB = -2, BURL_WORDS_ALL = 1 << 30 };

enum burl_opt {
#define BURL_OPTION(type, field, def, on, letter, value, help) BURL_OPT_##field,
#include "cli/options.def"
#undef BURL_OPTION
    BURL_OPT__N
};

#define BURL_OPTION_C_flag bool
#define BURL_OPTION_C_u32 uint32_t
#define BURL_OPTION_C_u64 uint64_t
#define BURL_OPTION_C_time uint64_t /* milliseconds */
#define BURL_OPTION_C_str const char *
#define BURL_OPTION_C_choice const char *
#define BURL_OPTION_C_list const char *
#define BURL_OPTION_C_maybe const char *
#define BURL_OPTION_ALL "all" /* maybe: the value when none was given */

struct burl_options {
#define BURL_OPTION(type, field, def, on, letter, value, help) BURL_OPTION_C_##type field;
#include "cli/options.def"
#undef BURL_OPTION
    bool given[BURL_OPT__N]; /* not by default: opts->given[BURL_OPT_seed] */
    bool typed[BURL_OPT__N]; /* on the command line, not in the environment */
    bool help;               /* -h or --help was given; nothing after it was read */
};

/* The defaults of most commands; burl_options_parse() puts in those of its own. */
void burl_options_init(struct burl_options *o);

/*
 * Reads the options of a command from argv[0..argc). *used is the number of words consumed
 * (with a "--"). Values point into argv or the environment. Among the first n_words words that
 * are not options, options are still options: argv is rearranged so that argv[*used] is the
 * first of the words, in their order. n_words BURL_WORDS_SUB: as many as the sub-command has that
 * the first word names, none when it names none.
 */
BURL_MUST_CHECK enum burl_status burl_options_parse(struct burl_options *o, unsigned on,
                                                    int n_words, int argc, char **argv,
                                                    int *used, struct burl_err *err);

/* How many words of its own has a command whose first word is this? */
int burl_options_words(int n_words, const char *first);

/* The first of the words that is a long option of the command, NULL when none is: after the
 * program an option is the program's, which may not be what was meant. */
const char *burl_options_misplaced(unsigned on, int argc, char *const *argv);

/* The name of an option as the user writes it, "--max-steps", in a buffer of ours. */
const char *burl_options_name(enum burl_opt opt);

/* What the value of an option is, for help and completion. */
enum burl_value {
    BURL_VALUE_NONE, /* a flag */
    BURL_VALUE_CHOICE,
    BURL_VALUE_FILE,
    BURL_VALUE_DIR,
    BURL_VALUE_OTHER
};

/* An option as the user sees it. */
struct burl_option_row {
    char letter;            /* short form, 0 none */
    char name[40];          /* without "--" */
    enum burl_value kind;
    bool is_value_optional; /* --explain[=LIST] */
    const char *value;      /* "" none; a choice: the words with | between them */
    char def[64];           /* default, "" none worth saying */
    char env[64];           /* environment variable, "" none */
    const char *help;
};

/* The next documented option of a command, --help last; false when there is none left. *at is 0
 * before the first call. */
bool burl_options_next(unsigned on, size_t *at, struct burl_option_row *row);
/* The next environment variable of a command besides those of its options. */
bool burl_options_next_variable(unsigned on, size_t *at, const char **name, const char **help);
/* All values that apply to `on`, as one JSON object: the record stored with a campaign. */
void burl_options_record(const struct burl_options *o, unsigned on, struct burl_json_writer *w);

/* Calls `word` for each word of a list that is separated by commas, until one fails. */
typedef enum burl_status burl_options_word_fn(const char *word, void *arg, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_options_each_word(const char *list,
                                                        burl_options_word_fn *word, void *arg,
                                                        struct burl_err *err);

/* The candidate nearest to `word` by edit distance, NULL when none is near. Candidates end
 * with NULL. */
const char *burl_options_nearest(const char *word, const char *const *candidates);
/* "; did you mean X?" with the nearest, or "": in a buffer of ours. */
const char *burl_options_hint(const char *word, const char *const *candidates);

#endif
