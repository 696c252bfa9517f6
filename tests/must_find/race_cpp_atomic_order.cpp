/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The vector is published through a relaxed atomic pointer.
 */
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

static std::atomic<std::vector<int> *> published{nullptr};

int
main()
{
    int sum = 0;
    auto numbers = std::make_unique<std::vector<int>>();
    std::thread reader([&] {
        const std::vector<int> *v;

        while ((v = published.load(std::memory_order_acquire)) == nullptr)
            std::this_thread::yield();
        for (int x : *v)
            sum += x;
    });

    numbers->push_back(1);
    numbers->push_back(2);
    published.store(numbers.get(), std::memory_order_relaxed);
    reader.join();
    return sum == 3 ? 0 : 1;
}
