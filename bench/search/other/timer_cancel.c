/* SPDX-License-Identifier: Apache-2.0 */
/*
 * timer_cancel.c - a timer that fires is freed by the thread that runs it, one that is
 * canceled by the canceling one. Firing drops the lock around the callback, and the timer is
 * still marked as armed. FIXED: it is taken off before the lock is dropped.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { TIMERS = 3 };

struct timer {
    bool armed;
    int fired;
};

static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;
static struct timer *timers[TIMERS];

static void
callback(struct timer *t)
{
    t->fired++;
}

static void *
run_timers(void *arg)
{
    for (int i = 0; i < TIMERS; i++) {
        struct timer *t;

        pthread_mutex_lock(&timers_lock);
        t = timers[i];
        if (t == NULL || !t->armed) {
            pthread_mutex_unlock(&timers_lock);
            continue;
        }
#ifdef FIXED
        timers[i] = NULL;
#endif
        pthread_mutex_unlock(&timers_lock);
        callback(t);
        pthread_mutex_lock(&timers_lock);
        t->armed = false;
#ifndef FIXED
        timers[i] = NULL;
#endif
        pthread_mutex_unlock(&timers_lock);
        free(t);
    }
    return arg;
}

static void *
cancel_last(void *arg)
{
    struct timer *t;

    pthread_mutex_lock(&timers_lock);
    t = timers[TIMERS - 1];
    timers[TIMERS - 1] = NULL;
    pthread_mutex_unlock(&timers_lock);
    free(t);
    return arg;
}

int
main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < TIMERS; i++) {
        timers[i] = calloc(1, sizeof *timers[i]);
        timers[i]->armed = true;
    }
    pthread_create(&threads[0], NULL, run_timers, NULL);
    pthread_create(&threads[1], NULL, cancel_last, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
