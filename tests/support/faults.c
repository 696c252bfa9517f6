/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/support/faults.c - runs a command, its output thrown away, and prints how many pages it and
 * all processes it waited for had to fault in without reading from disk.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int
main(int argc, char **argv)
{
    struct rusage usage;
    int status;
    pid_t pid;

    if (argc < 2)
        return 2;
    pid = fork();
    if (pid == 0) {
        int fd = open("/dev/null", O_WRONLY);

        if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0)
            _exit(126);
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        return 126;
    if (getrusage(RUSAGE_CHILDREN, &usage) != 0)
        return 126;
    printf("%ld\n", usage.ru_minflt);
    return WEXITSTATUS(status);
}
