#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# BURL-TIMEOUT: 600
#
# tests/e2e/analyze_impact.sh - burl-analyze --changes: for every rule a change that it applies to,
# with the accesses it impacts and the reason, and the nearest change that it must not apply to.
set -eu
. "$BURL_TEST_ROOT/tests/support/lib.inc"
. "$BURL_TEST_ROOT/tests/e2e/analyze_lib.inc"

# ---- locks: every kind, taken away, added, moved, made another ----

queue() {
    cat <<SRC
$1
$2
static int head, tail, hits;
static void add(int x)
{
    tail += x; /*CALLED*/
}
static void put(int x)
{
    int v = x;
    $3 /*LOCK*/
    head += v; /*IN*/
    add(v);
    $4 /*UNLOCK*/
    hits++; /*OUT*/
}
#include <pthread.h>
static void *work(void *arg)
{
    for (int i = 0; i < 3; i++)
        put(i);
    return arg;
}
int main(void)
{
    pthread_t t;
    $5
    pthread_create(&t, 0, work, 0);
    put(7);
    pthread_join(t, 0);
    return head;
}
SRC
}

# one_kind WORD: removing, adding and changing of this pair of statements.
one_kind() {
    change "lock removed" -e '\,LOCK\*/,d'
    hit IN region "removed"
    hit CALLED region "removed"
    clean OUT
    has '^function changed .*"put".*removed'
    change "unlock moved up" -e '\,/\*UNLOCK,d' -e "\\,/\\*IN,i $2"
    hit IN '(region|access)' ""
    clean OUT
    change "lock moved down" -e '\,/\*LOCK,d' -e "\\,/\\*IN,a $1"
    hit IN '(region|access)' ""
    clean OUT
    change "a comment more" -e 's,IN\*/,& /* again */,' -e '1i /* nothing */'
    nothing
    # The other way round: the lock is added.
    cp "old/$src" with
    sed '\,LOCK\*/,d' with >without
    base "$src" <without
    cp with "new/$src"
    what="$src: lock added"
    analyze
    hit IN region "added"
    hit CALLED region "added"
    clean OUT
}

each_kind() { # HEAD LOCK TAKE DROP INIT
    queue "$1" "$2" "$3" "$4" "$5" >in
    base p.c <in
    one_kind "$3" "$4"
}

each_kind '#include <pthread.h>' 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;' \
    'pthread_mutex_lock(&m);' 'pthread_mutex_unlock(&m);' ''
each_kind '#include <pthread.h>' 'static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;' \
    'pthread_rwlock_wrlock(&m);' 'pthread_rwlock_unlock(&m);' ''
each_kind '#include <pthread.h>' 'static pthread_spinlock_t m;' \
    'pthread_spin_lock(&m);' 'pthread_spin_unlock(&m);' 'pthread_spin_init(&m, 0);'
each_kind '#include <threads.h>' 'static mtx_t m;' 'mtx_lock(&m);' 'mtx_unlock(&m);' \
    'mtx_init(&m, mtx_plain);'
each_kind '#include <stdatomic.h>' 'static atomic_flag m = ATOMIC_FLAG_INIT;' \
    'while (atomic_flag_test_and_set(&m)) { }' 'atomic_flag_clear(&m);' ''
each_kind '#include <stdatomic.h>' 'static atomic_int m;
static void take(atomic_int *l) { int no = 0; while (!atomic_compare_exchange_weak(l, &no, 1)) no = 0; }
static void drop(atomic_int *l) { atomic_store(l, 0); }' 'take(&m);' 'drop(&m);' ''
each_kind '#include <pthread.h>' 'static struct { int x; pthread_mutex_t m; } s = { 1, PTHREAD_MUTEX_INITIALIZER };
static void take(void) { pthread_mutex_lock(&s.m); }
static void drop(void) { pthread_mutex_unlock(&s.m); }' 'take();' 'drop();' ''

# Semaphores used as mutexes; a stream; a trylock; a read lock instead of a write lock.
each_sem() {
    queue '#include <semaphore.h>' 'static sem_t m;' 'sem_wait(&m);' 'sem_post(&m);' \
        'sem_init(&m, 0, 1);' >in
    base p.c <in
    change "semaphore removed" -e '\,LOCK\*/,d'
    hit IN region "removed"
    hit CALLED region "removed"
    hit OUT sync "sem_"
    change "semaphore starts with more" -e 's/sem_init(&m, 0, 1)/sem_init(\&m, 0, 2)/'
    hit IN region "initialization of m changed"
    clean OUT
}
each_sem
queue '#include <stdio.h>' '' 'flockfile(stdout);' 'funlockfile(stdout);' '' >in
base p.c <in
change "stream lock removed" -e '\,LOCK\*/,d'
hit IN region "flockfile of "
clean OUT
queue '#include <pthread.h>' 'static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;' \
    'if (pthread_mutex_trylock(&m) != 0) return;' 'pthread_mutex_unlock(&m);' '' >in
base p.c <in
change "trylock removed" -e '\,LOCK\*/,d'
hit IN region "trylock of m removed"
hit CALLED region "trylock of m removed"
change "lock instead of trylock" -e 's/if (pthread_mutex_trylock(&m) != 0) return;/pthread_mutex_lock(\&m);/'
hit IN region "lock of m"
change "another lock" -e 's/lock(&m)/lock(\&n)/'
hit IN region "of n"
clean OUT
queue '#include <pthread.h>' 'static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;' \
    'pthread_rwlock_wrlock(&m);' 'pthread_rwlock_unlock(&m);' '' >in
base p.c <in
change "read lock" -e 's/wrlock(&m)/rdlock(\&m)/'
hit IN region "read lock"
hit CALLED region "read lock"
clean OUT

# ---- accesses, conditions, values, qualifiers, data, threads ----

base p.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#define LIMIT 10
static int x, y, n, ready, seen, table[4] = { 1, 2, 3, 4 };
static struct { int pad; atomic_int flag; } f;
static volatile int vol;
static __thread int mine;
static int other;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int scale(int v)
{
    return v * 2;
}
static void publish(int v)
{
    x = v; /*X*/
    atomic_store_explicit(&f.flag, 1, memory_order_release); /*FLAG*/
}
static void take(void)
{
    if (atomic_load_explicit(&f.flag, memory_order_acquire)) /*LOAD*/
        seen = x; /*READX*/
}
static void wait_for(void)
{
    pthread_mutex_lock(&m);
    while (!ready) /*READY*/
        pthread_cond_wait(&cv, &m); /*WAIT*/
    y++; /*Y*/
    pthread_mutex_unlock(&m);
}
static void wake(void)
{
    pthread_mutex_lock(&m);
    ready = 1; /*SET*/
    y++; /*Y2*/
    pthread_cond_signal(&cv); /*SIGNAL*/
    pthread_mutex_unlock(&m);
}
static void count(int k)
{
    if (k > LIMIT)
        return;
    int d = scale(k); /*D*/
    n += d; /*N*/
    vol = k; /*VOL*/
    mine++; /*MINE*/
    other = table[k & 3]; /*OTHER*/
}
static void quiet(void)
{
    other = 7; /*QUIET*/
}
static void *work(void *arg)
{
    publish(3); /*PUBLISH*/
    wait_for();
    count(4);
    quiet();
    return arg;
}
int main(void)
{
    pthread_t t;
    x = 1; /*INIT*/
    pthread_create(&t, NULL, work, NULL); /*CREATE*/
    take();
    count(5);
    wake();
    pthread_join(t, NULL); /*JOIN*/
    return n; /*END*/
}
SRC

# Harmless changes.
change "comment, lines" -e '1i /* nothing */' -e 's/int d = scale/\n    int d = scale/'
nothing
change "local renamed" -e 's/int d = /int twice = /' -e 's/n += d;/n += twice;/'
nothing
change "private code" -e 's/int d = scale(k);/int local = k * 3; if (local > 4) puts("x"); int d = scale(k);/'
nothing
has '^function changed .*"count".*without effect'
flags=-O2
change "other level" -e 's/x/x/'
nothing
flags=
# quiet() to the top of the file.
sed -n '/^static void quiet/,/^}/p' old/p.c >moved
sed -e '/^static void quiet/,/^}/d' old/p.c | sed -e '/^static int scale/{
r moved
N
}' >new/p.c
cp old/p.c new/p.c
awk '/^static void quiet/ { skip = 1 } !skip { print } skip && /^}/ { skip = 0 }
     /^static int other;/ { while ((getline l < "moved") > 0) print l }' old/p.c >new/p.c
what="p.c: function moved"
analyze
nothing

# Accesses.
change "access added" -e 's,mine++;,mine++; x = k;,'
hit MINE access "access added"
clean N QUIET X READX
change "stored value" -e 's/other = 7;/other = 8;/'
hit QUIET access "stored value changed"
clean N X READX
change "other variable" -e 's/n += d;/x += d;/'
hit N access "access"
clean QUIET
change "access removed" -e 's/n += d;//'
clean QUIET X READX
has '^function changed .*accesses removed'

# Functions.
change "function added" -e 's/^static void quiet/static void more(void)\n{\n    x++; \/*MORE*\/\n}\n&/' \
    -e 's/other = 7;/other = 7; more();/'
hit MORE function "function added"
has '^function added .*"more".*function added'
clean N X
# It is led to by the block of quiet() that calls it.
line_of MORE
grep "^$line " sites | grep -q ' near .*:' || fail "$what: no block leads to more()"
change "start routine added" \
    -e 's/^int main/static void *second(void *a)\n{\n    x++; \/*SECOND*\/\n    quiet();\n    return a;\n}\n&/' \
    -e 's,/\*CREATE\*/,pthread_t u; pthread_create(\&u\, NULL\, second\, NULL); pthread_join(u\, NULL); &,'
hit SECOND function ""
hit QUIET thread "thread second started here"
line_of SECOND
grep "^$line " sites | grep -q ':[0-9]*+' || fail "$what: it is no thread of its own"
line_of QUIET
grep "^$line " sites | grep -q ':[0-9]*+' || fail "$what: a new thread executes quiet()"

cp new/p.c two_threads

# Memory orders and qualifiers.
change "release to relaxed" -e 's/memory_order_release/memory_order_relaxed/'
hit FLAG qualifier "memory order weakened from release to relaxed"
hit X qualifier "memory order weakened from release to relaxed"
clean READX LOAD N
change "acquire to relaxed" -e 's/memory_order_acquire/memory_order_relaxed/'
hit LOAD qualifier "memory order weakened from acquire to relaxed"
hit READX qualifier "memory order weakened from acquire to relaxed"
clean X FLAG
change "stronger" -e 's/memory_order_release/memory_order_seq_cst/' -e 's/memory_order_acquire/memory_order_seq_cst/'
nothing
change "release store removed" -e '\,/\*FLAG,d'
hit X qualifier "(release) removed"
clean READX N
change "atomic is plain" -e 's/atomic_int flag/int flag/' \
    -e 's/atomic_store_explicit(&f.flag, 1, memory_order_release)/f.flag = 1/' \
    -e 's/atomic_load_explicit(&f.flag, memory_order_acquire)/f.flag/'
hit FLAG qualifier "atomic access is now a plain one"
hit LOAD qualifier "atomic access is now a plain one"
hit X qualifier "atomic access is now a plain one"
clean QUIET
change "volatile removed" -e 's/static volatile int vol/static int vol/'
hit VOL qualifier "volatile removed"
clean N QUIET
change "volatile added" -e 's/static int other/static volatile int other/'
nothing

# Dependence.
change "condition" -e 's/LIMIT 10/LIMIT 11/'
hit N slice "condition at p.c:"
hit OTHER slice "condition at p.c:"
clean QUIET X
# A test that only came to the condition may now come to the access.
line_of N
[ "$(grep "^$line " sites | head -1 | grep -o '[0-9a-f]\{16\}:' | wc -l)" = 2 ] ||
    fail "$what: the block of the condition is missing"
change "check removed" -e '/k > LIMIT/,+1d'
hit N slice "condition at p.c:"
clean QUIET
change "callee without accesses" -e 's/v \* 2/v * 3/'
hit N slice "value computed at p.c:"
clean VOL QUIET OTHER
change "argument" -e 's/count(4)/count(6)/'
hit N slice "arguments of the call of count changed"
clean QUIET X
change "call added" -e 's/other = 7;/other = 7; take();/'
hit READX slice "call of take added"
clean N

# Condition variables, joins, threads.
change "wait loop is an if" -e 's/while (!ready)/if (!ready)/'
hit Y sync "pthread_cond_wait is no longer in a loop"
hit READY sync "pthread_cond_wait is no longer in a loop"
clean X FLAG
change "wait removed" -e '\,/\*WAIT,s/pthread_cond_wait(&cv, &m)/continue/'
hit Y sync "pthread_cond_wait removed"
clean X
change "signal removed" -e '\,/\*SIGNAL,d'
hit SET sync "pthread_cond_signal removed"
hit Y2 sync "pthread_cond_signal removed"
clean N QUIET X
change "join removed" -e '\,/\*JOIN,d'
hit END sync "pthread_join removed"
hit X sync "pthread_join removed"
hit QUIET sync "pthread_join removed"
change "create before the initialization" -e '\,/\*CREATE,d' \
    -e 's,^    x = 1; /\*INIT,    pthread_create(\&t\, NULL\, work\, NULL);\n&,'
hit INIT '(access|thread)' ""
change "another argument" -e 's/work, NULL); .\*CREATE/work, \&n); \/*CREATE/'
hit X thread "thread work is started in another way"
hit N thread "thread work is started in another way"

# Data.
change "no longer thread-local" -e 's/__thread int mine/int mine/'
hit MINE data "mine is no longer thread-local"
clean X QUIET
change "initializer" -e 's/{ 1, 2, 3, 4 }/{ 1, 2, 3, 5 }/'
hit OTHER data "definition of table changed"
clean N X QUIET
change "recursive mutex" -e '1i #define _GNU_SOURCE' \
    -e 's/m = PTHREAD_MUTEX_INITIALIZER/m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP/'
hit Y data "definition of m changed"
hit SET data "definition of m changed"
clean X N

# A thread that is gone.
base p.c <two_threads
change "thread no longer started" -e 's/pthread_t u; pthread_create.*pthread_join(u, NULL); //'
hit QUIET thread "thread second no longer started here"

# Fences and barriers.
base p.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
static int a, b, c, d;
static pthread_barrier_t bar;
static void one(void)
{
    a = 1; /*A*/
    atomic_thread_fence(memory_order_release); /*FENCE*/
    b = 1; /*B*/
}
static void two(void)
{
    c++; /*C*/
    __asm__ volatile("" ::: "memory"); /*ASM*/
    d++; /*D*/
}
static void step(void)
{
    one();
    pthread_barrier_wait(&bar); /*BARRIER*/
    two();
}
static void *work(void *arg)
{
    step();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_barrier_init(&bar, 0, 2); /*INIT*/
    pthread_create(&t, 0, work, 0);
    step();
    pthread_join(t, 0);
    return a + b + c + d;
}
SRC
change "fence removed" -e '\,/\*FENCE,d'
hit A sync "fence removed"
hit B sync "fence removed"
clean C D
change "fence stronger" -e 's/memory_order_release/memory_order_seq_cst/'
nothing
change "fence added" -e 's/c++;/atomic_thread_fence(memory_order_seq_cst); c++;/'
nothing
change "fence weaker" -e 's/(memory_order_release)/(memory_order_acquire)/'
hit A sync "fence changed"
change "barrier of the compiler removed" -e '\,/\*ASM,d'
hit C sync "barrier removed"
clean A B
change "barrier removed" -e '\,/\*BARRIER,d'
hit C sync "pthread_barrier_wait removed"
hit D sync "pthread_barrier_wait removed"
change "barrier of three" -e 's/0, 2)/0, 3)/'
hit C '' ""

# ---- C++ ----

base p.cpp <<'SRC'
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>
static std::mutex m;
static std::shared_mutex sm;
static std::once_flag once;
static std::condition_variable cv;
static int x, y, z, w, s;
static bool ready;
struct Queue {
    std::mutex lock;
    int head;
    void put(int v)
    {
        std::lock_guard<std::mutex> g(lock); /*L1*/
        head += v; /*HEAD*/
    }
};
static Queue q;
static int &single()
{
    static int value = 4; /*STATIC*/
    return value;
}
static void f()
{
    {
        std::unique_lock<std::mutex> g(m); /*L2*/
        x++; /*X*/
    }
    y++; /*Y*/
    {
        std::scoped_lock g(m); /*L3*/
        z++; /*Z*/
    }
    {
        std::unique_lock<std::shared_mutex> g(sm); /*L4*/
        w++; /*W*/
    }
    q.put(3);
    std::call_once(once, [] { s++; }); /*ONCE*/
    {
        std::unique_lock<std::mutex> g(m);
        while (!ready) /*READY*/
            cv.wait(g); /*WAIT*/
    }
    single()++; /*SINGLE*/
}
int main()
{
    std::thread t(f); /*CREATE*/
    {
        std::lock_guard<std::mutex> g(m);
        ready = true; /*SET*/
        cv.notify_all(); /*NOTIFY*/
    }
    f();
    t.join(); /*JOIN*/
    return x;
}
SRC
change "comment" -e '1i // nothing'
nothing
change "lock_guard removed" -e '\,/\*L1,d'
hit HEAD region "lock of this->lock removed"
clean X Y Z W
change "unique_lock removed" -e '\,/\*L2,d'
hit X region "lock of m removed"
clean Y Z W HEAD
change "unlocked early" -e 's/x++;/g.unlock(); x++;/'
hit X region "unlock of g added"
clean Y Z W HEAD
change "scoped_lock removed" -e '\,/\*L3,d'
hit Z region "lock of m removed"
clean X Y W HEAD
change "shared_mutex for reading" -e 's/unique_lock<std::shared_mutex>/shared_lock<std::shared_mutex>/'
hit W region "lock of sm"
clean X Y Z HEAD
change "shared_mutex removed" -e '\,/\*L4,d'
hit W region "lock of sm removed"
clean X Y Z HEAD
change "notify removed" -e '\,/\*NOTIFY,d'
hit SET sync "notify removed"
clean X HEAD
change "wait in an if" -e 's/while (!ready)/if (!ready)/'
hit READY sync "wait is no longer in a loop"
change "join removed" -e '\,/\*JOIN,s/t.join();/t.detach();/'
hit X sync ""
hit HEAD sync ""

# ---- the command ----

"$bin/burl-analyze" new/p -o t --base=old/bc/list 2>err && fail "--base alone is taken"
grep -q 'go together' err || fail "--base alone"
rm -f c2
"$bin/burl-analyze" new/p -o t --base=nowhere --changes=c2 2>err && fail "no list"
[ ! -e c2 ] || fail "changes without a base"
"$bin/burl-analyze" --stats new/p --base=old/bc/list --changes=c | grep -q '^impact_ms' || fail "--stats"
"$bin/burl-analyze" new/p -o t2 --base=old/bc/list --changes=c2
cmp c c2 || fail "two runs, two results"
# ---- constant data that decides what is executed ----

base p.c <<'SRC'
#include <pthread.h>
static int value, other;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void locked(void) { pthread_mutex_lock(&m); value = 1; /*LOCKED*/ pthread_mutex_unlock(&m); }
static void plain(void) { value = 2; /*PLAIN*/ }
static void none(void) { other++; /*OTHER*/ }
static const struct { int n; void (*f)(void); } table[] = { { 1, locked }, /*ROW*/ { 2, plain } };
static const int spare[] = { 1, 2 }; /*SPARE*/
struct ops { int n; void (*f)(void); };
static void *work(void *arg)
{
    const struct ops mine = { 3, locked }; /*LOCAL*/
    for (int i = 0; i < 2; i++)
        if (table[i].n == (int)(long)arg)
            table[i].f();
    mine.f();
    none();
    return spare[(long)arg & 1] ? arg : 0;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, (void *)1L);
    work((void *)1L);
    pthread_join(t, 0);
    return value;
}
SRC
change "a row of a constant table" -e '\,ROW,s/1, locked/1, plain/'
hit PLAIN '(slice|data)' "definition of table changed"
clean OTHER
change "a constant that is copied to a local" -e '\,LOCAL,s/3, locked/3, plain/'
hit PLAIN '(slice|data|access)' ""
clean OTHER
change "a constant that decides nothing shared" -e '\,SPARE,s/2 }/3 }/'
nothing

# ---- a function of the base version that has no hook ----

base p.c <<'SRC'
#include <pthread.h>
static int calls;
static int twice(int x)
{
    return x * 2; /*LEAF*/
}
static void *work(void *arg)
{
    return (void *)(long)twice((int)(long)arg);
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return calls;
}
SRC
change "an access in a leaf" -e '\,LEAF,i calls++; /*ADDED*/'
hit ADDED access "access added"
# Its own block, and that of the call.
line_of ADDED
awk -v l="$line" '$1 == l && $NF !~ /,/ { bad = 1 } END { exit bad }' sites || {
    cat sites
    fail "$what: the call does not stand for the function"
}

# ---- values that reach a lock ----

base p.c <<'SRC'
#include <pthread.h>
static int locking, total, calm, spare;
static pthread_mutex_t m[2] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static void add(void)
{
    if (locking)
        pthread_mutex_lock(&m[0]);
    total++; /*TOTAL*/
    if (locking)
        pthread_mutex_unlock(&m[0]);
}
static int pick(int id)
{
    return id & 0; /*PICK*/
}
static void *work(void *arg)
{
    int k = pick((int)(long)arg);
    add();
    pthread_mutex_lock(&m[k]);
    calm++; /*CALM*/
    pthread_mutex_unlock(&m[k]);
    return arg;
}
int main(void)
{
    pthread_t t;
    spare = 1; /*SPARE*/
    locking = 1; /*FLAG*/
    pthread_create(&t, 0, work, 0);
    work((void *)1L);
    pthread_join(t, 0);
    return spare;
}
SRC
change "a flag in shared memory decides whether a lock is taken" -e '\,FLAG,s/= 1/= 0/'
hit TOTAL '(region|slice)' "depends on"
change "a computed value chooses the lock" -e '\,PICK,s/& 0/\& 1/'
hit CALM '(region|slice)' "depends on"
clean TOTAL
change "a value that reaches no lock and no shared access" -e '\,SPARE,s/= 1/= 2/'
clean TOTAL
clean CALM

# ---- the first value of a count of permits ----

base p.c <<'SRC'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int permits = 1; /*COUNT*/
static atomic_int served = 0;  /*SERVED*/
static int value, before;
static void enter(void)
{
    for (;;) {
        int n = atomic_load(&permits);
        if (n > 0 && atomic_compare_exchange_strong(&permits, &n, n - 1))
            return;
    }
}
static void *work(void *arg)
{
    before++; /*BEFORE*/
    enter();
    value++; /*INSIDE*/
    atomic_fetch_add(&permits, 1);
    atomic_fetch_add(&served, 1);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return value;
}
SRC
change "two permits" -e '\,COUNT,s/1;/2;/'
hit INSIDE data "definition of permits changed"
clean BEFORE
change "a count that lets nothing through" -e '\,SERVED,s/0;/5;/'
clean INSIDE BEFORE

# ---- an override that is gone ----

base p.cc <<'SRC'
#include <mutex>
#include <thread>
struct Base {
    std::mutex m;
    int n = 0;
    int z = 0;
    virtual void add() { n++; /*PLAIN*/ }
    virtual void zero() { z = 0; /*ZERO*/ }
    virtual ~Base() {}
};
struct Safe : Base {
    void add() override { std::lock_guard<std::mutex> l(m); n++; } /*OVERRIDE*/
};
static void work(Base *b) { b->add(); }
int main()
{
    Safe s;
    Base plain;
    plain.add();
    plain.zero();
    std::thread t(work, &s);
    s.zero();
    work(&s);
    t.join();
}
SRC
change "an override removed" -e '\,OVERRIDE,d'
hit PLAIN slice "Base::add takes the place of an override"

# ---- an access that moves to a block after the unlock ----

base p.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
static int count, *table;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int removed(int *e)
{
    pthread_mutex_lock(&m);
    if (e) {
        table = 0; /*TABLE*/
        count--; /*INSIDE*/
    }
    pthread_mutex_unlock(&m);
    if (!e)
        return 0;
    /*OUTSIDE*/
    free(e);
    return 1;
}
static void *work(void *arg)
{
    removed(malloc(4));
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return 0;
}
SRC
change "a decrement moves behind the unlock" -e '\,INSIDE,d' -e 's,/\*OUTSIDE\*/,count--; /*MOVED*/,'
hit MOVED '(region|access)' ""
