#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 120
#
# tests/e2e/analyse_target.sh - burl-analyse by itself: what is in a target, line by line.
set -eu
analyse=${BURL%/*}/burl-analyse
# A step that fails says which.
fail() {
    echo "FAILED: $*"
    [ ! -f t ] || cat t
    exit 1
}
has() { grep -q -e "$1" t || fail "no line with: $1"; }
lacks() { ! grep -q -e "$1" t || fail "a line with: $1"; }

cat >sum.c <<'SRC'
#include <pthread.h>
#include <string.h>
struct account {
    pthread_mutex_t lock;
    int balance;
    int hits;
};
static struct account account;
static int limit;
static __thread int mine;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static void pay(struct account *a, int x)
{
    pthread_mutex_lock(&a->lock);
    if (a->balance < limit)
        a->balance += x;
    pthread_mutex_unlock(&a->lock);
    if (pthread_mutex_trylock(&other) == 0) {
        a->hits++;
        pthread_mutex_unlock(&other);
    }
    mine++;
}
static void *work(void *arg)
{
    int local[2] = { 1, 2 };
    pay(arg, local[0] + local[1]);
    return NULL;
}
int main(void)
{
    pthread_t t[2], one;
    limit = 10;
    pthread_mutex_init(&account.lock, NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &account);
    pthread_create(&one, NULL, work, &account);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    pthread_join(one, NULL);
    return account.balance;
}
SRC
"$BURL" cc -g sum.c -o sum -lpthread
"$analyse" sum -o t || fail "burl-analyse"
# Threads: main, the loop's many, one.
[ "$(grep -c '^root ' t)" = 3 ] || fail "not three roots"
has '^root "main" 0000000000000000 0 one$'
has '^root "work" [0-9a-f]* [0-9]* many$'
has '^root "work" [0-9a-f]* [0-9]* one$'
# The write of limit comes before all threads, the last read of balance after them.
has '^site [0-9a-f]* [0-9]* wb roots 0 locks -$'
has '^site [0-9a-f]* [0-9]* re roots 0 locks -$'
# Classes by field; nothing of what is thread-local or never handed over.
has '^class "struct account.balance" "global account" typed '
has '^class "struct account.hits" "global account" typed '
has '^class "limit" "global limit" typed '
lacks mine
lacks local
# Locks: the account's own by its distance, the other by its name and only where the try succeeded.
has '^lock "other" exclusive$'
has '^lock "lock at byte 0 of struct account" exclusive$'
awk '
     $1 == "site" && $8 ~ /^[0-9]+$/ { held[$8]++ }
     END { exit !(held[0] == 3 && held[1] == 2) }' t || fail "locks are not held where they should be"
# Read, then write under the lock: the read of += is never last, the write never first.
has '^fact never-last '
has '^fact never-first '
[ "$(grep -c '^unknown' t)" = 0 ] || fail "unknown functions"

# The same program gives the same target.
"$analyse" sum -o u
grep -v '^cost' t >t1
grep -v '^cost' u >u1
cmp t1 u1 || fail "two runs, two targets"
"$analyse" sum | grep -v '^cost' | cmp - t1 || fail "standard output differs"
"$analyse" --stats sum | grep -q '^pairs [1-9]' || fail "--stats"
"$analyse" --dump-callgraph sum | grep -q 'work, threads 1 2' || fail "--dump-callgraph"
"$analyse" --dump-pts sum | grep -q account || fail "--dump-pts"

# The late profile leaves out reads that the facts count on.
"$BURL" cc -g -O2 --late sum.c -o late -lpthread
"$analyse" late -o t
lacks '^fact'
has '^class "struct account.balance" "global account" typed '

# A join that is not certain to be met leaves main's last read on both sides of pairs.
sed 's/    pthread_join(one, NULL);/    if (limit > 3) pthread_join(one, NULL);/' sum.c >maybe.c
"$BURL" cc -g maybe.c -o maybe -lpthread
"$analyse" maybe -o t
lacks '^site [0-9a-f]* [0-9]* re roots 0'

# An unlock in between: the write is not in the section of the read any more.
cat >split.c <<'SRC'
#include <pthread.h>
static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    pthread_mutex_lock(&m);
    int v = x;
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    x = v + 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    work(NULL);
    pthread_join(t, NULL);
    return 0;
}
SRC
"$BURL" cc -g split.c -o split -lpthread
"$analyse" split -o t
lacks '^fact'
has '^class "x" "global x" typed 0,1$'
has 'roots 0,1 locks 0$'

# What cannot be analysed is said in one line, with the exit codes of burl.
expect() { # CODE TEXT command...
    want=$1 text=$2
    shift 2
    code=0
    "$@" >out 2>&1 || code=$?
    [ $code = "$want" ] || fail "exit code $code, not $want: $*"
    grep -q -e "$text" out || { cat out; fail "not said: $text"; }
}
expect 2 usage "$analyse"
expect 2 'unknown option' "$analyse" --what sum
expect 2 'more than one program' "$analyse" sum maybe
expect 3 'no/such' "$analyse" no/such
expect 3 'no bitcode' "$analyse" /bin/true
echo "not a program" >text
expect 3 text "$analyse" text
expect 3 'no/such' "$analyse" sum -o no/such/dir
