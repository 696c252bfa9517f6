#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl synth` makes a concurrent test of a sequential one: it finds the violation, the
# finding replays, and the correct twin has none. The same seed gives the same report.
. "$BURL_TEST_ROOT/tests/e2e/synth_lib.inc"
write_bin

run 1 "$BURL" synth bin.h -- bin.c -DBUG test_bin.c
has out 'bin_add_all'
has out 'not linearizable'
has out 'findings   1'
sed 's/ in [0-9.]* s$//' out >first
run 1 "$BURL" replay 1
cc -g bin.c -DBUG -I. .burl/findings/1/test.c -o test -lpthread || fail "the test does not compile"
rm -r .burl
run 1 "$BURL" synth bin.h -- bin.c -DBUG test_bin.c
sed 's/ in [0-9.]* s$//' out | cmp -s first - || fail "the same seed gives another report"
run 0 "$BURL" synth bin.h -- bin.c test_bin.c
has out 'findings   none'
