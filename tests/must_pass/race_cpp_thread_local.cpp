/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: Each thread has its own, constructed and destroyed with it.
 */
#include <thread>
#include <vector>

struct Scratch {
    std::vector<int> cells = std::vector<int>(4);
};

static int
fill(int x)
{
    static thread_local Scratch scratch;

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
