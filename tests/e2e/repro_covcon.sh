#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The experiment of the CovCon paper on one module, one seed: a table, a curve, a silent twin.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

run 0 "$BURL_TEST_ROOT/scripts/repro-covcon.sh" --build="$(dirname "$BURL")" --dir=d --seeds=1 \
    --twin-time=2 --executors=controlled chashmap
has out "covcon finds all 1 seeds on 1 of 1 modules"
grep -qE '^chashmap +231 +1/1 ' out || fail "no row"
has out "chashmap     silent after"
grep -q '<path' d/chashmap.svg || fail "no curve"
