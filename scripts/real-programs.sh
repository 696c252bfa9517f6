#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/real-programs.sh - builds real programs with clang and with `burl cc`, and compares.
#
# Each program comes as an unchanged Debian source package, is built twice by its
# own build system, and must behave the same both times; the CPU time of the two
# builds is compared too. The sources are fetched through a private apt
# configuration made from the machine's own, so nothing of the system changes.
#
#     scripts/real-programs.sh [--burl=PATH] [--dir=DIR] [--max-ratio=1.5] [--late] [PROGRAM...]
#
# Programs: lz4 zlib pbzip2 leveldb sqlite3; the default is all whose sources and tools can be
# had. --dir keeps the work there, and a second run takes the downloads from it.
# Exit codes: 0 all the same and cheap enough, 1 not, 77 when fewer could be had than asked for
# (four when none is named).
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
burl=${BURL:-$root/build/burl}
dir=
max_ratio=1.5
late=
wanted=()
for arg in "$@"; do
    case $arg in
        --burl=*) burl=${arg#*=} ;;
        --dir=*) dir=${arg#*=} ;;
        --max-ratio=*) max_ratio=${arg#*=} ;;
        --late) late=--late ;;
        -*) sed -n '/^# scripts/,/^# (four/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) wanted+=("$arg") ;;
    esac
done
n_wanted=${#wanted[@]}
[ $n_wanted -gt 0 ] || { wanted=(lz4 zlib pbzip2 leveldb sqlite3); n_wanted=4; }
case $burl in /*) ;; *) burl=$PWD/$burl ;; esac
[ -x "$burl" ] || { echo "real-programs: no $burl: run make first" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-real.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
clang=${BURL_CLANG:-clang-19}
clangxx=${clang/clang/clang++}
export BURL_CC_FLAGS=$late

# ---- sources

. "$root/scripts/sources.inc"

fetch() { # NAME: the upstream tarball of a source package, unpacked twice
    local name=$1 tarball way
    tarball=$(source_tarball "$name") || return 1
    for way in plain burl; do
        rm -rf "$dir/$name.$way"
        mkdir "$dir/$name.$way"
        tar xf "$tarball" -C "$dir/$name.$way" --strip-components=1
    done
}

# ---- the programs: tools_X what it needs, build_X with $CC and $CXX, run_X what it prints

text() { # some input that compresses, the same for both builds
    [ -e "$dir/text" ] || cat "$dir"/dl/*/*.dsc "$root"/src/*/*.[ch] >"$dir/text"
    cat "$dir/text"
}

tools_lz4() { :; }
build_lz4() { make -C programs CC="$CC" lz4; }
run_lz4() {
    text >in
    programs/lz4 -9 -c in | sha256sum
    programs/lz4 -9 -c in | programs/lz4 -d -c | cmp - in && echo same
    programs/lz4 -b1 -i1 in >/dev/null 2>&1; echo "bench $?"
}

tools_zlib() { :; }
build_zlib() { CC=$CC ./configure && make CC="$CC"; }
run_zlib() {
    text >in
    ./example
    ./minigzip <in | sha256sum
    ./minigzipsh <in | ./minigzipsh -d | cmp - in && echo same
}

tools_pbzip2() { [ -e /usr/include/bzlib.h ]; }
# Its format strings predate C++11.
build_pbzip2() { make CXX="$CXX" CXXFLAGS="-O2 -w -std=c++98" pbzip2; }
run_pbzip2() {
    text >in
    ./pbzip2 -p3 -b1 -c in | sha256sum
    ./pbzip2 -p3 -b1 -c in | ./pbzip2 -d -p2 -c | cmp - in && echo same
}

tools_leveldb() { command -v cmake >/dev/null; }
build_leveldb() {
    CC=$CC CXX=$CXX cmake -B out -DCMAKE_BUILD_TYPE=Release -DLEVELDB_BUILD_TESTS=OFF \
        -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF .
    cmake --build out
    cat >use.c <<'EOF'
#include <leveldb/c.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    char *err = NULL;
    leveldb_options_t *o = leveldb_options_create();
    leveldb_options_set_create_if_missing(o, 1);
    leveldb_options_set_write_buffer_size(o, 64 << 10);
    leveldb_t *db = leveldb_open(o, "db", &err);
    leveldb_writeoptions_t *w = leveldb_writeoptions_create();
    for (int i = 0; !err && i < 20000; i++) {
        char k[32], v[64];
        int kn = snprintf(k, sizeof k, "key%d", i * 7919 % 20000);
        int vn = snprintf(v, sizeof v, "value %d of many", i);
        leveldb_put(db, w, k, kn, v, vn, &err);
    }
    unsigned long n = 0, sum = 0;
    leveldb_iterator_t *it = leveldb_create_iterator(db, leveldb_readoptions_create());
    for (leveldb_iter_seek_to_first(it); leveldb_iter_valid(it); leveldb_iter_next(it)) {
        size_t len;
        const char *v = leveldb_iter_value(it, &len);
        for (size_t i = 0; i < len; i++)
            sum = sum * 31 + (unsigned char)v[i];
        n++;
    }
    leveldb_iter_destroy(it);
    leveldb_close(db);
    printf("%lu %lx %s\n", n, sum, err ? err : "ok");
    return 0;
}
EOF
    $CXX -x c use.c -Iinclude -x none out/libleveldb.a -o use -lpthread
}
run_leveldb() { rm -rf db; ./use; }

tools_sqlite3() { command -v tclsh >/dev/null; }
build_sqlite3() {
    CC=$CC ./configure --disable-tcl --disable-readline --disable-amalgamation CFLAGS=-O2
    make sqlite3 CC="$CC"
}
run_sqlite3() {
    rm -f t.db
    ./sqlite3 t.db <<'EOF'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
    insert into t select i, 'row ' || i, i * 0.5 from n;
create index tb on t(b);
select count(*), sum(c), max(b) from t where b like 'row 1%';
select substr(b, 1, 5), count(*) from t group by 1 order by 2 desc, 1 limit 5;
pragma integrity_check;
EOF
}

# ---- both builds

# build WAY NAME: leaves the CPU seconds in $dir/NAME.WAY.time
build() {
    local way=$1 name=$2
    if [ "$way" = plain ]; then
        CC=$clang CXX=$clangxx
    else
        CC="$burl cc" CXX="$burl c++"
    fi
    (
        cd "$dir/$name.$way"
        TIMEFORMAT='%U %S'
        time "build_$name" >"$dir/$name.$way.log" 2>&1 </dev/null
    ) 2>"$dir/$name.$way.time"
}

n_sites() { # of all instrumented files built for a program
    find "$1" -type f -executable -exec sh -c 'readelf -SW "$1" 2>/dev/null | grep -q " burl_sites "' sh {} \; \
        -print0 | xargs -0 -r -n 1 readelf -SW |
        awk '$0 ~ / burl_sites / { for (i = 1; i <= NF; i++) if ($i == "burl_sites") print $(i + 4) }' |
        while read -r hex; do echo $((16#$hex / 8)); done | awk '{ s += $1 } END { print s + 0 }'
}

n_done=0
failed=
total_plain=0
total_burl=0
printf '%-10s %9s %12s %12s %7s  %s\n' program sites 'clang CPU s' 'burl CPU s' ratio 'same output'
for name in "${wanted[@]}"; do
    if ! "tools_$name"; then
        printf '%-10s skipped: its build needs a tool that is not installed\n' "$name"
        continue
    fi
    if ! fetch "$name"; then
        printf '%-10s skipped: the source package could not be fetched\n' "$name"
        continue
    fi
    for way in plain burl; do
        if ! build $way "$name"; then
            printf '%-10s FAILED to build (%s), last lines of %s:\n' "$name" $way "$dir/$name.$way.log"
            tail -n 15 "$dir/$name.$way.log"
            failed=yes
            continue 2
        fi
        (cd "$dir/$name.$way" && "run_$name") >"$dir/$name.$way.out" 2>&1 || echo "exit code $?" >>"$dir/$name.$way.out"
    done
    n_done=$((n_done + 1))
    same=yes
    if ! cmp -s "$dir/$name.plain.out" "$dir/$name.burl.out"; then
        same=NO
        failed=yes
    fi
    p=$(awk '{ print $1 + $2 }' "$dir/$name.plain.time")
    b=$(awk '{ print $1 + $2 }' "$dir/$name.burl.time")
    total_plain=$(awk "BEGIN { print $total_plain + $p }")
    total_burl=$(awk "BEGIN { print $total_burl + $b }")
    sites=$(n_sites "$dir/$name.burl")
    [ "$sites" -gt 0 ] || failed=yes
    printf '%-10s %9d %12.1f %12.1f %7.2f  %s\n' "$name" "$sites" "$p" "$b" \
        "$(awk "BEGIN { print $b / $p }")" $same
    [ $same = yes ] || diff "$dir/$name.plain.out" "$dir/$name.burl.out" | head -n 10 || :
done
if [ $n_done -gt 0 ]; then
    ratio=$(awk "BEGIN { printf \"%.2f\", $total_burl / $total_plain }")
    printf '%-10s %9s %12.1f %12.1f %7s\n' total '' "$total_plain" "$total_burl" "$ratio"
    if awk "BEGIN { exit !($ratio > $max_ratio) }"; then
        echo "the builds cost more than $max_ratio times clang's"
        failed=yes
    fi
fi
[ -z "$failed" ] || exit 1
if [ $n_done -lt $n_wanted ]; then
    echo "only $n_done programs could be had; $n_wanted are wanted"
    exit 77
fi
