#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-includes.sh - include edges between modules go downwards only.
#
# The edges are those of src/README.md, which this script reads: one table, one truth.
# Also: a header named *_int.h or *_core.h of the runtime is for its own folder; wire/ is freestanding.
set -eu
cd "$(dirname "$0")/.."

find src -name '*.[chS]' | sort | xargs awk '
    BEGIN {
        # The rows "| module | may include | ... |" of src/README.md.
        while ((getline line < "src/README.md") > 0) {
            if (line !~ /^\| `[a-z]+` \|/) continue
            n = split(line, cell, "|")
            gsub(/[` ]/, "", cell[2])
            gsub(/[` ]/, "", cell[3])
            known[cell[2]] = 1
            m = split(cell[3], targets, ",")
            for (i = 1; i <= m; i++) allowed[cell[2], targets[i]] = 1
        }
    }
    function fail(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }
    /^[ \t]*#[ \t]*include[ \t]*</ {
        split(FILENAME, part, "/")
        if (part[2] == "wire" && $0 !~ /<(stdint|stddef|assert)\.h>/)
            fail("wire/ is freestanding: only stdint.h, stddef.h, assert.h")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split(FILENAME, part, "/")
        from = part[2]
        path = $0
        sub(/^[^"]*"/, "", path)
        sub(/".*/, "", path)
        if (!(from in known)) { fail("module " from " is not in src/README.md"); next }
        # "../wire/x.h", "wire/x.h" and "x.h" (own folder) are all in use.
        while (sub(/^\.\.\//, "", path)) up = 1
        n = split(path, p, "/")
        to = n > 1 && (p[1] in known) ? p[1] : from
        if (from == "rt" && p[1] == "cover") to = from # it has a folder of that name
        if (to != from && !((from, to) in allowed))
            fail("include edge " from " -> " to " is not allowed (src/README.md)")
        if (to != from && p[n] ~ /_int\.h$/)
            fail("\"" path "\" is internal to " to)
    }
    END { exit bad }'
