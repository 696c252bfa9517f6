#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl gen --emit-suite`: tests that raised coverage, as C with Makefile and CTest; and the page.
. "$BURL_TEST_ROOT/tests/e2e/gen_lib.inc"
write_bag

run 0 "$BURL" gen --tests=80 --seed=4 --emit-suite=suite --html=page bag.h -- bag.c
has out "tests in suite"
n=$(ls suite/test_*.c | wc -l)
[ "$n" -ge 5 ] || fail "$n tests in the suite"
run 0 make -C suite CC=gcc check
cmake -S suite -B cm >cm.log 2>&1 && cmake --build cm >>cm.log 2>&1 || fail "cmake: $(tail -5 cm.log)"
(cd cm && ctest >ctest.log 2>&1) || fail "ctest: $(tail -5 cm/ctest.log)"
[ "$(grep -c Passed cm/ctest.log)" = "$n" ] || fail "not all tests are known to ctest"
grep -q 'bag_double_top x bag_add' page/index.html || grep -q 'bag_add' page/index.html || fail "no matrix"
grep -q '<td class="covered"' page/index.html || fail "nothing covered in the page"
! grep -qE 'https?://|<script|<link' page/index.html || fail "the page needs something else"
