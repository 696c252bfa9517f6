#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` with a model file for a header some of whose functions take no object: their static
# state is shared. The function that the file forbids is not called.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >log.h <<'SRC'
struct log;
struct log *log_new(void);
void log_free(struct log *l);
int log_count(struct log *l);
void log_line(struct log *l);
/* Of the whole process. */
int log_level_up(void);
int log_level(void);
void log_reset_for_tests(void);
SRC
cat >log.c <<'SRC'
#include "log.h"
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int level;
struct log {
    int n;
};
struct log *
log_new(void)
{
    return calloc(1, sizeof(struct log));
}
void
log_free(struct log *l)
{
    free(l);
}
void
log_line(struct log *l)
{
    pthread_mutex_lock(&guard);
    l->n++;
    pthread_mutex_unlock(&guard);
}
int
log_count(struct log *l)
{
    int n;

    pthread_mutex_lock(&guard);
    n = l->n;
    pthread_mutex_unlock(&guard);
    return n;
}
int
log_level(void)
{
    int n;

    pthread_mutex_lock(&guard);
    n = level;
    pthread_mutex_unlock(&guard);
    return n;
}
int
log_level_up(void)
{
    int n;

#ifdef BUG
    n = log_level() + 1;
    pthread_mutex_lock(&guard);
    level = n;
#else
    pthread_mutex_lock(&guard);
    n = ++level;
#endif
    pthread_mutex_unlock(&guard);
    return n;
}
void
log_reset_for_tests(void)
{
    level = 0;
}
SRC
cat >test_log.c <<'SRC'
#include "log.h"
int
main(void)
{
    struct log *l = log_new();

    log_line(l);
    log_level_up();
    if (log_count(l) != 1 || log_level() != 1)
        return 1;
    log_reset_for_tests();
    log_free(l);
    return 0;
}
SRC
echo 'forbid log_reset_for_tests' >log.burl
run 1 "$BURL" synth log.h -- log.c test_log.c -DBUG
has out 'log_level_up'
hasnt out 'log_reset_for_tests'
run 0 "$BURL" synth log.h -- log.c test_log.c
has out 'findings   none'
mv log.burl other.burl
run 1 "$BURL" synth log.h -- log.c test_log.c
has out 'log_reset_for_tests'
