#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a program whose executions are longer than the default of --max-steps is tested all the same.
#   After the first executions only sites that conflict are scheduling points: the bug at atomic
#   accesses and the race between the long stretches are found and replay exactly. Nothing is claimed to
#   be explored on such points; a limit that the user gave is not raised; what has no end is said to
#   be longer than the limits.
# BURL-TIMEOUT: 300
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >long.c <<'EOC'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#define N 20000
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *blocks[2];
static int taken, plain;
static atomic_int hits;
static void *work(void *arg)
{
    int *b;
    (void)arg;
    pthread_mutex_lock(&m);
    b = blocks[taken++];
    pthread_mutex_unlock(&m);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 1; i < N; i++)
            b[i] += b[i - 1] + r;
#ifdef RACE
    plain = b[1];
#endif
#ifdef LOST
    atomic_store(&hits, atomic_load(&hits) + 1);
#else
    atomic_fetch_add(&hits, 1);
#endif
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        blocks[i] = calloc(N, sizeof(int));
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(hits == 2);
    for (int i = 0; i < 2; i++)
        free(blocks[i]);
    return plain < 0;
}
EOC
for kind in LOST RACE FINE; do
    "$BURL" cc -g -O1 -D$kind -DROUNDS=12 long.c -o $kind -lpthread || fail "cannot build $kind"
done
"$BURL" cc -g -O1 -DROUNDS=1000000 long.c -o endless -lpthread || fail "cannot build endless"

run 1 "$BURL" test --seed=1 --no-minimize --runs=10 --json ./LOST
[ "$(jq -r '.findings[0].kind' out)" = crash.abort ] || fail "kind $(jq -c '[.findings[].kind]' out)"
[ "$(jq .point_sites out)" -lt "$(jq .shared_sites out)" ] || fail "points were not reduced"
run 1 "$BURL" replay 1
run 1 "$BURL" test --seed=1 --no-minimize --runs=3 --dir=r --json ./RACE
[ "$(jq -r '.findings[0].kind' out)" = race.data ] || fail "kind $(jq -c '[.findings[].kind]' out)"
run 1 "$BURL" replay --dir=r 1
run 0 "$BURL" test --seed=1 --runs=3 --dir=f --json ./FINE
[ "$(jq .search.complete out)" = false ] || fail "a proof on reduced points"
[ "$(jq -r .end out)" = runs ] || fail "the end is $(jq .end out)"
run 3 "$BURL" test --fresh --dir=f --runs=3 --max-steps=100000 ./FINE
has out "no execution of ./FINE ended: each was longer than --max-steps=100000"
# The limit grows with the time that there is; a loaded machine needs some of it for the first limit.
run 3 "$BURL" test --fresh --dir=f --time=$((4 * ${BURL_TEST_SLOW:-1}))s ./endless
grep -qE 'ended: each was longer than --max-steps=[0-9]{8}' out || fail "the limit: $(cat out)"
