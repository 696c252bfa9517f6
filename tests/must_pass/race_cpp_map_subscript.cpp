/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: Looking up with find() changes nothing; many readers may do it at once.
 */
#include <map>
#include <thread>

int
main()
{
    std::map<int, int> ages{{1, 30}, {2, 40}};
    int seen[2] = {};
    auto look = [&](int i) {
        auto it = ages.find(7 + i);

        seen[i] = it == ages.end() ? 0 : it->second;
    };
    std::thread a(look, 0);
    std::thread b(look, 1);

    a.join();
    b.join();
    return seen[0] + seen[1] == 0 ? 0 : 1;
}
