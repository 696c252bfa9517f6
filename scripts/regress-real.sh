#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/regress-real.sh - `burl regress` on a real project: c-blosc, with its own CTest suite.
#
#     scripts/regress-real.sh [--build=build] [--dir=DIR] [--page=FILE]
#
# c-blosc is a compression library with a pool of threads; its sources are fetched as a Debian source
# package and built by CMake with `burl-cc`. The suite is recorded as version `base`. Then one edit
# removes the lock around the sum of decompressed bytes in blosc.c (t_blosc), the library is rebuilt,
# and the script selects and runs. A second edit, of comments and blank lines only, must select
# nothing. DIR keeps everything. --page: the figures are written into that page.
# Ends with 1 when the race is not found or the harmless edit selects a test; 2 usage, 3 something
# could not be run, 77 when the sources cannot be had.
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
page=
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --page=*) page=$(cd "$(dirname "${arg#*=}")" && pwd)/$(basename "${arg#*=}") ;;
        *) sed -n '/^# scripts/,/^# could not/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
    esac
done
[ -x "$build/burl" ] || { echo "regress-real: no $build/burl: run make" >&2; exit 3; }
for tool in cmake ctest jq; do
    command -v $tool >/dev/null || { echo "regress-real: needs $tool" >&2; exit 3; }
done
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-regress-real.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
. "$root/scripts/sources.inc"

tarball=$(source_tarball c-blosc) || { echo 'regress-real: no sources of c-blosc' >&2; exit 77; }
rm -rf "$dir/src" "$dir/build" "$dir/store"
mkdir -p "$dir/src"
tar xf "$tarball" -C "$dir/src" --strip-components=1
blosc=$dir/src/blosc/blosc.c
cp "$blosc" "$dir/blosc.c.orig"

export PATH=$build:$PATH
# The bundled compressors are not in Debian's source package: its own one is enough here.
configure() {
    cmake -S "$dir/src" -B "$dir/build" -DCMAKE_C_COMPILER=burl -DCMAKE_C_COMPILER_ARG1=cc \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DBUILD_FUZZERS=OFF -DBUILD_BENCHMARKS=OFF \
        -DBUILD_STATIC=OFF -DDEACTIVATE_LZ4=ON -DDEACTIVATE_ZLIB=ON -DDEACTIVATE_ZSTD=ON \
        -DDEACTIVATE_SNAPPY=ON -DDEACTIVATE_SYMBOLS_CHECK=ON
}
make_project() { make -C "$dir/build" -j2; }
logged() { # WHAT COMMAND...
    local what=$1
    shift
    "$@" >"$dir/$what.log" 2>&1 && return 0
    echo "regress-real: $what failed; see $dir/$what.log" >&2
    tail -n 5 "$dir/$what.log" >&2
    exit 3
}
regress() { # SUB NAME OPTIONS...: the JSON document in $dir/NAME.json
    local sub=$1 name=$2 got=0
    shift 2
    "$build/burl" regress "$sub" --ctest="$dir/build" --dir="$dir/store" --json "$@" \
        >"$dir/$name.json" 2>"$dir/$name.err" || got=$?
    [ $got -le 1 ] && return 0
    echo "regress-real: burl regress $sub ended with $got" >&2
    cat "$dir/$name.err" >&2
    exit 3
}
seconds() { awk -v a="$1" -v b="$(date +%s%N)" 'BEGIN { printf "%.1f", (b - a) / 1e9 }'; }

logged configure configure
logged make-base make_project
start=$(date +%s%N)
regress record record --as=base
record_s=$(seconds "$start")

sed 's|/\* Sum up all the bytes decompressed \*/|&\n\n    /* Another comment. */\n|' \
    "$dir/blosc.c.orig" >"$blosc"
logged make-harmless make_project
regress select harmless --base=base

# The two calls around `num_output_bytes += ntbytes`.
awk '/num_output_bytes \+= ntbytes/ { sum = NR } { line[NR] = $0 }
     END { for (i = 1; i <= NR; i++)
               if (!((i == sum - 1 || i == sum + 1) && line[i] ~ /count_mutex/)) print line[i] }' \
    "$dir/blosc.c.orig" >"$blosc"
[ $(($(wc -l <"$dir/blosc.c.orig") - $(wc -l <"$blosc"))) -eq 2 ] ||
    { echo 'regress-real: the edit does not fit this version of c-blosc' >&2; exit 3; }
logged make-edited make_project
start=$(date +%s%N)
regress select select --base=base
select_s=$(seconds "$start")
start=$(date +%s%N)
regress run run --base=base --time=10m
run_s=$(seconds "$start")

count() { jq -r "$2" "$dir/$1.json"; }
tests=$(count select .n_tests)
selected=$(count select '.selected | length')
harmless=$(count harmless '.selected | length')
found=$(count run '[.findings[] | select(.class == "new" and .kind == "race.data")] | length')
{
    echo "    tests of the suite                        $tests"
    echo "    recorded in                               $record_s s"
    echo "    selected after the harmless edit          $harmless"
    echo "    selected after the lock was removed       $selected (in $select_s s)"
    echo "    new races found by the selected tests     $found (in $run_s s)"
    count run '.findings[] | select(.class == "new") | "    " + .title' | head -n 5
} >"$dir/table.txt"
cat "$dir/table.txt"
[ -z "$page" ] || sh "$root/scripts/measured.sh" "$page" regress-real <"$dir/table.txt"
[ "$found" -gt 0 ] && [ "$harmless" -eq 0 ]
