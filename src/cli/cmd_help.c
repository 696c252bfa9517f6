/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_help.c - `burl help`, and the reference page of all options.
 *
 * Runs in the host. `burl help --markdown` prints docs/reference/options.md;
 * scripts/check-options compares the two.
 */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static void
print_overview(FILE *out)
{
    fprintf(out, "burl finds concurrency bugs in C and C++ programs, and replays them.\n\n"
                 "usage: burl <command> [options] [arguments]\n\ncommands:\n");
    for (const struct burl_command *c = burl_commands; c->name; c++)
        fprintf(out, "  %-10s %s\n", c->name, c->summary);
    fprintf(out, "\n"
                 "start with:\n"
                 "  CC=burl-cc make          build your program, instrumented\n"
                 "  burl test ./prog         search its schedules for bugs\n"
                 "  burl replay 1            replay finding 1 exactly\n"
                 "\n"
                 "exit codes: 0 nothing found, 1 findings, 2 usage, 3 burl or the machine failed,\n"
                 "            4 interrupted, or a threshold or check failed\n"
                 "`burl help <command>` describes one command.\n");
}

/* Text between back quotes cannot hold a |, which would end the cell. */
static void
print_markdown(FILE *out)
{
    fprintf(out,
            "<!-- Made by `burl help --markdown` (make docs). Do not edit. -->\n"
            "# Commands and options\n"
            "\n"
            "The command line overrides the environment, which overrides the default.\n"
            "Numbers take the suffixes k, M and G; times are written 500ms, 30s, 5m, 2h.\n"
            "Options may come before and after the words of a command (`burl replay 3 --trace`),\n"
            "but what follows the tested program belongs to the program. `--` ends them.\n"
            "\n");
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        fprintf(out, "## burl %s\n\n%c%s.\n\n    %s\n\n", c->name,
                (char)(c->summary[0] - ('a' - 'A')), c->summary + 1, c->usage);
        if (*c->details)
            fprintf(out, "%s\n\n", c->details);
        if (c->on != BURL_ON_NONE) {
            struct burl_buf b = BURL_BUF_INIT;

            burl_options_markdown(&b, c->on);
            burl_cli_put(&b, out);
        }
        fprintf(out, "Example: `%s`\n\n", c->example);
    }
    fprintf(out, "## Exit codes\n"
                 "\n"
                 "| code | meaning |\n"
                 "|---|---|\n"
                 "| 0 | nothing found within the budget |\n"
                 "| 1 | findings |\n"
                 "| 2 | usage: the command line or an environment variable is wrong |\n"
                 "| 3 | burl or the machine failed |\n"
                 "| 4 | interrupted, or a threshold or check failed: `--fail-under`, "
                 "`--check-determinism`, or an incomplete search that was requested by name |\n");
}

int
burl_cmd_help(const struct burl_options *opts, int argc, char **argv)
{
    const struct burl_command *c;

    (void)opts;
    if (argc == 0 || strcmp(argv[0], "--help") == 0) {
        print_overview(stdout);
        return BURL_EXIT_CLEAN;
    }
    if (strcmp(argv[0], "--markdown") == 0) {
        print_markdown(stdout);
        return BURL_EXIT_CLEAN;
    }
    c = burl_command_find(argv[0]);
    if (!c)
        return burl_cli_usage(NULL, "there is no command \"%s\"%s", argv[0],
                              burl_command_hint(argv[0]));
    if (argc > 1)
        return burl_cli_usage(NULL, "help is about one command, and \"%s\" is one word too many",
                              argv[1]);
    burl_cli_help(stdout, c);
    return BURL_EXIT_CLEAN;
}
