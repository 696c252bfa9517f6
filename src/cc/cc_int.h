/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/cc_int.h - what the files of the compiler wrapper share.
 *
 *     args.c     response files, and what each word of the command means
 *     flags.c    the wrapper's own options, from flags.def
 *     options.c  the table of clang's options that the wrapper must know
 *     run.c      temporary files, child processes, signals
 *     compile.c  one source: clang, burl-instr, clang
 *     link.c     the runtime's part of a link
 *     cc.c       the plan for a whole command
 */
#ifndef BURL_CC_CC_INT_H
#define BURL_CC_CC_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "cc/cc.h"

/* Which of clang's runs a word is for. */
enum burl__stage {
    BURL__STAGE_FRONT = 1u << 0, /* source to bitcode: preprocessor, warnings */
    BURL__STAGE_BACK = 1u << 1,  /* bitcode to object */
    BURL__STAGE_LINK = 1u << 2,
    BURL__STAGE_ALL = 7u
};

/* What an option means to the wrapper besides its stage, when that is more than a flag. */
enum burl__meaning {
    BURL__MEAN_NONE = 0,
    BURL__MEAN_OUTPUT, /* -o */
    BURL__MEAN_LANG,   /* -x */
    BURL__MEAN_NO_LTO,
    BURL__MEAN_LIB /* -l */
};

struct burl__option {
    const char *names; /* with blanks between them */
    enum { BURL__FORM_FLAG, BURL__FORM_SEP, BURL__FORM_JOINED, BURL__FORM_EITHER } form;
    unsigned stages;
    enum burl__meaning meaning;
    size_t flag; /* offset of the bool in struct burl__cc that it sets, 0 none */
};

/* The row for a word, NULL when the word is not in the table. A value that is part of the word
 * starts at *value; if that is "", it is the next word if the row takes one. */
const struct burl__option *burl__cc_option(const char *word, const char **value);

enum burl__input_kind {
    BURL__IN_SOURCE, /* C or C++: instrumented */
    BURL__IN_OTHER,  /* clang compiles it as it is: assembly, Objective-C, LLVM IR */
    BURL__IN_HEADER, /* precompiled header */
    BURL__IN_OBJECT  /* for the linker */
};

struct burl__word {
    char *text; /* owned */
    unsigned stages;
    bool is_input;
    enum burl__input_kind kind; /* of an input */
    const char *lang;           /* explicit -x in force at this input, NULL none */
};

struct burl__words {
    BURL_VEC_OF(struct burl__word);
};

enum burl__debug { BURL__DEBUG_UNSAID, BURL__DEBUG_NONE, BURL__DEBUG_LINES, BURL__DEBUG_FULL };

/* A command line understood. */
struct burl__cc {
    const struct burl_cc_tools *tools;
    const char *clang;
    bool driver_gxx; /* add --driver-mode=g++ */
    bool cplusplus;
    struct burl__words words;
    const char *output;   /* -o, NULL none */
    size_t n_sources, n_others, n_headers, n_objects, n_libs;
    enum burl__debug debug;
    bool plain, compile_only, assemble_only, emit_llvm, depend, dep_named, dep_file_said;
    bool relocatable, is_static, nostdlib, freestanding, lto, coverage, save_temps;
    bool other_target, missing_input, probe;
    bool late, blocks, record, fast_run, no_instrument, lines, volatile_atomic;
    const char *redirect; /* file for burl-instr; NULL none */
    bool used_response; /* some words came from @file: the link may be too long for one exec */
};

/* flags.c: an option of the wrapper's own; false when the word is none, or has a wrong value. */
bool burl__cc_own_flag(struct burl__cc *cc, const char *word);
/* Refuses an own option with a value that it does not take: clang knows none of them. */
BURL_MUST_CHECK enum burl_status burl__cc_check_own_value(const char *word, struct burl_err *err);
/* BURL_E_USAGE: a word of BURL_CC_FLAGS that is no own option, with the list of them. */
BURL_MUST_CHECK enum burl_status burl__cc_refuse_flag(const char *word, struct burl_err *err);
/* args.c: fills `cc` from argv and BURL_CC_FLAGS. */
BURL_MUST_CHECK enum burl_status burl__cc_parse(struct burl__cc *cc, int argc, char **argv,
                                                struct burl_err *err);
void burl__cc_deinit(struct burl__cc *cc);

/* A list of words for exec. */
struct burl__argv {
    BURL_VEC_OF(char *);
};

/* The list ends with a NULL behind its n words, as exec wants it. The words are copied. */
void burl__argv_add(struct burl__argv *a, const char *word);
/* Several, up to a NULL. */
void burl__argv_adds(struct burl__argv *a, ...) __attribute__((sentinel));
void burl__argv_addf(struct burl__argv *a, const char *fmt, ...) BURL_PRINTF(2, 3);
void burl__argv_free(struct burl__argv *a);
/* Starts with the compiler's name. */
void burl__argv_clang(struct burl__argv *a, const struct burl__cc *cc);

/* run.c */
/* Makes the private directory on first use; removed by burl__tmp_cleanup() and on signals. */
BURL_MUST_CHECK enum burl_status burl__tmp_dir(const char **out, struct burl_err *err);
/* A name in it; the file need not exist. Caller frees. */
BURL_MUST_CHECK enum burl_status burl__tmp_path(char **out, const char *stem, const char *suffix,
                                                struct burl_err *err);
void burl__tmp_cleanup(void);
/* Runs to the end and frees the list; *code is the exit code (128 + signal). With `quiet_path` its
 * stderr goes to that file instead. */
BURL_MUST_CHECK enum burl_status burl__run(struct burl__argv *argv, const char *quiet_path,
                                           int *code, struct burl_err *err);
/* Replaces the process by the command; returns only on failure. */
BURL_MUST_CHECK enum burl_status burl__exec(const struct burl__argv *argv, struct burl_err *err);

/* compile.c: one source to one output; *code is clang's. */
BURL_MUST_CHECK enum burl_status burl__cc_compile(const struct burl__cc *cc,
                                                  const struct burl__word *source,
                                                  const char *output, int *code,
                                                  struct burl_err *err);
/* One input that is not instrumented, by clang alone. */
BURL_MUST_CHECK enum burl_status burl__cc_compile_plain(const struct burl__cc *cc,
                                                        const struct burl__word *source,
                                                        const char *output, bool quiet, int *code,
                                                        struct burl_err *err);
/* "dir/foo.c" and ".o" to "foo.o". Caller frees. */
char *burl__cc_default_output(const char *source, const char *suffix);

/* link.c: what a link needs besides the user's words: the runtime, in front of the word of this
 * index or of the user's, and options behind all. */
bool burl__cc_wants_runtime(const struct burl__cc *cc);
size_t burl__cc_link_place(const struct burl__cc *cc);
void burl__cc_link_runtime(const struct burl__cc *cc, struct burl__argv *a);
void burl__cc_link_tail(const struct burl__cc *cc, struct burl__argv *a);

#endif
