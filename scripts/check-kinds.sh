#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-kinds.sh - finding kinds, their page, and the tests that name them agree.
set -eu
cd "$(dirname "$0")/.."
bad=0
page=docs/reference/finding-kinds.md

kinds=$(printf '#include "wire/control.h"\n#define X(name, text, finding) KIND finding text;\nBURL_WIRE_VERDICTS(X)\n' |
    ${CC:-cc} -E -P -x c -std=c11 -Isrc - | tr ';' '\n' | sed -n 's/^ *KIND 1 "\(.*\)"$/\1/p' | sort)
# Of several executions together, so no verdict of one.
kinds="$kinds
$(sed -n 's/^#define BURL_KIND_[A-Z_]* "\(.*\)"$/\1/p' src/finding/fingerprint.h)"
[ -n "$kinds" ] || { echo "no finding kinds in BURL_WIRE_VERDICTS"; exit 1; }
documented=$(sed -n 's/^##* `\([a-z.-]*\)`.*/\1/p' "$page" 2>/dev/null | sort)

for k in $kinds; do
    echo "$documented" | grep -qx "$k" || { echo "$page: no heading for \`$k\`"; bad=1; }
done
for k in $documented; do
    echo "$kinds" | grep -qx "$k" || { echo "$page: \`$k\` is not a kind any more"; bad=1; }
done
# The sentences of reports: one entry for each kind.
explained=$(sed -n 's/^    { "\([a-z.-]*\)", .*/\1/p' src/report/finding/kinds.c | sort)
[ "$explained" = "$(echo "$kinds" | sort)" ] || {
    echo "src/report/finding/kinds.c has other kinds than BURL_WIRE_VERDICTS, or one twice"
    bad=1
}
# A directive with a kind that does not exist could never be met.
for f in tests/must_find/*.c*; do
    [ -e "$f" ] || continue
    for k in $(sed -n '1,40s/.*BURL-\(KIND\|NEVER\):\(.*\)/\2/p' "$f" | tr '|*/' '   '); do
        echo "$kinds" | grep -qx "$k" || { echo "$f: unknown kind $k"; bad=1; }
    done
done
exit $bad
