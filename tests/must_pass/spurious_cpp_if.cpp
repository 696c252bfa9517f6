/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500
 * BURL-WHY: wait with a predicate is a loop.
 */
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

static std::mutex mutex; // guards ready
static std::condition_variable changed;
static bool ready;

static void
consume()
{
    std::unique_lock<std::mutex> lock(mutex);

    changed.wait(lock, [] { return ready; });
    assert(ready);
}

int
main()
{
    std::thread t(consume);

    {
        std::lock_guard<std::mutex> lock(mutex);

        ready = true;
        changed.notify_one();
    }
    t.join();
    return 0;
}
