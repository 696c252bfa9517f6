#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-banned.sh [build] - functions that must not be called.
#
# Everywhere: those without a length, without an error, or with hidden state. In the
# runtime, which lives in a foreign process (rule R1): everything of libc outside
# scripts/rt-libc.txt; the linked library is asked, so that nothing hides behind a macro.
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
bad=0

# Comments and strings are blanked, lines kept.
find src tests/unit tests/fuzz -name '*.[ch]' | sort | xargs awk '
    FNR == 1 { in_comment = 0 }
    {
        line = $0
        gsub(/\\./, "", line)
        gsub(/"[^"]*"/, "\"\"", line)
        out = ""
        while (line != "") {
            if (in_comment) {
                i = index(line, "*/")
                if (!i) break
                line = substr(line, i + 2)
                in_comment = 0
            } else {
                i = index(line, "/*")
                if (!i) { out = out line; break }
                out = out substr(line, 1, i - 1)
                line = substr(line, i + 2)
                in_comment = 1
            }
        }
        # A name in the first column is a definition: the runtime interposes some of these.
        if (match(out, /[^A-Za-z0-9_>.](strcpy|strcat|sprintf|vsprintf|gets|atoi|atol|strtok|system|rand|srand|tmpnam|mktemp)[ \t]*\(/)) {
            name = substr(out, RSTART, RLENGTH)
            gsub(/[^a-z]/, "", name)
            printf "%s:%d: %s is banned\n", FILENAME, FNR, name
            bad = 1
        }
    }
    END { exit bad }' || bad=1

if [ -e "$build/libburl_rt.so" ] && [ -e scripts/rt-libc.txt ]; then
    allowed=$(mktemp)
    sed 's/#.*//; s/[ \t]*$//; /^$/d' scripts/rt-libc.txt | sort -u >"$allowed"
    foreign=$(nm -D --undefined-only "$build/libburl_rt.so" | awk '{ print $NF }' |
        sed 's/@.*//' | sort -u | comm -23 - "$allowed")
    rm -f "$allowed"
    if [ -n "$foreign" ]; then
        echo "libburl_rt.so uses what scripts/rt-libc.txt does not allow:" $foreign
        bad=1
    fi
fi
exit $bad
