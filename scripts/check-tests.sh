#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-tests.sh - rules about tests: twins, directives, the quick sample, no sleeps.
#
# - A program of must_find has a correct twin in must_pass, and a BURL-KIND. Directives exist.
# - Each line of tests/quick.txt names a test and gives a reason. Together they have every suite,
#   every finding kind of must_find, every family of interposed functions and every command.
# - Scripts wait for events (tests/support/await.c, terminal.c) and do not sleep. Programs that tests
#   contain may: `sleep(3)` is C.
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

# ---- the quick sample
ids=$(mktemp)
trap 'rm -f "$ids"' EXIT
tests/run --list | sed 's/@.*//' | sort -u >"$ids"
chosen=$(tests/run --list --quick | sed 's/@.*//' | sort -u)
while read -r pattern reason; do
    case $pattern in '' | '#'*) continue ;; esac
    [ -n "$reason" ] || say "tests/quick.txt: $pattern has no reason"
    hit=
    while read -r id; do
        # shellcheck disable=SC2254
        case $id in ${pattern%@*}) hit=yes; break ;; esac
    done <"$ids"
    [ -n "$hit" ] || say "tests/quick.txt: $pattern names no test"
done <tests/quick.txt
files=$(for id in $chosen; do
    for f in "tests/$id".c "tests/$id".cpp "tests/$id".sh; do [ ! -e "$f" ] || echo "$f"; done
done)
for suite in $(cut -d/ -f1 "$ids" | sort -u); do
    echo "$chosen" | grep -q "^$suite/" || say "tests/quick.txt: nothing of $suite"
done
kinds() { sed -n '/BURL-KIND:/{s/.*BURL-KIND: *//;s/|.*//;s/[ *].*//;p;}' "$@" | sort -u; }
quick=$(kinds $(echo "$files" | grep must_find/))
for kind in $(kinds tests/must_find/*.c*); do
    echo "$quick" | grep -qx "$kind" || say "tests/quick.txt: no program with $kind"
done
rows=$(sed -n 's/.*BURL-ROWS: *//p' $(echo "$files" | grep interpose/) | tr ' ' '\n')
families=$(printf '#include "wire/libfn.def"\n' |
    ${CC:-cc} -E -P -x c -Isrc '-DRT(name,family,...)=ROW family name ;' - |
    tr ';' '\n' | sed -n 's/^ *ROW \([a-z0-9]*\) \([A-Za-z0-9_]*\) *$/\1 \2/p')
for family in $(echo "$families" | cut -d' ' -f1 | sort -u); do
    echo "$families" | sed -n "s/^$family //p" | grep -qxF "$rows" ||
        say "tests/quick.txt: no test of the family $family of interposed functions"
done
for command in $(sed -n 's/^BURL_COMMAND([a-z_]*, "\([a-z+]*\)".*/\1/p' src/cli/commands.def); do
    grep -qF "\$BURL\" $command" $files || say "tests/quick.txt: no script calls burl $command"
done

# ---- sleeps
grep -nE '(^|[;&|({]|do|then|else) *sleep +["$0-9]' $(find tests scripts -name '*.sh' -o -name '*.inc') tests/run &&
    say "scripts wait for an event and do not sleep: tests/support/await.c, terminal.c"
exit $bad
