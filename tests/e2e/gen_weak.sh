#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen` on functions that give up where others would wait. A try_push that fails because the lock
# was taken is as it should be, though no order of the calls has it; stated as "not weak" it is a
# finding, and so is a race beside it.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
cat >heap.h <<'SRC'
#include <stdbool.h>
struct heap;
struct heap *heap_new(void);
void heap_free(struct heap *q);
bool heap_try_push(struct heap *q, int v);
bool heap_try_pop(struct heap *q, int *v);
int heap_count(struct heap *q);
SRC
cat >heap.c <<'SRC'
#include "heap.h"
#include <pthread.h>
#include <stdlib.h>
struct heap {
    pthread_mutex_t m;
    int n, v[4];
};
struct heap *heap_new(void) { struct heap *q = calloc(1, sizeof *q); pthread_mutex_init(&q->m, NULL); return q; }
void heap_free(struct heap *q) { pthread_mutex_destroy(&q->m); free(q); }
bool
heap_try_push(struct heap *q, int v)
{
    bool room;

    if (pthread_mutex_trylock(&q->m) != 0)
        return false;
    room = q->n < 4;
    if (room)
        q->v[q->n++] = v;
    pthread_mutex_unlock(&q->m);
    return room;
}
bool
heap_try_pop(struct heap *q, int *v)
{
    bool some;

#ifdef BUG
    if (q->n == 0)
        return false;
#endif
    if (pthread_mutex_trylock(&q->m) != 0)
        return false;
    some = q->n > 0;
    if (some)
        *v = q->v[--q->n];
    pthread_mutex_unlock(&q->m);
    return some;
}
int heap_count(struct heap *q) { pthread_mutex_lock(&q->m); int n = q->n; pthread_mutex_unlock(&q->m); return n; }
SRC
run 0 "$BURL" gen --model heap.h -- heap.c
grep -q 'method heap_try_push: returns int, weak' out || fail "not taken for weak"
cp out model.burl
run 0 "$BURL" gen --model --model-file=model.burl heap.h -- heap.c
cmp -s out model.burl || fail "the printed model does not read back"

run 0 "$BURL" gen --json --tests=200 --seed=1 --emit-suite=suite heap.h -- heap.c
[ "$(jq .stats.not_decided out)" -gt 0 ] || fail "nothing ever failed: the test shows nothing"
grep -q 'may fail without reason' suite/test_1.c || fail "the suite counts such failures"
printf 'not weak heap_try_push\nnot weak heap_try_pop\n' >strong.burl
run 1 "$BURL" gen --json --tests=200 --seed=1 --model-file=strong.burl heap.h -- heap.c
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"
run 1 "$BURL" gen --json --tests=200 --seed=1 heap.h -- heap.c -DBUG
[ "$(jq -r '.findings[0].kind' out)" = race.data ] || fail "another kind"
