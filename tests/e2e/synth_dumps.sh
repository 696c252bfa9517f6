#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth`: a function that reads the final state may be wrong for an object: it aborts on a value
# of another kind. It is left out of tests of such objects; the race is found, the abort is none.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >value.h <<'SRC'
struct value;
struct value *value_number(void);
struct value *value_list(void);
void value_free(struct value *v);
void value_set(struct value *v, int n);
int value_get(const struct value *v);
/* Of lists only. */
int value_length(const struct value *v);
SRC
cat >value.c <<'SRC'
#include "value.h"
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct value {
    pthread_mutex_t lock;
    int is_list;
    int n;
};
static struct value *
value_new(int is_list)
{
    struct value *v = calloc(1, sizeof *v);

    pthread_mutex_init(&v->lock, NULL);
    v->is_list = is_list;
    return v;
}
struct value *
value_number(void)
{
    return value_new(0);
}
struct value *
value_list(void)
{
    return value_new(1);
}
void
value_free(struct value *v)
{
    free(v);
}
void
value_set(struct value *v, int n)
{
#ifndef BUG
    pthread_mutex_lock(&v->lock);
#endif
    v->n = n;
#ifndef BUG
    pthread_mutex_unlock(&v->lock);
#endif
}
int
value_get(const struct value *v)
{
    int n;

    pthread_mutex_lock((pthread_mutex_t *)&v->lock);
    n = v->n;
    pthread_mutex_unlock((pthread_mutex_t *)&v->lock);
    return n;
}
int
value_length(const struct value *v)
{
    assert(v->is_list);
    return v->n;
}
SRC
cat >test_value.c <<'SRC'
#include "value.h"
int
main(void)
{
    struct value *v = value_number();

    value_set(v, 1);
    if (value_get(v) != 1)
        return 1;
    value_free(v);
    return 0;
}
SRC
run 1 "$BURL" synth value.h -- value.c test_value.c -DBUG
has out 'data race on v->n'
hasnt out 'crash.abort'
hasnt out 'value_length'
run 0 "$BURL" synth value.h -- value.c test_value.c
has out 'findings   none'
