#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 7200
#
# tests/soak/noise_twins.sh - no finding in the correct twins of bench/noise, under every kind of noise.
set -u
"$BURL_TEST_ROOT/scripts/soak-noise.sh" --build="$BURL_TEST_BUILD" --dir=work --seeds=3 fixed
