#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Seeds that burl writes: numbers in them are not 0 where another does as well, since a lost update
# that adds 0 shows nowhere. If none can be written, the message names the functions and why.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
cat >tally.h <<'SRC'
struct tally;
struct tally *tally_new(void);
void tally_free(struct tally *t);
/* Adds to the number of a key, which begins with 0; returns the new number. */
int tally_add(struct tally *t, const char *key, int by);
/* -1: no such key. */
int tally_get(struct tally *t, const char *key);
int tally_keys(struct tally *t);
SRC
cat >tally.c <<'SRC'
#include "tally.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct entry {
    struct entry *next;
    int n;
    char key[32];
};
struct tally {
    pthread_mutex_t m;
    struct entry *first;
};
static struct entry *
find(struct tally *t, const char *key)
{
    struct entry *e = t->first;

    while (e && strncmp(e->key, key, sizeof e->key - 1) != 0)
        e = e->next;
    return e;
}
struct tally *tally_new(void) { struct tally *t = calloc(1, sizeof *t); pthread_mutex_init(&t->m, NULL); return t; }
void
tally_free(struct tally *t)
{
    for (struct entry *e = t->first, *next; e; e = next) {
        next = e->next;
        free(e);
    }
    free(t);
}
int
tally_get(struct tally *t, const char *key)
{
    const struct entry *e;
    int n;

    pthread_mutex_lock(&t->m);
    e = find(t, key);
    n = e ? e->n : -1;
    pthread_mutex_unlock(&t->m);
    return n;
}
int
tally_add(struct tally *t, const char *key, int by)
{
    struct entry *e;
    int n;

    pthread_mutex_lock(&t->m);
    e = find(t, key);
    if (!e) {
        e = calloc(1, sizeof *e);
        strncpy(e->key, key, sizeof e->key - 1);
        e->next = t->first;
        t->first = e;
    }
    n = e->n + by;
#ifdef BUG
    pthread_mutex_unlock(&t->m);
    pthread_mutex_lock(&t->m);
#endif
    e->n = n;
    pthread_mutex_unlock(&t->m);
    return n;
}
int
tally_keys(struct tally *t)
{
    int n = 0;

    pthread_mutex_lock(&t->m);
    for (const struct entry *e = t->first; e; e = e->next)
        n++;
    pthread_mutex_unlock(&t->m);
    return n;
}
SRC
run 0 "$BURL" synth --time=60s --seed=2 tally.h -- tally.c
cat .burl/synth/seed*.c | grep -o 'tally_add(.*)' >calls || fail "the seeds are not there"
if grep -q ', 0)' calls; then
    fail "a seed adds 0, where every number does as well"
fi
run 1 "$BURL" synth --time=60s --seed=2 tally.h -- tally.c -DBUG
grep -q 'tally_add: results match no sequential order' out || fail "the lost update is not found"

cat >dot.h <<'SRC'
struct at { int x, y; };
struct dot;
struct dot *dot_new(struct at at);
void dot_free(struct dot *d);
int dot_x(struct dot *d);
SRC
cat >dot.c <<'SRC'
#include "dot.h"
#include <stdlib.h>
struct dot { struct at at; };
struct dot *dot_new(struct at at) { struct dot *d = calloc(1, sizeof *d); d->at = at; return d; }
void dot_free(struct dot *d) { free(d); }
int dot_x(struct dot *d) { return d->at.x; }
SRC
run 2 "$BURL" synth dot.h -- dot.c
grep -q 'dot_new() cannot be called: at (struct at) is unknown' err || fail "the cause is not named"
grep -q 'fixed (struct at)' err || fail "nor what would help"
