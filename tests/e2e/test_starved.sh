#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: one racy variable must not starve the search, nor fill the report: a counter that is
#   touched at two hundred places is one finding, costs few further executions, hides no other race,
#   and the search keeps at least a third of the speed that it has without detectors.
# BURL-TIMEOUT: 300
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

if nm -D "$BURL" 2>/dev/null | grep -q __asan_init; then
    echo "the sanitizer makes the host, and with it the detectors, thirty times as slow"
    exit 77
fi

{
    echo '#include <pthread.h>'
    echo 'static int counter, other, sum;'
    echo 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;'
    echo 'static void step(int k) { switch (k) {'
    for ((i = 0; i < 200; i++)); do
        printf 'case %d:\n    counter++;\n    break;\n' $i
    done
    cat <<'SRC'
} }
static void *work(void *a)
{
    long b = (long)a;
    for (int i = 0; i < 200; i++) {
        step((int)((i * 7 + b * 31) % 200));
        if (i % 20 == 0) {
            pthread_mutex_lock(&m);
            sum++;
            pthread_mutex_unlock(&m);
        }
    }
    if (b == 2)
        other = 1;
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    other = 2;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
} >many.c
"$BURL" cc -g -O0 many.c -o many -pthread || fail "cannot build"

"$BURL" test --json --runs=1500 --seed=1 --jobs=1 --dir=a ./many >a.json
[ $? -eq 1 ] || fail "no finding"
[ "$(jq -c '[.findings[].detail.cause] | sort' a.json)" = '["race.data global counter","race.data global other"]' ] ||
    fail "not one finding for each variable: $(jq -c '[.findings[].detail.cause]' a.json)"
extra=$(jq .extra_executions a.json)
[ "$extra" -lt 700 ] || fail "$extra executions beside those that explore"
[ "$(wc -c <a.json)" -lt 400000 ] || fail "the JSON has $(wc -c <a.json) bytes"
jq -e '(.suspects | length) <= 300 and .suspects_left_out >= 0' a.json >/dev/null || fail "suspects are not bounded"
# The finding goes on being counted, and the same campaign has the same result.
[ "$(jq '[.findings[].count] | max' a.json)" -gt 20 ] || fail "the finding was not counted"
"$BURL" test --json --runs=1500 --seed=1 --jobs=3 --dir=b ./many >b.json
for f in a b; do
    jq -c '[.executions, .steps, [.findings[] | [.detail.cause, .found_after]]]' $f.json >$f.facts
done
cmp a.facts b.facts || fail "another result with three jobs"

# The same number of executions each, in milliseconds of processor time of all processes: the
# machine may do other things. The two take turns, and the best of three counts.
cpu() { # executions, options...
    local TIMEFORMAT='%U %S' n=$1
    shift
    rm -rf rate.store
    { time "$BURL" test --json --jobs=1 --seed=1 --runs="$n" --dir=rate.store "$@" >rate.json 2>/dev/null; } \
        2>rate.time
    [ "$(jq .executions rate.json)" -ge "$n" ] || fail "$*: $(jq .executions rate.json) executions"
    tail -1 rate.time | awk '{ printf "%d\n", ($1 + $2) * 1000 }'
}
"$BURL" cc -g -O1 -DN=100 "$BURL_TEST_ROOT/bench/search/reorder.c" -o reorder -pthread || fail "cannot build reorder"
for name in many:8000 reorder:4000; do
    program=./${name%:*} with=0 without=0
    for try in 1 2 3; do
        ms=$(cpu "${name#*:}" "$program") || fail "$ms"
        [ $try -gt 1 ] && [ "$ms" -ge "$with" ] || with=$ms
        ms=$(cpu "${name#*:}" --detect=none --no-minimize "$program") || fail "$ms"
        [ $try -gt 1 ] && [ "$ms" -ge "$without" ] || without=$ms
    done
    echo "$name: $with ms with detectors, $without ms without"
    [ "$with" -le $((without * 3)) ] || fail "$name: detectors leave less than a third of the speed"
done
exit 0
