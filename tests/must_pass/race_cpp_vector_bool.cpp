/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: Elements of a std::vector<char> are memory locations of their own.
 */
#include <thread>
#include <vector>

int
main()
{
    std::vector<char> done(8);
    std::thread a([&] { done[0] = true; });
    std::thread b([&] { done[1] = true; });

    a.join();
    b.join();
    return done.size() == 8 ? 0 : 1;
}
