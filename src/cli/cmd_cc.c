/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_cc.c - `burl cc` and `burl c++`: locates the parts of burl and calls src/cc.
 *
 * Runs in the host, in the middle of a build: it prints nothing of its own unless something is
 * missing. Exit codes are the compiler's, except 3 when parts of burl are missing.
 */
#include <string.h>

#include "base/path.h"
#include "cc/cc.h"
#include "cli/command.h"

static int
compile(const char *name, int argc, char **argv, bool cplusplus)
{
    struct burl_cc_tools cc = { 0 };
    struct burl_path_tools tools;
    struct burl_err err;
    int code;

    if (argc == 0)
        return burl_cli_usage(name, "no input files");
    /* --help alone is for us; anywhere else it belongs to the compiler. */
    if (argc == 1 && strcmp(argv[0], "--help") == 0) {
        burl_cli_help(stdout, burl_command_find(name));
        return BURL_EXIT_CLEAN;
    }
    if (burl_path_tools(&tools, &err) != BURL_OK)
        return burl_cli_fail(&err);
    if (!tools.complete) {
        burl_err_set(&err, BURL_E_IO, 0,
                     "cannot find burl-instr and libburl_rt.so in %s; build or install burl again",
                     tools.lib_dir);
        burl_path_tools_deinit(&tools);
        return burl_cli_fail(&err);
    }
    cc.instr = tools.instr;
    cc.lib_dir = tools.lib_dir;
    code = burl_cc_main(argc, argv, &cc, cplusplus);
    burl_path_tools_deinit(&tools);
    return code;
}

int
burl_cmd_cc(const struct burl_options *opts, int argc, char **argv)
{
    (void)opts;
    return compile("cc", argc, argv, false);
}

int
burl_cmd_cxx(const struct burl_options *opts, int argc, char **argv)
{
    (void)opts;
    return compile("c++", argc, argv, true);
}
