#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Freeing is a write of the whole object: a pointer that is used after its lock was released collides
# with the call that frees what it leads to.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
cat >doc.h <<'SRC'
struct doc;
struct doc *doc_new(void);
void doc_free(struct doc *d);
void doc_set_title(struct doc *d, const char *title);
int doc_title_length(struct doc *d);
SRC
cat >doc.c <<'SRC'
#include "doc.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct doc {
    pthread_mutex_t lock;
    char *title;
};
struct doc *
doc_new(void)
{
    struct doc *d = calloc(1, sizeof *d);

    pthread_mutex_init(&d->lock, NULL);
    d->title = strdup("");
    return d;
}
void
doc_free(struct doc *d)
{
    free(d->title);
    free(d);
}
void
doc_set_title(struct doc *d, const char *title)
{
    char *new = strdup(title);
    char *old;

    pthread_mutex_lock(&d->lock);
    old = d->title;
    d->title = new;
    pthread_mutex_unlock(&d->lock);
    free(old);
}
int
doc_title_length(struct doc *d)
{
    const char *title;
    int n = 0;

    pthread_mutex_lock(&d->lock);
    title = d->title;
#ifdef BUG
    pthread_mutex_unlock(&d->lock);
#endif
    while (title[n] != '\0')
        n++;
#ifndef BUG
    pthread_mutex_unlock(&d->lock);
#endif
    return n;
}
SRC
cat >test_doc.c <<'SRC'
#include "doc.h"
int
main(void)
{
    struct doc *d = doc_new();
    int n;

    doc_set_title(d, "oak");
    n = doc_title_length(d);
    doc_free(d);
    return n != 3;
}
SRC
run 1 "$BURL" synth doc.h -- doc.c -DBUG test_doc.c
grep -Eq 'in memory that .* has freed|frees at doc.c' out || fail "the freed title is not found"
rm -r .burl
run 0 "$BURL" synth doc.h -- doc.c test_doc.c
has out 'findings   none'
