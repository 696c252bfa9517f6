/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=50
 * BURL-WHY: A thread forks while another one runs; the child does only what is allowed after
 *   fork, and its status is collected.
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards n_done */
static int n_done;

static void
count(void)
{
    pthread_mutex_lock(&mutex);
    n_done++;
    pthread_mutex_unlock(&mutex);
}

static void *
run_child(void *arg)
{
    int status = 0;
    pid_t pid = fork();

    (void)arg;
    assert(pid >= 0);
    if (pid == 0)
        _exit(7);
    assert(waitpid(pid, &status, 0) == pid);
    assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    count();
    return NULL;
}

static void *
work(void *arg)
{
    (void)arg;
    count();
    return NULL;
}

int
main(void)
{
    pthread_t a;
    pthread_t b;

    pthread_create(&a, NULL, run_child, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(n_done == 2);
    return 0;
}
