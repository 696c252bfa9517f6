/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The guard has a name and lives to the end of the block.
 */
#include <mutex>
#include <thread>

class Counter {
public:
    void add()
    {
        std::lock_guard<std::recursive_mutex> guard{mutex_};

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
