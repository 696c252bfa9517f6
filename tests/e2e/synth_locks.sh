#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` with every kind of lock: an update in two critical sections is found, in one it is not.
# The same API for all kinds; -DKIND=n chooses the lock, -DBUG the two sections.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
cat >acct.h <<'SRC'
#ifndef ACCT_H
#define ACCT_H
struct acct;
struct acct *acct_new(void);
void acct_free(struct acct *a);
long acct_balance(struct acct *a);
void acct_set(struct acct *a, long value);
/* Adds, and returns the balance after it. */
long acct_add(struct acct *a, long n);
#endif
SRC
cat >acct.c <<'SRC'
#define _GNU_SOURCE
#include "acct.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>
#define MUTEX 0
#define RECURSIVE 1
#define RWLOCK 2
#define SPIN 3
#define C11 4
#define BY_POINTER 5
#define GLOBAL 6
#define FILE_STATIC 7
#define TRYLOCK 8
#define EMBEDDED 9
#define TIMED 10
#define SEMAPHORE 11
#if KIND == RWLOCK
#define READ(a) pthread_rwlock_rdlock(&(a)->rw)
#define WRITE(a) pthread_rwlock_wrlock(&(a)->rw)
#define DONE(a) pthread_rwlock_unlock(&(a)->rw)
#elif KIND == SPIN
#define READ(a) pthread_spin_lock(&(a)->spin)
#define DONE(a) pthread_spin_unlock(&(a)->spin)
#elif KIND == C11
#define READ(a) mtx_lock(&(a)->mtx)
#define DONE(a) mtx_unlock(&(a)->mtx)
#elif KIND == BY_POINTER
#define READ(a) pthread_mutex_lock((a)->lock)
#define DONE(a) pthread_mutex_unlock((a)->lock)
#elif KIND == GLOBAL
pthread_mutex_t acct_lock = PTHREAD_MUTEX_INITIALIZER;
#define READ(a) ((void)(a), pthread_mutex_lock(&acct_lock))
#define DONE(a) ((void)(a), pthread_mutex_unlock(&acct_lock))
#elif KIND == FILE_STATIC
static pthread_mutex_t locks[4] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                    PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
#define READ(a) pthread_mutex_lock(&locks[(a)->stripe])
#define DONE(a) pthread_mutex_unlock(&locks[(a)->stripe])
#elif KIND == TRYLOCK
#define READ(a) while (pthread_mutex_trylock(&(a)->m) != 0) thrd_yield()
#define DONE(a) pthread_mutex_unlock(&(a)->m)
#elif KIND == TIMED
#define READ(a) pthread_mutex_timedlock(&(a)->m, &(struct timespec){ .tv_sec = 4000000000 })
#define DONE(a) pthread_mutex_unlock(&(a)->m)
#elif KIND == EMBEDDED
#define READ(a) pthread_mutex_lock(&(a)->inner.deep.m)
#define DONE(a) pthread_mutex_unlock(&(a)->inner.deep.m)
#elif KIND == SEMAPHORE
#define READ(a) sem_wait(&(a)->sem)
#define DONE(a) sem_post(&(a)->sem)
#else
#define READ(a) pthread_mutex_lock(&(a)->m)
#define DONE(a) pthread_mutex_unlock(&(a)->m)
#endif
#ifndef WRITE
#define WRITE READ
#endif
struct acct {
    long balance;
    int stripe;
    pthread_mutex_t m;
    pthread_rwlock_t rw;
    pthread_spinlock_t spin;
    mtx_t mtx;
    sem_t sem;
    struct { int pad; struct { pthread_mutex_t m; } deep; } inner;
    pthread_mutex_t *lock;
};
struct acct *
acct_new(void)
{
    struct acct *a = calloc(1, sizeof *a);
    pthread_mutexattr_t attr;
    static atomic_int n;

    pthread_mutexattr_init(&attr);
#if KIND == RECURSIVE
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
#endif
    pthread_mutex_init(&a->m, &attr);
    pthread_rwlock_init(&a->rw, NULL);
    pthread_spin_init(&a->spin, PTHREAD_PROCESS_PRIVATE);
    mtx_init(&a->mtx, mtx_plain);
    sem_init(&a->sem, 0, 1);
    pthread_mutex_init(&a->inner.deep.m, NULL);
    a->lock = malloc(sizeof *a->lock);
    pthread_mutex_init(a->lock, NULL);
    a->stripe = atomic_fetch_add(&n, 1) & 3;
    return a;
}
void
acct_free(struct acct *a)
{
    free(a->lock);
    free(a);
}
long
acct_balance(struct acct *a)
{
    long v;

    READ(a);
    v = a->balance;
    DONE(a);
    return v;
}
void
acct_set(struct acct *a, long value)
{
    WRITE(a);
    a->balance = value;
    DONE(a);
}
long
acct_add(struct acct *a, long n)
{
    long v;

#ifdef BUG
    READ(a);
    v = a->balance;
    DONE(a);
    WRITE(a);
    v = a->balance = v + n;
    DONE(a);
#else
    WRITE(a);
#if KIND == RECURSIVE
    WRITE(a);
    v = a->balance;
    DONE(a);
    v = a->balance = v + n;
#else
    v = a->balance += n;
#endif
    DONE(a);
#endif
    return v;
}
SRC
cat >seed.c <<'SRC'
#include "acct.h"
#include <assert.h>
int
main(void)
{
    struct acct *a = acct_new();

    acct_set(a, 3);
    assert(acct_add(a, 4) == 7);
    assert(acct_balance(a) == 7);
    acct_free(a);
    return 0;
}
SRC
for kind in MUTEX RECURSIVE RWLOCK SPIN C11 BY_POINTER GLOBAL FILE_STATIC TRYLOCK EMBEDDED TIMED SEMAPHORE; do
    run 1 "$BURL" synth --dir=bug.$kind acct.h -- -DKIND=$kind -DBUG acct.c seed.c
    grep -q 'acct_add.*not linearizable' out || fail "$kind: acct_add in two sections is not found"
    run 0 "$BURL" synth --dir=ok.$kind acct.h -- -DKIND=$kind acct.c seed.c
done
