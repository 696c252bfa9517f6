/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free|memory.double-free|crash.signal
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: Looking up with operator[] inserts what is not there: two "readers" change the map.
 */
#include <map>
#include <thread>

int
main()
{
    std::map<int, int> ages{{1, 30}, {2, 40}};
    int seen[2] = {};
    auto look = [&](int i) {
        seen[i] = ages[7 + i];
    };
    std::thread a(look, 0);
    std::thread b(look, 1);

    a.join();
    b.join();
    return seen[0] + seen[1] == 0 ? 0 : 1;
}
