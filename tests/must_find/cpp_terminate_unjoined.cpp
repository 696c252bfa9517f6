/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The thread is joined only when it is known to be finished; otherwise the destructor
 *   finds it joinable and ends the program with std::terminate.
 */
#include <atomic>
#include <thread>

class Download {
public:
    Download() : thread_([this] { run(); }) {}

    ~Download()
    {
        if (finished_.load())
            thread_.join();
    }

    void wait_begun()
    {
        while (!begun_.load())
            std::this_thread::yield();
    }

private:
    void run()
    {
        begun_.store(true);
        for (int i = 0; i < 2 && !stop_.load(); i++)
            bytes_ += 1000;
        finished_.store(true);
    }

    std::atomic<bool> begun_{false};
    std::atomic<bool> stop_{false};
    std::atomic<bool> finished_{false};
    int bytes_ = 0;
    std::thread thread_;
};

int
main()
{
    Download download;

    download.wait_begun();
    return 0;
}
