#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The experiment of the Intruder paper on one module: a row, the goals, the differences; a page that gets
# the figures; and an error when a goal is missed.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

printf '%s\n' before '<!-- measured: intruder -->' old '<!-- end of intruder -->' after >page.md
run 0 "$BURL_TEST_ROOT/scripts/repro-intruder.sh" --build="$(dirname "$BURL")" --dir=d --page=page.md \
    portal_statistic
grep -qE '^portal_statistic +6/[0-9]+ .* 1/[1-9][0-9]* +0 ' out || fail "no row"
count out 'PASS ' 4
has out 'PASS    a harmful violation in every module where the paper has a true one: 1 of 1'
has out '* `portal_statistic`: '
hasnt out MISSED
has page.md '    portal_statistic '
hasnt page.md old
has page.md after

run 2 "$BURL_TEST_ROOT/scripts/repro-intruder.sh" --build="$(dirname "$BURL")" no_such_module
has err 'there is no module no_such_module'

# A goal that is missed: nothing was found.
awk 'BEGIN { FS = OFS = "\t" } { $11 = $12 = 0; print }' d/rows.tsv >none.tsv
run 1 awk -F'\t' -v ms=1 -v jobs=1 -v cores=1 -v n_modules=1 -v differences=text \
    -f "$BURL_TEST_ROOT/bench/intruder/table.awk" "$BURL_TEST_ROOT/bench/intruder/modules.tsv" none.tsv
has out 'MISSED  a harmful violation in every module where the paper has a true one: 0 of 1; not in portal_statistic'
