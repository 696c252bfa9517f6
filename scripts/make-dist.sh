#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/make-dist.sh DIR - writes DIR/burl-VERSION.tar.xz: the files under version control, or, in an
# unpacked archive, all that were not built. The same sources give the same bytes. DIST_XZ is the level of
# compression.
set -eu
dir=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/.."
. scripts/release.inc
list=$(mktemp)
trap 'rm -f "$list"' EXIT

if [ -e .git ]; then
    git ls-files -z
else
    find . \( -path './build*' -o -name .burl \) -prune -o \( -type f -o -type l \) -print0 | sed -z 's,^\./,,'
fi | LC_ALL=C sort -z >"$list"
archive=$dir/burl-$version.tar.xz
tar --create --null --no-recursion --files-from="$list" --format=gnu --mtime="@$epoch" --owner=0 --group=0 \
    --numeric-owner --mode=u+rw,go+r,go-w --transform="s,^,burl-$version/,S" | xz "${DIST_XZ:--6}" --threads=1 >"$archive.tmp"
mv "$archive.tmp" "$archive"
echo "$archive"
