#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# A report states a cause only when the failure goes away without it, and shows the step that decided.
# Programs of bench/search and the classic form of one of them, many seeds, minimized or not.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

search=$BURL_TEST_ROOT/bench/search

# hunt PROGRAM SEED OPTIONS...: one finding that is no race, its file in $json.
hunt() {
    local program=$1 seed=$2
    shift 2
    rm -rf .burl
    "$BURL" test --seed="$seed" --runs=2000 --jobs=1 --stop-at-failure "$@" "./$program" >out 2>&1
    [ $? -eq 1 ] || fail "$program, seed $seed: nothing found: $(tail -5 out)"
    json=$(grep -lE '"kind": "(crash|deadlock|memory|hang)' .burl/findings/*/finding.json | head -1)
    [ -n "$json" ] || fail "$program, seed $seed: only races: $(tail -5 out)"
}

# Everything the check reads was written by main before it made a thread. That is never the cause,
# wherever main happens to be stopped; and the sum is wrong in either order.
cat >account.c <<'SRC'
#include <assert.h>
#include <pthread.h>
static int x, y, z, balance;
static _Bool deposited, withdrawn;
static pthread_mutex_t m;
static void *
deposit(void *arg)
{
    pthread_mutex_lock(&m);
    balance = balance + y;
    deposited = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *
withdraw(void *arg)
{
    pthread_mutex_lock(&m);
    balance = balance - z;
    withdrawn = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *
check(void *arg)
{
    pthread_mutex_lock(&m);
    if (deposited && withdrawn)
        assert(balance == (x - y) - z);
    pthread_mutex_unlock(&m);
    return arg;
}
int
main(void)
{
    pthread_t t[3];
    pthread_mutex_init(&m, 0);
    x = 1;
    y = 2;
    z = 4;
    balance = x;
    pthread_create(&t[0], 0, check, 0);
    pthread_create(&t[1], 0, deposit, 0);
    pthread_create(&t[2], 0, withdraw, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
SRC
"$BURL" cc -g -O1 account.c -o account -lpthread || fail "cannot build account.c"
"$BURL" cc -g -O1 "$search/account.c" -o account_locked -lpthread || fail "cannot build bench/search"
for seed in 1 2 3 4 5 6 7 8 9 10; do
    for how in "" --no-minimize; do
        for program in account account_locked; do
            # shellcheck disable=SC2086
            hunt $program $seed $how
            ! grep -q "main's write" "$json" ||
                fail "$program, seed $seed $how: $(grep sentence "$json")"
        done
    done
done

# Where one preemption is left, the sentence is about it, and a replay says the same. Where many
# threads did the same thing none of them is the cause.
for n in 20 50; do
    "$BURL" cc -g -O1 -DN=$n "$search/twostage.c" -o twostage -lpthread || fail "cannot build twostage"
    for seed in 1 2 3; do
        hunt twostage $seed
        words=$(sed -n 's/.*"sentence": "\([^"]*\)".*/\1/p' "$json")
        [[ $words =~ ^T$n\ reads\ first\ at\ line\ 52\ after\ T([0-9]+)\'s\ write\ at\ line\ 27,\ while\ T([0-9]+)\ is\ preempted\ at\ line\ 31$ ]] &&
            [ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ] || fail "twostage_$n, seed $seed: $words"
        "$BURL" replay 1 --json >replayed
        [ "$(jq -r .finding.pattern.sentence replayed)" = "$words" ] ||
            fail "twostage_$n, seed $seed: the replay says $(jq -r .finding.pattern.sentence replayed)"
    done
done

# The step that decides is in the report: the worker sees its new state, and its part before that is
# written, while the thread that gives it is preempted.
"$BURL" cc -g -O1 "$search/qsort_mt.c" -o qsort_mt -lpthread || fail "cannot build qsort_mt"
for seed in 1 2 3 4 5; do
    hunt qsort_mt $seed
    jq -e 'def at($s): [.steps[] | select(.type == "op" and .at.source == $s)] | length > 0;
        at("w->state = WORK;") and at("state = me->state;") and at("n = me->n;")' "$json" >/dev/null ||
        fail "qsort_mt, seed $seed: a deciding step is folded away: $(sed -n '/how it happened/,/at the end/p' out)"
done
exit 0
