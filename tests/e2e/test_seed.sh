#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The same seed gives the same campaign, whatever the number of jobs: counts of every verdict and
# strategy, points learned, findings, their schedules, suspects and what became of them. Another seed
# gives another one. The livelock has executions so long that minimizing it ends by its budget: that
# must not be a matter of time.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

for p in bounded_buffer_one_cond refcount_double_free livelock_spoon; do
    budget=--runs=3000
    [ $p = livelock_spoon ] && budget="--runs=200 --stop-at-first"
    "$BURL" cc -g -O1 "$BURL_TEST_ROOT/tests/must_find/$p.c" -o $p -lpthread || fail "cannot build"
    for run in "1 1" "1 3" "1 1" "2 2"; do
        read -r seed jobs <<<"$run"
        dir=store-$p-$seed-$jobs
        rm -rf "$dir"
        "$BURL" test --json --seed="$seed" --jobs="$jobs" $budget --dir="$dir" ./$p >out.json
        [ $? -eq 1 ] || fail "$p: no finding with seed $seed"
        jq -S '{verdicts, strategies, steps, points, switches, preemptions, shared_sites, horizon,
                findings: [.findings[] | {kind, fingerprint, count, sequential}],
                suspects: [.suspects[] | {kind, state, tries, count, rank, seed, text}]}' \
            out.json >now
        jq -e '.suspects != [] or (.findings | length > 1)' out.json >/dev/null ||
            [ $p = livelock_spoon ] || fail "$p: the observers saw nothing"
        cat "$dir"/findings/*/schedule.txt >>now
        if [ -e "facts-$p-$seed" ]; then
            cmp "facts-$p-$seed" now || {
                diff "facts-$p-$seed" now | head -n 20
                fail "$p: seed $seed with $jobs jobs is another campaign"
            }
        else
            cp now "facts-$p-$seed"
        fi
    done
    cmp -s "facts-$p-1" "facts-$p-2" && fail "$p: seeds 1 and 2 are the same campaign"
done
exit 0
