#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress run`: a removed lock is found, verified once although two tests reveal it, and can be
# replayed from another directory; a harmless change runs nothing; a race of both versions is set
# apart; the same seed gives the same document; known findings stay known.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/regress_run_lib.inc"

# document DIR: the document without times.
document() {
    "$BURL" regress run --json --seed=3 --dir="$1" >out.json 2>err
    [ $? -eq 1 ] || fail "the race was not found with the store $1"
    sed -E 's/"[a-z_]*_ms": *-?[0-9]+/"ms":0/g; s/--dir=[a-z.]+//g; s/[a-z.]+\/findings/findings/g' out.json
}

cat >burl.tests <<'EOF'
one: ./count one
add: ./count add
again: ./count add
mixed: ./count mixed
get: ./count get
EOF
version v1

# Nothing changed, recompiled, and a change that no thread shares: nothing is run.
run 0 "$BURL" regress run
has out "no test can reveal"
version -
run 0 "$BURL" regress run
has out "no test can reveal"
version - -DOTHER
run 0 "$BURL" regress run
has out "no test can reveal"

# The lock is gone. Tests without two threads, one of them in add(), are not run.
version - -DNOLOCK
cp -r .burl store.a
cp -r .burl store.b
run 1 "$BURL" regress run --for=races
has out "total: T"
hasnt out "test one"
hasnt out "test get"
has out "of 5 selected"

document store.a >a.json
holds '[.findings[] | select(.kind == "race.data" and .class == "new")] | length == 1' "one race"
holds '.findings[] | select(.kind == "race.data") | .impacted' "the race is not impacted"
holds '.confirmed_races >= 1 and .potential_races >= .confirmed_races' "numbers of pairs"
holds '.tr == (.tests | length) + .verification_runs and .tr_potential == (.tests | length)' "TR"
holds '[.tests[].name] | index("one") == null and index("get") == null' "too many tests"
holds '[.suspects[] | select(.kind == "race" and .confirmed)] | length >= 1' "suspects"
# add and again report the same pairs: the later one verifies no race again.
holds '[.tests[] | select(.name == "add" or .name == "again") | .findings | length] | sort | .[0] == 0' \
    "a confirmed pair was verified again"

# Same seed, same store: same document.
document store.b >b.json
cmp a.json b.json || fail "the same seed gave two documents"

# The finding is one like any other.
n=$(jq '[.findings[] | select(.kind == "race.data")][0].id' out.json)
dir=$PWD/store.b
(cd / && "$BURL" replay --dir="$dir" "$n") >out 2>err
[ $? -eq 1 ] || fail "no replay from another directory"
has out "reproduced exactly"

# A second run finds the same: it stays new, because the base has not shown it.
run 1 "$BURL" regress run --for=races
has out "total: T"

# A race of both versions: on accesses that the change does not impact.
rm -rf .burl
version v1 -DOLD
version - -DOLD -DNOLOCK
run 1 "$BURL" regress run --for=races --all-tests
has out "new finding"
has out "total: T"
grep -A1 "hits: T" out | grep -q "not from this change" || fail "hits is not set apart"
rm -rf .burl
version v1 -DOLD
version - -DOLD -DOTHER
run 0 "$BURL" regress run --for=races --all-tests
grep -A1 "hits: T" out | grep -q "not from this change" || fail "hits is not set apart"
has out "nothing new found"

# What a run on the base has shown is known, although the change removes its lock as well.
rm -rf .burl
version v1 -DNOLOCK
run 0 "$BURL" regress run --for=races --all-tests
has out "total: T"
version - -DNOLOCK -DOLD
run 1 "$BURL" regress run --for=races --all-tests
grep -A1 "total: T" out | grep -q "known: the base version has it" || fail "not known"
has out "hits: T"
