/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The predicate of the condition variable is changed without the mutex.
 */
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

static std::mutex mutex; // guards is_ready
static std::condition_variable changed;
static bool is_ready;
static std::string document;

static void
write_document()
{
    document = "draft";
    is_ready = true;
    changed.notify_one();
}

int
main()
{
    std::thread writer(write_document);
    std::size_t n;

    {
        std::unique_lock<std::mutex> lock(mutex);

        changed.wait(lock, [] { return is_ready; });
    }
    n = document.size();
    writer.join();
    return n == 5 ? 0 : 1;
}
