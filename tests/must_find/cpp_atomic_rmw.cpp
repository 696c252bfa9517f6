/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: Each access to the atomic maximum is atomic, but comparing and storing are two
 *   accesses; a larger value can be overwritten by a smaller one.
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest{0};

static void
report(int value)
{
    if (value > highest.load())
        highest.store(value);
}

int
main()
{
    std::thread a(report, 10);
    std::thread b(report, 20);
    std::thread c(report, 15);

    a.join();
    b.join();
    c.join();
    assert(highest.load() == 20);
    return 0;
}
