/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: std::vector<bool> packs its elements into words: writing neighbors is writing the
 *   same word.
 */
#include <thread>
#include <vector>

int
main()
{
    std::vector<bool> done(8);
    std::thread a([&] { done[0] = true; });
    std::thread b([&] { done[1] = true; });

    a.join();
    b.join();
    return done.size() == 8 ? 0 : 1;
}
