#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-interpose.sh - wire/libfn.def, the runtime and tests/interpose name the same functions.
#
# The rows RT(...) decide. Each must be exported by the library, and each must be exercised by a test, which
# says so in its head (BURL-ROWS). What is not there yet is skipped, and said.
set -eu
cd "$(dirname "$0")/.."
bad=0
build=${1-build}
def=src/wire/libfn.def

# "name family files order" of the interposed ones; files: "yes" if the row has STATE(FILES, ...).
orders=$(printf '#include "wire/libfn.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc '-DRT(name,family,order,...)=ROW name family order __VA_ARGS__ ;' - |
    tr ';' '\n' | sed -n 's/^ *ROW //p' |
    awk '{ files = /STATE\(FILES/ ? "yes" : "no"; split($0, part, "\""); print part[1], files, part[2] }')
rows=$(echo "$orders" | sed 's/ .*//' | sort)
[ "$(echo "$rows" | wc -l)" -gt 300 ] || { echo "$def: rows that cannot be read"; exit 1; }

# Each row says how its order against other threads is explored, in terms that exist.
has() { grep -qw -- "$1" $2; }
# Operations that burl__dpor_touch() distinguishes: accesses, its sets of kinds, its switch.
touched=$(grep '^#define BURL_KINDS_\(ONLY_READ\|UPDATE\|STORE\) ' src/rt/core/op.h
    sed -n '/^#define KINDS_NOTHING/,/^}/p' src/rt/search/dpor_ops.c)
handled() { echo "$touched" | grep -q "case BURL_OP_$1:\|BURL_KIND($1)"; }
while read -r name family files how what; do
    f=src/rt/interpose/$family.c
    case $how in
    point:)
        has "X($what," src/wire/event.h || { echo "$name: no operation $what"; bad=1; }
        handled "$what" || [ "$what" = EXIT_PROCESS ] ||
            { echo "$name: dpor_ops.c has no case for $what"; bad=1; }
        case $what in
        STATE) has 'burl__state_\(call\|point\)' $f || { echo "$f: $name is no STATE"; bad=1; } ;;
        INIT) has 'burl__init_\(point\|with\)\|BURL_OP_INIT' $f ||
            { echo "$f: $name is no INIT"; bad=1; } ;;
        *) has "BURL_OP_$what" 'src/rt/interpose/*.c src/rt/sched/sched.c' ||
            { echo "$name: no interposer announces $what"; bad=1; } ;;
        esac
        ;;
    access:)
        has burl_rt_call_access $f || { echo "$f: $name accesses nothing"; bad=1; }
        ;;
    doubt:)
        case $what in
        FILES) [ "$files" = yes ] || { echo "$name: no STATE(FILES, ...)"; bad=1; } ;;
        UNSUPPORTED) has burl_rt_unsupported $f || { echo "$f: $name is supported"; bad=1; } ;;
        HIDDEN) has 'burl__state_doubt\(_call\)\?' $f || { echo "$f: $name is no doubt"; bad=1; } ;;
        *) has "BURL_SEARCH_UNSURE_$what" src/wire/result.h ||
            { echo "$name: no reason $what"; bad=1; } ;;
        esac
        ;;
    private:)
        [ "$(echo "$what" | wc -w)" -ge 4 ] || { echo "$name: why is it private?"; bad=1; }
        ;;
    *) echo "$name: \"$how\" is not point, access, doubt or private"; bad=1 ;;
    esac
done <<EOF
$orders
EOF

# The library itself is asked: the list in rt.map is made from the rows, the functions are not.
if [ -e "$build/libburl_rt.so" ]; then
    exported=$(nm -D --defined-only "$build/libburl_rt.so" | awk '{ print $NF }' | sed 's/@.*//' | sort -u)
    for f in $rows; do
        echo "$exported" | grep -qx "$f" || { echo "libburl_rt.so does not define $f"; bad=1; }
    done
else
    echo "skipped: no $build/libburl_rt.so yet"
fi

# "BURL-ROWS: name name ..." at the head of a test says which rows it exercises; further lines of
# names may follow it.
if ls tests/interpose/*.* >/dev/null 2>&1; then
    words=$(for f in tests/interpose/*.*; do
        sed -n '1,40{/BURL-ROWS:/,/BURL-[A-QS-Z]\|\*\//p}' "$f"
    done | grep -oE '[a-zA-Z_][a-zA-Z_0-9]*' | sort -u)
    for f in $rows; do
        echo "$words" | grep -qx "$f" || { echo "tests/interpose: BURL-ROWS of no test has $f"; bad=1; }
    done
else
    echo "skipped: no tests in tests/interpose yet"
fi
exit $bad
