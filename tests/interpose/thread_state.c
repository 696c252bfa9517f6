/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_setname_np pthread_getname_np pthread_setschedparam pthread_getschedparam
 *   pthread_setschedprio pthread_setaffinity_np pthread_getaffinity_np pthread_getattr_np
 *   pthread_getcpuclockid prctl
 * BURL-WHY: threads share one kernel thread, and have a name each all the same.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

static pthread_barrier_t both;

static void *
worker(void *arg)
{
    char name[16];

    (void)arg;
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "boss") == 0); /* inherited */
    assert(pthread_setname_np(pthread_self(), "worker") == 0);
    assert(prctl(PR_GET_NAME, name) == 0 && strcmp(name, "worker") == 0);
    assert(prctl(PR_SET_NAME, "a name that is too long") == 0);
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return NULL;
}

int
main(void)
{
    struct sched_param param;
    pthread_attr_t attr;
    cpu_set_t cpus;
    clockid_t clock;
    char name[16];
    pthread_t t;
    int policy;

    assert(pthread_setname_np(pthread_self(), "boss") == 0);
    assert(pthread_setname_np(pthread_self(), "sixteen letters!") == ERANGE);
    assert(pthread_getname_np(pthread_self(), name, 8) == ERANGE);
    pthread_barrier_init(&both, NULL, 2);
    assert(pthread_create(&t, NULL, worker, NULL) == 0);
    pthread_barrier_wait(&both);
    assert(pthread_getname_np(t, name, sizeof name) == 0);
    assert(strcmp(name, "a name that is ") == 0);
    assert(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    assert(strcmp(name, "boss") == 0);
    assert(pthread_getschedparam(pthread_self(), &policy, &param) == 0);
    assert(pthread_setschedparam(pthread_self(), policy, &param) == 0);
    assert(pthread_setschedprio(pthread_self(), param.sched_priority) == 0);
    assert(pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus) == 0);
    assert(pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus) == 0);
    assert(pthread_getcpuclockid(pthread_self(), &clock) == 0);
    assert(pthread_getattr_np(pthread_self(), &attr) == 0);
    assert(pthread_attr_destroy(&attr) == 0);
    pthread_barrier_wait(&both);
    assert(pthread_join(t, NULL) == 0);
    return 0;
}
