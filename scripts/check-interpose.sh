#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-interpose.sh - interpose.def, the runtime and tests/interpose name the same functions.
#
# The rows decide. Each must be exported by the library, and each must be exercised by a test, which
# says so in its head (BURL-ROWS). What is not there yet is skipped, and said.
set -eu
cd "$(dirname "$0")/.."
bad=0
build=${1-build}
def=src/rt/interpose/interpose.def

[ -e "$def" ] || { echo "skipped: no $def yet"; exit 0; }
rows=$(printf '#include "interpose.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc/rt/interpose '-DBURL_X(name,version,family,order)=ROW name' - 2>/dev/null |
    grep -o 'ROW [a-zA-Z_0-9]*' | sed 's/ROW //' | sort)
[ -n "$rows" ] || { echo "$def: no rows found"; exit 1; }
twice=$(echo "$rows" | uniq -d)
[ -z "$twice" ] || { echo "$def: twice:" $twice; bad=1; }

# Each row says how its order against other threads is explored, in terms that exist.
orders=$(printf '#include "interpose.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc/rt/interpose '-DBURL_X(name,version,family,order)=ROW name family order' - |
    grep '^ *ROW' | sed 's/^ *ROW //; s/"//g')
n_rows=$(echo "$rows" | wc -l)
[ "$(echo "$orders" | wc -l)" -eq "$n_rows" ] || { echo "$def: rows that cannot be read"; bad=1; }
has() { grep -qw -- "$1" $2; }
while read -r name family how what; do
    f=src/rt/interpose/$family.c
    case $how in
    point:)
        has "X($what," src/wire/event.h || { echo "$name: no operation $what"; bad=1; }
        has "case BURL_OP_$what:" src/rt/search/dpor_ops.c || [ "$what" = EXIT_PROCESS ] ||
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
        FILES) has "$name" src/instr/hidden.c || { echo "hidden.c: no $name"; bad=1; } ;;
        UNSUPPORTED) has burl_rt_unsupported $f || { echo "$f: $name is supported"; bad=1; } ;;
        HIDDEN) has burl__state_doubt $f || { echo "$f: $name is no doubt"; bad=1; } ;;
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
