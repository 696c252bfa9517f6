#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/tune_resume.sh - burl tune after kill -9, Ctrl-C and a rebuild.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/tune_lib.inc"

write_lost
build lost

evaluations() { sqlite3 .burl/burl.db 'SELECT count(*) FROM tune_evaluations'; }
# until_there_are N PID: evaluations in the store.
until_there_are() {
    mkdir -p .burl
    await -p "$2" .burl sh -c 'n=$(sqlite3 .burl/burl.db "SELECT count(*) FROM tune_evaluations" 2>/dev/null)
        [ "${n:-0}" -ge '"$1"' ]' || fail "no $1 evaluations"
}

# kill -9 loses the evaluation that was running and no other.
"$BURL" tune --strength=1 --evaluations=100000 ./lost >/dev/null 2>&1 &
pid=$!
until_there_are 12 $pid
kill -9 $pid
wait $pid 2>/dev/null
n=$(evaluations)
[ "$n" -ge 12 ] || fail "$n evaluations are left"
sqlite3 .burl/burl.db 'SELECT n, genes, exits FROM tune_evaluations ORDER BY n' >before
run 1 "$BURL" tune --strength=1 --evaluations=$((n + 3)) --json ./lost
cp out out.json
holds ".resumed == $n and (.evaluations | length) == $n + 3" "it goes on"
has err 'going on with an earlier search after'
sqlite3 .burl/burl.db "SELECT n, genes, exits FROM tune_evaluations WHERE n < $n ORDER BY n" >after
cmp before after || fail "the evaluations changed"
holds '.findings | any(.kind == "exit.nonzero" and .shown >= 1)' "findings of both"

# --restart begins anew; other options are another search; the first is still there.
run 1 "$BURL" tune --strength=1 --evaluations=2 --seed=7 --json ./lost
jq -e '.resumed == 0 and (.evaluations | length) == 2' out >/dev/null || fail "another search"
run 1 "$BURL" tune --strength=1 --evaluations=1 --json ./lost
jq -e ".resumed == $n + 3" out >/dev/null || fail "the first search"
run 1 "$BURL" tune --strength=1 --evaluations=2 --restart --json ./lost
jq -e '.resumed == 0 and (.evaluations | length) == 2' out >/dev/null || fail "--restart"

# --resume needs something to go on with.
want 2 'had other arguments or options' "$BURL" tune --resume --seed=9 ./lost
cp lost other
want 2 'is of another program' "$BURL" tune --resume ./other
want 2 'has no search to go on with' "$BURL" tune --resume --dir=empty ./lost
"$BURL" cc -g -O0 lost.c -o lost -lpthread || fail "rebuild"
want 2 'was rebuilt since' "$BURL" tune --resume ./lost
run 1 "$BURL" tune --strength=1 --evaluations=2 --json ./lost
jq -e '.resumed == 0' out >/dev/null || fail "a rebuilt program is another"

# A request to end (Ctrl-C; a shell has SIGINT ignored in the background): everything is kept, the
# best so far is printed.
rm -rf .burl lost.noise
"$BURL" tune --strength=1 --evaluations=100000 ./lost >out 2>err &
pid=$!
until_there_are 3 $pid
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 1 ] || fail "exit code $code"
has out 'interrupted: everything so far is kept'
has out 'best setting:'
[ -s lost.noise ] || fail "no lost.noise"

# What burl findings says is what the search says: counts are written in one transaction, before and
# after a kill -9, after an interrupt and after the end.
counts_agree() {
    sqlite3 .burl/burl.db 'SELECT id, count - shown FROM findings JOIN tune_findings ON id = finding' |
        while IFS='|' read -r id more; do
            [ "$more" -eq 0 ] || echo "finding $id: $more"
        done >disagree
    [ ! -s disagree ] || fail "$1: count and shown differ: $(cat disagree)"
}
# The check kills burl after an execution that failed, in the middle of an evaluation.
cat >kill.sh <<'S'
n=$(cat kills 2>/dev/null || echo 0)
echo $((n + 1)) >kills
[ "$n" -ne 18 ] || kill -9 $(cat tune.pid)
exit $((n >= 6))
S
rm -rf .burl kills
build fixed -DFIXED
sh -c 'echo $$ >tune.pid; exec "$0" "$@"' "$BURL" tune --strength=1 --evaluations=50 \
    --check='sh kill.sh' ./fixed >/dev/null 2>&1
[ "$(sqlite3 .burl/burl.db 'SELECT count(*) FROM tune_evaluations')" = 2 ] || fail "evaluations at the kill"
counts_agree "after kill -9"
[ "$(sqlite3 .burl/burl.db 'SELECT count FROM findings')" = 10 ] || fail "the count after kill -9"
run 1 "$BURL" tune --strength=1 --evaluations=4 --finalists=0 --check='sh kill.sh' --json ./fixed
cp out out.json
# The look of the second process fails the check as well: it is an execution without noise.
holds '.findings[0].shown == 20 and .findings[0].of == 20' "executions of both"
[ "$(sqlite3 .burl/burl.db 'SELECT count FROM findings')" = 21 ] || fail "the count of both"
