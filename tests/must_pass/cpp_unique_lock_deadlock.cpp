/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: std::scoped_lock takes both mutexes without deadlock.
 */
#include <cassert>
#include <mutex>
#include <thread>

struct Basket {
    std::mutex mutex; // guards apples
    int apples;

    explicit Basket(int n) : apples(n) {}
};

static void
swap_apples(Basket &a, Basket &b)
{
    std::scoped_lock lock(a.mutex, b.mutex);
    int n = a.apples;

    a.apples = b.apples;
    b.apples = n;
}

int
main()
{
    Basket red(3);
    Basket green(8);
    std::thread a([&red, &green] { swap_apples(red, green); });
    std::thread b([&red, &green] { swap_apples(green, red); });

    a.join();
    b.join();
    assert(red.apples == 3 && green.apples == 8);
    return 0;
}
