#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 900
#
# Every finding of a cross-section of must_find, one program per shape of bug: replayed 20 times in
# fresh processes, each time with the recorded trace hash, and once with the other engine.
set -u

fail() {
    echo "FAILED: $*"
    exit 1
}

programs="lost_update ab_ba lost_wakeup if_not_while check_then_act refcount_double_free
    unjoined_free sem_missing_post barrier_wrong_count rwlock_upgrade spin_flag_lost
    unlock_foreign c11_lost_update cpp_shared_ptr timedwait_as_success"
n_findings=0
for p in $programs; do
    src=$BURL_TEST_ROOT/tests/must_find/$p.c
    cc=cc
    [ -e "$src" ] || { src=${src%.c}.cpp; cc=c++; }
    [ -e "$src" ] || fail "$p is gone from must_find"
    flags=$(sed -n 's/^.*BURL-CFLAGS: *//p' "$src" | sed 's/ *\*\/.*//')
    args=$(sed -n 's/^.*BURL-ARGS: *//p' "$src" | sed 's/ *\*\/.*//')
    rm -rf .burl
    # shellcheck disable=SC2086
    "$BURL" $cc $flags "$src" -o prog -lpthread || fail "cannot build $p"
    # shellcheck disable=SC2086
    "$BURL" test --json ${args:---runs=1000} ./prog >out.json 2>err || [ $? -eq 1 ] ||
        fail "$p: $(cat err)"
    ids=$(jq -r '.findings[].id' out.json)
    [ -n "$ids" ] || fail "$p: nothing found"
    for id in $ids; do
        "$BURL" replay --json --times=20 "$id" >replay.json
        got=$?
        [ $got -eq 1 ] || fail "$p: replay of $id ended with $got"
        jq -e '.times == 20 and .same == 20 and .exact == 20 and .diverged == 0
               and .trace_hash == .expected_trace_hash' replay.json >/dev/null ||
            fail "$p: $(jq -c '{times, same, exact, diverged}' replay.json)"
        kind=$(jq -r .verdict replay.json)
        "$BURL" replay --json --engine=threads "$id" >threads.json
        got=$?
        [ $got -eq 1 ] || fail "$p: with real threads replay of $id ended with $got"
        jq -e '.same == 1' threads.json >/dev/null ||
            fail "$p: with real threads: $(jq -c '{same, exact, verdict}' threads.json)"
        echo "$p: finding $id, $kind: 20 of 20"
        n_findings=$((n_findings + 1))
    done
done
echo "$n_findings findings"
[ $n_findings -ge 15 ]
