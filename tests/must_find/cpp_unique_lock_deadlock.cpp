/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: Swapping two baskets locks the own mutex first and the other's second; two swaps in
 *   opposite directions deadlock.
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
    std::unique_lock<std::mutex> lock_a(a.mutex);
    std::unique_lock<std::mutex> lock_b(b.mutex);
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
