/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The main thread changes the input of an asynchronous task that is still running.
 */
#include <future>
#include <numeric>
#include <vector>

int
main()
{
    std::vector<int> input{1, 2, 3};
    int sum;
    std::future<int> task = std::async(std::launch::async, [&input] {
        return std::accumulate(input.begin(), input.end(), 0);
    });

    input[0] = 10;
    sum = task.get();
    return sum + input[0] > 0 ? 0 : 1;
}
