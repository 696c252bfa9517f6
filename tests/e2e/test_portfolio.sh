#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: the portfolio gives every strategy its share, moves the rest to those that bring something,
#   and does so in the same way whatever the number of jobs. A small test that was explored whole ends
#   with a proof, and one whose failure is rare is not called proven.
set -u

fail() {
    echo "FAILED: $*"
    [ -s out.json ] && jq '{"end": .end, search, executions, portfolio, findings: [.findings[].kind]}' out.json
    exit 1
}

holds() {
    jq -e "$1" out.json >/dev/null || fail "$2"
}

build() {
    "$BURL" cc -g -O1 "$@" -lpthread || fail "cannot build"
}

root=$BURL_TEST_ROOT
build "$root/bench/search/wsq.c" -o wsq
build -DFIXED "$root/bench/search/account.c" -o account_fixed
build "$root/bench/search/account.c" -o account

# Shares and jobs. The work-stealing queue is too large to be proven.
for jobs in 1 3; do
    rm -rf .burl
    "$BURL" test --json --seed=7 --jobs=$jobs --runs=6000 ./wsq >out.json
    holds '.executions >= 6000 and .executions < 6100' "not what was asked for"
    holds '[.portfolio[] | select(.strategy | IN("delay", "preemption") | not) | .executions * 100 >= 6000] | all' \
        "an arm starves"
    holds '([.portfolio[].edges] | add) > 0' "nobody is rewarded"
    jq -S '{portfolio, strategies, verdicts, edges, edge_candidates}' out.json >now
    [ $jobs = 1 ] && cp now one
    cmp one now || {
        diff one now
        fail "another portfolio with $jobs jobs"
    }
done

# A proof.
"$BURL" test --time=20s --dir=a ./account_fixed >text
[ $? -eq 0 ] || fail "the repaired twin failed: $(cat text)"
grep -q 'all [0-9,]* interleavings explored, none fails' text || fail "no proof: $(cat text)"
"$BURL" test --json --time=20s --dir=b ./account_fixed >out.json
holds '."end" == "explored" and .search.complete and .search.executions > 1 and .exit == 0' \
    "the proof is not in the JSON"

# No proof where something fails.
"$BURL" test --json --time=20s --dir=c ./account >out.json
holds '.exit == 1 and ([.findings[].kind] | index("crash.abort"))' "the failure was missed"
"$BURL" test --time=20s --dir=d ./account >text
grep -q 'none fails' text && fail "it was called proven: $(cat text)"
exit 0
