/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The result of wait_for is not looked at: after a time-out the partial sums are added
 *   up although the tasks are still at work.
 */
#include <atomic>
#include <cassert>
#include <chrono>
#include <future>

static std::atomic<int> partial[2];

static void
sum_range(int slot, int from, int to)
{
    int sum = 0;

    for (int i = from; i < to; i++)
        sum += i;
    partial[slot].store(sum);
}

int
main()
{
    int sum = 0;
    auto low = std::async(std::launch::async, sum_range, 0, 0, 5);
    auto high = std::async(std::launch::async, sum_range, 1, 5, 10);

    low.wait_for(std::chrono::milliseconds(50));
    high.wait_for(std::chrono::milliseconds(50));
    sum = partial[0].load() + partial[1].load();
    assert(sum == 45);
    return 0;
}
