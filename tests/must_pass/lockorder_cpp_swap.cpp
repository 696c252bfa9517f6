/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: std::scoped_lock takes both without waiting while it holds one.
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
    std::scoped_lock both(x.mutex, y.mutex);

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
