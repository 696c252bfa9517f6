#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-size.sh - a file has at most 800 lines, a function at most 80.
#
# Exceptions are listed in scripts/size-exceptions.txt as "path lines" or
# "path:function lines"; the number may only go down, and a line that is no longer
# needed is an error too. Functions are found by the house style: name at the start of
# a line, braces in the first column.
set -eu
cd "$(dirname "$0")/.."

find src tests/unit tests/fuzz tests/proofs tests/support $(ls -d include 2>/dev/null) -name '*.[ch]' | sort | xargs awk '
    BEGIN {
        while ((getline line < "scripts/size-exceptions.txt") > 0)
            if (line !~ /^#/ && split(line, f, " ") == 2) exception[f[1]] = f[2]
    }
    function check(what, n, limit) {
        if (what in exception) {
            used[what] = 1
            if (n > exception[what]) {
                printf "%s: %d lines, more than its exception of %d\n", what, n, exception[what]
                bad = 1
            } else if (n <= limit) {
                printf "%s: %d lines, its exception is no longer needed\n", what, n
                bad = 1
            }
        } else if (n > limit) {
            printf "%s: %d lines, the limit is %d\n", what, n, limit
            bad = 1
        }
    }
    FNR == 1 {
        if (file != "") check(file, lines, 800)
        file = FILENAME
        start = 0
    }
    { lines = FNR }
    /^[A-Za-z_][A-Za-z_0-9]*\(/ { name = $0; sub(/\(.*/, "", name) }
    /^\{$/ { start = FNR }
    /^\}$/ && start { check(file ":" name, FNR - start - 1, 80); start = 0 }
    END {
        check(file, lines, 800)
        for (w in exception)
            if (!(w in used)) { printf "%s: listed in size-exceptions.txt, but not there\n", w; bad = 1 }
        exit bad
    }'
