#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Ctrl-C keeps what was covered and says so; kill -9 leaves a store that goes on; a store that cannot
# be written is refused, and read all the same.
# BURL-TIMEOUT: 120
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/cover_lib.inc"

write_queue
build queue
covered() { sqlite3 "$1/burl.db" 'SELECT count(*) FROM cover_items WHERE metric = 0' 2>/dev/null; }
# wait_for DIR: until something is in the store.
wait_for() {
    n=0
    while [ "$(covered "$1" || echo 0)" = 0 ] || [ -z "$(covered "$1")" ]; do
        n=$((n + 1))
        [ $n -lt 300 ] || fail "nothing was written in 30 s"
        sleep 0.1
    done
}

"$BURL" cover --time=100s -d ctrl ./queue >out 2>err &
pid=$!
wait_for ctrl
kill -TERM $pid # a shell lets background jobs ignore SIGINT; both end a campaign alike
wait $pid
code=$?
[ $code -eq 4 ] || fail "exit code $code after Ctrl-C"
has err "interrupted: coverage so far is kept"
has out "location-pairs"
run 0 "$BURL" cover report -d ctrl
[ "$(sqlite3 ctrl/burl.db 'SELECT end_reason FROM campaigns')" = interrupted ] || fail "end_reason"

for i in 1 2 3; do
    "$BURL" cover --time=100s --metrics=all -d killed ./queue >out 2>err &
    pid=$!
    wait_for killed
    sleep 0.$i
    kill -9 $pid
    wait $pid 2>/dev/null
    run 0 "$BURL" cover report -d killed
    has out "location-pairs"
done
has out "in 3 campaigns"
n=$(covered killed)
run 0 "$BURL" cover --runs=200 -d killed ./queue
has out "in 4 campaigns"
[ "$(covered killed)" -ge "$n" ] || fail "pairs were lost"
# Every schedule that a row names is there.
sqlite3 killed/burl.db 'SELECT file FROM cover_schedules' | while read -r f; do
    [ -s "killed/$f" ] || fail "killed/$f is missing"
done || exit 1

chmod -R a-w ctrl
if [ -w ctrl/burl.db ]; then
    echo "this user writes everywhere: the rest cannot be tried"
    chmod -R u+w ctrl
    exit 0
fi
run 3 "$BURL" cover --runs=5 -d ctrl ./queue
run 0 "$BURL" cover report -d ctrl
chmod -R u+w ctrl
exit 0
