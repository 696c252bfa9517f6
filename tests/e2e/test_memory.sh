#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Memory across campaigns: a second `burl test` goes on where the first ended and says what is new;
# after a rebuild the kept schedules come first, and a finding that is still there, moved, gone or
# back is called that; --fresh forgets; --corpus lists, and what it lists can be replayed.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"


# json FILE EXPRESSION
json() {
    jq -e "$2" "$1" >/dev/null || {
        jq '.memory, .findings[].id' "$1"
        fail "$1: not so: $2"
    }
}

cat >bank.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void withdraw(int n)
{
    int have;
#ifdef MORE
    pthread_mutex_lock(&lock);
    have = balance;
    if (have < -1000)
        abort();
    pthread_mutex_unlock(&lock);
#endif
    pthread_mutex_lock(&lock);
    have = balance;
#ifndef FIXED
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
#endif
    balance = have - n;
    pthread_mutex_unlock(&lock);
}
static void *worker(void *arg)
{
    withdraw(10);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    (void)argv;
    (void)time(NULL); /* no proof: that would end campaigns early */
    pthread_create(&a, NULL, worker, NULL);
    pthread_create(&b, NULL, worker, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(argc > 2 || balance == 80);
    return 0;
}
EOF
build() {
    "$BURL" cc -g -O1 "$@" -o bank -lpthread || fail "cannot build"
}

# ---- nothing there yet
build bank.c
"$BURL" test --corpus ./bank 2>err && fail "a corpus without a store"
[ $? -eq 2 ] || fail "--corpus without a store: exit code"
has err "there is no store in .burl; run \`burl test\` first"
[ ! -e .burl ] || fail "--corpus made a store"

# ---- the first campaign, and one that goes on
"$BURL" test --runs=300 --json ./bank >first.json
[ $? -eq 1 ] || fail "the first finds nothing"
json first.json '.memory.continued == false and .memory.campaigns_before == 0
                 and .memory.new_findings >= 1 and .memory.known_findings == 0'
n=$(jq .executions first.json)
"$BURL" test -v --runs=300 ./bank >second
[ $? -eq 1 ] || fail "the known finding is not counted"
has second "continuing after $n schedules in 1 campaign"
has second "known: finding 1 reproduced by its schedule"
has second "new: 0 findings, "
has second "600 schedules so far in 2 campaigns"
"$BURL" test --runs=300 --json ./bank >third.json
json third.json '.memory.continued and .memory.campaigns_before == 2
                 and .memory.executions_before == 600 and .memory.new_findings == 0
                 and .memory.known_findings >= 1 and .memory.reruns[0].result == "same"
                 and .memory.reruns[0].shown == 1 and .memory.reruns[0].finding == 1'


# ---- no stream of seeds is used twice: what is drawn begins where the last campaign ended
works() {
    sqlite3 .burl/burl.db "SELECT json_extract(CAST(state AS TEXT), '\$.works') FROM programs WHERE args LIKE '[]%'"
}
before=$(works)
"$BURL" test --runs=300 --json ./bank >fourth.json
[ "$(works)" -gt "$before" ] || fail "the seeds begin again: $before, then $(works)"
seeds() {
    jq -S '{verdicts, steps, switches}' "$1"
}
[ "$(seeds third.json)" != "$(seeds fourth.json)" ] || fail "the same executions again"
json fourth.json '.memory.new_edges == 0'

# ---- --corpus, and a replay of what it names
"$BURL" test --corpus ./bank >list || fail "--corpus: exit code"
has list "finding 1: "
has list "last rerun failed as before"
"$BURL" test --corpus --json ./bank >list.json || fail "--corpus --json"
json list.json '.executions == 1200 and .campaigns == 4 and (.corpus | length) >= 1
                and (.corpus | map(select(.finding == 1 and .preemptions >= 1)) | length) == 1
                and .corpus[0].steps > 5'
file=$(jq -r '.corpus[] | select(.finding == 1) | .file' list.json)
[ -s "$file" ] || fail "$file is not there"
"$BURL" replay "$file" >replayed
[ $? -eq 1 ] || fail "the kept schedule does not replay"
has replayed "(same steps)"
for file in $(jq -r '.corpus[] | select(.finding == 0) | .file' list.json); do
    "$BURL" replay "$file" >replayed || fail "$file: a kept schedule does not replay"
    has replayed "passed, as recorded (same steps)"
done

# ---- other arguments are another test; another program too
"$BURL" test --corpus ./bank 1 2>err && fail "a corpus of other arguments"
has err "no schedules of"
"$BURL" test --runs=100 --json ./bank 1 2 'a "b"' "$(printf 'x%.0s' {1..300})" >args.json ||
    fail "with arguments"
json args.json '.memory.continued == false'
"$BURL" test --runs=100 ./bank 1 2 'a "b"' "$(printf 'x%.0s' {1..300})" >args ||
    fail "with arguments, again"
has args "continuing after 100 schedules in 1 campaign"
"$BURL" cc -g -O1 -DFIXED bank.c -o other -lpthread || fail "cannot build"
"$BURL" test --runs=100 --json ./other >other.json || fail "other: a finding"
json other.json '.memory.continued == false and .memory.reruns == []'
# The same file by another name is the same program.
ln -s bank link
"$BURL" test --runs=50 --json "$PWD/link" >link.json
json link.json '.memory.campaigns_before == 4'

# ---- rebuilt: ten lines further down, nothing else
cp bank.c plain.c
{ yes '/* moved */' | head -n 10; cat plain.c; } >bank.c
build bank.c
cp plain.c bank.c
"$BURL" test --runs=50 ./bank >moved
[ $? -eq 1 ] || fail "moved: not found"
has moved "rebuilt since the last campaign: "
has moved "regression: finding 1 is still there"
hasnt moved "not reproduced"

# ---- rebuilt with more code before the place
build bank.c -DMORE
"$BURL" test --runs=50 --json ./bank >more.json
json more.json '.memory.rebuilt and .memory.reruns[0].result == "same"
                and .findings[0].regression and .findings[0].id == 1'

# ---- fixed: said so, and not more than that
build bank.c -DFIXED
"$BURL" test --runs=300 ./bank >fixed || fail "fixed: a finding"
has fixed "finding 1 not reproduced"
hasnt fixed "regression:"
hasnt fixed "is fixed"
"$BURL" test --corpus --json ./bank >list.json
json list.json '.corpus[] | select(.finding == 1) | .result | startswith("passed")'

# ---- and back
build bank.c
"$BURL" test --runs=300 --stop-at-first ./bank >back
[ $? -eq 1 ] || fail "back: not found"
has back "regression: finding 1 is back"
"$BURL" findings --json >findings.json
[ "$(jq '[.findings[] | select(.id == 1)] | length' findings.json)" = 1 ] || fail "finding 1"

# ---- --fresh: as if it were the first, with the same schedules
"$BURL" test --runs=200 --seed=5 --json --fresh ./bank >fresh1.json
"$BURL" test --runs=200 --seed=5 --json --fresh ./bank >fresh2.json
json fresh1.json '.memory.continued == false and .memory.reruns == []'
for f in fresh1 fresh2; do
    jq '{verdicts, strategies, steps, points, switches}' $f.json >$f
done
cmp fresh1 fresh2 || fail "--fresh is not the same campaign again"
"$BURL" test --runs=200 --seed=5 --json ./bank >on.json
json on.json '.memory.continued and .memory.campaigns_before == 1
              and .memory.executions_before == 200'

# ---- same state of the store, same campaign, whatever the number of jobs
cp -r .burl copy1
cp -r .burl copy2
"$BURL" test --runs=400 --seed=5 --jobs=1 --dir=copy1 --json ./bank >a.json
"$BURL" test --runs=400 --seed=5 --jobs=3 --dir=copy2 --json ./bank >b.json
for f in a b; do
    jq '{verdicts, strategies, steps, points, switches, preemptions, shared_sites, memory,
         f: [.findings[] | {id, count}]}' $f.json >$f
done
cmp a b || fail "jobs change a campaign that goes on"
"$BURL" test --corpus --json --dir=copy1 ./bank | jq '[.corpus[] | del(.kept_ms, .result_ms, .file)]' >a
"$BURL" test --corpus --json --dir=copy2 ./bank | jq '[.corpus[] | del(.kept_ms, .result_ms, .file)]' >b
cmp a b || fail "jobs change the corpus"

# ---- a state that cannot be read is said, and the campaign begins anew
sqlite3 .burl/burl.db "UPDATE programs SET state = 'garbage'" || fail sqlite3
"$BURL" test --runs=100 ./bank >out 2>err
[ $? -eq 1 ] || fail "unreadable state: exit code"
has err "the state of earlier campaigns cannot be used: "
hasnt out "continuing after"
"$BURL" test --runs=100 ./bank >out
has out "continuing after 100 schedules in 1 campaign"

# ---- a campaign that is killed loses its own state, never the store
run 137 terminal -KILL '[0-9]{3} executions' \
    "$BURL" test --strategy=random --time=60s ./bank
"$BURL" test --runs=100 ./bank >out
[ $? -eq 1 ] || fail "killed: exit code"
has out "continuing after 200 schedules in 2 campaigns"

# ---- a damaged schedule is said and does no harm
for f in .burl/corpus/*.txt; do
    echo garbage >"$f"
done
"$BURL" test --runs=100 ./bank >damaged
[ $? -eq 1 ] || fail "damaged: exit code"
has damaged "cannot be rerun: "
exit 0
