#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on APIs that look at the calling thread: an error kept for each thread, a lock that knows
# its owner. Orders of the calls are made by the threads of the test, so both are silent; a bug in
# them is found all the same.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
cat >acc.h <<'SRC'
struct acc;
struct acc *acc_new(void);
void acc_free(struct acc *a);
/* -1 when x is negative. */
int acc_add(struct acc *a, int x);
int acc_sum(struct acc *a);
/* Error of the calling thread's last call. */
int acc_last_error(struct acc *a);
SRC
cat >acc.c <<'SRC'
#include "acc.h"
#include <pthread.h>
#include <stdlib.h>
static _Thread_local int last;
struct acc {
    pthread_mutex_t m;
    int v;
};
struct acc *acc_new(void) { struct acc *a = calloc(1, sizeof *a); pthread_mutex_init(&a->m, NULL); return a; }
void acc_free(struct acc *a) { pthread_mutex_destroy(&a->m); free(a); }
int
acc_add(struct acc *a, int x)
{
    last = x < 0 ? 22 : 0;
    if (x < 0)
        return -1;
    pthread_mutex_lock(&a->m);
#ifdef BUG
    int old = a->v;
    pthread_mutex_unlock(&a->m);
    pthread_mutex_lock(&a->m);
    a->v = old;
#endif
    a->v += x;
    pthread_mutex_unlock(&a->m);
    return 0;
}
int acc_sum(struct acc *a) { pthread_mutex_lock(&a->m); int v = a->v; pthread_mutex_unlock(&a->m); return v; }
int acc_last_error(struct acc *a) { (void)a; return last; }
SRC
cat >own.h <<'SRC'
#include <stdbool.h>
struct own;
struct own *own_new(void);
void own_free(struct own *l);
/* Waits while another thread has it; the owner may take it again. */
void own_take(struct own *l);
/* -1 when the caller does not have it. */
int own_give(struct own *l);
bool own_is_mine(struct own *l);
SRC
cat >own.c <<'SRC'
#include "own.h"
#include <pthread.h>
#include <stdlib.h>
struct own {
    pthread_mutex_t m;
    pthread_cond_t c;
    pthread_t who;
    int depth;
};
struct own *
own_new(void)
{
    struct own *l = calloc(1, sizeof *l);

    pthread_mutex_init(&l->m, NULL);
    pthread_cond_init(&l->c, NULL);
    return l;
}
void own_free(struct own *l) { pthread_cond_destroy(&l->c); pthread_mutex_destroy(&l->m); free(l); }
static bool mine(struct own *l) { return l->depth > 0 && pthread_equal(l->who, pthread_self()); }
void
own_take(struct own *l)
{
    pthread_mutex_lock(&l->m);
    while (l->depth > 0 && !mine(l))
        pthread_cond_wait(&l->c, &l->m);
    l->who = pthread_self();
    l->depth++;
    pthread_mutex_unlock(&l->m);
}
int
own_give(struct own *l)
{
    int r = -1;

    pthread_mutex_lock(&l->m);
    if (mine(l)) {
        r = 0;
        if (--l->depth == 0)
#ifdef BUG
            r = 0;
#else
            pthread_cond_signal(&l->c);
#endif
    }
    pthread_mutex_unlock(&l->m);
    return r;
}
bool own_is_mine(struct own *l) { pthread_mutex_lock(&l->m); bool r = mine(l); pthread_mutex_unlock(&l->m); return r; }
SRC
run 0 "$BURL" gen --json --tests=200 --seed=1 acc.h -- acc.c
run 0 "$BURL" gen --json --tests=200 --seed=1 own.h -- own.c
[ "$(jq .stats.set_apart out)" = 0 ] || fail "a lock that works was suspected"
run 1 "$BURL" gen --json --tests=200 --seed=1 acc.h -- acc.c -DBUG
run 1 "$BURL" gen --json --tests=400 --seed=1 own.h -- own.c -DBUG
case $(jq -r '.findings[0].kind' out) in
    deadlock.*) ;;
    *) fail "another kind: $(jq -r '.findings[0].kind' out)" ;;
esac
