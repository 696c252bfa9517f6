#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The experiments of the Location Pairs paper in small: the script succeeds and its numbers hang
# together, the same command gives the same row, and what would spoil a result is refused.
# BURL-TIMEOUT: 180
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

build_dir=${BURL%/*}
driver=$build_dir/location-pairs

run 0 "$BURL_TEST_ROOT/scripts/repro-location-pairs.sh" "--build=$build_dir" --dir=quick --quick
cmp -s out quick/report.txt || fail "report.txt is not what was printed"
has out "The correct programs: no failure in 1500 random runs"
has out "EXCR in insert_pair"
hasnt out "FAILED"
hasnt out "OUTSIDE"

# Every row: the bug shows in every iteration, percentages are percentages, what was covered at the
# bug is part of what can be covered, and all of LP lies in SP.
awk -F'\t' '
    $3 != 10 || $4 != 0 || $5 <= 1 { bad = 1 }
    { for (m = 0; m < 4; m++) {
        for (k = 0; k < 4; k++)
            if ($(6 + 5 * m + k) < 0 || $(6 + 5 * m + k) > 100) bad = 1
        if ($(10 + 5 * m) == 0 || $(9 + 5 * m) == 0) bad = 1
      } }
    $20 > $25 || $20 != $28 + $29 + $30 || $30 != 0 { bad = 1 }
    $27 >= $26 || $31 <= 0 || $31 > 100 { bad = 1 }
    END { exit bad || NR != 2 }' quick/rows.tsv || fail "rows.tsv: $(cat quick/rows.tsv)"
for name in "MS mutant 9" "MS seeded 1"; do
    grep -A1 "^$name .*ours" out | grep -q ' paper ' || fail "no row of the paper below $name"
done

# Both curves rise to the end and are drawn; LP is not above what SP allows.
for p in sor elevator; do
    [ "$(grep -c '<polyline' "quick/$p.svg")" -eq 5 ] || fail "$p.svg has not five curves"
    tail -n 1 "quick/$p.svg" | grep -q '</svg>' || fail "$p.svg is cut off"
    has out "$p: 100 passes"
done
awk -F'\t' '
    $1 == "program" { pass = 0; steps = $4; if ($7 > $5 - $6 || $7 == 0) bad = 1 }
    $1 == "item" { n[$2]++; if ($3 < pass || $4 < 1 || $4 > steps) bad = 1; pass = $3 }
    END { exit bad || !n["LP"] || !n["DU"] || !n["MP"] || !n["LINE"] }' quick/items.tsv ||
    fail "items.tsv makes no sense"

# Again, and under another name, which means other seeds.
row() { "$driver" iterate "$1" 4 5000 500 quick/multiset-9.target -- quick/multiset-9 9; }
row one >a && row one >b && row two >c || fail "iterate failed"
cmp -s a b || fail "the same command gave another row"
! cmp -s a c || fail "other seeds gave the same row"

# A wrong program has no saturation curve, one that cannot be controlled no row.
run 3 "$driver" saturate wrong 2000 quick/multiset-9.target -- quick/multiset-9 9
has err "passes failed"
run 3 "$driver" check 10 -- /bin/true
run 2 "$driver" iterate
run 2 "$BURL_TEST_ROOT/scripts/repro-location-pairs.sh" --nonsense
has err "--quick"
exit 0
