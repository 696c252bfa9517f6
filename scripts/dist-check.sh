#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/dist-check.sh ARCHIVE - the unpacked archive builds and passes install-check without git, and
# makes the same archive again.
set -eu
archive=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
tar -xf "$archive"
cd burl-*
make -s dist B=again
cmp "$archive" again/*.tar.xz || { echo "dist-check: the archive is not reproducible" >&2; exit 1; }
rm -rf again
make -s -j"$(nproc)" all
make -s install-check
echo "dist-check: the unpacked archive builds, passes install-check and makes the same archive again"
