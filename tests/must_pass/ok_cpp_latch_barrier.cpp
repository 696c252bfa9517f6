/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: std::latch, std::barrier with a completion function, and std::counting_semaphore,
 *   used right. There are permits for all: see race_cpp_semaphore.
 */
#include <atomic>
#include <barrier>
#include <cassert>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

static constexpr int n_workers = 2;
static constexpr int n_rounds = 3;

int
main()
{
    std::latch ready(n_workers);
    std::counting_semaphore<n_workers> permits(n_workers);
    std::atomic<int> inside{0};
    int rounds_done = 0;
    int work[n_workers] = {};
    auto completed = [&rounds_done, &work]() noexcept {
        rounds_done++;
        for (int w : work)
            assert(w == rounds_done);
    };
    std::barrier barrier(n_workers, completed);
    std::vector<std::thread> threads;

    for (int id = 0; id < n_workers; id++) {
        threads.emplace_back([&, id] {
            ready.arrive_and_wait();
            for (int r = 0; r < n_rounds; r++) {
                work[id]++;
                barrier.arrive_and_wait();
            }
            permits.acquire();
            assert(inside.fetch_add(1) < n_workers);
            inside.fetch_sub(1);
            permits.release();
        });
    }
    for (std::thread &t : threads)
        t.join();
    assert(rounds_done == n_rounds);
    return 0;
}
