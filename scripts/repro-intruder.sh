#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-intruder.sh - the experiment of the Intruder paper, in C.
#
#     scripts/repro-intruder.sh [--build=build] [--dir=DIR] [--jobs=N] [--time=SECONDS] [--page=FILE]
#                               [MODULE...]
#
# For each module of bench/intruder: `burl synth` with its sequential test, twice; on its corrected
# twin; with seeds that burl writes; and `burl gen` for as long as the first run took. The table has the
# paper's figures beside ours, then the differences in words, then the goals. DIR keeps one JSON document
# and the findings of each run, table.txt and differences.txt. JOBS modules run at the same time; each
# run is cut after SECONDS. --page: figures and differences are written into that page.
# Ends with 1 when a goal is missed; 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
jobs=2
limit=60
page=
modules=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --time=*) limit=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        -*) sed -n '/^# scripts/,/^# Ends/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) modules+=("$arg") ;;
    esac
done
for f in "$build/burl" "$build/burl-api"; do
    [ -x "$f" ] && continue
    echo "repro-intruder: no $f: run make" >&2
    exit 3
done
command -v jq >/dev/null || { echo 'repro-intruder: needs jq' >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-intruder.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
bench=$root/bench/intruder
paper=$bench/modules.tsv
[ ${#modules[@]} -gt 0 ] || mapfile -t modules < <(tail -n +2 "$paper" | cut -f 1)
for m in "${modules[@]}"; do
    [ -e "$bench/$m/$m.h" ] && continue
    echo "repro-intruder: there is no module $m in bench/intruder" >&2
    exit 2
done
rm -rf "$dir/runs"
mkdir -p "$dir/runs"

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# ---- runs

# one MODULE RUN: a folder runs/MODULE.RUN with run.json, ms, and what burl keeps.
one() {
    local m=$1 run=$2 work=$dir/runs/$1.$2 code=0 start
    local words=("$m.h" --) command=synth seconds=$limit options=()
    mkdir -p "$work"
    cp "$bench/$m"/*.[ch] "$work"
    case $run in
        seed | again) words+=("$m.c" seed.c) ;;
        twin) words+=("${m}_fixed.c" seed.c) ;;
        machine) words+=("$m.c") ;;
        gen)
            words+=("$m.c")
            command=gen options=(--keep-going)
            seconds=$((($(cat "$dir/runs/$m.seed/ms") + 999) / 1000))
            ;;
    esac
    start=$(now_ms)
    (cd "$work" && timeout $((seconds * 3 + 120)) "$build/burl" $command --json --time="${seconds}s" \
        "${options[@]}" "${words[@]}" -lm >run.json 2>run.err) || code=$?
    echo $(($(now_ms) - start)) >"$work/ms"
    if [ $code -gt 1 ]; then
        echo "repro-intruder: $m $run: exit $code: $(head -c 300 "$work/run.err")" >&2
        touch "$dir/runs/failed"
    fi
}

# all RUN: every module, the largest first, so that the last ones to end are small.
all() {
    local m running=0
    for m in $(for m in "${modules[@]}"; do wc -c "$bench/$m/$m.c"; done | sort -rn | sed 's|.*/||; s|\.c$||'); do
        one "$m" "$1" &
        running=$((running + 1))
        if [ $running -ge "$jobs" ]; then
            wait -n || true
            running=$((running - 1))
        fi
    done
    wait
    [ ! -e "$dir/runs/failed" ] || exit 3
}

start=$(now_ms)
all seed
total_ms=$(($(now_ms) - start))
for run in again twin machine gen; do all $run; done

# ---- what they say

# Findings that `burl replay` reproduces.
replayed() {
    local n ok=0
    for n in $(jq -r '.findings[].number' "$dir/runs/$1.seed/run.json"); do
        (cd "$dir/runs/$1.seed" && "$build/burl" replay "$n" >/dev/null 2>&1) || [ $? -ne 1 ] || ok=$((ok + 1))
    done
    echo $ok
}

# Everything but times, and the hash of the program, which has the path of its folder.
stable() { jq -S 'del(.. | .wall_ms?, .found_ms?, .build_id?)' "$1"; }

# code MODULE: lines without comments and blanks.
code() { gcc -fpreprocessed -dD -E -P "$bench/$1/$1.c" | grep -c .; }

# name, functions, lines, ms, raw, unique, feasible, tests, met, harmful, findings, replayed, same, the
# twin's findings, those with seeds by burl, those of burl gen
for m in "${modules[@]}"; do
    same=1
    cmp -s <(stable "$dir/runs/$m.seed/run.json") <(stable "$dir/runs/$m.again/run.json") || same=0
    printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$m" \
        "$(jq -r .phases.functions "$dir/runs/$m.seed/run.json")" "$(code "$m")" "$(cat "$dir/runs/$m.seed/ms")" \
        "$(jq -r '[.phases | .raw_pairs, .unique_pairs, .feasible_pairs, .tests, .met, .harmful] | @tsv' \
            "$dir/runs/$m.seed/run.json")" \
        "$(jq -r '.findings | length' "$dir/runs/$m.seed/run.json")" "$(replayed "$m")" $same \
        "$(jq -r '.findings | length' "$dir/runs/$m.twin/run.json")" \
        "$(jq -r '.findings | length' "$dir/runs/$m.machine/run.json")	$(
            jq -r '.findings | length' "$dir/runs/$m.gen/run.json")"
done >"$dir/rows.tsv"

awk -F'\t' -v rows="$dir/rows.tsv" -v ms="$total_ms" -v jobs="$jobs" -v cores="$(nproc)" \
    -v limit="$limit" -v n_modules="${#modules[@]}" -v differences="$dir/differences.txt" \
    -f "$bench/table.awk" "$paper" "$dir/rows.tsv" >"$dir/table.txt" && rc=0 || rc=$?
cat "$dir/table.txt" "$dir/differences.txt"
if [ -n "$page" ]; then
    { awk '{ sub(/ +$/, "") } NF { print "    " $0 } !NF && NR > 1' "$dir/table.txt"
      echo
      cat "$dir/differences.txt"; } | "$root/scripts/measured.sh" "$page" intruder || exit 3
fi
[ $rc -le 1 ] || exit 3
[ $rc = 0 ] || { echo "repro-intruder: a goal was missed" >&2; exit 1; }
