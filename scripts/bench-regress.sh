#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench-regress.sh - what recording a history costs, next to the uninstrumented program.
#
#     scripts/bench-regress.sh [--build=build] [--dir=DIR] [--rounds=5] [--page=FILE] [PROGRAM...]
#
# Programs: lz4 and sqlite, those of bench-overhead.sh. Each is built by plain clang and by `burl-cc`
# with hooks (early), --late and --record, all at -O2. Each build runs in turn with and without
# BURL_HISTORY; of each the least CPU time of all rounds counts. --dir keeps the work there, and a
# second run takes downloads from it. --page puts the tables between the marks of that page.
# Goal: recording with --record costs at most 2.0 times the uninstrumented run. It is judged in the
# table; only an error ends nonzero: 1 a program failed or recorded nothing, 77 a program's source
# could not be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
page=
rounds=5
programs=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --page=*) page=${arg#*=} ;;
        --rounds=*) rounds=${arg#*=} ;;
        -*) sed -n '/^# scripts/,/^# could not/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) programs+=("$arg") ;;
    esac
done
[ ${#programs[@]} -gt 0 ] || programs=(lz4 sqlite)
[ -x "$build/burl" ] || { echo "bench-regress: no $build/burl: run make first" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-regress.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
clang=${BURL_CLANG:-clang-19}
. "$root/scripts/sources.inc"

unpack() { # NAME
    local tarball
    tarball=$(source_tarball "$1") || return 1
    [ -e "$dir/src/$1/.ready" ] && return 0
    mkdir -p "$dir/src/$1"
    tar xf "$tarball" -C "$dir/src/$1" --strip-components=1 && touch "$dir/src/$1/.ready"
}

source_lz4() {
    unpack lz4 || return 1
    flags="-I$dir/src/lz4/lib"
    sources="$root/bench/overhead/lz4_threads.c $dir/src/lz4/lib/lz4.c $dir/src/lz4/lib/lz4hc.c"
}

source_sqlite() {
    unpack sqlite3 || return 1
    if [ ! -e "$dir/src/sqlite3/sqlite3.c" ]; then
        (cd "$dir/src/sqlite3" && ./configure && make sqlite3.c) >"$dir/sqlite3.log" 2>&1 || return 1
    fi
    flags="-I$dir/src/sqlite3 -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION"
    sources="$root/bench/overhead/sqlite_threads.c $dir/src/sqlite3/sqlite3.c"
}

compile() { # OUTPUT COMMAND...
    local out=$1
    shift
    # shellcheck disable=SC2086
    "$@" -O2 -g -w $flags $sources -o "$out" -lpthread -lm
}

measure() { # BUILD: CPU seconds and resident set, one line
    "$dir/measure" none "$dir/$1" 2>"$dir/err" | tail -n 1
}

row() { # LABEL NAME GOAL
    local cpu rss
    read -r cpu rss _ <<<"$(sort -n "$dir/$2.out" | head -n 1)"
    awk -v l="$1" -v c="$cpu" -v r="$rss" -v n="$native" -v g="$3" 'BEGIN {
        printf "  %-32s %8.3f %7.2fx %8.1f", l, c, c / n, r / 1024
        if (g > 0) printf "   goal %.1f %s", g, (c / n <= g) ? "met" : "MISSED"
        printf "\n" }'
}

bench() { # PROGRAM
    local b
    compile "$dir/native" "$clang"
    compile "$dir/early" "$build/burl" cc
    compile "$dir/late" "$build/burl" cc --late
    compile "$dir/record" "$build/burl" cc --record
    rm -f "$dir"/*.out
    for _ in $(seq "$rounds"); do
        for b in native early late record; do
            measure $b >>"$dir/$b.out" || return 1
            [ $b != native ] || continue
            rm -rf "$dir/hist"
            mkdir "$dir/hist"
            BURL_HISTORY=$dir/hist measure $b >>"$dir/$b-on.out" || return 1
            ls "$dir/hist"/*.hist >/dev/null || return 1
            du -k "$dir/hist" | cut -f1 >"$dir/$b.kb"
        done
    done
    native=$(sort -n "$dir/native.out" | head -n 1 | cut -d' ' -f1)
    echo "$1"
    printf '  %-32s %8s %8s %8s\n' '' 'CPU s' 'native' 'RSS MB'
    row 'native, clang -O2' native 0
    row 'burl-cc, not recording' early 0
    row 'burl-cc, recording' early-on 0
    row 'burl-cc --late, not recording' late 0
    row 'burl-cc --late, recording' late-on 0
    row 'burl-cc --record, not recording' record 0
    row 'burl-cc --record, recording' record-on 2.0
    echo "  file of recorded sites: $(cat "$dir/record.kb") kB"
}

status=0
cc -O2 -I"$root/src" "$root/bench/overhead/measure.c" -o "$dir/measure"
: >"$dir/table"
for program in "${programs[@]}"; do
    if ! "source_$program"; then
        echo "bench-regress: the source package of $program could not be had" >&2
        [ $status -ne 0 ] || status=77
        continue
    fi
    if ! bench "$program" >"$dir/part"; then
        echo "bench-regress: $program failed" >&2
        cat "$dir/err" >&2
        exit 1
    fi
    cat "$dir/part"
    cat "$dir/part" >>"$dir/table"
done
if [ -n "$page" ] && [ $status -eq 0 ]; then
    { echo '```'; cat "$dir/table"; echo '```'; } | sh "$root/scripts/measured.sh" "$page" overhead
fi
exit $status
