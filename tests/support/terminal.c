/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/terminal.c - terminal [-SIGNAL] PATTERN COMMAND...: runs a command on a terminal of
 * its own, types Ctrl-C once a regular expression matches what was printed, and prints all of it.
 *
 * A signal that the kernel sends to the foreground group of a terminal reaches all of its
 * processes, which `kill` from a script does not do. With -SIGNAL (-TERM, -KILL, -INT) the command
 * alone gets that signal, and must exit within 10 s (BURL_TEST_SLOW multiplies). burl draws its
 * progress on terminals only, so a PATTERN of it waits for that progress. Exits like the command:
 * its exit code, or 128 and the signal.
 */
#include <pty.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int
signal_number(const char *name)
{
    return strcmp(name, "TERM") == 0   ? SIGTERM
           : strcmp(name, "KILL") == 0 ? SIGKILL
           : strcmp(name, "INT") == 0  ? SIGINT
                                       : 0;
}

static void
interrupt(int fd, pid_t pid, int sig)
{
    const char *slow = getenv("BURL_TEST_SLOW");

    if (!sig) {
        if (write(fd, "\x03", 1) != 1)
            perror("cannot type");
        return;
    }
    alarm(10 * (slow && atoi(slow) > 0 ? (unsigned)atoi(slow) : 1));
    kill(pid, sig);
}

int
main(int argc, char **argv)
{
    static char seen[1 << 20];
    const int sig = argc > 1 && argv[1][0] == '-' ? signal_number(argv[1] + 1) : 0;
    regex_t pattern;
    size_t n = 0;
    int done = 0;
    int status;
    int fd;
    pid_t pid;

    argv += sig != 0;
    argc -= sig != 0;
    if (argc < 3 || regcomp(&pattern, argv[1], REG_EXTENDED | REG_NOSUB) != 0) {
        fprintf(stderr, "usage: terminal [-TERM|-KILL|-INT] PATTERN COMMAND...\n");
        return 2;
    }
    setenv("TERM", "vt100", 0);
    pid = forkpty(&fd, NULL, NULL, NULL);
    if (pid < 0) {
        perror("forkpty");
        return 3;
    }
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    while (n + 1 < sizeof seen) {
        /* Fails when the last process that has the terminal open exits. */
        const ssize_t got = read(fd, seen + n, sizeof seen - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
        if (!done && regexec(&pattern, seen, 0, NULL, 0) == 0) {
            done = 1;
            interrupt(fd, pid, sig);
        }
    }
    regfree(&pattern);
    fwrite(seen, 1, n, stdout);
    if (waitpid(pid, &status, 0) != pid)
        return 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
