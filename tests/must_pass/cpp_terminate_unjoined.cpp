/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: The destructor of std::jthread joins in any case.
 */
#include <atomic>
#include <thread>

class Download {
public:
    Download() : thread_([this] { run(); }) {}

    ~Download()
    {
        stop_.store(true);
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
    std::jthread thread_; // last: it is joined before the rest is destroyed
};

int
main()
{
    Download download;

    download.wait_begun();
    return 0;
}
