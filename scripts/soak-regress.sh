#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/soak-regress.sh - random programs and random edits: does the selection miss a race?
#
#     scripts/soak-regress.sh [--build=build] [--dir=DIR] [--seeds=1..100] [--runs=300]
#
# For each seed tests/versions/versions.c prints a base version without races and an edited one.
# The base is recorded, the edited version selected from. Then every test that was NOT selected
# runs under `burl test` with RUNS executions: a finding there is a race or deadlock that the
# selection missed, because the base version has none. Harmless edits must select nothing.
# DIR keeps the programs of failed seeds. Ends with 1 when something was missed or selected without
# reason, 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
seeds=1..100
runs=300
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --seeds=*) seeds=${arg#*=} ;;
        --runs=*) runs=${arg#*=} ;;
        *) sed -n '/^# scripts/,/^# reason/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
[ -x "$build/burl" ] || { echo "soak-regress: no $build/burl: run make" >&2; exit 3; }
command -v jq >/dev/null || { echo 'soak-regress: needs jq' >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-soak-regress.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
burl=$build/burl
cc -std=c11 -O1 -o "$dir/versions" "$root/tests/versions/versions.c"

n=0
n_selected=0
n_tests=0
missed=0
needless=0

# run COMMAND...: its output goes to ./log, which is shown when it cannot be run
run() {
    local got=0
    "$@" >log 2>&1 || got=$?
    [ $got -le 1 ] && return 0
    echo "soak-regress: seed $seed: $* ended with $got" >&2
    cat log >&2
    exit 3
}

check_seed() { # in a directory of its own
    local edit harmless name got selected kept=0
    read -r edit harmless <<<"$("$dir/versions" "$seed" edit)"
    for t in 0 1 2 3 4 5 6 7 8 9; do
        echo "t$t: ./prog $t"
    done >burl.tests
    "$dir/versions" "$seed" base >prog.c
    run "$burl" cc -g -O1 -w prog.c -o prog -lpthread
    run "$burl" regress record --as=base -q
    mv prog.c base.c
    "$dir/versions" "$seed" edited >prog.c
    run "$burl" cc -g -O1 -w prog.c -o prog -lpthread
    run "$burl" regress select --json
    selected=$(jq -r '.selected[].name' log)
    n=$((n + 1))
    n_tests=$((n_tests + 10))
    n_selected=$((n_selected + $(printf '%s' "$selected" | grep -c . || true)))
    if [ "$harmless" = harmless ] && [ -n "$selected" ]; then
        echo "seed $seed: the harmless edit $edit selects:" $selected
        needless=$((needless + 1))
        kept=1
    fi
    for t in 0 1 2 3 4 5 6 7 8 9; do
        grep -qx "t$t" <<<"$selected" && continue
        got=0
        "$burl" test -q --runs="$runs" --dir=full ./prog $t >out 2>&1 || got=$?
        [ $got -le 1 ] || { echo "soak-regress: seed $seed: burl test ended with $got" >&2; cat out >&2; exit 3; }
        [ $got -eq 1 ] || continue
        echo "seed $seed: edit $edit: test t$t was not selected and fails: $(grep -m 1 -A 1 '^finding' out | tail -n 1)"
        missed=$((missed + 1))
        kept=1
    done
    return $kept
}

for seed in $(seq "${seeds%..*}" "${seeds#*..}"); do
    rm -rf "$dir/$seed"
    mkdir -p "$dir/$seed"
    cd "$dir/$seed"
    if check_seed; then
        cd "$dir"
        rm -rf "${dir:?}/$seed"
    fi
done
echo "$n programs, $n_selected of $n_tests tests selected, $missed misses, $needless needless selections"
[ $missed -eq 0 ] && [ $needless -eq 0 ]
