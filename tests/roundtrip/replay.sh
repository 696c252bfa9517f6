#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 900
#
# A cross-section of must_find, one program per shape of bug, as a user meets it: hunted with the
# default engine, and every command that `burl test` prints for repeating a finding is run as it
# stands. Each must show the finding again with the recorded trace, leave its schedule as it was, and
# do so for all findings of the store. Twenty replays of every finding of every program, and the
# other engine's, are part of must_find itself (tests/run).
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

mkdir bin
ln -s "$BURL" bin/burl
PATH=$PWD/bin:$PATH
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
    burl $cc $flags "$src" -o prog -lpthread || fail "cannot build $p"
    # shellcheck disable=SC2086
    burl test ${args:---runs=1000} ./prog >shown 2>err
    got=$?
    [ $got -eq 1 ] || fail "$p: exit code $got: $(cat err)"
    sed -n 's/^ *replay it: \(burl replay [0-9][0-9]*\)$/\1/p' shown >commands
    # What is listed below a finding, as of the same cause, has no report here.
    sed -n 's/^        #\([0-9][0-9]*\) .*/burl replay \1/p' shown >>commands
    sort -u commands -o commands
    n=$(wc -l <commands)
    [ "$n" -gt 0 ] || fail "$p: no command to replay is printed"
    [ "$n" = "$(find .burl/findings -name finding.json | wc -l)" ] ||
        fail "$p: $n commands, and another number of findings in the store"
    cat .burl/findings/*/schedule.txt >before
    while read -r command; do
        # --json only adds what there is to compare.
        $command --json >replay.json </dev/null
        got=$?
        [ $got -eq 1 ] || fail "$p: $command ended with $got"
        cat replay.json >>all.json
        echo "$p: $command"
    done <commands
    cat .burl/findings/*/schedule.txt | cmp -s - before || fail "$p: replaying changed a schedule"
    n_findings=$((n_findings + n))
done
exact=$(jq -s '[.[] | select(.times == 1 and .same == 1 and .exact == 1 and .diverged == 0
    and .verdict == .expected and .trace_hash == .expected_trace_hash)] | length' all.json)
[ "$exact" = $n_findings ] || fail "$exact of $n_findings replays were exact"
echo "$n_findings findings"
[ $n_findings -ge 15 ]
