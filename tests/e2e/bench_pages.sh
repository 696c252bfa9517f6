#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The pages of bench/ get their figures from what was measured: the marks are filled, the sentences
# follow from the report that stands on the same page, and figures outside the marks are noticed.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

bench=$BURL_TEST_ROOT/bench
# Location Pairs: the points on the page are those of its report.
page=$bench/location-pairs/README.md
sed -n '/^<!-- measured: report -->$/,/^<!-- end of report -->$/p' "$page" | sed -e '1,2d' -e '$d' | sed '$d' >report.txt
sed -n '/^<!-- measured: points -->$/,/^<!-- end of points -->$/p' "$page" | sed -e 1d -e '$d' >points.txt
[ "$(wc -l <points.txt)" -ge 10 ] || fail "no points"
awk -f "$bench/location-pairs/points.awk" report.txt >now.txt || fail "no points from the report"
diff points.txt now.txt || fail "the points are not those of the report"
# Another report, other figures.
sed 's/^\(MS mutant 6  *ours  *[0-9.]*  *[0-9.]*  *\)64\.0/\150.0/' report.txt >other.txt
awk -f "$bench/location-pairs/points.awk" other.txt | grep -q 'MS mutant 6 (50 % of the iterations' ||
    fail "a figure that does not come from the report"

# CovCon: what the sentences say is what the table says.
page=$bench/covcon/README.md
table=$(sed -n '/^<!-- measured: covcon -->$/,/^<!-- end of covcon -->$/p' "$page")
fewer=$(printf '%s\n' "$table" | sed -n 's/.*needs fewer tests than random on \([0-9]*\)$/\1/p' | head -n 1)
printf '%s\n' "$table" | tr '\n' ' ' | grep -qF "needs fewer tests than random on $fewer of 18 modules" ||
    fail "the sentence has another number than the table: $fewer"

# The library table: figures in, the rest stays.
printf 'ck-stack\t5\t15\t15\t12345\t9\t297\t0\t-\t\nck-set\t6\t21\t21\t809\t1\t40\t7\t22\t6 atomicity.non-linearisable, 1 race.data\n' >rows.tsv
awk -F'\t' -v seconds=3 -v seed=1 -f "$bench/libraries/rows.awk" rows.tsv "$bench/libraries/README.md" >out ||
    fail "rows"
grep -qF '| 5 | 15/15 | 12,345 | 297 | none | | |' out || fail "no figures of ck-stack"
grep -qF '| 809 | 40 | 6 results, 1 race | 22 |' out || fail "no figures of ck-set"
grep -qF 'Measured with 3 seconds each, seed 1' out || fail "not measured with"
printf 'unknown\t5\t15\t15\t1\t9\t297\t0\t-\t\n' >rows.tsv
! awk -F'\t' -f "$bench/libraries/rows.awk" rows.tsv "$bench/libraries/README.md" >out 2>&1 || fail "unknown library"

# Marks and the check of what is outside them.
mkdir -p tree/scripts tree/bench/x
cp "$BURL_TEST_ROOT/scripts/check-figures.sh" tree/scripts
printf '%s\n' '# x' '<!-- measured: a -->' 'old' '<!-- end of a -->' >tree/bench/x/README.md
echo 'It takes 3 s in 40 % of runs.' | "$BURL_TEST_ROOT/scripts/measured.sh" tree/bench/x/README.md a || fail "marks"
grep -q '^It takes 3 s' tree/bench/x/README.md && ! grep -q '^old' tree/bench/x/README.md || fail "not replaced"
sh tree/scripts/check-figures.sh || fail "figures inside the marks"
! echo x | "$BURL_TEST_ROOT/scripts/measured.sh" tree/bench/x/README.md b 2>err || fail "no such marks"
for line in 'In 42 % of the runs.' 'It finds 7 of 18.' 'It takes 3 s.' 'After 20 seconds.'; do
    cp tree/bench/x/README.md page.md
    echo "$line" >>tree/bench/x/README.md
    ! sh tree/scripts/check-figures.sh >out || fail "not noticed: $line"
    cp page.md tree/bench/x/README.md
done
