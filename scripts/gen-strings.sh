#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# scripts/gen-strings.sh FILE... - prints files as rows of a C table: { "name", "text" },
#
# For the scripts and style sheets that burl writes beside its pages. One C string per line of the
# file, so that what the compiler says points somewhere. Bytes beyond ASCII stay as they are; a
# question mark is escaped because two of them begin a trigraph.
set -eu

for f in "$@"; do
    printf '{ "%s",\n' "${f##*/}"
    LC_ALL=C sed 's/\\/\\\\/g; s/"/\\"/g; s/?/\\?/g; s/^/"/; s/$/\\n"/' "$f"
    printf '},\n'
done
