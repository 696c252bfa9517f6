#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# BURL-WHY: the kernel puts arguments and environment above the main stack. Their length must change
#   no schedule, even of a program whose threads share variables of main.
set -eu

cp "$BURL_TEST_ROOT/examples/counter-cpp/counter.cpp" .
"$BURL" c++ -O1 -g counter.cpp -o counter -lpthread
mkdir -p a/very/long/folder/name
cp counter a/very/long/folder/name

# runs FOLDER LENGTH: what matters of a campaign with a variable of that length
runs() {
    (
        cd "$1"
        filler=$(printf '%*s' "$2" x) "$BURL" test --json --runs=60 --seed=1 --fresh ./counter |
            jq -c '[.executions, .schedules, [.findings[] | .found_execution, .fingerprint]]'
    ) || :
}

want=$(runs . 1)
[ -n "$want" ] || { echo "no result"; exit 1; }
for length in 16 40 104 200 360 520 808 1480 3000 5000; do
    got=$(runs . $length)
    [ "$got" = "$want" ] || { echo "length $length: $got, want $want"; exit 1; }
done
got=$(runs a/very/long/folder/name 1)
[ "$got" = "$want" ] || { echo "another folder: $got, want $want"; exit 1; }
