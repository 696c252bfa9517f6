#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 14400
#
# tests/soak/noise.sh - correct programs under every kind of noise: nothing may be found.
#
# BURL_SOAK_ONLY=word takes the programs whose name contains it; BURL_SOAK_NOISE_SEEDS says how many runs each
# program has under a setting.
set -u
# shellcheck disable=SC2086
"$BURL_TEST_ROOT/scripts/soak-noise.sh" --build="$BURL_TEST_BUILD" --dir=work \
    --seeds="${BURL_SOAK_NOISE_SEEDS:-1}" ${BURL_SOAK_ONLY:-}
