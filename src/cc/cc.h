/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc/cc.h - the compiler wrapper, `burl cc` and `burl c++`.
 *
 * Runs in place of the user's compiler: takes the words a compiler takes, runs
 * clang on them with the instrumenter in between, and adds the runtime at the
 * link. Everything it does not understand goes to clang untouched. Messages
 * about the user's code are clang's own; ours begin with "burl cc:".
 *
 * The wrapper's own options are the rows of flags.def. They are taken out before clang sees them,
 * and allowed in the environment variable BURL_CC_FLAGS too (for build systems that do not pass
 * flags through). --redirect=FILE is for burl synth: calls of functions that the source defines go
 * elsewhere (instr/main.c).
 * BURL_CLANG names another clang.
 */
#ifndef BURL_CC_CC_H
#define BURL_CC_CC_H

#include <stdbool.h>

/* Paths that stay valid during the call; NULL members take the default said beside them. */
struct burl_cc_tools {
    const char *clang;   /* "clang-19"; BURL_CLANG in the environment comes before either */
    const char *clangxx; /* "clang++-19" */
    const char *instr;   /* burl-instr; required */
    const char *lib_dir; /* directory that holds libburl_rt.so; required */
};

/* An option of the wrapper's own, for help and documents. */
struct burl_cc_flag {
    const char *name;  /* without "--" */
    const char *value; /* "" none; the words that it takes, with | between them, or a name */
    const char *help;  /* "": not documented */
};

/* The table; ends with a row whose name is NULL. */
extern const struct burl_cc_flag burl_cc_flags[];

/*
 * Compiles and links. `argv` has the words after "cc": argv[0] is the first of them, and
 * argv[argc] is NULL. Returns the exit code for the process, which is clang's own where clang
 * failed; may replace the process by clang when there is nothing to instrument.
 */
int burl_cc_main(int argc, char **argv, const struct burl_cc_tools *tools, bool cplusplus);

#endif
