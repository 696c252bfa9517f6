#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 300
#
# The counts of one report agree, whatever the search did to get there: races whose two orders were
# tried, failures confirmed and minimized, kept schedules run again, one job or several. A finding was
# found after no more executions than there were; it was seen as often in its own text as in the list;
# text, files and JSON have the same numbers.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

number() { # of "1,234"
    echo "${1//,/}"
}

# check_json WHAT
check_json() {
    jq -e '. as $d | [.findings[] | .found_execution <= $d.executions and .found_after <= $d.schedules
            and .found_execution <= .found_after and .count >= 1 and .count == .detail.count
            and .found_after == .detail.found_after and .found_execution == (.detail.found_execution // 0)
            and .count <= $d.executions + $d.extra_executions] | all' out.json >/dev/null ||
        fail "$1: $(jq -c '{executions, schedules, extra_executions, f: [.findings[]
            | {count, found_after, found_execution, d: .detail.count}]}' out.json)"
    jq -e '([.strategies[].executions] | add) == .executions and .failures <= .executions
            and ([.verdicts[]] | add) == .executions' out.json >/dev/null ||
        fail "$1: the sums: $(jq -c '{executions, failures, verdicts, strategies: [.strategies[].executions]}' out.json)"
    jq -r '.findings[] | [.id, .count, .found_execution] | @tsv' out.json >rows
}

# check_files WHAT: what is kept says what the JSON of the campaign says.
check_files() {
    local id count execution
    while IFS=$'\t' read -r id count execution; do
        "$BURL" show "$id" >shown
        tr -s ' \n' '  ' <shown | tr -d , >flat
        [ "$(jq .count .burl/findings/"$id"/finding.json)" = "$count" ] || fail "$1: finding.json"
        grep -q "seen $count time" flat || fail "$1: report.txt: $(grep -o 'seen [0-9]* time' flat), wanted $count"
        [ "$execution" = 0 ] || grep -q "after $execution execution" flat || fail "$1: not after $execution"
        [ "$("$BURL" findings --json | jq ".findings[] | select(.id == $id) | .count")" -ge "$count" ] ||
            fail "$1: the store has counted less"
    done <rows
}

# check_text WHAT: the text of the same campaign, made again in another store.
check_text() {
    local n id count execution
    n=$(number "$(sed -n 's/^\([0-9,]*\) executions* in .*/\1/p' out)")
    [ "$n" = "$(jq .executions out.json)" ] || fail "$1: $n executions in the text"
    tr -s ' \n' '  ' <out | tr -d , >flat
    for execution in $(grep -o 'after [0-9]* execution' flat | cut -d' ' -f2); do
        [ "$execution" -le "$n" ] || fail "$1: found after $execution of $n executions"
    done
    ! grep -q 'seen [0-9]* time' flat || fail "$1: says how often before it is known"
    while IFS=$'\t' read -r id count execution; do
        tr -d , <list | grep -Eq "^#$id .* ${count}x " || fail "$1: not ${count}x in the list"
        # The campaign lists them if there are several.
        [ "$(wc -l <rows)" -lt 2 ] || tr -d , <out | grep -Eq "^ *#$id .* ${count}x " ||
            fail "$1: not ${count}x in the text"
    done <rows
}

root=$BURL_TEST_ROOT
"$BURL" cc -g -O1 "$root/tests/must_find/lost_update.c" -o lost_update -lpthread || fail "cannot build"
"$BURL" cc -g -O1 "$root/tests/must_find/ab_ba.c" -o ab_ba -lpthread || fail "cannot build"
"$BURL" cc -g -O1 "$root/tests/must_find/check_then_act.c" -o check_then_act -lpthread || fail "cannot build"
"$BURL" cc -g -O1 "$root/tests/must_find/race_unlocked_getter.c" -o getter -lpthread || fail "cannot build"
"$BURL" cc -g -O1 "$root/examples/bank/bank.c" -o bank -lpthread || fail "cannot build"

for program in lost_update ab_ba check_then_act getter bank; do
    for options in --runs=300 "--runs=300 --jobs=3" "--runs=40 --no-minimize" "--runs=60 --stop-at-failure" \
        "--runs=60 --check-determinism" "--runs=100 --strategy=random"; do
        rm -rf .burl text
        # shellcheck disable=SC2086
        "$BURL" test --json --seed=3 $options ./$program >out.json 2>err
        [ $? -le 1 ] || fail "$program $options: $(cat err)"
        check_json "$program $options"
        check_files "$program $options"
        # shellcheck disable=SC2086
        "$BURL" test --dir=text --seed=3 $options ./$program >out 2>err
        [ $? -le 1 ] || fail "$program $options: $(cat err)"
        "$BURL" findings --dir=text >list
        check_text "$program $options"
    done
    # Once more in the same store: kept schedules come first.
    "$BURL" test --json --seed=4 --runs=50 ./$program >out.json 2>err
    check_json "$program, again"
    check_files "$program, again"
done

# Free runs: the same program several times.
rm -rf .burl
"$BURL" test --engine=free --runs=6 --json ./getter >out.json 2>err
jq -e '[.findings[] | .count == .detail.count] | all' out.json >/dev/null || fail "free: counts differ"
for id in $(jq '.findings[].id' out.json); do
    count=$(jq ".findings[] | select(.id == $id) | .count" out.json)
    "$BURL" show "$id" | tr -s ' \n' '  ' | tr -d , | grep -q "seen $count time" || fail "free: report.txt of $id"
done
exit 0
