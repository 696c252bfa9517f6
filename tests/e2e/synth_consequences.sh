#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# One bug makes a test fail in many ways: freed twice, used after it was freed, null pointers, at
# every place that uses the list. One failure of the test is a finding, with its replay; a correct
# list has none.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >list.h <<'SRC'
#pragma once
struct list;
struct list *list_new(void);
void list_free(struct list *l);
void list_add(struct list *l, int n);
void list_remove(struct list *l, int n);
SRC
cat >list.c <<'SRC'
#include "list.h"
#include <pthread.h>
#include <stdlib.h>
#ifdef BUG
#define TO_CHANGE pthread_rwlock_rdlock
#else
#define TO_CHANGE pthread_rwlock_wrlock
#endif
struct cell {
    int n;
    struct cell *next;
};
struct list {
    pthread_rwlock_t lock;
    struct cell *cells;
};
struct list *
list_new(void)
{
    struct list *l = calloc(1, sizeof *l);

    pthread_rwlock_init(&l->lock, NULL);
    return l;
}
void
list_free(struct list *l)
{
    struct cell *c;

    while ((c = l->cells) != NULL) {
        l->cells = c->next;
        free(c);
    }
    pthread_rwlock_destroy(&l->lock);
    free(l);
}
void
list_add(struct list *l, int n)
{
    struct cell *c = malloc(sizeof *c);

    c->n = n;
    pthread_rwlock_wrlock(&l->lock);
    c->next = l->cells;
    l->cells = c;
    pthread_rwlock_unlock(&l->lock);
}
void
list_remove(struct list *l, int n)
{
    TO_CHANGE(&l->lock);
    for (struct cell **p = &l->cells; *p != NULL; p = &(*p)->next) {
        if ((*p)->n == n) {
            struct cell *c = *p;

            *p = c->next;
            free(c);
            break;
        }
    }
    pthread_rwlock_unlock(&l->lock);
}
SRC
cat >test.c <<'SRC'
#include "list.h"
int
main(void)
{
    struct list *l = list_new();

    list_add(l, 7);
    list_add(l, 8);
    list_remove(l, 7);
    list_free(l);
    return 0;
}
SRC

run 1 "$BURL" synth --for=atomicity --dir=bug list.h -- list.c -DBUG test.c
sed -n 's/^     bug.*(test \([0-9]*\),.*/\1/p' out >tests
[ -s tests ] || fail "no finding has a test"
[ -z "$(sort tests | uniq -d)" ] || fail "a test has several findings of one bug"
run 1 "$BURL" replay --quiet --dir=bug 1
run 0 "$BURL" synth --for=atomicity --dir=ok list.h -- list.c test.c
