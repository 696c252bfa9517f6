#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench-overhead.sh - what watching costs, next to clang's ThreadSanitizer.
#
#     scripts/bench-overhead.sh [--build=build] [--dir=DIR] [--rounds=5] [--page] [PROGRAM...]
#
# Programs: lz4 (two threads compress and decompress), sqlite (two threads, own and common
# connections), hashmap (threads contend for the buckets). The libraries are unchanged Debian
# sources, compiled in. Each is built plainly, with -fsanitize=thread and with `burl-cc`, early and
# --late, all at -O2, and run in turn; of each the least CPU time of all rounds counts. The metrics
# of fitness functions are measured with a fifth of the work: F1 (AVIO, HB, SYNC), F2 (GLSC), all
# four. All metrics of coverage together go through one lock and are measured with less still.
# zstd, xz and redis are built by their own build systems (overhead-real.inc): plain, with
# ThreadSanitizer, with `burl cc`; the last also runs alone, without burl. Medians of the rounds.
# --page writes what was measured into bench/overhead/README.md.
# --dir keeps the work there, and a second run takes the downloads from it.
# Goals, in CPU time of ThreadSanitizer's: races 1.0, with --late 0.8; races and location pairs with
# --late 1.0; location pairs alone 0.9, with --late 0.6; in memory 1.0 each. In CPU time of burl's
# own race detector: F1 and F2 3.0 each. zstd, xz, redis: alone 3.0, 2.0, 2.0 of the plain program. They are judged in the table; only an error ends nonzero:
# 1 a program failed or a race was reported in it, 77 a program's source could not be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
rounds=5
page=
programs=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --rounds=*) rounds=${arg#*=} ;;
        --page) page=$root/bench/overhead/README.md ;;
        -*) sed -n '/^# scripts/,/^# 1 a program/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) programs+=("$arg") ;;
    esac
done
[ ${#programs[@]} -gt 0 ] || programs=(lz4 sqlite hashmap zstd xz redis)
[ -x "$build/burl" ] || { echo "bench-overhead: no $build/burl: run make first" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-overhead.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
clang=${BURL_CLANG:-clang-19}
. "$root/scripts/sources.inc"
. "$root/scripts/overhead-real.inc"

# ---- building: source_X says what to compile, $flags with what

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
    small=1
    fifth=2
    sources="$root/bench/overhead/lz4_threads.c $dir/src/lz4/lib/lz4.c $dir/src/lz4/lib/lz4hc.c"
}

source_sqlite() {
    unpack sqlite3 || return 1
    if [ ! -e "$dir/src/sqlite3/sqlite3.c" ]; then
        (cd "$dir/src/sqlite3" && ./configure && make sqlite3.c) >"$dir/sqlite3.log" 2>&1 || return 1
    fi
    small=1
    fifth=1
    flags="-I$dir/src/sqlite3 -DSQLITE_THREADSAFE=1 -DSQLITE_OMIT_LOAD_EXTENSION"
    sources="$root/bench/overhead/sqlite_threads.c $dir/src/sqlite3/sqlite3.c"
}

source_hashmap() {
    flags=
    small=20
    fifth=200
    sources=$root/bench/overhead/hashmap.c
}

compile() { # OUTPUT COMMAND...
    local out=$1
    shift
    # shellcheck disable=SC2086
    "$@" -O2 -g -w $flags $sources -o "$out" -lpthread -lm
}

# ---- measuring

measure() { # MODE PROGRAM ARGS...: "cpu rss races pairs"
    "$dir/measure" "$@" 2>"$dir/err" | tail -n 1
}

least() { # FILE: the line with the least CPU time
    sort -n "$1" | head -n 1
}


row() { # LABEL FILE GOAL [TSAN-FILE]
    local cpu rss races pairs tsan tsan_rss
    read -r cpu rss races pairs <<<"$(least "$2")"
    read -r tsan tsan_rss _ <<<"$(least "${4:-$dir/tsan.out}")"
    [ "$races" = 0 ] || { echo "bench-overhead: $1 reported $races races in a correct program" >&2
                          status=1; }
    awk -v l="$1" -v c="$cpu" -v r="$rss" -v t="$tsan" -v tr="$tsan_rss" -v n="$native" -v g="$3" \
        -v p="$pairs" 'BEGIN {
            printf "  %-26s %8.3f %7.1fx %9.2f %8.1f %8.2f", l, c, c / n, c / t, r / 1024, r / tr
            if (g > 0) printf "   goal %.1f %s", g, (c / t <= g) ? "met" : "MISSED"
            if (g > 0 && r > tr) printf ", memory MISSED"
            if (p > 0) printf "   %d pairs", p
            printf "\n" }'
}

# The metrics of fitness functions, next to the race detector of the same build and work.
row_metrics() { # LABEL FILE RACE-FILE GOAL
    local cpu rss race
    read -r cpu rss _ <<<"$(least "$2")"
    race=$(least "$3" | cut -d' ' -f1)
    awk -v l="$1" -v c="$cpu" -v r="$rss" -v n="$race" -v g="$4" 'BEGIN {
            printf "  %-26s %8.3f %9.2f %8.1f", l, c, c / n, r / 1024
            if (g > 0) printf "   goal %.1f %s", g, (c / n <= g) ? "met" : "MISSED"
            printf "\n" }'
}

page_metrics() { # LABEL BUILD: a row of the page's table
    local f races
    races=$(least "$dir/$2r.out" | cut -d' ' -f1)
    for f in f1 f2 f4; do least "$dir/$2$f.out" | cut -d' ' -f1; done |
        awk -v l="$1" -v n="$races" '{ c[NR] = $1 / n } END {
            printf "| %s | %.2f | %.2f | %.2f |\n", l, c[1], c[2], c[3] }' >>"$dir/metrics.page"
}

status=0
cc -O2 -I"$root/src" "$root/bench/overhead/measure.c" -o "$dir/measure"
real=()
rm -f "$dir/metrics.page"
for program in "${programs[@]}"; do
    case $program in zstd | xz | redis)
        real+=("$program")
        continue ;;
    esac
    echo "$program"
    if ! "source_$program"; then
        echo "  its source package could not be had" >&2
        [ $status -ne 0 ] || status=77
        continue
    fi
    compile "$dir/native" "$clang"
    compile "$dir/tsan" "$clang" -fsanitize=thread
    compile "$dir/early" "$build/burl" cc
    compile "$dir/late" "$build/burl" cc --late
    rm -f "$dir"/*.out
    for _ in $(seq "$rounds"); do
        for job in native:none:native tsan:none:tsan early:race:early late:race:late \
                   early:race+locpairs:earlyp late:race+locpairs:latep \
                   early:locpairs:earlyl late:locpairs:latel tsan:none:tsans:$small \
                   native:none:natives:$small late:metrics:latem:$small \
                   early:race:earlyr:$fifth early:f1:earlyf1:$fifth early:f2:earlyf2:$fifth \
                   early:four:earlyf4:$fifth late:race:later:$fifth late:f1:latef1:$fifth \
                   late:f2:latef2:$fifth late:four:latef4:$fifth; do
            IFS=: read -r binary mode name work <<<"$job"
            # shellcheck disable=SC2086
            if ! measure "$mode" "$dir/$binary" $work >>"$dir/$name.out"; then
                echo "bench-overhead: $program, $name: the program failed" >&2
                cat "$dir/err" >&2
                exit 1
            fi
        done
    done
    native=$(least "$dir/native.out" | cut -d' ' -f1)
    printf '  %-26s %8s %8s %9s %8s %8s\n' '' 'CPU s' 'native' 'of TSan' 'RSS MB' 'of TSan'
    row native "$dir/native.out" 0
    row ThreadSanitizer "$dir/tsan.out" 0
    row 'burl, races' "$dir/early.out" 1.0
    row 'burl --late, races' "$dir/late.out" 0.8
    row 'burl, races+pairs' "$dir/earlyp.out" 0
    row 'burl --late, races+pairs' "$dir/latep.out" 1.0
    row 'burl, pairs' "$dir/earlyl.out" 0.9
    row 'burl --late, pairs' "$dir/latel.out" 0.6
    echo "  metrics of fitness functions: $(basename "${sources%% *}" .c) $fifth"
    printf '  %-26s %8s %9s %8s\n' '' 'CPU s' 'of races' 'RSS MB'
    for build_ in early late; do
        late=$([ $build_ = early ] || echo ' --late')
        row_metrics "burl$late, races" "$dir/${build_}r.out" "$dir/${build_}r.out" 0
        row_metrics "burl$late, F1" "$dir/${build_}f1.out" "$dir/${build_}r.out" 3
        row_metrics "burl$late, F2" "$dir/${build_}f2.out" "$dir/${build_}r.out" 3
        row_metrics "burl$late, all four" "$dir/${build_}f4.out" "$dir/${build_}r.out" 0
        page_metrics "$program$late" "$build_"
    done
    echo "  with less work: $(basename "${sources%% *}" .c) $small"
    native=$(least "$dir/natives.out" | cut -d' ' -f1)
    row ThreadSanitizer "$dir/tsans.out" 0 "$dir/tsans.out"
    row 'burl --late, all metrics' "$dir/latem.out" 0 "$dir/tsans.out"
done
if [ ${#real[@]} -gt 0 ]; then
    real_table "${real[@]}" >"$dir/real.page"
    cat "$dir/real.page"
    [ -z "$page" ] || "$root/scripts/measured.sh" "$page" real <"$dir/real.page"
fi
if [ -n "$page" ] && [ -e "$dir/metrics.page" ]; then
    { echo '| program | F1 (AVIO, HB, SYNC) | F2 (GLSC) | all four |'
      echo '| --- | --- | --- | --- |'
      cat "$dir/metrics.page"; } | "$root/scripts/measured.sh" "$page" metrics
fi
exit $status
