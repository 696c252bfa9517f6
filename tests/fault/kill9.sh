#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# kill -9 of burl at random moments: the store opens, every finding that was shown is in it with
# its files and replays, and no process of the program is left.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >bugs.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
static int a, b, c;
static pthread_mutex_t m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static void *
left(void *arg)
{
    a++;
    pthread_mutex_lock(&m1);
    pthread_mutex_lock(&m2);
    c++;
    pthread_mutex_unlock(&m2);
    pthread_mutex_unlock(&m1);
    b++;
    return arg;
}
static void *
right(void *arg)
{
    a++;
    pthread_mutex_lock(&m2);
    pthread_mutex_lock(&m1);
    c++;
    pthread_mutex_unlock(&m1);
    pthread_mutex_unlock(&m2);
    b++;
    return arg;
}
int
main(void)
{
    pthread_t x, y;
    pthread_create(&x, NULL, left, NULL);
    pthread_create(&y, NULL, right, NULL);
    pthread_join(x, NULL);
    pthread_join(y, NULL);
    assert(c == 2);
    if (b != 2)
        exit(4);
    assert(a == 2);
    return 0;
}
EOF
prog=bugs-$$
"$BURL" cc -g bugs.c -o $prog -lpthread || fail "cannot build"

seed=${BURL_UNIT_SEED:-$$}
RANDOM=$seed
echo "seed $seed"
for round in $(seq 1 12); do
    rm -rf .burl
    ms=$((RANDOM % 900 + 10))
    # --foreground: burl alone is killed, and not its process group.
    timeout --foreground -s KILL "$(printf '0.%03d' $ms)" \
        "$BURL" test --time=20s --seed=$round ./$prog >shown 2>err
    ids=$(sed -n 's/.*burl replay \([0-9][0-9]*\).*/\1/p' shown | sort -un)
    echo "round $round: killed after $ms ms, shown: $(echo $ids)"
    if [ ! -e .burl/burl.db ]; then
        [ -z "$ids" ] || fail "findings were shown but there is no store"
        continue
    fi
    "$BURL" findings --json >list.json
    [ $? -le 1 ] || fail "the store does not open"
    for id in $ids; do
        jq -e --argjson id "$id" '.findings[] | select(.id == $id)' list.json >/dev/null ||
            fail "finding $id was shown and is not in the store"
        jq -e . ".burl/findings/$id/finding.json" >/dev/null || fail "finding.json of $id is torn"
        "$BURL" replay --quiet "$id" >/dev/null
        [ $? -eq 1 ] || fail "finding $id does not replay"
    done
    # The next campaign takes over a store whose owner was killed.
    if [ $((round % 4)) -eq 0 ]; then
        "$BURL" test --runs=200 ./$prog >/dev/null 2>err
        [ $? -eq 1 ] || fail "the next campaign fails: $(cat err)"
    fi
done
# Not those of one moment: a process that lost its burl may start another before it exits.
await -t 5 . sh -c "! pgrep -x ${prog:0:15} >/dev/null" || fail "processes of the program are left"
exit 0
