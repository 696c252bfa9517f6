/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: race.data|memory.use-after-free|crash.signal|crash.abort|exit.nonzero
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The queue of tasks is filled under a lock and emptied without one.
 */
#include <deque>
#include <future>
#include <mutex>
#include <thread>

static std::mutex mutex; // guards queue
static std::deque<std::packaged_task<int()>> queue;

static void
work(int n)
{
    while (n > 0) {
        std::packaged_task<int()> task;

        {
            if (queue.empty()) {
                std::this_thread::yield();
                continue;
            }
            task = std::move(queue.front());
            queue.pop_front();
        }
        task();
        n--;
    }
}

int
main()
{
    std::thread worker(work, 1);
    std::packaged_task<int()> task([] { return 6 * 7; });
    std::future<int> answer = task.get_future();
    int n;

    {
        std::lock_guard<std::mutex> guard(mutex);

        queue.push_back(std::move(task));
    }
    n = answer.get();
    worker.join();
    return n == 42 ? 0 : 1;
}
