#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# scripts/noise-real.sh - real programs under noise: what they print must not change.
#
#     scripts/noise-real.sh [--build=build] [--dir=DIR] [--freq=500] [--strength=1] [PROGRAM...]
#
# Programs: pigz, pbzip2 (both compress with several threads), lz4 (its library in two threads) and
# memcached (with libevent; several clients over 127.0.0.1, then tests of its own suite). All are unchanged
# Debian sources, built with `burl-cc`. Each runs without noise, then under every seeding with noise at
# random places (for sleep, wait and busyWait: at shared variables, where noise at random places would take
# hours), then with haltOneThread and timeoutTamper. Output and exit code must be those of the run without
# noise. --dir keeps the work there, and a second run takes downloads and builds from it.
# Ends with 1 when something differs, 2 usage, 3 a build failed, 77 when fewer programs could be had than were
# named (three when none is).
set -euo pipefail
export LC_ALL=C
ulimit -c 0

root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build
dir=
freq=500
strength=1
programs=()
for arg in "$@"; do
    case $arg in
        --build=*) build=$(cd "${arg#*=}" && pwd) ;;
        --dir=*) dir=${arg#*=} ;;
        --freq=*) freq=${arg#*=} ;;
        --strength=*) strength=${arg#*=} ;;
        -*) sed -n '/^# scripts/,/^# named/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
        *) programs+=("$arg") ;;
    esac
done
n_wanted=${#programs[@]}
[ $n_wanted -gt 0 ] || { programs=(pigz pbzip2 lz4 memcached); n_wanted=3; }
[ -x "$build/burl" ] || { echo "noise-real: no $build/burl: run make first" >&2; exit 3; }
if [ -z "$dir" ]; then
    dir=$(mktemp -d "${TMPDIR:-/tmp}/burl-noise-real.XXXXXX")
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
rm -rf "$dir/store"
cksum <"$build/libburl_rt.so" >"$dir/burl"
. "$root/scripts/sources.inc"
export CC="$build/burl-cc" CXX="$build/burl-c++"

unpack() { # NAME: into $dir/src/NAME
    local tarball
    tarball=$(source_tarball "$1") || return 1
    # Built by another burl: built anew.
    cmp -s "$dir/src/$1/.unpacked" "$dir/burl" && return 0
    rm -rf "${dir:?}/src/$1"
    mkdir -p "$dir/src/$1"
    tar xf "$tarball" -C "$dir/src/$1" --strip-components=1 && cp "$dir/burl" "$dir/src/$1/.unpacked"
}

# ---- the programs: get_X sources, build_X in the source's directory, run_X prints what is compared.
# $noisy is the command that runs a program: nothing, or burl run with a setting.

text() { # some input that compresses
    [ -e "$dir/text" ] || cat "$root"/src/base/*.[ch] "$root"/src/wire/*.h >"$dir/text"
    cat "$dir/text"
}

get_pigz() { unpack pigz; }
build_pigz() { make CC="$CC" pigz; }
run_pigz() {
    text | $noisy ./pigz -p 4 -b 128 -c | sha256sum
    text | $noisy ./pigz -p 3 -b 128 -c | $noisy ./pigz -d -c | sha256sum
    $noisy ./pigz -t <(text | ./pigz -p 2) && echo tested
}

get_pbzip2() { [ -e /usr/include/bzlib.h ] && unpack pbzip2; }
build_pbzip2() { make CXX="$CXX" CXXFLAGS="-O2 -w -std=c++98" pbzip2; }
run_pbzip2() {
    text >in
    $noisy ./pbzip2 -p3 -b1 -c in | sha256sum
    $noisy ./pbzip2 -p3 -b1 -c in | $noisy ./pbzip2 -d -p2 -c | cmp - in && echo same
    ./pbzip2 -p2 -b1 -c in >in.bz2
    $noisy ./pbzip2 -t -p3 in.bz2 && echo tested
}

# Every access of the compressor is a place for noise: blocks are small.
get_lz4() { unpack lz4; }
build_lz4() {
    $CC -O2 -g -DBLOCK_B=2048 -DN_BLOCKS=4 -Ilib "$root/bench/overhead/lz4_threads.c" lib/lz4.c lib/lz4hc.c \
        -o lz4_threads -lpthread
}
run_lz4() { $noisy ./lz4_threads 2; }

get_memcached() { command -v prove >/dev/null && unpack libevent && unpack memcached; }
build_memcached() {
    (cd "$dir/src/libevent" && ./configure --disable-openssl --disable-shared --disable-samples \
        --disable-libevent-regress --prefix="$dir/libevent" && make -j2 install)
    ./configure --with-libevent="$dir/libevent" --disable-docs --disable-coverage
    # The server without its assertions, and the one that its tests start.
    make -j2 memcached memcached-debug timedrun
    mv memcached-debug memcached-tested
    printf '#!/bin/sh\nexec $BURL_NOISE_REAL "${0%%-debug}-tested" "$@"\n' >memcached-debug
    chmod +x memcached-debug
}

# client PORT NUMBER: a dialog about keys of its own; prints the answers.
client() {
    local line i
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return 1
    for i in 1 2 3 4 5 6 7 8; do
        printf 'set k%s.%s 0 0 6\r\nvalue%s\r\nget k%s.%s\r\n' "$2" $i $i "$2" $i
        printf 'append k%s.%s 0 0 2\r\n++\r\nget k%s.%s\r\ndelete k%s.%s\r\nget k%s.%s\r\n' \
            "$2" $i "$2" $i "$2" $i "$2" $i
        printf 'set n%s 0 0 1\r\n5\r\nincr n%s 7\r\ndecr n%s 3\r\nincr common 0\r\n' "$2" "$2" "$2"
    done >&3
    printf 'quit\r\n' >&3
    while IFS= read -r line <&3; do
        printf '%s\n' "${line%$'\r'}"
    done | sed "s/[kn]$2/K/g" | sort | uniq -c
}

run_memcached() {
    local port pid i clients=()
    rm -f port
    MEMCACHED_PORT_FILENAME=$PWD/port $noisy ./memcached -u "$(id -un)" -l 127.0.0.1 -p -1 -U 0 -t 4 -m 8 \
        >server.log 2>&1 &
    pid=$!
    for i in $(seq 600); do
        [ -s port ] && grep -q 'TCP INET' port && break
        kill -0 $pid 2>/dev/null || break
        read -rt 0.1 <> <(:) || :
    done
    port=$(sed -n 's/^TCP INET: //p' port)
    for i in 1 2 3 4; do
        client "$port" $i >client$i.out &
        clients+=($!)
    done
    wait "${clients[@]}"
    cat client[1-4].out | sort | uniq -c
    kill -INT $pid
    wait $pid && echo "exit 0" || echo "exit $?"
    # Those that do not depend on time: others let items expire after a second.
    BURL_NOISE_REAL=$noisy prove -Q t/flags.t t/incrdecr.t t/noreply.t \
        t/bogus-commands.t t/line-lengths.t t/issue_42.t t/quit.t >prove.log 2>&1 && echo "tests pass" || { echo "tests fail"; tail -n 20 prove.log; }
}

# ---- all of it

now_ms() { echo $(($(date +%s%N) / 1000000)); }

settings=()
for seeding in yield synchYield mixed sleep wait busyWait; do
    case $seeding in
        yield | synchYield) settings+=("$seeding:freq=$freq,strength=$strength,place=random") ;;
        *) settings+=("$seeding:freq=$freq,strength=$strength,place=shared") ;;
    esac
done
settings+=("yield:freq=$freq,strength=$strength,place=random,halt"
    "yield:freq=$freq,strength=$strength,place=coverage,tamper")

n_had=0
failed=0
printf '%-10s %-52s %9s  %s\n' program noise ms same
for name in "${programs[@]}"; do
    if ! "get_$name"; then
        printf '%-10s skipped: its source, or a tool of its build, cannot be had\n' "$name"
        continue
    fi
    cd "$dir/src/$name"
    if [ ! -e .built ]; then
        "build_$name" >"$dir/$name.log" 2>&1 </dev/null ||
            { echo "noise-real: $name does not build, see $dir/$name.log" >&2; tail -n 5 "$dir/$name.log" >&2; exit 3; }
        touch .built
    fi
    n_had=$((n_had + 1))
    n=0
    for setting in '' "${settings[@]}"; do
        noisy=
        [ -z "$setting" ] || noisy="$build/burl run -q --detect=none --report=$dir/$name.report --dir=$dir/store --noise=$setting"
        out=$dir/$name.$n.out
        start=$(now_ms)
        (set +e; "run_$name") >"$out" 2>&1 </dev/null || echo "exit code $?" >>"$out"
        took=$(($(now_ms) - start))
        same=yes
        cmp -s "$dir/$name.0.out" "$out" || same=NO
        printf '%-10s %-52s %9d  %s\n' "$name" "${setting:-none}" $took $same
        if [ $same = NO ]; then
            failed=$((failed + 1))
            diff "$dir/$name.0.out" "$out" | head -n 10 || :
        fi
        n=$((n + 1))
    done
done
[ $failed -eq 0 ] || { echo "noise-real: $failed outputs differ" >&2; exit 1; }
[ $n_had -ge $n_wanted ] || { echo "noise-real: only $n_had programs could be had" >&2; exit 77; }
