#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Places in reports are lines of the user's code, at every level of optimization, with and without
# debug information: where a lock was taken through the library, where a thread was made, and in
# which call each frame of a stack is.
set -u

. "$BURL_TEST_ROOT/tests/support/lib.inc"

# line TAG: the line of the source that ends in "// TAG"
line() {
    grep -n "// $1\$" "$src" | cut -d: -f1
}

# expect TEXT: a line of the report, with @TAG for the line of a tag
expect() {
    want=$1
    for tag in $(printf '%s\n' "$1" | grep -o '@[a-z_0-9]*' | tr -d @); do
        want=$(printf '%s\n' "$want" | sed "s/@$tag\\b/$(line "$tag")/")
    done
    grep -q -- "$want" out || fail "-O$level: no \"$want\" in: $(cat out)"
}

cat >locks.cpp <<'SRC'
#include <condition_variable>
#include <future>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>
struct Box {
    std::mutex m;
    std::shared_mutex s;
};
static Box a, b;
static void guards(Box &x, Box &y)
{
    std::lock_guard<std::mutex> first(x.m); // guard1
    std::unique_lock<std::mutex> second(y.m); // guard2
}
static void shared(Box &x, Box &y)
{
    std::unique_lock<std::shared_mutex> first(x.s); // shared1
    std::shared_lock<std::shared_mutex> second(y.s); // shared2
}
static void scoped(Box &x, Box &y)
{
    std::scoped_lock first(x.m); // scoped1
    std::scoped_lock second(y.m); // scoped2
}
static void both(void (*f)(Box &, Box &))
{
    std::vector<std::thread> all;
    for (int i = 0; i < 2; i++)
        all.emplace_back([=] { f(i ? a : b, i ? b : a); }); // lambda
    for (auto &t : all)
        t.join(); // join
}
static pthread_barrier_t barrier;
static void meet(Box &x, Box &y)
{
    std::lock_guard<std::mutex> first(x.m); // meet1
    pthread_barrier_wait(&barrier);
    std::lock_guard<std::mutex> second(y.m); // meet2
}
static int *shared_n;
static void races(Box &x, Box &)
{
    std::lock_guard<std::mutex> first(x.m); // races1
    ++*shared_n; // races2
}
static int *make()
{
    return new int(0); // make
}
static void waits()
{
    std::condition_variable c;
    std::unique_lock<std::mutex> lock(a.m); // wait1
    c.wait(lock); // wait2
}
static int answers()
{
    std::lock_guard<std::mutex> lock(a.m); // async2
    return 42;
}
static void asks()
{
    std::lock_guard<std::mutex> lock(a.m); // async1
    auto f = std::async(std::launch::async, answers); // launch
    f.get(); // get
}
int main(int, char **argv)
{
    std::string what = argv[1];
    if (what == "guards")
        both(guards); // main_guards
    if (what == "shared")
        both(shared);
    if (what == "scoped")
        both(scoped);
    if (what == "meet") {
        pthread_barrier_init(&barrier, nullptr, 2);
        both(meet);
    }
    if (what == "races") {
        shared_n = make(); // main_make
        both(races);
        delete shared_n;
    }
    if (what == "waits")
        waits(); // main_waits
    if (what == "asks")
        asks(); // main_asks
}
SRC
src=locks.cpp
for level in 0 1 2; do
    "$BURL" c++ -std=c++17 -O$level locks.cpp -o locks || fail "cannot build locks.cpp"
    for kind in guard shared scoped; do
        [ $level = 1 ] && [ $kind != guard ] && continue
        name=$kind
        [ "$kind" = guard ] && name=guards
        "$BURL" test -v --fresh --runs=60 --seed=1 ./locks "$name" >out 2>&1
        expect "taken at locks.cpp:@${kind}1) and waits for .* (locks.cpp:@${kind}2)"
        expect "#[0-9]* *$name *locks.cpp:@${kind}2\$"
        expect "#[0-9]* *both::lambda:@lambda *locks.cpp:@lambda\$"
        expect "created by T0 at locks.cpp:@lambda"
        expect "#[0-9]* *both *locks.cpp:@join\$"
        grep -q 'gthr\|begins at\|after locks' out && fail "-O$level $kind: $(cat out)"
    done
    "$BURL" test -v --fresh --runs=60 --seed=1 ./locks guards >out 2>&1
    expect '([34] library frames: std::unique_lock<std::mutex>::unique_lock)'
    expect "#[0-9]* *main *locks.cpp:@main_guards\$"
    "$BURL" test -v --fresh --runs=10 --seed=1 ./locks waits >out 2>&1
    expect "waits.* locks.cpp:@wait2"
    expect "#[0-9]* *waits *locks.cpp:@wait2\$"
    expect "#[0-9]* *main *locks.cpp:@main_waits\$"
    "$BURL" test -v --fresh --runs=10 --seed=1 ./locks asks >out 2>&1
    expect "taken at locks.cpp:@async1"
    expect "#[0-9]* *answers *locks.cpp:@async2\$"
    expect "created by T0 at locks.cpp:@launch"
    expect "#[0-9]* *asks *locks.cpp:@get\$"

    # The locks of an access, and a run of free threads, which has no trace.
    "$BURL" test --fresh --runs=60 --seed=1 ./locks races >out 2>&1
    expect "holds a.m, taken at locks.cpp:@races1"
    "$BURL" run ./locks races >out 2>&1
    expect "holds b.m, taken at locks.cpp:@races1"
    expect "created by T0 at locks.cpp:@lambda"
    expect "#[0-9]* *make *locks.cpp:@make\$"
    expect "#[0-9]* *main *locks.cpp:@main_make\$"
    "$BURL" run ./locks meet >out 2>&1
    expect "holds a.m, taken at locks.cpp:@meet1"
    expect "holds b.m, taken at locks.cpp:@meet1"
    expect "#[0-9]* *meet *locks.cpp:@meet2\$"
    expect "created by T0 at locks.cpp:@lambda"
done

# Where an exception that nothing catches was thrown, and what only calls abort().
cat >throws.cpp <<'SRC'
#include <cstdlib>
#include <stdexcept>
#include <thread>
#include <vector>
static std::vector<int> v(2);
static void fails() { throw std::runtime_error("x"); }
static void lib()
{
    v.at(7) = 1; // lib
}
static void own()
{
    throw 42; // own
}
static void handles()
{
    try {
        fails();
    } catch (std::exception &) {
        abort(); // handles
    }
}
static void quiet() noexcept
{
    fails(); // quiet
}
static void joinable()
{
    std::thread t([] {});
} // joinable
int main(int, char **argv)
{
    switch (argv[1][0]) {
    case 'l': std::thread(lib).join(); break;
    case 'o': std::thread(own).join(); break;
    case 'h': std::thread(handles).join(); break;
    case 'q': std::thread(quiet).join(); break;
    case 'j': std::thread(joinable).join(); break;
    }
}
SRC
src=throws.cpp
for level in 0 2; do
    "$BURL" c++ -O$level throws.cpp -o throws || fail "cannot build throws.cpp"
    for kind in lib own handles quiet joinable; do
        "$BURL" test --fresh --runs=5 --seed=1 --dir=t$level$kind ./throws $kind >$kind 2>&1
        grep -q 'assertion fails' $kind && fail "-O$level $kind: no assertion failed: $(cat $kind)"
    done
    cp lib out
    expect "T1 lib: uncaught exception of type std::out_of_range at throws.cpp:@lib"
    cp own out
    expect "T1 own: uncaught exception of type int at throws.cpp:@own"
    cp handles out
    expect "T1 handles aborts at throws.cpp:@handles, while it handles an exception of type"
    cp quiet out
    expect "T1 quiet: uncaught exception of type std::runtime_error at throws.cpp:[0-9]"
    grep -q 'in __clang' out && fail "-O$level: a function of the compiler"
    cp joinable out
    expect "T1 joinable aborts at throws.cpp:"
done

# Every way to call a function.
cat >calls.cpp <<'SRC'
#include <cstdlib>
#include <thread>
#include <vector>
#define FAIL_IF(x) \
    if (x) \
    std::abort()
static int zero;
struct Base {
    virtual ~Base() = default;
    virtual void act(int depth) = 0;
};
struct Guard {
    ~Guard()
    {
        zero++;
        FAIL_IF(zero > 0); // macro
    }
};
static void recurse(int depth)
{
    Guard g; // guard
    if (depth > 0)
        recurse(depth - 1); // recurse
    else
        return; // end
}
struct Derived : Base {
    void act(int depth) override
    {
        void (*f)(int) = recurse;
        f(depth); // pointer
        zero = 2;
    }
};
template <typename T> void apply(Base &b, T x)
{
    b.act(x); // virtual
    zero = 1;
}
int main()
{
    Derived d;
    std::vector<std::thread> all;
    for (int i = 1; i < 2; i++)
        all.emplace_back([&] {
            apply(d, i); // template
        });
    for (auto &t : all)
        t.join();
}
SRC
src=calls.cpp
for level in 0 1 2; do
    "$BURL" c++ -O$level calls.cpp -o calls || fail "cannot build calls.cpp"
    "$BURL" test -v --fresh --runs=5 --seed=1 ./calls >out 2>&1
    expect "#[0-9]* *Guard::~Guard *calls.cpp:@macro\$"
    expect "#[0-9]* *recurse *calls.cpp:@recurse\$"
    expect "#[0-9]* *Derived::act *calls.cpp:@pointer\$"
    expect "#[0-9]* *apply<int> *calls.cpp:@virtual\$"
    expect "#[0-9]* *main::lambda:[0-9]* *calls.cpp:@template\$"
    # A destructor is called where the scope ends, which is where the compiler says it is.
    grep -Eq "#[0-9]+ +recurse +calls.cpp:($(line guard)|$(line end)|$(($(line end) + 1)))\$" out ||
        fail "-O$level: the destructor: $(cat out)"
done

# A wrapper in a header of the user's is the user's code.
cat >lock.h <<'SRC'
#include <pthread.h>
static inline void take(pthread_mutex_t *m)
{
    pthread_mutex_lock(m); // take
}
SRC
cat >wrap.c <<'SRC'
#include "lock.h"
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int hits;
static void *forth(void *p)
{
    take(&a); // forth1
    take(&b); // forth2
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return p;
}
static void *back(void *p)
{
    take(&b); // back1
    take(&a); // back2
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return p;
}
static void hit(void)
{
    hits++; // hit
}
static void *hitter(void *p)
{
    hit(); // hitter
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    pthread_create(&t, 0, argc > 1 ? hitter : forth, 0); // create1
    pthread_create(&u, 0, argc > 1 ? hitter : back, 0); // create2
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
SRC
src=wrap.c
for level in 0 1 2; do
    "$BURL" cc -O$level wrap.c -o wrap -lpthread || fail "cannot build wrap.c"
    "$BURL" test -v --fresh --runs=60 --seed=1 ./wrap >out 2>&1
    expect "#0 *take *[./]*lock.h:4\$"
    expect "#1 *forth *wrap.c:@forth2\$"
    expect "#1 *back *wrap.c:@back2\$"
    # In free mode the stack of the earlier access comes from the log of its thread.
    "$BURL" run ./wrap race >out 2>&1
    [ "$(grep -c "#1 *hitter *wrap.c:$(line hitter)\$" out)" = 2 ] ||
        fail "-O$level: burl run: $(cat out)"
done
