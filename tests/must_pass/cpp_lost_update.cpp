/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-ENGINES: both
 * BURL-WHY: A lock_guard protects the member.
 */
#include <cassert>
#include <mutex>
#include <thread>

class Meter {
public:
    void add(int amount)
    {
        std::lock_guard<std::mutex> guard(mutex_);

        total_ += amount;
    }

    int total() const { return total_; }

private:
    std::mutex mutex_; // guards total_
    int total_ = 0;
};

int
main()
{
    Meter meter;
    auto work = [&meter] {
        for (int i = 0; i < 2; i++)
            meter.add(5);
    };
    std::thread a(work);
    std::thread b(work);

    a.join();
    b.join();
    assert(meter.total() == 20);
    return 0;
}
