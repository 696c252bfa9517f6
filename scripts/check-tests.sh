#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-tests.sh - both halves of every verdict test, and directives that exist.
#
# A program that must be flagged comes with the nearest correct program that must not be.
set -eu
cd "$(dirname "$0")/.."
bad=0
say() { echo "$*"; bad=1; }

for f in tests/must_find/*.c tests/must_find/*.cpp; do
    [ -e "$f" ] || continue
    [ -e "tests/must_pass/${f##*/}" ] || say "$f: no correct twin in tests/must_pass"
    sed -n 1,40p "$f" | grep -q 'BURL-KIND: *[a-z]' || say "$f: no BURL-KIND"
done
known='KIND|ALSO|CFLAGS|ARGS|PROG-ARGS|ENGINES|NEVER|SEQUENTIAL|WHY|TIMEOUT|ROWS|NATIVE'
for f in tests/must_find/* tests/must_pass/* tests/interpose/*; do
    [ -f "$f" ] || continue
    wrong=$(sed -n 1,40p "$f" | sed -n 's/^[ \/*]*BURL-\([A-Z-]*\):.*/\1/p' | grep -vxE "$known" || :)
    [ -z "$wrong" ] || say "$f: unknown directive BURL-$wrong"
done
exit $bad
