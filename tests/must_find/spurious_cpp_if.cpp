/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-ENGINES: both
 * BURL-WHY: std::condition_variable::wait without a predicate and without a loop.
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

    if (!ready)
        changed.wait(lock);
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
