#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/bench.sh [build] - runs every benchmark of bench/; never a test.
#
# A benchmark is a script bench/*/*.sh that finds burl in $BURL and prints its own table.
set -eu
cd "$(dirname "$0")/.."
build=$(cd "${1-build}" && pwd)
n=0

for b in bench/*/*.sh; do
    [ -e "$b" ] || continue
    n=$((n + 1))
    echo "== $b"
    BURL=$build/burl BURL_TEST_ROOT=$PWD bash "$b"
done
[ "$n" -gt 0 ] || { echo "bench: there is nothing in bench/ yet"; exit 3; }
