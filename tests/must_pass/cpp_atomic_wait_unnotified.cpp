// SPDX-License-Identifier: Apache-2.0
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -std=c++20 -O2
 * BURL-ARGS: --runs=2000
 * BURL-ENGINES: both
 * BURL-WHY: std::atomic::wait spins and yields before it blocks, and is
 *   notified here.
 */
#include <atomic>
#include <thread>

static std::atomic<int> ready;

int
main()
{
    std::thread waiter([] { ready.wait(0); });

    ready.store(1);
    ready.notify_one();
    waiter.join();
    return 0;
}
