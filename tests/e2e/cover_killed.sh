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
# interrupted CODE SIGNAL N options...: burl cover, which gets the signal once its executions have N digits.
interrupted() {
    code=$1 sig=$2 n=$3
    shift 3
    run "$code" terminal -"$sig" "([0-9],?){$n} executions" \
        "$BURL" cover --time=100s "$@" ./queue
}

interrupted 4 INT 2 -d ctrl
has out "interrupted: coverage so far is kept"
has out "location-pairs"
run 0 "$BURL" cover report -d ctrl
[ "$(sqlite3 ctrl/burl.db 'SELECT end_reason FROM campaigns')" = interrupted ] || fail "end_reason"

# Killed once the store has something; then again at other moments.
"$BURL" cover --time=100s --metrics=all -d killed ./queue >out 2>err &
pid=$!
printf '[ "$(sqlite3 killed/burl.db "SELECT count(*) FROM cover_items WHERE metric = 0")" -gt 0 ]' >stored
await -p $pid . sh stored 2>/dev/null || fail "nothing was stored"
kill -9 $pid
wait $pid 2>/dev/null
for digits in 2 4; do
    interrupted 137 KILL $digits --metrics=all -d killed
    run 0 "$BURL" cover report -d killed
    has out "location-pairs"
done
has out "in 3 campaigns"
n=$(covered killed)
[ "$n" -gt 0 ] || fail "nothing of the killed campaigns was kept"
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
