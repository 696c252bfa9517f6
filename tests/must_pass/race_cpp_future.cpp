/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: Everything is written before the promise is kept.
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
        n_steps = 3;
        promise.set_value(42);
    });

    answer = future.get();
    answer += n_steps;
    worker.join();
    return answer == 42 || answer == 45 ? 0 : 1;
}
