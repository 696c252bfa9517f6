/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The promise is kept before the statistics beside it are complete.
 */
#include <future>
#include <thread>

int
main()
{
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    int n_steps = 0;
    int answer;
    std::thread worker([&] {
        promise.set_value(42);
        n_steps = 3;
    });

    answer = future.get();
    answer += n_steps;
    worker.join();
    return answer == 42 || answer == 45 ? 0 : 1;
}
