#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-text.sh - no tabs in C, no trailing blanks, at most 100 columns, a newline last.
set -eu
cd "$(dirname "$0")/.."
bad=0

find src tests examples bench $(ls -d include 2>/dev/null) \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.def' -o -name '*.js' -o -name '*.css' \) -type f |
    sort | xargs awk '
    { chars = $0; gsub(/[\200-\277]/, "", chars) } # count code points, not bytes
    /\t/ { printf "%s:%d: a tab\n", FILENAME, FNR; bad = 1 }
    /[ \t]$/ { printf "%s:%d: trailing blank\n", FILENAME, FNR; bad = 1 }
    length(chars) > 100 { printf "%s:%d: %d columns\n", FILENAME, FNR, length(chars); bad = 1 }
    END { exit bad }' || bad=1
for f in $(find src tests scripts docs $(ls -d include 2>/dev/null) -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.md' \
    -o -name '*.def' \)); do
    [ ! -s "$f" ] || [ "$(tail -c 1 "$f" | od -An -c | tr -d ' ')" = '\n' ] || {
        echo "$f: no newline at the end"
        bad=1
    }
done
exit $bad
