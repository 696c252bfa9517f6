#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/lint.sh [build] - all checks; ends non-zero when one of them fails.
set -u
cd "$(dirname "$0")/.." || exit 3
build=${1-build}
failed=0
n=0

for check in scripts/check-*.sh; do
    n=$((n + 1))
    if out=$(sh "$check" "$build" 2>&1); then
        echo "ok       ${check#scripts/}${out:+ ($out)}"
    else
        echo "FAILED   ${check#scripts/}"
        echo "$out" | sed 's/^/    /'
        failed=$((failed + 1))
    fi
done
echo "lint: $n checks, $failed failed"
[ "$failed" -eq 0 ]
