/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: A counter that was to be one per thread lacks its thread_local.
 */
#include <thread>
#include <vector>

struct Scratch {
    std::vector<int> cells = std::vector<int>(4);
};

static int
fill(int x)
{
    static Scratch scratch;

    for (int &c : scratch.cells)
        c = x;
    return scratch.cells[3];
}

int
main()
{
    int r[2];
    std::thread a([&] { r[0] = fill(1); });
    std::thread b([&] { r[1] = fill(2); });

    a.join();
    b.join();
    return r[0] >= 1 && r[1] >= 1 ? 0 : 1;
}
