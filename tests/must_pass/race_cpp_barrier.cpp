/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: What was written before arriving at a std::barrier is visible to all behind it,
 *   round after round, and for its completion function.
 */
#include <barrier>
#include <thread>

int
main()
{
    int cells[2] = {};
    int sums[2] = {};
    int rounds = 0;
    auto count = [&]() noexcept { rounds++; };
    std::barrier sync(2, count);
    auto work = [&](int me) {
        for (int i = 0; i < 2; i++) {
            cells[me] = i + 1;
            sync.arrive_and_wait();
            sums[me] += cells[1 - me];
            sync.arrive_and_wait();
        }
    };
    std::thread a(work, 0);
    std::thread b(work, 1);

    a.join();
    b.join();
    return rounds >= 2 && sums[0] <= 4 ? 0 : 1;
}
