/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: deadlock.stuck
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The waiter waits without a predicate; a notification that came before it is lost.
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

class Signal {
public:
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);

        changed_.wait(lock);
    }

    void raise()
    {
        std::lock_guard<std::mutex> guard(mutex_);

        raised_ = true;
        changed_.notify_one();
    }

    bool raised()
    {
        std::lock_guard<std::mutex> guard(mutex_);

        return raised_;
    }

private:
    std::mutex mutex_; // guards raised_
    std::condition_variable changed_;
    bool raised_ = false;
};

int
main()
{
    Signal signal;
    std::thread waiter([&signal] { signal.wait(); });
    std::thread raiser([&signal] { signal.raise(); });

    waiter.join();
    raiser.join();
    assert(signal.raised());
    return 0;
}
