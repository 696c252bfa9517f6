#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/test_long_turns.sh - threads that take turns so often that the same operations repeat for
# hundreds of thousands of steps: only loop counters, in registers, tell that it ends.
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >turns.c <<'SRC'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum { ROUNDS = 20000 };

static atomic_int wants[2];
static atomic_int turn;
static int inside;

static void *
work(void *arg)
{
    int me = arg != NULL;

    for (int i = 0; i < ROUNDS; i++) {
        atomic_store(&wants[me], 1);
        atomic_store(&turn, 1 - me);
        while (atomic_load(&wants[1 - me]) && atomic_load(&turn) == 1 - me)
            ;
        inside++;
        assert(inside == 1);
        inside--;
        atomic_store(&wants[me], 0);
    }
    return NULL;
}

int
main(void)
{
    pthread_t t[2];

    pthread_create(&t[0], NULL, work, NULL);
    pthread_create(&t[1], NULL, work, &turn);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 turns.c -o turns || fail "turns.c"
for strategy in pos random; do
    run 0 "$BURL" test --runs=1 --max-steps=2000000 --strategy=$strategy --no-minimize ./turns
    hasnt out 'livelock'
done
