/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: fork waitpid
 * BURL-ARGS: --runs=50
 * BURL-WHY: a thread that is not main forks and waits for its child, which waits for main.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t forked;
static int up[2];
static int down[2];

static void *
run(void *arg)
{
    int status;
    char c = 0;
    pid_t pid = fork();

    assert(pid >= 0);
    if (pid == 0) {
        if (read(down[0], &c, 1) != 1 || write(up[1], &c, 1) != 1)
            _exit(1);
        _exit(9);
    }
    sem_post(&forked);
    assert(read(up[0], &c, 1) == 1 && c == 'x');
    assert(waitpid(pid, &status, 0) == pid);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 9);
    return arg;
}

int
main(void)
{
    pthread_t t;

    assert(sem_init(&forked, 0, 0) == 0);
    assert(pipe(up) == 0 && pipe(down) == 0);
    assert(pthread_create(&t, NULL, run, NULL) == 0);
    assert(sem_wait(&forked) == 0);
    assert(write(down[1], "x", 1) == 1); /* only now can the child go on */
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
