/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-CFLAGS: -O1
 * BURL-ARGS: --runs=500 --faults=malloc,create
 * BURL-WHY: The lock is an object, which the exception destroys.
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
    std::lock_guard<std::mutex> lock(mutex);
    last.reset(new int(value));
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
