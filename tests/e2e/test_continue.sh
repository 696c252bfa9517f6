#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What was begun is gone on with: enumerations in the next campaign, also after Ctrl-C. What they say
# to have tried is what all campaigns together have.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >small.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *arg)
{
    pthread_mutex_lock(&lock);
    x++;
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(x == 2);
    return 0;
}
END
build small

# ---- enumerations
# at DIR STRATEGY: how far it is, "bound next complete".
at() {
    sqlite3 "$1/burl.db" "SELECT state FROM programs" |
        jq -r --arg s "$2" '.enumerations[] | select(.strategy == $s) | "\(.bound) \(.next) \(.complete)"'
}
# further BEFORE AFTER: it has gone on.
further() {
    set -- $1 $2
    [ $# -eq 6 ] && [ $(($1 * 1000000 + $2)) -lt $(($4 * 1000000 + $5)) ] || fail "not further: $*"
}
for strategy in delay preemption; do
    run 0 "$BURL" test --strategy=$strategy --runs=300 --dir=whole ./small
    for runs in 100 57 145; do # each has one execution that is no part of it
        run 0 "$BURL" test --strategy=$strategy --runs=$runs --dir=parts ./small
    done
    [ -n "$(at whole $strategy)" ] && [ "$(at whole $strategy)" = "$(at parts $strategy)" ] ||
        fail "$strategy: $(at whole $strategy) in one campaign, $(at parts $strategy) in three"
    rm -rf whole parts
done
run 0 "$BURL" test --strategy=delay --runs=100 --dir=d ./small
has out "all schedules with at most 1 delay were tried"
run 0 "$BURL" test --strategy=delay --runs=100 --dir=d ./small
has out "all schedules with at most 2 delays were tried"
# Another strategy in between does no harm, and other bounds on steps are another enumeration.
before=$(at d delay)
run 0 "$BURL" test --strategy=random --runs=50 --dir=d ./small
[ "$(at d delay)" = "$before" ] || fail "forgotten: $before, $(at d delay)"
run 0 "$BURL" test --strategy=delay --runs=30 --max-steps=5000 --dir=d ./small
hasnt out "delays were tried"
# Ctrl-C keeps what was tried.
"$BURL" test --strategy=delay --time=60s --dir=d ./small >out 2>&1 &
pid=$!
sleep 1
kill -TERM $pid # a shell lets background jobs ignore SIGINT; both end a campaign alike
wait $pid
has out "interrupted"
before=$(at d delay)
[ "${before%% *}" -gt 1 ] || fail "Ctrl-C: $before"
run 0 "$BURL" test --strategy=delay --runs=31 --max-steps=1000000 --dir=d ./small
further "$before" "$(at d delay)"
# The arms of the portfolio, too.
run 0 "$BURL" test --runs=400 --dir=p ./small
before=$(at p preemption)
run 0 "$BURL" test --runs=400 --dir=p ./small
further "$before" "$(at p preemption)"
