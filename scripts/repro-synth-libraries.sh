#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/repro-synth-libraries.sh - `burl synth` on public libraries with their own sequential tests.
#
#     scripts/repro-synth-libraries.sh [--build=build] [--dir=DIR] [--time=SECONDS] [--page=FILE] [PATTERN...]
#
# Libraries: jansson, json-c, GLib, liburcu, SQLite, from Debian's packages; sources are fetched as
# source packages. What each run is and what was found is in bench/synth-libraries/README.md. PATTERN:
# runs whose names match ("glib-*"); the default is all. DIR keeps the JSON document and the findings of
# each run, and table.txt. --page: the table is written into that page.
# Ends with 1 when a run that must be silent finds something or another finds nothing; 2 usage, 3
# something could not be run, 77 when a library cannot be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0
# GLib's own allocator hands memory from one thread to another where no hook sees it.
export G_SLICE=always-malloc

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
seconds=30
page=
patterns=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --time=*) seconds=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        -*) sed -n '/^# scripts/,/^# something/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) patterns+=("$arg") ;;
    esac
done
[ ${#patterns[@]} -gt 0 ] || patterns=('*')
for f in "$build/burl" "$build/burl-api"; do
    [ -x "$f" ] && continue
    echo "repro-synth-libraries: no $f: run make" >&2
    exit 3
done
command -v jq >/dev/null || { echo 'repro-synth-libraries: needs jq' >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-synth-libraries.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
ours=$root/bench/synth-libraries
others=$root/bench/libraries
. "$root/scripts/sources.inc"

missing=
failed=
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

configure() { # NAME: its configuration headers, in $dir/made/NAME
    mkdir -p "$dir/made/$1"
    (cd "$dir/made/$1" && cmake "$dir/src/$1" >cmake.log 2>&1)
}

has_header() { printf '#include <%s>\n' "$1" | "${BURL_CLANG:-clang-19}" -fsyntax-only -x c - 2>/dev/null; }

# run NAME silent|finds HEADER [OPTION...] -- WORDS: one row of the table.
run() {
    local name=$1 want=$2 header=$3 code=0 pattern n chosen= options=()
    shift 3
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2254 # a pattern is what it is for
        case $name in $pattern) chosen=yes ;; esac
    done
    [ -n "$chosen" ] || return 0
    rm -rf "${dir:?}/$name"
    mkdir -p "$dir/$name"
    (cd "$dir/$name" && timeout -k 10 $((seconds * 4 + 120)) "$build/burl" synth --json --time="${seconds}s" \
        "${options[@]}" "$header" -- "$@" >run.json 2>run.err) || code=$?
    if [ $code -gt 1 ]; then
        printf '%-24s ended with %d: %s\n' "$name" $code "$(tail -n 2 "$dir/$name/run.err")"
        failed=yes
        return
    fi
    jq -r --arg name "$name" '[$name, (.phases | .functions, .seeds, .calls, .raw_pairs, .unique_pairs,
        .feasible_pairs, .tests_run, .tests, .met, .harmful), (.findings | length),
        ([.findings[].kind] | group_by(.) | map("\(length) \(.[0])") | join(", "))] | @tsv' \
        "$dir/$name/run.json" | tee -a "$dir/rows.tsv" | awk -F'\t' '{
            printf "%-24s %5d %5s %5s %9s %7s %9s %9s %5s %8s %9s  %s\n", $1, $2, $3, $4, $5, $6, $7, $8 "/" $9,
                $10, $11, $12, $13 }'
    n=$(jq -r '.findings | length' "$dir/$name/run.json")
    case $want$n in
        silent0 | finds[1-9]*) ;;
        *) printf '%-24s was to be: %s\n' '' "$want"; failed=yes ;;
    esac
}

jansson() {
    local s=$dir/src/jansson m=$dir/made/jansson flags api
    unpack jansson && configure jansson || { lacks jansson 'the source package jansson'; return; }
    # VALGRIND: its hash reads whole words, also beyond the end of a string, unless this is defined.
    flags=(-w -DVALGRIND -DHAVE_CONFIG_H "-I$m/include" "-I$m/private_include" "-I$s/src")
    api=$s/test/suites/api
    run jansson finds "$s/src/jansson.h" -- "$s"/src/*.c "$api/test_array.c" "$api/test_copy.c" \
        "$api/test_number.c" "${flags[@]}"
    run jansson-doc silent "$ours/jansson/doc.h" -- "$ours/jansson/doc.c" "$ours/jansson/test_doc.c" \
        "$s"/src/*.c "${flags[@]}"
    run jansson-doc-broken finds "$ours/jansson/doc.h" -- "$ours/jansson/doc.c" "$ours/jansson/test_doc.c" \
        "$s"/src/*.c "${flags[@]}" -DBROKEN
}

json_c() {
    local s=$dir/src/json-c m=$dir/made/json-c
    unpack json-c && configure json-c || { lacks json-c 'the source package json-c'; return; }
    run json-c-printbuf finds "$s/printbuf.h" -- "$s/printbuf.c" "$s/debug.c" "$s/tests/test_printbuf.c" \
        -w -D_GNU_SOURCE "-I$s" "-I$m"
}

glib() {
    local s=$dir/src/glib2.0/glib flags d=$ours/glib
    flags=$(pkg-config --cflags --libs glib-2.0 2>/dev/null) || { lacks glib libglib2.0-dev; return; }
    unpack glib2.0 || { lacks glib 'the source package glib2.0'; return; }
    flags="-w -DGLIB_COMPILATION -I$others/glib -I$s -I$s/.. $flags"
    # shellcheck disable=SC2086 # words of a command line
    {
        run glib-roster silent "$d/roster.h" -- "$d/roster.c" "$d/test_roster.c" "$s/ghash.c" \
            "$s/gqueue.c" "$s/glist.c" $flags
        run glib-roster-broken finds "$d/roster.h" -- "$d/roster.c" "$d/test_roster.c" "$s/ghash.c" \
            "$s/gqueue.c" "$s/glist.c" $flags -DBROKEN
    }
}

urcu() {
    local d=$others/liburcu
    has_header urcu/wfcqueue.h || { lacks urcu liburcu-dev; return; }
    run urcu-lfs silent "$d/lfs.h" -- "$d/lfs.c" -include "$d/marked.h"
    run urcu-wfcq finds "$d/wfcq.h" -- "$d/wfcq.c" -include "$d/marked.h"
}

sqlite() {
    has_header sqlite3.h || { lacks sqlite libsqlite3-dev; return; }
    run sqlite silent "$others/sqlite/store.h" --model-file="$others/sqlite/store_rules.burl" -- \
        "$others/sqlite/store.c" -lsqlite3
}

rm -f "$dir/rows.tsv"
{
    printf '%-24s %5s %5s %5s %9s %7s %9s %9s %5s %8s %9s  %s\n' run fns seeds calls raw unique feasible \
        tests met harmful findings kinds
    jansson
    json_c
    glib
    urcu
    sqlite
    [ -z "$failed" ] || echo FAILED
    [ -z "$missing" ] || echo MISSING
} >"$dir/table.txt" || exit 3
cat "$dir/table.txt"
if [ -n "$page" ] && [ -s "$dir/rows.tsv" ]; then
    { echo "Measured with at most $seconds seconds each."; echo
      sed 's/ *$//; s/^/    /' "$dir/table.txt"; } | "$root/scripts/measured.sh" "$page" synth-libraries || exit 3
fi
! grep -q '^FAILED' "$dir/table.txt" || exit 1
! grep -q '^MISSING' "$dir/table.txt" || exit 77
