#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# --check-determinism names the first step at which a program differs from itself under one
# schedule, and says nothing against a program that does not.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >prog.c <<'EOF'
#include <pthread.h>
#include <stddef.h>
#include <x86intrin.h>
static int a, b, dice;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *
work(void *arg)
{
    pthread_mutex_lock(&m);
    if (dice && (__rdtsc() >> 4) % 2)
        a++; /* chance */
    else
        b++; /* or not */
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(int argc, char **argv)
{
    pthread_t x, y;
    (void)argv;
    dice = argc > 1;
    pthread_create(&x, NULL, work, NULL);
    pthread_create(&y, NULL, work, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    return 0;
}
EOF
"$BURL" cc -g -O0 prog.c -o prog -lpthread || fail "cannot build"
"$BURL" test --check-determinism --runs=400 ./prog >out 2>err
[ $? -eq 0 ] || fail "a deterministic program: $(cat out err)"
grep -q "the same way twice" out || fail "nothing is said about a deterministic program"
# Chance may strike before either variable is known to be shared; then its accesses are no steps, and
# a later step is the first that differs. Another seed has another chance.
named=no
for seed in 1 2 3 4; do
    "$BURL" test --check-determinism --runs=400 --seed=$seed --dir=dice$seed ./prog dice >out 2>err
    got=$?
    cat out
    [ $got -eq 4 ] || fail "a program that throws dice: exit code $got, expected 4"
    grep -q "same schedule: .*prog.c:" out || fail "no step is named"
    grep -q "prog.c:1[13]" out && { named=yes; break; }
done
[ $named = yes ] || fail "the step is not named"
# Without the check: dice are noticed by the self-check, no finding is claimed.
"$BURL" test --runs=400 --dir=dice0 ./prog dice >out 2>err
[ $? -eq 0 ] || fail "dice are not a finding: $(cat out err)"
exit 0
