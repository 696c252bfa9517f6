#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 120
#
# `burl gen` and results that are times or addresses: those of a correct API are no violation,
# however they come out, and a bug beside them is found. The clock is read without the lock, so that
# no order of whole calls gives the differences that overlapping calls see.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"

cat >visits.h <<'SRC'
#ifndef VISITS_H
#define VISITS_H
struct visits;
struct visits *visits_new(void);
void visits_free(struct visits *s);
long visits_took_ns(struct visits *s);
long visits_nap_ms(struct visits *s);
unsigned visits_second(struct visits *s);
long visits_time(struct visits *s);
unsigned long visits_hash(struct visits *s);
int visits_number(struct visits *s);
#endif
SRC
cat >visits.c <<'SRC'
#include "visits.h"
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
struct visits {
    pthread_mutex_t lock;
    int n;
};
static long
now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}
struct visits *
visits_new(void)
{
    struct visits *s = calloc(1, sizeof *s);

    if (s)
        pthread_mutex_init(&s->lock, NULL);
    return s;
}
void
visits_free(struct visits *s)
{
    pthread_mutex_destroy(&s->lock);
    free(s);
}
static void
count(struct visits *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->n;
#ifdef BUG
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_lock(&s->lock);
#endif
    s->n = n + 1;
    pthread_mutex_unlock(&s->lock);
}
long
visits_took_ns(struct visits *s)
{
    long begin = now_ns();

    count(s);
    return now_ns() - begin;
}
long
visits_nap_ms(struct visits *s)
{
    long begin = now_ns();

    count(s);
    usleep(10000);
    return (now_ns() - begin) / 1000000;
}
unsigned
visits_second(struct visits *s)
{
    count(s);
    return (unsigned)(now_ns() / 1000000000L);
}
long
visits_time(struct visits *s)
{
    count(s);
    return (long)time(NULL);
}
unsigned long
visits_hash(struct visits *s)
{
    return (uintptr_t)s >> 4;
}
int
visits_number(struct visits *s)
{
    int n;

    pthread_mutex_lock(&s->lock);
    n = s->n;
    pthread_mutex_unlock(&s->lock);
    return n;
}
SRC

run 0 "$BURL" gen --tests=300 --seed=1 visits.h -- visits.c
has out "findings   none"
run 1 "$BURL" gen --tests=300 --seed=1 visits.h -- visits.c -DBUG
has out "no sequential order of the calls"
