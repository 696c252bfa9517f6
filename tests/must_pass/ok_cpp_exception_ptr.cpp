/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BURL-KIND: pass
 * BURL-CFLAGS: -O1 -std=c++20
 * BURL-ARGS: --runs=1000
 * BURL-WHY: An exception is carried from one thread to another by exception_ptr, and by a
 *   future.
 */
#include <cassert>
#include <exception>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

static void
fail(const char *why)
{
    throw std::runtime_error(why);
}

static std::string
message_of(std::exception_ptr error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::runtime_error &e) {
        return e.what();
    }
}

int
main()
{
    std::exception_ptr error;
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread a([&error] {
        try {
            fail("disk");
        } catch (...) {
            error = std::current_exception();
        }
    });
    std::thread b([&promise] {
        try {
            fail("net");
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    });
    bool caught = false;

    try {
        future.get();
    } catch (const std::runtime_error &e) {
        caught = std::string(e.what()) == "net";
    }
    a.join();
    b.join();
    assert(caught);
    assert(message_of(error) == "disk");
    return 0;
}
