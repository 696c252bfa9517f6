/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000 --stop-at-first
 * BURL-WHY: The constructor of the guard was given no name: the temporary unlocks at the end of
 *   its line.
 */
#include <mutex>
#include <thread>

class Counter {
public:
    void add()
    {
        std::lock_guard<std::recursive_mutex>{mutex_};

        count_++;
    }

    int count() const { return count_; }

private:
    std::recursive_mutex mutex_; // guards count_
    int count_ = 0;
};

int
main()
{
    Counter counter;
    std::thread a([&] { counter.add(); });
    std::thread b([&] { counter.add(); });

    a.join();
    b.join();
    return counter.count() <= 2 ? 0 : 1;
}
