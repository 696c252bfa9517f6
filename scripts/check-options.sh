#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/check-options.sh [build] - docs/reference/options.md is what `burl help --markdown` says.
set -eu
cd "$(dirname "$0")/.."
build=${1-build}
page=docs/reference/options.md

[ -x "$build/burl" ] || { echo "no $build/burl: run make first"; exit 1; }
"$build/burl" help --markdown | diff -u "$page" - >&2 ||
    { echo "$page is not up to date: run \`make docs\`"; exit 1; }
