#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The same bug has the same fingerprint: whatever the seed, and in another build at another place.
# Each program's set of fingerprints of races must be the same for ten seeds, and must not depend on
# line numbers: the tenth build has lines added above everything. The numbers themselves are golden:
# people keep them in lists of known bugs, so a change of how they are made must be seen. After such
# a change, `race_fingerprints.sh --list` prints the new table.
#
# BURL-TIMEOUT: 600
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# program, fingerprints of its races in order
golden() {
    cat <<'TABLE'
race_relaxed_store 0xd7e7b3084059bf0d
race_unlocked_getter 0xcabe4c901ef82f4d
race_queue_ownership 0xa2bff4ebe71fc724 0xb9a043eb58e1a38
race_bitfields 0x50ea7e13f3fa8110
race_cpp_shared_mutex 0x2145edef6d49b3dc 0x79bf4a09fd70b365
TABLE
}

programs="race_relaxed_store.c race_unlocked_getter.c race_queue_ownership.c race_bitfields.c
    race_cpp_shared_mutex.cpp"

# hunt PROGRAM SEED NAME: the findings, into NAME.json.
hunt() {
    rm -rf store
    "$BURL" test --json --seed="$2" --runs=150 --no-minimize --dir=store "$1" >"$3.json"
    [ $? -eq 1 ] || fail "$p: nothing found with seed $2 ($3)"
}

# The fingerprints of the races in each file, a line each. One jq for all: it is slow to start.
races_in() {
    jq -r '[.findings[] | select(.kind == "race.data") | .fingerprint] | sort | join(" ")' "$@"
}

for p in $programs; do
    name=${p%.*}
    cc=cc
    flags=-O1
    case $p in *.cpp) cc=c++ flags="-O1 -std=c++20" ;; esac
    # shellcheck disable=SC2086
    "$BURL" $cc $flags "$BURL_TEST_ROOT/tests/must_find/$p" -o "$name" -lpthread || fail "cannot build $p"
    files=
    for seed in 0 1 2 3 4 5 6 7 8 9; do
        hunt "./$name" $seed seed$seed
        files="$files seed$seed.json"
    done
    mkdir -p elsewhere
    { printf '\n\n\n/* moved down */\n\n'; cat "$BURL_TEST_ROOT/tests/must_find/$p"; } >"elsewhere/$p"
    # shellcheck disable=SC2086
    "$BURL" $cc $flags "elsewhere/$p" -o "$name" -lpthread || fail "cannot build $p again"
    hunt "./$name" 0 moved
    # shellcheck disable=SC2086
    races_in $files moved.json >races || fail "$p: the JSON is not what burl test promises"
    [ "$(wc -l <races)" = 11 ] || fail "$p: $(wc -l <races) sets of races instead of 11"
    first=$(head -n 1 races)
    [ -n "$first" ] || fail "$p: no race found with seed 0"
    seed=0
    while read -r now; do
        [ "$now" = "$first" ] || {
            [ $seed -lt 10 ] || fail "$p: with lines added above it is $now instead of $first"
            fail "$p: seed 0 gives $first, seed $seed gives $now"
        }
        seed=$((seed + 1))
    done <races
    if [ "${1-}" = --list ]; then
        echo "$name $first"
    else
        want=$(golden | sed -n "s/^$name //p")
        [ "$first" = "$want" ] || fail "$p: $first, and it used to be $want"
    fi
done
exit 0
