/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-ALSO: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000
 * BURL-ENGINES: both
 * BURL-WHY: Two std::thread objects add to a plain member; an update is lost.
 */
#include <cassert>
#include <mutex>
#include <thread>

class Meter {
public:
    void add(int amount)
    {
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
