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
def=src/rt/interpose.def

[ -e "$def" ] || { echo "skipped: no $def yet"; exit 0; }
rows=$(printf '#include "interpose.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc/rt '-DBURL_X(name,version,family)=ROW name' - 2>/dev/null |
    grep -o 'ROW [a-zA-Z_0-9]*' | sed 's/ROW //' | sort)
[ -n "$rows" ] || { echo "$def: no rows found"; exit 1; }
twice=$(echo "$rows" | uniq -d)
[ -z "$twice" ] || { echo "$def: twice:" $twice; bad=1; }

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
