/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli/main.c - the `burl` executable: finds the command, reads its options, runs it.
 *
 * Runs in the host. The table of commands is commands.def; this file knows none
 * of them by name. Exit codes are those of enum burl_exit, for every command.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/guard.h"
#include "cli/command.h"
#include "cli/interrupt.h"

const struct burl_command burl_commands[] = {
#define BURL_COMMAND(fn, name_, summary_, usage_, details_, example_, on_, words_, arguments_) \
    { name_, summary_, usage_, details_, example_, on_, words_, arguments_, fn },
#include "cli/commands.def"
#undef BURL_COMMAND
    { 0 },
};

const struct burl_command *
burl_command_find(const char *name)
{
    for (const struct burl_command *c = burl_commands; c->name; c++) {
        if (strcmp(c->name, name) == 0)
            return c;
    }
    return NULL;
}

const char *
burl_command_hint(const char *word)
{
    const char *names[64];
    size_t n = 0;

    for (const struct burl_command *c = burl_commands; c->name && n + 1 < 64; c++)
        names[n++] = c->name;
    names[n] = NULL;
    return burl_options_hint(word, names);
}

/* With 0, 1 or 2 closed, the next file opened would get the number and our messages would go
 * into it: a store, for instance. The root directory is there without /dev too. */
static void
ensure_stdio(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd && open("/", O_RDONLY) != fd)
            _exit(BURL_EXIT_FAILURE);
    }
}

/* `burl test ./prog --runs=9` gives --runs=9 to the program; most likely it was meant for us. */
static void
note_misplaced(const struct burl_command *c, const struct burl_options *opts, int argc, char **argv,
               int used)
{
    const char *word;

    if (burl_options_words(c->n_words, used < argc ? argv[used] : NULL) != 0 || opts->quiet ||
        (used > 0 && strcmp(argv[used - 1], "--") == 0) || used + 1 >= argc)
        return;
    word = burl_options_misplaced(c->on, argc - used - 1, argv + used + 1);
    if (word)
        fprintf(stderr,
                "burl: note: %s comes after the program and is passed to it; put options of burl "
                "before the program (`--` before the program silences this note)\n",
                word);
}

static int
run_command(const struct burl_command *c, int argc, char **argv)
{
    struct burl_options opts;
    struct burl_err err;
    int used = 0;

    burl_options_init(&opts);
    if (c->n_words != BURL_WORDS_RAW) {
        if (burl_options_parse(&opts, c->on, c->n_words, argc, argv, &used, &err) != BURL_OK)
            return burl_cli_usage(c->name, "%s", err.msg);
        if (opts.help) {
            burl_cli_help(stdout, c);
            return BURL_EXIT_CLEAN;
        }
        note_misplaced(c, &opts, argc, argv, used);
        if (opts.dir)
            burl_fs_guard(opts.dir);
    } else if (c->on == BURL_ON_NONE && argc > 0 &&
               (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        burl_cli_help(stdout, c);
        return BURL_EXIT_CLEAN;
    }
    return c->run(&opts, argc - used, argv + used);
}

/* A full disk shows up at the last flush; an unwritten result must not look like success. A reader
 * that has seen enough, as in `burl findings | head`, is no failure. */
static int
close_output(int code)
{
    int sys;

    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return code;
    /* An error of an earlier write may be forgotten: whatever the cause, more of it comes. */
    sys = errno;
    if (sys == 0 && write(STDOUT_FILENO, "\n", 1) < 0)
        sys = errno;
    if (sys == EPIPE)
        return code;
    fprintf(stderr, "burl: cannot write to standard output: %s; the output is not complete\n",
            sys != 0 ? strerror(sys) : "it was full for a time");
    return BURL_EXIT_FAILURE;
}

/* Without this much we would die of a signal somewhere. */
#define STACK_MIN_B (512ul << 10)

static bool
has_stack(void)
{
    struct rlimit r;

    if (getrlimit(RLIMIT_STACK, &r) != 0 || r.rlim_cur >= STACK_MIN_B)
        return true;
    fprintf(stderr,
            "burl: the limit on the stack is %lu KB, and burl needs %lu KB; raise it, for example "
            "with `ulimit -s 8192`\n",
            (unsigned long)r.rlim_cur >> 10, STACK_MIN_B >> 10);
    return false;
}

/* The commands that start programs of the user. */
static bool
starts_programs(const struct burl_command *c)
{
    static const char *const names[] = { "test", "run",   "replay", "cover",
                                         "gen",  "synth", "tune",   "regress" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(c->name, names[i]) == 0)
            return true;
    }
    return false;
}

int
main(int argc, char **argv)
{
    const struct burl_command *c;
    const char *word;

    ensure_stdio();
    /* A closed pipe or a file size limit is an error of write() with its own message, not a fatal
     * signal. burl_proc_spawn() restores the defaults in children. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        c = burl_command_find("help");
        c->run(NULL, 0, argv + argc);
        return close_output(BURL_EXIT_USAGE);
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        word = "help";
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0)
        word = "version";
    c = burl_command_find(word);
    if (!c && word[0] == '-')
        return burl_cli_usage(NULL, "unknown option \"%s\"", word);
    if (!c)
        return burl_cli_usage(NULL, "unknown command \"%s\"%s", word, burl_command_hint(word));
    if (!has_stack())
        return BURL_EXIT_FAILURE;
    if (starts_programs(c)) {
        burl_guard_start();
        burl_cli_ignore_program_signals();
    }
    return close_output(run_command(c, argc - 2, argv + 2));
}
