/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/cmd_help.c - `burl help`, the reference page of all options, man pages and completion.
 *
 * Runs in the host. `burl help --markdown` prints docs/reference/options.md;
 * scripts/check-options compares the two. The man pages and scripts of completion are made by the
 * Makefile with the same command.
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

static void
print_variables(FILE *out)
{
    const char *name;
    const char *help;

    fprintf(out, "## Environment\n"
                 "\n"
                 "Besides the variables of the options:\n"
                 "\n"
                 "| variable | meaning |\n"
                 "|---|---|\n");
    for (size_t at = 0; burl_options_next_variable(~0u, &at, &name, &help);)
        fprintf(out, "| `%s` | %s |\n", name, help);
    fprintf(out, "\n");
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

            burl_cli_options_markdown(&b, c->on);
            burl_cli_put(&b, out);
        }
        fprintf(out, "Example: `%s`\n\n", c->example);
    }
    print_variables(out);
    fprintf(out, "## Exit codes\n\n| code | meaning |\n|---|---|\n");
    for (int code = 0; code <= BURL_EXIT_PROMISE; code++)
        fprintf(out, "| %d | %s |\n", code, burl_cli_exit_meanings[code]);
}

/* `--man`, `--man=COMMAND`. */
static int
print_man(const char *command)
{
    const struct burl_command *c = command ? burl_command_find(command) : NULL;
    struct burl_buf b = BURL_BUF_INIT;

    if (command && (!c || c->on == BURL_ON_NONE))
        return burl_cli_usage("help", "there is no man page of a command \"%s\"%s", command,
                              burl_command_hint(command));
    burl_cli_man(&b, c);
    burl_cli_put(&b, stdout);
    return BURL_EXIT_CLEAN;
}

static int
print_completion(const char *shell)
{
    struct burl_buf b = BURL_BUF_INIT;

    if (!burl_cli_completion(&b, shell))
        return burl_cli_usage("help", "--completion expects one of bash|zsh|fish, not \"%s\"",
                              shell);
    burl_cli_put(&b, stdout);
    return BURL_EXIT_CLEAN;
}

int
burl_cmd_help(const struct burl_options *opts, int argc, char **argv)
{
    const struct burl_command *c;

    (void)opts;
    if (argc == 0) {
        print_overview(stdout);
        return BURL_EXIT_CLEAN;
    }
    if (strcmp(argv[0], "--markdown") == 0) {
        print_markdown(stdout);
        return BURL_EXIT_CLEAN;
    }
    if (strcmp(argv[0], "--man") == 0 || strncmp(argv[0], "--man=", 6) == 0)
        return print_man(argv[0][5] ? argv[0] + 6 : NULL);
    if (strncmp(argv[0], "--completion=", 13) == 0)
        return print_completion(argv[0] + 13);
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
