#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-simrt.sh - the experiment of the SimRT paper, in C.
#
#     scripts/repro-simrt.sh [--build=build] [--dir=DIR] [--jobs=N] [--repeat=N] [--page=FILE]
#                            [--tables] [OBJECT...]
#
# For each object of bench/simrt: records the suite of version 1, builds version 2 with all seeded
# regressions, selects, and compares techniques with `burl regress experiment`. Then the harmless variants
# of version 1 (names of locals and order of functions by -DHARMLESS, other optimization levels, comments,
# functions moved to the end of their file), which must select nothing; and each regression by itself, from
# version 2 to version 2 with it. Prints the tables, then the goals. DIR keeps the JSON documents, rows.tsv,
# harmless.tsv, single.tsv and table.txt; --tables prints the tables of what an earlier run kept there. JOBS objects run at the same time. --page: the tables are written into that page.
# Ends with 1 when a goal is missed; 2 usage, 3 something could not be run.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
jobs=2
repeat=1
page=
tables_only=0
objects=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --jobs=*) jobs=${arg#*=} ;;
        --repeat=*) repeat=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        --tables) tables_only=1 ;;
        -*) sed -n '/^# scripts/,/^# Ends/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) objects+=("$arg") ;;
    esac
done
[ -x "$build/burl" ] || { echo "repro-simrt: no $build/burl: run make" >&2; exit 3; }
command -v jq >/dev/null || { echo 'repro-simrt: needs jq' >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-simrt.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
bench=$root/bench/simrt
[ ${#objects[@]} -gt 0 ] ||
    objects=(text hashmap treemap arraylist hashtable bitset logger crawler server)
for o in "${objects[@]}"; do
    [ -e "$bench/$o/burl.tests" ] && continue
    echo "repro-simrt: there is no object $o in bench/simrt" >&2
    exit 2
done

now_ms() { echo $(($(date +%s%N) / 1000000)); }

# ---- builds

# fresh OBJECT: its sources, at the path from which every variant is compiled.
fresh() {
    rm -rf "$dir/$1/src"
    mkdir -p "$dir/$1/src" "$dir/$1/suite"
    cp "$bench"/*.h "$dir/$1/src"
    cp -r "$bench/$1" "$dir/$1/src/$1"
}

# compile OBJECT FLAG...: into suite/; every tests*.c is a program, all other files are in each of them.
compile() {
    local o=$1 suite=$dir/$1/suite program
    local modules=()
    shift
    (
        cd "$dir/$o/src/$o"
        for program in *.c; do
            case $program in tests*) ;; *) modules+=("$program") ;; esac
        done
        for program in tests*.c; do
            "$build/burl" cc -std=gnu11 -g -pthread "$@" "$program" "${modules[@]}" -o "$suite/${program%.c}" -lm
        done
        cp burl.tests "$suite"
    )
}

# A comment before every line that starts a function, and two lines at the top.
add_comments() {
    local f
    for f in "$dir/$1/src/$1"/*.[ch]; do
        sed -i -e '1i /* A line that was not there. */\n/* And another one. */' \
            -e 's|^{$|{ /* begins here */\n|' "$f"
    done
}

# Moves the first function that other files may call to the end of its file.
move_functions() {
    local f
    for f in "$dir/$1/src/$1"/*.c; do
        awk '
            /^#[ \t]*if/ { depth++ }
            /^#[ \t]*endif/ { depth-- }
            { line[NR] = $0; level[NR] = depth; n = NR }
            END {
                for (i = 1; i < n && !last; i++) {
                    # A type on a line of its own, then the name, then a body without directives.
                    if (level[i] || line[i] !~ /^[a-z][A-Za-z0-9_ ]*[ *]*$/ || line[i] ~ /^(static|extern)/ ||
                        line[i + 1] !~ /^[a-z_0-9]+\(.*/ || line[i + 1] ~ /^main\(/) continue
                    for (k = i + 1; k <= n && line[k] !~ /^[#}]/; k++) ;
                    if (line[k] == "}") { first = i; last = k }
                }
                for (i = 1; i <= n; i++) if (!last || i < first || i > last) print line[i]
                if (last) { print ""; for (i = first; i <= last; i++) print line[i] }
            }' "$f" >"$f.new"
        mv "$f.new" "$f"
    done
}

# ---- runs

burl_in_suite() {
    local o=$1
    shift
    (cd "$dir/$o/suite" && "$build/burl" "$@")
}

# select_into OBJECT FILE
select_into() { burl_in_suite "$1" regress select --base=1 --json >"$2"; }

# each_seed OBJECT: one line per seed: object, flag, tests that Dejavu, SimRT-n and SimRT select, and whether
# the selected ones find it. The techniques need no run, so that the experiment may be cut at once.
each_seed() {
    local o=$1 work=$dir/$1 flag pattern found
    fresh "$o"
    rm -rf "$work/suite/.burl" # what version 1 showed is not known to version 2
    compile "$o" -O1 -DVERSION=2
    burl_in_suite "$o" regress record --as=2 --json >"$work/record2.json"
    grep '^SEED_' "$bench/$o/seeds.txt" | while IFS=$'\t' read -r flag _ _ _ pattern _; do
        compile "$o" -O1 -DVERSION=2 -D"$flag"
        burl_in_suite "$o" regress experiment --base=2 --technique=dejavu,simrt-n,simrt --time=1ms --json \
            >"$work/orders-$flag.json" 2>/dev/null || [ $? -eq 4 ]
        burl_in_suite "$o" regress run --base=2 --json >"$work/run-$flag.json" 2>/dev/null || [ $? -eq 1 ]
        found=$(jq --arg pattern "$pattern" '[.findings[] | select(.class == "new" or .class == "fails")
            | select(if $pattern == "deadlock" then .kind | startswith("deadlock") else .title | test($pattern) end)]
            | if length > 0 then 1 else 0 end' "$work/run-$flag.json")
        jq -r --arg o "$o" --arg flag "$flag" --arg found "$found" '[.techniques as $t
            | $o, $flag, (("dejavu", "simrt-n", "simrt") as $n | $t[] | select(.name == $n) | .tests), $found]
            | @tsv' "$work/orders-$flag.json"
    done >"$work/single.tsv"
}

# one OBJECT: record, experiment, harmless variants, single regressions.
one() {
    local o=$1 work=$dir/$1 t0 t1 t2 t3 variant code=0
    rm -rf "$work"
    fresh "$o"
    compile "$o" -O1 -DVERSION=1
    t0=$(now_ms)
    burl_in_suite "$o" regress record --as=1 --json >"$work/record.json" 2>"$work/record.err"
    t1=$(now_ms)
    compile "$o" -O1 -DVERSION=2 -DSEED_ALL
    t2=$(now_ms)
    select_into "$o" "$work/select.json"
    t3=$(now_ms)
    echo "$((t1 - t0)) $((t3 - t2))" >"$work/ms"
    burl_in_suite "$o" regress experiment --base=1 --technique=all --repeat="$repeat" --json \
        >"$work/experiment.json" 2>"$work/experiment.err" || code=$?
    if [ $code -ne 0 ]; then
        echo "repro-simrt: $o: experiment ended with $code: $(head -c 300 "$work/experiment.err")" >&2
        return 3
    fi
    for variant in same harmless O0 O2 comments moved; do
        fresh "$o"
        case $variant in
            same) compile "$o" -O1 -DVERSION=1 ;;
            harmless) compile "$o" -O1 -DVERSION=1 -DHARMLESS ;;
            O0 | O2) compile "$o" -$variant -DVERSION=1 ;;
            comments) add_comments "$o" && compile "$o" -O1 -DVERSION=1 ;;
            moved) move_functions "$o" && compile "$o" -O1 -DVERSION=1 ;;
        esac
        select_into "$o" "$work/select-$variant.json"
    done
    each_seed "$o"
    touch "$work/done"
}

run_all() {
    local o running=0
    for o in "${objects[@]}"; do
        (one "$o") >"$dir/$o.log" 2>&1 &
        running=$((running + 1))
        if [ $running -ge "$jobs" ]; then
            wait -n || true
            running=$((running - 1))
        fi
    done
    wait
    for o in "${objects[@]}"; do
        [ -e "$dir/$o/done" ] && continue
        echo "repro-simrt: $o failed: $(tail -n 5 "$dir/$o.log")" >&2
        exit 3
    done
}

if [ $tables_only = 0 ]; then
    start=$(now_ms)
    run_all
    echo $((($(now_ms) - start) / 1000)) >"$dir/seconds"
fi

# ---- tables

# seeds OBJECT: one line per seed: its flag, its rule, found by all tests, found by the selected ones (0, 1).
seeds() {
    jq -rn --rawfile seeds "$bench/$1/seeds.txt" --slurpfile experiment "$dir/$1/experiment.json" \
        --slurpfile selection "$dir/$1/select.json" '
        ($selection[0].selected | map(.name)) as $selected
        | $seeds | split("\n")[] | select(test("^SEED_")) | split("\t") as $f
        | [$experiment[0].bugs[]
           | select(if $f[4] == "deadlock" then .kind | startswith("deadlock") else .title | test($f[4]) end)] as $bugs
        | [$f[0], $f[1], ($bugs | any(.tests | length > 0) | if . then 1 else 0 end),
           ($bugs | any(.tests | any(. as $t | $selected | index($t))) | if . then 1 else 0 end)] | @tsv'
}

# Columns: object, tests, seeds, seeds found by all tests, seeds found by the selection, ms of record and
# select, then tests, bugs, tr, wall_ms, apfd of each technique; last, tests with more than one thread and
# those of them that are selected.
for o in "${objects[@]}"; do
    seeds "$o" >"$dir/$o/seeds.tsv"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$o" "$(jq '.tests | length' "$dir/$o/experiment.json")" \
        "$(awk '{ n++; all += $3; ours += $4 } END { print n "\t" all "\t" ours }' "$dir/$o/seeds.tsv")" \
        "$(tr ' ' '\t' <"$dir/$o/ms")" \
        "$(jq -r '[.techniques as $t | ("rta", "dejavu", "simrt-n", "simrt", "random-s", "simrt-a", "abc", "random")
            | . as $n | $t[] | select(.name == $n) | .tests, .bugs, .tr, .wall_ms, (.apfd // -1)] | @tsv' \
            "$dir/$o/experiment.json")" \
        "$(jq -rn --slurpfile experiment "$dir/$o/experiment.json" --slurpfile selection "$dir/$o/select.json" '
            [$experiment[0].tests[] | select(.threads > 1) | .name] as $threaded
            | [($threaded | length), ([$selection[0].selected[].name | select(. as $t | $threaded | index($t))] | length)]
            | @tsv')"
done >"$dir/rows.tsv"
for o in "${objects[@]}"; do
    printf '%s' "$o"
    for variant in same harmless O0 O2 comments moved; do
        printf '\t%s' "$(jq '.selected | length' "$dir/$o/select-$variant.json")"
    done
    echo
done >"$dir/harmless.tsv"
for o in "${objects[@]}"; do cat "$dir/$o/seeds.tsv"; done >"$dir/seeds.tsv"
for o in "${objects[@]}"; do cat "$dir/$o/single.tsv"; done >"$dir/single.tsv"
seconds=$(cat "$dir/seconds" 2>/dev/null || echo 0)

awk -F'\t' -v seconds="$seconds" -v jobs="$jobs" -v cores="$(nproc)" -v repeat="$repeat" \
    -v harmless="$dir/harmless.tsv" -v seeds="$dir/seeds.tsv" \
    -v single="$dir/single.tsv" -f "$bench/table.awk" "$dir/rows.tsv" \
    >"$dir/table.txt" && rc=0 || rc=$?
cat "$dir/table.txt"
[ $rc -le 1 ] || exit 3
if [ -n "$page" ]; then
    awk '{ sub(/ +$/, "") } NF { print "    " $0 } !NF' "$dir/table.txt" |
        "$root/scripts/measured.sh" "$page" simrt || exit 3
fi
[ $rc = 0 ] || { echo "repro-simrt: a goal was missed" >&2; exit 1; }
