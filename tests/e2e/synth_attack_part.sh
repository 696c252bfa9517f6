#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Functions on a part that a getter gives out are functions of the API: the seed calls them, so they
# are tested. Likewise a function that makes the one object of the process when it is first called.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >sheet.h <<'SRC'
#ifndef SHEET_H
#define SHEET_H
struct sheet;
struct cell;
struct sheet *sheet_new(void);
void sheet_free(struct sheet *s);
int sheet_size(struct sheet *s);
/* A cell of the sheet, which lives as long as the sheet. */
struct cell *sheet_cell(struct sheet *s, int place);
/* Adds to the number of the cell; returns it. */
int cell_add(struct cell *c, int value);
#endif
SRC
cat >sheet.c <<'SRC'
#include "sheet.h"
#include <pthread.h>
#include <stdlib.h>
struct cell {
    struct sheet *sheet;
    int value;
};
struct sheet {
    pthread_mutex_t lock;
    struct cell *cells[4];
};
struct sheet *
sheet_new(void)
{
    struct sheet *s = calloc(1, sizeof *s);

    pthread_mutex_init(&s->lock, NULL);
    return s;
}
void
sheet_free(struct sheet *s)
{
    for (int i = 0; i < 4; i++)
        free(s->cells[i]);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
int
sheet_size(struct sheet *s)
{
    int n = 0;

    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < 4; i++)
        n += s->cells[i] != NULL;
    pthread_mutex_unlock(&s->lock);
    return n;
}
struct cell *
sheet_cell(struct sheet *s, int place)
{
    struct cell *c;

    if (place < 0 || place > 3)
        return NULL;
    pthread_mutex_lock(&s->lock);
    if (s->cells[place] == NULL) {
        s->cells[place] = calloc(1, sizeof *c);
        s->cells[place]->sheet = s;
    }
    c = s->cells[place];
    pthread_mutex_unlock(&s->lock);
    return c;
}
int
cell_add(struct cell *c, int value)
{
    int sum;

#ifndef BUG
    pthread_mutex_lock(&c->sheet->lock);
#endif
    sum = c->value + value;
    c->value = sum;
#ifndef BUG
    pthread_mutex_unlock(&c->sheet->lock);
#endif
    return sum;
}
SRC
cat >sheet_seed.c <<'SRC'
#include "sheet.h"
#include <assert.h>
int
main(void)
{
    struct sheet *s = sheet_new();
    struct cell *c = sheet_cell(s, 1);

    assert(cell_add(c, 2) == 2);
    assert(cell_add(c, 3) == 5);
    assert(sheet_size(s) == 1);
    sheet_free(s);
    return 0;
}
SRC
run 0 "$BURL" synth sheet.h -- sheet.c sheet_seed.c
has out 'findings   none'
run 1 "$BURL" synth sheet.h -- sheet.c -DBUG sheet_seed.c
has out 'cell_add'

cat >reg.h <<'SRC'
#ifndef REG_H
#define REG_H
struct reg;
/* The registry of the process, made when it is first asked for. */
struct reg *reg_get(void);
int reg_next(struct reg *r);
#endif
SRC
cat >reg.c <<'SRC'
#include "reg.h"
#include <pthread.h>
#include <stdlib.h>
struct reg {
    pthread_mutex_t lock;
    int last;
};
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static struct reg *the;
struct reg *
reg_get(void)
{
    struct reg *r;

#ifndef BUG
    pthread_mutex_lock(&making);
#endif
    if (the == NULL) {
        r = calloc(1, sizeof *r);
        pthread_mutex_init(&r->lock, NULL);
        the = r;
    }
    r = the;
#ifndef BUG
    pthread_mutex_unlock(&making);
#endif
    return r;
}
int
reg_next(struct reg *r)
{
    int n;

    pthread_mutex_lock(&r->lock);
    n = ++r->last;
    pthread_mutex_unlock(&r->lock);
    return n;
}
SRC
cat >reg_seed.c <<'SRC'
#include "reg.h"
#include <assert.h>
int
main(void)
{
    assert(reg_next(reg_get()) == 1);
    assert(reg_next(reg_get()) == 2);
    return 0;
}
SRC
run 0 "$BURL" synth reg.h -- reg.c reg_seed.c
has out 'findings   none'
run 1 "$BURL" synth reg.h -- reg.c -DBUG reg_seed.c
has out 'reg_get'
