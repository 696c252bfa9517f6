#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Tests that contain the seed (a callback with state): the seed may be called test.c, as the emitted
# test is, and a tag of the header may be called as a function is. The violation is found.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >log.h <<'SRC'
#ifndef LOG_H
#define LOG_H
enum level { LOW, HIGH };
struct log;
struct log *log_new(void (*sink)(void *state, int value), void *state);
void log_free(struct log *l);
void level(struct log *l, enum level v);
int log_put(struct log *l, int value);
#endif
SRC
cat >log.c <<'SRC'
#include "log.h"
#include <pthread.h>
#include <stdlib.h>
struct log {
    pthread_mutex_t lock;
    enum level level;
    int n;
    void (*sink)(void *state, int value);
    void *state;
};
struct log *
log_new(void (*sink)(void *state, int value), void *state)
{
    struct log *l = calloc(1, sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    l->sink = sink;
    l->state = state;
    return l;
}
void
log_free(struct log *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}
void
level(struct log *l, enum level v)
{
    pthread_mutex_lock(&l->lock);
    l->level = v;
    pthread_mutex_unlock(&l->lock);
}
int
log_put(struct log *l, int value)
{
    int n;

    pthread_mutex_lock(&l->lock);
    n = l->n + 1;
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&l->lock);
    l->n = n;
    l->sink(l->state, value);
    pthread_mutex_unlock(&l->lock);
    return n;
}
SRC
cat >test.c <<'SRC'
#include "log.h"
#include <assert.h>
static void
add(void *state, int value)
{
    *(int *)state += value;
}
int
main(void)
{
    int sum = 0;
    struct log *l = log_new(add, &sum);

    enum level v = HIGH;

    level(l, v);
    assert(log_put(l, 3) == 1);
    assert(sum == 3);
    log_free(l);
    return 0;
}
SRC
cp test.c log_seed.c
run 1 "$BURL" synth log.h -- log.c log_seed.c
has out 'log_put'
rm -r .burl
run 1 "$BURL" synth log.h -- log.c test.c
has out 'log_put'
run 1 "$BURL" replay 1
