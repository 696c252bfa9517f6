#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# docs/tutorial-coverage.md is true: every command is run as the reader would, and prints what the
# page shows; every piece of source on the page is in the programs of examples/ftpd. When a change of
# burl's words is meant, BURL_DOC_UPDATE=1 writes the page anew: read the diff.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

page=$BURL_TEST_ROOT/docs/tutorial-coverage.md
mkdir ftpd && cp "$BURL_TEST_ROOT"/examples/ftpd/*.[ch] ftpd || fail "no programs"

[ "$(grep -c '^```c$' "$page")" -ge 5 ] || fail "the page has no pieces of source"
export PATH=${BURL%/*}:$PATH LC_ALL=C.UTF-8
(cd ftpd && "$BURL_TEST_ROOT/scripts/doc-outputs.sh" ${BURL_DOC_UPDATE:+--update} --here "$page") >out ||
    fail "the page is not what burl prints"
[ -s ftpd/out/index.html ] || fail "no page"

# What the story rests on, whatever the page says: how often the timer takes something away from a
# client in its session (a pair from outside of close to a write of close).
cd ftpd || fail "no folder"
session_ends() {
    "$BURL" cover report --json "./$1" | jq '. as $d | [.pairs[] | select(.state == "covered")
        | [$d.sites[.a, .b]] | select(.[1].writes and (.[1].function | test("close"))
            and (.[0].function | test("close") | not))] | length'
}
left() {
    "$BURL" cover report --json "./$1" |
        jq '[.pairs[] | select(.state == "uncovered" or .state == "outside")] | length'
}
[ "$(session_ends race-free)" -ge 5 ] || fail "the five gaps of race-free are not covered"
[ "$(session_ends too-coarse)" -eq 0 ] || fail "too-coarse lets the timer into a session"
[ "$(session_ends fixed)" -eq 3 ] || fail "fixed does not let the timer into a session"
[ "$(left too-coarse)" -eq 0 ] || fail "too-coarse: pairs are left"
[ "$(left fixed)" -eq 0 ] || fail "fixed: pairs are left"
