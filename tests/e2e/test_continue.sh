#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# What was begun is gone on with: enumerations and the search of all interleavings in the next campaign,
# also after Ctrl-C. What they say to have tried is what all campaigns together have, no matter where they
# were cut; what was proven is not proven again, unless it is another program or another world.
. "$BURL_TEST_ROOT/tests/e2e/run_lib.inc"

cat >small.c <<'END'
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *add(void *arg)
{
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&lock);
        x++;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(x == 2 * N);
    return 0;
}
END
build small -DN=1

# ---- enumerations
# at DIR STRATEGY: how far it is, "bound next complete".
at() {
    sqlite3 "$1/burl.db" "SELECT state FROM programs" |
        jq -r --arg s "$2" '.enumerations[] | select(.strategy == $s) | "\(.bound) \(.next) \(.complete)"'
}
# further BEFORE AFTER: it has gone on.
further() {
    set -- $1 $2
    [ $# -eq 6 ] && [ $(($1 * 1000000 + $2)) -lt $(($4 * 1000000 + $5)) ] || fail "not further: $*"
}
for strategy in delay preemption; do
    run 0 "$BURL" test --strategy=$strategy --runs=300 --dir=whole ./small
    for runs in 100 57 145; do # each has one execution that is no part of it
        run 0 "$BURL" test --strategy=$strategy --runs=$runs --dir=parts ./small
    done
    [ -n "$(at whole $strategy)" ] && [ "$(at whole $strategy)" = "$(at parts $strategy)" ] ||
        fail "$strategy: $(at whole $strategy) in one campaign, $(at parts $strategy) in three"
    rm -rf whole parts
done
run 0 "$BURL" test --strategy=delay --runs=100 --dir=d ./small
has out "all schedules with at most 1 delay were tried"
run 0 "$BURL" test --strategy=delay --runs=100 --dir=d ./small
has out "all schedules with at most 2 delays were tried"
# Another strategy in between does no harm, and other bounds on steps are another enumeration.
before=$(at d delay)
run 0 "$BURL" test --strategy=random --runs=50 --dir=d ./small
[ "$(at d delay)" = "$before" ] || fail "forgotten: $before, $(at d delay)"
run 0 "$BURL" test --strategy=delay --runs=30 --max-steps=5000 --dir=d ./small
hasnt out "delays were tried"
# Ctrl-C keeps what was tried.
run 4 terminal -INT '[0-9]{3} executions' \
    "$BURL" test --strategy=delay --time=60s --dir=d ./small
has out "interrupted"
before=$(at d delay)
[ "${before%% *}" -gt 1 ] || fail "Ctrl-C: $before"
run 0 "$BURL" test --strategy=delay --runs=31 --max-steps=1000000 --dir=d ./small
further "$before" "$(at d delay)"
# The arms of the portfolio, too.
build small -DN=9
run 0 "$BURL" test --runs=400 --dir=p ./small
before=$(at p preemption)
run 0 "$BURL" test --runs=400 --dir=p ./small
further "$before" "$(at p preemption)"

# ---- the search of all interleavings
head='#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
static atomic_int x, y;
static int r[4];
#define T(name) static void *name(void *arg)
#define RUN(n, fn) do { pthread_t t[n]; \
    for (long i = 0; i < (n); i++) pthread_create(&t[i], 0, (fn)[i], (void *)i); \
    for (long i = 0; i < (n); i++) pthread_join(t[i], 0); } while (0)
'
# warm DIR PROGRAM: what is shared is learned, so that no search begins again because of that.
warm() { "$BURL" test --strategy=exhaustive --runs=18 --dir="$1" "./$2" >out; }
# search CODE DIR PROGRAM [options]: the document is in doc.json.
search() {
    run "$1" "$BURL" test --strategy=exhaustive --json --dir="$2" "${@:4}" "./$3"
    cp out doc.json
}
is() { # EXPRESSION
    jq -e "$1" doc.json >/dev/null || fail "not so: $1: $(jq -c .search doc.json)"
}
totals() { jq -c '.search | {executions, pruned, complete}' doc.json; }
# pieces CODE PROGRAM N: one execution of the search per campaign gives what one campaign gives, and
# every campaign before the last knows that it is not all.
pieces() {
    search "$1" "$2.whole" "$2"
    is '.search.complete and .search.campaigns == 1'
    whole=$(totals)
    warm "$2.d" "$2"
    i=0
    while i=$((i + 1)); [ $i -le "$3" ]; do
        "$BURL" test --strategy=exhaustive --runs=2 --json --dir="$2.d" "./$2" >doc.json 2>err
        got=$?
        [ $i -eq "$3" ] || is ".search.complete == false and .search.campaigns == $i"
        is '.search.anew == ""'
    done
    [ $got -eq "$1" ] || fail "$2: exit code $got"
    is ".search.campaigns == $3"
    [ "$(totals)" = "$whole" ] || fail "$2: in pieces $(totals), whole $whole"
}
iriw='T(a) { x = 1; return 0; } T(b) { y = 1; return 0; }
T(p) { r[0] = x; r[1] = y; return 0; } T(q) { r[2] = y; r[3] = x; return 0; }
int main(void) { RUN(4, ((void *(*[])(void *)){ a, b, p, q })); assert(!CONDITION); return 0; }'
prog iriw "${iriw/CONDITION/(r[0] * !r[1] * r[2] * !r[3])}"
pieces 0 iriw 15
run 0 "$BURL" test --strategy=exhaustive --dir=iriw.d ./iriw
has out "all 15 interleavings were explored on 20"
has out "none fails: the same program, arguments, environment, input and --detect"
has out "; --fresh searches again"
# Loops that wait and threads that are alike make a search begin again: that survives, too.
prog waits 'T(p) { x++; return 0; } T(q) { while (x < 2) { } y = 1; return 0; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, i ? p : q, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0); return 0; }'
search 0 waits.n waits --fresh
pieces 0 waits "$(jq .search.executions doc.json)"

# One that fails: the failure is one of all campaigns, and "none fails" is never said.
prog fails "${iriw/CONDITION/(r[0] * !r[1] * !r[2] * r[3])}"
run 1 "$BURL" test --strategy=exhaustive --dir=f.whole ./fails
has out "all 15 interleavings explored"
warm f fails
for i in 1 2 3; do
    "$BURL" test --strategy=exhaustive --runs=$((i > 1 ? 100 : 9)) --dir=f ./fails >out
    [ $? -eq 1 ] || [ $i -eq 1 ] || fail "$i: exit code"
    hasnt out "none fails"
    case $i in
        1) has out "8 interleavings explored, not complete: cut at 8 schedules" ;;
        2) has out "all 15 interleavings explored (in 2 campaigns)" ;;
        3) grep -q "^exhaustive: all 15 interleavings explored$" out || fail "again: no proof to trust" ;;
    esac
done

# Another world: anew, and why. The same numbers again.
cut() { # a search that was cut, in DIR
    rm -rf "$1"
    warm "$1" iriw
    search 4 "$1" iriw --runs=8
    is '.search.executions == 7 and .search.why == "cut at 7 schedules; raise --runs"'
}
anew() { # WHY [options]
    search 0 c iriw "${@:2}"
    is '.search.executions == 15 and .search.complete and .search.campaigns == 1'
    is ".search.anew == \"$1\""
}
cut c
search 0 c iriw
is '.search.campaigns == 2 and .search.anew == "" and .search.executions == 15'
for given in cut proven; do
    again() { if [ $given = cut ]; then cut c; else rm -rf c; search 0 c iriw; fi; }
    again
    SOMETHING=else anew "the environment, directory or input changed"
    again
    sqlite3 c/burl.db "UPDATE programs SET state = replace(state, '\"campaigns\":1', '\"campaigns\":3')"
    anew "its stored state is damaged"
    is '.memory.continued'
    anew "--detect, --engine, --no-spurious or --faults changed" --detect=none
    anew "" --fresh
done
cut c
{ cat iriw.c; echo 'int unused;'; } >more.c
mv more.c iriw.c
build iriw -Wno-unused
search 0 c iriw
is '.memory.rebuilt and .search.complete and .search.campaigns == 1 and .search.earlier == false'
# A proof is of no use to a user of other schedules, and these do not harm it.
rm -rf c
search 0 c iriw
run 0 "$BURL" test --strategy=random --runs=50 --dir=c ./iriw
hasnt out "interleavings"
search 0 c iriw
is '.search.earlier and .search.executions == 15 and .executions < 15'
# What the program finds in the world is not seen, what it then does is: nothing of the old is claimed.
prog reads 'T(p) { x++; return 0; }
int main(void) { FILE *f = fopen("input", "r"); int n = fgetc(f) - 48; fclose(f);
    pthread_t t[9]; for (int i = 0; i < n; i++) pthread_create(&t[i], 0, p, t + i);
    for (int i = 0; i < n; i++) pthread_join(t[i], 0); assert(x < 3); return 0; }'
echo 2 >input
search 0 r reads
echo 3 >input
search 1 r reads
is '.findings | length == 1'

# ---- Ctrl-C, and the portfolio's search
prog writers 'T(w) { x = (int)(long)arg; return 0; }
int main(int n, char **a) { (void)a; RUN(6 + n, ((void *(*[])(void *)){ w, w, w, w, w, w, w, w })); return 0; }'
run 4 terminal -TERM '[0-9]{3} executions' \
    "$BURL" test --strategy=exhaustive --dir=w --time=60s ./writers 1
has out "interrupted"
run 0 "$BURL" test --strategy=exhaustive --dir=w ./writers 1
has out "all 40,320 interleavings explored, none fails (in 2 campaigns)"
i=0
while i=$((i + 1)); [ $i -le 20 ]; do # each has some hundreds for it
    run 0 "$BURL" test --runs=4000 --dir=m ./writers
    grep -q '^exhaustive: all 5,040' out && break
    has out "interleavings explored$([ $i -lt 2 ] || echo " (in $i campaigns)"), not complete: cut at"
done
[ $i -gt 2 ] || fail "done in $i campaigns"
has out "all 5,040 interleavings explored, none fails (in $i campaigns)"
run 0 "$BURL" test --dir=m ./writers
has out "all 5,040 interleavings were explored on 20"
grep -q '^[0-9]\{1,2\} executions' out || fail "it searched again"
