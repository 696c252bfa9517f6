/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: get() waits for the task and delivers its result.
 */
#include <atomic>
#include <cassert>
#include <chrono>
#include <future>

static int
sum_range(int from, int to)
{
    int sum = 0;

    for (int i = from; i < to; i++)
        sum += i;
    return sum;
}

int
main()
{
    int sum = 0;
    auto low = std::async(std::launch::async, sum_range, 0, 5);
    auto high = std::async(std::launch::async, sum_range, 5, 10);

    sum = low.get() + high.get();
    assert(sum == 45);
    return 0;
}
