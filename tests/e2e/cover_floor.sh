#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# --fail-under: 0 when the floors are reached, 4 when one is not, 2 for what is no floor.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

write_queue
build queue
cat >branch.c <<'SRC'
#include <pthread.h>
#include <stdio.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *
run(void *a)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return a;
}
int
main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc > 1) {
        puts("one");
        puts(argv[1]);
        puts("three");
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build branch
run 0 "$BURL" cover --runs=100 --fail-under=LINE=50 ./branch
run 4 "$BURL" cover --runs=100 --fail-under=LINE=99 ./branch
has err "LINE is"
has err "below the threshold of 99 %"
# A floor given again is one more, not another.
run 4 "$BURL" cover --runs=10 --fail-under LINE=99 --fail-under LP=0 ./branch
has err "LINE is"
# The store decides as well.
run 4 "$BURL" cover report --fail-under=LINE=99 ./branch
run 0 "$BURL" cover report --fail-under=LINE=10 ./branch
# Merging counts: with an argument the rest of the lines runs.
run 0 "$BURL" cover --runs=100 --fail-under=LINE=99 ./branch two

run 0 "$BURL" cover --runs=2000 --fail-under=LP=20 ./queue
run 4 "$BURL" cover --runs=10 --fail-under=LP=100 ./queue
has err "LP is"
run 4 "$BURL" cover --runs=10 --no-target --fail-under=LP=1 ./queue
has err "cannot be checked: there is no target"

# The number that is shown is the number that counts, rounded down: a third is 33.3 and not 33.34.
cat >third.c <<'SRC'
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *
run(void *a)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return a;
}
int
main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, run, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
build third
run 0 "$BURL" cover --runs=100 --fail-under=LP=33.3 ./third
has out "33.3%"
run 4 "$BURL" cover report --fail-under=LP=33.33 ./third
has err "LP is 33.3 % (1 of 3), below the threshold of 33.33 %"

for bad in LP LP= LP=x LP=101 LP=-1 LP=nan =80 NOPE=3 DU=50 ,; do
    run 2 "$BURL" cover --runs=1 --metrics=all --fail-under="$bad" ./branch
    has err "--fail-under"
done
run 2 "$BURL" cover --runs=1 --metrics=DU --fail-under=LP=50 ./branch
has err "not measured"
exit 0
