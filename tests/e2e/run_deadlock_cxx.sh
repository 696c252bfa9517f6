#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# tests/e2e/run_deadlock_cxx.sh - `burl run` on C++ programs that deadlock, and their twins.
# BURL-TIMEOUT: 300
. "$(dirname "$0")/run_lib.inc"

cat >dead.cpp <<'SRC'
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

using namespace std::chrono_literals;
static std::mutex a, b;
static std::recursive_mutex ra, rb;
static std::shared_mutex sm;
static std::condition_variable cv;
static std::barrier<> both(2);
static bool flag;

static void two(void (*f)(), void (*g)())
{
    std::thread t(f), u(g);
    t.join();
    u.join();
}
static void ab() { std::lock_guard x(a); both.arrive_and_wait(); std::lock_guard y(b); }
static void ba() { std::lock_guard x(b); both.arrive_and_wait(); std::lock_guard y(a); }
static void abba() { two(ab, ba); }
static void rab() { std::lock_guard x(ra); both.arrive_and_wait(); std::lock_guard y(rb); }
static void rba() { std::lock_guard x(rb); both.arrive_and_wait(); std::lock_guard y(ra); }
static void recursive_abba() { two(rab, rba); }
static void s_then_a() { std::shared_lock x(sm); both.arrive_and_wait(); std::lock_guard y(a); }
static void a_then_x() { std::lock_guard x(a); both.arrive_and_wait(); std::lock_guard y(sm); }
static void shared_cycle() { two(s_then_a, a_then_x); }
static void relock() { a.lock(); a.lock(); }
static void lost()
{
    cv.notify_one();
    std::thread([] { std::unique_lock l(a); cv.wait(l, [] { return flag; }); }).join();
}
static void join_lock()
{
    std::lock_guard x(a);
    std::thread([] { std::lock_guard y(a); }).join();
}
static int value_of(int n);
static int recursive_init(int n) { static int v = n > 0 ? value_of(n) : 1; return v; }
static int value_of(int n) { return recursive_init(n - 1); }
/* A lone thread would get an exception. */
static void guard_self() { std::thread([] { recursive_init(1); }).join(); }
struct slow { slow() { both.arrive_and_wait(); std::lock_guard x(a); } };
static void init() { static slow s; (void)s; }
static void lock_then_init() { std::lock_guard x(a); both.arrive_and_wait(); init(); }
static void guard_lock() { two(init, lock_then_init); }
static std::once_flag once;
static void once_again() { std::call_once(once, once_again); }
static void once_self() { std::call_once(once, once_again); }
static void semaphore_lost() { std::binary_semaphore s(0); s.acquire(); }
static void latch_lost() { std::latch l(2); l.count_down(); l.wait(); }
static void atomic_lost() { std::atomic<int> x = 0; x.wait(0); }
static void barrier_few() { both.arrive_and_wait(); }
static void promise_lost() { std::promise<int> p; p.get_future().get(); }

/* Twins. */
static void scoped() { auto f = [] { for (int i = 0; i < 20000; i++) std::scoped_lock l(a, b); }; auto g = [] { for (int i = 0; i < 20000; i++) std::scoped_lock l(b, a); }; two(f, g); }
static void found()
{
    std::thread t([] { std::unique_lock l(a); cv.wait(l, [] { return flag; }); });
    std::this_thread::sleep_for(400ms);
    { std::lock_guard l(a); flag = true; }
    cv.notify_one();
    t.join();
}
static void wait_for() { std::unique_lock l(a); cv.wait_for(l, 400ms, [] { return flag; }); }
static void semaphore_late()
{
    std::binary_semaphore s(0);
    std::thread t([&] { std::this_thread::sleep_for(400ms); s.release(); });
    s.acquire();
    t.join();
}
static void atomic_late()
{
    std::atomic<int> x = 0;
    std::thread t([&] { std::this_thread::sleep_for(400ms); x = 1; x.notify_all(); });
    x.wait(0);
    t.join();
}
static void slow_init()
{
    auto f = [] { static int v = (std::this_thread::sleep_for(400ms), 3); return v; };
    std::thread t(f), u(f);
    t.join();
    u.join();
}
static void future_late() { auto f = std::async(std::launch::async, [] { std::this_thread::sleep_for(400ms); return 1; }); f.get(); }
static void timed_mutex()
{
    static std::timed_mutex x, y;
    auto f = [] { std::unique_lock l(x); both.arrive_and_wait(); std::unique_lock k(y, 400ms); };
    auto g = [] { std::unique_lock l(y); both.arrive_and_wait(); std::lock_guard k(x); };
    two(f, g);
}

int main(int, char **argv)
{
    static const struct { const char *name; void (*run)(); } cases[] = {
#define CASE(x) { #x, x }
        CASE(abba), CASE(recursive_abba), CASE(shared_cycle), CASE(relock), CASE(lost),
        CASE(join_lock), CASE(guard_self), CASE(guard_lock), CASE(once_self), CASE(semaphore_lost),
        CASE(latch_lost), CASE(atomic_lost), CASE(barrier_few), CASE(promise_lost), CASE(scoped),
        CASE(found), CASE(wait_for), CASE(semaphore_late), CASE(atomic_late), CASE(slow_init),
        CASE(future_late), CASE(timed_mutex),
    };
    for (auto &c : cases) {
        if (std::strcmp(argv[1], c.name) == 0)
            c.run();
    }
}
SRC
build dead -std=c++20

# dead KIND CASE...
dead() {
    kind=$1
    shift
    for c in "$@"; do
        rm -rf .burl
        run 1 "$BURL" run --time=60s --json ./dead "$c"
        jq -e --arg kind "$kind" '[.findings[].kind] == [$kind] and .end == "deadlock"' out \
            >/dev/null || fail "$c: expected $kind, got $(jq -c '[.end, [.findings[].kind]]' out)"
        jq -e '.findings[0].detail.threads | all(.[]; any(.stack[]; .at.file == "dead.cpp"))' out \
            >/dev/null || fail "$c: stacks"
    done
}
dead deadlock.cycle abba recursive_abba shared_cycle join_lock guard_lock
dead misuse.relock relock
dead deadlock.stuck lost guard_self once_self semaphore_lost latch_lost atomic_lost barrier_few \
    promise_lost

for c in scoped found wait_for semaphore_late atomic_late slow_init future_late timed_mutex; do
    run 0 "$BURL" run --time=60s ./dead $c
    has err 'nothing found'
done
exit 0
