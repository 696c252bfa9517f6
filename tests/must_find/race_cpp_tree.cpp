/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++17
 * BURL-ARGS: --runs=300
 * BURL-WHY: A map is changed under a lock and walked without one. The walk is done by code of the
 *   library: it begins before the threads do, so nothing but its steps can be seen to race.
 */
#include <map>
#include <mutex>
#include <thread>

int
main()
{
    std::map<int, int> m = {{1, 1}, {5, 5}, {9, 9}};
    std::mutex guard;
    auto at = m.begin();
    std::thread writer([&] {
        std::lock_guard<std::mutex> hold(guard);

        m.emplace(3, 3);
    });

    ++at;
    writer.join();
    return at->first == 1;
}
