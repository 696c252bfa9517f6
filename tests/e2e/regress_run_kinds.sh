#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# `burl regress run`: a changed lock order is a new deadlock, a split lock region a new atomicity
# violation, and --for says which of them are looked for. One race in two programs is one pair.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >bank.h <<'EOF'
void pay(int n);
void back(int n);
void withdraw(int n);
int hits(void);
EOF
cat >bank.c <<'EOF'
#include <assert.h>
#include <pthread.h>
#include "bank.h"
static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t to = PTHREAD_MUTEX_INITIALIZER;
static int a = 100, b, n_hits;
void pay(int n)
{
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
    a -= n;
    b += n;
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
}
void back(int n)
{
#ifdef ORDER
    pthread_mutex_lock(&to);
    pthread_mutex_lock(&from);
#else
    pthread_mutex_lock(&from);
    pthread_mutex_lock(&to);
#endif
    a += n;
    b -= n;
    pthread_mutex_unlock(&to);
    pthread_mutex_unlock(&from);
}
void withdraw(int n)
{
    int enough;
    pthread_mutex_lock(&from);
    enough = a >= n;
#ifdef SPLIT
    pthread_mutex_unlock(&from);
    pthread_mutex_lock(&from);
#endif
    if (enough) {
        a -= n;
        assert(a >= 0);
    }
    pthread_mutex_unlock(&from);
}
int hits(void)
{
    int n;
#ifndef NOLOCK
    pthread_mutex_lock(&to);
#endif
    n = ++n_hits;
#ifndef NOLOCK
    pthread_mutex_unlock(&to);
#endif
    return n;
}
EOF
cat >one.c <<'EOF'
#include <pthread.h>
#include <string.h>
#include "bank.h"
static void *first(void *arg)
{
    const char *what = arg;
    if (strcmp(what, "move") == 0)
        pay(10);
    else if (strcmp(what, "take") == 0)
        withdraw(80);
    else
        hits();
    return NULL;
}
static void *second(void *arg)
{
    if (strcmp(arg, "move") == 0)
        back(10);
    else
        first(arg);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    (void)argc;
    pthread_create(&t[0], NULL, first, argv[1]);
    pthread_create(&t[1], NULL, second, argv[1]);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
EOF
sed 's/main(int argc/main(int argc/; s/first/erster/g' one.c >two.c
cat >burl.tests <<'EOF'
move: ./one move
take: ./one take
hits: ./one hits
hits2: ./two hits
EOF

make_version() {
    "$BURL" cc -g -O1 "$@" one.c bank.c -o one -lpthread || fail "cannot build one"
    "$BURL" cc -g -O1 "$@" two.c bank.c -o two -lpthread || fail "cannot build two"
}

# document CODE OPTIONS
document() {
    code=$1
    shift
    rm -rf .burl
    cp -r base .burl
    "$BURL" regress run --json "$@" >out.json 2>err
    got=$?
    [ $got -eq "$code" ] || fail "exit code $got, expected $code: $*"
}

make_version
run 0 "$BURL" regress record --as=v1
mv .burl base

make_version -DORDER
document 1
holds '[.findings[] | select(.kind == "deadlock.cycle" and .class == "new" and .test == "move")] |
    length == 1' "no deadlock"
document 1 --for=deadlocks
holds '[.findings[].kind] == ["deadlock.cycle"]' "--for=deadlocks"
document 0 --for=races
holds '.findings == []' "--for=races finds a deadlock"

make_version -DSPLIT
document 1
holds '[.findings[] | select(.kind == "crash.abort" and .class == "new" and .test == "take")] |
    length == 1' "no atomicity violation"
document 1 --for=atomicity
holds '[.suspects[] | select(.kind == "triple" and .confirmed and .impacted)] | length >= 1' "triple"
document 0 --for=races
holds '.findings == []' "--for=races finds an atomicity violation"

# Both programs have the race: the second does not verify it.
make_version -DNOLOCK
document 1 --for=races
holds '[.tests[] | select(.name | startswith("hits"))] | length == 2' "two tests"
holds '[.findings[] | select(.kind == "race.data")] | length == 1' "one race"
holds '[.suspects[] | select(.kind == "race" and .confirmed)] | length == 1' "one pair"
holds '[.tests[] | select(.name | startswith("hits")) | .findings | length] | sort == [0, 1]' "once"

# Which of two objects is locked first depends on values that changed; the calls are the same.
cat >pair.c <<'EOF2'
#include <pthread.h>
#include <stdlib.h>
struct item { pthread_mutex_t lock; int n; };
static struct item *items[2];
static void move(int from, int to)
{
    struct item *source = items[from], *target = items[to], *first = source, *second = target;
#ifndef ARGUMENTS
    if (target < source) {
        first = target;
        second = source;
    }
#endif
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    source->n--;
    target->n++;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}
static void *there(void *arg)
{
    move(0, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        items[i] = calloc(1, sizeof *items[i]);
        pthread_mutex_init(&items[i]->lock, NULL);
    }
    pthread_create(&t, NULL, there, NULL);
    move(1, 0);
    pthread_join(t, NULL);
    return 0;
}
EOF2
echo 'move: ./pair' >burl.tests
"$BURL" cc -g -O1 pair.c -o pair -lpthread || fail "cannot build pair"
rm -rf .burl base
run 0 "$BURL" regress record --as=v1
mv .burl base
"$BURL" cc -g -O1 -DARGUMENTS pair.c -o pair -lpthread || fail "cannot build pair"
document 1
holds '[.findings[] | select(.kind == "deadlock.cycle" and .class == "new")] | length == 1' "order by arguments"
