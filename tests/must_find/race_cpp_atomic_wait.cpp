/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The waiter is told before the text is there.
 */
#include <atomic>
#include <string>
#include <thread>

int
main()
{
    std::atomic<bool> ready{false};
    int text = 0;
    int seen;
    std::thread writer([&] {
        ready.store(true);
        ready.notify_one();
        text = 8;
    });

    ready.wait(false);
    seen = text;
    writer.join();
    return seen == 8 || seen == 0 ? 0 : 1;
}
