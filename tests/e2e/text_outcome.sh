#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 240
#
# The text for people: a campaign ends with three to five lines that say what was done and found, what
# remains untested and what to do next; a report states each fact once and fits a screen; no two
# suspects read alike; lists fit the terminal; singular and plural are right.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

build() { # NAME [FLAG...]
    "$BURL" cc -g -O1 "${@:2}" "$1.c" -o "$1" -lpthread || fail "cannot build $1"
}

# outcome WHAT: the last lines of out, three to five of them.
outcome() {
    sed -n '/^\(interrupted: \)\?[0-9,]* executions\? in [0-9.]* s ([0-9,]*\/s), /,$p' out >last
    local n
    n=$(wc -l <last)
    [ "$n" -ge 3 ] && [ "$n" -le 5 ] || fail "$1: $n lines in the outcome: $(cat out)"
    tail -n 1 last | grep -q '^next: ' || fail "$1: no hint: $(cat last)"
    ! grep -qE '(^|[^0-9,.])1 (executions|findings|suspects|edges|threads|operations|preemptions|times|notes|bytes|modules)\b' out ||
        fail "$1: a plural of one: $(cat out)"
    ! grep -qE '[^0-9a-fx.][0-9]{5,} (execution|finding|suspect|reads-from|operation|time|interleaving)' out ||
        fail "$1: a number without separators: $(cat out)"
    hasnt out 'engine fibers'
    hasnt out 'fingerprint'
}

# ---- outcomes

cat >small.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *add(void *x)
{
    pthread_mutex_lock(&m);
    n = 2 * n + (x != NULL);
    pthread_mutex_unlock(&m);
    return x;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, add, &n);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return n == 0;
}
EOF
build small
run 0 "$BURL" test --seed=1 --dir=complete.d ./small
outcome complete
has last 'nothing found'
has last 'exhaustive: all '
has last 'interleavings explored, none fails'

run 0 "$BURL" test --seed=1 --runs=1 --strategy=random --dir=one.d ./small
outcome 'one execution'
grep -q '^1 execution in ' last || fail "one execution: $(cat last)"

sed 's/n = 2/clock(); &/; s/^#include <pthread.h>/&\n#include <time.h>/' small.c >doubt.c
build doubt
run 0 "$BURL" test --seed=1 --runs=300 --dir=doubt.d ./doubt
outcome doubtful
has last 'not complete: '
hasnt last 'none fails'

cat >large.c <<'EOF'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int v[8];
static void *work(void *x)
{
    for (int i = 0; i < 60; i++)
        atomic_store(&v[(i * 5) % 8], atomic_load(&v[i % 8]) + 1);
    return x;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
build large
run 0 "$BURL" test --seed=1 --runs=200 --dir=passing.d ./large
outcome passing
has last 'nothing found'
has last 'untested: '

run 4 terminal -INT '[0-9]{3} executions' "$BURL" test --time=100s --dir=stopped.d ./large
# Elapsed time and limit, rate, findings, what is tried, executions.
tr '\r' '\n' <out | grep -Eq '^[0-9.]*/100 s, [0-9,]*/s, 0 findings, [a-z-]+( [0-9])?, [0-9,]* executions' ||
    fail "progress: $(cat out)"
tr -d '\r' <out | sed 's/.*\x1b\[K//' >clean
mv clean out
outcome interrupted
grep -q '^interrupted: .*, nothing found so far$' last || fail "interrupted: $(cat last)"

printf 'int main(void) { return 0; }\n' >single.c
build single
run 0 "$BURL" test --dir=single.d ./single
outcome 'one thread'
has last 'only one thread: nothing to interleave'

# ---- a failure, and its report

cp "$BURL_TEST_ROOT/tests/must_find/ab_ba.c" "$BURL_TEST_ROOT/tests/must_find/lost_update.c" .
build ab_ba
run 1 "$BURL" test --seed=1 --runs=400 ./ab_ba
outcome failing
has last ', 1 finding'
has last 'next: burl replay 1 --gdb'
has out "wait for each other's locks: T1 holds accounts[0].mutex, T2 holds"
# The cycle is in the title and in the state of the threads, and nowhere else.
count out 'taken at' 2
count out 'holds accounts[0].mutex, taken at' 1
count out 'holds accounts[1].mutex, taken at' 1
for again in 'which T' 'and waits for' 'Predicted' 'requests'; do
    hasnt out "$again"
done
run 0 "$BURL" show -v 1
for all in 'which T' 'and waits for' 'fingerprint ' 'engine '; do
    has out "$all"
done
jq -e '.detail != "" and .pattern.sentence != "" and .fingerprint != "" and .execution.engine != ""' \
    .burl/findings/1/finding.json >/dev/null || fail "finding.json is not complete"

build lost_update
run 1 "$BURL" test --seed=1 --runs=400 --dir=two.d ./lost_update
outcome 'two findings'
grep -q '^[0-9] findings:$' out || fail "no list of the findings"
for id in 1 2; do
    run 0 "$BURL" show --dir=two.d $id
    [ "$(wc -l <out)" -le 50 ] || fail "the report has $(wc -l <out) lines"
done

# ---- one line each, and lists that fit

run 0 "$BURL" show --brief 1
[ "$(wc -l <out)" -eq 1 ] || fail "show --brief"
grep -q '^ab_ba.c:[0-9]*: deadlock.cycle: T1 .* \[burl replay 1\]$' out || fail "brief: $(cat out)"
cp out brief
run 1 "$BURL" findings --brief
cmp -s brief out || fail "burl findings --brief"
run 1 "$BURL" test --brief --fresh --seed=1 --runs=400 ./ab_ba
cmp -s brief out || fail "burl test --brief: $(cat out)"
grep -q '^[0-9,]* executions in .*, 1 finding, known from an earlier campaign$' err || fail "the result: $(cat err)"
for columns in 40 80 200; do
    for locale in C C.UTF-8; do
        COLUMNS=$columns LC_ALL=$locale run 1 "$BURL" findings --dir=two.d
        [ "$(LC_ALL=C.UTF-8 wc -L <out)" -le $columns ] || fail "$columns columns: $(cat out)"
        [ "$(grep -c '^#[12]  *[a-z]*\.[a-z]*  *lost_update.c:[0-9]*' out)" -eq 2 ] || fail "kind and place: $(cat out)"
        [ $locale != C ] || ! LC_ALL=C grep -q '[^ -~]' out || fail "not ASCII: $(cat out)"
    done
done
run 1 "$BURL" findings --dir=two.d
hasnt out '...'

# ---- suspects

cat >alike.c <<'EOF'
#include <pthread.h>
static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;
static int x, y, turn;
static void *work(void *arg)
{
    long i = (long)arg;
    pthread_mutex_lock(&m[i]);
    pthread_mutex_lock(&order);
    if (turn++ == 0) { x = x + y; y = x + y + x; x = y; }
    pthread_mutex_unlock(&order);
    pthread_mutex_unlock(&m[i]);
    pthread_mutex_lock(&order);
    x = x + x; y = y + x + y;
    pthread_mutex_unlock(&order);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
EOF
build alike
run 0 "$BURL" test -v --seed=1 --runs=60 --strategy=random --dir=alike.d ./alike
sed -n '/^Suspects/,/^[^ ]/p' out | grep '^    ' | tr -s ' \n' '  ' | sed 's/ \([a-z]*: [a-z]* at \)/\n\1/g' >all
[ "$(grep -c ' at alike.c:' all)" -ge 2 ] || fail "no suspects: $(cat out)"
[ -z "$(sort all | uniq -d)" ] || fail "two suspects read alike: $(sort all | uniq -d)"
run 0 "$BURL" test --fresh --seed=1 --runs=60 --strategy=random --dir=alike.d ./alike
hasnt out 'the run still passed'
run 0 "$BURL" test --fresh --seed=1 --dir=alike.d ./alike
has out 'none fails'
hasnt out 'Suspects'

# ---- failures that need no interleaving

cat >order.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int first;
static void *one(void *x) { atomic_store(&first, 1); return x; }
static void *two(void *x) { assert(ALWAYS || atomic_load(&first) == 0); return x; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
EOF
sed -i 's/ALWAYS || //' order.c
build order
run 1 "$BURL" test --seed=1 --runs=100 --strategy=random --dir=order.d ./order
hasnt out 'no particular interleaving'
run 1 "$BURL" test --seed=1 --runs=100 --dir=order.d ./order
hasnt out 'no particular interleaving'
run 0 "$BURL" show --dir=order.d 1
hasnt out 'no particular interleaving'
has out 'This also fails without preemption.'
sed 's/assert(.*);/assert(0);/' order.c >always.c
build always
run 1 "$BURL" test --seed=1 --runs=100 --dir=always.d ./always
outcome always
has last 'failed with finding 1: it needs no particular interleaving'
run 0 "$BURL" show --dir=always.d 1
has out 'Every execution fails like this: it needs no particular interleaving.'
exit 0
