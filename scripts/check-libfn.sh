#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-libfn.sh - wire/libfn.def is the only list of library functions.
#
# A function has one row. A source file of the modules below that names more than two functions of
# the table in its strings has a list of its own: the fact belongs into the table, as a column or a
# trait (base/libfn.h).
set -eu
cd "$(dirname "$0")/.."
bad=0
modules='src/instr src/analysis src/engine/target src/cover'

names=$(printf '#include "wire/libfn.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc '-DRT(name,...)=ROW name ;' '-DFN(name,...)=ROW name ;' - |
    tr ';' '\n' | sed -n 's/^ *ROW \([A-Za-z_0-9]*\) *$/\1/p' | sort)
[ "$(echo "$names" | wc -l)" -gt 1000 ] || { echo "wire/libfn.def: rows that cannot be read"; exit 1; }
twice=$(echo "$names" | uniq -d)
[ -z "$twice" ] || { echo "wire/libfn.def: twice:" $twice; bad=1; }

# Messages have other words between names, so the words of a string count up to the first that is no
# name.
find $modules -name '*.[ch]' | sort | xargs awk -v names="$names" '
    BEGIN {
        n = split(names, v, "\n")
        for (i = 1; i <= n; i++) known[v[i]] = 1
    }
    FNR == 1 { if (file != "") report(); file = FILENAME; split("", seen); n_seen = 0; list = "" }
    function report() {
        if (n_seen > 2) { printf "%s: a list of library functions of its own:%s\n", file, list; bad = 1 }
    }
    {
        line = $0
        while (match(line, /"[^"]*"/)) {
            text = substr(line, RSTART + 1, RLENGTH - 2)
            line = substr(line, RSTART + RLENGTH)
            k = split(text, word, " ")
            for (i = 1; i <= k && (word[i] in known); i++)
                if (!(word[i] in seen)) { seen[word[i]] = 1; n_seen++; list = list " " word[i] }
        }
    }
    END { report(); exit bad }' || bad=1
exit $bad
