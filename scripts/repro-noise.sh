#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-noise.sh - the experiment of the genetic noise paper, in C.
#
#     scripts/repro-noise.sh [--build=build] [--dir=DIR] [--page=FILE] [--tables] [--repeat=N] [--paper]
#                            [--population=N] [--generations=N] [--executions=N] [--random=N] [--runs=N]
#                            [--plain=SECONDS] [--test=SECONDS] [SUBJECT...]
#
# For each subject of bench/noise: runs the program without burl for PLAIN seconds; searches for noise with
# `burl tune` (the genetic algorithm, RANDOM evaluations at random, the bandit, the genetic algorithm with
# places that burl knows, and with F2 of the paper; all others with burl's own fitness); runs the best
# setting of each search RUNS times; and runs `burl test` for at most TEST seconds. Prints the tables, then
# the goals. The default is scaled down: population 20, 8 generations, 3 executions per evaluation, 240
# random evaluations, 1 repetition. --paper: population 20, 25 generations, 5 executions, 2000 random
# evaluations, 10 repetitions; days. DIR keeps the JSON documents, rows.tsv and table.txt; --tables prints
# the tables of what an earlier run kept there. --page: the tables are written into that page.
# Ends with 1 when a goal is missed; 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
page=
tables_only=0
repeat=1
population=20
generations=8
executions=3
random=240
runs=120
plain_s=30
test_s=60
subjects=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        --tables) tables_only=1 ;;
        --paper) population=20 generations=25 executions=5 random=2000 repeat=10 runs=100 ;;
        --repeat=*) repeat=${arg#*=} ;;
        --population=*) population=${arg#*=} ;;
        --generations=*) generations=${arg#*=} ;;
        --executions=*) executions=${arg#*=} ;;
        --random=*) random=${arg#*=} ;;
        --runs=*) runs=${arg#*=} ;;
        --plain=*) plain_s=${arg#*=} ;;
        --test=*) test_s=${arg#*=} ;;
        -*) sed -n '/^# scripts/,/^# Ends/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) subjects+=("$arg") ;;
    esac
done
[ -x "$build/burl" ] || { echo "repro-noise: no $build/burl: run make" >&2; exit 3; }
command -v jq >/dev/null || { echo 'repro-noise: needs jq' >&2; exit 3; }
bench=$root/bench/noise
[ ${#subjects[@]} -gt 0 ] || subjects=(airlines animator crawler ftpserver rover)
for s in "${subjects[@]}"; do
    [ -d "$bench/$s" ] && continue
    echo "repro-noise: there is no subject $s in bench/noise" >&2
    exit 2
done
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-noise.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# Parameters of the paper; animator and crawler have none.
declare -A arguments=([airlines]="5 5 10" [animator]="" [crawler]="" [ftpserver]="10" [rover]="7")

# row SUBJECT KEY ERRORS MS RUNS: everything that is measured
row() { printf '%s\t%s\t%s\t%s\t%s\n' "$@" >>"$dir/rows.tsv"; }

# plain SUBJECT: without burl, until the time is over. A run that hangs costs two seconds.
plain() {
    local s=$1 start now errors=0 n=0
    start=$(now_ms)
    while now=$(now_ms) && [ $((now - start)) -lt $((plain_s * 1000)) ]; do
        # shellcheck disable=SC2086
        timeout 2 "$dir/plain/$s" ${arguments[$s]} >/dev/null 2>&1 || errors=$((errors + 1))
        n=$((n + 1))
    done 2>/dev/null
    row "$s" plain $errors $((now - start)) $n
}

# tune SUBJECT REPETITION NAME STORE OPTION...: a search; its document is DIR/SUBJECT/NAME.REPETITION.json, its
# best setting NAME.noise. A search of the same STORE goes on.
tune() {
    local s=$1 r=$2 name=$3 store=$4 code=0 json seed
    shift 4
    # The first population of a genetic algorithm is random, too: the same seed would give the same settings.
    seed=$((r * 10))
    case $store in random) seed=$((seed + 1)) ;; bandit) seed=$((seed + 2)) ;; esac
    json=$dir/$s/$name.$r.json
    # shellcheck disable=SC2086
    (cd "$dir/$s" &&
        "$build/burl" tune --json -q --seed="$seed" --executions="$executions" --population="$population" \
            --dir="store.$store.$r" --out="$name.noise" "$@" -- "$dir/burl/$s" ${arguments[$s]} \
            >"$json" 2>"$name.err" </dev/null) || code=$?
    if [ $code -gt 1 ] && [ $code -ne 4 ]; then
        echo "repro-noise: $s: burl tune ($name) ended with $code: $(head -c 300 "$dir/$s/$name.err")" >&2
        exit 3
    fi
    row "$s" "breed.$name" "$(jq '[.evaluations[].errors] | add // 0' "$json")" \
        "$(jq '[.evaluations[].wall_ms] | add // 0' "$json")" "$(jq '.evaluations | length' "$json")"
    row "$s" "first.$name" "$(jq 'if .first_error_ms == null then 0 else 1 end' "$json")" \
        "$(jq '.first_error_ms // .wall_ms' "$json")" 1
    # Errors: a setting with errors was seen; ms: the chosen one is without. By all evaluations of the
    # chosen setting.
    row "$s" "pick.$name" "$(jq 'if any(.evaluations[]; .errors > 0) then 1 else 0 end' "$json")" \
        "$(jq 'if any(.evaluations[]; .errors > 0) and .best.errors == 0 then 1 else 0 end' "$json")" 1
}

# measure SUBJECT SEARCH: RUNS runs of its best setting, each with its own seed. best.SEARCH has the time of the
# executions, as the search measures it; run.SEARCH that of the commands, to be compared with plain runs.
measure() {
    local s=$1 search=$2 i start errors=0 ms=0
    start=$(now_ms)
    for i in $(seq "$runs"); do
        # shellcheck disable=SC2086
        "$build/burl" run --json -q --time=20s --dir="$dir/$s/store.run" --noise="$dir/$s/$search.noise" \
            --noise-seed=$((1000 + i)) "$dir/burl/$s" ${arguments[$s]} >"$dir/$s/run.json" 2>/dev/null </dev/null ||
            [ $? -ne 3 ] || { echo "repro-noise: $s: $search.noise cannot be run" >&2; exit 3; }
        errors=$((errors + $(jq 'if .end == "time" then 0 elif .end == "exit" and .exit_code == 0 then 0
            else 1 end' "$dir/$s/run.json")))
        ms=$((ms + $(jq '.wall_ms' "$dir/$s/run.json")))
    done
    row "$s" "run.$search" $errors $(($(now_ms) - start)) "$runs"
    row "$s" "best.$search" $errors $ms "$runs"
}

one_repetition() { # SUBJECT REPETITION
    local s=$1 r=$2 n=$((population * generations)) ga_ms search
    tune "$s" "$r" ga ga --search=ga --generations="$generations" --no-known
    # As many evaluations as the genetic algorithm has, then the rest.
    tune "$s" "$r" random-same random --search=random --generations=0 --evaluations="$n" --no-known
    tune "$s" "$r" random random --search=random --generations=0 --evaluations="$random" --no-known
    tune "$s" "$r" bandit bandit --search=bandit --generations=0 --evaluations="$n" --no-known
    tune "$s" "$r" known known --search=ga --generations="$generations"
    tune "$s" "$r" f2 f2 --search=ga --generations="$generations" --no-known --fitness=f2
    # Random search for as long as the genetic algorithm took.
    ga_ms=$(jq '[.evaluations[].wall_ms] | add // 0' "$dir/$s/ga.$r.json")
    row "$s" breed.random-time "$(jq --argjson t "$ga_ms" 'reduce .evaluations[] as $e ({t: 0, e: 0};
        if .t < $t then {t: (.t + $e.wall_ms), e: (.e + $e.errors)} else . end) | .e' "$dir/$s/random.$r.json")" \
        "$ga_ms" 1
    for search in ga random-same random bandit known f2; do
        measure "$s" "$search"
    done
}

# burl test until the first failure that is more than a race
controlled() {
    local s=$1 start code=0
    start=$(now_ms)
    # shellcheck disable=SC2086
    (cd "$dir/$s" && "$build/burl" test --json -q --fresh --stop-at-failure --time="${test_s}s" --dir=store.test \
        "$dir/burl/$s" ${arguments[$s]}) >"$dir/$s/test.json" 2>/dev/null </dev/null || code=$?
    row "$s" test "$(jq '[.findings[]? | select(.kind | startswith("race.") | not)] | if length > 0 then 1 else 0 end' \
        "$dir/$s/test.json" 2>/dev/null || echo 0)" $(($(now_ms) - start)) 1
}

if [ $tables_only = 0 ]; then
    rm -rf "$dir/plain" "$dir/burl"
    : >"$dir/rows.tsv"
    make -s -C "$bench" OUT="$dir/plain" >"$dir/build.log" 2>&1 &&
        make -s -C "$bench" CC="$build/burl-cc" OUT="$dir/burl" >>"$dir/build.log" 2>&1 ||
        { echo "repro-noise: the subjects do not build, see $dir/build.log" >&2; exit 3; }
    start=$(now_ms)
    for s in "${subjects[@]}"; do
        rm -rf "${dir:?}/$s"
        mkdir -p "$dir/$s"
        echo "$s" >&2
        row "$s" lines "$(cat "$bench/$s"/*.[ch] | wc -l)" 0 0
        plain "$s"
        for r in $(seq "$repeat"); do
            one_repetition "$s" "$r"
        done
        controlled "$s"
    done
    echo "$(($(now_ms) - start)) $population $generations $executions $random $runs $repeat" >"$dir/scale"
fi
[ -s "$dir/scale" ] || { echo "repro-noise: nothing was kept in $dir" >&2; exit 3; }

awk -F'\t' -v scale="$(cat "$dir/scale")" -v cores="$(nproc)" -f "$bench/table.awk" "$dir/rows.tsv" \
    >"$dir/table.txt" && rc=0 || rc=$?
cat "$dir/table.txt"
[ $rc -le 1 ] || exit 3
if [ -n "$page" ]; then
    awk '{ sub(/ +$/, "") } NF { print "    " $0 } !NF' "$dir/table.txt" |
        "$root/scripts/measured.sh" "$page" noise || exit 3
fi
[ $rc = 0 ] || { echo "repro-noise: a goal was missed" >&2; exit 1; }
