#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A library that starts threads itself: `burl synth` names the function, does not compare results that may
# depend on these threads, and tests the other functions.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >pool.h <<'SRC'
struct pool;
struct pool *pool_new(void);
void pool_free(struct pool *p);
void pool_start(struct pool *p);
void pool_add(struct pool *p, int x);
int pool_take_all(struct pool *p);
SRC
cat >pool.c <<'SRC'
#include "pool.h"
#include <pthread.h>
#include <stdlib.h>
struct pool { pthread_mutex_t lock; int sum; int started; pthread_t t; };
static void *
work(void *arg)
{
    struct pool *p = arg;

    pthread_mutex_lock(&p->lock);
    p->sum += 100;
    pthread_mutex_unlock(&p->lock);
    return arg;
}
struct pool *pool_new(void) { struct pool *p = calloc(1, sizeof *p); pthread_mutex_init(&p->lock, NULL); return p; }
void pool_free(struct pool *p) { if (p->started) pthread_join(p->t, NULL); free(p); }
void
pool_start(struct pool *p)
{
    pthread_mutex_lock(&p->lock);
    if (!p->started)
        pthread_create(&p->t, NULL, work, p);
    p->started = 1;
    pthread_mutex_unlock(&p->lock);
}
void pool_add(struct pool *p, int x) { pthread_mutex_lock(&p->lock); p->sum += x; pthread_mutex_unlock(&p->lock); }
int
pool_take_all(struct pool *p)
{
    int sum;

    pthread_mutex_lock(&p->lock);
    sum = p->sum;
#ifdef BUG
    pthread_mutex_unlock(&p->lock);
    pthread_mutex_lock(&p->lock);
#endif
    p->sum = 0;
    pthread_mutex_unlock(&p->lock);
    return sum;
}
SRC
cat >test.c <<'SRC'
#include "pool.h"
int
main(void)
{
    struct pool *p = pool_new();

    pool_add(p, 3);
    if (pool_take_all(p) != 3)
        return 1;
    pool_start(p);
    pool_add(p, 4);
    pool_take_all(p);
    pool_free(p);
    return 0;
}
SRC
for seed in test.c ''; do
    rm -rf .burl
    run 0 "$BURL" synth --time=60s pool.h -- pool.c $seed
    has err 'pool_start() starts threads: the results of tests that call it are not compared'
done
run 1 "$BURL" synth --time=60s pool.h -- pool.c -DBUG test.c
has err 'pool_start() starts threads'
has out 'pool_take_all'
