/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: crash.abort
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=3000 --stop-at-first
 * BURL-WHY: The singleton is published and opened afterwards; a second thread passes the
 *   unlocked first test and uses a log that is not open yet.
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Log {
public:
    static Log &instance()
    {
        Log *log = instance_.load();

        if (log == nullptr) {
            std::lock_guard<std::mutex> guard(mutex_);

            log = instance_.load();
            if (log == nullptr) {
                log = new Log;
                instance_.store(log);
                log->open();
            }
        }
        return *log;
    }

    void write()
    {
        assert(is_open_.load());
        lines_.fetch_add(1);
    }

    int lines() const { return lines_.load(); }

private:
    Log() = default;

    void open() { is_open_.store(true); }

    static std::mutex mutex_; // serializes the construction
    static std::atomic<Log *> instance_;
    std::atomic<bool> is_open_{false};
    std::atomic<int> lines_{0};
};

std::mutex Log::mutex_;
std::atomic<Log *> Log::instance_{nullptr};

int
main()
{
    auto say = [] { Log::instance().write(); };
    std::thread a(say);
    std::thread b(say);

    a.join();
    b.join();
    assert(Log::instance().lines() == 2);
    return 0;
}
