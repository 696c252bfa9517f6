#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Functions that give up when another thread holds their lock, without "try" in their names or comments.
# Such a result belongs to no order of the calls and is no finding, whatever the kind of lock; the same
# functions with a lost update, where nothing gives up, are one. "not weak" has all results compared.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
cat >safe.h <<'SRC'
struct safe;
struct safe *safe_new(void);
void safe_free(struct safe *s);
/* 0: added, 2: another thread is adding. */
int safe_add(struct safe *s, int coins);
int safe_sum(struct safe *s);
SRC
cat >safe.c <<'SRC'
#define _GNU_SOURCE
#include "safe.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <threads.h>
#include <time.h>
#if defined SPIN
typedef pthread_spinlock_t lock_t;
#define INIT(m) pthread_spin_init(m, 0)
#define LOCK pthread_spin_lock
#define TRY pthread_spin_trylock
#define UNLOCK pthread_spin_unlock
#elif defined RW
typedef pthread_rwlock_t lock_t;
#define INIT(m) pthread_rwlock_init(m, NULL)
#define LOCK pthread_rwlock_wrlock
#define TRY pthread_rwlock_trywrlock
#define UNLOCK pthread_rwlock_unlock
#elif defined SEM
typedef sem_t lock_t;
#define INIT(m) sem_init(m, 0, 1)
#define LOCK sem_wait
#define TRY sem_trywait
#define UNLOCK sem_post
#elif defined C11
typedef mtx_t lock_t;
#define INIT(m) mtx_init(m, mtx_plain)
#define LOCK mtx_lock
#define TRY mtx_trylock
#define UNLOCK mtx_unlock
#else
typedef pthread_mutex_t lock_t;
#define INIT(m) pthread_mutex_init(m, NULL)
#define LOCK pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#ifdef TIMED
static int
TRY(pthread_mutex_t *m)
{
    struct timespec at;

    clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec = 0;
    return pthread_mutex_timedlock(m, &at);
}
#else
#define TRY pthread_mutex_trylock
#endif
#endif
struct safe {
    lock_t m;
    int coins;
};
struct safe *safe_new(void) { struct safe *s = calloc(1, sizeof *s); INIT(&s->m); return s; }
void safe_free(struct safe *s) { free(s); }
int
safe_add(struct safe *s, int coins)
{
#ifdef BUG
    int sum = safe_sum(s);

    LOCK(&s->m);
    s->coins = sum + coins;
#else
    if (TRY(&s->m) != 0)
        return 2;
    s->coins += coins;
#endif
    UNLOCK(&s->m);
    return 0;
}
int safe_sum(struct safe *s) { LOCK(&s->m); int n = s->coins; UNLOCK(&s->m); return n; }
SRC
cat >seed.c <<'SRC'
#include "safe.h"
int
main(void)
{
    struct safe *s = safe_new();
    int bad = safe_add(s, 3) != 0 || safe_add(s, 4) != 0 || safe_sum(s) != 7;

    safe_free(s);
    return bad;
}
SRC
for kind in MUTEX TIMED SPIN RW SEM C11; do
    run 0 "$BURL" gen --json --tests=40 --seed=1 safe.h -- safe.c -D$kind
    [ "$(jq .stats.not_decided out)" -gt 0 ] || fail "$kind: nothing ever gave up: the test shows nothing"
    run 1 "$BURL" gen --json --tests=40 --seed=1 safe.h -- safe.c -D$kind -DBUG
    [ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "$kind: another kind"
done
printf 'not weak safe_add\n' >strict.burl
run 1 "$BURL" gen --json --tests=40 --seed=1 --model-file=strict.burl safe.h -- safe.c
[ "$(jq -r '.findings[0].kind' out)" = atomicity.non-linearisable ] || fail "another kind"
run 0 "$BURL" gen --model --model-file=strict.burl safe.h -- safe.c
grep -q 'method safe_add: returns int, strict' out || fail "what was stated is not in the model"
cp out model.burl
run 0 "$BURL" gen --model --model-file=model.burl safe.h -- safe.c
cmp -s out model.burl || fail "the printed model does not read back"

# An emitted test knows it as well: the search finds nothing in the correct API.
run 0 "$BURL" gen --json --tests=40 --seed=1 --emit-suite=suite safe.h -- safe.c
for t in suite/test_*.c; do
    "$BURL" cc -g -I. "$t" safe.c -o suite_test || fail "$t does not build"
    run 0 "$BURL" test --time=5s --dir=st ./suite_test
done

run 0 "$BURL" synth --time=30s safe.h -- safe.c seed.c
run 1 "$BURL" synth --time=30s safe.h -- safe.c -DBUG seed.c
grep -q 'safe_add: results match no sequential order' out || fail "synth: another finding"

# Words in comments, for locks of atomic operations, where the failing result is known.
cat >words.h <<'SRC'
#include <stdbool.h>
struct safe;
struct safe *safe_new(void);
void safe_free(struct safe *s);
/* False under contention: try again. */
bool safe_put(struct safe *s, int coins);
/* -1 when the safe is full: try again. */
int safe_fill(struct safe *s, int coins);
SRC
run 0 "$BURL" gen --model words.h
grep -q 'method safe_put: returns int, weak' out || fail "the words of a comment are not known"
grep -q 'method safe_fill: returns int$' out || fail "a function that gives a number is taken for weak"
