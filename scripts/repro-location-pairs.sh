#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-location-pairs.sh - the experiments of the Location Pairs paper, in C.
#
#     scripts/repro-location-pairs.sh [--build=build] [--dir=DIR] [--jobs=N] [--quick] [--page=FILE]
#
# Builds the programs of bench/location-pairs, shows that the correct ones pass and which mutants
# are trivial, then prints Table 1 beside the paper's and the saturation curves. DIR keeps
# everything: programs, targets, rows, items, report.txt and one SVG per curve. The same seeds
# every time: two runs print the same. --page: report and points are written into that page. --quick:
# two versions, ten iterations, two curves.
# Ends with 1 when a correct program fails, a mutant is trivial that should not be, or the other way
# round, or a covered pair lies outside SP; 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
jobs=$(nproc)
quick=
page=
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --quick) quick=1 ;;
        --page=*) page=${arg#*=} ;;
        *) sed -n '/^# scripts/,/^# round/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
driver=$build/location-pairs
for f in "$build/burl" "$build/burl-analyze" "$driver"; do
    [ -x "$f" ] && continue
    echo "repro-location-pairs: no $f: run make repro-location-pairs" >&2
    exit 3
done
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-location-pairs.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# More than one failing run in five: random testing has it in a moment. None in all: no error.
trivial_percent=20
checked=20000
filtered=10000
reference=20000
iterations=100
bound=20000
saturated=3000
# NAME|PROGRAM|MUTANT|ARGUMENT
versions="MS mutant 6|multiset|6|6
MS mutant 9|multiset|9|9
MS mutant 14|multiset|14|14
MS mutant 15|multiset|15|15
MS seeded 1|multiset|101|101
MS seeded 2|multiset|102|102
MS seeded 3|multiset|103|103
MS seeded 4|multiset|104|104
EL1 mutant|elevator|1|3
EL2 mutant|elevator|1|2"
# WHAT|MUTANT|TEST
discarded="RSB in find_slot|1|15
SPCR in find_slot|2|15
RSB in insert|3|6
EXCR in insert_pair|4|6
ESP in insert_pair|5|6"
programs="sor moldyn prim elevator tsp"
if [ -n "$quick" ]; then
    checked=500 filtered=500 reference=2000 iterations=10 bound=5000 saturated=100
    versions=$(grep -e 'mutant 9' -e 'seeded 1' <<<"$versions")
    discarded=$(grep -e EXCR <<<"$discarded")
    programs="sor elevator"
fi

# ---- steps; each is a line of a list, so that they can run side by side

compile() { # OUTPUT PROGRAM MUTANT
    local source=$root/bench/location-pairs/$2/$2.c

    if ! { "$build/burl" cc -O1 -g "-DMUTANT=$3" "$source" -o "$dir/$1" -lm &&
        "$build/burl-analyze" "$dir/$1" -o "$dir/$1.target"; } >"$dir/$1.log" 2>&1; then
        cat "$dir/$1.log" >&2
        return 1
    fi
}

check() { # OUTPUT PASSES PROGRAM ARGUMENTS...
    local out=$dir/$1 passes=$2

    shift 2
    "$driver" check "$passes" -- "$dir/$1" "${@:2}" >"$out"
}

iterate() { # OUTPUT NAME PROGRAM ARGUMENT
    "$driver" iterate "$2" "$iterations" "$bound" "$reference" "$dir/$3.target" -- \
        "$dir/$3" "$4" >"$dir/$1"
}

saturate() { # PROGRAM
    "$driver" saturate "$1" "$saturated" "$dir/$1-0.target" -- "$dir/$1-0" >"$dir/$1.items"
}

# Runs the lines of standard input, each a step with '|' between its words, a few at a time.
side_by_side() {
    local n=0 line
    local -a words

    while IFS= read -r line; do
        IFS='|' read -ra words <<<"$line"
        if [ "$n" -ge "$jobs" ]; then
            wait -n || return 1
            n=$((n - 1))
        fi
        "${words[@]}" &
        n=$((n + 1))
    done
    while [ "$n" -gt 0 ]; do
        wait -n || return 1
        n=$((n - 1))
    done
}

builds() {
    local program mutant

    {
        awk -F'|' '{ print $2, 0; print $2, $3 }' <<<"$versions"
        [ -z "$discarded" ] || awk -F'|' '{ print "multiset", $2 }' <<<"$discarded"
        printf '%s 0\n' $programs
    } | sort -u | while read -r program mutant; do
        echo "compile|$program-$mutant|$program|$mutant"
    done
}

checks() {
    local name program mutant arg

    while IFS='|' read -r name program mutant arg; do
        echo "check|correct.$program.$arg|$checked|$program-0|$arg"
        echo "check|kept.$program-$mutant.$arg|$filtered|$program-$mutant|$arg"
    done <<<"$versions"
    while IFS='|' read -r name mutant arg; do
        echo "check|discarded.$mutant.$arg|$filtered|multiset-$mutant|$arg"
    done <<<"$discarded"
    for program in $programs; do
        [ "$program" = elevator ] || echo "check|correct.$program|$checked|$program-0"
    done
}

iterations() {
    local name program mutant arg

    while IFS='|' read -r name program mutant arg; do
        echo "iterate|row.$program-$mutant.$arg|$name|$program-$mutant|$arg"
    done <<<"$versions"
}

# ---- what came of it

bad=0

failed_of() { # FILE: passes and failures
    cut -f2,3 "$dir/$1"
}

print_correct() {
    local f passes failed all=0

    for f in "$dir"/correct.*; do
        read -r passes failed < <(failed_of "${f##*/}")
        all=$((all + passes))
        if [ "$failed" -gt 0 ]; then
            echo "FAILED: ${f##*/correct.}: $failed of $passes runs: $(cut -f4 "$f")"
            bad=1
        fi
    done
    [ "$bad" -ne 0 ] ||
        echo "The correct programs: no failure in $all random runs ($checked of each test)."
}

is_trivial() { # PASSES FAILED
    [ "$2" -eq 0 ] || [ $(($2 * 100)) -gt $(($1 * trivial_percent)) ]
}

print_filter() {
    local name program mutant arg passes failed

    echo "Random runs that fail, of $filtered; trivial: none, or more than $trivial_percent %"
    while IFS='|' read -r name program mutant arg; do
        read -r passes failed < <(failed_of "kept.$program-$mutant.$arg")
        printf '  %-22s %6d  kept\n' "$name" "$failed"
        # With the few runs of --quick a rare error may well stay hidden.
        if [ -z "$quick" ] && is_trivial "$passes" "$failed"; then
            echo "FAILED: this version is trivial"
            bad=1
        fi
    done <<<"$versions"
    while IFS='|' read -r name mutant arg; do
        read -r passes failed < <(failed_of "discarded.$mutant.$arg")
        printf '  %-22s %6d  discarded\n' "$name" "$failed"
        if ! is_trivial "$passes" "$failed"; then
            echo "FAILED: this version is not trivial"
            bad=1
        fi
    done <<<"$discarded"
}

collect() {
    local name program mutant arg

    while IFS='|' read -r name program mutant arg; do
        cat "$dir/row.$program-$mutant.$arg"
    done <<<"$versions" >"$dir/rows.tsv"
    for program in $programs; do
        cat "$dir/$program.items"
    done >"$dir/items.tsv"
    # Column 30 of a row and 9 of a program: pairs outside SP.
    awk -F'\t' '($1 == "row" && $30 > 0) || ($1 == "program" && $9 > 0) {
        print "FAILED: covered pairs outside SP: " $2; bad = 1 } END { exit bad }' \
        "$dir/rows.tsv" "$dir/items.tsv" || bad=1
}

report() {
    print_correct
    echo
    print_filter
    echo
    echo "Table 1, $iterations iterations per version, in %"
    collect
    "$driver" table "$dir/rows.tsv"
    echo
    echo "Saturation"
    "$driver" curves "$dir" "$dir/items.tsv"
    return "$bad"
}

side_by_side < <(builds) || exit 3
side_by_side < <(checks) || exit 3
side_by_side < <(iterations) || exit 3
side_by_side < <(printf 'saturate|%s\n' $programs) || exit 3
report >"$dir/report.txt" || bad=1
cat "$dir/report.txt"
if [ -n "$page" ] && [ "$bad" = 0 ]; then
    awk -f "$root/bench/location-pairs/points.awk" "$dir/report.txt" >"$dir/points.txt" &&
        "$root/scripts/measured.sh" "$page" points <"$dir/points.txt" &&
        { echo '```'; cat "$dir/report.txt"; echo '```'; } | "$root/scripts/measured.sh" "$page" report || exit 3
fi
exit "$bad"
