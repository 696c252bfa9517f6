/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cve_2017_6346.c - ConVul: two threads put one packet socket into a fanout group.
 *
 * Both see that the socket is in no group, both make one, the second overwrites the first; at the
 * end one group is released twice. FIXED: look and store under one lock.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct fanout {
    int members;
};

static pthread_mutex_t fanout_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fanout *socket_fanout;

static bool
in_group(void)
{
    bool yes;

    pthread_mutex_lock(&fanout_lock);
    yes = socket_fanout != NULL;
    pthread_mutex_unlock(&fanout_lock);
    return yes;
}

/* Did this call put the socket into a group? */
static bool
fanout_add(void)
{
    struct fanout *f;

    if (in_group())
        return false;
    f = calloc(1, sizeof *f);
    f->members = 1;
    pthread_mutex_lock(&fanout_lock);
#ifdef FIXED
    if (socket_fanout != NULL) {
        pthread_mutex_unlock(&fanout_lock);
        free(f);
        return false;
    }
#endif
    socket_fanout = f;
    pthread_mutex_unlock(&fanout_lock);
    return true;
}

static void
fanout_release(void)
{
    struct fanout *f;

    pthread_mutex_lock(&fanout_lock);
    f = socket_fanout;
    f->members--;
    pthread_mutex_unlock(&fanout_lock);
    free(f);
}

static void *
user(void *arg)
{
    return fanout_add() ? arg : NULL;
}

int
main(void)
{
    static int yes;
    pthread_t threads[2];
    void *added;

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, &yes);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &added);
        if (added != NULL)
            fanout_release();
    }
    return 0;
}
