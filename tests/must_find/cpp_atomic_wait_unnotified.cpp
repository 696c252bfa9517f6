// SPDX-License-Identifier: Apache-2.0
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -std=c++20 -O2
 * BURL-ARGS: --runs=20000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: std::atomic::wait spins and yields before it blocks, so a forgotten notify shows only
 *   if the waiter gets past that.
 */
#include <atomic>
#include <thread>

static std::atomic<int> ready;

int
main()
{
    std::thread waiter([] { ready.wait(0); });

    ready.store(1);
    waiter.join();
    return 0;
}
