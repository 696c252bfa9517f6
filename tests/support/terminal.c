/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/terminal.c - terminal WORD COMMAND ...: runs a command on a terminal of its own,
 * types Ctrl-C once WORD was printed, and prints what the terminal showed.
 *
 * A signal that the kernel sends to the foreground group of a terminal reaches all of its
 * processes, which `kill` from a script does not do. Ends as the command did: its exit code, or 128
 * and the signal.
 */
#include <pty.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    static char seen[1 << 20];
    size_t n = 0;
    int typed = 0;
    int status;
    int fd;
    pid_t pid;

    if (argc < 3) {
        fprintf(stderr, "usage: terminal WORD COMMAND ...\n");
        return 2;
    }
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
        /* Fails when the last process that has the terminal open ends. */
        const ssize_t got = read(fd, seen + n, sizeof seen - 1 - n);

        if (got <= 0)
            break;
        n += (size_t)got;
        if (!typed && strstr(seen, argv[1])) {
            typed = 1;
            if (write(fd, "\x03", 1) != 1)
                perror("cannot type");
        }
    }
    fwrite(seen, 1, n, stdout);
    if (waitpid(pid, &status, 0) != pid)
        return 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
