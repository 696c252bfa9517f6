/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: store, notify and wait of an atomic hand the text over.
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
        text = 8;
        ready.store(true);
        ready.notify_one();
    });

    ready.wait(false);
    seen = text;
    writer.join();
    return seen == 8 || seen == 0 ? 0 : 1;
}
