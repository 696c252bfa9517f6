#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# A recording that is stopped: by Ctrl-C, by kill -9, by --time, by a disk that is full. What was recorded
# stays, the rest is pending, and the next recording goes on.
. "$BURL_TEST_ROOT/tests/e2e/regress_lib.inc"

pair prog
mkfifo fifo
exec 8<>fifo
# The second test blocks until there is something in the FIFO, with a child that must not survive.
cat >block.sh <<'T'
./prog
cat fifo &
echo $! >child
wait
T
cat >burl.tests <<'T'
one: ./prog
two: sh block.sh
three: ./prog
T
states() { db "SELECT group_concat(name || state, ' ') FROM (SELECT * FROM version_tests ORDER BY ix)"; }
expect_states() { [ "$(states)" = "$1" ] || fail "states: $(states), expected $1"; }

# Ctrl-C while a test runs.
terminal 'recording test 2 of 3' "$BURL" regress record >out
got=$?
[ $got -eq 4 ] || fail "Ctrl-C: exit code $got"
has out 'version base: 1 of 3 tests recorded'
has out '2 pending: two, three'
has out 'interrupted; run the same command again to go on'
expect_states 'one1 two0 three0'
[ ! -s child ] || await -t 20 exit "$(cat child)" || fail "the child of the test survived"

# --time: the same, and exit code 4.
run 4 "$BURL" regress record --time=500ms
has err 'continuing version base: 1 of 3 tests recorded'
has out '--time is over; run the same command again to go on'
expect_states 'one1 two0 three0'

# kill -9 while a test runs.
rm -f child
"$BURL" regress record >out 2>&1 &
pid=$!
await "$PWD" test -s child || fail "the second test does not run"
kill -9 $pid
wait $pid 2>/dev/null
expect_states 'one1 two0 three0'
kill -9 "$(cat child)" 2>/dev/null

# A second recording at the same time.
rm -f child
"$BURL" regress record >out.first 2>&1 &
pid=$!
await "$PWD" test -s child || fail "the second test does not run"
want 3 'burl regress record' "$BURL" regress record
# Now the test may go on.
kill -TERM "$(cat child)"
wait $pid || fail "exit code $?: $(cat out.first)"
has out.first 'continuing version base: 1 of 3 tests recorded'
has out.first 'version base: 3 of 3 tests recorded'
expect_states 'one1 two1 three1'

# A store that cannot be written.
want 3 '/proc/' "$BURL" regress record --dir=/proc/burl-store
echo x >plain-file
want 2 'plain-file' "$BURL" regress record --dir=plain-file
# A disk that is full. What was recorded before is still there.
printf '%s\n' 'one: ./prog' >burl.tests
(ulimit -f 0 && exec "$BURL" regress record --dir=full) 2>&1 </dev/null | cat >out
got=${PIPESTATUS[0]}
[ $got -eq 3 ] || fail "full disk: exit code $got ($(head -n 5 out))"
grep -qE 'full|disk|cannot|large' out || fail "full disk: no clear message ($(head -n 5 out))"

# A selection that is stopped, here while the suite is read: a message, exit code 4, and a document.
mkdir bin
printf '#!/bin/sh\necho $$ >reading\nexec cat fifo\n' >bin/ctest
chmod +x bin/ctest
for sub in select run experiment; do
    rm -f reading
    PATH=$PWD/bin:$PATH "$BURL" regress $sub --ctest=. --json >out.json 2>err &
    pid=$!
    await "$PWD" test -s reading || fail "$sub: the suite is not read"
    kill -TERM $pid
    wait $pid
    got=$?
    [ $got -eq 4 ] || fail "$sub: SIGTERM gives exit code $got"
    has err 'burl: interrupted; nothing was selected'
    holds ".command == \"regress $sub\" and .exit_code == 4" "$sub: document"
done
