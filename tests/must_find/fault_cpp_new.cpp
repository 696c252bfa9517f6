/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: misuse.exit-holding|deadlock.cycle|deadlock.stuck|misuse.relock
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=3000 --stop-at-first --faults=malloc
 * BURL-ENGINES: both
 * BURL-WHY: operator new throws between lock and unlock, and the exception leaves the mutex locked.
 */
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

static std::mutex mutex; // guards last
static std::unique_ptr<int> last;

static void
replace(int value)
{
    mutex.lock();
    last.reset(new int(value));
    mutex.unlock();
}

static void
try_twice(int value)
{
    for (int i = 0; i < 2; i++) {
        try {
            replace(value + i);
        } catch (const std::bad_alloc &) {
        }
    }
}

int
main()
{
    try {
        std::thread t(try_twice, 1);

        try_twice(3);
        t.join();
    } catch (const std::system_error &) {
    } catch (const std::bad_alloc &) {
    }
    return 0;
}
