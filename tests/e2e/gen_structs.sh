#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Results that are structs of numbers are compared without their padding, and tell the final state. A
# field that the API does not set is no result. Structs with pointers, unions and bit-fields are ignored.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
cat >spot.h <<'SRC'
#include <stdbool.h>
struct spot;
struct at {
    char zone;
    long x;
    struct {
        short low;
        double high;
    } y[2];
};
struct named { const char *name; int n; };
struct bits { int a : 3; };
struct either { union { int i; float f; } u; };
typedef struct { bool found; int where; } hit_t;
struct spot *spot_new(void);
void spot_free(struct spot *s);
struct at spot_read(const struct spot *s);
void spot_move(struct spot *s, int by);
/* `where` is set only if it was found. */
hit_t spot_find(struct spot *s, int x);
struct named spot_name(const struct spot *s);
struct bits spot_bits(const struct spot *s);
struct either spot_either(const struct spot *s);
SRC
cat >spot.c <<'SRC'
#include "spot.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct spot {
    pthread_mutex_t m;
    struct at at;
};
static void lock(const struct spot *s) { pthread_mutex_lock((pthread_mutex_t *)&s->m); }
static void unlock(const struct spot *s) { pthread_mutex_unlock((pthread_mutex_t *)&s->m); }
struct spot *spot_new(void) { struct spot *s = calloc(1, sizeof *s); pthread_mutex_init(&s->m, NULL); return s; }
void spot_free(struct spot *s) { free(s); }
static struct at
dirty(int with)
{
    struct at a;

    memset(&a, with, sizeof a);
    return a;
}
/* Padding differs from call to call. */
struct at
spot_read(const struct spot *s)
{
    static __thread int n;
    struct at a = dirty(++n + (int)(long)&a);

    lock(s);
    a.zone = s->at.zone;
    a.x = s->at.x;
#ifdef TORN
    unlock(s);
    lock(s);
#endif
    for (int i = 0; i < 2; i++) {
        a.y[i].low = s->at.y[i].low;
        a.y[i].high = s->at.y[i].high;
    }
    unlock(s);
    return a;
}
void
spot_move(struct spot *s, int by)
{
    long x;

    lock(s);
    x = s->at.x + by;
#ifdef LOST
    unlock(s);
    lock(s);
#endif
    s->at.x = x;
    s->at.y[1].high += by;
    unlock(s);
}
hit_t
spot_find(struct spot *s, int x)
{
    hit_t h;

    lock(s);
    h.found = s->at.x == x;
    if (h.found)
        h.where = x;
    unlock(s);
    return h;
}
struct named spot_name(const struct spot *s) { (void)s; return (struct named){ "spot", 1 }; }
struct bits spot_bits(const struct spot *s) { (void)s; return (struct bits){ 1 }; }
struct either spot_either(const struct spot *s) { (void)s; return (struct either){ { 1 } }; }
SRC
run 0 "$BURL" gen --model spot.h -- spot.c
grep -q 'method spot_read: returns struct, readonly, dump' out || fail "a struct of numbers is not compared"
grep -q 'method spot_find: returns struct' out || fail "nor one that has no tag"
for f in name bits either; do
    grep -q "method spot_$f: returns ignored" out || fail "spot_$f is not ignored"
done
cp out model.burl
run 0 "$BURL" gen --model --model-file=model.burl spot.h -- spot.c
cmp -s out model.burl || fail "the printed model does not read back"
run 2 "$BURL" gen --model --model-file=<(echo 'method spot_name: returns struct') spot.h -- spot.c

run 0 "$BURL" gen --json --tests=150 --seed=1 --emit-suite=suite spot.h -- spot.c
for t in suite/test_*.c; do
    "$BURL" cc -g -I. "$t" spot.c -o suite_test || fail "$t does not build"
    run 0 "$BURL" test --time=3s --dir=st ./suite_test
done
printf 'skip spot_find\n' >two.burl
for bug in TORN LOST; do
    run 1 "$BURL" gen --json --tests=150 --seed=1 --model-file=two.burl spot.h -- spot.c -D$bug
    [ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "$bug: another kind"
done
