#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: a finding says how many schedules were tried until it showed, the same whatever the number
#   of jobs, counted without repetitions; --stop-at-failure goes past races and ends at a failure.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

build() {
    "$BURL" cc -g -O1 "$1" -o "$2" -lpthread || fail "cannot build $2"
}

# The value of the race is looked at only in an assertion that a lost update breaks.
cat >racy.c <<'EOF'
#include <assert.h>
#include <pthread.h>
static int n;
static void *
add(void *arg)
{
    (void)arg;
    n++;
    return 0;
}
int
main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(n == 2);
    return 0;
}
EOF
# Nothing but a race.
sed '/assert(n == 2)/d' racy.c >harmless.c
build racy.c racy
build harmless.c harmless

for seed in 1 2 3; do
    for jobs in 1 3; do
        rm -rf .burl
        "$BURL" test --json --seed=$seed --jobs=$jobs --runs=2000 --stop-at-failure ./racy >out.json
        [ $? -eq 1 ] || fail "nothing found"
        holds '.end == "first finding" and ([.findings[].kind] | index("crash.abort"))' \
            "--stop-at-failure did not end at the assertion"
        holds '.schedules >= ([.findings[].found_after] | max) and .executions < 2000' \
            "more was tried than needed, or less than was counted"
        holds '[.findings[] | .found_after >= 1 and .found_ms >= 0 and .detail.found_after == .found_after] | all' \
            "found_after is missing"
        jq -c '[.findings[] | [.kind, .found_after]]' out.json >now
        [ $jobs = 1 ] && cp now one
        cmp one now || fail "seed $seed: another schedule with $jobs jobs"
    done
done
n=$(jq '.findings[0].found_execution' out.json)
tr -s ' \n' '  ' <.burl/findings/1/report.txt | grep -q "after $n execution" || fail "the report does not say when"

# A race alone does not end it; --stop-at-first does.
"$BURL" test --json --runs=200 --stop-at-failure --dir=a ./harmless >out.json
holds '.exit == 1 and .end == "explored" and .search.complete and .executions > (.findings[0].found_after)' "a race ended it"
"$BURL" test --json --runs=200 --stop-at-first --dir=b ./harmless >out.json
holds '.exit == 1 and .end == "first finding" and .executions < 200' "--stop-at-first did not end it"

# Repetitions are not counted: each schedule twice, and still as many schedules.
"$BURL" test --json --runs=300 --check-determinism --detect=none --dir=c ./racy >out.json
holds '.executions > .schedules and .schedules >= .executions / 2 - 20' "repetitions were counted"
exit 0
