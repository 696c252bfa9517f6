/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: A function-local static is initialized once, and all threads wait until it is
 *   complete.
 */
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Log {
public:
    static Log &instance()
    {
        static Log log;

        return log;
    }

    void write()
    {
        assert(is_open_.load());
        lines_.fetch_add(1);
    }

    int lines() const { return lines_.load(); }

private:
    Log() { open(); }

    void open() { is_open_.store(true); }

    std::atomic<bool> is_open_{false};
    std::atomic<int> lines_{0};
};

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
