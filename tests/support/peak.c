/* SPDX-License-Identifier: Apache-2.0 */
/* tests/support/peak.c - runs a command and writes the largest resident size, in KB, of it or of
 * one of its children into a file: peak FILE COMMAND... Exits as the command did. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    struct rusage u;
    FILE *f;
    int raw = 0;
    pid_t pid;

    if (argc < 3)
        return 2;
    pid = fork();
    if (pid == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &raw, 0) != pid)
        return 126;
    getrusage(RUSAGE_CHILDREN, &u);
    f = fopen(argv[1], "w");
    if (!f || fprintf(f, "%ld\n", u.ru_maxrss) < 0 || fclose(f) != 0)
        return 126;
    return WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
}
