#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench-search.sh - schedules and time to the first failure, beside published figures.
#
#     scripts/bench-search.sh [--build=build] [--dir=DIR] [--jobs=N] [--trials=20] [--runs=10000]
#                             [--twin-runs=2000] [--programs=REGEX] [--strategies="default random ..."]
#                             [--list=FILE]
#
# For each program of bench/search (or of --list) and each strategy: trials with different seeds,
# each in a new store, ended by the first failure or after --runs schedules. `default` is burl test
# without --strategy; the others are by themselves, without detectors and what those direct. Where a
# program has a time in the list, the default has that instead of a bound of schedules, and the
# machine to itself. A data race is no failure. Then every repaired twin for --twin-runs schedules with
# the default and all detectors, which must stay silent. DIR keeps the programs, one row per trial and
# table.txt; a second run with the same DIR goes on where the first ended.
# Ends with 1 when a target is missed, 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
jobs=$(nproc)
trials=20
runs=10000
twin_runs=2000
pattern=.
strategies="default random pct pos surw reads-from delay preemption burst exhaustive"
list=$root/bench/search/programs.tsv
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --trials=*) trials=${arg#*=} ;;
        --runs=*) runs=${arg#*=} ;;
        --twin-runs=*) twin_runs=${arg#*=} ;;
        --programs=*) pattern=${arg#*=} ;;
        --strategies=*) strategies=${arg#*=} ;;
        --list=*) list=${arg#*=} ;;
        *) sed -n '/^# scripts/,/^# Ends/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
strategies=${strategies//,/ }
for number in "$jobs" "$trials" "$runs" "$twin_runs"; do
    [[ $number =~ ^[0-9]+$ ]] || { echo "bench-search: $number is not a number" >&2; exit 2; }
done
[ -x "$build/burl" ] || { echo "bench-search: no $build/burl: run make" >&2; exit 3; }
[ -r "$list" ] || { echo "bench-search: cannot read $list" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-search.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir/bin" "$dir/rows" "$dir/work"
dir=$(cd "$dir" && pwd)
sources=$(cd "$(dirname "$list")" && pwd)
rm -f "$dir/errors"

# The programs asked for, one per line: name, source, macros, published row, verdicts, budget.
grep -v '^#' "$list" | awk -F'\t' -v p="$pattern" '$1 ~ p' >"$dir/programs.tsv"
[ -s "$dir/programs.tsv" ] || { echo "bench-search: no program's name matches $pattern" >&2; exit 2; }

complain() {
    echo "bench-search: $*" | tee -a "$dir/errors" >&2
}

# ---- side by side

running=0
start() { # COMMAND...
    "$@" &
    running=$((running + 1))
    if [ $running -ge "$jobs" ]; then
        wait -n || true
        running=$((running - 1))
    fi
}

settle() {
    wait
    running=0
}

compile() { # OUTPUT SOURCE FLAGS...
    local out=$dir/bin/$1 source=$sources/$2
    shift 2
    mkdir -p "$(dirname "$out")"
    [ "$out" -nt "$source" ] && [ "$out" -nt "$build/burl" ] && return 0
    # Others have the program as it was: their rows are stale.
    local name=${out#"$dir/bin/"}
    name=${name%.fixed}
    rm -f "$dir/rows/${name//\//_}".*
    "$build/burl" cc -O1 -g "$@" "$source" -o "$out" -pthread 2>"$out.err" ||
        complain "cannot build ${out#"$dir/bin/"}: $(head -c 300 "$out.err")"
    rm -f "$out.err"
}

# What a failure is: how a program ends. A data race is what it does on the way.
failures='[.findings[] | select(.kind | test("^(race|atomicity)\\.") | not)]'

# One trial: PROGRAM STRATEGY NUMBER VERDICTS BUDGET -> a row: program, strategy, trial,
# schedules (- not found), milliseconds, kind, schedules tried in all.
trial() {
    local name=$1 strategy=$2 t=$3 verdicts=$4 budget=$5
    local key=$name.$strategy.$runs.$t rc=0 limit=(--runs="$runs" --jobs=1)
    local row=$dir/rows/${key//\//_} work=$dir/work/${key//\//_}
    [ -s "$row" ] && return 0
    # A strategy by itself: without the executions that detectors direct at what they suspect.
    [ "$strategy" = default ] || limit+=(--strategy="$strategy" --detect=none)
    [ "$strategy" != default ] || [ -z "$budget" ] || limit=(--time="$budget" --jobs=0)
    rm -rf "$work"
    # Far apart, whatever is derived from a seed by counting.
    timeout 900 "$build/burl" test --json --dir="$work" --seed=$((t * 1000003)) \
        --no-minimize --stop-at-failure "${limit[@]}" "$dir/bin/$name" </dev/null >"$row.json" 2>"$row.err" || rc=$?
    rm -rf "$work"
    if [ $rc -gt 1 ]; then
        complain "$name, $strategy, trial $t: exit $rc: $(head -c 300 "$row.err")"
        rm -f "$row.json" "$row.err"
        return 0
    fi
    jq -r --arg p "$name" --arg s "$strategy" --arg t "$t" --arg v "$verdicts" \
        "$failures"' as $f | ($f[0] // {}) as $x | [$p, $s, $t, ($x.found_after // "-"), ($x.found_ms // .wall_ms),
         (if ($x.kind // "-") == "-" or ($x.kind | test($v)) then ($x.kind // "-") else "unexpected " + $x.kind end),
         .executions] | @tsv' "$row.json" >"$row.tmp" && mv "$row.tmp" "$row"
    rm -f "$row.json" "$row.err"
}

# PROGRAM -> a row: program, twin, 1, findings, milliseconds, kinds, schedules.
twin() {
    local name=$1 rc=0 row=$dir/rows/${1//\//_}.twin.$twin_runs work=$dir/work/${1//\//_}.twin
    [ -s "$row" ] && return 0
    rm -rf "$work"
    timeout 900 "$build/burl" test --json --dir="$work" --seed=1 --jobs=1 --runs="$twin_runs" \
        "$dir/bin/$name.fixed" >"$row.json" 2>"$row.err" || rc=$?
    rm -rf "$work"
    if [ $rc -gt 1 ]; then
        complain "$name, twin: exit $rc: $(head -c 300 "$row.err")"
        rm -f "$row.json" "$row.err"
        return 0
    fi
    jq -r --arg p "$name" '[$p, "twin", 1, (.findings | length), .wall_ms,
        ([.findings[].kind] | unique | join(",")), .executions] | @tsv' "$row.json" >"$row.tmp" &&
        mv "$row.tmp" "$row"
    rm -f "$row.json" "$row.err"
}

while IFS=$'\t' read -r name source macros _ _ _; do
    [ "$macros" != - ] || macros=
    # shellcheck disable=SC2086
    start compile "$name" "$source" $macros
    # shellcheck disable=SC2086
    start compile "$name.fixed" "$source" $macros -DFIXED
done <"$dir/programs.tsv"
settle
echo "bench-search: $(wc -l <"$dir/programs.tsv") programs, $trials trials of at most $runs schedules, $strategies" >&2
while IFS=$'\t' read -r name _ _ _ verdicts budget; do
    [ -x "$dir/bin/$name" ] || continue
    for strategy in $strategies; do
        alone=
        [ "$strategy" != default ] || [ -z "${budget-}" ] || alone=1
        [ -z "$alone" ] || settle
        for ((t = 1; t <= trials; t++)); do
            if [ -n "$alone" ]; then
                trial "$name" "$strategy" "$t" "$verdicts" "$budget"
            else
                start trial "$name" "$strategy" "$t" "$verdicts" ""
            fi
        done
    done
    [ "$twin_runs" = 0 ] || [ ! -x "$dir/bin/$name.fixed" ] || start twin "$name"
    echo "bench-search: $name started" >&2
done <"$dir/programs.tsv"
settle
find "$dir/rows" -type f \( -name "*.$runs.*[0-9]" -o -name "*.twin.$twin_runs" \) -exec cat {} + >"$dir/rows.tsv"

rc=0
awk -F'\t' -v trials="$trials" -v runs="$runs" -v strategies="$strategies" -v twin_runs="$twin_runs" \
    -v published="$root/bench/search/published.tsv" -f "$root/bench/search/table.awk" \
    "$dir/programs.tsv" "$dir/rows.tsv" >"$dir/table.txt" || rc=$?
cat "$dir/table.txt"
[ ! -s "$dir/errors" ] || exit 3
[ $rc -le 1 ] || { echo "bench-search: no table" >&2; exit 3; }
exit $rc
