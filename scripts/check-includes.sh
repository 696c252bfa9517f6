#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-includes.sh - include edges between modules, and between their rooms, go down only.
#
# The edges are those of src/README.md, which this script reads: one table, one truth. A module has
# rooms if the README has rows "module/room"; such a row may name only rooms of rows before it. Files
# that lie in no room (a main.c, a header for other modules) may include them all.
# Also: a header *_int.h is for its own folder; wire/ is freestanding; engine_int.h, the whole
# campaign, is for .c files of the rooms that work on one.
set -eu
cd "$(dirname "$0")/.."

find src -name '*.[chS]' | sort | xargs awk '
    BEGIN {
        # The rows "| module | may include | ... |" of src/README.md.
        while ((getline line < "src/README.md") > 0) {
            if (line !~ /^\| `[a-z]+(\/[a-z]+)?` \|/) continue
            n = split(line, cell, "|")
            gsub(/[` ]/, "", cell[2])
            gsub(/[` ]/, "", cell[3])
            module = cell[2]
            prefix = sub(/\/.*/, "", module) ? module "/" : ""
            known[cell[2]] = 1
            if (prefix != "") rooms[module] = 1
            m = split(cell[3], targets, ",")
            for (i = 1; i <= m; i++) {
                allowed[cell[2], prefix targets[i]] = 1
                if (prefix != "" && !((prefix targets[i]) in known)) {
                    printf "src/README.md: %s may include %s, which is not above it\n", cell[2],
                        prefix targets[i]
                    bad = 1
                }
            }
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
        if (!(from in rooms) || to != from || p[n] ~ /\.def$/) next
        if (!(4 in part)) next # beside the rooms: a header for other modules
        from = from "/" part[3]
        if (!(from in known)) { fail("room " from " is not in src/README.md"); next }
        if (path == "engine/engine_int.h" &&
            (FILENAME ~ /\.h$/ || from ~ /\/(schedule|target|free)$/))
            fail("\"" path "\" is for .c files of engine/plan and the rooms below it")
        to = n > 2 && ((p[1] "/" p[2]) in known) ? p[1] "/" p[2] : from
        if (to != from && !((from, to) in allowed))
            fail("include edge " from " -> " to " is not allowed (src/README.md)")
        if (to != from && p[n] ~ /_int\.h$/)
            fail("\"" path "\" is internal to " to)
    }
    END { exit bad }'
