/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++17
 * BURL-ARGS: --runs=300
 * BURL-WHY: Two threads may walk one map at a time, or change what its elements hold; a thread that
 *   changes the map has it for itself. The same of a list.
 */
#include <cassert>
#include <list>
#include <map>
#include <mutex>
#include <thread>

int
main()
{
    std::map<int, int> m = {{1, 1}, {5, 5}, {9, 9}};
    std::list<int> l;
    std::mutex guard;
    auto work = [&](int mine) {
        int n = 0;

        for (auto &x : m) {
            n += x.first;
            if (x.first == mine)
                x.second = 7;
        }
        assert(n == 15);
        std::lock_guard<std::mutex> hold(guard);
        l.push_back(mine);
        if (l.size() == 2)
            l.pop_front();
    };
    std::thread a(work, 1);
    std::thread b(work, 9);

    a.join();
    b.join();
    assert(l.size() == 1 && m[1] == 7 && m[9] == 7);
    m.erase(5);
    return 0;
}
