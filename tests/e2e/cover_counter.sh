#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# `burl cover` on a counter under a lock: the one pair that is possible is covered, in every form of
# output, its schedule replays, and the report says the same without running.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

write_locked
build locked
run 0 "$BURL" cover --runs=300 --seed=1 ./locked
has out "location-pairs"
has out "300 executions in 1 campaign"
has out "locked.c"
cp out first
# Only write-then-read, by the other thread and by main after its joins: the next access after a read
# is the reader's own write.
[ "$(n_items .burl 0)" -eq 2 ] || fail "$(n_items .burl 0) location pairs"
[ "$(sqlite3 .burl/burl.db 'SELECT count(DISTINCT a) FROM cover_items WHERE metric = 0')" -eq 1 ] ||
    fail "not only the write comes first"
[ "$(sqlite3 .burl/burl.db 'SELECT count(*) FROM cover_items WHERE metric = 0 AND a = b')" -eq 0 ] ||
    fail "an access is paired with itself"

run 0 "$BURL" cover report
cmp out first || fail "the report is not what the campaign said"
run 0 "$BURL" cover report ./locked
cmp out first || fail "the report of the named program differs"

run 0 "$BURL" cover report --json --lcov=l.info --html=page
jq -e '.executions == 300' out >/dev/null || fail "the document"
has err "page: page/index.html"
has l.info "SF:"
has l.info "end_of_record"
[ -s page/index.html ] || fail "no page"
run 0 "$BURL" cover report --html=page/
has out "page: page/index.html"
run 0 "$BURL" cover report --html=page -q
hasnt out "page:"

# The schedule that covered it.
set -- .burl/cover/*.txt
[ -e "$1" ] || fail "no schedule was kept"
run 0 "$BURL" replay --schedule="$1" ./locked
has out "passed, as recorded (same steps)"

run 0 "$BURL" cover --list-metrics
count out "" 12
has out "definition-use"
run 0 "$BURL" cover --list-metrics --json
jq -e 'length == 12' out >/dev/null || fail "json list"

# What is asked for is shown, and nothing else.
run 0 "$BURL" cover --runs=50 --metrics=synchro,hb -d other ./locked
has out "happens-before-pairs"
hasnt out "location-pairs"
[ "$(n_items other 0)" -eq 0 ] || fail "location pairs were measured unasked"
[ "$(n_items other 5)" -gt 0 ] || fail "no synchro items"
exit 0
