#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What is covered, and by which execution first, does not depend on the number of jobs; another seed
# takes other ways.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

write_queue
build queue
for jobs in 1 3; do
    run 0 "$BURL" cover --runs=2000 --seed=9 --jobs=$jobs --metrics=all -d j$jobs ./queue
    items j$jobs >items$jobs
    sqlite3 j$jobs/burl.db "SELECT * FROM cover_schedules" >schedules$jobs
    cp out out$jobs
done
[ "$(n_items j1 0)" -gt 10 ] || fail "only $(n_items j1 0) location pairs"
diff items1 items3 >d || { head -n 20 d; fail "1 and 3 jobs differ in what they covered"; }
diff schedules1 schedules3 || fail "1 and 3 jobs kept other schedules"
for f in j1/cover/*.txt; do
    cmp "$f" "j3/cover/${f##*/}" || fail "$f differs"
    run 0 "$BURL" replay --schedule="$f" ./queue
    has out "(same steps)"
done
[ "$(sqlite3 j1/burl.db 'SELECT max(execution) FROM cover_items')" -gt 16 ] ||
    fail "everything was covered at once: the program is too small for this test"
run 0 "$BURL" cover --runs=2000 --seed=8 --jobs=2 --metrics=all -d j2 ./queue
items j2 >items2
cmp -s items1 items2 && fail "another seed covered everything in the same executions"
exit 0
