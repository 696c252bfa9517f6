#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# A race is one finding for each variable: whatever the seed, whichever pair of places was met first,
# and whether the places name the variable or follow a pointer to it. The report has both accesses
# with stacks and locks, the memory, and what happens in either order; show, findings and replay
# know it.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >shop.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
struct queue { int head; int count; };
static int served;
static struct queue *q;
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static void bump(int *p) { *p += 1; }
static void enter(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void *
clerk(void *arg)
{
    bump(&served);
    enter(&door);
    q->count++;
    pthread_mutex_unlock(&door);
    return arg;
}
static void *
guest(void *arg)
{
    struct queue *mine = arg;
    int n = mine->count;
    if (n > 1)
        served = 0;
    return NULL;
}
int
main(void)
{
    pthread_t t[3];
    q = calloc(1, sizeof *q);
    q->head = 1;
    pthread_create(&t[0], NULL, clerk, NULL);
    pthread_create(&t[1], NULL, clerk, NULL);
    pthread_create(&t[2], NULL, guest, q);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
"$BURL" cc -g -O1 shop.c -o shop -lpthread || fail "cannot build shop.c"

prints() { # seed: the fingerprints of all findings, sorted
    rm -rf .burl
    "$BURL" test --runs=400 --seed="$1" ./shop >out."$1" 2>&1
    [ $? -eq 1 ] || fail "seed $1: $(cat out."$1")"
    cat .burl/findings/*/finding.json | sed -n 's/^  "fingerprint": "\(.*\)",/\1/p' | sort
}

prints 0 >want
[ "$(wc -l <want)" -eq 2 ] || fail "two variables race, found: $(grep -A1 '^finding' out.0)"
for seed in 1 2 3 4 5 6 7 8 9; do
    prints $seed >got
    cmp -s want got || fail "seed $seed has other fingerprints: $(cat want got out.$seed)"
done
sort -u want | cmp -s - want || fail "two findings of one fingerprint"
cat .burl/findings/*/finding.json | grep -q '"cause": "race.data global served"' ||
    fail "the global is not known by its symbol"
cat .burl/findings/*/finding.json | grep -q '"cause": "race.data heap main calloc#1 count"' ||
    fail "the heap block is not known by its allocation"

# The report of the global: the name although one side has a pointer only, all pairs, both orders.
report() { # variable: its whole report
    for f in .burl/findings/*; do
        grep -q "data race on $1 " "$f/report.txt" && "$BURL" show -v "$(basename "$f")"
    done
}
report served >served.txt
for text in 'data race on served (global, 4 bytes)' 'the two accesses' 'no lock held' \
    '#1  clerk *shop.c:12' 'created by T0 at shop.c:3[3-5]' 'the global variable served (4 bytes' \
    'how the two orders end' 'also on this variable' 'replay it: burl replay'; do
    grep -q "$text" served.txt || fail "the report lacks \"$text\": $(cat served.txt)"
done
report 'mine->count' >count.txt
for text in 'data race on mine->count (heap, 4 bytes)' 'writes q->count' 'no common lock' \
    'holds door, taken at shop.c:8' 'holds no lock' 'the heap block (8 bytes' \
    'allocated by T0 main' '#0  main  shop.c:31'; do
    grep -q "$text" count.txt || fail "the report lacks \"$text\": $(cat count.txt)"
done

# The commands about findings.
"$BURL" findings >list 2>&1
[ "$(grep -c '^#[0-9].* race.data ' list)" -eq 2 ] || fail "findings: $(cat list)"
"$BURL" show 1 >shown 2>&1
grep -q '^finding 1: race.data' shown || fail "show: $(cat shown)"
"$BURL" replay 1 >again 2>&1
[ $? -eq 1 ] || fail "replay: $(cat again)"
grep -q 'reproduced exactly (same steps): race.data' again || fail "replay: $(cat again)"
[ "$(grep -c '^!' again)" -ge 2 ] || fail "the two accesses are not marked: $(cat again)"

# A free run knows the same variables: what it meets has the same fingerprints.
rm -rf .burl
"$BURL" run ./shop >free.out 2>&1
[ $? -eq 1 ] || fail "run: $(cat free.out)"
cat .burl/findings/*/finding.json | sed -n 's/^  "fingerprint": "\(.*\)",/\1/p' | sort >got
[ -s got ] || fail "run kept nothing: $(cat free.out)"
[ -z "$(comm -13 want got)" ] || fail "run has fingerprints of its own: $(cat want got free.out)"

# A name does not depend on the build: a line more above, the same bug.
{ echo '/* moved */'; cat shop.c; } >moved.c
"$BURL" cc -g -O1 moved.c -o shop -lpthread || fail "cannot build moved.c"
prints 0 >got
cmp -s want got || fail "an edit elsewhere gave other fingerprints: $(cat want got)"

# A marked region: named, one finding whichever of its variables was hit, silent when it is locked.
cat >region.c <<'SRC'
#include <burl/burl.h>
#include <pthread.h>
static int from = 100, to;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, all = PTHREAD_MUTEX_INITIALIZER;
static void
add(int *p, int n)
{
    pthread_mutex_lock(&m);
    *p += n;
    pthread_mutex_unlock(&m);
}
static int
get(int *p)
{
    int v;
    pthread_mutex_lock(&m);
    v = *p;
    pthread_mutex_unlock(&m);
    return v;
}
static void *
mover(void *arg)
{
    OUTER(lock);
    BURL_ATOMIC_BEGIN("transfer");
    add(&from, -10);
    add(&to, 10);
    BURL_ATOMIC_END();
    OUTER(unlock);
    return arg;
}
static void *
auditor(void *arg)
{
    int sum;
    OUTER(lock);
    sum = get(&from) + get(&to);
    OUTER(unlock);
    return sum < 0 ? arg : NULL;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_destroy(&all);
    return 0;
}
SRC
"$BURL" cc -g -O1 '-DOUTER(x)=(void)0' region.c -o region -lpthread || fail "cannot build region.c"
for seed in 0 1 2; do
    rm -rf .burl
    "$BURL" test --runs=1000 --seed=$seed ./region >out 2>&1
    [ $? -eq 1 ] || fail "region: $(cat out)"
    [ "$(grep -c '^finding .*: atomicity.region' out)" -eq 1 ] || fail "region: $(cat out)"
    grep -q 'atomicity violation in region transfer of T1 mover: T2 auditor reads' out ||
        fail "region: $(cat out)"
    grep -q '"cause": "atomicity.region transfer"' .burl/findings/1/finding.json ||
        fail "region: $(cat .burl/findings/1/finding.json)"
done
"$BURL" replay 1 >again 2>&1
[ $? -eq 1 ] || fail "replay of the region: $(cat again)"
"$BURL" cc -g -O1 '-DOUTER(x)=pthread_mutex_##x(&all)' region.c -o region -lpthread ||
    fail "cannot build region.c"
rm -rf .burl
"$BURL" test --runs=1000 ./region >out 2>&1 || fail "a locked region is reported: $(cat out)"
echo ok
