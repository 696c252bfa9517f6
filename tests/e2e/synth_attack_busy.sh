#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A function that gives up when pthread_mutex_trylock() fails and says so in its comment has no
# violation; the twin that moves too much, without giving up, has one.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >acct.h <<'SRC'
#ifndef ACCT_H
#define ACCT_H
struct acct;
struct acct *acct_open(long cents);
void acct_close(struct acct *a);
long acct_balance(struct acct *a);
/* 0: done, 1: too little, 2: busy, call again */
int acct_move(struct acct *from, struct acct *to, long cents);
#endif
SRC
cat >acct.c <<'SRC'
#include "acct.h"
#include <pthread.h>
#include <stdlib.h>
struct acct {
    pthread_mutex_t lock;
    long cents;
};
struct acct *
acct_open(long cents)
{
    struct acct *a = calloc(1, sizeof *a);

    pthread_mutex_init(&a->lock, NULL);
    a->cents = cents;
    return a;
}
void
acct_close(struct acct *a)
{
    pthread_mutex_destroy(&a->lock);
    free(a);
}
long
acct_balance(struct acct *a)
{
    long cents;

    pthread_mutex_lock(&a->lock);
    cents = a->cents;
    pthread_mutex_unlock(&a->lock);
    return cents;
}
int
acct_move(struct acct *from, struct acct *to, long cents)
{
    int rc = 1;

    if (from == to)
        return 1;
#ifdef BUG
    if (acct_balance(from) < cents)
        return 1;
#endif
    pthread_mutex_lock(&from->lock);
    if (pthread_mutex_trylock(&to->lock) != 0) {
        pthread_mutex_unlock(&from->lock);
        return 2;
    }
#ifndef BUG
    if (from->cents >= cents)
#endif
    {
        from->cents -= cents;
        to->cents += cents;
        rc = 0;
    }
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
    return rc;
}
SRC
cat >acct_seed.c <<'SRC'
#include "acct.h"
#include <assert.h>
int
main(void)
{
    struct acct *a = acct_open(100);
    struct acct *b = acct_open(50);

    assert(acct_move(a, b, 70) == 0);
    assert(acct_balance(b) == 120);
    acct_close(a);
    acct_close(b);
    return 0;
}
SRC
run 0 "$BURL" synth acct.h -- acct.c acct_seed.c
has out 'findings   none'
run 1 "$BURL" synth acct.h -- acct.c -DBUG acct_seed.c
has out 'acct_move'
