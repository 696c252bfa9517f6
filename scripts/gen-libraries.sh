#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/gen-libraries.sh - `burl gen` on public libraries, kept to their rules and against them.
#
#     scripts/gen-libraries.sh [--build=build] [--dir=DIR] [--time=SECONDS] [--seed=N] [--page=FILE]
#                              [PATTERN...]
#
# Libraries: Concurrency Kit, liburcu, GLib, SQLite, from Debian's packages; sources that headers
# do not have are fetched as source packages. What each run is and what was found is in
# bench/libraries/README.md. PATTERN: runs whose names match ("ck-*"); the default is all. DIR keeps
# the JSON document and the findings of each run, and table.txt. --page: the figures are written into
# the table of that page.
# Ends with 1 when a run that must be silent finds something or one against the rules finds nothing;
# 2 usage, 3 something could not be run, 77 when a library cannot be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
seconds=20
seed=0
page=
patterns=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --time=*) seconds=${arg#*=} ;;
        --seed=*) seed=${arg#*=} ;;
        --page=*) page=${arg#*=} ;;
        -*) sed -n '/^# scripts/,/^# 2 usage/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) patterns+=("$arg") ;;
    esac
done
[ ${#patterns[@]} -gt 0 ] || patterns=('*')
for f in "$build/burl" "$build/burl-api"; do
    [ -x "$f" ] && continue
    echo "gen-libraries: no $f: run make" >&2
    exit 3
done
command -v jq >/dev/null || { echo 'gen-libraries: needs jq' >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-libraries.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
lib=$root/bench/libraries
. "$root/scripts/sources.inc"

# ---- what is there

missing=
lacks() {
    printf '%-24s cannot be had: %s\n' "$1" "$2"
    missing=yes
}

unpack() { # NAME: the package's source, in $dir/src/NAME
    local tarball
    [ ! -e "$dir/src/$1/.done" ] || return 0
    tarball=$(source_tarball "$1") || return 1
    rm -rf "$dir/src/$1"
    mkdir -p "$dir/src/$1"
    tar xf "$tarball" -C "$dir/src/$1" --strip-components=1 && touch "$dir/src/$1/.done"
}

has_header() { printf '#include <%s>\n' "$1" | "${BURL_CLANG:-clang-19}" -fsyntax-only -x c - 2>"$dir/why"; }

header_path() { # NAME: where the compiler finds it
    printf '#include <%s>\n' "$1" | "${BURL_CLANG:-clang-19}" -M -x c - |
        tr ' \\' '\n\n' | grep "/$1\$" | head -n 1
}

# ---- one run

failed=

# run NAME silent|finds HEADER MODEL [OPTION...] -- WORDS: one line of the table.
run() {
    local name=$1 want=$2 header=$3 model=$4 code=0 pattern got n
    local options=()
    shift 4
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2254 # a pattern is what it is for
        case $name in $pattern) ;; *) continue ;; esac
        rm -rf "$dir/$name"
        mkdir -p "$dir/$name"
        (cd "$dir/$name" && timeout $((seconds * 4 + 120)) "$build/burl" gen --json --keep-going \
            --time="${seconds}s" --seed="$seed" ${model:+--model-file="$model"} "${options[@]}" \
            "$header" -- "$@" >run.json 2>run.err) || code=$?
        if [ $code -gt 1 ]; then
            printf '%-24s ended with %d:\n' "$name" $code
            tail -n 5 "$dir/$name/run.err"
            failed=yes
            return
        fi
        got=$(jq -r '
            def f: [.pairs[] | .a, .b] | unique | length;
            [ f, ([.pairs[] | select(.covered > 0)] | length), (.pairs | length), .stats.tests,
              .stats.executions, (.stats.tests * 1000 / ([.stats.wall_ms, 1] | max) | floor),
              (.findings | length), (if (.findings | length) > 0 then .stats.first_tests else "-" end),
              ([.findings[].kind] | group_by(.) | map("\(length) \(.[0])") | join(", ")) ] | @tsv' \
            "$dir/$name/run.json")
        n=$(printf '%s\n' "$got" | cut -f 7)
        printf '%s\t%s\n' "$name" "$got" >>"$dir/rows.tsv"
        printf '%s\t%s\n' "$name" "$got" | awk -F'\t' '{
            printf "%-24s %5d %9s %6d %9d %6d %8d %6s  %s\n", $1, $2, $3 "/" $4, $5, $6, $7, $8, $9, $10 }'
        case $want$n in
            silent0 | finds[1-9]*) ;;
            *) printf '%-24s was to be: %s\n' '' "$want"; failed=yes ;;
        esac
        return
    done
}

head_line() {
    printf '%-24s %5s %9s %6s %9s %6s %8s %6s  %s\n' run calls pairs tests runs 'per s' findings \
        'first' kinds
}

# ---- Concurrency Kit

ck() {
    local d=$lib/ck
    has_header ck_ring.h || { lacks ck libck-dev; return; }
    run ck-ring-mpmc finds "$d/ring.h" "$d/ring_mpmc.burl" -- "$d/ring.c"
    run ck-ring-mpmc-queue finds "$d/ring.h" "$d/ring_mpmc_strict.burl" -- "$d/ring.c"
    run ck-ring-mpmc-queue-norace silent "$d/ring.h" "$d/ring_mpmc_strict.burl" --detect=none -- \
        "$d/ring.c"
    run ck-ring-spsc-misuse finds "$d/ring.h" "$d/ring_spsc.burl" -- "$d/ring.c"
    run ck-ring-spsc silent "$d/ring.h" "$d/ring_spsc_rules.burl" -- "$d/ring.c"
    # Three functions at once: the pairs of CovCon's tests never are.
    run ck-ring-spsc-random finds "$d/ring.h" "$d/ring_spsc_rules.burl" --guide=random -- "$d/ring.c"
    run ck-stack silent "$d/stack.h" "$d/stack_rules.burl" -- "$d/stack.c"
    run ck-stack-header silent "$(header_path ck_stack.h)" "$d/ck_stack.burl" -- -w
    run ck-stack-single-misuse finds "$d/stack.h" "$d/stack_single.burl" -- "$d/stack.c"
    run ck-stack-freed-misuse finds "$d/stack.h" "$d/stack_freed.burl" -- "$d/stack.c"
    unpack ck || { lacks ck-set 'the source package ck'; return; }
    local s=$dir/src/ck/src
    run ck-set silent "$d/set.h" "$d/set_rules.burl" -- "$d/set.c" "$s/ck_hs.c" "-I$s"
    run ck-set-misuse finds "$d/set.h" "$d/set_bare.burl" -- "$d/set.c" "$s/ck_hs.c" "-I$s"
}

# ---- liburcu

urcu() {
    local d=$lib/liburcu m
    has_header urcu/wfcqueue.h || { lacks urcu liburcu-dev; return; }
    m=(-include "$d/marked.h")
    run urcu-wfcq-volatile finds "$d/wfcq.h" '' -- "$d/wfcq.c"
    run urcu-wfcq finds "$d/wfcq.h" '' -- "$d/wfcq.c" "${m[@]}"
    run urcu-wfcq-norace silent "$d/wfcq.h" '' --detect=none -- "$d/wfcq.c"
    run urcu-wfcq-misuse finds "$d/wfcq.h" "$d/wfcq_unlocked.burl" -- "$d/wfcq.c" "${m[@]}"
    run urcu-wfs-volatile finds "$d/wfs.h" '' -- "$d/wfs.c"
    run urcu-wfs silent "$d/wfs.h" '' -- "$d/wfs.c" "${m[@]}"
    run urcu-wfs-misuse finds "$d/wfs.h" "$d/wfs_unlocked.burl" -- "$d/wfs.c" "${m[@]}"
    run urcu-lfs-volatile finds "$d/lfs.h" '' -- "$d/lfs.c"
    run urcu-lfs silent "$d/lfs.h" '' -- "$d/lfs.c" "${m[@]}"
    run urcu-lfs-misuse finds "$d/lfs.h" "$d/lfs_unlocked.burl" -- "$d/lfs.c" "${m[@]}"
    run urcu-lfq silent "$d/lfq.h" "$d/lfq_rules.burl" -- "$d/lfq.c" "${m[@]}"
    run urcu-lfq-misuse finds "$d/lfq.h" '' -- "$d/lfq.c" "${m[@]}"
}

# ---- GLib

glib() {
    local d=$lib/glib flags h s
    flags=$(pkg-config --cflags --libs glib-2.0 2>/dev/null) || { lacks glib libglib2.0-dev; return; }
    h=$(pkg-config --variable=includedir glib-2.0)/glib-2.0/glib
    # shellcheck disable=SC2086 # words of a command line
    run glib-async-linked finds "$h/gasyncqueue.h" "$d/gasyncqueue.burl" -- "$d/linked.c" $flags
    unpack glib2.0 || { lacks glib-async 'the source package glib2.0'; return; }
    s=$dir/src/glib2.0/glib
    flags="-w -I$d -I$s -I$s/.. $flags"
    # shellcheck disable=SC2086
    {
        run glib-async finds "$h/gasyncqueue.h" "$d/gasyncqueue.burl" -- "$s/gasyncqueue.c" \
            "$s/gqueue.c" "$s/gthread-posix.c" $flags
        run glib-async-rules silent "$h/gasyncqueue.h" "$d/gasyncqueue_length.burl" -- \
            "$s/gasyncqueue.c" "$s/gqueue.c" "$s/gthread-posix.c" $flags
        # Locks of the installed library under code that is compiled here.
        run glib-async-gmutex silent "$h/gasyncqueue.h" "$d/gasyncqueue_length.burl" -- \
            "$s/gasyncqueue.c" "$s/gqueue.c" $flags
        run glib-queue-misuse finds "$h/gqueue.h" "$d/gqueue.burl" -- "$s/gqueue.c" $flags
    }
}

# ---- SQLite

sqlite() {
    local d=$lib/sqlite
    has_header sqlite3.h || { lacks sqlite libsqlite3-dev; return; }
    run sqlite silent "$d/store.h" "$d/store_rules.burl" -- "$d/store.c" -lsqlite3
    run sqlite-changes finds "$d/store.h" '' -- "$d/store.c" -lsqlite3
}

rm -f "$dir/rows.tsv"
{
    head_line
    ck
    urcu
    glib
    sqlite
    [ -z "$failed" ] || echo FAILED
    [ -z "$missing" ] || echo MISSING
} | tee "$dir/table.txt"
if [ -n "$page" ] && [ -s "$dir/rows.tsv" ]; then
    awk -F'\t' -v seconds="$seconds" -v seed="$seed" -f "$lib/rows.awk" "$dir/rows.tsv" "$page" >"$dir/page" || exit 3
    cp "$dir/page" "$page"
fi
! grep -q '^FAILED' "$dir/table.txt" || exit 1
! grep -q '^MISSING' "$dir/table.txt" || exit 77
