#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Deadlocks that need no second object: a global lock and the lock of an object, or two locks of an
# array in one object, taken in opposite orders. One order for all has none.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >guest.h <<'SRC'
#ifndef GUEST_H
#define GUEST_H
struct guest;
struct guest *guest_new(void);
void guest_free(struct guest *g);
int guest_enter(struct guest *g);
int guest_leave(struct guest *g);
#endif
SRC
cat >guest.c <<'SRC'
#include "guest.h"
#include <pthread.h>
#include <stdlib.h>
#ifdef ARRAY
#define OUTER(g) (&(g)->locks[0])
#define INNER(g) (&(g)->locks[1])
#else
#define OUTER(g) (&house)
#define INNER(g) (&(g)->locks[1])
static pthread_mutex_t house = PTHREAD_MUTEX_INITIALIZER;
#endif
struct guest {
    pthread_mutex_t locks[2];
    int inside;
};
struct guest *
guest_new(void)
{
    struct guest *g = calloc(1, sizeof *g);

    pthread_mutex_init(&g->locks[0], NULL);
    pthread_mutex_init(&g->locks[1], NULL);
    return g;
}
void
guest_free(struct guest *g)
{
    pthread_mutex_destroy(&g->locks[0]);
    pthread_mutex_destroy(&g->locks[1]);
    free(g);
}
int
guest_enter(struct guest *g)
{
    int n;

    pthread_mutex_lock(OUTER(g));
    pthread_mutex_lock(INNER(g));
    n = ++g->inside;
    pthread_mutex_unlock(INNER(g));
    pthread_mutex_unlock(OUTER(g));
    return n;
}
int
guest_leave(struct guest *g)
{
    int n;

#ifdef BUG
    pthread_mutex_lock(INNER(g));
    pthread_mutex_lock(OUTER(g));
#else
    pthread_mutex_lock(OUTER(g));
    pthread_mutex_lock(INNER(g));
#endif
    n = --g->inside;
    pthread_mutex_unlock(INNER(g));
    pthread_mutex_unlock(OUTER(g));
    return n;
}
SRC
cat >guest_seed.c <<'SRC'
#include "guest.h"
#include <assert.h>
int
main(void)
{
    struct guest *g = guest_new();

    assert(guest_enter(g) == 1);
    assert(guest_leave(g) == 0);
    guest_free(g);
    return 0;
}
SRC
for locks in -DGLOBAL -DARRAY; do
    run 0 "$BURL" synth guest.h -- guest.c $locks guest_seed.c
    has out 'findings   none'
    run 1 "$BURL" synth guest.h -- guest.c $locks -DBUG guest_seed.c
    has out 'wait for each other'
done
