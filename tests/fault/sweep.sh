#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/fault/sweep.sh - the n-th call that makes or changes a file fails, for n = 1, 2, ... until
# a run is untouched. Each time: no crash, the right exit code, a message, and a store that opens
# and still has what was there before.
set -u

fail() { echo "FAILED: n=$n: $*"; exit 1; }

n=0
cat >lost.c <<'SRC'
#include <assert.h>
#include <pthread.h>
static int n;
static void *
add(void *arg)
{
    n = n + 1;
    return arg;
}
int
main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, add, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    assert(n == 2);
    return 0;
}
SRC
"$BURL" cc -g lost.c -o lost -lpthread || fail "burl cc"
cc -std=c11 -D_GNU_SOURCE -O1 -shared -fPIC "$BURL_TEST_ROOT/tests/support/failn.c" -o failn.so -ldl ||
    fail "cannot build failn.so"
# The sanitizers insist on being the first library.
if nm -D "$BURL" 2>/dev/null | grep -q __asan_init; then
    echo "the preloaded library cannot come before the sanitizer's"
    exit 77
fi
exe=$(readlink -f "$BURL")

# A store with one finding of another program, which no failure may lose.
sed 's/n == 2/n == 2 \&\& "other"/' lost.c >other.c
"$BURL" cc -g other.c -o other -lpthread || fail "burl cc"
"$BURL" test --detect=none --runs=500 --stop-at-first --dir=good ./other >/dev/null 2>&1
[ $? -eq 1 ] || fail "the first campaign found nothing"

# Every third call here, every one with BURL_SWEEP_STEP=1; the two errors start at different ones.
step=${BURL_SWEEP_STEP:-3}
first=0
for errno in 28 5; do # ENOSPC, EIO
    first=$((first + 1))
    for ((n = first; ; n += step)); do
        [ $n -lt 2000 ] || fail "no run is ever untouched"
        rm -rf store reached
        cp -r good store
        LD_PRELOAD=$PWD/failn.so BURL_FAILN=$n BURL_FAILN_EXE=$exe BURL_FAILN_ERRNO=$errno \
            BURL_FAILN_LOG=$PWD/reached \
            timeout 60 "$BURL" test --detect=none --runs=200 --jobs=1 --stop-at-first --dir=store ./lost \
            >out 2>err
        code=$?
        if [ -e reached ]; then
            case $code in
                0 | 1 | 3) ;;
                *) fail "exit code $code: $(tail -n 3 err)" ;;
            esac
            [ $code -ne 3 ] || [ -s err ] || fail "failed without a message"
        fi
        "$BURL" findings --json --dir=store >list.json 2>err2
        [ $? -eq 1 ] || fail "the store does not open afterwards: $(cat err2)"
        have=$(grep -c '^      "id": ' list.json) # not jq: it takes longer than the campaign
        [ "$have" -ge 1 ] || fail "the finding that was there is lost"
        # What was told was kept: exit code 1 says that the campaign had a finding.
        [ $code -ne 1 ] || [ "$have" -ge 2 ] || fail "exit code 1, but the finding is not in the store"
        [ -e reached ] || break
    done
    [ $code -eq 1 ] || fail "an untouched run ended with $code: $(cat err)"
    echo "errno $errno: $n runs"
    # Opening, locking and writing a store takes many calls: fewer means that nothing failed.
    [ $n -gt 20 ] || fail "the failures did not engage"
done
exit 0
