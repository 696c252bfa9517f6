#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_params.sh - parameters of the test as genes, and the user's check.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/tune_lib.inc"

write_lost
build lost
build fixed -DFIXED

want 2 'mode is not used' "$BURL" tune --param 'each=5..30' --param 'mode=a,b' -- ./lost {each}
rm -rf .burl
run 1 "$BURL" tune --param 'each=5..30' --strength=1 --evaluations=12 --json -- ./lost {each}
cp out out.json
holds '.genome | any(.name == "each" and .min == 5 and .max == 30 and .ordinal)' "the gene"
holds '.evaluations | map(.genes[6]) | min >= 5 and max <= 30 and (unique | length) > 3' "values"
holds '.best.command[1] | tonumber >= 5' "the command of the best"

# The check sees the output and the exit code; the program itself exits with 0.
rm -rf .burl
run 1 "$BURL" tune --check='[ "$BURL_EXIT" = 0 ] && grep -q "total 8 of 8" "$BURL_OUTPUT"' \
    --strength=1 --evaluations=10 --json ./lost 4 quiet
cp out out.json
holds '.total.checks > 0 and .total.exits == 0 and .total.errors == .total.checks' "check"
has .burl/check.txt 'the program printed:'
has .burl/check.txt 'of 8'
run 0 "$BURL" tune --check='grep -q "total 8 of 8" "$BURL_OUTPUT"' --strength=1 --evaluations=5 ./fixed 4 quiet
