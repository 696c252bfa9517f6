#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 14400
#
# tests/soak/noise.sh - no finding in any correct program of the suite, under every kind of noise.
#
# BURL_SOAK_ONLY=word takes the programs whose name contains it.
set -u
. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/support/noise_pass.inc"

for src in "$BURL_TEST_ROOT"/tests/must_pass/*"${BURL_SOAK_ONLY:-}"*.c*; do
    noisy "$src"
done
echo "$n_programs programs, $n_skipped skipped, $n_runs runs, $n_wrong wrong"
[ "$n_programs" -gt 0 ] && [ "$n_wrong" -eq 0 ]
