/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: gettid syscall
 * BURL-WHY: every thread has a number of its own that stays; fibers share one of the kernel's.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t ids[3];

static void *
run(void *arg)
{
    pid_t *id = arg;

    *id = gettid();
    sched_yield();
    assert(gettid() == *id);
    assert(syscall(SYS_gettid) == *id);
    return NULL;
}

int
main(void)
{
    pthread_t t[3];

    assert(gettid() == getpid());
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, run, &ids[i]) == 0);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);
    assert(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    assert(ids[0] != getpid() && ids[1] != getpid() && ids[2] != getpid());
    return 0;
}
