/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: execve execv execvp execvpe execl execlp execle fexecve execveat posix_spawn
 *   posix_spawnp system popen
 * BURL-ARGS: --runs=20
 * BURL-WHY: other programs are run by children; their exit codes come back.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char *args[] = { "sh", "-c", "exit ${CODE:-5}", NULL };
static char *env[] = { "CODE=6", "PATH=/bin:/usr/bin", NULL };

static void
in_child(int how)
{
    int fd;

    switch (how) {
    case 0: execve("/bin/sh", args, env); break;
    case 1: execv("/bin/sh", args); break;
    case 2: execvp("sh", args); break;
    case 3: execvpe("sh", args, env); break;
    case 4: execl("/bin/sh", "sh", "-c", "exit 5", (char *)NULL); break;
    case 5: execlp("sh", "sh", "-c", "exit 5", (char *)NULL); break;
    case 6: execle("/bin/sh", "sh", "-c", "exit ${CODE:-5}", (char *)NULL, env); break;
    case 7:
        fd = open("/bin/sh", O_RDONLY);
        fexecve(fd, args, env);
        break;
    default: execveat(AT_FDCWD, "/bin/sh", args, env, 0); break;
    }
    _exit(100 + how);
}

static int
code_of(pid_t pid)
{
    int status;

    assert(waitpid(pid, &status, 0) == pid);
    assert(WIFEXITED(status));
    return WEXITSTATUS(status);
}

int
main(void)
{
    static const int expected[] = { 6, 5, 5, 6, 5, 5, 6, 6, 6 };
    char line[16];
    FILE *f;
    pid_t pid;
    int r;

    for (int i = 0; i < 9; i++) {
        pid = fork();
        assert(pid >= 0);
        if (pid == 0)
            in_child(i);
        assert(code_of(pid) == expected[i]);
    }
    assert(posix_spawn(&pid, "/bin/sh", NULL, NULL, args, env) == 0);
    assert(code_of(pid) == 6);
    assert(posix_spawnp(&pid, "sh", NULL, NULL, args, environ) == 0);
    assert(code_of(pid) == 5);
    r = system("exit 8");
    assert(WIFEXITED(r) && WEXITSTATUS(r) == 8);
    f = popen("echo hello", "r");
    assert(f != NULL && fgets(line, sizeof line, f) != NULL);
    assert(strcmp(line, "hello\n") == 0);
    assert(pclose(f) == 0);
    return 0;
}
