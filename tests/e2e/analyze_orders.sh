#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 900
#
# tests/e2e/analyze_orders.sh - burl-analyze --changes: changes of lock orders that can become a
# deadlock, each with the nearest change that cannot.
set -eu
. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/analyze_lib.inc"

cycle() {
    grep -q '^cycle' c || { cat c; fail "$what: no cycle"; }
    [ $# = 0 ] || has "^cycle [0-9 ]* \"$1\""
}
no_cycle() { lacks '^cycle'; }
# turned: the change of a pair of lines tagged FIRST and SECOND that exchanges a and b.
turned() {
    change "order turned" -e '\,/\*FIRST\*,s/&a/\&b/' -e '\,/\*SECOND\*,s/&b/\&a/'
}

# frame HEAD ONE TWO: two threads, one() in the first, two() in the second; shared data in both.
frame() {
    cat <<SRC
#include <pthread.h>
static int x, y;
$1
static void one(int i, int j)
{
    $2
}
static void two(int i, int j)
{
    $3
}
static void *work(void *arg)
{
    two((int)(long)arg, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    start();
    pthread_create(&t, 0, work, (void *)1L);
    one(0, 1);
    pthread_join(t, 0);
    return x;
}
SRC
}

# ---- two locks, taken by calls ----

base p.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void inner(void)
{
    pthread_mutex_lock(&b); /*INNER*/
    y++;
    pthread_mutex_unlock(&b);
}
static void one(void)
{
    pthread_mutex_lock(&a);
    x++;
    inner();
    pthread_mutex_unlock(&a);
}
static void two(void)
{
    pthread_mutex_lock(&a); /*FIRST*/
    pthread_mutex_lock(&b); /*SECOND*/
    x++;
    y++;
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
}
static void *work(void *arg)
{
    two();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    one();
    pthread_join(t, 0);
    return x;
}
SRC
change "order turned" -e '\,/\*FIRST,s/&a/\&b/' -e '\,/\*SECOND,s/&b/\&a/'
has '^cycle [0-9]* [0-9]* "b and a"'
hit SECOND region "the order of locks changed"
line_of INNER
grep -q "^$line " sites || fail "$what: the other request is not listed"
change "same order" -e 's/x++;/x += 2;/'
no_cycle
change "a local more" -e 's/x++;/int more = 1; x += more;/'
no_cycle
# The same where one thread does all of it; then a second thread, or one that is not awaited.
cp old/p.c both
sed -e 's/    one();//' -e 's/    two();/    two();\n    one();/' both >one
base p.c <one
change "order turned in one thread" -e '\,/\*FIRST,s/&a/\&b/' -e '\,/\*SECOND,s/&b/\&a/'
no_cycle
cp new/p.c turned
base p.c <turned
change "a second thread" -e 's/^    pthread_create.*/&\n    pthread_t u;\n    pthread_create(\&u, 0, work, 0);\n    pthread_join(u, 0);/'
cycle
change "another name" -e 's/\<t\>/thread/g'
no_cycle
sed -e '\,/\*FIRST,s/&a/\&b/' -e '\,/\*SECOND,s/&b/\&a/' -e 's/^    one();//' \
    -e 's/^    pthread_join(t, 0);/&\n    one();/' both >after
base p.c <after
change "the join comes later" -e 's/^    pthread_join(t, 0);//' -e 's/^    one();/&\n    pthread_join(t, 0);/'
cycle
change "more after the join" -e 's/return x/return x + y/'
no_cycle

# ---- the lock is chosen by values ----

# The reduced tree_move() of bench/simrt/server: the second lock is taken and released under a condition.
base p.c <<'SRC'
#include <pthread.h>
#include <stddef.h>
struct dir { pthread_rwlock_t lock; int n; };
static struct dir dirs[4];
static int moves;
static pthread_mutex_t count = PTHREAD_MUTEX_INITIALIZER;
static void note(void);
static void move(struct dir *from, struct dir *to)
{
    struct dir *first = from <= to ? from : to; /*ORDER*/
    struct dir *second = from == to ? NULL : from <= to ? to : from; /*ORDER*/
    pthread_rwlock_wrlock(&first->lock);
    if (second != NULL)
        pthread_rwlock_wrlock(&second->lock); /*SECOND*/
    from->n--;
    to->n++;
    pthread_rwlock_unlock(&first->lock);
    if (second != NULL)
        pthread_rwlock_unlock(&second->lock);
}
static void note(void)
{
    pthread_mutex_lock(&count); /*NOTE*/
    moves++;
    pthread_mutex_unlock(&count);
}
static void report(void)
{
    pthread_mutex_lock(&count);
    pthread_rwlock_rdlock(&dirs[0].lock);
    moves += dirs[0].n;
    pthread_rwlock_unlock(&dirs[0].lock);
    pthread_mutex_unlock(&count);
}
static void *work(void *arg)
{
    move(&dirs[1], &dirs[2]);
    note(); /*CALL*/
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 4; i++)
        pthread_rwlock_init(&dirs[i].lock, NULL);
    pthread_create(&t, 0, work, 0);
    move(&dirs[2], &dirs[1]);
    report();
    pthread_join(t, 0);
    return moves;
}
SRC
change "order of the arguments" -e '\,ORDER,s/from <= to ? from : to/from/' \
    -e '\,ORDER,s/from <= to ? to : from/to/'
cycle
hit SECOND region "the order of locks changed"
change "renamed" -e 's/\<first\>/low/g' -e 's/\<second\>/high/g'
no_cycle
change "other data under the locks" -e 's/from->n--;/from->n -= 2;/'
no_cycle
# The lock of move() is not held any more when note() is called, whatever the condition was.
change "a call after the locks" -e '\,CALL,s/note();/note(); note();/'
no_cycle
change "a call under the locks" -e 's/    from->n--;/    from->n--; note();/'
cycle

# Ordered by an index, by a number in the object, by a function; by a flag of the caller.
frame 'struct acc { pthread_mutex_t m; int id; };
static struct acc t[8];
static int cmp(const struct acc *a, const struct acc *b) { return a->id - b->id; /*CMP*/ }
static void start(void) { for (int i = 0; i < 8; i++) { pthread_mutex_init(&t[i].m, 0); t[i].id = i; /*ID*/ } }
static void both(int i, int j)
{
    if (i > j) { int k = i; i = j; j = k; } /*SORT*/
    pthread_mutex_lock(&t[i].m);
    pthread_mutex_lock(&t[j].m);
    x++;
    pthread_mutex_unlock(&t[j].m);
    pthread_mutex_unlock(&t[i].m);
}
static void by_id(struct acc *a, struct acc *b)
{
    if (cmp(a, b) > 0) { struct acc *c = a; a = b; b = c; } /*SORT2*/
    pthread_mutex_lock(&a->m);
    pthread_mutex_lock(&b->m);
    x++;
    pthread_mutex_unlock(&b->m);
    pthread_mutex_unlock(&a->m);
}
static void all(void)
{
    for (int i = 0; i < 8; i++) /*UP*/
        pthread_mutex_lock(&t[i].m);
    x++; /*X*/
    for (int i = 0; i < 8; i++)
        pthread_mutex_unlock(&t[i].m);
}' 'both(i, j); by_id(&t[2], &t[3]);' 'both(j, i); by_id(&t[3], &t[2]); all();' >in
base p.c <in
change "not sorted any more" -e '\,SORT\*,d'
cycle
change "sorted by other numbers" -e '\,/\*ID,s/= i;/= 7;/'
cycle
change "another comparison" -e '\,CMP,s/a->id - b->id/a->id > 3/'
cycle
change "not sorted by id any more" -e '\,SORT2,d'
cycle
change "from the other end" -e '\,UP,s/.*/for (int i = 7; i >= 0; i--)/'
cycle
change "more under the locks" -e 's/x++; .\*X/x += 2; \/*X/'
no_cycle
change "renamed" -e 's/\<both\>/pair/g'
no_cycle

# ---- conditions ----

A='static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
    g = PTHREAD_MUTEX_INITIALIZER;
static int x0;
static void start(void) { x0 = 1; }'
TAIL='x++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b);'
AB="pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    $TAIL"

frame "$A" "$AB" 'if (i) pthread_mutex_lock(&a); /*FIRST*/
    pthread_mutex_lock(&b); /*SECOND*/
    y++;
    pthread_mutex_unlock(&b);
    if (i) pthread_mutex_unlock(&a); /*FIRST*/
    pthread_mutex_lock(&g); /*AFTER*/ pthread_mutex_unlock(&g);' >in
base p.c <in
change "the condition is now behind" -e '\,/\*FIRST\*,d' \
    -e 's,pthread_mutex_lock(&b); ./\*SECOND.*,&,' -e '/^    y++/i if (i) pthread_mutex_lock(\&a);' \
    -e '/^    y++/a if (i) pthread_mutex_unlock(\&a);'
cycle
change "renamed condition" -e 's/(int i, int j)/(int k, int j)/' -e 's/if (i)/if (k)/' \
    -e 's/one(int k/one(int i/'
no_cycle
change "another lock after the pair" -e '\,AFTER,s/&g/\&a/g'
no_cycle

# Locked in one branch, released in both.
frame "$A" "$AB" 'if (i) { pthread_mutex_lock(&b); y++; }
    else pthread_mutex_lock(&b);
    /*PLACE*/
    if (j) { y++; pthread_mutex_unlock(&b); } else pthread_mutex_unlock(&b);
    /*AFTER*/' >in
base p.c <in
LOCKED='pthread_mutex_lock(\&a); y++; pthread_mutex_unlock(\&a);'
change "the other lock inside" -e "s,/\\*PLACE\\*/,$LOCKED,"
cycle
change "the other lock after both" -e "s,/\\*AFTER\\*/,$LOCKED,"
no_cycle

# A flag decides whether the lock is taken at all.
frame "$A" "$AB" 'pthread_mutex_lock(&b);
    if (j > 5) { /*WHETHER*/
        pthread_mutex_lock(&a); y++; pthread_mutex_unlock(&a);
    }
    pthread_mutex_unlock(&b);' >in
base p.c <in
change "another condition" -e '\,WHETHER,s/5/0/'
cycle
change "what is done differs" -e 's/ y++;/ y += 2;/'
no_cycle

# ---- trylock ----

frame "$A" "$AB" 'pthread_mutex_lock(&b);
    while (pthread_mutex_trylock(&a) != 0) { /*TRY*/
        pthread_mutex_unlock(&b);
        pthread_mutex_lock(&b);
    }
    y++;
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);' >in
base p.c <in
change "lock instead of trylock" -e '\,TRY,s/while (pthread_mutex_trylock(&a) != 0)/pthread_mutex_lock(\&a); while (0)/'
cycle
change "the fallback waits longer" -e '\,TRY,s/{/{ y += 0;/'
no_cycle
frame "$A" "$AB" 'pthread_mutex_lock(&b);
    if (pthread_mutex_trylock(&g) == 0) { /*HELD*/
        y++;
        pthread_mutex_unlock(&g);
    }
    pthread_mutex_unlock(&b);
    pthread_mutex_lock(&a); /*AFTER*/
    pthread_mutex_unlock(&a);' >in
base p.c <in
change "one that was tried is held" -e '\,HELD,s/&g/\&b/;s/y++;/pthread_mutex_lock(\&a); y++; pthread_mutex_unlock(\&a);/'
cycle
change "no longer tried" -e '\,HELD,s/pthread_mutex_trylock(&g) == 0/0/'
no_cycle

# ---- a gate ----

GATED="pthread_mutex_lock(&g); /*GATE1*/
    $AB
    pthread_mutex_unlock(&g); /*GATE1*/"
frame "$A" "$GATED" 'pthread_mutex_lock(&g); /*GATE2*/
    pthread_mutex_lock(&a); /*FIRST*/
    pthread_mutex_lock(&b); /*SECOND*/
    y++; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&g); /*GATE2*/' >in
base p.c <in
turned
no_cycle
sed -e '\,/\*FIRST,s/&a/\&b/' -e '\,/\*SECOND,s/&b/\&a/' old/p.c >in
base p.c <in
change "one gate removed" -e '\,GATE2,d'
cycle
change "another gate" -e 's/static int x0;/static pthread_mutex_t h = PTHREAD_MUTEX_INITIALIZER;\n&/' -e '\,GATE2,s/&g/\&h/'
cycle
change "more in the gate" -e 's/ y++;/ y += 2;/'
no_cycle

# ---- wrappers ----

W="$A"'
static void enter(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void leave(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
static void enter_if(pthread_mutex_t *m, int c) { if (c) pthread_mutex_lock(m); }
static void leave_if(pthread_mutex_t *m, int c) { if (c) pthread_mutex_unlock(m); }
static void enter_both(pthread_mutex_t *m, pthread_mutex_t *n)
{
    pthread_mutex_lock(m); /*M*/
    pthread_mutex_lock(n); /*N*/
}
static void leave_both(pthread_mutex_t *m, pthread_mutex_t *n) { leave(m); leave(n); }
static void twice(pthread_mutex_t *m, pthread_mutex_t *n) { enter_both(m, n); }
static void counted(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
    x0++; /*INNER*/
}'
frame "$W" 'enter(&a);
    enter(&b);
    x++;
    leave(&b);
    leave(&a);' 'enter(&a); /*FIRST*/
    enter(&b); /*SECOND*/
    y++;
    leave(&b);
    leave(&a);
    enter_both(&a, &b); /*PAIR*/
    y++;
    leave_both(&a, &b);
    twice(&a, &b); /*TWICE*/
    y++;
    leave_both(&a, &b);
    enter_if(&a, i); /*FIRST_IF*/
    enter_if(&b, i); /*SECOND_IF*/
    y++;
    leave_if(&b, i);
    leave_if(&a, i);
    counted(&a); /*COUNTED*/
    y++;
    leave(&a);' >in
base p.c <in
turned
cycle
change "pair turned" -e '\,/\*PAIR,s/&a, &b/\&b, \&a/'
cycle
change "pair of a wrapper turned" -e '\,/\*TWICE,s/&a, &b/\&b, \&a/'
cycle
change "turned in the wrapper" -e '\,/\*M,s/(m)/(n)/' -e '\,/\*N,s/(n)/(m)/'
cycle
change "conditional wrappers turned" -e '\,/\*FIRST_IF,s/&a/\&b/' -e '\,/\*SECOND_IF,s/&b/\&a/'
cycle
change "a lock in a wrapper" -e '\,/\*COUNTED,s/&a/\&b/' \
    -e '\,/\*INNER,s,x0++;,pthread_mutex_lock(\&a); x0++; pthread_mutex_unlock(\&a);,' -e 's/    leave(&a);$/    leave(\&b);/;'
cycle
change "a lock of its own in a wrapper" -e '\,/\*INNER,s,x0++;,pthread_mutex_lock(\&g); x0++; pthread_mutex_unlock(\&g);,'
no_cycle
change "more under the locks" -e 's/ y++;/ y += 2;/'
no_cycle
change "another wrapper in the same order" -e '\,/\*PAIR,s/enter_both/twice/'
no_cycle
change "wrappers renamed" -e 's/enter_both/lock_two/g' -e 's/\<enter\>/take/g'
no_cycle

# Taken in a callee, released in the caller; one function takes a lock and gives back another.
frame "$A"'
static void over(void) { pthread_mutex_lock(&g); pthread_mutex_unlock(&b); }' "$AB" 'pthread_mutex_lock(&b);
    over(); /*OVER*/
    y++; /*HERE*/
    pthread_mutex_unlock(&g);
    /*AFTER*/' >in
base p.c <in
change "hand over hand" -e 's/&g/\&a/g'
cycle
change "more under the lock" -e '\,/\*HERE,s/y++/y += 2/'
no_cycle

# The called function differs, not its caller.
frame "$A"'
static void inner(void) { pthread_mutex_lock(&g); y++; pthread_mutex_unlock(&g); /*AFTER*/ }
static void mid(void) { inner(); }' "$AB" 'pthread_mutex_lock(&b);
    mid();
    pthread_mutex_unlock(&b);' >in
base p.c <in
change "another lock in the callee" -e '/static void inner/s/&g/\&a/g'
cycle
change "other data in the callee" -e '/static void inner/s/y++/y += 2/'
no_cycle

# ---- kinds of locks ----

kinds() { # TYPE INIT LOCK UNLOCK HEAD
    frame "$5
static $1 a, b;
static void start(void) { $2 }" "$3(&a); $3(&b); x++; $4(&b); $4(&a);" "$3(&a); /*FIRST*/
    $3(&b); /*SECOND*/
    y++; /*Y*/
    $4(&b);
    $4(&a);" >in
    base p.c <in
    turned
    cycle
    change "more under the locks" -e '\,/\*Y,s/y++/y += 2/'
    no_cycle
}
kinds pthread_spinlock_t 'pthread_spin_init(&a, 0); pthread_spin_init(&b, 0);' pthread_spin_lock pthread_spin_unlock ''
kinds mtx_t 'mtx_init(&a, mtx_plain); mtx_init(&b, mtx_plain);' mtx_lock mtx_unlock '#include <threads.h>'
kinds sem_t 'sem_init(&a, 0, 1); sem_init(&b, 0, 1);' sem_wait sem_post '#include <semaphore.h>'
kinds pthread_rwlock_t 'pthread_rwlock_init(&a, 0); pthread_rwlock_init(&b, 0);' pthread_rwlock_wrlock pthread_rwlock_unlock ''

# For reading on both sides of one lock no thread waits.
frame 'static pthread_rwlock_t a, b;
static void start(void) { pthread_rwlock_init(&a, 0); pthread_rwlock_init(&b, 0); }' \
    'pthread_rwlock_rdlock(&a); /*READ*/ pthread_rwlock_wrlock(&b); x++;
    pthread_rwlock_unlock(&b); pthread_rwlock_unlock(&a);' \
    'pthread_rwlock_rdlock(&a); /*FIRST*/
    pthread_rwlock_wrlock(&b); /*SECOND*/
    y++; pthread_rwlock_unlock(&a); pthread_rwlock_unlock(&b);' >in
base p.c <in
change "read locks turned" -e '\,/\*FIRST,s/rdlock(&a)/wrlock(\&b)/' -e '\,/\*SECOND,s/wrlock(&b)/rdlock(\&a)/'
no_cycle
sed -e '\,/\*FIRST,s/rdlock(&a)/wrlock(\&b)/' -e '\,/\*SECOND,s/wrlock(&b)/rdlock(\&a)/' old/p.c >in
base p.c <in
change "one of them writes" -e '\,/\*READ,s/rdlock/wrlock/'
cycle
change "others data" -e 's/y++/y += 2/'
no_cycle

# A recursive mutex that is taken twice, and then once more inside.
frame '#define _GNU_SOURCE
static pthread_mutex_t a = { .__data.__kind = 1 }, b = PTHREAD_MUTEX_INITIALIZER;
static void start(void) { }' 'pthread_mutex_lock(&a); pthread_mutex_lock(&b); x++;
    pthread_mutex_unlock(&b); pthread_mutex_unlock(&a);' 'pthread_mutex_lock(&a);
    /*IN*/
    pthread_mutex_lock(&b);
    y++; /*Y*/
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);' >in
base p.c <in
change "taken twice" -e 's,/\*IN\*/,pthread_mutex_lock(\&a);,' -e '\,/\*Y,s/y++;/y++; pthread_mutex_unlock(\&a);/'
no_cycle

# ---- C++ ----

base p.cpp <<'SRC'
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::mutex a, b, c;
static std::recursive_mutex r;
static std::shared_mutex s;
static int x, y;
struct Account {
    std::mutex m;
    int id, sum;
};
static Account p{ {}, 1, 0 }, q{ {}, 2, 0 };
static void move(Account &from, Account &to)
{
    Account &low = from.id < to.id ? from : to; /*ORDER*/
    Account &high = from.id < to.id ? to : from; /*ORDER*/
    std::lock_guard<std::mutex> g(low.m);
    std::lock_guard<std::mutex> h(high.m);
    from.sum--;
    to.sum++;
}
static void one()
{
    {
        std::lock_guard<std::mutex> g(a);
        std::lock_guard<std::mutex> h(b);
        x++;
    }
    {
        std::scoped_lock g(a, c);
        x++;
    }
    {
        std::lock_guard<std::recursive_mutex> g(r);
        std::unique_lock<std::shared_mutex> h(s);
        x++;
    }
    move(p, q);
}
static void two()
{
    {
        std::lock_guard<std::mutex> g(a); /*FIRST*/
        std::unique_lock<std::mutex> h(b); /*SECOND*/
        y++; /*Y*/
    }
    {
        std::scoped_lock g(a, c); /*SCOPED*/
        y++;
    }
    {
        std::lock_guard<std::recursive_mutex> g(r); /*R*/
        std::shared_lock<std::shared_mutex> h(s); /*S*/
        y++;
    }
    {
        std::scoped_lock g(b);
        y++; /*B*/
    }
    move(q, p);
}
int main()
{
    std::thread t(two);
    one();
    t.join();
    return x;
}
SRC
change "guards turned" -e '\,/\*FIRST,s/(a)/(b)/' -e '\,/\*SECOND,s/(b)/(a)/'
cycle "b and a"
change "both at once, turned" -e '\,/\*SCOPED,s/a, c/c, a/'
no_cycle
change "both at once, inside a lock" -e '\,/\*B,s/y++;/std::scoped_lock k(a, c); y++;/'
cycle
change "released before" -e '\,/\*SECOND,s/std::unique/{ std::scoped_lock k(c); } std::unique/'
no_cycle
change "order of the arguments" -e '\,ORDER,s/from.id < to.id ? from : to/from/' \
    -e '\,ORDER,s/from.id < to.id ? to : from/to/'
cycle
change "recursive and shared turned" -e '\,/\*R\*,s/recursive_mutex> g(r)/shared_mutex> g(s)/' \
    -e '\,/\*S\*,s/shared_lock<std::shared_mutex> h(s)/lock_guard<std::recursive_mutex> h(r)/'
cycle
change "for writing in the same order" -e '\,/\*S\*,s/shared_lock/unique_lock/'
no_cycle
change "more under the locks" -e '\,/\*Y,s/y++/y += 2/'
no_cycle

# ---- more than two locks ----

base p.c <<'SRC'
#include <pthread.h>
static pthread_mutex_t l[1], a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
    c = PTHREAD_MUTEX_INITIALIZER, d = PTHREAD_MUTEX_INITIALIZER, e = PTHREAD_MUTEX_INITIALIZER,
    g = PTHREAD_MUTEX_INITIALIZER;
static int x;
#define BOTH(p, q) pthread_mutex_lock(&p), pthread_mutex_lock(&q), x++, pthread_mutex_unlock(&q), \
    pthread_mutex_unlock(&p)
static void *one(void *arg) { BOTH(a, b); return arg; }
static void *two(void *arg) { BOTH(b, c); return arg; }
static void *three(void *arg) { BOTH(c, d); return arg; }
static void *four(void *arg)
{
    BOTH(d, e);
    BOTH(a, d); /*FOUR*/
    return arg;
}
static void *five(void *arg)
{
    BOTH(a, e); /*FIVE*/
    return arg;
}
int main(void)
{
    pthread_t t[5];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_create(&t[2], 0, three, 0);
    pthread_create(&t[3], 0, four, 0);
    pthread_create(&t[4], 0, five, 0);
    for (int i = 0; i < 5; i++)
        pthread_join(t[i], 0);
    return l == 0;
}
SRC
change "third edge" -e '\,/\*FIVE,s/a, e/c, a/'
cycle
has '^cycle [0-9]* [0-9]* [0-9]* "'
change "fourth edge" -e '\,/\*FIVE,s/a, e/d, a/'
cycle
change "fourth edge alone" -e '\,/\*FIVE,s/a, e/d, a/' -e '\,/\*FOUR,d'
has '^cycle [0-9]* [0-9]* [0-9]* [0-9]* "'
change "a third edge in the same order" -e '\,/\*FIVE,s/a, e/a, c/'
no_cycle
change "a lock more" -e '\,/\*FIVE,s/a, e/a, g/'
no_cycle
# The fifth edge of a ring of five: that is more than is looked for.
change "fifth edge" -e '\,/\*FIVE,s/a, e/e, a/' -e '\,/\*FOUR,d'
no_cycle
has '^note "cycles of more than four locks are not looked for"'
# Two of the edges in one thread.
sed -e 's/^static void \*two.*/static void *two(void *arg) { return arg; }/' \
    -e 's/^static void \*one.*/static void *one(void *arg) { BOTH(a, b); BOTH(b, c); return arg; }/' old/p.c >in
base p.c <in
change "third edge, two threads" -e '\,/\*FIVE,s/a, e/c, a/'
no_cycle
