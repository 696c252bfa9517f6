/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-ROWS: pthread_once call_once
 * The routine runs once, no thread passes before it has ended, and it may itself wait for locks
 * that others hold.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <threads.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static once_flag flag = ONCE_FLAG_INIT;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int runs;
static int c11_runs;

static void
set_up(void)
{
    runs++;
    pthread_mutex_lock(&m);
    sched_yield();
    pthread_mutex_unlock(&m);
    runs += 10;
}

static void
set_up_c11(void)
{
    c11_runs++;
    sched_yield();
    c11_runs += 10;
}

static void *
use(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2; i++) {
        assert(pthread_once(&once, set_up) == 0);
        assert(runs == 11);
        call_once(&flag, set_up_c11);
        assert(c11_runs == 11);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[3];

    pthread_mutex_lock(&m);
    for (int i = 0; i < 3; i++)
        assert(pthread_create(&t[i], NULL, use, NULL) == 0);
    sched_yield();
    sched_yield();
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 3; i++)
        assert(pthread_join(t[i], NULL) == 0);

    once = PTHREAD_ONCE_INIT; /* assigned anew: to be run again */
    runs = 0;
    assert(pthread_once(&once, set_up) == 0);
    assert(runs == 11);
    return 0;
}
