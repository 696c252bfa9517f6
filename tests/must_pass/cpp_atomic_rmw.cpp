/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A compare-exchange loop stores only over the value that was compared.
 */
#include <atomic>
#include <cassert>
#include <thread>

static std::atomic<int> highest{0};

static void
report(int value)
{
    int seen = highest.load();

    while (value > seen && !highest.compare_exchange_weak(seen, value)) {
    }
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
