/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.cycle
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: swap(a, b) and swap(b, a) at once: each locks its first argument, then waits for the
 *   other's.
 */
#include <mutex>
#include <thread>
#include <utility>

struct Box {
    std::mutex mutex; // guards content
    int content = 0;
};

static void
swap_contents(Box &x, Box &y)
{
    std::lock_guard<std::mutex> first(x.mutex);
    std::lock_guard<std::mutex> second(y.mutex);

    std::swap(x.content, y.content);
}

int
main()
{
    Box red;
    Box blue;
    std::thread a([&] { swap_contents(red, blue); });
    std::thread b([&] { swap_contents(blue, red); });

    a.join();
    b.join();
    return red.content == 0 ? 0 : 1;
}
