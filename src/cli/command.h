/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/command.h - the table of commands, and what every command shares.
 *
 * One row of commands.def and one cmd_<name>.c per command. A command gets its
 * options parsed and the words after them; it prints, and returns its exit code
 * (enum burl_exit). Results go to standard output, everything else to standard
 * error, so that --json output is one clean document.
 */
#ifndef BURL_CLI_COMMAND_H
#define BURL_CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "cli/options.h"

/* argv[argc] is NULL; argv[0] is the first word after the options, not the command. */
typedef int burl_command_fn(const struct burl_options *opts, int argc, char **argv);

struct burl_command {
    const char *name;
    const char *summary; /* one line for the list of commands */
    const char *usage;   /* after "usage: " */
    const char *details; /* more for --help; may be "" */
    const char *example; /* a command line that works */
    unsigned    on;      /* its options: enum burl_on */
    int         n_words; /* words of its own among which options may stand, or BURL_WORDS_RAW */
    const char *arguments; /* what completion offers for its words: commands.def */
    burl_command_fn *run;
};

/* The table; ends with a row whose name is NULL. */
extern const struct burl_command burl_commands[];
/* NULL when there is no such command. */
const struct burl_command *burl_command_find(const char *name);
/* "; did you mean X?" with the nearest command, or "". */
const char *burl_command_hint(const char *word);

#define BURL_COMMAND(fn, ...) burl_command_fn fn;
#include "cli/commands.def"
#undef BURL_COMMAND

/* Prints "burl: <message>" (red on a color terminal) to stderr; returns the exit code of the
 * status: `return burl_cli_fail(&err);` */
int burl_cli_fail(const struct burl_err *err);
/* Prints "burl: <message>" and a pointer to `burl <command> --help`; returns BURL_EXIT_USAGE. */
int burl_cli_usage(const char *command, const char *fmt, ...) BURL_PRINTF(2, 3);
/* --out, --output, --lcov, --html, --emit-suite: can they be written? BURL_E_USAGE: no.
 * Directories are created. */
BURL_MUST_CHECK enum burl_status burl_cli_check_outputs(const struct burl_options *o,
                                                        struct burl_err *err);
/* --out, --lcov, --report: none is the program (may be NULL), or BURL_E_USAGE. */
BURL_MUST_CHECK enum burl_status burl_cli_check_spared(const struct burl_options *o,
                                                       const char *program, struct burl_err *err);
/* Before many executions: data in a pipe becomes a file, so that each of them gets it. More than
 * burl copies, or a pipe that stays open: BURL_E_USAGE. */
BURL_MUST_CHECK enum burl_status burl_cli_keep_input(struct burl_err *err);
/* Data that came later, and that executions did not get: BURL_E_USAGE; or a note. */
BURL_MUST_CHECK enum burl_status burl_cli_check_late_input(struct burl_err *err);
void burl_cli_note_late_input(const struct burl_options *opts);
/* Is standard input a pipe that a writer holds open and has written nothing to? */
bool burl_cli_awaits_input(void);
/* Copies our standard input, if it is a file, into the directory of a finding. */
BURL_MUST_CHECK enum burl_status burl_cli_store_input(const char *dir, struct burl_err *err);
/* The input that is kept beside this schedule; NULL: none; caller frees. */
char *burl_cli_stored_input(const char *schedule);
/* This file becomes our standard input. */
BURL_MUST_CHECK enum burl_status burl_cli_take_input(const char *path, struct burl_err *err);
BURL_MUST_CHECK enum burl_status burl_cli_no_input(struct burl_err *err); /* it becomes empty */
bool burl_cli_has_input(void); /* is our standard input a file? */
/* Prints what is in the buffer, and frees it. */
void burl_cli_put(struct burl_buf *b, FILE *out);
/* The options of a command, as text for --help; one row per option, as Markdown. pages.c */
void burl_cli_describe_options(struct burl_buf *out, unsigned on);
void burl_cli_options_markdown(struct burl_buf *out, unsigned on);
/* The environment variables of a command besides those of its options, as text for --help. */
void burl_cli_describe_variables(struct burl_buf *out, unsigned on);
/* What an exit code (enum burl_exit) means, for the reference and the man page. */
extern const char *const burl_cli_exit_meanings[];
/* The man page of a command, of burl itself if NULL. man.c */
void burl_cli_man(struct burl_buf *out, const struct burl_command *c);
/* The script that makes a shell complete burl's command line; false: there is none for it.
 * completion.c */
bool burl_cli_completion(struct burl_buf *out, const char *shell);
/* Prints the help of one command to `out`. */
void burl_cli_help(FILE *out, const struct burl_command *c);
/* One JSON document of --json: an open object from begin to end. */
struct burl_cli_json {
    struct burl_json_writer w;
    struct burl_buf b;
};
struct burl_json_writer *burl_cli_json_begin(struct burl_cli_json *doc);
void burl_cli_json_end(struct burl_cli_json *doc, FILE *out);
/* Reads the number of a finding; 0 when the word is none, with this message. */
#define BURL_CLI_NO_NUMBER "%s is not the number of a finding; `burl findings` lists them"
int64_t burl_cli_finding_number(const char *word);
/* "burl replay 3", with --dir where it is needed. The caller frees it. */
/* "free runs cannot be replayed; use ...", with the program quoted for a shell. */
void burl_cli_say_no_replay(FILE *out, const char *program);
/* A name of the user's or of a store's for a line of text: what is not printable is replaced. Valid
 * until the fourth call after it. */
const char *burl_cli_shown(const char *text);
char *burl_cli_replay_command(const struct burl_options *opts, int64_t id);
/* Whether `f` gets colors, by --color, NO_COLOR and whether it is a terminal. `opts` NULL: they are
 * not read yet. */
bool burl_cli_color(const struct burl_options *opts, FILE *f);

#endif
