/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The main thread waits for the task before it changes its input.
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

    sum = task.get();
    input[0] = 10;
    return sum + input[0] > 0 ? 0 : 1;
}
