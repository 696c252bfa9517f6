#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/dist.sh - `make dist`: the same bytes each time, also from the unpacked archive, which has
# all that a build needs and nothing that was built. `make dist-check` builds it.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
command -v xz >/dev/null || { echo "xz is not installed"; exit 77; }
# Small or large makes no difference here.
DIST_XZ=-0
export DIST_XZ
run 0 sh "$BURL_TEST_ROOT/scripts/make-dist.sh" one
archive=$(cat out)
(umask 077 && TZ=Asia/Tokyo sh "$BURL_TEST_ROOT/scripts/make-dist.sh" two) >out 2>&1 || fail "make-dist.sh"
cmp one/*.tar.xz two/*.tar.xz || fail "two archives differ"
run 0 tar -tvf "$archive"
! grep -qE ' burl-[0-9.]+/(build|\.git/)' out || fail "something that was built"
! grep -qvE ' burl-[0-9.]+/' out || fail "a name without the directory of the version"
! grep -vE '^[-l]rw.r..r.. 0/0 |^lrwxrwxrwx 0/0 ' out | grep . || fail "owner or permissions"

tar -xf "$archive"
run 0 make -n -C burl-*/ all
run 0 sh burl-*/scripts/make-dist.sh three
cmp one/*.tar.xz three/*.tar.xz || fail "the unpacked archive makes another one"
