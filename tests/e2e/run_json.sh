#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_json.sh - documents, reports in files, suppressions.
. "$(dirname "$0")/run_lib.inc"

write_counter
build counter
build careful

# One clean document; what the program prints goes to standard error.
run 1 "$BURL" run --json ./counter
jq -e '.version == 1 and .command == "run" and .exit == 1 and .engine == "free" and
       .end == "exit" and .exit_code == 0 and .error == null and .executions == 1 and
       (.findings | length) == 1 and (.suppressed == []) and (.suspects | type) == "array"' \
    out >/dev/null || fail "the document"
jq -e '.findings[0] | .kind == "race.data" and .id == 1 and .count >= 1 and
       (.fingerprint | startswith("0x")) and .replayable == false' out >/dev/null ||
    fail "its finding"
jq -e '.findings[0].detail | (.title | length) > 0 and (.accesses | length) == 2 and
       ([.accesses[].stack[0].function] | sort) == ["bump_bare", "bump_locked"]' out >/dev/null ||
    fail "its sides"
has err 'done'
run 0 "$BURL" run --json ./careful
jq -e '.exit == 0 and .findings == []' out >/dev/null || fail "the twin's document"
run 3 "$BURL" run --json /bin/true
jq -e '.exit == 3 and (.error | length) > 0' out >/dev/null || fail "an error is a document too"

# A report in a file leaves both streams alone.
run 1 "$BURL" run --report=r.txt ./counter
[ "$(cat out)" = 'done' ] || fail "standard output"
[ ! -s err ] || fail "standard error"
has r.txt 'data race on counter'
run 1 "$BURL" run --json -o r.json ./counter
[ "$(cat out)" = 'done' ] || fail "standard output"
[ ! -s err ] || fail "standard error"
jq -e '.exit == 1' r.json >/dev/null || fail "r.json"
"$BURL" run --report=/dev/full ./counter >out 2>err
[ $? -eq 3 ] || fail "a report that cannot be written"

# Suppressions: hidden, counted, not kept; stale rules are named.
cat >known.supp <<'SUPP'
# what we know
race:counter      # by its variable
race:nowhere
deadlock:*
SUPP
rm -rf .burl
run 0 "$BURL" run --suppressions=known.supp ./counter
hasnt err 'finding 1'
has err 'suppressed: 1 finding; 2 rules matched nothing'
has err 'known.supp:2: race:counter: 1 finding'
hasnt err 'nowhere'
run 0 "$BURL" run -v --suppressions=known.supp ./counter
has err 'known.supp:3: race:nowhere: matched nothing'
run 0 "$BURL" run --json --suppressions=known.supp ./counter
jq -e '.findings == [] and (.suppressed | length) == 3 and
       .suppressed[0] == {"file": "known.supp", "line": 2, "about": "race", "pattern": "counter",
                          "findings": 1, "suspects": 0} and .suppressed[1].findings == 0' out \
    >/dev/null || fail "the document of the rules"
"$BURL" findings >out 2>err
[ $? -eq 0 ] || fail "a suppressed finding was kept"
# By function of a frame, by file, by executable; not by a part of a name, nor by another kind.
for rule in race:bump_bare race:careful race:counter.c 'race:*/counter.c' race:counter 'any:bump_*'; do
    echo "$rule" >one.supp
    run 0 "$BURL" run --suppressions=one.supp ./counter
done
for rule in race:bump race:count deadlock:counter atomicity:counter; do
    echo "$rule" >one.supp
    run 1 "$BURL" run --suppressions=one.supp ./counter
done
# The same rules for burl test.
run 0 "$BURL" test --runs=100 --suppressions=known.supp ./counter
has out 'known.supp:2: race:counter: 1 finding'
run 1 "$BURL" test --runs=100 --suppressions=one.supp ./counter
# A pair of places that no rule is about is still reported.
# Relaxed atomics fix the order of the three without ordering their writes. The variables are far
# apart: the shadow of 8 bytes keeps two accesses, and reads of `turn` must not displace a write of x.
cat >three.c <<'SRC'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static _Alignas(64) int x;
static _Alignas(64) atomic_int turn;
static void a(void) { x = 1; }
static void b(void) { x = 2; }
static void c(void) { x = 3; }
static void in_turn(int mine, void (*write)(void))
{
    while (atomic_load_explicit(&turn, memory_order_relaxed) != mine)
        sched_yield();
    write();
    atomic_store_explicit(&turn, mine + 1, memory_order_relaxed);
}
static void *ta(void *p) { in_turn(0, a); return p; }
static void *tb(void *p) { in_turn(1, b); return p; }
static void *tc(void *p) { in_turn(2, c); return p; }
int
main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, ta, NULL);
    pthread_create(&t[1], NULL, tb, NULL);
    pthread_create(&t[2], NULL, tc, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
SRC
build three
echo race:a >one.supp
run 1 "$BURL" run --json --suppressions=one.supp ./three
jq -e '[.findings[].detail.accesses[].stack[0].function] | index("a") == null' out >/dev/null ||
    fail "a hidden pair is shown"
run 1 "$BURL" test --json --runs=300 --suppressions=one.supp ./three
jq -e '[.findings[].detail.accesses[].stack[0].function] | index("a") == null' out >/dev/null ||
    fail "a hidden pair is shown by burl test"
exit 0
