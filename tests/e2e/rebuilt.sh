#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/rebuilt.sh - a program that is rebuilt while burl tests it: results of two builds are
# never mixed.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/tune_lib.inc"

write_lost
build lost
build fixed -DFIXED
cp lost lost.old
cp fixed fixed.old

# A check that replaces the program at its 14th call: after the look, five plain runs and one
# evaluation, in the second one.
cat >swap.sh <<'S2'
n=$(cat runs 2>/dev/null || echo 0)
echo $((n + 1)) >runs
[ "$n" -ne 13 ] || { cp "$1" part && mv part fixed; }
S2
for jobs in 1 2; do
    rm -rf .burl fixed.noise runs
    cp fixed.old fixed
    want 3 './fixed was rebuilt while burl tested it' \
        "$BURL" tune --jobs=$jobs --strength=1 --evaluations=40 --check='sh swap.sh lost' ./fixed
    n=$(sqlite3 .burl/burl.db 'SELECT count(*) FROM tune_evaluations')
    [ "$n" -le 2 ] || fail "$n evaluations with --jobs=$jobs"
    sqlite3 .burl/burl.db 'SELECT sum(exits) FROM tune_evaluations' >sum
    grep -qx '0\|' sum || fail "failures of the other build were counted with --jobs=$jobs"
    [ "$(sqlite3 .burl/burl.db 'SELECT count(*) FROM findings')" = 0 ] ||
        fail "findings of the other build with --jobs=$jobs"
done
# With one job the first evaluation is kept, and the old build goes on with it.
rm -rf .burl runs
cp fixed.old fixed
run 3 "$BURL" tune --strength=1 --evaluations=40 --check='sh swap.sh lost' --json ./fixed
cp out out.json
holds '.exit == 3 and (.error | test("rebuilt")) and (.evaluations | length) == 1 and .findings == []' \
    "the document"
cp fixed.old fixed
run 0 "$BURL" tune --strength=1 --evaluations=2 --check='sh swap.sh lost' --json ./fixed
cp out out.json
holds '.resumed == 1' "the old build goes on"

# Not instrumented, or gone: the reason is the replacement.
cp /bin/true true
rm -rf .burl runs
want 3 'was replaced or removed while burl tested it' \
    "$BURL" tune --strength=1 --evaluations=40 --check='sh swap.sh true' ./fixed
rm -rf .burl runs
cp fixed.old fixed
want 3 'was replaced or removed while burl tested it' "$BURL" tune --strength=1 --evaluations=40 \
    --check='sh swap.sh lost; [ "$(cat runs)" -ne 14 ] || rm fixed' ./fixed

# The same content again is no other build.
rm -rf .burl runs
cp fixed.old fixed
run 0 "$BURL" tune --strength=1 --evaluations=4 --check='sh swap.sh fixed.old' ./fixed

# Free runs of burl test and burl cover, and processes of a campaign: the program replaces itself
# when it is started for the third time.
cat >self.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef NEW
__attribute__((constructor)) static void swap(void)
{
    int n = 0;
    FILE *f = fopen("starts", "r");
    if (f) {
        if (fscanf(f, "%d", &n) != 1)
            n = 0;
        fclose(f);
    }
    f = fopen("starts", "w");
    fprintf(f, "%d\n", ++n);
    fclose(f);
    if (n == 3)
        rename("self.new", "self");
}
#endif
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *arg) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return arg; }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
#ifdef NEW
    return 5;
#else
    return 0;
#endif
}
C
fresh() {
    rm -rf .burl starts
    "$BURL" cc -g -O1 -DNEW self.c -o self.new -lpthread && "$BURL" cc -g -O1 self.c -o self -lpthread ||
        fail "cannot build self"
}
fresh
want 3 'was rebuilt while burl tested it' "$BURL" test --engine=free --runs=20 ./self
[ "$(sqlite3 .burl/burl.db 'SELECT count(*) FROM findings')" = 0 ] || fail "a finding of the new build"
fresh
want 3 'was rebuilt while burl tested it' "$BURL" cover --engine=free --runs=20 ./self
fresh
want 3 'was rebuilt while burl tested it' "$BURL" test --jobs=3 --runs=3000 ./self
[ "$(sqlite3 .burl/burl.db 'SELECT count(*) FROM findings')" = 0 ] || fail "a finding of the new build"
