/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=500
 * BURL-WHY: The predicate is changed under the mutex; the document is handed over with it.
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
    {
        std::lock_guard<std::mutex> guard(mutex);

        is_ready = true;
    }
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
