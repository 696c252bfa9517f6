#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/demo.sh [build] - what a first user sees: hunt in the examples, show one, replay it.
#
# Every example is a folder of examples/ with a Makefile that honors CC, CXX and OUT, or a
# single .c or .cpp file. Ends non-zero when the promised finding does not show.
set -u
cd "$(dirname "$0")/.." || exit 3
build=$(cd "${1-build}" && pwd) || exit 3
work=$(mktemp -d) || exit 3
trap 'rm -rf "$work"' EXIT
first=
found=0

say() { printf '\n$ %s\n' "$*"; }

for src in examples/*.c examples/*.cpp examples/*/*.c examples/*/*.cpp; do
    [ -e "$src" ] || continue
    # A folder with a Makefile is one program, built by that Makefile.
    dir=$(dirname "$src")
    [ "$dir" != examples ] && [ -e "$dir/Makefile" ] && continue
    name=$(basename "$src")
    case $src in *.cpp) cc=c++ ;; *) cc=cc ;; esac
    say "burl $cc -g -O1 $src -o ${name%.*} -lpthread"
    "$build/burl" $cc -g -O1 "$src" -o "$work/${name%.*}" -lpthread || exit 3
    say "burl test --time=5s --stop-at-first ./${name%.*}"
    (cd "$work" && "$build/burl" test --time=5s --stop-at-first "./${name%.*}")
    code=$?
    [ $code -le 1 ] || { echo "demo: burl test ended with $code" >&2; exit 3; }
    [ $code -eq 1 ] && { found=$((found + 1)); first=${first:-1}; }
done
for mk in examples/*/Makefile; do
    [ -e "$mk" ] || continue
    dir=$(dirname "$mk")
    name=$(basename "$dir")
    say "CC=burl-cc make -C $dir"
    cp -r "$dir" "$work/$name-src"
    make -s -C "$work/$name-src" CC="$build/burl-cc" CXX="$build/burl-c++" || exit 3
    prog=$(find "$work/$name-src" -maxdepth 1 -type f -perm -u+x ! -name '*.*' | head -n 1)
    [ -n "$prog" ] || { echo "demo: $dir left no program" >&2; exit 3; }
    say "burl test --time=5s --stop-at-first ./$(basename "$prog")"
    (cd "$work" && "$build/burl" test --time=5s --stop-at-first "$prog")
    code=$?
    [ $code -le 1 ] || { echo "demo: burl test ended with $code" >&2; exit 3; }
    [ $code -eq 1 ] && { found=$((found + 1)); first=${first:-1}; }
done
[ "$found" -gt 0 ] || { echo "demo: nothing was found in examples/" >&2; exit 3; }

say "burl replay $first"
(cd "$work" && "$build/burl" replay "$first")
code=$?
[ $code -eq 1 ] || { echo "demo: the replay ended with $code, not 1" >&2; exit 3; }
printf '\nThe replay ended with exit code 1: reproduced exactly (same steps).\n'
printf '%d of the examples have findings; each can be replayed in the same way.\n' "$found"
