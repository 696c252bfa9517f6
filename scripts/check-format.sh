#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-format.sh - says which .c files clang-format-19 would change.
#
# Headers are aligned by hand, where the tool has no words for our tables and members.
set -eu
cd "$(dirname "$0")/.."
tool=${CLANG_FORMAT:-clang-format-19}

command -v "$tool" >/dev/null || { echo "skipped: no $tool here"; exit 0; }
n=0
for f in $(find src tests/unit tests/fuzz -name '*.c' | sort); do
    lines=$("$tool" "$f" | diff "$f" - | grep -c '^<' || :)
    [ "$lines" -eq 0 ] || { echo "$f: $lines lines differ"; n=$((n + 1)); }
done
[ "$n" -eq 0 ] || { echo "$n files are not in the house style: run \`make format\`"; exit 1; }
