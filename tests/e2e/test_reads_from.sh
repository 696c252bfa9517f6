#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads-from proposals: the same seed proposes the same, whatever the number of jobs; another seed
# something else; and where the order of writes decides they find in a few executions what
# the same number of random ones does not.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

root=$BURL_TEST_ROOT/tests
"$BURL" cc -g -O1 "$root/must_pass/reads_from_stages.c" -o stages -lpthread || fail "cannot build"
"$BURL" cc -g -O1 "$root/must_find/bounded_buffer_one_cond.c" -o buffer -lpthread || fail "cannot build"
for p in stages buffer; do
    for run in "1 1" "1 3" "1 2" "2 2"; do
        read -r seed jobs <<<"$run"
        rm -rf store
        "$BURL" test --json --strategy=reads-from --seed="$seed" --jobs="$jobs" --runs=400 \
            --dir=store ./$p >out.json
        jq -S '{verdicts, strategies, steps, points, switches, preemptions, shared_sites, horizon,
                findings: [.findings[] | {kind, fingerprint, count}]}' out.json >now
        jq -e '.executions > 100' out.json >/dev/null || fail "$p: hardly anything was executed"
        [ -e "facts-$p-$seed" ] || cp now "facts-$p-$seed"
        cmp "facts-$p-$seed" now || {
            diff "facts-$p-$seed" now | head -n 20
            fail "$p: seed $seed with $jobs jobs is another campaign"
        }
    done
    cmp -s "facts-$p-1" "facts-$p-2" && fail "$p: seeds 1 and 2 are the same campaign"
done

"$BURL" cc -g -O1 "$root/must_find/reads_from_crowd.c" -o crowd -lpthread || fail "cannot build"
for seed in 1 2 3; do
    "$BURL" test --strategy=random --seed=$seed --runs=30 --detect=none --dir=store-r ./crowd >out ||
        fail "random schedules find it as well: this proves nothing"
    "$BURL" test --strategy=reads-from --seed=$seed --runs=30 --detect=none --dir=store-p ./crowd >out
    [ $? -eq 1 ] || fail "seed $seed: not found within 30 executions"
done
exit 0
