#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A container that owns its items: the call that puts an item in never frees one, later calls do. One
# item in two such containers is a mistake of the test, not of the library, so nothing is found.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >stack.h <<'SRC'
#ifndef STACK_H
#define STACK_H
/* A stack of items. It owns an item from stack_push on: they are freed with the stack. */
struct item;
struct stack;
struct item *item_new(int key);
void item_free(struct item *i);
struct stack *stack_new(void);
void stack_free(struct stack *s);
void stack_push(struct stack *s, struct item *i);
/* Increments the key of every item; returns their sum. */
int stack_bump(struct stack *s);
/* Frees the newest item; returns its key, -1 if there is none. */
int stack_drop(struct stack *s);
#endif
SRC
cat >stack.c <<'SRC'
#include "stack.h"
#include <pthread.h>
#include <stdlib.h>
struct item {
    int key;
    struct item *next;
};
struct stack {
    pthread_mutex_t lock;
    struct item *top;
};
struct item *
item_new(int key)
{
    struct item *i = calloc(1, sizeof *i);

    i->key = key;
    return i;
}
void
item_free(struct item *i)
{
    free(i);
}
struct stack *
stack_new(void)
{
    struct stack *s = calloc(1, sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    return s;
}
void
stack_free(struct stack *s)
{
    while (stack_drop(s) >= 0) {
    }
    pthread_mutex_destroy(&s->lock);
    free(s);
}
void
stack_push(struct stack *s, struct item *i)
{
    pthread_mutex_lock(&s->lock);
    i->next = s->top;
    s->top = i;
    pthread_mutex_unlock(&s->lock);
}
int
stack_bump(struct stack *s)
{
    int sum = 0;

    pthread_mutex_lock(&s->lock);
    for (struct item *i = s->top; i != NULL; i = i->next)
        sum += ++i->key;
    pthread_mutex_unlock(&s->lock);
    return sum;
}
int
stack_drop(struct stack *s)
{
    struct item *i;
    int key = -1;

    pthread_mutex_lock(&s->lock);
    i = s->top;
    if (i != NULL) {
        s->top = i->next;
        key = i->key;
        free(i);
    }
    pthread_mutex_unlock(&s->lock);
    return key;
}
SRC
cat >stack_seed.c <<'SRC'
#include "stack.h"
#include <assert.h>
int
main(void)
{
    struct stack *s = stack_new();

    stack_push(s, item_new(1));
    stack_push(s, item_new(2));
    assert(stack_bump(s) == 5);
    assert(stack_drop(s) == 3);
    stack_free(s);
    return 0;
}
SRC
run 0 "$BURL" synth stack.h -- stack.c stack_seed.c
has out 'findings   none'
run 0 "$BURL" synth stack.h -- stack.c
has out 'findings   none'
