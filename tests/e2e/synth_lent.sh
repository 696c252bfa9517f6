#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Strings that stay the API's. The test reads them without the API's lock: what it reads while the API
# writes, and the race of reading, are its own doing and no findings. A race within the API is one, and
# so is a string that no order of the calls gives.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >box.h <<'SRC'
struct box;
struct box *box_new(void);
void box_free(struct box *b);
/* The name; it is overwritten by the next box_rename(). */
const char *box_name(struct box *b);
void box_rename(struct box *b, const char *name);
int box_first(struct box *b);
int box_length(struct box *b);
SRC
cat >box.c <<'SRC'
#include "box.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct box {
    pthread_mutex_t lock;
    atomic_int reads; /* statistics only: an update may be lost */
    int length;
    char name[16];
};
struct box *
box_new(void)
{
    struct box *b = calloc(1, sizeof *b);

    pthread_mutex_init(&b->lock, NULL);
    return b;
}
void
box_free(struct box *b)
{
    pthread_mutex_destroy(&b->lock);
    free(b);
}
int
box_first(struct box *b)
{
    int c;

    atomic_store(&b->reads, atomic_load(&b->reads) + 1);
    pthread_mutex_lock(&b->lock);
    c = b->name[0];
    pthread_mutex_unlock(&b->lock);
    return c;
}
const char *
box_name(struct box *b)
{
    atomic_store(&b->reads, atomic_load(&b->reads) + 1);
#ifdef RACE
    return b->name[0] ? b->name : "no name";
#else
    return b->name;
#endif
}
void
box_rename(struct box *b, const char *name)
{
    int i;

    pthread_mutex_lock(&b->lock);
    for (i = 0; name[i] && i < (int)sizeof b->name - 1; i++)
        b->name[i] = name[i];
    b->name[i] = '\0';
    b->length = i;
    atomic_store(&b->reads, 0);
    pthread_mutex_unlock(&b->lock);
}
int
box_length(struct box *b)
{
    int n;

    pthread_mutex_lock(&b->lock);
    n = b->length;
    pthread_mutex_unlock(&b->lock);
    return n;
}
SRC
cat >seed.c <<'SRC'
#include "box.h"
#include <assert.h>
#include <string.h>
int
main(void)
{
    struct box *b = box_new();

    assert(box_first(b) == 0);
    assert(box_name(b) != NULL);
    box_rename(b, "second");
    assert(box_length(b) == 6);
    assert(strcmp(box_name(b), "second") == 0);
    box_free(b);
    return 0;
}
SRC

# box_name() and box_rename() meet; the name may be half written when the test reads it.
run 0 "$BURL" synth --json box.h -- box.c seed.c
jq -e '[.tests[] | select((.threads | flatten | map(.[0:8])) == ["box_name", "box_rena"])] |
    length == 1 and .[0].met > 0 and .[0].result == "benign"' out >/dev/null || fail "$(jq -c '.tests[] | [.threads, .result]' out)"

# The nearest API with a race of its own: box_name() reads the name without the lock.
run 1 "$BURL" synth --json --dir=race box.h -- box.c seed.c -DRACE
jq -e '[.findings[].kind] == ["race.data"]' out >/dev/null || fail "$(jq -c '[.findings[].kind]' out)"
run 1 "$BURL" replay --dir=race 1
has out 'in box_name'
has out 'in box_rename'
hasnt out 'keep_string'

# Strings are compared: two calls cannot both have switched it on.
cat >lamp.h <<'SRC'
struct lamp;
struct lamp *lamp_new(void);
void lamp_free(struct lamp *l);
/* Switches it; returns what it is now. */
const char *lamp_switch(struct lamp *l);
SRC
cat >lamp.c <<'SRC'
#include "lamp.h"
#include <pthread.h>
#include <stdlib.h>
struct lamp {
    pthread_mutex_t lock;
    int on;
};
struct lamp *
lamp_new(void)
{
    struct lamp *l = calloc(1, sizeof *l);

    pthread_mutex_init(&l->lock, NULL);
    return l;
}
void
lamp_free(struct lamp *l)
{
    pthread_mutex_destroy(&l->lock);
    free(l);
}
const char *
lamp_switch(struct lamp *l)
{
    int on;

    pthread_mutex_lock(&l->lock);
    on = !l->on;
#ifdef BUG
    pthread_mutex_unlock(&l->lock);
    pthread_mutex_lock(&l->lock);
#endif
    l->on = on;
    pthread_mutex_unlock(&l->lock);
    return on ? "on" : "off";
}
SRC
cat >lamp_seed.c <<'SRC'
#include "lamp.h"
int
main(void)
{
    struct lamp *l = lamp_new();

    lamp_switch(l);
    lamp_free(l);
    return 0;
}
SRC
run 1 "$BURL" synth --json --dir=lamp lamp.h -- lamp.c lamp_seed.c -DBUG
jq -e '[.findings[].kind] == ["atomicity.non-linearisable"]' out >/dev/null || fail "$(jq -c '[.findings[].kind]' out)"
for cc in gcc clang-19; do
    $cc -std=c11 -Wall -Wextra -Werror -I. lamp/findings/1/test.c lamp.c -o plain -pthread ||
        fail "$cc does not take the test"
done
./plain || fail "the corrected API fails its test"
run 1 "$BURL" replay --dir=lamp 1
run 0 "$BURL" synth --dir=fine lamp.h -- lamp.c lamp_seed.c
