#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 7200
#
# tests/soak/seeds.sh - every program of must_find is the same campaign for the same seed.
#
# Five seeds each, twice with one job and once with two: verdicts and their counts, strategies,
# learned points, findings, and the bytes of every schedule must be equal. A difference is something
# that the runtime does not control, or an order of arrival that leaked into a result.
#
# BURL_SOAK_ONLY=word takes the programs whose name contains it; BURL_SOAK_SEEDS and BURL_SOAK_RUNS
# set how many.
set -u
n_seeds=${BURL_SOAK_SEEDS:-5}
runs=${BURL_SOAK_RUNS:-500}
only=${BURL_SOAK_ONLY:-}
n=0
n_campaigns=0
differ=0

# What a campaign says that must not depend on luck, into $1.
facts() {
    jq -S '{verdicts, strategies, executions, steps, points, switches, preemptions, shared_sites,
            horizon, findings: [.findings[] | {kind, fingerprint, count, sequential}]}' out.json
    for f in "$1"/findings/*/schedule.txt; do
        [ -e "$f" ] && echo "${f#*/}" && cat "$f"
    done
    return 0
}

# campaign PROGRAM SEED JOBS OPTIONS ARGUMENTS: leaves its facts in ./now
campaign() {
    rm -rf store
    # shellcheck disable=SC2086
    "$BURL" test --json --runs="$runs" $4 --seed="$2" --jobs="$3" --dir=store ./prog $5 >out.json 2>err
    got=$?
    [ $got -le 1 ] || { echo "$1: seed $2, $3 jobs: burl test ended with $got"; cat err; return 1; }
    facts store >now
    n_campaigns=$((n_campaigns + 1))
}

directive() {
    head -n 40 "$2" | sed -n "s|^[ /*#]*BURL-$1:[ ]*||p" | sed 's|[ ]*\*/[ ]*$||; s|[ ]*$||' | head -n 1
}

# Options of the test that change what is hunted, without those that say for how long.
hunt_options() {
    directive ARGS "$1" | tr ' ' '\n' | grep -vE '^--(runs|time|seed|jobs|stop-at-first|json|dir)' | tr '\n' ' '
}

for src in "$BURL_TEST_ROOT"/tests/must_find/*"$only"*.c*; do
    name=$(basename "${src%.*}")
    cc=cc
    case $src in *.cpp) cc=c++ ;; esac
    # shellcheck disable=SC2046
    "$BURL" $cc $(directive CFLAGS "$src") "$src" -o prog -lpthread || exit 1
    n=$((n + 1))
    for seed in $(seq "$n_seeds"); do
        rm -f first
        for jobs in 1 2 1; do
            campaign "$name" "$seed" "$jobs" "$(hunt_options "$src")" "$(directive PROG-ARGS "$src")" || {
                differ=$((differ + 1))
                continue 2
            }
            [ -e first ] || { mv now first; continue; }
            cmp -s first now && continue
            echo "$name: seed $seed with $jobs jobs is another campaign"
            diff first now | head -n 12
            differ=$((differ + 1))
        done
    done
done
echo "$n programs, $n_campaigns campaigns, $differ differences"
[ "$n" -gt 0 ] && [ "$differ" -eq 0 ]
