#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# bench/simrt/reveal.sh [--build=DIR] [--dir=DIR] [--time=TIME] [--only=VARIANTS] [--write] [object ...]
#
# Which test reveals which seeded regression: runs every test under `burl test`, for both correct
# versions, the harmless variant and each seed, and prints a matrix (tests down, variants across;
# x: at least one finding). --write puts the tests into the last column of seeds.txt. Findings are
# kept in DIR/<object>/<variant>.tsv: test, kind, title.
#
# Exit code: 1 if a correct version, the harmless variant or a unit test, which has no threads, has a
# finding, a seed is revealed by no test or by more than half of those in tests.c, or no finding has
# the title that seeds.txt expects.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build
dir=
time=5s
only=
write=
objects=
for a; do
    case $a in
    --build=*) build=${a#*=} ;;
    --dir=*) dir=${a#*=} ;;
    --time=*) time=${a#*=} ;;
    --only=*) only=${a#*=} ;;
    --write) write=1 ;;
    -*)
        sed -n '4s/^# /usage: /p' "$0" >&2
        exit 2
        ;;
    *) objects="$objects $a" ;;
    esac
done
[ "$objects" ] || objects="text hashmap treemap arraylist hashtable bitset"
build=$(cd "$build" && pwd)
if [ -z "$dir" ]; then
    dir=$(mktemp -d)
    trap 'rm -rf "$dir"' EXIT
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
tab=$(printf '\t')
bad=0

complain() {
    echo "reveal.sh: $*" >&2
    bad=1
}

# compile OBJECT VARIANT: into $dir/OBJECT/VARIANT
compile() {
    case $2 in
    v1) defs=-DVERSION=1 ;;
    v2) defs=-DVERSION=2 ;;
    harmless) defs="-DVERSION=1 -DHARMLESS" ;;
    *) defs="-DVERSION=2 -D$2" ;;
    esac
    make -s -C "$here" OBJECT="$1" OUT="$dir/$1/$2" CC="$build/burl-cc" DEFS="$defs"
}

# measure OBJECT VARIANT: one line per test and finding
measure() {
    cd "$dir/$1/$2"
    rm -rf stores
    mkdir stores
    : >"../$2.tsv"
    while read -r _ program t; do
        rc=0
        "$build/burl" test --dir="stores/$t" --time="$time" --quiet "$program" "$t" >out 2>&1 </dev/null || rc=$?
        case $rc in
        0) ;;
        1)
            # exit 1: the findings of this store
            "$build/burl" findings --dir="stores/$t" --json >out || :
            sed -n 's/^ *"kind": "\(.*\)",$/\1/p; s/^ *"title": "\(.*\)",$/\1/p' out |
                paste - - | sed "s/^/$t$tab/" >>"../$2.tsv"
            ;;
        *) complain "$1 $2 $t: burl test ended with $rc: $(tail -1 out)" ;;
        esac
    done <burl.tests
    cd "$here"
}

# check OBJECT VARIANT
check() {
    found=$(cut -f1 "$dir/$1/$2.tsv" | uniq | wc -l)
    all=$("$dir/$1/$2/tests" --list | wc -l)
    alone=$(cut -f1 "$dir/$1/$2.tsv" | uniq | { grep -Fx "$("$dir/$1/$2/tests_unit" --list)" || :; } | xargs)
    [ -z "$alone" ] || complain "$1: findings in $2 without threads: $alone"
    case $2 in
    SEED_ALL) return ;;
    SEED_*) ;;
    *)
        [ "$found" -eq 0 ] || complain "$1: findings in $2: $(cut -f1 "$dir/$1/$2.tsv" | uniq | xargs)"
        return
        ;;
    esac
    [ "$found" -gt 0 ] || complain "$1: no test reveals $2"
    [ $((2 * found)) -le "$all" ] || complain "$1: $found of $all tests reveal $2"
    title=$(awk -F '\t' -v s="$2" '$1 == s { print $5 }' "$1/seeds.txt")
    cut -f2- "$dir/$1/$2.tsv" | grep -Eq "$title" || complain "$1: $2: no title matches $title"
    [ "$write" ] || return 0
    awk -F '\t' -v OFS='\t' -v s="$2" -v t="$(cut -f1 "$dir/$1/$2.tsv" | uniq | xargs)" \
        '$1 == s { $6 = t != "" ? t : "-" } 1' "$1/seeds.txt" >"$dir/$1/seeds.txt"
    cp "$dir/$1/seeds.txt" "$1/seeds.txt"
}

cd "$here"
for o in $objects; do
    variants=${only:-v1 v2 harmless $(sed -n 's/^\(SEED_[0-9]*\).*/\1/p' "$o/seeds.txt" | xargs)}
    for v in $variants; do
        compile "$o" "$v"
        measure "$o" "$v"
        check "$o" "$v"
    done
    echo "$o: $variants"
    for t in $(cut -d: -f1 "$o/burl.tests"); do
        printf '  %-40s' "$t"
        for v in $variants; do
            if grep -q "^$t$tab" "$dir/$o/$v.tsv"; then printf ' x'; else printf ' .'; fi
        done
        echo
    done
done
exit $bad
