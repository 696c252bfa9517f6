#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/measured.sh PAGE NAME <TEXT - puts what was measured into a page of bench/.
#
# Replaces what stands between "<!-- measured: NAME -->" and "<!-- end of NAME -->" by standard input.
# Ends with 3 when the page has no such marks.
set -u
[ $# -eq 2 ] && [ -f "$1" ] || { echo "usage: measured.sh PAGE NAME <TEXT" >&2; exit 2; }
tmp=$(mktemp -d) || exit 3
trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/text"
awk -v name="$2" -v text="$tmp/text" '
    $0 == "<!-- end of " name " -->" && inside { inside = 0; done = 1 }
    !inside { print }
    $0 == "<!-- measured: " name " -->" { inside = 1; while ((getline line <text) > 0) print line }
    END { exit !done }' "$1" >"$tmp/page" || { echo "measured.sh: $1 has no marks for $2" >&2; exit 3; }
cp "$tmp/page" "$1"
