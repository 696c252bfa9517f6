#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Locks, atomics and other memory have the names of the source in reports, at every level of
# optimization: globals with their members, variables that callers passed, members of classes.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

cat >kinds.cpp <<'SRC'
#include <array>
#include <atomic>
#include <barrier>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
struct Base { std::mutex base_lock; int shared_n = 0; };
struct Derived : Base {
    void touch() { std::lock_guard<std::mutex> g(base_lock); shared_n++; }
};
struct Slot { std::mutex m; int n = 0; };
struct Impl { std::mutex impl_lock; };
class Widget {
    std::unique_ptr<Impl> impl_ = std::make_unique<Impl>();
public:
    void go() { std::lock_guard<std::mutex> g(impl_->impl_lock); }
};
struct Worker { std::mutex m; void run() { std::scoped_lock l(m); } };
struct Logger {
    static Logger &instance() { static Logger log; return log; }
    std::mutex mu;
};
namespace { std::mutex anon_lock; std::array<Slot, 2> slots; }
static std::recursive_mutex rec;
static std::shared_mutex rw;
static std::counting_semaphore<4> sem(1);
static std::barrier<> bar(2);
static std::latch lat(2);
static std::atomic_flag flag = ATOMIC_FLAG_INIT;
static std::once_flag once;
static std::atomic<int> counter;
static void sync_all()
{
    { std::lock_guard<std::mutex> a(anon_lock); }
    { std::unique_lock<std::mutex> a(slots[1].m); }
    { std::lock_guard<std::recursive_mutex> a(rec); }
    { std::shared_lock<std::shared_mutex> a(rw); }
    { std::unique_lock<std::shared_mutex> a(rw); }
    sem.acquire();
    sem.release();
    while (flag.test_and_set())
        std::this_thread::yield();
    flag.clear();
    std::call_once(once, [] { counter = 1; });
    counter.fetch_add(1);
    { std::lock_guard<std::mutex> a(Logger::instance().mu); }
    bar.arrive_and_wait();
    lat.arrive_and_wait();
}
static void both(Slot &one, Slot &two)
{
    std::lock_guard<std::mutex> a(one.m);
    std::lock_guard<std::mutex> b(two.m);
}
int main()
{
    Slot x, y;
    Derived d;
    Widget w;
    Worker wk;
    std::thread a([&] { sync_all(); d.touch(); w.go(); wk.run(); both(x, y); });
    std::thread b([&] { sync_all(); d.touch(); w.go(); wk.run(); both(y, x); });
    a.join();
    b.join();
}
SRC
for level in 0 2; do
    build kinds -std=c++20 -O$level
    run 1 "$BURL" test --time=10s -1 --seed=1 --dir=s$level ./kinds
    has out 'T1 holds x.m, T2 holds y.m'
    "$BURL" replay --dir=s$level 1 --trace >trace 2>&1
    for op in 'lock anon_lock' 'lock slots[1].m' 'lock rec' 'read lock rw' 'write lock rw' \
        'lock d.base_lock' 'lock Impl::impl_lock' 'lock wk.m' 'lock Logger::instance::log.mu' \
        'atomic update flag' 'atomic update counter' 'once once' 'atomic load sem' \
        'atomic load bar' 'atomic load lat' 'd.shared_n: 0 -> 1'; do
        has trace " $op"
    done
    grep -E ' (un)?lock (mutex#|__|this|\*)' trace && fail "a lock has no name of the source"
done

# A container, a member through `this`, values by their types, a thread of a member function. One
# race for each run, so that a slow machine finds it, too.
cat >data.cpp <<'SRC'
#include <map>
#include <string>
#include <thread>
static std::map<std::string, int> table;
static double ratio = 0.5;
struct Pool {
    static int live_;
    int used = 0;
    void take(char what)
    {
        if (what == 'l')
            live_++;
        else if (what == 'u')
            used++;
        else if (what == 'r')
            ratio += 1;
        else
            table["a"] = 1;
    }
};
int Pool::live_;
int main(int, char **argv)
{
    Pool pool;
    const char what = argv[1][0];
    std::thread a(&Pool::take, &pool, what), b([&] { pool.take(what); });
    a.join();
    b.join();
}
SRC
build data -O2
for kind in live used ratio table; do
    run 1 "$BURL" test --time=10s -1 --seed=1 --dir=s3 ./data $kind
    case $kind in
    live) has out 'data race on Pool::live_ (global' ;;
    used) grep -qE 'data race on (pool\.used|Pool::used) ' out || fail "no name for Pool::used" ;;
    ratio) grep -qE 'ratio: 0.5 -> 1.5|ratio = 0.5' out || fail "ratio is no floating point number" ;;
    table) grep -qE 'data race on table(\["a"\])? \(' out || fail "no name for table" ;;
    esac
    has out 'T1 Pool::take'
    hasnt out 'this->'
    hasnt out '_M_'
done

# The argument of a thread is a `void *`: what the function makes of it has the names. Values that are
# addresses of globals are named. The element of a map is reached through an operator.
cat >work.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
struct node { int used; struct node *next; };
static struct node nodes[3];
struct pool { int spare; struct { unsigned long done; } stats; struct node *top; };
static void *work(void *arg)
{
    struct pool *p = arg;
    p->stats.done++;
    p->top = &nodes[2];
    return NULL;
}
static void *count(void *arg)
{
    long *counter = arg;
    ++*counter;
    return NULL;
}
int main(int argc, char **argv)
{
    struct pool *pool = calloc(1, sizeof *pool);
    long *total = calloc(1, sizeof *total);
    pthread_t a, b;
    (void)argv;
    pthread_create(&a, NULL, argc > 1 ? count : work, argc > 1 ? (void *)total : pool);
    pthread_create(&b, NULL, argc > 1 ? count : work, argc > 1 ? (void *)total : pool);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
SRC
for level in 0 2; do
    build work -O$level
    run 1 "$BURL" test --time=10s --seed=1 --dir=s5$level ./work
    has out 'data race on p->stats.done (heap'
    hasnt out 'arg->'
    hasnt out '*arg'
    run 0 "$BURL" show --dir=s5$level 2
    has out '&nodes[2]'
    run 1 "$BURL" test --time=10s --seed=1 --dir=s6$level ./work count
    has out 'data race on *counter (heap'
done

# What a library keeps for itself has no name; neither has what the compiler adds to a loop.
cat >bus.cpp <<'SRC'
#include <functional>
#include <list>
#include <mutex>
#include <thread>
class Bus {
    std::mutex mutex_;
    std::list<std::pair<int, std::function<void(int)>>> handlers_;
public:
    void add(int id, std::function<void(int)> h)
    {
        std::scoped_lock lock(mutex_);
        handlers_.emplace_back(id, std::move(h));
    }
    void drop(int id)
    {
        std::scoped_lock lock(mutex_);
        handlers_.remove_if([id](auto &p) { return p.first == id; });
    }
    void publish(int v)
    {
        for (auto &[id, h] : handlers_)
            h(v);
    }
};
int main()
{
    Bus bus;
    int total = 0;
    bus.add(1, [&](int v) { total += v; });
    bus.add(2, [&](int v) { total += 2 * v; });
    std::thread pub([&] { bus.publish(7); });
    std::thread unsub([&] { bus.drop(1); });
    pub.join();
    unsub.join();
}
SRC
for level in 0 2; do
    build bus -std=c++17 -O$level
    run 1 "$BURL" test --runs=400 --seed=1 --dir=s7$level ./bus
    grep -v '^exhaustive:' out | grep -nE '_M_|__(range|begin|end|new)|lambda at|free \[0x|&total = 0x' &&
        fail "-O$level: a name that is not of the source"
    has out 'memory.use-after-free'
    has out 'remove_if<lambda:'
done

# C: the lock of a wrapper is that of its caller; members of globals by their addresses.
cat >wrap.c <<'SRC'
#include <pthread.h>
#include <stdlib.h>
struct account { long id; pthread_mutex_t lock; int balance; };
static struct account accounts[2] = { { 1, PTHREAD_MUTEX_INITIALIZER, 5 },
                                      { 2, PTHREAD_MUTEX_INITIALIZER, 6 } };
static pthread_mutex_t big = PTHREAD_MUTEX_INITIALIZER;
static double rate = 1.5;
static void my_lock(pthread_mutex_t *m) { pthread_mutex_lock(m); }
static void my_unlock(pthread_mutex_t *m) { pthread_mutex_unlock(m); }
static void move(struct account *a, struct account *b)
{
    my_lock(&a->lock);
    my_lock(&b->lock);
    a->balance--;
    b->balance++;
    my_unlock(&b->lock);
    my_unlock(&a->lock);
}
static void *one(void *x)
{
    my_lock(&big);
    rate = 2.5;
    my_unlock(&big);
    move(&accounts[0], &accounts[1]);
    return x;
}
static void *two(void *x)
{
    struct account *mine = malloc(sizeof *mine);
    my_lock(&big);
    mine->balance = 3;
    rate = 2.5;
    my_unlock(&big);
    free(mine);
    move(&accounts[1], &accounts[0]);
    return x;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], 0, one, 0);
    pthread_create(&t[1], 0, two, 0);
    pthread_join(t[0], 0);
    pthread_join(t[1], 0);
    return 0;
}
SRC
build wrap
run 1 "$BURL" test --time=5s -1 --seed=1 --dir=s4 ./wrap
has out 'accounts[0].lock'
has out 'accounts[1].lock'
"$BURL" replay --dir=s4 1 --trace >trace 2>&1
has trace 'lock big'
has trace 'rate: 1.5 -> 2.5'
has trace 'write rate = 2.5 (same value)'
has trace 'write mine->balance = 3'
hasnt trace 'lock m '

# A macro with several arguments hides which of them is the lock.
cat >hidden.c <<'SRC'
#include <pthread.h>
struct env { pthread_mutex_t mutex; int n; };
static struct env env = { PTHREAD_MUTEX_INITIALIZER, 0 };
#define LOCK_MUTEX(r, e, m) (((r) = pthread_mutex_lock(&(e)->m)) != 0)
static void *body(void *arg)
{
    int rc;
    if (arg && LOCK_MUTEX(rc, &env, mutex))
        return arg;
    env.n++;
    if (arg)
        pthread_mutex_unlock(&env.mutex);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, body, NULL);
    pthread_create(&b, NULL, body, &env);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
SRC
build hidden
rm -rf .burl
"$BURL" test --runs=100 --time=0 ./hidden >out 2>err
[ $? -eq 1 ] || fail "the race is found"
has out 'holds env.mutex, taken at hidden.c:8'
if grep -q 'lock rc\|holds rc' out; then
    fail "the result is not the lock"
fi
