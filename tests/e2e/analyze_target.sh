#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 120
#
# tests/e2e/analyze_target.sh - burl-analyze by itself: what is in a target, line by line.
set -eu
analyze=${BURL%/*}/burl-analyze
# A step that fails says which.
. "$BURL_TEST_ROOT/tests/support/lib.inc"
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
"$analyze" sum -o t || fail "burl-analyze"
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
has '^lock "lock of struct account" exclusive$'
awk '
     $1 == "site" && $8 ~ /^[0-9]+$/ { held[$8]++ }
     END { exit !(held[0] == 3 && held[1] == 2) }' t || fail "locks are not held where they should be"
# Read, then write under the lock: the read of += is never last, the write never first.
has '^fact never-last '
has '^fact never-first '
[ "$(grep -c '^unknown' t)" = 0 ] || fail "unknown functions"

# The same program gives the same target.
"$analyze" sum -o u
grep -v '^cost' t >t1
grep -v '^cost' u >u1
cmp t1 u1 || fail "two runs, two targets"
"$analyze" sum | grep -v '^cost' | cmp - t1 || fail "standard output differs"
"$analyze" --stats sum | grep -q '^pairs [1-9]' || fail "--stats"
"$analyze" --dump-callgraph sum | grep -q 'work, threads 1 2' || fail "--dump-callgraph"
"$analyze" --dump-pts sum | grep -q account || fail "--dump-pts"

# The late profile leaves out reads that the facts count on.
"$BURL" cc -g -O2 --late sum.c -o late -lpthread
"$analyze" late -o t
lacks '^fact'
has '^class "struct account.balance" "global account" typed '

# A join that is not certain to be met leaves main's last read on both sides of pairs.
sed 's/    pthread_join(one, NULL);/    if (limit > 3) pthread_join(one, NULL);/' sum.c >maybe.c
"$BURL" cc -g maybe.c -o maybe -lpthread
"$analyze" maybe -o t
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
"$analyze" split -o t
lacks '^fact'
has '^class "x" "global x" typed 0,1$'
has 'roots 0,1 locks 0$'

# Two types with a lock at the same place: each access has its own type's, by name. What is called
# takes and drops the lock of another type, so the section of the first goes on over the call.
cat >types.c <<'SRC'
#include <pthread.h>
struct writer { pthread_mutex_t lock; int sent; };
struct connection { pthread_mutex_t lock; int open; struct { int n; pthread_mutex_t gate; } in; };
static struct connection conns[2];
static struct writer writers[2];
static void say(struct writer *w, int n)
{
    pthread_mutex_lock(&w->lock);
    w->sent += n;
    pthread_mutex_unlock(&w->lock);
}
static void shut(struct connection *c, struct writer *w)
{
    pthread_mutex_lock(&c->lock);
    int open = c->open;
    say(w, open);
    c->open = 0;
    pthread_mutex_unlock(&c->lock);
    pthread_mutex_lock(&c->in.gate);
    c->in.n++;
    pthread_mutex_unlock(&c->in.gate);
}
static void *work(void *arg)
{
    int i = arg != NULL;
    shut(&conns[i], &writers[i]);
    return NULL;
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
"$BURL" cc -g types.c -o types -lpthread
"$analyze" types -o t
# shut comes first: 0 and 1 read and write open, 2 and 3 in.n; say: 4 and 5.
number() { awk -v n="$1" '$1 == "site" { if (i++ == n) print $8 }' t; }
lock_of() { awk -v n="$(number "$1")" '$1 == "lock" { if (i++ == n) print }' t; }
[ "$(lock_of 0)" = 'lock "lock of struct connection" exclusive' ] || fail "connection's lock"
[ "$(lock_of 2)" = 'lock "in.gate of struct connection" exclusive' ] || fail "the inner lock"
[ "$(lock_of 4)" = 'lock "lock of struct writer" exclusive' ] || fail "name of the writer's lock"
[ "$(number 0)" = "$(number 1)" ] && [ "$(number 0)" != "$(number 4)" ] || fail "numbers of locks"
has "^fact never-last 0 witness 1 lock $(number 0)\$"
has "^fact never-first 1 witness 0 lock $(number 0)\$"

# A lock at one distance from accesses that overlap and start apart is two locks.
cat >overlap.c <<'SRC'
#include <pthread.h>
struct odd {
    pthread_spinlock_t a, b;
    union { struct { int lo, hi; } half; long whole; } u;
};
static struct odd odd;
static void *work(void *arg)
{
    struct odd *o = arg;
    pthread_spin_lock(&o->a);
    o->u.whole = 1;
    pthread_spin_unlock(&o->a);
    pthread_spin_lock(&o->b);
    o->u.half.hi++;
    pthread_spin_unlock(&o->b);
    return NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, &odd);
    work(&odd);
    pthread_join(t, NULL);
    return 0;
}
SRC
"$BURL" cc -g overlap.c -o overlap -lpthread
"$analyze" overlap -o t
[ "$(number 1)" != - ] && [ "$(number 1)" = "$(number 2)" ] || fail "hi++ has no lock"
[ "$(number 0)" != "$(number 1)" ] || fail "two spinlocks are one"

# A parameter that is another lock for another caller: dropping that one ends the section as well.
cat >callers.c <<'SRC'
#include <pthread.h>
struct box { pthread_mutex_t lock; int n; };
static struct box a, b;
static void pause_b(void)
{
    pthread_mutex_unlock(&b.lock);
    pthread_mutex_lock(&b.lock);
}
static void bump(struct box *x)
{
    int v = x->n;
    if (x == &b)
        pause_b();
    x->n = v + 1;
}
static void one(struct box *p)
{
    pthread_mutex_lock(&p->lock);
    bump(p);
    pthread_mutex_unlock(&p->lock);
}
static void other(struct box *p)
{
    pthread_mutex_lock(&p->lock);
    bump(p);
    pthread_mutex_unlock(&p->lock);
}
static void *work(void *arg)
{
    one(&a);
    other(&b);
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
"$BURL" cc -g callers.c -o callers -lpthread
"$analyze" callers -o t
has '^lock "lock of struct box" exclusive$'
lacks '^fact'
awk '$1 == "site" { held[i++] = $8 } END { exit !(held[0] == "0" && held[1] == "-") }' t ||
    fail "the write in bump surely holds no lock"

# A fact names an access only when every way meets that one.
cat >ways.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next; };
static struct node *head, *tail;
static int state;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
    struct node *n = calloc(1, sizeof *n);
    pthread_mutex_lock(&m);
    if (tail)
        tail->next = n;
    else
        head = n;
    tail = n;
    if (state == 3)
        state = 0;
    else
        state++;
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
"$BURL" cc -g ways.c -o ways -lpthread
"$analyze" ways -o t
# Sites: 0 the test of tail, 1 its read in the branch, 4 the write; 5 the test of state, then 6, or 7
# and 8.
has '^fact never-first 4 witness 0 lock 0$'
has '^fact never-last 1 witness 4 lock 0$'
has '^fact never-last 5 witness - lock 0$'
has '^fact never-first 6 witness 5 lock 0$'
[ "$(grep -c '^fact never-first 4 ' t)" = 1 ] || fail "two facts for one"

# Where main is alone one access of its own hides another: the first write from what comes later,
# the second read from what came before. The other two are open to the threads.
cat >alone.c <<'SRC'
#include <pthread.h>
static int x, seen;
static void *work(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t t;
    x = 1;
    x = 2;
    pthread_create(&t, NULL, work, NULL);
    x++;
    pthread_join(t, NULL);
    seen = x;
    return x + seen;
}
SRC
"$BURL" cc -g alone.c -o alone -lpthread
"$analyze" alone -o t
[ "$(grep -c '^fact never-last [0-9]* witness [0-9]* lock -$' t)" = 1 ] || fail "the first write"
[ "$(grep -c '^fact never-first [0-9]* witness [0-9]* lock -$' t)" = 1 ] || fail "the last read"
[ "$(grep -c '^fact' t)" = 2 ] || fail "more facts than these"
sed 's/    pthread_join(t, NULL);//; s/^    return x + seen;/    pthread_join(t, NULL); return x;/' \
    alone.c >later.c
"$BURL" cc -g later.c -o later -lpthread
"$analyze" later -o t
[ "$(grep -c '^fact never-first' t)" = 0 ] || fail "a read that the thread can come before"

# Which join ends which create: handles that are written again are lost, numbers that a loop comes to
# are not.
ends() { # EXPECTED-READS NAME STATEMENTS
    printf '%s\n' '#include <pthread.h>' 'static int x;' \
        'static void *work(void *a) { x++; return a; }' "int main(void) { pthread_t t, u[2]; (void)t; (void)u;" \
        "$3" 'return x; }' >"$2.c"
    "$BURL" cc -g "$2.c" -o "$2" -lpthread || fail "$2 does not build"
    "$analyze" "$2" -o t
    got=$(grep -c '^site [0-9a-f]* [0-9]* re roots 0' t) || :
    [ "$got" = "$1" ] || fail "$2: $got reads after all threads, not $1"
}
create='pthread_create(&u[i], 0, work, 0);' join='pthread_join(u[i], 0);'
ends 1 by_number "pthread_create(&u[0], 0, work, 0); pthread_create(&u[1], 0, work, 0);
    for (int i = 0; i < 2; i++) $join"
ends 0 too_few "pthread_create(&u[0], 0, work, 0); pthread_create(&u[1], 0, work, 0);
    for (int i = 0; i < 1; i++) $join"
ends 1 in_rounds "for (int r = 0; r < 2; r++) { for (int i = 0; i < 2; i++) $create
    for (int i = 0; i < 2; i++) $join }"
ends 0 overwritten "for (int r = 0; r < 2; r++) for (int i = 0; i < 2; i++) $create
    for (int i = 0; i < 2; i++) $join"
ends 0 one_of_two "for (int i = 0; i < 2; i++) pthread_create(&t, 0, work, 0); pthread_join(t, 0);"
ends 1 one_by_one "for (int i = 0; i < 2; i++) { pthread_create(&t, 0, work, 0); pthread_join(t, 0); }"

# C++: guards lock and unlock; joins end threads; an exception leaves a section.
cat >guard.cpp <<'SRC'
#include <mutex>
#include <thread>
struct counter {
    int unused = 0;
    std::mutex m;
    long value = 0;
    void add(long x)
    {
        std::lock_guard<std::mutex> g(m);
        value = value + x;
    }
};
static counter shared;
static std::mutex big;
static int total;
static int checked;
static void bump()
{
    std::unique_lock<std::mutex> g(big);
    total++;
}
static int check(int v)
{
    if (v > 5)
        throw v;
    return v + 1;
}
static void careful()
{
    std::scoped_lock<std::mutex> g(big);
    int v = checked;
    checked = check(v);
}
static void work()
{
    shared.add(1);
    bump();
    careful();
}
int main()
{
    std::thread a(work);
    work();
    a.join();
    return (int)shared.value + total;
}
SRC
"$BURL" c++ -std=c++17 -g guard.cpp -o guard -lpthread
"$analyze" guard -o t
has '^lock "m of struct counter" exclusive$'
has '^lock "big" exclusive$'
has '^class "total" "global total" typed '
# Of main, after the join.
[ "$(grep -c '^site [0-9a-f]* [0-9]* re roots 0 locks -$' t)" = 2 ] || fail "join() ends no thread"
# The read and write of value and of total; of checked the read may be the last of its section.
[ "$(grep -c '^fact never-last' t)" = 2 ] || fail "not two accesses that are never last"
[ "$(grep -c '^fact never-first' t)" = 3 ] || fail "not three accesses that are never first"
sed 's/    a.join();/    if (total > 3) a.join(); else a.detach();/' guard.cpp >detach.cpp
"$BURL" c++ -std=c++17 -g detach.cpp -o detach -lpthread
"$analyze" detach -o t
lacks '^site [0-9a-f]* [0-9]* re '

# What cannot be analyzed is said in one line, with the exit codes of burl.
expect() { # CODE TEXT command...
    want=$1 text=$2
    shift 2
    code=0
    "$@" >out 2>&1 || code=$?
    [ $code = "$want" ] || fail "exit code $code, not $want: $*"
    grep -q -e "$text" out || { cat out; fail "not said: $text"; }
}
expect 2 usage "$analyze"
expect 2 'unknown option' "$analyze" --what sum
expect 2 'more than one program' "$analyze" sum maybe
expect 3 'no/such' "$analyze" no/such
expect 3 'no bitcode' "$analyze" /bin/true
echo "not a program" >text
expect 3 text "$analyze" text
expect 3 'no/such' "$analyze" sum -o no/such/dir
